/*
 * Which processes run JavaScript, what is known about them, and why some cannot be named. A process
 * is inspected at its first sample, at the latest.
 */
#include "record/js_processes_int.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

void js_processes_init(struct js_processes *l, struct collecting *c, unsigned number,
		       struct v8_names *names)
{
	*l = (struct js_processes){ .collecting = c, .number = number, .names = names };
	pthread_mutex_init(&l->lock, NULL);
}

static void process_end(struct js_process *p)
{
	v8_process_free(p->v8);
	kept_memory_free(p->memory);
	free(p->living);
	*p = (struct js_process){ .pid = p->pid };
}

void js_processes_fini(struct js_processes *l)
{
	for (uint32_t i = 0; i < l->ended.n; i++)
		process_end(&l->ended.p[i]);
	for (uint32_t i = 0; i < l->files.n; i++) {
		v8_layout_fini(&l->files.p[i]->layout);
		free(l->files.p[i]);
	}
	pthread_mutex_destroy(&l->lock);
	vec_fini(&l->files);
	vec_fini(&l->ended);
	vec_fini(&l->troubles);
}

/* Returns NULL if nothing is known about it. */
static struct js_process *find(struct js_processes *l, int32_t pid)
{
	struct known_process *row = known_processes_find(&l->collecting->processes, pid);
	return row ? row->slot[l->number] : NULL;
}

static struct js_process *get(struct js_processes *l, struct known_process *row)
{
	struct js_process *p = row->slot[l->number];
	if (!p) {
		p = row->slot[l->number] = mem_zalloc(1, sizeof(*p));
		p->pid = row->pid;
	}
	return p;
}

/* --- troubles --- */

static struct js_trouble *find_trouble(struct js_processes *l, enum js_trouble_kind kind,
				       const struct v8_file *file)
{
	for (uint32_t i = 0; i < l->troubles.n; i++)
		if (l->troubles.p[i].kind == kind && l->troubles.p[i].file == file)
			return &l->troubles.p[i];
	return NULL;
}

static void add_trouble(struct js_processes *l, enum js_trouble_kind kind,
			const struct js_process *p)
{
	pthread_mutex_lock(&l->lock);
	struct js_trouble *t = find_trouble(l, kind, p->file);
	if (t && t->pid == p->pid)
		; /* it called exec, which does not make it another process */
	else if (t)
		t->processes++;
	else
		vec_push(&l->troubles, (struct js_trouble){ .kind = kind,
							    .file = p->file,
							    .pid = p->pid,
							    .processes = 1,
							    .samples = p->samples });
	pthread_mutex_unlock(&l->lock);
}

static void remove_trouble(struct js_processes *l, enum js_trouble_kind kind,
			   const struct js_process *p)
{
	pthread_mutex_lock(&l->lock);
	struct js_trouble *t = find_trouble(l, kind, p->file);
	if (t && --t->processes == 0)
		*t = l->troubles.p[--l->troubles.n];
	pthread_mutex_unlock(&l->lock);
}

static void describe_trouble(const struct js_trouble *t, struct buf *out)
{
	AUTO(buf) struct buf others = { 0 };
	if (t->processes > 1)
		buf_addf(&others, " and %u more", t->processes - 1);
	buf_addf(out, "JavaScript functions of pid %d%.*s have no names: ", t->pid,
		 STR_ARG(buf_str(&others)));
	switch (t->kind) {
	case JS_TROUBLE_LAYOUT:
		buf_addf(out, "%s; with --perf-basic-prof it names its functions itself",
			 t->file->e.text);
		break;
	case JS_TROUBLE_REFUSED:
		buf_addf(out, "no permission to read its memory: %s", process_memory_advice());
		break;
	case JS_TROUBLE_HIDDEN:
		buf_addf(out, "it belongs to another user or is protected: %s",
			 process_memory_advice());
		break;
	case JS_TROUBLE_NOTHING:
		buf_addf(out,
			 "plume found none of its functions in %u samples, although the program "
			 "contains V8 %u.%u: plume js doctor -p %d shows why",
			 t->samples, t->file->layout.major, t->file->layout.minor, t->pid);
		break;
	case JS_TROUBLE_BUSY:
		buf_addf(out,
			 "reading its heap took too long, so plume stopped: plume js doctor -p %d "
			 "checks it",
			 t->pid);
	}
}

