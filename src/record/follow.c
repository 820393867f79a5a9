/*
 * Passes records on to the session. On the way it opens the files that names will need, before their processes
 * exit, and drops samples of processes that are not recorded.
 */
#include "record/charged.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void follow_fini(struct follow *f)
{
	vec_fini(&f->list);
	vec_fini(&f->described);
	vec_fini(&f->starting);
	strangers_fini(&f->strangers);
	index_map_fini(&f->map);
}

/* --- processes --- */

static bool pid_equal(const void *list, uint32_t i, const void *key)
{
	return ((const struct known_process *)list)[i].pid == *(const int32_t *)key;
}

static struct known_process *find(struct follow *f, int32_t pid)
{
	uint32_t i =
		index_map_find(&f->map, hash_pair((uint32_t)pid, 0), pid_equal, f->list.p, &pid);
	return i == INDEX_NONE ? NULL : &f->list.p[i];
}

/* Good until the next call. */
static struct known_process *get(struct follow *f, int32_t pid)
{
	struct known_process *known = find(f, pid);
	if (known)
		return known;
	index_map_add(&f->map, hash_pair((uint32_t)pid, 0), f->list.n);
	vec_push(&f->list, (struct known_process){ .pid = pid });
	return &f->list.p[f->list.n - 1];
}

bool follow_wants(struct follow *f, int32_t pid)
{
	const struct known_process *known = find(f, pid);
	return !f->is_filtered || (known && known->is_wanted);
}

static bool is_chosen(const struct follow *f, int32_t pid)
{
	const struct target_choice *choice = f->options->choice;
	for (uint32_t i = 0; i < choice->pids.n; i++)
		if (choice->pids.p[i] == pid)
			return true;
	return false;
}

/* comm: as a record has it; empty: none has. */
static void decide(struct follow *f, struct known_process *known, struct str comm, uint64_t time_ns)
{
	if (!f->is_filtered || !f->options->choice->is_by_property)
		return;
	target_wish_fit(f->options->wish, known->pid, comm, &known->fit);
	known->is_wanted = known->is_wanted || target_fit_is_whole(known->fit);
	if (time_ns > known->seen_ns)
		known->seen_ns = time_ns;
}

/* A process that is there, seen for the first time: what it is and has mapped is told to the session. */
static void describe(struct follow *f, int32_t pid, uint64_t time_ns)
{
	AUTO(buf) struct buf records = { 0 };
	struct known_process *known = get(f, pid);
	known->is_described = true;
	decide(f, known, STR(""), time_ns);
	if (f->is_filtered)
		known->is_wanted = known->is_wanted || is_chosen(f, pid);
	if (pid <= 0)
		return;
	vec_push(&f->described, pid);
	held_files_add_process(f->held, pid, 0, false, 1); /* it was there before */
	synthesize_process(pid, &records, f->held);
	perf_session_add_records(f->session, records.p, records.n, false);
}

