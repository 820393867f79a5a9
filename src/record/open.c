/*
 * Opens the events. Threads get a descriptor per cpu, which their children inherit: the kernel has
 * no other way to write inherited events into a buffer. The whole machine and cgroups get one per
 * cpu. All descriptors of a cpu share its buffer.
 */
#include "record/collectors.h"
#include "record/permission.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- buffers (man 2 perf_event_open, "MMAP layout") --- */

static void *map_pages(int fd, uint64_t data_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	return mmap(NULL, page + data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* Maps the largest buffer up to size_bytes that the kernel allows. Returns false and sets errno on failure. */
static bool ring_map(struct ring *ring, int fd, uint64_t size_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = map_pages(fd, size_bytes);
	/* EPERM: above this user's limit for locked memory (kernel.perf_event_mlock_kb). */
	while (p == MAP_FAILED && (errno == EPERM || errno == ENOMEM) && size_bytes > page) {
		size_bytes /= 2;
		p = map_pages(fd, size_bytes);
	}
	if (p == MAP_FAILED)
		return false;
	*ring = (struct ring){ p, (char *)p + page, size_bytes, fd };
	return true;
}

static void ring_unmap(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size_bytes);
	ring->page = NULL;
}

/* --- life cycle --- */

void opened_events_init(struct opened_events *x, struct collecting *collecting)
{
	*x = (struct opened_events){ .collecting = collecting, .cgroup_fd = -1 };
}

void opened_events_fini(struct opened_events *x)
{
	for (uint32_t i = 0; i < x->rings.n; i++)
		ring_unmap(&x->rings.p[i]);
	for (uint32_t i = 0; i < x->list.n; i++)
		if (x->list.p[i].fd >= 0)
			close(x->list.p[i].fd);
	if (x->cgroup_fd >= 0)
		close(x->cgroup_fd);
	vec_fini(&x->list);
	vec_fini(&x->rings);
	vec_fini(&x->cpus);
	vec_fini(&x->attrs);
	vec_fini(&x->tids);
}

/* --- cpus --- */

/* The next range of `0-3,6`, as in /sys/devices/system/cpu/online. Returns false at the end. */
static bool next_range(char **text, long *first, long *last)
{
	char *p = *text;
	if (!is_digit(*p))
		return false;
	*first = strtol(p, &p, 10);
	*last = *p == '-' ? strtol(p + 1, &p, 10) : *first;
	*text = p + (*p == ',');
	return true;
}

static void find_cpus(struct opened_events *x)
{
	enum { MAX_CPUS = 4096 };
	AUTO(buf) struct buf text = { 0 };
	long first, last;
	text_file_setting("/sys/devices/system/cpu/online", &text);
	buf_c_string(&text);
	char *rest = text.p;
	while (next_range(&rest, &first, &last))
		for (long i = first; i <= last && x->cpus.n < MAX_CPUS; i++)
			vec_push(&x->cpus, (int)i);
	/* If /sys is not mounted. */
	long count = x->cpus.n ? 0 : sysconf(_SC_NPROCESSORS_ONLN);
	for (long i = 0; i < count; i++)
		vec_push(&x->cpus, (int)i);
	for (uint32_t i = 0; i < x->cpus.n; i++)
		vec_push(&x->rings, (struct ring){ .fd = -1 });
}

/* On hybrid CPUs, each kind of core has its own counters. */
static bool is_on_cpu(const struct record_event *event, int cpu)
{
	char *rest = event->cpus;
	long first, last;
	if (!rest)
		return true;
	while (next_range(&rest, &first, &last))
		if (cpu >= first && cpu <= last)
			return true;
	return false;
}

/* --- buffers --- */

static uint64_t round_up_to_power(uint64_t n)
{
	uint64_t power = 1;
	while (power < n)
		power *= 2;
	return power;
}

/* Room for half a second of samples, within limits per cpu and in total. */
static uint64_t ring_bytes(const struct opened_events *x, const struct record_options *o)
{
	enum { LEAST = 2 << 20, MOST = 16 << 20, CHAIN_BYTES = 1024 };
	const struct perf_event_attr *first = &x->attrs.p[0];
	uint64_t rate = first->freq ? first->sample_freq : 10000;
	uint64_t bytes = rate * (first->sample_stack_user + CHAIN_BYTES) / 2;
	uint64_t most = (256ull << 20) / x->cpus.n;
	if (o->buffer_pages)
		return (uint64_t)o->buffer_pages * (uint64_t)sysconf(_SC_PAGESIZE);
	if (bytes > most)
		bytes = most;
	return round_up_to_power(bytes < LEAST ? LEAST : bytes > MOST ? MOST : bytes);
}

static bool add_to_ring(struct opened_events *x, const struct record_options *o, int fd,
			uint32_t cpu_index, struct err *e)
{
	struct ring *ring = &x->rings.p[cpu_index];
	if (ring->page)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) == 0 ||
		       err_set(e, "cannot share an event buffer: %s", strerror(errno));
	if (!ring_map(ring, fd, ring_bytes(x, o))) {
		permission_explain(&(struct open_attempt){ .error = errno, .is_buffer = true }, e);
		return false;
	}
	return true;
}