void js_processes_add_notes(struct js_processes *l, struct profile *p)
{
	pthread_mutex_lock(&l->lock);
	for (uint32_t i = 0; i < l->troubles.n; i++) {
		AUTO(buf) struct buf text = { 0 };
		describe_trouble(&l->troubles.p[i], &text);
		profile_add_note(p, buf_str(&text));
	}
	pthread_mutex_unlock(&l->lock);
}

/* --- files --- */

static struct v8_file *find_file(struct js_processes *l, uint64_t device, uint64_t inode)
{
	for (uint32_t i = 0; i < l->files.n; i++)
		if (l->files.p[i]->device == device && l->files.p[i]->inode == inode)
			return l->files.p[i];
	return NULL;
}

static struct v8_file *read_file(struct js_processes *l, struct elf *elf)
{
	struct v8_file *f = find_file(l, elf->device, elf->inode);
	if (f)
		return f;
	f = mem_zalloc(1, sizeof(*f));
	f->device = elf->device;
	f->inode = elf->inode;
	f->is_v8 = v8_is_inside(elf);
	f->is_known = f->is_v8 && v8_layout_read(elf, &f->layout, &f->e);
	vec_push(&l->files, f);
	return f;
}

/* Takes ownership of fd; NULL if it is -1. Files that were inspected before are not opened again. */
static struct v8_file *file_of(struct js_processes *l, int fd)
{
	struct stat st;
	if (fd < 0)
		return NULL;
	struct v8_file *f = fstat(fd, &st) == 0 ? find_file(l, st.st_dev, st.st_ino) : NULL;
	if (f) {
		close(fd);
		return f;
	}
	struct elf *elf = process_take_elf(fd, STR(""));
	if (elf)
		f = read_file(l, elf);
	elf_free(elf);
	return f;
}

/* --- processes --- */

/* Uses only what any user may see. */
static bool is_called_node(int32_t pid)
{
	AUTO(buf) struct buf first = { 0 };
	process_file_read("", pid, "cmdline", 255, &first);
	return runtime_of_file(str_from(buf_c_string(&first))) == RUNTIME_NODE;
}

/*
 * The file with its V8: Node.js may be a small program with a large library. NULL if there is none.
 * is_hidden: no permission to look at its program.
 */
static const struct v8_file *file_of_process(struct js_processes *l, int32_t pid, bool *is_hidden)
{
	AUTO(buf) struct buf path = { 0 };
	struct living_process living;
	struct process *p = &living.process;
	living_process_init(&living, pid);
	int fd = p->ops->open_program(p, &path);
	*is_hidden = !path.n && (errno == EACCES || errno == EPERM);
	const struct v8_file *f = file_of(l, fd);
	if (!f || !f->is_v8)
		f = file_of(l, runtime_open_library(p, RUNTIME_NODE, &path));
	return f && f->is_v8 ? f : NULL;
}

static void look_at_process(struct js_processes *l, struct js_process *p)
{
	bool is_hidden;
	const struct v8_file *f = file_of_process(l, p->pid, &is_hidden);
	p->is_looked_at = true;
	if (is_hidden && is_called_node(p->pid))
		add_trouble(l, JS_TROUBLE_HIDDEN, p);
	if (!f)
		return;
	p->file = f;
	p->is_given_up = !f->is_known;
	if (p->is_given_up) {
		add_trouble(l, JS_TROUBLE_LAYOUT, p);
		return;
	}
	p->living = mem_zalloc(1, sizeof(*p->living));
	living_process_init(p->living, p->pid);
	p->memory = kept_memory_new(&p->living->process);
	p->v8 = v8_process_new(&p->living->process, &f->layout, l->names);
	v8_process_look(p->v8);
	v8_walker_add_process(l->collecting->walker, p->pid, &f->layout);
}

