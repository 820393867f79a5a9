/* The recording as a whole: what is opened, followed, named, and when. */
#include "record/record_int.h"

#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

struct recorder {
	struct record_options options;
	struct opened_events events;
	struct drain drain;
	struct perf_live live;
	struct perf_session *session;
	struct held_files *held;
	struct follow follow;
	struct jvm_maps *jvms;
	struct container_names containers;
	struct started_command command;
	struct profile *p;
	struct buf remarks;
	uint64_t start_ns, end_ns;
	uint64_t period_start_ns;	  /* of the profile at hand */
	struct perf_counts period_counts; /* ... when it began */
	uint64_t last_flush_ns, flush_cost_ns, last_look_ns;
	/* Records of this round and the one before: the session puts them in order where they are. */
	struct chunk *rounds[2];
	struct chunk *waiting;	   /* taken from the buffers, not looked at yet; oldest first */
	uint64_t used_ns;	   /* of CPU time, at the end */
	uint64_t dropped;	   /* samples in those that came too fast */
	struct event_counts early; /* before it began */
	uint64_t clock_samples;	   /* of this and earlier profiles */
	bool is_over, has_answer;
};

uint64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t wall_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* --- what the session asks --- */

static uint32_t live_map_state(void *context, int32_t pid, uint64_t time_ns)
{
	struct recorder *r = context;
	return held_files_map_state(r->held, pid, time_ns);
}

static bool live_read_map(void *context, int32_t pid, const struct jit_address *wanted, uint32_t n,
			  struct perf_map_names *names, struct map_search *search)
{
	struct recorder *r = context;
	return held_files_read_map(r->held, pid, &r->options.names, wanted, n, names, search);
}

static struct reader *live_open_file(void *context, int32_t pid, const char *path, struct err *e)
{
	struct recorder *r = context;
	return held_files_open_path(r->held, pid, path, e);
}

static bool live_is_there(void *context, int32_t tid)
{
	(void)context;
	return thread_is_there(tid);
}

static void live_needs_file(void *context, const struct binary_id *id)
{
	struct recorder *r = context;
	held_files_touch(r->held, id);
}

static void live_container(void *context, int32_t pid, struct buf *name)
{
	struct recorder *r = context;
	container_names_get(&r->containers, pid, name);
}

/* --- beginning --- */

static void add_event(struct recorder *r, uint32_t i)
{
	perf_session_add_event(r->session, &r->events.attrs.p[i],
			       r->options.events->list.p[i].name);
}

static void begin_session(struct recorder *r)
{
	r->options.names.open_held = held_files_open;
	r->options.names.held_root = held_files_root_path;
	r->options.names.held = r->held;
	r->options.names.is_of_this_machine = true;
	r->live = (struct perf_live){ .context = r,
				      .map_state = live_map_state,
				      .read_map = live_read_map,
				      .open_file = live_open_file,
				      .container = live_container,
				      .is_there = live_is_there,
				      .needs_file = live_needs_file };
	struct perf_options options = { .names = r->options.names,
					.keep_addresses = r->options.keep_addresses,
					.live = &r->live };
	r->session = perf_session_new(&options, r->p);
	for (uint32_t i = 0; i < r->events.attrs.n; i++)
		add_event(r, i);
	r->follow = (struct follow){ .options = &r->options,
				     .session = r->session,
				     .held = r->held,
				     .begin_ns = UINT64_MAX };
	r->jvms = jvm_maps_new(&r->follow);
}

static void note_events(struct recorder *r)
{
	for (uint32_t i = 0; i < r->events.list.n; i++)
		perf_session_add_event_id(r->session, r->events.list.p[i].id,
					  r->events.list.p[i].event);
}

