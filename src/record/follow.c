/*
 * Passes records on to the session. On the way it opens the files that names will need, before
 * their processes exit, and drops samples of processes that are not recorded.
 */
#include "record/follow.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

static void give_back(struct follow *f, struct chunk *c)
{
	while (c) {
		struct chunk *next = c->next;
		drain_give_back(f->drain, c);
		c = next;
	}
}

void follow_fini(struct follow *f)
{
	follow_drop_waiting(f);
	for (unsigned i = 0; i < ARRAY_SIZE(f->rounds); i++)
		give_back(f, f->rounds[i]);
	strangers_fini(&f->strangers);
}

/* --- processes --- */

static struct known_process *find(struct follow *f, int32_t pid)
{
	struct known_process *known = known_processes_find(&f->collecting->processes, pid);
	return known && known->is_met ? known : NULL;
}

static struct known_process *get(struct follow *f, int32_t pid)
{
	struct known_process *known = known_processes_get(&f->collecting->processes, pid);
	if (!known->is_met)
		vec_push(&f->collecting->processes.met, known);
	known->is_met = true;
	return known;
}

/* Selects it for both threads. */
static void want(struct known_process *known)
{
	known->is_wanted = true;
	known->is_wanted_fresh = true;
}

static bool is_chosen(const struct follow *f, int32_t pid)
{
	const struct target_choice *choice = f->collecting->options->choice;
	for (uint32_t i = 0; i < choice->pids.n; i++)
		if (choice->pids.p[i] == pid)
			return true;
	return false;
}

/* comm is from a record, or empty if there is none. */
static void decide(struct follow *f, struct known_process *known, struct str comm, uint64_t time_ns)
{
	const struct record_options *o = f->collecting->options;
	if (!f->collecting->is_filtered || !o->choice->is_by_property)
		return;
	target_wish_fit(o->wish, known->pid, comm, &known->fit);
	known->is_wanted = known->is_wanted || target_fit_is_whole(known->fit);
	if (time_ns > known->seen_ns)
		known->seen_ns = time_ns;
}

/* Reports a running process, seen for the first time, to the session: what it is and what it has mapped. */
static void describe(struct follow *f, int32_t pid, uint64_t time_ns)
{
	AUTO(buf) struct buf records = { 0 };
	struct held_files *held = f->collecting->held;
	struct known_process *known = get(f, pid);
	known->is_described = true;
	decide(f, known, STR(""), time_ns);
	if (f->collecting->is_filtered)
		known->is_wanted = known->is_wanted || is_chosen(f, pid);
	if (pid <= 0)
		return;
	held_files_add_process(held, pid, 0, false, 1); /* it existed before */
	synthesize_process(pid, &records, held);
	perf_session_add_records(f->collecting->session, buf_str(&records));
	collectors_came(f->collecting, known);
}

/* Does nothing for a process that is neither a target nor a descendant of one. */
static void look_at_process(struct follow *f, int32_t pid, uint64_t time_ns)
{
	if (f->is_family) {
		struct known_process *known = get(f, pid);
		known->is_wanted = known->is_wanted || is_chosen(f, pid);
		if (!known->is_wanted)
			return;
	}
	describe(f, pid, time_ns);
}

static void describe_all(struct follow *f)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int32_t pid;
	while (dir && (entry = readdir(dir)))
		if (str_to_i32(str_from(entry->d_name), &pid) && pid > 0)
			look_at_process(f, pid, 0);
	if (dir)
		closedir(dir);
}

/* /proc/TID also exists for threads, and says which process they belong to. */
static void describe_thread(struct follow *f, int32_t tid)
{
	int32_t pid = target_process_of_thread(tid);
	if (pid > 0)
		describe(f, pid, 0);
}

void follow_begin(struct follow *f, int32_t command_pid)
{
	struct collecting *c = f->collecting;
	const struct opened_events *x = c->events;
	const struct target_choice *choice = c->options->choice;
	c->is_filtered = x->is_filtered;
	f->is_family = x->is_filtered && !choice->is_by_property;
	if (command_pid && c->is_filtered) {
		want(get(f, command_pid));
		return; /* everything else descends from it */
	}
	if (x->is_per_cpu && x->cgroup_fd < 0 && !f->is_family) {
		describe_all(f);
		return;
	}
	for (uint32_t i = 0; i < choice->pids.n; i++) {
		if (f->is_family)
			want(get(f, choice->pids.p[i]));
		describe(f, choice->pids.p[i], 0);
	}
	for (uint32_t i = 0; i < choice->tids.n; i++)
		describe_thread(f, choice->tids.p[i]);
}

/* --- ended processes --- */

