/* One profile of a speedscope file, sampled or evented: its stacks and weights become rows. */
#include "source/json_parts.h"
#include "source/speedscope_int.h"

/* What weights are in. A unit of time becomes ns. */
static const struct unit {
	struct str name;
	struct str event, model_unit;
	bool is_time;
	unsigned decimals; /* of ns, or those that are kept */
} units[] = {
	{ STR("none"), STR("samples"), STR("samples"), false, 6 },
	{ STR("nanoseconds"), STR("time"), STR("ns"), true, 0 },
	{ STR("microseconds"), STR("time"), STR("ns"), true, 3 },
	{ STR("milliseconds"), STR("time"), STR("ns"), true, 6 },
	{ STR("seconds"), STR("time"), STR("ns"), true, 9 },
	{ STR("bytes"), STR("bytes"), STR("bytes"), false, 6 },
};

enum { MAX_DECIMALS = 9 };

/* A call that has begun. */
struct open_call {
	uint32_t frame;
	node_id node;
};

struct profile_part {
	struct speedscope *s;
	uint64_t offset;
	struct buf name;
	const struct unit *unit; /* NULL: not known yet */
	struct json_decimal start, end;
	VEC(node_id) stacks;
	struct column weights;
	uint64_t cut_samples;

	/* Evented: stacks and weights are made of intervals between events. */
	bool is_evented;
	unsigned event_decimals;
	VEC(struct open_call) calls;
	struct column starts; /* of the intervals */
	int64_t last_at;
	bool has_last, has_just_opened;

	/* Our own property. */
	bool is_ours, has_event;
	struct event event;
	struct json_thread thread;
	bool weighs_time; /* its weights are periods, though samples are what counts */
	struct column counts, extra_counts, periods, times, cpus, labels, thread_of;
	VEC(label_set) label_sets;
	VEC(thread_id) threads;
};

static void profile_part_fini(struct profile_part *f)
{
	struct column *columns[] = { &f->weights,      &f->starts,  &f->counts,
				     &f->extra_counts, &f->periods, &f->times,
				     &f->cpus,	       &f->labels,  &f->thread_of };
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		column_fini(columns[i]);
	buf_fini(&f->name);
	vec_fini(&f->stacks);
	vec_fini(&f->calls);
	vec_fini(&f->label_sets);
	vec_fini(&f->threads);
}

/* --- sampled --- */

static bool has_room(struct profile_part *f)
{
	uint64_t rows = (uint64_t)f->s->q->samples.n + f->stacks.n;
	return json_has_room(f->s->j, rows, MAX_ROWS, "samples");
}

/* The stack at hand. False: the input ended inside it. */
static bool read_stack(struct profile_part *f)
{
	struct speedscope *s = f->s;
	uint32_t frame, depth = 0;
	node_id node = NODE_ROOT;
	if (json_array(s->j))
		while (json_index(s->j, &frame))
			if (depth++ < MAX_STACK_FRAMES)
				node = speedscope_push(s, node, frame);
	if (json_fault(s->j))
		return false;
	s->q->ledger.count[LEDGER_CUT_STACKS] += depth > MAX_STACK_FRAMES;
	vec_push(&f->stacks, node);
	return true;
}

static void read_samples(struct profile_part *f)
{
	if (f->is_evented) {
		json_skip(f->s->j);
		return;
	}
	if (!json_array(f->s->j))
		return;
	f->stacks.n = 0;
	f->cut_samples = 0;
	while (json_element(f->s->j) && has_room(f))
		if (!read_stack(f))
			f->cut_samples++;
}

static void read_column(struct profile_part *f, struct column *column, unsigned max_decimals)
{
	column_read(f->s->j, column,
		    &(struct column_rules){
			    .max_decimals = max_decimals, .most = MAX_ROWS, .what = "weights" });
}

/* --- evented --- */

