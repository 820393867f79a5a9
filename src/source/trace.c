/*
 * Chrome's trace events: an array of them, or an object that has one. doc/formats/trace-event.md
 * describes what is read.
 */
#include "source/trace_int.h"

/* One event, read before it is known what it is: keys come in any order. */
struct event_read {
	uint64_t offset;
	bool has_keys, has_time;
	char phase; /* `ph`; 0: none */
	text_id name;
	struct trace_id pid, tid, id;
	int64_t time_ns, length_ns;
	struct buf argument_name;
	struct v8_profile chunk; /* of `args` */
	bool has_chunk;
};

/* --- keys --- */

static void read_id(struct trace *t, struct json *j, struct trace_id *id)
{
	struct str text;
	*id = (struct trace_id){ 0 };
	if (json_peek(j) != JSON_STRING) {
		json_number(j, 0, &id->number);
		return;
	}
	uint64_t number;
	if (!json_string(j, &text))
		return;
	if (str_to_u64(text, &number) && number <= INT64_MAX)
		id->number = (int64_t)number;
	else
		id->text = texts_add(&t->texts, text);
}

/* `id2` is an object with one id. */
static void read_id2(struct trace *t, struct json *j, struct trace_id *id)
{
	struct str key;
	if (json_object(j))
		while (json_key(j, &key))
			read_id(t, j, id);
}

/* A whole profile in one event has these keys, too. */
static bool read_times(struct trace *t, struct json *j, struct v8_profile *v, struct str key)
{
	if (str_eq(key, STR("timeDeltas")))
		v8_read_times(v, j, t->p);
	else if (str_eq(key, STR("startTime")))
		v->has_start = json_number(j, 3, &v->start_ns);
	else if (str_eq(key, STR("endTime")))
		v->has_end = json_number(j, 3, &v->end_ns);
	else
		return false;
	return true;
}

static void read_cpu_profile(struct trace *t, struct json *j, struct v8_profile *v)
{
	struct str key;
	if (!json_object(j))
		return;
	while (json_key(j, &key))
		if (str_eq(key, STR("nodes")))
			v8_read_nodes(v, j, t->p);
		else if (str_eq(key, STR("samples")))
			v8_read_samples(v, j);
		else if (!read_times(t, j, v, key))
			json_skip(j);
}

static void read_data(struct trace *t, struct json *j, struct event_read *e)
{
	struct str key;
	if (!json_object(j))
		return;
	while (json_key(j, &key))
		if (str_eq(key, STR("cpuProfile")))
			read_cpu_profile(t, j, &e->chunk);
		else if (!read_times(t, j, &e->chunk, key))
			json_skip(j);
}

static void read_arguments(struct trace *t, struct json *j, struct event_read *e)
{
	struct str key, text;
	if (!json_object(j))
		return;
	while (json_key(j, &key))
		if (str_eq(key, STR("name"))) {
			e->argument_name.n = 0;
			if (json_string(j, &text))
				buf_add(&e->argument_name, text);
		} else if (str_eq(key, STR("data"))) {
			read_data(t, j, e);
		} else {
			json_skip(j);
		}
}

static void read_key(struct trace *t, struct json *j, struct event_read *e, struct str key)
{
	struct str text;
	if (str_eq(key, STR("ph"))) {
		if (json_string(j, &text) && text.n)
			e->phase = text.p[0];
	} else if (str_eq(key, STR("name"))) {
		v8_read_text(&e->chunk, j, &e->name);
	} else if (str_eq(key, STR("ts"))) {
		e->has_time = json_number(j, 3, &e->time_ns);
	} else if (str_eq(key, STR("dur"))) {
		json_number(j, 3, &e->length_ns);
	} else if (str_eq(key, STR("pid"))) {
		read_id(t, j, &e->pid);
	} else if (str_eq(key, STR("tid"))) {
		read_id(t, j, &e->tid);
	} else if (str_eq(key, STR("id"))) {
		read_id(t, j, &e->id);
	} else if (str_eq(key, STR("id2"))) {
		read_id2(t, j, &e->id);
	} else if (str_eq(key, STR("args"))) {
		read_arguments(t, j, e);
	} else {
		json_skip(j);
	}
}

/* --- events --- */