/* True if all of its threads have ended. A zombie has ended. */
static bool has_ended(int32_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd end = { .fd = fd, .events = POLLIN };
	if (fd < 0)
		return !thread_is_there(pid);
	bool is = poll(&end, 1, 0) > 0;
	close(fd);
	return is;
}

static bool is_living(const struct known_process *known)
{
	return known->is_wanted && !known->is_gone && !has_ended(known->pid);
}

bool follow_all_ended(struct follow *f)
{
	const struct known_processes *known = &f->collecting->processes;
	if (f->living < known->met.n && is_living(known->met.p[f->living]))
		return false;
	for (uint32_t i = 0; i < known->met.n; i++) {
		if (!is_living(known->met.p[i]))
			continue;
		f->living = i;
		return false;
	}
	return true;
}

/* The kernel may lose exit records, so plume checks for itself. */
static bool is_kept(struct follow *f, struct known_process *known)
{
	bool was_gone = known->is_gone;
	known->is_gone = !thread_is_there(known->pid);
	if (was_gone && !known->is_gone)
		known->is_described = false; /* a new process with the same pid */
	if (!was_gone && known->is_gone)
		held_files_end_process(f->collecting->held, known->pid);
	return !was_gone || !known->is_gone;
}

void follow_forget_ended(struct follow *f, uint64_t now_ns)
{
	enum { LEAST_NS = 500000000, LEAST_KNOWN = 1024 };
	struct known_processes *known = &f->collecting->processes;
	uint32_t kept = 0;
	/* A buffer may still have records of its last moments. */
	if (now_ns - f->last_forget_ns < LEAST_NS)
		return;
	f->last_forget_ns = now_ns;
	for (uint32_t i = 0; i < known->met.n; i++) {
		struct known_process *p = known->met.p[i];
		if (is_kept(f, p)) {
			known->met.p[kept++] = p;
			continue;
		}
		collectors_went(f->collecting, p);
		p->is_forgotten = true;
	}
	known->met.n = kept;
	known_processes_forget(known);
	f->forget_above = 2 * kept + LEAST_KNOWN;
}

/* --- records --- */

/*
 * It is what its parent is, until it calls exec. Another buffer may already have delivered records
 * of its later life: then it inherits only the user, which stays.
 */
static void inherit(struct known_process *known, const struct known_process *parent,
		    uint64_t time_ns)
{
	if (time_ns >= known->seen_ns) {
		known->is_wanted = false;
		known->fit = parent->fit;
		known->looks = 0;
		known->seen_ns = time_ns;
	} else if (!(known->fit.known & TARGET_USER)) {
		known->fit.known |= parent->fit.known & TARGET_USER;
		known->fit.fits |= parent->fit.fits & TARGET_USER;
		known->is_wanted |= target_fit_is_whole(known->fit);
	}
}

static void on_fork(struct follow *f, const struct perf_task *task, uint64_t time_ns)
{
	if (task->pid == task->parent)
		return;
	const struct known_process *parent = find(f, task->parent);
	struct known_process nobody = { 0 }, *known = get(f, task->pid);
	inherit(known, parent ? parent : &nobody, time_ns);
	known->is_wanted |= parent && parent->is_wanted && !f->collecting->options->no_inherit;
	known->is_described = true; /* it has its parent's mappings */
	known->is_gone = known->has_exited = false;
	held_files_add_process(f->collecting->held, task->pid, task->parent, false, time_ns);
}

static void on_exec(struct follow *f, int32_t pid, struct str comm, uint64_t time_ns)
{
	struct known_process *known = get(f, pid);
	known->is_described = true; /* records of its mappings follow */
	/* It has a new command line, and is no longer a kernel thread or part of plume. */
	known->fit.known = (known->fit.known & ~TARGET_CMDLINE) | TARGET_PROCESS;
	known->fit.fits = (known->fit.fits & ~TARGET_CMDLINE) | TARGET_PROCESS;
	known->looks = 0;
	decide(f, known, comm, time_ns);
	held_files_add_process(f->collecting->held, pid, 0, true, time_ns);
}

static void on_comm(struct follow *f, const struct perf_comm *comm, uint64_t time_ns)
{
	if (comm->is_exec)
		on_exec(f, comm->pid, comm->name, time_ns);
	else if (comm->pid == comm->tid) /* its new name may match */
		decide(f, get(f, comm->pid), comm->name, time_ns);
}

static void on_mapping(struct follow *f, const struct perf_mapping *map)
{
	struct process_mapping m = map->mapping;
	if (str_eq(m.path, STR("//anon")))
		m.path = STR("");
	held_files_add_mapping(f->collecting->held, map->pid, &m);
}