/* What was on the stack since the last event gets the time up to this one. */
static void add_interval(struct profile_part *f, int64_t at, bool is_leaf_closed)
{
	int64_t from = f->has_last ? f->last_at : at;
	if (f->calls.n && (at > from || is_leaf_closed)) {
		vec_push(&f->stacks, f->calls.p[f->calls.n - 1].node);
		vec_push(&f->weights.values, (uint64_t)at - (uint64_t)from);
		vec_push(&f->starts.values, from > 0 ? (uint64_t)from : 0);
	}
	f->last_at = at;
	f->has_last = true;
}

static void open_call(struct profile_part *f, uint32_t frame)
{
	node_id parent = f->calls.n ? f->calls.p[f->calls.n - 1].node : NODE_ROOT;
	bool is_too_deep = f->calls.n >= MAX_STACK_FRAMES;
	f->s->q->ledger.count[LEDGER_CUT_STACKS] += is_too_deep;
	node_id node = is_too_deep ? parent : speedscope_push(f->s, parent, frame);
	vec_push(&f->calls, (struct open_call){ frame, node });
}

/* Ends the call of a frame, and those inside it that nobody ended. */
static void close_call(struct profile_part *f, uint32_t frame, uint64_t offset)
{
	enum { FARTHEST = 1024 };
	uint32_t n = f->calls.n, lowest = n > FARTHEST ? n - FARTHEST : 0;
	while (n > lowest && f->calls.p[n - 1].frame != frame)
		n--;
	if (n == lowest) {
		source_bad_record(f->s->q, offset, "an event closes frame %u, which is not open",
				  frame);
		return;
	}
	if (n < f->calls.n)
		source_bad_record(f->s->q, offset,
				  "an event closes frame %u, which is not the innermost one",
				  frame);
	f->calls.n = n - 1;
}

struct raw_event {
	char type;
	uint32_t frame;
	int64_t at;
	bool has_at;
};

static struct raw_event read_raw_event(struct profile_part *f)
{
	struct json *j = f->s->j;
	struct raw_event event = { .frame = INDEX_NONE };
	struct str key, text;
	int64_t number;
	if (!json_object(j))
		return event;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("type"))) {
			if (json_string(j, &text) && text.n == 1)
				event.type = text.p[0];
		} else if (str_eq(key, STR("frame"))) {
			if (json_number(j, 0, &number) && number >= 0 && number < INDEX_NONE)
				event.frame = (uint32_t)number;
		} else if (str_eq(key, STR("at"))) {
			event.has_at = json_number(j, f->event_decimals, &event.at);
		} else {
			json_skip(j);
		}
	}
	return event;
}

static void on_event(struct profile_part *f, struct raw_event event, uint64_t offset)
{
	if (!event.has_at || (event.type != 'O' && event.type != 'C')) {
		source_bad_record(f->s->q, offset, "an event has no %s",
				  event.has_at ? "type" : "time");
		return;
	}
	if (f->has_last && event.at < f->last_at) {
		source_bad_record(f->s->q, offset, "an event is earlier than the one before it");
		event.at = f->last_at;
	}
	add_interval(f, event.at, event.type == 'C' && f->has_just_opened);
	f->has_just_opened = event.type == 'O';
	if (event.type == 'O')
		open_call(f, event.frame);
	else
		close_call(f, event.frame, offset);
}

static void read_events(struct profile_part *f)
{
	struct json *j = f->s->j;
	if (f->stacks.n && !f->is_evented) {
		json_skip(j);
		return;
	}
	if (!json_array(j))
		return;
	f->stacks.n = f->calls.n = 0;
	column_clear(&f->weights);
	column_clear(&f->starts);
	f->has_last = f->has_just_opened = false;
	f->is_evented = f->weights.is_there = true;
	f->event_decimals = f->unit ? f->unit->decimals : MAX_DECIMALS;
	while (json_element(j)) {
		uint64_t offset = json_offset(j);
		struct raw_event event = read_raw_event(f);
		if (!json_fault(j) && has_room(f) &&
		    json_has_room(j, f->calls.n, MAX_STACKS, "open calls"))
			on_event(f, event, offset);
	}
}