static void write_to(struct recorder *r, struct perf_data_writer *w)
{
	AUTO_FREE uint64_t *ids = mem_alloc(r->events.list.n + 1, sizeof(*ids));
	for (uint32_t i = 0; i < r->events.attrs.n; i++) {
		uint32_t n = 0;
		for (uint32_t k = 0; k < r->events.list.n; k++)
			if (r->events.list.p[k].event == i)
				ids[n++] = r->events.list.p[k].id;
		perf_data_writer_add_event(w, &r->events.attrs.p[i],
					   r->options.events->list.p[i].name, ids, n);
	}
	perf_session_write_to(r->session, w);
}

/* What is in the buffers now. */
static void take_rings(struct recorder *r, struct buf *out)
{
	for (uint32_t i = 0; i < r->events.rings.n; i++) {
		struct ring *ring = &r->events.rings.p[i];
		uint64_t n = ring_waiting_bytes(ring);
		if (n)
			ring_take(ring, buf_reserve(out, n), n);
		out->n += n;
	}
}

static bool is_open(const struct recorder *r, int32_t tid)
{
	for (uint32_t i = 0; i < r->events.tids.n; i++)
		if (r->events.tids.p[i] == tid)
			return true;
	return false;
}

/*
 * Threads of a process that came while others were opened, from one that was not open yet. What came from
 * one that was has inherited its events; the kernel has told so.
 */
static bool open_late_threads_of(struct recorder *r, int32_t pid, struct buf *early, struct err *e)
{
	AUTO(buf) struct buf tids = { 0 };
	if (!target_threads(pid, &tids))
		return true;
	take_rings(r, early);
	for (size_t k = 0; k + sizeof(int32_t) <= tids.n; k += sizeof(int32_t)) {
		int32_t tid;
		memcpy(&tid, tids.p + k, sizeof(tid));
		if (!is_open(r, tid) && !records_tell_of_fork(buf_str(early), tid) &&
		    !open_events_of_thread(&r->events, &r->options, tid, e))
			return false;
	}
	return true;
}

/* Until there are none: those that are opened now may have made others meanwhile. */
static bool open_late_threads(struct recorder *r, struct buf *early, struct err *e)
{
	enum { MAX_TRIES = 8 };
	const struct target_choice *choice = r->options.choice;
	uint32_t before = 0;
	if (r->events.is_per_cpu || r->events.tids.n == 0 || r->options.no_inherit)
		return true;
	for (int i = 0; i < MAX_TRIES && r->events.tids.n > before; i++) {
		before = r->events.tids.n;
		for (uint32_t k = 0; k < choice->pids.n; k++)
			if (!open_late_threads_of(r, choice->pids.p[k], early, e))
				return false;
	}
	return true;
}

static void remark_on_kernel(struct recorder *r)
{
	if (r->events.lacks_kernel)
		buf_addf(&r->remarks,
			 "what the kernel does is not shown: this user may not see it; "
			 "sudo sysctl kernel.perf_event_paranoid=1 allows it, or run "
			 "plume with sudo\n");
}

static bool begin(struct recorder *r, struct err *e)
{
	const struct record_options *o = &r->options;
	AUTO(buf) struct buf early = { 0 };
	if (o->command && !command_prepare(&r->command, o->command, e))
		return false;
	int32_t target = o->is_command_timer ? 0 : r->command.pid;
	if (!open_events(&r->events, o, target, &r->remarks, e) ||
	    !open_late_threads(r, &early, e) || !drain_start(&r->drain, &r->events, e))
		return false;
	remark_on_kernel(r);
	r->held = held_files_new(0);
	begin_session(r);
	note_events(r);
	if (o->data)
		write_to(r, o->data);
	follow_begin(&r->follow, &r->events, target);
	follow_records(&r->follow, early.p, early.n, false);
	return true;
}

struct recorder *recorder_new(const struct record_options *options, struct profile *p,
			      struct err *e)
{
	struct recorder *r = mem_zalloc(1, sizeof(*r));
	r->options = *options;
	r->p = p;
	opened_events_init(&r->events);
	if (begin(r, e))
		return r;
	recorder_free(r);
	return NULL;
}

