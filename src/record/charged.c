/*
 * Compares the CPU time that the kernel charged to the targets with what their samples stand for. Threads and
 * children that have ended are included. What cannot be read reliably is left out, so the result is never too high.
 */
#include "record/collector.h"

#include <dirent.h>
#include <math.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000 };

struct charged_time {
	uint64_t own_ns;
	uint64_t kernel_ns;   /* its own; only if own_ns excludes it */
	uint64_t children_ns; /* of children that were waited for, and their descendants */
};

struct charged_process {
	int32_t pid, parent;
	struct charged_time begin, now;
	bool is_target; /* else a child that is not selected, so far */
	bool is_new;	/* it started while the recording ran */
	bool is_zombie, was_zombie, is_gone;
};

struct charge {
	struct collecting *collecting;
	uint32_t event; /* the clock event of its samples */
	enum { BY_NOTHING, BY_PROCESSES, BY_THREADS, BY_CGROUP, BY_COMMAND } way;
	bool is_user; /* the kernel is not sampled */
	const char *cgroup;
	VEC(struct charged_process) list; /* threads, if own_ns is per thread */
	uint64_t period_ns, begin_ns, last_look_ns;
	uint64_t begin_total_ns; /* of a cgroup, or of our children */
	uint64_t now_total_ns;
	bool is_first_period;
	uint64_t begin_kernel_ns, now_kernel_ns; /* the same, for our children */
	struct charged_time ended; /* new processes that have ended and left the list */
};

/* --- reading the kernel's accounting --- */

enum { MAX_TEXT_BYTES = 4096 };

/* In nanoseconds, where stat has ticks. */
static uint64_t exact_ns(int32_t pid, const struct process_status *s)
{
	clockid_t clock;
	uint64_t ns = clock_getcpuclockid(pid, &clock) == 0 ? clock_ns(clock) : 0;
	return ns ? ns : s->user_ns + s->kernel_ns;
}

static bool read_process(const struct charge *c, struct charged_process *p)
{
	struct process_status s;
	if (!process_stat_read("", p->pid, &s))
		return false;
	p->parent = s.parent;
	p->is_zombie = s.state == 'Z';
	p->now.own_ns = c->is_user ? s.user_ns - (s.guest_ns < s.user_ns ? s.guest_ns : s.user_ns)
				   : exact_ns(p->pid, &s);
	p->now.kernel_ns = c->is_user ? s.kernel_ns : 0;
	p->now.children_ns = s.children_ns;
	return true;
}

/* The first number is the time on a cpu (Documentation/scheduler/sched-stats.rst). */
static bool read_thread(struct charged_process *p)
{
	AUTO(buf) struct buf text = { 0 };
	process_file_read("", p->pid, "schedstat", MAX_TEXT_BYTES, &text);
	struct str rest = buf_str(&text);
	return str_to_u64(str_take_word(&rest), &p->now.own_ns);
}

/* cgroup v2 only: includes everything that was ever in it. Returns 0 if not known. */
static uint64_t cgroup_ns(const char *folder)
{
	AUTO(buf) struct buf path = { 0 }, text = { 0 };
	uint64_t us = 0;
	buf_addf(&path, "%s/cpu.stat", folder);
	text_file_read(buf_c_string(&path), MAX_TEXT_BYTES, &text);
	struct str rest = buf_str(&text), key = STR("usage_usec ");
	ptrdiff_t at = str_find(rest, key);
	if (at < 0)
		return 0;
	rest = str_from_byte(rest, (size_t)at + key.n);
	ptrdiff_t end = str_find_char(rest, '\n');
	str_to_u64(str_first(rest, end < 0 ? rest.n : (size_t)end), &us);
	return us * 1000;
}

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_usec * 1000;
}

/* Kernel time of our children that were waited for, and their descendants: the command is the only child. */
static uint64_t waited_kernel_ns(void)
{
	struct rusage u;
	getrusage(RUSAGE_CHILDREN, &u);
	return ns_of(u.ru_stime);
}

static uint64_t waited_ns(void)
{
	struct rusage u;
	getrusage(RUSAGE_CHILDREN, &u);
	return ns_of(u.ru_utime) + ns_of(u.ru_stime);
}