/* d in units of 10^-decimals; 0 when it is negative or too large. */
static uint64_t in_units(const struct json_decimal *d, unsigned decimals)
{
	uint64_t value = d->is_negative ? 0 : d->units;
	for (unsigned i = d->decimals; i < decimals; i++)
		if (__builtin_mul_overflow(value, 10u, &value))
			return 0;
	for (unsigned i = decimals; i < d->decimals; i++)
		value /= 10;
	return value;
}

/* Calls that nobody ended go on until the end of the profile. */
static void end_events(struct profile_part *f)
{
	uint64_t end = in_units(&f->end, f->event_decimals);
	bool is_later = end <= INT64_MAX && (int64_t)end > f->last_at;
	f->s->q->ledger.count[LEDGER_UNCLOSED] += f->calls.n;
	if (f->calls.n)
		add_interval(f, is_later ? (int64_t)end : f->last_at, f->has_just_opened);
	f->weights.decimals = f->starts.decimals = f->event_decimals;
}

/* --- our own property --- */

static void read_thread(struct profile_part *f)
{
	struct json_thread thread = source_json_no_thread();
	struct json *j = f->s->j;
	struct str key;
	if (json_object(j))
		while (json_key(j, &key))
			if (!source_json_thread_part(j, key, f->s->q, &thread))
				json_skip(j);
	vec_push(&f->threads, source_json_add_thread(f->s->q, &thread));
}

/* `"weight":"samples"`: which of the two, samples or periods, the weights are; "time": periods of samples. */
static void read_weight_kind(struct profile_part *f)
{
	struct str text;
	if (!json_string(f->s->j, &text))
		return;
	f->event.has_only_sums = str_eq(text, STR("sums"));
	f->event.counts_periods = f->event.has_only_sums || str_eq(text, STR("periods"));
	f->weighs_time = str_eq(text, STR("time"));
}

static struct column *column_named(struct profile_part *f, struct str key)
{
	const struct {
		struct str name;
		struct column *column;
	} known[] = { { STR("counts"), &f->counts },	  { STR("extra_counts"), &f->extra_counts },
		      { STR("periods"), &f->periods },	  { STR("times"), &f->times },
		      { STR("cpus"), &f->cpus },	  { STR("labels"), &f->labels },
		      { STR("thread_of"), &f->thread_of } };
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (str_eq(key, known[i].name))
			return known[i].column;
	return NULL;
}

static void read_list(struct profile_part *f, bool is_threads)
{
	struct json *j = f->s->j;
	if (!json_array(j))
		return;
	if (is_threads)
		f->threads.n = 0;
	else
		f->label_sets.n = 0;
	while (json_element(j) && json_has_room(j, f->threads.n + f->label_sets.n, MAX_SETS,
						"threads or label sets")) {
		if (is_threads)
			read_thread(f);
		else
			vec_push(&f->label_sets, source_json_label_set(j, f->s->q));
	}
}

static void read_our_key(struct profile_part *f, struct str key)
{
	struct json *j = f->s->j;
	struct column *column = column_named(f, key);
	struct str text;
	int64_t number;
	if (column) {
		read_column(f, column, column == &f->periods ? 6 : 0);
	} else if (str_eq(key, STR("event"))) {
		f->has_event = json_string(j, &text);
		if (f->has_event)
			f->event.name = profile_add_str(f->s->q, text);
	} else if (str_eq(key, STR("unit"))) {
		if (json_string(j, &text))
			f->event.unit = profile_add_str(f->s->q, text);
	} else if (str_eq(key, STR("weight"))) {
		read_weight_kind(f);
	} else if (str_eq(key, STR("decimals"))) {
		if (json_number(j, 0, &number) && number > 0 && number <= MAX_DECIMALS)
			f->event.decimals = (uint8_t)number;
	} else if (str_eq(key, STR("threads")) || str_eq(key, STR("label_sets"))) {
		read_list(f, str_eq(key, STR("threads")));
	} else if (!source_json_thread_part(j, key, f->s->q, &f->thread)) {
		json_skip(j);
	}
}