static uint64_t samples_in(const char *bytes, size_t n)
{
	struct perf_event_header h;
	uint64_t samples = 0;
	for (; n >= sizeof(h); bytes += h.size, n -= h.size) {
		memcpy(&h, bytes, sizeof(h));
		if (h.size < sizeof(h) || h.size > n)
			break;
		samples += h.type == PERF_RECORD_SAMPLE;
	}
	return samples;
}

/* What came too fast to be taken in is lost, and counted. */
static void drop_waiting(struct recorder *r)
{
	while (r->waiting) {
		struct chunk *c = r->waiting;
		r->waiting = c->next;
		r->dropped += samples_in(c->bytes, c->n);
		free(c);
	}
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	drop_waiting(r);
	for (unsigned i = 0; i < ARRAY_SIZE(r->rounds); i++)
		for (struct chunk *c = r->rounds[i], *next; c; c = next) {
			next = c->next;
			free(c);
		}
	drain_fini(&r->drain);
	opened_events_fini(&r->events);
	perf_session_free(r->session);
	jvm_maps_free(r->jvms);
	follow_fini(&r->follow);
	held_files_free(r->held);
	container_names_fini(&r->containers);
	command_fini(&r->command);
	buf_fini(&r->remarks);
	free(r);
}

/* --- facts --- */

static void add_number(struct profile *p, struct str key, uint64_t value)
{
	AUTO(buf) struct buf text = { 0 };
	buf_add_u64(&text, value);
	profile_add_fact(p, key, buf_str(&text));
}

static void add_stacks_fact(const struct recorder *r)
{
	AUTO(buf) struct buf text = { 0 };
	struct perf_counts c = perf_session_counts(r->session), before = r->period_counts;
	c.by_table -= before.by_table;
	c.by_both -= before.by_both;
	c.by_frame_pointer -= before.by_frame_pointer;
	buf_addf(&text, "by tables ");
	buf_add_percent(&text, c.by_table, c.by_table + c.by_both + c.by_frame_pointer);
	buf_addf(&text, ", by tables and then frame pointers ");
	buf_add_percent(&text, c.by_both, c.by_table + c.by_both + c.by_frame_pointer);
	buf_addf(&text, ", by frame pointers ");
	buf_add_percent(&text, c.by_frame_pointer, c.by_table + c.by_both + c.by_frame_pointer);
	if (c.by_table + c.by_both + c.by_frame_pointer)
		profile_add_fact(r->p, STR("user stacks"), buf_str(&text));
}

/* What is known when a profile begins is in it from then on, should plume be killed. */
static void begin_facts(struct recorder *r, uint64_t start_ns, uint64_t start_unix_ns)
{
	struct utsname here;
	struct profile *p = r->p;
	r->period_start_ns = start_ns;
	r->period_counts = perf_session_counts(r->session);
	if (r->options.command_line)
		profile_add_fact(p, STR("command"), str_from(r->options.command_line));
	profile_add_fact(p, STR("target"), str_from(r->options.choice->title));
	if (uname(&here) == 0) {
		profile_add_fact(p, STR("host"), str_from(here.nodename));
		profile_add_fact(p, STR("kernel"), str_from(here.release));
		profile_add_fact(p, STR("arch"), str_from(here.machine));
	}
	add_number(p, STR("cpus"), r->events.cpus.n);
	profile_add_fact(p, STR("plume"), STR(PLUME_VERSION));
	add_number(p, STR("started_unix_ns"), start_unix_ns);
}

static void end_facts(struct recorder *r, uint64_t end_ns)
{
	if (end_ns > r->period_start_ns)
		add_number(r->p, STR("duration_ns"), end_ns - r->period_start_ns);
	add_stacks_fact(r);
	jvm_maps_add_notes(r->jvms, r->p);
}