static uint64_t total_ns(const struct charge *c)
{
	return c->way == BY_CGROUP ? cgroup_ns(c->cgroup) : waited_ns();
}

/* --- which processes --- */

/* The process may have ended. */
static struct charged_process *find(struct charge *c, int32_t pid)
{
	for (uint32_t i = 0; i < c->list.n; i++)
		if (c->list.p[i].pid == pid)
			return &c->list.p[i];
	return NULL;
}

/*
 * Selected by name or user on the whole machine: children of selected processes may not be
 * selected, and a selected process may have been something else before.
 */
static bool is_by_property(const struct charge *c)
{
	return c->collecting->is_filtered && c->collecting->options->choice->is_by_property;
}

static bool was_target(const struct charge *c, int32_t pid)
{
	for (uint32_t i = 0; i < c->list.n; i++)
		if (c->list.p[i].pid == pid && c->list.p[i].is_target)
			return true;
	return false;
}

static void add_process(struct charge *c, int32_t pid, bool is_target, bool is_new)
{
	struct charged_process p = { .pid = pid, .is_target = is_target, .is_new = is_new };
	if (!(c->way == BY_THREADS ? read_thread(&p) : read_process(c, &p)))
		return;
	p.was_zombie = p.is_zombie;
	if (!is_new || is_by_property(c))
		p.begin = p.now;
	vec_push(&c->list, p);
}

/* Adds the processes known from records. */
static void add_known(struct charge *c, bool is_new)
{
	const struct collecting *all = c->collecting;
	for (uint32_t i = 0; i < all->processes.met.n; i++) {
		const struct known_process *known = all->processes.met.p[i];
		if (known->pid <= 0 || !process_is_wanted(all, known))
			continue;
		struct charged_process *p = find(c, known->pid);
		if (p)
			p->is_target = true;
		else if (!known->is_gone && !known->has_exited)
			add_process(c, known->pid, true, is_new);
	}
}

/* Children that started or ended earlier and are not selected: their parent will be charged for their whole lives. */
static void add_other_children(struct charge *c)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct process_status s;
	int32_t pid;
	while (dir && (entry = readdir(dir)))
		if (str_to_i32(str_from(entry->d_name), &pid) && pid > 0 && !find(c, pid) &&
		    process_stat_read("", pid, &s) && was_target(c, s.parent))
			add_process(c, pid, false, false);
	if (dir)
		closedir(dir);
}

/* --- sampling the accounting --- */

static void *charge_begin(struct collecting *collecting, unsigned number)
{
	struct charge *c = mem_zalloc(1, sizeof(*c));
	(void)number;
	c->collecting = collecting;
	c->is_first_period = true;
	return c;
}

/* Reads nothing if the result would not be reliable (-a, no clock among the events, -i). */
static void charge_start(void *state)
{
	struct charge *c = state;
	const struct record_options *r = c->collecting->options;
	const struct target_choice *choice = r->choice;
	while (c->event + 1 < r->events->list.n &&
	       !record_event_is_clock(&r->events->list.p[c->event]))
		c->event++;
	const struct record_event *clock = &r->events->list.p[c->event];
	c->cgroup = choice->cgroup;
	c->is_user =
		c->collecting->events->lacks_kernel || clock->attr.exclude_kernel || r->user_only;
	c->period_ns =
		clock->attr.freq ? NS_PER_S / clock->attr.sample_freq : clock->attr.sample_period;
	if (!record_event_is_clock(clock) || clock->attr.exclude_user || r->kernel_only ||
	    r->no_inherit)
		return;
	if (r->command && !r->is_command_timer)
		c->way = BY_COMMAND;
	else if (choice->cgroup)
		c->way = c->is_user ? BY_NOTHING : BY_CGROUP;
	else if (choice->tids.n)
		c->way = c->is_user ? BY_NOTHING : BY_THREADS;
	else if (choice->pids.n || choice->is_by_property)
		c->way = BY_PROCESSES;
}

static void charge_free(void *state)
{
	struct charge *c = state;
	vec_fini(&c->list);
	free(c);
}