static void on_metadata(struct trace *t, const struct event_read *e)
{
	struct str kind = texts_get(&t->texts, e->name);
	bool is_thread = str_eq(kind, STR("thread_name"));
	if (!e->argument_name.n || (!is_thread && !str_eq(kind, STR("process_name"))))
		return;
	text_id name = texts_add(&t->texts, buf_str(&e->argument_name));
	uint32_t owner =
		is_thread ? trace_find_thread(t, e->pid, e->tid) : trace_find_process(t, e->pid);
	if (is_thread)
		t->threads.p[owner].name = name;
	else
		t->processes.p[owner].name = name;
}

static bool fits(struct json *j, uint64_t *sum, uint32_t n, uint32_t most, const char *what)
{
	*sum += n;
	return !*sum || json_has_room(j, *sum - 1, most, what);
}

/* A file has many profiles, so the sum counts. */
static bool has_room(struct trace *t, struct json *j, const struct v8_profile *chunk)
{
	enum { MAX_PROFILES = 1 << 16 };
	return fits(j, &t->nodes, chunk->nodes.n, V8_MAX_NODES, "nodes") &&
	       fits(j, &t->edges, chunk->edges.n, V8_MAX_NODES, "children") &&
	       fits(j, &t->samples, chunk->samples.n, V8_MAX_SAMPLES, "samples") &&
	       fits(j, &t->times, chunk->times_ns.n, V8_MAX_SAMPLES, "times") &&
	       json_has_room(j, t->profiles.n, MAX_PROFILES, "profiles");
}

static void on_profile(struct trace *t, struct event_read *e)
{
	uint32_t thread = trace_find_thread(t, e->pid, e->tid);
	uint32_t profile = trace_find_profile(t, e->pid, e->id, thread);
	struct v8_profile *v = &t->profiles.p[profile].v;
	if (!v->has_start && !e->chunk.has_start && e->has_time) {
		v->has_start = true; /* the event that begins it is not there */
		v->start_ns = e->time_ns;
	}
	v8_profile_append(v, &e->chunk);
}

static void on_call(struct trace *t, struct json *j, const struct event_read *e)
{
	enum { MAX_CALLS = 1 << 24 };
	struct trace_call call = { .time_ns = e->time_ns,
				   .length_ns = e->length_ns,
				   .offset = e->offset,
				   .name = e->name };
	if (!e->has_time) {
		source_bad_record(t->p, e->offset, "a call has no time");
		return;
	}
	if (e->phase != 'X') {
		call.length_ns = e->phase == 'B' ? CALL_BEGINS : CALL_ENDS;
	} else if (call.length_ns < 0) {
		t->p->ledger.count[LEDGER_NEGATIVE]++;
		call.length_ns = 0;
	}
	if (!json_has_room(j, t->calls++, MAX_CALLS, "calls"))
		return;
	uint32_t thread = trace_find_thread(t, e->pid, e->tid);
	vec_push(&t->threads.p[thread].calls, call);
}

/* `Profile`, `ProfileChunk`; DevTools has saved whole ones as `CpuProfile`. */
static bool is_profile(const struct trace *t, const struct event_read *e)
{
	struct str name = texts_get(&t->texts, e->name);
	return str_eq(name, STR("ProfileChunk")) || str_eq(name, STR("Profile")) ||
	       (str_eq(name, STR("CpuProfile")) && e->chunk.nodes.n);
}

static void on_event(struct trace *t, struct json *j, struct event_read *e)
{
	int64_t end_ns = e->time_ns;
	if (e->phase == 'X' && e->length_ns > 0 &&
	    __builtin_add_overflow(e->time_ns, e->length_ns, &end_ns))
		end_ns = INT64_MAX;
	if (e->has_time && e->phase != 'M' && end_ns > t->end_ns)
		t->end_ns = end_ns;
	if (e->phase == 'B' || e->phase == 'E' || e->phase == 'X')
		on_call(t, j, e);
	else if (e->phase == 'M')
		on_metadata(t, e);
	else if (!e->phase)
		source_bad_record(t->p, e->offset, "an event has no phase");
	else if (!is_profile(t, e))
		t->p->ledger.count[LEDGER_OTHER_RECORDS]++;
	else if (has_room(t, j, &e->chunk))
		on_profile(t, e);
}