/* --- per-cpu clocks --- */

/*
 * A clock inherited by a thread or child starts a new period: one that lives for less than a period
 * is never sampled, and its parent loses time as well, since the kernel hands the clock of one to
 * the other. If periods are shorter than lives, that does not matter.
 */
static bool misses_short_lives(const struct record_options *o)
{
	bool has_clock = false;
	for (uint32_t i = 0; i < o->events->list.n; i++)
		has_clock |= record_event_is_clock(&o->events->list.p[i]);
	return has_clock && !o->no_inherit;
}

/*
 * Whether sampling the whole machine is tolerable: at most this many samples per second and cpu. An
 * unrelated CPU-bound process loses 2 % at 1,000 Hz, 4 % at 2,000, 9 % at 5,000, and 18 % at 10,000
 * (a virtual machine with two cpus).
 */
static bool is_bearable(const struct record_event *event)
{
	enum { MOST_HZ = 2000, NS_PER_SECOND = 1000000000 };
	const struct perf_event_attr *attr = &event->attr;
	if (attr->type == PERF_TYPE_TRACEPOINT || attr->type > PERF_TYPE_RAW)
		return false;
	return attr->freq ? attr->sample_freq <= MOST_HZ
			  : record_event_is_clock(event) &&
				    attr->sample_period >= NS_PER_SECOND / MOST_HZ;
}

/* --- one descriptor --- */

static int perf_event_open(const struct perf_event_attr *attr, int pid, int cpu,
			   unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);
}

struct place {
	int pid; /* -1 for all; for a cgroup, its descriptor */
	uint32_t cpu_index;
	bool is_command; /* sampled from exec on */
	bool is_alone;	 /* without children */
	bool is_machine; /* pid does not name a process: a cpu or a cgroup */
};

static struct perf_event_attr attr_for(const struct opened_events *x,
				       const struct record_options *o, uint32_t event,
				       const struct place *at)
{
	struct perf_event_attr attr = x->attrs.p[event];
	attr.inherit = !at->is_machine && !o->no_inherit && !at->is_alone;
	attr.disabled = at->is_command;
	attr.enable_on_exec = at->is_command;
	if (x->lacks_kernel)
		attr.exclude_kernel = 1;
	attr.wakeup_watermark = (uint32_t)(ring_bytes(x, o) / 4);
	return attr;
}

static bool explain(const struct opened_events *x, const struct record_options *o, uint32_t event,
		    const struct place *at, int error, struct err *e)
{
	const struct perf_event_attr *attr = &x->attrs.p[event];
	struct open_attempt attempt = { .error = error,
					.pid = at->is_machine ? -1 : at->pid,
					.is_cgroup = x->cgroup_fd >= 0,
					.wants_kernel = attr->exclude_user,
					.rate_hz = attr->freq ? (uint32_t)attr->sample_freq : 0,
					.event = o->events->list.p[event].name };
	permission_explain(&attempt, e);
	return false;
}