/* Its command line may have been empty for a moment. If it is gone, it is not looked up at every sample. */
static bool is_wanted(struct follow *f, struct known_process *known, uint64_t time_ns)
{
	enum { MAX_LOOKS = 3 };
	if (process_is_wanted(f->collecting, known))
		return true;
	if (target_fit_is_undecided(known->fit) && known->looks < MAX_LOOKS) {
		known->looks++;
		decide(f, known, STR(""), time_ns);
	}
	return known->is_wanted;
}

/* Whether the session should see it. */
static bool takes_sample(struct follow *f, const struct perf_ids *ids)
{
	const struct collecting *c = f->collecting;
	struct known_process *known = find(f, ids->pid);
	if (!known || !known->is_described) {
		look_at_process(f, ids->pid, ids->time_ns);
		known = find(f, ids->pid);
	}
	if (ids->time_ns < c->start_ns)
		return false;
	bool takes = is_wanted(f, known, ids->time_ns);
	f->undecided += !takes && target_fit_is_undecided(known->fit);
	if (takes && c->is_filtered)
		known->is_wanted_fresh = true;
	return takes;
}

/*
 * If BPF programs share the buffers, the kernel counts lost samples and their lost records
 * together: the recorder separates them.
 */
static bool takes_lost(struct follow *f, const struct perf_record *r, const struct perf_ids *ids)
{
	uint64_t lost = 0;
	if (ids->time_ns < f->collecting->start_ns)
		return false;
	if (!f->collecting->shares_buffers)
		return true;
	perf_lost_read(f->collecting->formats, r, &lost);
	f->lost_records += lost;
	return false;
}

/* The process of a record; for a fork, the parent, and *child is the new one. Returns false if it has none. */
static bool find_owner(const struct perf_events *formats, const struct perf_record *r, int32_t *pid,
		       int32_t *child)
{
	struct perf_task task = { 0 };
	struct perf_comm comm = { 0 };
	struct perf_mapping m = { 0 };
	switch (r->type) {
	case PERF_RECORD_SAMPLE:
		*pid = perf_record_ids(formats, r).pid;
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		perf_task_read(formats, r, &task);
		*child = r->type == PERF_RECORD_FORK && task.pid != task.parent ? task.pid : 0;
		*pid = *child ? task.parent : task.pid;
		return true;
	case PERF_RECORD_COMM:
		perf_comm_read(formats, r, &comm);
		*pid = comm.pid;
		return true;
	case PERF_RECORD_MMAP2:
		perf_mapping_read(formats, r, &m);
		*pid = m.pid;
		return true;
	default:
		return false;
	}
}

/* The pid has been reused. */
static void forget_wanted(struct follow *f, int32_t pid)
{
	struct known_process *known = find(f, pid);
	if (known)
		known->is_wanted = known->is_left_out = false;
}

/*
 * Drops everything from processes that are not selected, even that they exist. Their records are
 * held back for a while, as the record of their fork may come later.
 */
static bool is_strange(struct follow *f, const struct perf_record *r)
{
	int32_t pid = 0, child = 0;
	if (!f->is_family || !find_owner(f->collecting->formats, r, &pid, &child))
		return false;
	const struct known_process *known = find(f, pid);
	if (known && known->is_wanted)
		return false;
	if (child)
		forget_wanted(f, child);
	if (pid > 0) /* else in a pid namespace that is invisible from here */
		strangers_add(&f->strangers, pid, r);
	return true;
}

static void on_exit_of(struct follow *f, const struct perf_task *task)
{
	struct known_process *known = find(f, task->pid);
	if (task->pid != task->tid)
		return;
	if (known)
		known->has_exited = true;
	held_files_end_process(f->collecting->held, task->pid);
}

/* Returns false if the session should not get it. */
static bool look_at(struct follow *f, const struct perf_record *r)
{
	const struct perf_events *formats = f->collecting->formats;
	struct perf_ids ids = perf_record_ids(formats, r);
	struct perf_task task;
	struct perf_comm comm;
	struct perf_mapping m;
	switch (r->type) {
	case PERF_RECORD_SAMPLE:
		return takes_sample(f, &ids);
	case PERF_RECORD_FORK:
		if (perf_task_read(formats, r, &task))
			on_fork(f, &task, ids.time_ns);
		break;
	case PERF_RECORD_COMM:
		if (perf_comm_read(formats, r, &comm))
			on_comm(f, &comm, ids.time_ns);
		break;
	case PERF_RECORD_MMAP2:
		if (perf_mapping_read(formats, r, &m))
			on_mapping(f, &m);
		break;
	case PERF_RECORD_EXIT:
		if (perf_task_read(formats, r, &task))
			on_exit_of(f, &task);
		break;
	case PERF_RECORD_LOST:
		return takes_lost(f, r, &ids);
	default:
		break;
	}
	return true;
}

