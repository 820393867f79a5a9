/* The recording as a whole: what happens when. */
#include "record/recorder_int.h"

struct recorder *recorder_new(const struct record_options *options, struct profile *p,
			      struct err *e)
{
	struct recorder *r = mem_zalloc(1, sizeof(*r));
	r->options = *options;
	r->p = p;
	opened_events_init(&r->events, &r->collecting);
	collecting_init(&r->collecting, &r->options, &r->events);
	if (recorder_open(r, e))
		return r;
	recorder_free(r);
	return NULL;
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	follow_fini(&r->follow);
	drain_fini(&r->drain);
	opened_events_fini(&r->events);
	collecting_fini(&r->collecting);
	perf_session_free(r->session);
	budgets_free(r->budgets);
	source_maps_free(r->source_maps);
	held_files_free(r->held);
	command_fini(&r->command);
	buf_fini(&r->remarks);
	free(r);
}

/* Before Linux 6.0 only the buffers report losses, with samples and collectors' records counted together. */
static uint64_t lost_in_buffers(const struct recorder *r)
{
	if (!r->collecting.shares_buffers || r->events.attrs.p[0].read_format & READ_LOST)
		return 0;
	uint64_t others = collectors_lost(&r->collecting);
	return r->follow.lost_records > others ? r->follow.lost_records - others : 0;
}

static struct event_counts event_counts(struct recorder *r)
{
	pthread_mutex_lock(&r->drain.lock);
	struct event_counts counts = opened_events_counts(&r->events);
	pthread_mutex_unlock(&r->drain.lock);
	counts.first -= r->early.first;
	counts.lost += lost_in_buffers(r) + r->follow.dropped - r->early.lost;
	return counts;
}

bool recorder_start(struct recorder *r, struct err *e)
{
	r->start_ns = clock_monotonic_ns() + r->options.delay_ns;
	r->last_flush_ns = r->start_ns;
	r->collecting.start_ns = r->start_ns;
	r->early = event_counts(r);
	recorder_begin_facts(r, r->start_ns, clock_realtime_ns() + r->options.delay_ns);
	collectors_look(&r->collecting, clock_monotonic_ns());
	if (r->command.pid)
		return command_go(&r->command, r->options.command[0], e);
	return true;
}

/* --- while running --- */

/*
 * Descriptors of threads signal their end; those of cpus do not. A buffer may still hold the fork
 * of a child, so all are read once more.
 */
static bool has_ended(struct recorder *r, uint64_t looks)
{
	enum { BEGUN_AND_ONE_MORE = 2 };
	if (!r->follow.is_family || (r->command.pid && !r->options.is_command_timer) ||
	    !follow_all_ended(&r->follow)) {
		r->gone_looks = 0;
		return false;
	}
	if (!r->gone_looks)
		r->gone_looks = looks + BEGUN_AND_ONE_MORE;
	return looks >= r->gone_looks;
}

bool recorder_step(struct recorder *r, int timeout_ms)
{
	enum { STEP_NS = 100000000 };
	follow_wait(&r->follow, timeout_ms);
	follow_take_in(&r->follow, clock_monotonic_ns() + STEP_NS);
	follow_look_around(&r->follow);
	command_is_over(&r->command);
	pthread_mutex_lock(&r->drain.lock);
	uint64_t looks = r->drain.looks;
	bool has_more = r->drain.first || r->follow.waiting, all_gone = r->drain.all_gone;
	pthread_mutex_unlock(&r->drain.lock);
	r->is_over = (has_ended(r, looks) || all_gone) && !has_more;
	return !r->is_over;
}

bool recorder_wants_flush(const struct recorder *r)
{
	enum { USUAL_NS = 1000000000, COST_TIMES = 20 };
	const uint64_t seldom_ns = 10000000000ull;
	uint64_t now = clock_monotonic_ns(), since = now - r->last_flush_ns;
	if (now < r->start_ns)
		return false;
	if (r->follow.has_names)
		return true;
	if (r->collecting.has_late_names)
		return since > seldom_ns;
	uint64_t every = r->flush_cost_ns * COST_TIMES;
	return since > (every < USUAL_NS ? USUAL_NS : every);
}

static void flush(struct recorder *r, bool is_end)
{
	perf_session_set_lost(r->session, event_counts(r).lost);
	uint64_t before = clock_monotonic_ns();
	uint32_t rows = r->p->samples.n;
	budgets_refill(r->budgets, before - r->last_flush_ns);
	perf_session_flush(r->session, is_end);
	for (uint32_t i = rows; i < r->p->samples.n; i++)
		r->clock_samples += r->p->samples.event[i] == 0;
	r->last_flush_ns = clock_monotonic_ns();
	r->flush_cost_ns = r->last_flush_ns - before;
	r->follow.has_names = false;
	held_files_forget_states(r->held, before - (before > 2000000000u ? 2000000000u : 0));
	if (r->collecting.processes.met.n > r->follow.forget_above)
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
	collectors_stop(&r->collecting, clock_monotonic_ns(), false);
	pthread_mutex_lock(&r->drain.lock);
	opened_events_stop(&r->events);
	pthread_mutex_unlock(&r->drain.lock);
	r->end_ns = clock_monotonic_ns();
	r->used_ns = event_counts(r).first;
	command_end(&r->command);
	drain_stop(&r->drain);
	uint64_t until = clock_monotonic_ns() + last_ns;
	follow_take_in(&r->follow, until);
	follow_drop_waiting(&r->follow);
	follow_wait(&r->follow, 0);
	follow_take_in(&r->follow, until);
	follow_drop_waiting(&r->follow);
	collectors_end(&r->collecting);
	held_files_look(r->held, clock_monotonic_ns());
	flush(r, true);
	recorder_end_facts(r, r->end_ns, false);
}

void recorder_set_profile(struct recorder *r, struct profile *p)
{
	uint64_t now = clock_monotonic_ns();
	collectors_stop(&r->collecting, now, true);
	flush(r, true);
	recorder_end_facts(r, now, true);
	perf_session_set_profile(r->session, p);
	collectors_next(&r->collecting, now);
	follow_forget_ended(&r->follow, clock_monotonic_ns());
	if (r->source_maps)
		source_maps_check_again(r->source_maps);
	r->p = p;
	recorder_begin_facts(r, now, clock_realtime_ns() - (clock_monotonic_ns() - now));
}

/* --- status --- */

uint64_t recorder_elapsed_ns(const struct recorder *r)
{
	uint64_t now = r->end_ns ? r->end_ns : clock_monotonic_ns();
	return now > r->start_ns ? now - r->start_ns : 0;
}

bool recorder_command_is_over(const struct recorder *r)
{
	return r->command.is_over && !r->command.was_ended;
}

struct record_status recorder_status(struct recorder *r)
{
	struct record_status s = { .counts = perf_session_counts(r->session),
				   .elapsed_ns = recorder_elapsed_ns(r),
				   .processes = r->collecting.processes.met.n,
				   .undecided = r->options.choice->is_by_property
							? r->follow.undecided
							: 0,
				   .is_over = r->is_over,
				   .is_command_over = recorder_command_is_over(r),
				   .was_command_ended = r->command.was_ended,
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
