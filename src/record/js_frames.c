/*
 * JavaScript frames of samples, found as soon as they come: functions move and die with the next garbage
 * collection, so V8's heap is read within milliseconds. What was found waits until the sample's turn.
 */
#include "record/record_int.h"

#include <asm/perf_regs.h>
#include <sys/stat.h>

/* A file with a V8 in it, or without. */
struct v8_file {
	uint64_t device, inode;
	bool is_v8;
	bool is_known; /* its layout could be read */
	struct v8_layout layout;
	struct err e; /* why not */
};

struct js_process {
	int32_t pid;
	bool is_looked_at;
	struct v8_file *file;	       /* NULL: it has no V8 */
	struct process_memory *memory; /* stays where it is: v8 refers to it */
	struct v8_process *v8;
	bool is_refused; /* its memory may not be read */
};

/* Frames of a sample that is still to come. */
struct found_stack {
	int32_t tid;
	uint64_t time_ns;
	uint32_t first, n; /* in frames */
	/* As the kernel walked it: in pcs. */
	uint32_t first_pc, pcs;
	bool has_more;
};

struct js_frames {
	VEC(struct v8_file *) files;
	VEC(struct js_process) list;
	struct index_map map; /* by pid */
	struct v8_names names;
	/* Two rounds, as of records: what came before the last one has had its turn. */
	struct {
		VEC(struct found_stack) stacks;
		VEC(struct perf_found_frame) frames;
		VEC(uint64_t) pcs;
		struct index_map map;
	} rounds[2];
	VEC(struct perf_found_name) answer;
	struct buf text;
	struct v8_counts ended; /* of processes that have */
	bool wants_lines;
	struct v8_walker *walker;	       /* NULL: there is none */
	struct v8_walked walked;	       /* at hand */
	uint64_t stacks_walked, stacks_copied; /* with frames of JavaScript */
};

struct js_frames *js_frames_new(bool wants_lines, struct v8_walker *walker)
{
	struct js_frames *j = mem_zalloc(1, sizeof(*j));
	j->wants_lines = wants_lines;
	j->walker = walker;
	return j;
}

static void process_end(struct js_process *p)
{
	v8_process_free(p->v8);
	free(p->memory);
	*p = (struct js_process){ .pid = p->pid };
}

void js_frames_free(struct js_frames *j)
{
	if (!j)
		return;
	for (uint32_t i = 0; i < j->list.n; i++)
		process_end(&j->list.p[i]);
	for (uint32_t i = 0; i < j->files.n; i++) {
		v8_layout_fini(&j->files.p[i]->layout);
		free(j->files.p[i]);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(j->rounds); i++) {
		vec_fini(&j->rounds[i].stacks);
		vec_fini(&j->rounds[i].frames);
		vec_fini(&j->rounds[i].pcs);
		index_map_fini(&j->rounds[i].map);
	}
	vec_fini(&j->files);
	vec_fini(&j->list);
	vec_fini(&j->answer);
	index_map_fini(&j->map);
	v8_names_fini(&j->names);
	buf_fini(&j->text);
	free(j);
}

/* --- processes --- */

static bool pid_equal(const void *list, uint32_t i, const void *key)
{
	return ((const struct js_process *)list)[i].pid == *(const int32_t *)key;
}

static struct js_process *get(struct js_frames *j, int32_t pid)
{
	uint32_t hash = hash_pair((uint32_t)pid, 0);
	uint32_t i = index_map_find(&j->map, hash, pid_equal, j->list.p, &pid);
	if (i == INDEX_NONE) {
		i = j->list.n;
		index_map_add(&j->map, hash, i);
		vec_push(&j->list, (struct js_process){ .pid = pid });
	}
	return &j->list.p[i];
}

static struct v8_file *find_file(struct js_frames *j, uint64_t device, uint64_t inode)
{
	for (uint32_t i = 0; i < j->files.n; i++)
		if (j->files.p[i]->device == device && j->files.p[i]->inode == inode)
			return j->files.p[i];
	return NULL;
}