static void read_ours(struct profile_part *f)
{
	struct str key;
	if (!json_object(f->s->j))
		return;
	f->is_ours = true;
	f->times.is_signed = f->cpus.is_signed = f->extra_counts.is_signed = true;
	while (json_key(f->s->j, &key))
		read_our_key(f, key);
}

/* --- rows --- */

static void set_unit(struct profile_part *f)
{
	struct str text;
	if (!json_string(f->s->j, &text))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (str_eq(text, units[i].name))
			f->unit = &units[i];
}

/* The event of a profile that is not ours, by its unit. */
static struct event event_of_unit(struct profile_part *f)
{
	struct profile *q = f->s->q;
	return (struct event){
		.name = profile_add_str(q, f->unit->event),
		.unit = profile_add_str(q, f->unit->model_unit),
		.counts_periods = true,
		.has_only_sums = f->unit == &units[0],
	};
}

static void name_thread(struct profile_part *f)
{
	if (f->is_ours || !f->name.n)
		return;
	f->thread.thread.comm = profile_add_str(f->s->q, buf_str(&f->name));
	f->thread.is_there = true;
}

/* Weights and stacks that do not pair up: cut off by the end of the input, or wrong. */
static void pair_weights(struct profile_part *f)
{
	struct profile *q = f->s->q;
	uint32_t stacks = f->stacks.n, n = f->weights.values.n;
	bool is_cut = json_fault(f->s->j) != NULL;
	q->ledger.count[LEDGER_CUT_SAMPLES] += f->cut_samples;
	if (!f->weights.is_there) {
		if (stacks && !is_cut)
			source_bad_record(q, f->offset,
					  "a profile has no weights: each stack counts as 1");
		f->unit = &units[0];
		f->weights.is_same = true;
		vec_push(&f->weights.values, 1);
		return;
	}
	if (f->weights.is_same || stacks == n)
		return;
	if (is_cut) {
		f->stacks.n = stacks < n ? stacks : n;
		q->ledger.count[LEDGER_CUT_SAMPLES] += stacks > n ? stacks - n : 0;
		return;
	}
	source_bad_record(q, f->offset, "a profile has %u stacks but %u weights", stacks, n);
}

/* Brings weights to ns, or to the decimals of the event. */
static event_id settle_event(struct profile_part *f)
{
	struct profile *q = f->s->q;
	if (!f->unit)
		f->unit = &units[0];
	if (!f->has_event)
		f->event = event_of_unit(f);
	struct column *columns[] = { &f->weights, &f->starts, &f->periods };
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (f->unit->is_time && !f->is_ours) {
			/* Now in units of ns: 1.5 ms is 15 with one decimal, and 1500000. */
			column_scale(columns[i], f->unit->decimals);
			columns[i]->decimals = 0;
		} else {
			column_reduce(columns[i]);
		}
	}
	bool weighs_periods = f->event.counts_periods || f->weighs_time;
	struct column *periods = weighs_periods ? &f->weights : &f->periods;
	event_id event = profile_add_event(q, f->event);
	profile_set_decimals(q, event, periods->decimals);
	column_scale(periods, q->events.p[event].decimals);
	if (!weighs_periods)
		column_scale(&f->weights, 0);
	return event;
}

static void add_weight(const struct profile_part *f, uint32_t i, uint64_t whole, struct sample *row)
{
	uint64_t weight = column_get(&f->weights, i, 0);
	if (f->event.has_only_sums) {
		row->period = weight;
		row->count = weight / whole + column_get(&f->extra_counts, i, 0);
	} else if (f->event.counts_periods || f->weighs_time) {
		row->period = weight;
		row->count = column_get(&f->counts, i, 1);
	} else {
		row->count = weight;
		row->period = column_get(&f->periods, i, weight);
	}
}