/* Does nothing for a process that is neither a target nor a descendant of one. */
static void look_at_process(struct follow *f, int32_t pid, uint64_t time_ns)
{
	if (f->is_filtered && !f->options->choice->is_by_property) {
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

static void want_javascript(struct follow *f, struct known_process *known)
{
	if (!known->is_told)
		js_frames_want(f->js, known->pid);
	known->is_told = true;
}

void follow_begin(struct follow *f, const struct opened_events *x, int32_t command_pid)
{
	const struct target_choice *choice = f->options->choice;
	f->is_filtered = x->is_filtered;
	f->is_family = x->is_filtered && !choice->is_by_property;
	if (f->is_filtered)
		js_frames_want(f->js, command_pid);
	if (command_pid && f->is_filtered) {
		get(f, command_pid)->is_wanted = true;
		return; /* all else comes from it */
	}
	if (x->is_per_cpu && x->cgroup_fd < 0 && !f->is_family) {
		describe_all(f);
		return;
	}
	for (uint32_t i = 0; i < choice->pids.n; i++) {
		describe(f, choice->pids.p[i], 0);
		if (f->is_family)
			want_javascript(f, get(f, choice->pids.p[i]));
	}
	for (uint32_t i = 0; i < choice->tids.n; i++)
		describe_thread(f, choice->tids.p[i]);
}

/* --- those that have ended --- */

/* All of its threads; a zombie has, too. */
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
	if (f->living < f->list.n && is_living(&f->list.p[f->living]))
		return false;
	for (uint32_t i = 0; i < f->list.n; i++) {
		if (!is_living(&f->list.p[i]))
			continue;
		f->living = i;
		return false;
	}
	return true;
}

/* That a process ends may be among what the kernel lost: it is looked for, whatever records say. */
static bool is_kept(struct follow *f, struct known_process *known)
{
	bool was_gone = known->is_gone;
	known->is_gone = !thread_is_there(known->pid);
	if (was_gone && !known->is_gone)
		known->is_described = false; /* another one, with the same number */
	if (!was_gone && known->is_gone)
		held_files_end_process(f->held, known->pid);
	return !was_gone || !known->is_gone;
}

void follow_forget_ended(struct follow *f, uint64_t now_ns)
{
	enum { LEAST_NS = 500000000, LEAST_KNOWN = 1024 };
	uint32_t kept = 0;
	/* Records of its last moments may be in a buffer still. */
	if (now_ns - f->last_forget_ns < LEAST_NS)
		return;
	f->last_forget_ns = now_ns;
	index_map_clear(&f->map);
	for (uint32_t i = 0; i < f->list.n; i++) {
		struct known_process known = f->list.p[i];
		if (!is_kept(f, &known))
			continue;
		index_map_add(&f->map, hash_pair((uint32_t)known.pid, 0), kept);
		f->list.p[kept++] = known;
	}
	f->list.n = kept;
	f->forget_above = 2 * kept + LEAST_KNOWN;
}

/* --- records --- */

struct raw {
	const char *p, *end;
};

static uint32_t take_u32(struct raw *r)
{
	uint32_t value = 0;
	if (r->end - r->p >= (ptrdiff_t)sizeof(value))
		memcpy(&value, r->p, sizeof(value));
	r->p += sizeof(value);
	return value;
}

static uint64_t take_u64(struct raw *r)
{
	uint64_t low = take_u32(r), high = take_u32(r);
	return high << 32 | low;
}

/*
 * It is what its parent is, until it becomes another program. What another buffer had of its later life
 * may have come first: then only the user is learned, which lasts.
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

static void on_fork(struct follow *f, struct raw r)
{
	int32_t pid = (int32_t)take_u32(&r), parent = (int32_t)take_u32(&r);
	take_u64(&r); /* threads */
	uint64_t time_ns = take_u64(&r);
	if (pid == parent)
		return;
	const struct known_process *from = find(f, parent);
	struct known_process parent_then = from ? *from : (struct known_process){ 0 };
	struct known_process *known = get(f, pid);
	inherit(known, &parent_then, time_ns);
	known->is_wanted |= parent_then.is_wanted && !f->options->no_inherit;
	known->is_described = true; /* it has what its parent has */
	known->is_gone = known->has_exited = false;
	held_files_add_process(f->held, pid, parent, false, time_ns);
}

static void on_exec(struct follow *f, int32_t pid, struct str comm, uint64_t time_ns)
{
	struct known_process *known = get(f, pid);
	known->is_described = true; /* records of all that it maps follow */
	/* Other words; and no thread of the kernel any more, nor a part of this program. */
	known->fit.known = (known->fit.known & ~TARGET_CMDLINE) | TARGET_PROCESS;
	known->fit.fits = (known->fit.fits & ~TARGET_CMDLINE) | TARGET_PROCESS;
	known->looks = 0;
	decide(f, known, comm, time_ns);
	held_files_add_process(f->held, pid, 0, true, time_ns);
}

static uint64_t trailer_time_ns(struct raw r)
{
	struct record_trailer trailer = { 0 };
	if (r.end - r.p >= (ptrdiff_t)sizeof(trailer))
		memcpy(&trailer, r.end - sizeof(trailer), sizeof(trailer));
	return trailer.time_ns;
}

static void on_comm(struct follow *f, uint16_t misc, struct raw r)
{
	int32_t pid = (int32_t)take_u32(&r), tid = (int32_t)take_u32(&r);
	uint64_t time_ns = trailer_time_ns(r);
	struct str comm = { r.p, r.p < r.end ? strnlen(r.p, (size_t)(r.end - r.p)) : 0 };
	if (misc & PERF_RECORD_MISC_COMM_EXEC)
		on_exec(f, pid, comm, time_ns);
	else if (pid == tid) /* it may be called as one that is wanted now */
		decide(f, get(f, pid), comm, time_ns);
}