static struct v8_file *read_file(struct js_frames *j, struct elf *elf)
{
	struct v8_file *f = find_file(j, elf->device, elf->inode);
	if (f)
		return f;
	f = mem_zalloc(1, sizeof(*f));
	f->device = elf->device;
	f->inode = elf->inode;
	f->is_v8 = v8_is_inside(elf);
	f->is_known = f->is_v8 && v8_layout_read(elf, &f->layout, &f->e);
	vec_push(&j->files, f);
	return f;
}

/* The program itself, by its file. */
static struct v8_file *file_of_program(struct js_frames *j, int32_t pid)
{
	struct err ignored = { 0 };
	struct stat st;
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (stat(path, &st) != 0)
		return NULL;
	struct v8_file *f = find_file(j, st.st_dev, st.st_ino);
	struct elf *elf = f ? NULL : elf_open(path, &ignored);
	if (elf)
		f = read_file(j, elf);
	elf_free(elf);
	return f;
}

/* Node.js may be a small program with a large library. */
struct library_search {
	struct js_frames *j;
	int32_t pid;
	struct v8_file *found;
};

static void look_at_mapping(void *context, const struct target_mapping *m)
{
	static const struct symbol_options here = { .is_of_this_machine = true };
	struct library_search *s = context;
	if (s->found || !str_starts(str_basename(m->path), STR("libnode.so")))
		return;
	struct binary *b = runtime_open_mapping(s->pid, m, &here);
	struct elf *elf = binary_code(b);
	if (elf)
		s->found = read_file(s->j, elf);
	binary_free(b);
}

static struct v8_file *file_of_library(struct js_frames *j, int32_t pid)
{
	struct err ignored = { 0 };
	struct library_search s = { .j = j, .pid = pid };
	target_read_mappings(pid, false, look_at_mapping, &s, &ignored);
	return s.found;
}

static void look_at_process(struct js_frames *j, struct js_process *p)
{
	p->is_looked_at = true;
	struct v8_file *f = file_of_program(j, p->pid);
	if (!f || !f->is_v8)
		f = file_of_library(j, p->pid);
	if (!f || !f->is_v8)
		return;
	p->file = f;
	if (!f->is_known)
		return;
	p->memory = mem_zalloc(1, sizeof(*p->memory));
	process_memory_init(p->memory, p->pid);
	if (j->walker)
		v8_walker_add_process(j->walker, p->pid, &f->layout);
}

static void add_counts(struct v8_counts *to, const struct v8_counts *from)
{
	to->frames += from->frames;
	to->interpreted += from->interpreted;
	to->baseline += from->baseline;
	to->maglev += from->maglev;
	to->optimized += from->optimized;
	to->unknown_tier += from->unknown_tier;
	to->inlined += from->inlined;
	to->by_register += from->by_register;
	to->unnamed += from->unnamed;
}

void js_frames_end_process(struct js_frames *j, int32_t pid)
{
	struct js_process *p = get(j, pid);
	if (p->v8)
		add_counts(&j->ended, v8_process_counts(p->v8));
	if (p->memory && j->walker)
		v8_walker_remove_process(j->walker, pid);
	process_end(p);
}

bool js_frames_has_any(const struct js_frames *j)
{
	for (uint32_t i = 0; i < j->list.n; i++)
		if (j->list.p[i].v8)
			return true;
	return false;
}

/* --- samples --- */

static uint32_t hash_of(int32_t tid, uint64_t time_ns)
{
	return hash_pair((uint32_t)time_ns ^ (uint32_t)(time_ns >> 32) * 31, (uint32_t)tid);
}

/* walked: NULL: it was not. */
static void keep(struct js_frames *j, const struct js_sample *sample, const struct v8_frame *frames,
		 uint32_t n, const struct v8_walked *walked)
{
	struct found_stack stack = { .tid = sample->tid,
				     .time_ns = sample->time_ns,
				     .first = j->rounds[0].frames.n,
				     .n = n,
				     .first_pc = j->rounds[0].pcs.n,
				     .pcs = walked ? walked->n : 0,
				     .has_more = walked && walked->has_more };
	for (uint32_t i = 0; i < n; i++)
		vec_push(&j->rounds[0].frames,
			 (struct perf_found_frame){ frames[i].pc, frames[i].place,
						    frames[i].is_missing });
	for (uint32_t i = 0; i < stack.pcs; i++)
		vec_push(&j->rounds[0].pcs, walked->frames[i].pc);
	index_map_add(&j->rounds[0].map, hash_of(sample->tid, sample->time_ns),
		      j->rounds[0].stacks.n);
	vec_push(&j->rounds[0].stacks, stack);
}