/* The kernel may refuse options because it is too old or hides something: retries without them. */
static int open_as_allowed(struct opened_events *x, const struct record_options *o, uint32_t event,
			   const struct place *at)
{
	struct perf_event_attr attr = attr_for(x, o, event, at);
	unsigned long flags = x->cgroup_fd >= 0 ? PERF_FLAG_PID_CGROUP : 0;
	int cpu = x->cpus.p[at->cpu_index];
	int fd = perf_event_open(&attr, at->pid, cpu, flags);
	/* All must be opened alike: only the first may change the options. */
	if (fd >= 0 || x->list.n)
		return fd;
	if (errno == EINVAL && attr.read_format & READ_LOST) {
		for (uint32_t i = 0; i < x->attrs.n; i++)
			x->attrs.p[i].read_format &= ~READ_LOST;
		attr.read_format &= ~READ_LOST;
		fd = perf_event_open(&attr, at->pid, cpu, flags);
	}
	if (fd < 0 && (errno == EACCES || errno == EPERM) && !attr.exclude_kernel &&
	    !attr.exclude_user) {
		int error = errno;
		attr.exclude_kernel = 1;
		fd = perf_event_open(&attr, at->pid, cpu, flags);
		x->lacks_kernel = fd >= 0;
		errno = error;
	}
	return fd;
}

/* Opens one event in one place. Leaves errno as set by perf_event_open. */
static bool open_one(struct opened_events *x, const struct record_options *o, uint32_t event,
		     const struct place *at, struct err *e)
{
	int fd = open_as_allowed(x, o, event, at);
	int error = errno;
	if (fd < 0) {
		explain(x, o, event, at, error, e);
		errno = error;
		return false;
	}
	struct opened opened = { .fd = fd, .event = event };
	vec_push(&x->list, opened);
	ioctl(fd, PERF_EVENT_IOC_ID, &x->list.p[x->list.n - 1].id);
	errno = 0;
	if (!add_to_ring(x, o, fd, at->cpu_index, e))
		return false;
	collectors_attach(x->collecting, fd, x->cpus.p[at->cpu_index],
			  x->rings.p[at->cpu_index].fd);
	return true;
}

/* If a process is recorded by per-cpu clocks, its other events are opened on its threads. */
static bool belongs(const struct opened_events *x, const struct record_event *event,
		    const struct place *at)
{
	return !x->is_mixed || is_bearable(event) == at->is_machine;
}

static bool open_place(struct opened_events *x, const struct record_options *o, struct place at,
		       struct err *e)
{
	for (uint32_t c = 0; c < x->cpus.n; c++) {
		at.cpu_index = c;
		for (uint32_t i = 0; i < x->attrs.n; i++)
			if (belongs(x, &o->events->list.p[i], &at) &&
			    is_on_cpu(&o->events->list.p[i], x->cpus.p[c]) &&
			    !open_one(x, o, i, &at, e))
				return false;
	}
	return true;
}

/* --- threads --- */

bool open_events_of_thread(struct opened_events *x, const struct record_options *o, int32_t tid,
			   struct err *e)
{
	struct place at = { .pid = tid, .is_alone = o->choice->tids.n > 0 };
	errno = 0;
	if (open_place(x, o, at, e)) {
		vec_push(&x->tids, tid);
		return true;
	}
	/* The thread has ended meanwhile, which is normal. */
	if (errno != ESRCH)
		return false;
	*e = (struct err){ 0 };
	return true;
}

static bool list_threads(const struct record_options *o, struct buf *tids)
{
	for (uint32_t i = 0; i < o->choice->tids.n; i++)
		buf_add(tids, (struct str){ (const char *)&o->choice->tids.p[i], sizeof(int32_t) });
	for (uint32_t i = 0; i < o->choice->pids.n; i++) {
		AUTO(buf) struct buf own = { 0 };
		if (target_threads(o->choice->pids.p[i], &own))
			buf_add(tids, buf_str(&own));
	}
	return tids->n > 0;
}