/* Starts counting here. */
static void begin_period(struct charge *c, uint64_t now_ns)
{
	c->list.n = 0;
	c->ended = (struct charged_time){ 0 };
	c->begin_ns = c->last_look_ns = now_ns;
	c->begin_total_ns = c->now_total_ns = total_ns(c);
	c->begin_kernel_ns = c->now_kernel_ns = waited_kernel_ns();
	if (c->way == BY_THREADS) {
		const struct target_choice *choice = c->collecting->options->choice;
		for (uint32_t i = 0; i < choice->tids.n; i++)
			add_process(c, choice->tids.p[i], true, false);
	} else if (c->way == BY_PROCESSES || c->way == BY_COMMAND) {
		add_known(c, false);
		if (!is_by_property(c))
			add_other_children(c);
	}
}

/* Parents come first: if a child is waited for meanwhile, its time is missed rather than counted twice. */
static void look(struct charge *c)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < c->list.n; i++) {
		struct charged_process p = c->list.p[i];
		if (!p.is_gone)
			p.is_gone = !(c->way == BY_THREADS ? read_thread(&p) : read_process(c, &p));
		if (p.is_gone && p.is_new) {
			c->ended.own_ns += p.now.own_ns;
			c->ended.kernel_ns += p.now.kernel_ns;
		} else {
			c->list.p[kept++] = p;
		}
	}
	c->list.n = kept;
	if (c->way == BY_PROCESSES || c->way == BY_COMMAND)
		add_known(c, true);
	c->now_total_ns = total_ns(c);
	c->now_kernel_ns = waited_kernel_ns();
}

static bool charge_look(void *state, uint64_t now_ns)
{
	enum { OFTEN_NS = 50000000, FEW = 8 };
	struct charge *c = state;
	uint64_t every = c->list.n <= FEW ? OFTEN_NS : NS_PER_S;
	if (now_ns < c->collecting->start_ns)
		return false;
	if (!c->begin_ns) {
		begin_period(c, now_ns);
	} else if (c->way != BY_NOTHING && now_ns - c->last_look_ns >= every) {
		c->last_look_ns = now_ns;
		look(c);
	}
	return false;
}

static void charge_stop(void *state, uint64_t now_ns, bool is_part)
{
	struct charge *c = state;
	(void)is_part;
	if (!c->begin_ns || c->way == BY_NOTHING)
		return;
	c->last_look_ns = now_ns;
	look(c);
}

static void charge_next(void *state, uint64_t now_ns)
{
	struct charge *c = state;
	c->is_first_period = false;
	begin_period(c, now_ns);
}

/* --- the sum --- */

/* By the time of the processes themselves, as of the last reading. */
static int64_t sum_of_own(const struct charge *c)
{
	int64_t sum = (int64_t)c->ended.own_ns;
	for (uint32_t i = 0; i < c->list.n; i++)
		if (c->list.p[i].is_target)
			sum += (int64_t)(c->list.p[i].now.own_ns - c->list.p[i].begin.own_ns);
	return sum;
}

/*
 * Includes children that were waited for, whose time is charged to their parent from then on; the
 * time of other children is lost. Returns 0 if children that are not selected are among them.
 */
static int64_t sum_with_children(const struct charge *c)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < c->list.n; i++) {
		const struct charged_process *p = &c->list.p[i];
		bool is_parents = p->is_gone && was_target(c, p->parent);
		if (!p->is_target && p->is_gone && !p->was_zombie)
			return 0;
		if (p->is_target && !is_parents)
			sum += (int64_t)(p->now.own_ns + p->now.children_ns);
		if (p->is_target || is_parents)
			sum -= (int64_t)(p->begin.own_ns + p->begin.children_ns);
	}
	return sum;
}

/* The time that a command and its children had used before, which waiting for them includes. */
static int64_t sum_of_begin(const struct charge *c)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < c->list.n; i++)
		sum += (int64_t)(c->list.p[i].begin.own_ns + c->list.p[i].begin.children_ns);
	return sum;
}

static uint64_t charged_ns(const struct charge *c)
{
	int64_t own = sum_of_own(c), all = 0;
	if (!c->is_user && !is_by_property(c))
		all = sum_with_children(c);
	int64_t most = own > all ? own : all;
	int64_t total = (int64_t)(c->now_total_ns - c->begin_total_ns) - sum_of_begin(c);
	if (c->way == BY_CGROUP || (c->way == BY_COMMAND && !c->is_user && total > most))
		most = total;
	return most > 0 ? (uint64_t)most : 0;
}