static struct v8_registers registers_of(const struct perf_user_state *state)
{
	return (struct v8_registers){ .pc = state->registers[PERF_REG_X86_IP],
				      .sp = state->registers[PERF_REG_X86_SP],
				      .fp = state->registers[PERF_REG_X86_BP],
				      .di = state->registers[PERF_REG_X86_DI],
				      .cx = state->registers[PERF_REG_X86_CX],
				      .r9 = state->registers[PERF_REG_X86_R9],
				      .top = state->stack };
}

/* What the kernel walked, if it is of this very sample. state: NULL: the sample has no registers. */
static const struct v8_walked *walked_of(struct js_frames *j, const struct js_sample *sample,
					 const struct perf_user_state *state)
{
	struct v8_walked *w = &j->walked;
	if (!j->walker || !v8_walker_find(j->walker, sample->tid, sample->time_ns, w))
		return NULL;
	bool is_same = !state || (state->registers[PERF_REG_X86_IP] == w->registers.pc &&
				  state->registers[PERF_REG_X86_SP] == w->registers.sp &&
				  state->registers[PERF_REG_X86_BP] == w->registers.fp);
	return is_same ? w : NULL;
}

static struct v8_process *v8_of(struct js_frames *j, int32_t pid)
{
	struct js_process *p = get(j, pid);
	if (!p->is_looked_at)
		look_at_process(j, p);
	if (!p->v8 && p->memory) {
		p->v8 = v8_process_new(pid, &p->file->layout, &p->memory->memory, &j->names);
		v8_process_look(p->v8);
	}
	return p->v8;
}

void js_frames_look_at(struct js_frames *j, struct perf_session *session,
		       const struct js_sample *sample)
{
	struct v8_frame frames[WALKER_FRAMES];
	struct perf_user_state state;
	struct v8_process *v8 = v8_of(j, sample->pid);
	if (!v8)
		return;
	bool has_state = perf_session_peek(session, sample->bytes, &state);
	const struct v8_walked *w = walked_of(j, sample, has_state ? &state : NULL);
	if (!w && !has_state)
		return;
	struct v8_raw_frame *raw = j->walked.frames;
	struct v8_registers r = w ? w->registers : registers_of(&state);
	uint32_t n = w ? w->n
		       : v8_frames_of_copy(&get(j, sample->pid)->file->layout, &r, state.stack, raw,
					   WALKER_FRAMES);
	n = v8_name_frames(v8, &r, raw, n, frames, WALKER_FRAMES);
	if (n)
		*(w ? &j->stacks_walked : &j->stacks_copied) += 1;
	if (n || w)
		keep(j, sample, frames, n, w);
}

/* --- their turn --- */

struct stack_key {
	int32_t tid;
	uint64_t time_ns;
};

static bool stack_equal(const void *list, uint32_t i, const void *key)
{
	const struct found_stack *a = &((const struct found_stack *)list)[i];
	const struct stack_key *b = key;
	return a->tid == b->tid && a->time_ns == b->time_ns;
}

static const struct found_stack *find_stack(const struct js_frames *j, unsigned round, int32_t tid,
					    uint64_t time_ns)
{
	struct stack_key key = { tid, time_ns };
	uint32_t k = index_map_find(&j->rounds[round].map, hash_of(tid, time_ns), stack_equal,
				    j->rounds[round].stacks.p, &key);
	return k == INDEX_NONE ? NULL : &j->rounds[round].stacks.p[k];
}

uint32_t js_frames_find(struct js_frames *j, int32_t tid, uint64_t time_ns,
			const struct perf_found_frame **frames)
{
	for (unsigned i = 0; i < ARRAY_SIZE(j->rounds); i++) {
		const struct found_stack *s = find_stack(j, i, tid, time_ns);
		if (!s)
			continue;
		*frames = j->rounds[i].frames.p + s->first;
		return s->n;
	}
	return 0;
}