static void raise_limit(struct rlimit *limit)
{
	getrlimit(RLIMIT_NOFILE, limit);
	if (limit->rlim_cur < limit->rlim_max) {
		limit->rlim_cur = limit->rlim_max;
		setrlimit(RLIMIT_NOFILE, limit);
	}
}

/* Too many for a descriptor per cpu each: records the whole machine and drops other processes. */
static bool needs_too_many(const struct opened_events *x, size_t threads)
{
	enum { KEPT_FOR_FILES = 512 };
	struct rlimit limit = { 0 };
	raise_limit(&limit);
	uint64_t need = (uint64_t)threads * x->cpus.n * x->attrs.n;
	return need + KEPT_FOR_FILES > limit.rlim_cur;
}

static bool open_everywhere(struct opened_events *x, const struct record_options *o, struct err *e)
{
	x->is_per_cpu = true;
	return open_place(x, o, (struct place){ .pid = x->cgroup_fd, .is_machine = true }, e);
}

static bool open_each(struct opened_events *x, const struct record_options *o,
		      const struct buf *tids, struct err *e)
{
	for (size_t i = 0; i < tids->n / sizeof(int32_t); i++) {
		int32_t tid;
		memcpy(&tid, tids->p + i * sizeof(tid), sizeof(tid));
		if (!open_events_of_thread(x, o, tid, e))
			return false;
	}
	return x->list.n > 0 || err_set(e, "%s has exited", o->choice->title);
}

static bool open_threads(struct opened_events *x, const struct record_options *o,
			 struct buf *remarks, struct err *e)
{
	AUTO(buf) struct buf tids = { 0 };
	if (!list_threads(o, &tids))
		return err_set(e, "%s has exited", o->choice->title);
	size_t n = tids.n / sizeof(int32_t);
	if (needs_too_many(x, n)) {
		buf_addf(remarks,
			 "%zu threads on %u cpus are too many to watch one by one: plume samples "
			 "the whole machine and drops other processes\n",
			 n, x->cpus.n);
		x->is_filtered = true;
		return open_everywhere(x, o, e);
	}
	return open_each(x, o, &tids, e);
}

static void close_all(struct opened_events *x)
{
	for (uint32_t i = 0; i < x->rings.n; i++)
		ring_unmap(&x->rings.p[i]);
	for (uint32_t i = 0; i < x->list.n; i++)
		close(x->list.p[i].fd);
	collectors_detach(x->collecting);
	x->list.n = 0;
	x->tids.n = 0;
	x->is_filtered = x->is_per_cpu = x->is_mixed = x->lacks_kernel = false;
}

/* --- a process and its descendants --- */

static bool are_bearable(const struct record_options *o)
{
	for (uint32_t i = 0; i < o->events->list.n; i++)
		if (!is_bearable(&o->events->list.p[i]))
			return false;
	return true;
}

/*
 * Events that would burden other processes, such as every page fault, are opened on the command or on the existing
 * threads only. A thread that starts at this very moment may lack them, but not the clock.
 */
static bool open_own_events(struct opened_events *x, const struct record_options *o, int32_t pid,
			    struct err *e)
{
	AUTO(buf) struct buf tids = { 0 };
	if (!x->is_mixed)
		return true;
	if (pid)
		return open_place(x, o, (struct place){ .pid = pid, .is_command = true }, e);
	return list_threads(o, &tids) && !needs_too_many(x, tids.n / sizeof(int32_t)) &&
	       open_each(x, o, &tids, e);
}

/*
 * Per-cpu clocks see even the shortest lives, so plume records the whole machine if that is permitted, and drops
 * other processes. The first event reports processes, so it must also cover all cpus. pid is that of a command, or 0.
 * Returns false, with nothing open, if this does not apply.
 */
