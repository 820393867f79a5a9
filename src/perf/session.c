/* A recording while it is read: records arrive, update the state in order, and samples become rows. */
#include "perf/perf_int.h"

#include <stdarg.h>
#include <sys/utsname.h>

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
	vec_fini(&s->build_ids.list);
	index_map_fini(&s->build_ids.map);
	vec_fini(&s->kernel_modules);
	vec_fini(&s->cgroups.list);
	vec_fini(&s->late);
	vec_fini(&s->witnesses.list);
	index_map_fini(&s->witnesses.map);
	buf_fini(&s->witnesses.contradictions);
	index_map_fini(&s->cgroups.map);
	vec_fini(&s->stack.list);
	vec_fini(&s->stack.locations);
	free(s->stack.unwound);
	location_names_free(s->names);
	vec_fini(&s->ends.cut);
	vec_fini(&s->ends.rooted);
	vec_fini(&s->deferred.list);
	vec_fini(&s->deferred.locations);
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

/* --- build ids of files, listed by path in the recording --- */

static bool build_id_equal(const void *rows, uint32_t i, const void *key)
{
	return str_eq(((const struct build_id_row *)rows)[i].path, *(const struct str *)key);
}

void perf_session_add_build_id(struct perf_session *s, struct str path, struct str build_id)
{
	uint32_t hash = hash_str(path);
	if (index_map_find(&s->build_ids.map, hash, build_id_equal, s->build_ids.list.p, &path) !=
	    INDEX_NONE)
		return;
	index_map_add(&s->build_ids.map, hash, s->build_ids.list.n);
	vec_push(&s->build_ids.list, (struct build_id_row){ arena_copy(&s->text, path),
							    arena_copy(&s->text, build_id) });
}

struct str perf_session_build_id(const struct perf_session *s, struct str path)
{
	uint32_t i = index_map_find(&s->build_ids.map, hash_str(path), build_id_equal,
				    s->build_ids.list.p, &path);
	return i == INDEX_NONE ? STR("") : s->build_ids.list.p[i].build_id;
}

/* --- order: a natural merge sort --- */

/* Beyond this, records are passed on before the end of a round. */
enum { MAX_WAITING_BYTES = 128 << 20, MAX_WAITING = 1 << 20 };

void perf_order_fini(struct perf_order *o)
{
	vec_fini(&o->queue);
	vec_fini(&o->scratch);
	arena_fini(&o->bytes);
}

static void copy(struct perf_order *o, struct perf_record *r)
{
	r->bytes = arena_copy(&o->bytes, (struct str){ r->bytes, r->size }).p;
}

void perf_order_add(struct perf_order *o, uint64_t time_ns, const struct perf_record *r)
{
	struct queued_record q = { time_ns, *r };
	if (!o->keeps_bytes) {
		if (o->bytes.total_bytes > MAX_WAITING_BYTES || o->queue.n >= MAX_WAITING)
			perf_order_flush(o);
		copy(o, &q.record);
	}
	if (time_ns > o->round_max_ns)
		o->round_max_ns = time_ns;
	vec_push(&o->queue, q);
}

/* Merges from[start..middle) and from[middle..end) into `to`; stable. */
static void merge(const struct queued_record *from, struct queued_record *to, uint32_t start,
		  uint32_t middle, uint32_t end)
{
	uint32_t a = start, b = middle;
	for (uint32_t i = start; i < end; i++) {
		bool takes_first = b == end || (a < middle && from[a].time_ns <= from[b].time_ns);
		to[i] = from[takes_first ? a++ : b++];
	}
}

/* The end of the sorted run that begins at start. */
static uint32_t run_end(const struct queued_record *list, uint32_t start, uint32_t n)
{
	uint32_t end = start + 1;
	while (end < n && list[end - 1].time_ns <= list[end].time_ns)
		end++;
	return end;
}