static struct event_counts event_counts(struct recorder *r)
{
	pthread_mutex_lock(&r->drain.lock);
	struct event_counts counts = opened_events_counts(&r->events);
	pthread_mutex_unlock(&r->drain.lock);
	counts.first -= r->early.first;
	counts.lost += r->dropped - r->early.lost;
	return counts;
}

bool recorder_start(struct recorder *r, struct err *e)
{
	r->start_ns = monotonic_ns() + r->options.delay_ns;
	r->last_flush_ns = r->start_ns;
	r->follow.begin_ns = r->start_ns;
	r->early = event_counts(r);
	begin_facts(r, r->start_ns, wall_ns() + r->options.delay_ns);
	if (r->command.pid)
		return command_go(&r->command, r->options.command[0], e);
	return true;
}

/* --- going on --- */

/* JVMs among the processes that came since the last look. */
static void look_for_jvms(struct recorder *r, uint64_t now_ns)
{
	if (r->options.no_attach)
		return;
	struct follow *f = &r->follow;
	for (uint32_t i = 0; i < f->described.n; i++)
		if (follow_wants(f, f->described.p[i]))
			jvm_maps_look_at(r->jvms, f->described.p[i]);
	for (uint32_t i = 0; i < f->starting.n; i++)
		if (follow_wants(f, f->starting.p[i]))
			jvm_maps_expect(r->jvms, f->starting.p[i], now_ns);
}

static void look_around(struct recorder *r)
{
	enum { LOOK_EVERY_NS = 50000000 };
	uint64_t now = monotonic_ns();
	if (now - r->last_look_ns < LOOK_EVERY_NS)
		return;
	r->last_look_ns = now;
	held_files_look(r->held, now);
	look_for_jvms(r, now);
	r->follow.described.n = r->follow.starting.n = 0;
	r->has_answer |= jvm_maps_go_on(r->jvms, now);
}

static void give_back(struct recorder *r, struct chunk *c)
{
	while (c) {
		struct chunk *next = c->next;
		drain_give_back(&r->drain, c);
		c = next;
	}
}

/* What the round before the last brought has been given on by now. */
static void end_round(struct recorder *r)
{
	look_around(r);
	perf_session_end_round(r->session);
	give_back(r, r->rounds[1]);
	r->rounds[1] = r->rounds[0];
	r->rounds[0] = NULL;
}

/* Takes in what waits, for so long: what a program does to be recorded must not keep us from ending. */
static void take_waiting(struct recorder *r, uint64_t until_ns)
{
	while (r->waiting && monotonic_ns() < until_ns) {
		struct chunk *c = r->waiting;
		r->waiting = c->next;
		if (c->n) {
			follow_records(&r->follow, c->bytes, c->n, true);
			c->next = r->rounds[0];
			r->rounds[0] = c;
		} else {
			end_round(r);
			free(c);
		}
	}
}

/* Only when all before is done with, so that what waits is bounded by what the drain keeps. */
static void wait_for_more(struct recorder *r, int timeout_ms)
{
	if (!r->waiting)
		r->waiting = drain_take(&r->drain, timeout_ms);
}

bool recorder_step(struct recorder *r, int timeout_ms)
{
	enum { STEP_NS = 100000000 };
	wait_for_more(r, timeout_ms);
	take_waiting(r, monotonic_ns() + STEP_NS);
	look_around(r);
	command_is_over(&r->command);
	pthread_mutex_lock(&r->drain.lock);
	r->is_over = r->drain.all_gone && !r->drain.first && !r->waiting;
	pthread_mutex_unlock(&r->drain.lock);
	return !r->is_over;
}

