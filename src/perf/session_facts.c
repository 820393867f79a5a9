/* What a profile says about its recording besides samples: events, how stacks were made, losses, notes. */
#include "perf/perf_int.h"

#include <time.h>

static void add_event_facts(struct perf_session *s)
{
	AUTO(buf) struct buf text = { 0 };
	for (uint32_t i = 0; i < s->events.list.n; i++) {
		const struct perf_event *event = &s->events.list.p[i];
		text.n = 0;
		perf_event_describe(event, &text);
		buf_addf(&text, event->is_rate ? ", %llu Hz" : ", every %llu",
			 (unsigned long long)event->period);
		profile_add_fact(s->p, STR("event"), buf_str(&text));
	}
}

static void add_copies(struct buf *out, uint32_t bytes)
{
	buf_add(out, STR("unwind tables ("));
	buf_add_grouped(out, bytes);
	buf_add(out, STR(" bytes of each stack copied), else frame pointers"));
}

/* How stacks were recorded, according to the first event. */
static void add_call_graph_fact(struct perf_session *s)
{
	AUTO(buf) struct buf text = { 0 };
	enum { BRANCH_CALL_STACK = 1 << 11 };
	if (!s->events.list.n)
		return;
	const struct perf_event *event = &s->events.list.p[0];
	if (s->options.live && event->sample_type & PERF_SAMPLE_STACK_USER)
		add_copies(&text, event->copied_stack_bytes);
	else if (event->sample_type & PERF_SAMPLE_STACK_USER)
		buf_addf(&text, "dwarf, %u bytes", event->copied_stack_bytes);
	else if (event->branch_type & BRANCH_CALL_STACK)
		buf_addf(&text, "lbr");
	else if (event->sample_type & PERF_SAMPLE_CALLCHAIN)
		buf_addf(&text, "frame pointers");
	else
		buf_addf(&text, "none");
	profile_add_fact(s->p, STR("call graph"), buf_str(&text));
}

static void note_clock(struct perf_session *s)
{
	bool has_jitdump = false;
	for (uint32_t i = 0; i < s->mapped.list.n; i++)
		has_jitdump |= s->mapped.list.p[i].jitdump != NULL;
	if (has_jitdump && s->events.list.n && s->events.list.p[0].clock != CLOCK_MONOTONIC)
		profile_add_note(
			s->p,
			STR("the jitdump and the recording use different clocks: where code shared "
			    "an address, the newest is shown; record with perf record -k mono"));
}

void perf_session_add_notes(struct perf_session *s)
{
	note_clock(s);
	if (!s->host.n && !s->kernel.release.n && !s->is_unfinished)
		profile_add_note(
			s->p, STR("the recording does not say which machine it comes from, so "
				  "names are not taken from this machine's kernel and processes"));
	AUTO(buf) struct buf text = { 0 };
	if (s->aux_records) {
		buf_add_grouped(&text, s->aux_records);
		buf_addf(&text,
			 " hardware trace (AUX) records were skipped: plume reads only samples");
		profile_add_note(s->p, buf_str(&text));
	}
	if (s->other_abi) {
		text.n = 0;
		buf_add_grouped(&text, s->other_abi);
		buf_addf(&text, " samples copied the stack of another architecture or of 32-bit "
				"code, which plume does not unwind");
		profile_add_note(s->p, buf_str(&text));
	}
}

void perf_session_add_facts(struct perf_session *s)
{
	add_event_facts(s);
	add_call_graph_fact(s);
}

void perf_session_note_lost(struct perf_session *s)
{
	uint64_t lost = s->lost.in_rings > s->lost.by_events ? s->lost.in_rings : s->lost.by_events;
	s->p->ledger.count[LEDGER_LOST] += lost - s->lost.in_ledger;
	s->lost.in_ledger = lost;
}