/* Anybody can map a file of that name, as often as they like. */
static void note_starting(struct follow *f, int32_t pid)
{
	enum { MAX_STARTING = 32 };
	for (uint32_t i = 0; i < f->starting.n; i++)
		if (f->starting.p[i] == pid)
			return;
	if (f->starting.n < MAX_STARTING)
		vec_push(&f->starting, pid);
}

static void on_mapping(struct follow *f, struct raw r)
{
	struct process_mapping m = { 0 };
	int32_t pid = (int32_t)take_u32(&r);
	take_u32(&r); /* tid */
	m.start = take_u64(&r);
	m.end = m.start + take_u64(&r);
	m.offset = take_u64(&r);
	m.device_major = take_u32(&r);
	m.device_minor = take_u32(&r);
	m.inode = take_u64(&r);
	take_u64(&r); /* generation */
	m.protection = take_u32(&r);
	m.is_shared = take_u32(&r) & MAP_SHARED;
	if (r.p >= r.end)
		return;
	m.path = (struct str){ r.p, strnlen(r.p, (size_t)(r.end - r.p)) };
	if (str_eq(m.path, STR("//anon")))
		m.path = STR("");
	if (runtime_is_library(RUNTIME_JVM, m.path))
		note_starting(f, pid);
	held_files_add_mapping(f->held, pid, &m);
}

/* It may have had no command line for a moment; one that is gone is not looked for at every sample. */
static bool is_wanted(struct follow *f, struct known_process *known, uint64_t time_ns)
{
	enum { MAX_LOOKS = 3 };
	if (!f->is_filtered || known->is_wanted)
		return true;
	if (target_fit_is_undecided(known->fit) && known->looks < MAX_LOOKS) {
		known->looks++;
		decide(f, known, STR(""), time_ns);
	}
	return known->is_wanted;
}

/* Whether the session is to see it. */
static bool takes_sample(struct follow *f, struct raw r)
{
	take_u64(&r); /* identifier */
	take_u64(&r); /* ip */
	int32_t pid = (int32_t)take_u32(&r);
	take_u32(&r); /* tid */
	uint64_t time_ns = take_u64(&r);
	struct known_process *known = find(f, pid);
	if (!known || !known->is_described) {
		look_at_process(f, pid, time_ns);
		known = find(f, pid);
	}
	if (time_ns < f->begin_ns)
		return false;
	bool takes = is_wanted(f, known, time_ns);
	f->undecided += !takes && target_fit_is_undecided(known->fit);
	if (takes && f->is_filtered)
		want_javascript(f, known);
	return takes;
}

/* With a walker the kernel counts samples and its records as one: the recorder tells them apart. */
static bool takes_lost(struct follow *f, struct raw r)
{
	if (trailer_time_ns(r) < f->begin_ns)
		return false;
	if (!f->walker)
		return true;
	take_u64(&r); /* id */
	f->lost_records += take_u64(&r);
	return false;
}

/* Of whose record it is; pid of a FORK: the child's. */
struct record_owner {
	int32_t pid, parent;
};

static struct record_owner owner_of(const struct perf_event_header *h, const char *bytes)
{
	struct raw r = { bytes + sizeof(*h), bytes + h->size };
	struct record_owner o = { 0 };
	if (h->type == PERF_RECORD_SAMPLE) {
		take_u64(&r); /* identifier */
		take_u64(&r); /* ip */
	}
	o.pid = (int32_t)take_u32(&r);
	if (h->type == PERF_RECORD_FORK)
		o.parent = (int32_t)take_u32(&r);
	return o;
}

static bool tells_of_process(uint32_t type)
{
	return type == PERF_RECORD_SAMPLE || type == PERF_RECORD_FORK || type == PERF_RECORD_COMM ||
	       type == PERF_RECORD_MMAP2 || type == PERF_RECORD_EXIT;
}

/* What has this number now is somebody else's. */
static void forget_wanted(struct follow *f, int32_t pid)
{
	struct known_process *known = find(f, pid);
	if (known)
		known->is_wanted = known->is_left_out = false;
}

/*
 * Of those that were not asked for nothing is taken, not even that they are there. Their records are kept for a while:
 * that of their fork may come later.
 */