static void take_record(struct follow *f, const struct perf_record *r, bool bytes_stay)
{
	struct collecting *c = f->collecting;
	if (is_strange(f, r))
		return;
	if (look_at(f, r)) {
		collectors_record(c, r);
		perf_session_add(c->session, r, bytes_stay);
	}
	struct perf_task task;
	if (!f->is_family || r->type != PERF_RECORD_FORK || !perf_task_read(c->formats, r, &task))
		return;
	struct strangers_place at = { 0 };
	struct perf_record early;
	while (strangers_take(&f->strangers, task.pid, &at, &early))
		take_record(f, &early, true);
}

void follow_bytes(struct follow *f, struct str bytes)
{
	struct perf_records left = perf_records_of(bytes.p, bytes.n);
	struct perf_record r;
	while (perf_records_next(&left, &r))
		if (!collectors_wrote(f->collecting, &r))
			take_record(f, &r, false);
}

static void take_chunk(struct follow *f, const struct chunk *c)
{
	struct perf_records left = perf_records_of(c->bytes, c->n);
	struct perf_record r;
	uint32_t next = 0;
	f->collecting->taken_chunk = c->number;
	perf_session_add_records(f->collecting->session, buf_str(&c->found.records));
	while (perf_records_next(&left, &r)) {
		const struct found_stack *s = &c->found.list.p[next];
		if (next < c->found.list.n && c->bytes + s->at == r.bytes) {
			r.found = &s->found;
			next++;
		}
		if (!collectors_wrote(f->collecting, &r))
			take_record(f, &r, true);
	}
}

/* For two rounds, no record has said that a selected process forked it. */
static void leave_out(struct follow *f, int32_t pid)
{
	struct known_process *known = get(f, pid);
	if (known->is_wanted || known->is_left_out)
		return;
	known->is_left_out = true;
	collectors_leave_out(f->collecting, pid);
}

static void leave_out_strangers(struct follow *f)
{
	const struct strange_records *old = &f->strangers.rounds[0];
	for (uint32_t i = 0; f->collecting->shares_buffers && i < old->n; i++)
		if (old->p[i].pid && old->p[i].record.type == PERF_RECORD_SAMPLE)
			leave_out(f, old->p[i].pid);
	strangers_end_round(&f->strangers);
}

/* --- chunks --- */

void follow_look_around(struct follow *f)
{
	enum { LOOK_EVERY_NS = 50000000 };
	uint64_t now = clock_monotonic_ns();
	if (now - f->last_look_ns < LOOK_EVERY_NS)
		return;
	f->last_look_ns = now;
	held_files_look(f->collecting->held, now);
	f->has_names |= collectors_look(f->collecting, now);
}

/* Every buffer was read once since the last call, so the records of the round before the last have been passed on. */
static void end_round(struct follow *f)
{
	follow_look_around(f);
	/* Compares what a map says with what was found, so the time at which it said so must be known. */
	if (f->collecting->is_urgent)
		held_files_look(f->collecting->held, clock_monotonic_ns());
	perf_session_end_round(f->collecting->session);
	leave_out_strangers(f);
	give_back(f, f->rounds[1]);
	f->rounds[1] = f->rounds[0];
	f->rounds[0] = NULL;
}

void follow_take_in(struct follow *f, uint64_t until_ns)
{
	while (f->waiting && clock_monotonic_ns() < until_ns) {
		struct chunk *c = f->waiting;
		f->waiting = c->next;
		if (c->n) {
			take_chunk(f, c);
			c->next = f->rounds[0];
			f->rounds[0] = c;
		} else {
			end_round(f);
			chunk_free(c);
		}
	}
}

void follow_wait(struct follow *f, int timeout_ms)
{
	if (!f->waiting)
		f->waiting = drain_take(f->drain, timeout_ms);
}

static uint64_t samples_in(const struct follow *f, const struct chunk *c)
{
	struct perf_records left = perf_records_of(c->bytes, c->n);
	struct perf_record r;
	uint64_t samples = 0;
	while (perf_records_next(&left, &r))
		samples += r.type == PERF_RECORD_SAMPLE && !collectors_wrote(f->collecting, &r);
	return samples;
}

/* Drops what came too fast, and counts it as lost. */
void follow_drop_waiting(struct follow *f)
{
	while (f->waiting) {
		struct chunk *c = f->waiting;
		f->waiting = c->next;
		f->dropped += samples_in(f, c);
		chunk_free(c);
	}
}