/* Rows of our own profiles say more. */
static void add_ours(const struct profile_part *f, uint32_t i, struct sample *row)
{
	uint64_t cpu = column_get(&f->cpus, i, UINT64_MAX);
	uint64_t labels = column_get(&f->labels, i, 0);
	uint64_t thread = column_get(&f->thread_of, i, 0);
	row->cpu = cpu <= INT32_MAX ? (int32_t)cpu : -1;
	if (labels && labels <= f->label_sets.n)
		row->labels = f->label_sets.p[labels - 1];
	if (thread && thread <= f->threads.n)
		row->thread = f->threads.p[thread - 1];
	else if (f->thread_of.is_there)
		row->thread = THREAD_NONE;
	row->time_ns += column_get(&f->times, i, 0);
}

static void add_rows(struct profile_part *f, event_id event)
{
	struct profile *q = f->s->q;
	uint64_t *ledger = q->ledger.count, whole = 1;
	struct sample row = { .event = event,
			      .thread = source_json_add_thread(q, &f->thread),
			      .cpu = -1 };
	bool has_time = f->is_ours ? f->times.is_there : f->unit->is_time;
	if (!f->is_ours && has_time)
		row.time_ns = in_units(&f->start, f->unit->decimals);
	for (unsigned d = 0; d < q->events.p[event].decimals; d++)
		whole *= 10;
	for (uint32_t i = 0; i < f->stacks.n; i++) {
		row.node = f->stacks.p[i];
		row.cpu = -1;
		row.labels = LABELS_NONE;
		add_weight(f, i, whole, &row);
		if (f->is_ours)
			add_ours(f, i, &row);
		else if (f->is_evented && has_time)
			row.time_ns = column_get(&f->starts, i, 0);
		profile_add_sample(q, &row);
		f->s->nodes.p[row.node].uses++;
		ledger[LEDGER_SAMPLES] = saturating_add(ledger[LEDGER_SAMPLES], row.count,
							&ledger[LEDGER_OVERFLOWS]);
		ledger[LEDGER_NO_TIME] += !has_time;
		if (!f->is_ours && has_time)
			row.time_ns += row.period;
	}
}

static void end_profile(struct profile_part *f)
{
	if (f->is_evented)
		end_events(f);
	pair_weights(f);
	if (!f->stacks.n)
		return;
	event_id event = settle_event(f);
	name_thread(f);
	add_rows(f, event);
	uint64_t *ledger = f->s->q->ledger.count;
	ledger[LEDGER_NEGATIVE] += f->weights.negatives;
	ledger[LEDGER_OVERFLOWS] += f->weights.overflows + f->periods.overflows;
}

static void read_name(struct profile_part *f)
{
	struct str text;
	f->name.n = 0;
	if (json_string(f->s->j, &text))
		buf_add(&f->name, text);
}

/* Of keys that are there twice the last counts, as everywhere in JSON. */
void speedscope_read_profile(struct speedscope *s)
{
	AUTO(profile_part) struct profile_part f = { .s = s, .offset = json_offset(s->j) };
	struct str key;
	if (!json_object(s->j))
		return;
	f.thread = source_json_no_thread();
	while (json_key(s->j, &key)) {
		if (str_eq(key, STR("samples")))
			read_samples(&f);
		else if (str_eq(key, STR("weights")))
			read_column(&f, &f.weights, f.unit ? f.unit->decimals : MAX_DECIMALS);
		else if (str_eq(key, STR("events")))
			read_events(&f);
		else if (str_eq(key, STR("unit")))
			set_unit(&f);
		else if (str_eq(key, STR("startValue")))
			json_decimal(s->j, MAX_DECIMALS, &f.start);
		else if (str_eq(key, STR("endValue")))
			json_decimal(s->j, MAX_DECIMALS, &f.end);
		else if (str_eq(key, STR("plume")))
			read_ours(&f);
		else if (str_eq(key, STR("name")))
			read_name(&f);
		else
			json_skip(s->j);
	}
	end_profile(&f);
}