bool js_frames_walked(struct js_frames *j, int32_t tid, uint64_t time_ns, struct perf_walked *out)
{
	for (unsigned i = 0; i < ARRAY_SIZE(j->rounds); i++) {
		const struct found_stack *s = find_stack(j, i, tid, time_ns);
		if (!s)
			continue;
		*out = (struct perf_walked){ j->rounds[i].pcs.p + s->first_pc, s->pcs,
					     s->has_more };
		return true;
	}
	return false;
}

void js_frames_end_round(struct js_frames *j)
{
	typeof(j->rounds[0]) old = j->rounds[1];
	j->rounds[1] = j->rounds[0];
	j->rounds[0] = old;
	j->rounds[0].stacks.n = j->rounds[0].frames.n = j->rounds[0].pcs.n = 0;
	index_map_clear(&j->rounds[0].map);
}

/* --- names --- */

static void add_name(struct js_frames *j, const struct v8_place *place, bool is_inlined)
{
	const struct v8_function *f = &j->names.functions.p[place->function];
	struct perf_found_name name = { .module = STR("[JIT] V8"), .file = f->file };
	size_t start = j->text.n;
	v8_function_describe(f, place->tier, &j->text);
	name.name = (struct str){ (const char *)start, j->text.n - start }; /* moved later */
	bool has_line = j->wants_lines && place->line;
	name.line = has_line ? place->line : f->line;
	name.column = has_line ? place->column : f->column;
	name.kind = place->tier == '~' ? FRAME_INTERPRETED : FRAME_JIT;
	name.is_inlined = is_inlined;
	vec_push(&j->answer, name);
}

uint32_t js_frames_name(struct js_frames *j, uint32_t code, const struct perf_found_name **names)
{
	enum { MAX_DEPTH = 128 };
	v8_place_id chain[MAX_DEPTH];
	uint32_t n = 0;
	j->answer.n = 0;
	j->text.n = 0;
	for (v8_place_id at = code; at < j->names.places.n && n < MAX_DEPTH;
	     at = j->names.places.p[at].caller)
		chain[n++] = at;
	for (uint32_t i = n; i-- > 0;)
		add_name(j, &j->names.places.p[chain[i]], i + 1 < n);
	for (uint32_t i = 0; i < j->answer.n; i++)
		j->answer.p[i].name.p = j->text.p + (size_t)j->answer.p[i].name.p;
	*names = j->answer.p;
	return j->answer.n;
}

/* --- how it went --- */

static void add_share(struct buf *out, const char *what, uint64_t part, uint64_t all)
{
	if (!part)
		return;
	buf_addf(out, ", %s ", what);
	buf_add_percent(out, part, all);
}

uint64_t js_frames_copied(const struct js_frames *j)
{
	return j->stacks_copied;
}

void js_frames_describe(const struct js_frames *j, struct buf *out)
{
	struct v8_counts c = j->ended;
	for (uint32_t i = 0; i < j->list.n; i++)
		if (j->list.p[i].v8)
			add_counts(&c, v8_process_counts(j->list.p[i].v8));
	if (!c.frames && !c.unnamed)
		return;
	uint64_t all = c.frames + c.unnamed;
	buf_addf(out, "%llu frames named from V8's heap", (unsigned long long)c.frames);
	add_share(out, "interpreted", c.interpreted, all);
	add_share(out, "baseline", c.baseline, all);
	add_share(out, "Maglev", c.maglev, all);
	add_share(out, "TurboFan", c.optimized, all);
	add_share(out, "tier not known", c.unknown_tier, all);
	add_share(out, "function gone", c.unnamed, all);
	if (c.inlined)
		buf_addf(out, "; %llu more were inlined", (unsigned long long)c.inlined);
	if (c.by_register)
		buf_addf(out, "; %llu had no frame yet", (unsigned long long)c.by_register);
	buf_addf(out, "; %llu stacks were walked in the kernel, %llu in copies",
		 (unsigned long long)j->stacks_walked, (unsigned long long)j->stacks_copied);
}
