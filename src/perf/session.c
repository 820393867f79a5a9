/* A recording being read: records come in, in order they change what is known, samples become rows. */
#include "perf/perf_int.h"

#include <stdarg.h>
#include <time.h>

void perf_session_init(struct perf_session *s, const struct perf_options *options,
		       struct profile *p)
{
	*s = (struct perf_session){
		.p = p,
		.raw = profile_new(p->columns),
		.options = *options,
		.machine = EM_X86_64,
		.order = { .deliver = perf_session_deliver, .context = s },
		.mapped = { .options = &s->options },
		.locations = { .by_ip = options->keep_addresses },
		.recent = mem_zalloc(RECENT_LOCATIONS, sizeof(*s->recent)),
	};
	s->options.names.is_of_this_machine = perf_session_is_of_here(s);
	perf_processes_init(&s->processes, p);
	struct mapped kernel = { .kind = MAPPED_KERNEL, .path = STR("[kernel.kallsyms]") };
	s->kernel_id = mapped_table_get(&s->mapped, &kernel);
}

void perf_session_fini(struct perf_session *s)
{
	perf_events_fini(&s->events);
	perf_order_fini(&s->order);
	mapped_table_fini(&s->mapped);
	run_paths_fini(&s->run_paths);
	perf_processes_fini(&s->processes);
	locations_fini(&s->locations);
	free(s->recent);
	arena_fini(&s->text);
	vec_fini(&s->build_ids);
	index_map_fini(&s->build_id_map);
	vec_fini(&s->kernel_modules);
	vec_fini(&s->cgroups);
	vec_fini(&s->late);
	vec_fini(&s->witnesses);
	index_map_fini(&s->witness_map);
	buf_fini(&s->contradictions);
	index_map_fini(&s->cgroup_map);
	vec_fini(&s->stack.list);
	vec_fini(&s->stack_locations);
	free(s->unwound);
	location_names_free(s->names);
	vec_fini(&s->cut_at);
	vec_fini(&s->rooted_at);
	vec_fini(&s->deferred);
	vec_fini(&s->deferred_locations);
	profile_unref(s->raw);
}

void perf_session_bad_record(struct perf_session *s, uint64_t offset, const char *format, ...)
{
	struct ledger *l = &s->p->ledger;
	if (l->count[LEDGER_BAD_RECORDS]++ || l->first_bad_text)
		return;
	char line[240];
	va_list args;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	l->first_bad_offset = offset;
	l->first_bad_text = profile_add_str(s->p, str_from(line));
}

/* --- build ids of files, which the recording lists by path --- */

static bool build_id_equal(const void *rows, uint32_t i, const void *key)
{
	return str_eq(((const struct build_id_row *)rows)[i].path, *(const struct str *)key);
}

void perf_session_add_build_id(struct perf_session *s, struct str path, struct str build_id)
{
	uint32_t hash = hash_str(path);
	if (index_map_find(&s->build_id_map, hash, build_id_equal, s->build_ids.p, &path) !=
	    INDEX_NONE)
		return;
	index_map_add(&s->build_id_map, hash, s->build_ids.n);
	vec_push(&s->build_ids, (struct build_id_row){ arena_copy(&s->text, path),
						       arena_copy(&s->text, build_id) });
}

struct str perf_session_build_id(const struct perf_session *s, struct str path)
{
	uint32_t i = index_map_find(&s->build_id_map, hash_str(path), build_id_equal,
				    s->build_ids.p, &path);
	return i == INDEX_NONE ? STR("") : s->build_ids.p[i].build_id;
}

/* --- records --- */

void perf_session_queue(struct perf_session *s, const struct perf_record *r)
{
	uint64_t time_ns = perf_record_ids(&s->events, r).time_ns;
	/* What perf itself made up when it began has no time: it was so before all else. */
	if (time_ns == 0 || time_ns == UINT64_MAX)
		perf_session_deliver(s, r);
	else
		perf_order_add(&s->order, time_ns, r);
}

void perf_session_deliver(void *session, const struct perf_record *r)
{
	struct perf_session *s = session;
	if (r->type == PERF_RECORD_SAMPLE) {
		perf_session_sample(s, r);
		return;
	}
	if (s->writer)
		perf_data_write_record(s->writer, r);
	if (r->type == RECORD_CALLCHAIN_DEFERRED)
		perf_session_deferred(s, r);
	else
		perf_session_other(s, r);
}

/* --- the end --- */

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

/* How stacks were recorded, by the first event's description. */
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

static void add_notes(struct perf_session *s)
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
	uint64_t lost = s->lost_in_rings > s->lost_by_events ? s->lost_in_rings : s->lost_by_events;
	s->p->ledger.count[LEDGER_LOST] += lost - s->lost_in_ledger;
	s->lost_in_ledger = lost;
}

void perf_session_end(struct perf_session *s)
{
	perf_order_flush(&s->order);
	perf_session_end_deferred(s);
	for (uint32_t i = 0; i < s->mapped.list.n; i++) {
		struct mapped *m = &s->mapped.list.p[i];
		if (m->build_id.n)
			continue;
		m->build_id = perf_session_build_id(s, m->path);
		if (m->binary && m->build_id.n)
			binary_set_build_id(m->binary, m->build_id);
	}
	perf_session_note_lost(s);
	perf_session_add_facts(s);
	s->p->sampled_ns += s->last_ns - s->first_ns;
	add_notes(s);
	perf_session_name(s);
	perf_session_note_unverified(s);
	perf_session_note_budgets(s);
}