static void read_event(struct trace *t, struct json *j, struct event_read *e)
{
	struct str key;
	e->has_keys = e->has_time = false;
	e->phase = 0;
	e->name = 0;
	e->pid = e->tid = e->id = (struct trace_id){ 0 };
	e->time_ns = e->length_ns = 0;
	e->argument_name.n = 0;
	v8_profile_clear(&e->chunk);
	e->offset = json_offset(j);
	if (!json_object(j)) {
		if (!json_fault(j))
			source_bad_record(t->p, e->offset, "an event is not a JSON object");
		return;
	}
	while (json_key(j, &key)) {
		e->has_keys = true;
		read_key(t, j, e, key);
	}
	/* `{}` is what some writers put behind the last comma. */
	if (!json_fault(j) && e->has_keys)
		on_event(t, j, e);
}

static void read_events(struct trace *t, struct json *j)
{
	struct event_read e = { 0 };
	v8_profile_init(&e.chunk, &t->texts);
	if (json_array(j))
		while (json_element(j))
			read_event(t, j, &e);
	v8_profile_fini(&e.chunk);
	buf_fini(&e.argument_name);
}

/* --- the whole --- */

/* Writers append events until they end: the array's end is not needed, only an event's is. */
static bool is_whole(const struct json *j, bool is_array)
{
	return !json_fault(j) || (is_array && json_is_cut(j) && json_depth(j) == 1);
}

static void read_all(struct trace *t, struct json *j)
{
	struct str key;
	if (json_peek(j) == JSON_ARRAY) {
		read_events(t, j);
	} else if (json_object(j)) {
		while (json_key(j, &key))
			if (str_eq(key, STR("traceEvents")))
				read_events(t, j);
			else
				json_skip(j);
	}
	json_at_end(j);
}

/* A thread that two profilers watched at once has its time in both: the second is another event. */
static void add_profile(struct trace *t, struct trace_profile *profile, bool is_cut)
{
	AUTO(buf) struct buf event = { 0 };
	struct trace_thread *thread = &t->threads.p[profile->thread];
	struct v8_profile *v = &profile->v;
	bool is_beside = v->has_start && v->start_ns < thread->profiled_until_ns;
	buf_addf(&event, "cpu");
	if (is_beside)
		buf_addf(&event, "-%u", ++thread->profiles_beside + 1);
	v8_profile_finish(v, t->p,
			  &(struct v8_finish){ .thread = thread->id,
					       .event = buf_str(&event),
					       .is_cut = is_cut });
	for (uint32_t i = 0; i < v->times_ns.n; i++)
		if (v->times_ns.p[i] > thread->profiled_until_ns)
			thread->profiled_until_ns = v->times_ns.p[i];
}

static void trace_fini(struct trace *t)
{
	for (uint32_t i = 0; i < t->threads.n; i++)
		vec_fini(&t->threads.p[i].calls);
	for (uint32_t i = 0; i < t->profiles.n; i++)
		v8_profile_fini(&t->profiles.p[i].v);
	vec_fini(&t->threads);
	vec_fini(&t->processes);
	vec_fini(&t->profiles);
	index_map_fini(&t->thread_map);
	index_map_fini(&t->process_map);
	index_map_fini(&t->profile_map);
	texts_fini(&t->texts);
}

static void trace_read(struct reader *r, const struct source_options *options, struct profile *p)
{
	AUTO(trace) struct trace t = { .p = p, .end_ns = INT64_MIN };
	struct json *j = json_new(r);
	texts_add(&t.texts, STR(""));
	json_limit_rows(j, options->max_rows);
	json_allow_last_comma(j);
	bool is_array = json_peek(j) == JSON_ARRAY;
	read_all(&t, j);
	bool is_cut = !is_whole(j, is_array);
	trace_add_threads(&t);
	for (uint32_t i = 0; i < t.profiles.n; i++)
		add_profile(&t, &t.profiles.p[i], is_cut);
	trace_add_calls(&t);
	if (is_cut)
		source_json_damage(p, r, "Chrome trace events", j);
	json_free(j);
}

static unsigned trace_probe(struct str head)
{
	AUTO(buf) struct buf keys = { 0 };
	source_json_keys(head, &keys);
	if (keys.n && keys.p[0] == '[')
		return source_has_key(&keys, "ph") ? 95 : 0;
	if (source_has_key(&keys, "traceEvents"))
		return 95;
	/* What DevTools saves: the events stand behind a long description of the recording. */
	return source_has_key(&keys, "metadata") && str_find(head, STR("\"DevTools\"")) >= 0 ? 70
											     : 0;
}

const struct source_format trace_format = {
	.title = "Chrome trace events",
	.read = trace_read,
	.probe = trace_probe,
};