static bool open_clocks_of_cpus(struct opened_events *x, const struct record_options *o,
				int32_t pid)
{
	struct err refused = { 0 };
	if (!misses_short_lives(o) || !is_bearable(&o->events->list.p[0]))
		return false;
	x->is_filtered = true;
	x->is_mixed = !are_bearable(o);
	if (open_everywhere(x, o, &refused) && !x->lacks_kernel &&
	    open_own_events(x, o, pid, &refused))
		return true;
	close_all(x);
	return false;
}

static bool open_processes(struct opened_events *x, const struct record_options *o,
			   struct buf *remarks, struct err *e)
{
	if (!o->choice->tids.n && open_clocks_of_cpus(x, o, 0))
		return true;
	return open_threads(x, o, remarks, e);
}

static bool open_command(struct opened_events *x, const struct record_options *o, int32_t pid,
			 struct err *e)
{
	return open_clocks_of_cpus(x, o, pid) ||
	       open_place(x, o, (struct place){ .pid = pid, .is_command = true }, e);
}

/* --- opening everything --- */

static bool open_cgroup(struct opened_events *x, const struct record_options *o, struct err *e)
{
	x->cgroup_fd = open(o->choice->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (x->cgroup_fd < 0)
		return err_set(e, "%s: %s", o->choice->cgroup, strerror(errno));
	return open_everywhere(x, o, e);
}

/* Selected by name or user: includes processes that start later, so plume records the whole machine if permitted. */
static bool open_by_property(struct opened_events *x, const struct record_options *o,
			     struct buf *remarks, struct err *e)
{
	x->is_filtered = true;
	if (open_everywhere(x, o, e))
		return true;
	if (!o->choice->pids.n)
		return false;
	close_all(x);
	*e = (struct err){ 0 };
	buf_addf(remarks, "plume records only the processes that run now and their children: it is "
			  "not allowed to watch the whole machine\n");
	return open_threads(x, o, remarks, e);
}

bool open_events(struct opened_events *x, const struct record_options *o, int32_t command_pid,
		 struct buf *remarks, struct err *e)
{
	find_cpus(x);
	x->stack_bytes = attributes_stack_bytes(o, x->cpus.n);
	for (uint32_t i = 0; i < o->events->list.n; i++) {
		vec_push(&x->attrs, o->events->list.p[i].attr);
		bool tells = i == 0 || o->events->list.p[i].cpus;
		attributes_complete(&x->attrs.p[i], o, tells, x->stack_bytes);
	}
	collectors_ask(x->collecting);
	if (command_pid)
		return open_command(x, o, command_pid, e);
	if (o->choice->cgroup)
		return open_cgroup(x, o, e);
	if (o->choice->is_everything)
		return open_everywhere(x, o, e);
	if (o->choice->is_by_property)
		return open_by_property(x, o, remarks, e);
	return open_processes(x, o, remarks, e);
}

static struct event_counts counts_of(const struct opened_events *x, const struct opened *opened)
{
	struct {
		uint64_t count, id, lost;
	} read_counts = { 0 };
	if (opened->fd < 0 || read(opened->fd, &read_counts, sizeof(read_counts)) <= 0)
		return (struct event_counts){ 0 };
	return (struct event_counts){ .first = opened->event == 0 ? read_counts.count : 0,
				      .lost = x->attrs.p[0].read_format & READ_LOST
						      ? read_counts.lost
						      : 0 };
}

struct event_counts opened_events_counts(const struct opened_events *x)
{
	struct event_counts all = x->closed;
	for (uint32_t i = 0; i < x->list.n; i++) {
		struct event_counts counts = counts_of(x, &x->list.p[i]);
		all.first += counts.first;
		all.lost += counts.lost;
	}
	return all;
}

void opened_close(struct opened_events *x, struct opened *opened)
{
	struct event_counts counts = counts_of(x, opened);
	x->closed.first += counts.first;
	x->closed.lost += counts.lost;
	close(opened->fd);
	opened->fd = -1;
}

void opened_events_stop(const struct opened_events *x)
{
	for (uint32_t i = 0; i < x->list.n; i++)
		if (x->list.p[i].fd >= 0)
			ioctl(x->list.p[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}