/* Problems are reported only once a sample comes. */
void js_processes_expect(struct js_processes *l)
{
	enum { FEW = 16 };
	const struct known_processes *known = &l->collecting->processes;
	for (uint32_t i = 0; i < known->met.n; i++) {
		bool is_hidden;
		struct known_process *row = known->met.p[i];
		if (!row->is_described || (known->met.n > FEW && !is_called_node(row->pid)))
			continue;
		const struct v8_file *f = file_of_process(l, row->pid, &is_hidden);
		if (f && f->is_known)
			look_at_process(l, get(l, row));
	}
}

static void stop_walking(struct js_processes *l, const struct js_process *p)
{
	if (p->v8 && !p->ended_at)
		v8_walker_remove_process(l->collecting->walker, p->pid);
}

static void give_up(struct js_processes *l, struct js_process *p, enum js_trouble_kind why)
{
	p->is_given_up = true;
	stop_walking(l, p);
	add_trouble(l, why, p);
}

struct js_process *js_processes_of_sample(struct js_processes *l, struct known_process *row,
					  uint64_t time_ns)
{
	for (uint32_t i = 0; i < l->ended.n; i++)
		if (l->ended.p[i].pid == row->pid && time_ns <= l->ended.p[i].until_ns)
			return &l->ended.p[i];
	struct js_process *p = get(l, row);
	if (!p->is_looked_at)
		look_at_process(l, p);
	if (!p->v8 || p->is_given_up)
		return NULL;
	/* Samples of one chunk are nearly simultaneous, so what was read for one is valid for the next. */
	if (p->look != l->looks)
		kept_memory_look(p->memory);
	p->look = l->looks;
	return p;
}

void js_processes_count(struct js_processes *l, struct js_process *p, bool has_frames)
{
	enum { MANY_SAMPLES = 200 };
	if (p->is_given_up)
		return;
	if (kept_memory_has_ended(p->memory))
		v8_process_end(p->v8); /* its end was not reported yet */
	if (v8_process_is_endless(p->v8))
		give_up(l, p, JS_TROUBLE_BUSY);
	else if (p->living->memory.error == EPERM)
		give_up(l, p, JS_TROUBLE_REFUSED);
	if (p->samples == UINT32_MAX) /* JavaScript was found */
		return;
	if (has_frames && p->samples >= MANY_SAMPLES)
		remove_trouble(l, JS_TROUBLE_NOTHING, p);
	p->samples = has_frames ? UINT32_MAX : p->samples + 1;
	if (p->samples == MANY_SAMPLES)
		add_trouble(l, JS_TROUBLE_NOTHING, p);
}

/* --- exit --- */

void js_processes_forget(struct js_processes *l, int32_t pid)
{
	struct js_process *p = find(l, pid);
	if (p) {
		stop_walking(l, p);
		process_end(p);
	}
	for (uint32_t i = l->ended.n; i-- > 0;)
		if (l->ended.p[i].pid == pid) {
			process_end(&l->ended.p[i]);
			l->ended.p[i] = l->ended.p[--l->ended.n];
		}
}

void js_processes_drop(struct js_processes *l, struct known_process *row)
{
	struct js_process *p = row->slot[l->number];
	if (!p)
		return;
	stop_walking(l, p);
	process_end(p);
	free(p);
	row->slot[l->number] = NULL;
}

void js_processes_end(struct js_processes *l, int32_t pid, uint64_t time_ns)
{
	struct js_process *p = find(l, pid);
	if (!p)
		return;
	struct js_process ended = *p;
	stop_walking(l, p);
	if (p->v8 && !p->is_given_up) {
		ended.until_ns = time_ns;
		ended.ended_at = l->looks;
		kept_memory_end(ended.memory);
		v8_process_end(ended.v8);
		vec_push(&l->ended, ended);
		p->v8 = NULL;
		p->memory = NULL;
		p->living = NULL;
	}
	process_end(p);
}

/*
 * There is one buffer per cpu, and a round reads each that is not empty. After twice as many chunks
 * as cpus, a whole round must have passed.
 */
void js_processes_begin_look(struct js_processes *l)
{
	l->looks++;
	if (!l->ended.n)
		return;
	uint64_t round = (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	for (uint32_t i = l->ended.n; i-- > 0;)
		if (l->looks - l->ended.p[i].ended_at > 2 * round) {
			process_end(&l->ended.p[i]);
			l->ended.p[i] = l->ended.p[--l->ended.n];
		}
}