bool recorder_wants_flush(const struct recorder *r)
{
	enum { USUAL_NS = 1000000000, COST_TIMES = 20 };
	const uint64_t seldom_ns = 10000000000ull;
	uint64_t now = monotonic_ns(), since = now - r->last_flush_ns;
	if (now < r->start_ns)
		return false;
	if (r->has_answer)
		return true;
	/* The names of a JVM's code come some seconds later than the samples. */
	if (jvm_maps_has_any(r->jvms))
		return since > seldom_ns;
	uint64_t every = r->flush_cost_ns * COST_TIMES;
	return since > (every < USUAL_NS ? USUAL_NS : every);
}

static void flush(struct recorder *r, bool is_end)
{
	perf_session_set_lost(r->session, event_counts(r).lost);
	uint64_t before = monotonic_ns();
	uint32_t rows = r->p->samples.n;
	perf_session_flush(r->session, is_end);
	for (uint32_t i = rows; i < r->p->samples.n; i++)
		r->clock_samples += r->p->samples.event[i] == 0;
	r->last_flush_ns = monotonic_ns();
	r->flush_cost_ns = r->last_flush_ns - before;
	r->has_answer = false;
	held_files_forget_states(r->held, before - (before > 2000000000u ? 2000000000u : 0));
	if (r->follow.list.n > r->follow.forget_above)
		follow_forget_ended(&r->follow, r->last_flush_ns);
}

void recorder_flush(struct recorder *r)
{
	flush(r, false);
}

/* --- the end --- */

void recorder_end(struct recorder *r)
{
	const uint64_t last_ns = 5000000000ull;
	pthread_mutex_lock(&r->drain.lock);
	opened_events_stop(&r->events);
	pthread_mutex_unlock(&r->drain.lock);
	r->end_ns = monotonic_ns();
	r->used_ns = event_counts(r).first;
	command_end(&r->command);
	drain_stop(&r->drain);
	uint64_t until = monotonic_ns() + last_ns;
	take_waiting(r, until);
	drop_waiting(r);
	wait_for_more(r, 0);
	take_waiting(r, until);
	drop_waiting(r);
	jvm_maps_end(r->jvms);
	held_files_look(r->held, monotonic_ns());
	flush(r, true);
	end_facts(r, r->end_ns);
}

void recorder_set_profile(struct recorder *r, struct profile *p)
{
	uint64_t now = monotonic_ns();
	flush(r, true);
	end_facts(r, now);
	perf_session_set_profile(r->session, p);
	follow_forget_ended(&r->follow, monotonic_ns());
	jvm_maps_forget_ended(r->jvms);
	r->p = p;
	begin_facts(r, now, wall_ns() - (monotonic_ns() - now));
}

/* --- how it goes --- */

struct record_status recorder_status(struct recorder *r)
{
	uint64_t now = r->end_ns ? r->end_ns : monotonic_ns();
	struct record_status s = { .counts = perf_session_counts(r->session),
				   .elapsed_ns = now > r->start_ns ? now - r->start_ns : 0,
				   .processes = r->follow.list.n,
				   .undecided = r->options.choice->is_by_property
							? r->follow.undecided
							: 0,
				   .is_over = r->is_over,
				   .is_command_over = r->command.is_over && !r->command.was_ended,
				   .command_status = r->command.status };
	const struct record_event *first = &r->options.events->list.p[0];
	bool is_one = r->options.events->list.n == 1;
	uint64_t samples = is_one ? s.counts.samples : r->clock_samples;
	if (first->samples_time && first->attr.freq && s.elapsed_ns)
		s.sampled_ns = (uint64_t)((double)samples * 1e9 / (double)first->attr.sample_freq);
	s.used_ns = s.sampled_ns;
	bool counts_ns = first->samples_time && first->attr.type == PERF_TYPE_SOFTWARE;
	if (counts_ns && !r->events.is_per_cpu)
		s.used_ns = r->end_ns ? r->used_ns : event_counts(r).first;
	if (s.elapsed_ns)
		s.busy_cpus = (double)s.used_ns / (double)s.elapsed_ns;
	return s;
}

struct str recorder_remarks(const struct recorder *r)
{
	return buf_str(&r->remarks);
}