/* Kernel time of the targets, which has no samples. */
static uint64_t kernel_ns(const struct charge *c)
{
	int64_t sum = (int64_t)c->ended.kernel_ns, waited = 0;
	for (uint32_t i = 0; i < c->list.n; i++)
		if (c->list.p[i].is_target)
			sum += (int64_t)(c->list.p[i].now.kernel_ns - c->list.p[i].begin.kernel_ns);
	if (c->way == BY_COMMAND && c->is_user)
		waited = (int64_t)(c->now_kernel_ns - c->begin_kernel_ns);
	int64_t most = sum > waited ? sum : waited;
	return most > 0 ? (uint64_t)most : 0;
}

/* How much may be missing without any fault: by chance, rounding, and lagging buffers. */
static uint64_t error_ns(const struct charge *c, uint64_t charged, bool is_part)
{
	enum { STANDARD_ERRORS = 3, LAG_NS = 200000000, USER_PERCENT = 50, PERCENT = 5 };
	uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK), rounded = 2 * tick_ns;
	uint64_t share = charged / 100 * (c->is_user ? USER_PERCENT : PERCENT);
	for (uint32_t i = 0; i < c->list.n; i++)
		rounded += c->list.p[i].now.children_ns ? 2 * tick_ns : 0;
	uint64_t chance =
		(uint64_t)(STANDARD_ERRORS * sqrt((double)charged * (double)c->period_ns)) +
		rounded;
	if (is_part && c->last_look_ns > c->begin_ns)
		chance += (uint64_t)((double)charged * LAG_NS /
				     (double)(c->last_look_ns - c->begin_ns));
	return share > chance ? share : chance;
}

struct charge_sum {
	uint64_t charged_ns, sampled_ns;
	uint64_t error_ns; /* how much may be missing by chance or rounding */
	/* If is_user: a lower bound on kernel time, which has no samples. */
	uint64_t kernel_ns;
};

/* samples are those of the clock. is_part: one of several files. Returns false if not known. */
static bool charge_sum(const struct charge *c, uint64_t samples, bool is_part,
		       struct charge_sum *out)
{
	*out = (struct charge_sum){ .charged_ns = charged_ns(c), .kernel_ns = kernel_ns(c) };
	bool has_any = out->charged_ns || out->kernel_ns;
	if (c->way == BY_NOTHING || !c->begin_ns || !has_any || !c->period_ns)
		return false;
	out->sampled_ns = samples * c->period_ns;
	out->error_ns = error_ns(c, out->charged_ns, is_part);
	return true;
}

static uint64_t samples_of_event(const struct profile *p, uint32_t event)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < p->samples.n; i++)
		n += p->samples.event[i] == event ? p->samples.count[i] : 0;
	return n;
}

/*
 * Notes whether samples account for all CPU time: readers of the profile may not have seen the
 * messages of the recording.
 */
static void charge_describe(void *state, struct profile *p, bool is_part)
{
	const struct charge *c = state;
	AUTO(buf) struct buf text = { 0 };
	struct charge_sum sum;
	uint64_t samples = samples_of_event(p, c->event);
	if (!charge_sum(c, samples, is_part || !c->is_first_period, &sum))
		return;
	uint64_t lost = p->ledger.count[LEDGER_LOST];
	uint64_t lost_ns = samples ? sum.sampled_ns / samples * lost : lost ? sum.charged_ns : 0;
	uint64_t error_ns = sum.error_ns + lost_ns;
	buf_addf(&text, "charged %llu sampled %llu error %llu clocks of %s%s",
		 (unsigned long long)sum.charged_ns, (unsigned long long)sum.sampled_ns,
		 (unsigned long long)error_ns,
		 c->collecting->events->is_per_cpu ? "cpus" : "threads", c->is_user ? " user" : "");
	if (c->is_user)
		buf_addf(&text, " kernel %llu", (unsigned long long)sum.kernel_ns);
	profile_add_fact(p, STR("cpu time"), buf_str(&text));
}

const struct collector charge_collector = {
	.begin = charge_begin,
	.start = charge_start,
	.look = charge_look,
	.stop = charge_stop,
	.describe = charge_describe,
	.next = charge_next,
	.free = charge_free,
};
