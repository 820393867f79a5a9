/* A recording in the making: the session as a recorder uses it. */
#include "perf/perf_int.h"

#include <sys/utsname.h>

/* It is of this machine, whatever else is known of it. */
static void set_machine(struct perf_session *s)
{
	struct utsname here;
	AUTO(buf) struct buf build_id = { 0 };
	if (uname(&here) == 0) {
		s->host = arena_copy(&s->text, str_from(here.nodename));
		s->kernel.release = arena_copy(&s->text, str_from(here.release));
	}
	kernel_running_build_id(&build_id);
	s->kernel.build_id = arena_copy(&s->text, buf_str(&build_id));
	s->options.names.is_of_this_machine = true;
}

struct perf_session *perf_session_new(const struct perf_options *options, struct profile *p)
{
	struct perf_session *s = mem_alloc(1, sizeof(*s));
	perf_session_init(s, options, p);
	set_machine(s);
	return s;
}

void perf_session_free(struct perf_session *s)
{
	if (!s)
		return;
	perf_session_fini(s);
	free(s);
}

struct perf_events *perf_session_events(struct perf_session *s)
{
	return &s->events;
}

void perf_session_add(struct perf_session *s, const struct perf_record *r, bool bytes_stay)
{
	s->order.keeps_bytes = bytes_stay;
	perf_session_queue(s, r);
}

void perf_session_add_records(struct perf_session *s, struct str records)
{
	struct perf_records left = perf_records_of(records.p, records.n);
	struct perf_record r;
	while (perf_records_next(&left, &r))
		perf_session_add(s, &r, false);
}

void perf_session_end_round(struct perf_session *s)
{
	s->order.keeps_bytes = true; /* what was copied is little: it stays, too */
	perf_order_end_round(&s->order);
}

/* What is only needed to name the next samples may grow so far, then it is begun anew. */
enum { MAX_LOCATIONS = 1 << 19, MAX_RAW_NODES = 1 << 21, MAX_ENDED = 1 << 10 };

static void begin_raw(struct perf_session *s)
{
	unsigned columns = s->raw->columns;
	profile_unref(s->raw);
	s->raw = profile_new(columns);
	locations_fini(&s->locations);
	s->locations = (struct locations){ .by_ip = s->options.keep_addresses };
	memset(s->recent, 0, RECENT_LOCATIONS * sizeof(*s->recent));
	perf_session_forget_names(s);
}

/* Rows that are in the profile are not needed any more; stacks are, for the next ones. */
static void drop_rows(struct perf_session *s)
{
	s->raw->samples.n = 0;
	s->rooted_at.n = 0;
	s->cut_at.n = 0;
	if (s->locations.list.n > MAX_LOCATIONS || s->raw->nodes.n > MAX_RAW_NODES)
		begin_raw(s);
	if (s->processes.ended > MAX_ENDED)
		perf_processes_forget_ended(&s->processes);
}

void perf_session_flush(struct perf_session *s, bool is_end)
{
	if (is_end) {
		perf_order_flush(&s->order);
		perf_session_end_deferred(s);
	}
	perf_session_read_jitdumps(s);
	late_names_find(s);
	perf_session_note_lost(s);
	if (is_end && s->writer && s->lost_in_ledger) /* perf report counts no other */
		perf_data_write_lost(s->writer, s->lost_in_ledger);
	if (is_end)
		perf_session_add_facts(s);
	perf_session_name(s);
	if (is_end) {
		late_names_end(s);
		perf_session_note_unverified(s);
		perf_session_note_budgets(s);
	}
	drop_rows(s);
}

void perf_session_set_profile(struct perf_session *s, struct profile *p)
{
	const struct perf_live *live = s->options.live;
	if (live && live->is_there)
		perf_processes_end_missing(&s->processes, live);
	perf_processes_forget_ended(&s->processes);
	perf_processes_set_profile(&s->processes, p);
	for (uint32_t i = 0; i < s->cgroups.n; i++)
		s->cgroups.p[i].path = profile_add_str(p, profile_str(s->p, s->cgroups.p[i].path));
	for (uint32_t i = 0; i < s->events.list.n; i++)
		s->events.list.p[i].samples = 0;
	s->p = p;
	s->first_ns = s->last_ns = 0;
	begin_raw(s);
	mapped_table_forget_unused(&s->mapped, &s->processes);
	s->has_found = false; /* numbers have changed */
}

void perf_session_set_lost(struct perf_session *s, uint64_t samples)
{
	s->lost_by_events = samples;
}

struct perf_counts perf_session_counts(const struct perf_session *s)
{
	struct perf_counts counts = s->counts;
	counts.lost = s->lost_in_rings > s->lost_by_events ? s->lost_in_rings : s->lost_by_events;
	return counts;
}

struct str perf_session_contradictions(const struct perf_session *s)
{
	return buf_str(&s->contradictions);
}