/* Merges pairs of runs in one pass over the queue. Returns false if it was a single run already. */
static bool merge_runs(struct perf_order *o)
{
	uint32_t n = o->queue.n;
	if (!n || run_end(o->queue.p, 0, n) == n)
		return false;
	vec_reserve(&o->scratch, n);
	for (uint32_t start = 0; start < n;) {
		uint32_t middle = run_end(o->queue.p, start, n);
		uint32_t end = middle < n ? run_end(o->queue.p, middle, n) : middle;
		merge(o->queue.p, o->scratch.p, start, middle, end);
		start = end;
	}
	struct queued_record *sorted = o->scratch.p;
	uint32_t capacity = o->scratch.capacity;
	o->scratch.p = o->queue.p;
	o->scratch.capacity = o->queue.capacity;
	o->queue.p = sorted;
	o->queue.capacity = capacity;
	return true;
}

/* Moves waiting records into new memory, so that the old can be freed. */
static void compact(struct perf_order *o)
{
	struct arena old = o->bytes;
	o->bytes = (struct arena){ 0 };
	for (uint32_t i = 0; i < o->queue.n; i++)
		copy(o, &o->queue.p[i].record);
	arena_fini(&old);
}

static void give_until(struct perf_order *o, uint64_t limit_ns)
{
	uint32_t given = 0;
	while (merge_runs(o))
		;
	for (; given < o->queue.n && o->queue.p[given].time_ns <= limit_ns; given++)
		o->deliver(o->context, &o->queue.p[given].record);
	memmove(o->queue.p, o->queue.p + given, (o->queue.n - given) * sizeof(*o->queue.p));
	o->queue.n -= given;
	if (!o->keeps_bytes)
		compact(o);
}

void perf_order_end_round(struct perf_order *o)
{
	if (o->queue.n)
		give_until(o, o->last_max_ns);
	o->last_max_ns = o->round_max_ns;
}

void perf_order_flush(struct perf_order *o)
{
	if (o->queue.n)
		give_until(o, UINT64_MAX);
}

/* --- records --- */

void perf_session_queue(struct perf_session *s, const struct perf_record *r)
{
	uint64_t time_ns = perf_record_ids(&s->events, r).time_ns;
	/* Records made up by perf at its start have no time: they describe the state before everything else. */
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

/* --- a complete file --- */

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
	perf_session_add_notes(s);
	perf_session_name(s);
	perf_session_note_unverified(s);
	perf_session_note_budgets(s);
}

/* --- live recordings --- */

/* It is from this machine, whatever else is known. */
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
	s->order.keeps_bytes = true; /* copies are few, so they also stay */
	perf_order_end_round(&s->order);
}

/* Limits on what is kept only to name later samples; beyond them, it is discarded. */
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

/* Rows that are in the profile are no longer needed; stacks are, for later rows. */
static void drop_rows(struct perf_session *s)
{
	s->raw->samples.n = 0;
	s->ends.rooted.n = 0;
	s->ends.cut.n = 0;
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
	if (is_end && s->writer && s->lost.in_ledger) /* the only count that perf report uses */
		perf_data_write_lost(s->writer, s->lost.in_ledger);
	perf_session_add_facts(s); /* at once: whoever follows the file wants to know the rate */
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
	perf_processes_end_missing(&s->processes, s->options.names.processes);
	perf_processes_forget_ended(&s->processes);
	perf_processes_set_profile(&s->processes, p);
	for (uint32_t i = 0; i < s->cgroups.list.n; i++)
		s->cgroups.list.p[i].path =
			profile_add_str(p, profile_str(s->p, s->cgroups.list.p[i].path));
	for (uint32_t i = 0; i < s->events.list.n; i++)
		s->events.list.p[i].samples = 0;
	s->p = p;
	s->first_ns = s->last_ns = 0;
	begin_raw(s);
	mapped_table_forget_unused(&s->mapped, &s->processes);
	s->found.is_known = false; /* indices have changed */
}

void perf_session_set_lost(struct perf_session *s, uint64_t samples)
{
	s->lost.by_events = samples;
}

struct perf_counts perf_session_counts(const struct perf_session *s)
{
	struct perf_counts counts = s->counts;
	counts.lost = s->lost.in_rings > s->lost.by_events ? s->lost.in_rings : s->lost.by_events;
	return counts;
}

struct str perf_session_contradictions(const struct perf_session *s)
{
	return buf_str(&s->witnesses.contradictions);
}