static bool is_strange(struct follow *f, const struct perf_event_header *h, const char *bytes)
{
	if (!f->is_family || !tells_of_process(h->type) ||
	    (h->type == PERF_RECORD_SAMPLE && v8_walker_wrote(f->walker, bytes)))
		return false;
	struct record_owner o = owner_of(h, bytes);
	bool is_birth = h->type == PERF_RECORD_FORK && o.pid != o.parent;
	int32_t pid = is_birth ? o.parent : o.pid;
	const struct known_process *known = find(f, pid);
	if (known && known->is_wanted)
		return false;
	if (is_birth)
		forget_wanted(f, o.pid);
	if (pid > 0) /* else in a pid namespace that cannot be seen from here */
		strangers_add(&f->strangers, pid, bytes);
	return true;
}

static void on_exit_of(struct follow *f, int32_t pid)
{
	struct known_process *known = find(f, pid);
	if (known)
		known->has_exited = true;
	held_files_end_process(f->held, pid);
}

static bool look_at(struct follow *f, const struct perf_event_header *h, const char *bytes)
{
	struct raw r = { bytes + sizeof(*h), bytes + h->size };
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		return !v8_walker_wrote(f->walker, bytes) && takes_sample(f, r);
	case PERF_RECORD_FORK:
		on_fork(f, r);
		break;
	case PERF_RECORD_COMM:
		on_comm(f, h->misc, r);
		break;
	case PERF_RECORD_MMAP2:
		on_mapping(f, r);
		break;
	case PERF_RECORD_EXIT: {
		int32_t pid = (int32_t)take_u32(&r);
		take_u32(&r); /* parent */
		if ((int32_t)take_u32(&r) == pid)
			on_exit_of(f, pid);
		break;
	}
	case PERF_RECORD_LOST:
		return takes_lost(f, r);
	default:
		break;
	}
	return true;
}

bool records_tell_of_fork(struct str records, int32_t tid)
{
	struct perf_event_header h;
	enum { TID_OFFSET = 8 };
	while (records.n >= sizeof(h)) {
		int32_t forked = 0;
		memcpy(&h, records.p, sizeof(h));
		if (h.size < sizeof(h) + TID_OFFSET + sizeof(tid) || h.size > records.n)
			return false;
		memcpy(&forked, records.p + sizeof(h) + TID_OFFSET, sizeof(forked));
		if (h.type == PERF_RECORD_FORK && forked == tid)
			return true;
		records = str_from_byte(records, h.size);
	}
	return false;
}

static void take_record(struct follow *f, const char *bytes, bool bytes_stay)
{
	struct perf_event_header h;
	memcpy(&h, bytes, sizeof(h));
	if (is_strange(f, &h, bytes))
		return;
	if (look_at(f, &h, bytes))
		perf_session_add_records(f->session, bytes, h.size, bytes_stay);
	if (!f->is_family || h.type != PERF_RECORD_FORK)
		return;
	struct strangers_place at = { 0 };
	int32_t child = owner_of(&h, bytes).pid;
	for (const char *record; (record = strangers_take(&f->strangers, child, &at));)
		take_record(f, record, true);
}

void follow_records(struct follow *f, const char *bytes, size_t n, bool bytes_stay)
{
	struct perf_event_header h;
	while (n >= sizeof(h)) {
		memcpy(&h, bytes, sizeof(h));
		if (h.size < sizeof(h) || h.size > n)
			return;
		take_record(f, bytes, bytes_stay);
		bytes += h.size;
		n -= h.size;
	}
}

/* Nobody has said for two rounds that it was forked from one that is wanted. */
static void leave_out(struct follow *f, int32_t pid)
{
	uint64_t ticks;
	struct known_process *known = get(f, pid);
	if (known->is_wanted || known->is_left_out)
		return;
	known->is_left_out = true;
	if (process_start_ticks(pid, &ticks))
		v8_walker_leave_out(f->walker, pid, ticks);
}

void follow_end_round(struct follow *f)
{
	const struct strange_records *old = &f->strangers.rounds[0];
	struct perf_event_header h;
	for (uint32_t i = 0; f->walker && i < old->n; i++) {
		if (!old->p[i].record)
			continue;
		memcpy(&h, old->p[i].record, sizeof(h));
		if (h.type == PERF_RECORD_SAMPLE)
			leave_out(f, old->p[i].pid);
	}
	strangers_end_round(&f->strangers);
}
