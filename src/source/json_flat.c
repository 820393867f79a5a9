/*
 * plume's own tables in JSON (doc/formats/json.md). Tables come in any order: samples are kept with the
 * numbers that the file gives to stacks, threads, events and label sets, until all of it has been read.
 */
#include "source/json_column.h"
#include "source/json_parts.h"

#define TITLE "plume's tables in JSON"

enum { MAX_COLUMNS = 12 };
/* The most of what a file may have; a block of samples is read as a whole. */
enum { MAX_TABLE_ROWS = 1 << 24, MAX_BLOCK_ROWS = 1 << 22, MAX_SAMPLES = 1 << 26 };

/* A table's columns, in the order of their names. */
struct table {
	const char *const *names; /* ends in NULL; the first one says how many rows there are */
	struct column columns[MAX_COLUMNS];
	const char *what; /* its rows are */
	uint32_t most;
};

enum {
	FRAME_NAME,
	FRAME_MODULE,
	FRAME_FILE,
	FRAME_LINE,
	FRAME_COLUMN,
	FRAME_KIND,
	FRAME_TIER,
	FRAME_FLAGS,
	FRAME_FUNCTION_FILE,
	FRAME_FUNCTION_LINE,
	FRAME_FUNCTION_COLUMN,
	FRAME_START
};
static const char *const frame_names[] = {
	"name", "module", "file",	   "line",	    "column",	       "kind",
	"tier", "flags",  "function_file", "function_line", "function_column", "start",
	NULL
};
enum { STACK_PARENT, STACK_FRAME };
static const char *const stack_names[] = { "parent", "frame", NULL };
enum { THREAD_COMM, THREAD_PID, THREAD_TID, THREAD_CONTAINER };
static const char *const thread_names[] = { "comm", "pid", "tid", "container", NULL };
enum { EVENT_NAME, EVENT_UNIT, EVENT_WEIGHT, EVENT_DECIMALS };
static const char *const event_names[] = { "name", "unit", "weight", "decimals", NULL };
enum { ROW_STACK, ROW_THREAD, ROW_EVENT, ROW_COUNT, ROW_PERIOD, ROW_TIME, ROW_CPU, ROW_LABELS };
static const char *const row_names[] = { "stack",      "thread", "event",  "count", "period",
					 "time_delta", "cpu",	 "labels", NULL };

struct flat {
	struct json *j;
	struct profile *q; /* its rows have the file's numbers until the end */
	VEC(str_id) strings;
	VEC(uint8_t) kinds; /* enum frame_kind by the file's number */
	VEC(label_set) label_sets;
	struct table frames, stacks, threads, events, rows;
	uint64_t samples_offset;
	bool keeps_lines;
};

static void flat_fini(struct flat *f)
{
	struct table *tables[] = { &f->frames, &f->stacks, &f->threads, &f->events, &f->rows };
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (size_t i = 0; i < MAX_COLUMNS; i++)
			column_fini(&tables[t]->columns[i]);
	vec_fini(&f->strings);
	vec_fini(&f->kinds);
	vec_fini(&f->label_sets);
	profile_unref(f->q);
}

static uint32_t table_rows(const struct table *t)
{
	return t->columns[0].is_same ? 0 : t->columns[0].values.n;
}

/* What stands for null. */
#define NO_NUMBER ((uint64_t)INT64_MIN)

static uint64_t get(const struct table *t, unsigned column, uint32_t row, uint64_t otherwise)
{
	uint64_t value = column_get(&t->columns[column], row, NO_NUMBER);
	return value == NO_NUMBER ? otherwise : value;
}

static void read_table(struct json *j, struct table *t)
{
	const struct column_rules rules = { .otherwise = NO_NUMBER,
					    .most = t->most,
					    .what = t->what };
	struct str key;
	for (size_t i = 0; i < MAX_COLUMNS; i++)
		column_clear(&t->columns[i]);
	if (!json_object(j))
		return;
	while (json_key(j, &key)) {
		size_t i = 0;
		while (t->names[i] && !str_eq(key, str_from(t->names[i])))
			i++;
		if (t->names[i])
			column_read(j, &t->columns[i], &rules);
		else
			json_skip(j);
	}
}

static void read_strings(struct flat *f)
{
	struct str text;
	if (!json_array(f->j))
		return;
	while (json_element(f->j) && json_has_room(f->j, f->strings.n, MAX_TABLE_ROWS, "strings")) {
		bool is_text = json_string(f->j, &text);
		if (!json_fault(f->j))
			vec_push(&f->strings, is_text ? profile_add_str(f->q, text) : STR_NONE);
	}
}

static void read_kinds(struct flat *f)
{
	struct str text;
	if (!json_array(f->j))
		return;
	while (json_element(f->j) && json_has_room(f->j, f->kinds.n, MAX_TABLE_ROWS, "kinds")) {
		enum frame_kind kind =
			json_string(f->j, &text) ? source_kind_named(text) : FRAME_KIND_COUNT;
		vec_push(&f->kinds, (uint8_t)(kind < FRAME_KIND_COUNT ? kind : FRAME_USER));
	}
}

static void read_label_sets(struct flat *f)
{
	if (!json_array(f->j))
		return;
	while (json_element(f->j) &&
	       json_has_room(f->j, f->label_sets.n, MAX_TABLE_ROWS, "label sets"))
		vec_push(&f->label_sets, source_json_label_set(f->j, f->q));
}

/* --- samples --- */

/* An id that is none becomes the largest one, which is not there either. */
static uint32_t id_of(uint64_t value)
{
	return value < INDEX_NONE ? (uint32_t)value : INDEX_NONE;
}

/* A block is whole, or its rows are not used: a column of it may be missing. */
static void add_block(struct flat *f)
{
	const struct table *t = &f->rows;
	uint64_t *ledger = f->q->ledger.count;
	uint32_t n = table_rows(t);
	struct sample row = { 0 };
	if (json_fault(f->j)) {
		ledger[LEDGER_CUT_SAMPLES] += n;
		return;
	}
	ledger[LEDGER_NEGATIVE] +=
		t->columns[ROW_COUNT].negatives + t->columns[ROW_PERIOD].negatives;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t cpu = get(t, ROW_CPU, i, UINT64_MAX);
		row.node = id_of(get(t, ROW_STACK, i, 0));
		row.thread = id_of(get(t, ROW_THREAD, i, 0));
		row.event = id_of(get(t, ROW_EVENT, i, 0));
		row.labels = id_of(get(t, ROW_LABELS, i, 0));
		row.count = get(t, ROW_COUNT, i, 1);
		row.period = get(t, ROW_PERIOD, i, 0);
		row.time_ns += get(t, ROW_TIME, i, 0);
		row.cpu = cpu <= INT32_MAX ? (int32_t)cpu : -1;
		profile_add_sample(f->q, &row);
		ledger[LEDGER_SAMPLES] = saturating_add(ledger[LEDGER_SAMPLES], row.count,
							&ledger[LEDGER_OVERFLOWS]);
		ledger[LEDGER_NO_TIME] += !t->columns[ROW_TIME].is_there;
	}
}

static void read_samples(struct flat *f)
{
	f->samples_offset = json_offset(f->j);
	if (!json_array(f->j))
		return;
	while (json_element(f->j) && json_has_room(f->j, f->q->samples.n, MAX_SAMPLES, "samples")) {
		read_table(f->j, &f->rows);
		add_block(f);
	}
}

/* --- the end: numbers of the file become ids --- */

static str_id string_of(const struct flat *f, const struct table *t, unsigned column, uint32_t row)
{
	uint64_t i = get(t, column, row, 0);
	return i < f->strings.n ? f->strings.p[i] : STR_NONE;
}

static uint32_t number_of(const struct table *t, unsigned column, uint32_t row)
{
	uint64_t value = get(t, column, row, 0);
	return value <= UINT32_MAX ? (uint32_t)value : 0;
}

static frame_id add_frame(struct flat *f, uint32_t i)
{
	const struct table *t = &f->frames;
	uint32_t kind = number_of(t, FRAME_KIND, i), tier = number_of(t, FRAME_TIER, i);
	struct frame frame = {
		.name = string_of(f, t, FRAME_NAME, i),
		.module = string_of(f, t, FRAME_MODULE, i),
		.file = string_of(f, t, FRAME_FILE, i),
		.line = number_of(t, FRAME_LINE, i),
		.column = number_of(t, FRAME_COLUMN, i),
		.function_file = string_of(f, t, FRAME_FUNCTION_FILE, i),
		.function_line = number_of(t, FRAME_FUNCTION_LINE, i),
		.function_column = number_of(t, FRAME_FUNCTION_COLUMN, i),
		.start = number_of(t, FRAME_START, i),
		.kind = kind < f->kinds.n ? f->kinds.p[kind] : FRAME_USER,
		.tier = (char)(tier < 0x7f ? tier : 0),
		.flags = (uint16_t)(number_of(t, FRAME_FLAGS, i) &
				    (FRAME_INLINED | FRAME_WAKER | FRAME_MARKED | FRAME_FOLDED)),
	};
	if (!f->keeps_lines)
		frame_set_function_place(&frame);
	return profile_add_frame(f->q, &frame);
}

/* A stack as it is in the profile. */
struct final_node {
	node_id node;
	uint32_t depth, unknown;
};

static void make_stack(struct flat *f, struct final_node *finals, uint32_t i,
		       const frame_id *frames)
{
	uint64_t parent = get(&f->stacks, STACK_PARENT, i, 0);
	uint64_t frame = get(&f->stacks, STACK_FRAME, i, 0);
	finals[i] = (struct final_node){ 0 };
	if (parent >= i || frame >= table_rows(&f->frames)) {
		source_bad_record(
			f->q, f->samples_offset,
			"stack %u refers to parent %lld and frame %lld, which do not both exist", i,
			(long long)parent, (long long)frame);
		return;
	}
	finals[i] = finals[parent];
	finals[i].node = profile_add_node(f->q, finals[i].node, frames[frame]);
	finals[i].depth++;
	finals[i].unknown += frame_lacks_name(&f->q->frames.p[frames[frame]]);
}

static struct final_node *final_stacks(struct flat *f)
{
	uint32_t frame_count = table_rows(&f->frames), n = table_rows(&f->stacks);
	AUTO_FREE frame_id *frames = mem_alloc(frame_count + 1, sizeof(*frames));
	struct final_node *finals = mem_zalloc(n + 1, sizeof(*finals));
	for (uint32_t i = 0; i < frame_count; i++)
		frames[i] = add_frame(f, i);
	for (uint32_t i = 1; i < n; i++) /* row 0 is the empty stack */
		make_stack(f, finals, i, frames);
	return finals;
}

static thread_id *final_threads(struct flat *f)
{
	uint32_t n = table_rows(&f->threads);
	thread_id *ids = mem_zalloc(n + 1, sizeof(*ids));
	for (uint32_t i = 1; i < n; i++) { /* row 0 is the thread that is not known */
		int64_t pid = (int64_t)get(&f->threads, THREAD_PID, i, (uint64_t)PID_UNKNOWN);
		int64_t tid = (int64_t)get(&f->threads, THREAD_TID, i, (uint64_t)PID_UNKNOWN);
		struct json_thread t = { .is_there = true };
		t.thread = (struct thread){
			.pid = pid == (int32_t)pid ? (int32_t)pid : PID_UNKNOWN,
			.tid = tid == (int32_t)tid ? (int32_t)tid : PID_UNKNOWN,
			.comm = string_of(f, &f->threads, THREAD_COMM, i),
			.container = string_of(f, &f->threads, THREAD_CONTAINER, i),
		};
		ids[i] = source_json_add_thread(f->q, &t);
	}
	return ids;
}

/* Row 0 is there even in a file without events, so that each sample has one. */
static event_id *final_events(struct flat *f)
{
	uint32_t n = table_rows(&f->events) ? table_rows(&f->events) : 1;
	event_id *ids = mem_alloc(n, sizeof(*ids));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t weight = number_of(&f->events, EVENT_WEIGHT, i);
		uint32_t decimals = number_of(&f->events, EVENT_DECIMALS, i);
		ids[i] = profile_add_event(
			f->q, (struct event){
				      .name = string_of(f, &f->events, EVENT_NAME, i),
				      .unit = string_of(f, &f->events, EVENT_UNIT, i),
				      .counts_periods = weight >= 1,
				      .has_only_sums = weight == 2,
				      .decimals = (uint8_t)(decimals <= 9 ? decimals : 0),
			      });
	}
	return ids;
}

/* What numbers of the file are. */
struct translation {
	struct final_node *stacks;
	thread_id *threads;
	event_id *events;
};

static void translation_fini(struct translation *t)
{
	free(t->stacks);
	free(t->threads);
	free(t->events);
}

static void bad_row(struct flat *f, uint32_t row, const char *what, uint32_t number)
{
	source_bad_record(f->q, f->samples_offset,
			  "sample %u refers to %s %u, which does not exist", row, what, number);
}

static void translate_row(struct flat *f, const struct translation *t, uint32_t i)
{
	struct samples *s = &f->q->samples;
	uint64_t *ledger = f->q->ledger.count;
	uint32_t stacks = table_rows(&f->stacks), threads = table_rows(&f->threads),
		 events = table_rows(&f->events);
	uint32_t node = s->node[i], thread = s->thread[i], event = s->event[i];
	if (node && node >= stacks)
		bad_row(f, i, "stack", node);
	if (thread && thread >= threads)
		bad_row(f, i, "thread", thread);
	if (event >= events)
		bad_row(f, i, "event", event);
	struct final_node final = t->stacks[node < stacks ? node : 0];
	s->node[i] = final.node;
	s->thread[i] = t->threads[thread < threads ? thread : 0];
	s->event[i] = t->events[event < events ? event : 0];
	uint64_t uses = f->q->events.p[s->event[i]].has_only_sums ? 1 : s->count[i];
	ledger[LEDGER_FRAMES] += uses * final.depth;
	ledger[LEDGER_UNKNOWN_FRAMES] += uses * final.unknown;
	ledger[LEDGER_NO_STACK] += final.depth ? 0 : uses;
	if (!s->labels)
		return;
	if (s->labels[i] && s->labels[i] >= f->label_sets.n)
		bad_row(f, i, "label set", s->labels[i]);
	s->labels[i] = s->labels[i] < f->label_sets.n ? f->label_sets.p[s->labels[i]] : LABELS_NONE;
}

static void finish(struct flat *f)
{
	AUTO(translation)
	struct translation t = { final_stacks(f), final_threads(f), final_events(f) };
	for (uint32_t i = 0; i < f->q->samples.n; i++)
		translate_row(f, &t, i);
}

/* --- the file --- */

static void read_version(struct flat *f)
{
	int64_t version;
	uint64_t offset = json_offset(f->j);
	if (json_number(f->j, 0, &version) && version != 1)
		source_bad_record(f->q, offset,
				  "version %lld: only the parts known from version 1 are read",
				  (long long)version);
}

static struct table *table_named(struct flat *f, struct str key)
{
	return str_eq(key, STR("frames"))    ? &f->frames
	       : str_eq(key, STR("stacks"))  ? &f->stacks
	       : str_eq(key, STR("threads")) ? &f->threads
	       : str_eq(key, STR("events"))  ? &f->events
					     : NULL;
}

static void read_file(struct flat *f)
{
	struct str key;
	if (!json_object(f->j))
		return;
	while (json_key(f->j, &key)) {
		struct table *table = table_named(f, key);
		if (table)
			read_table(f->j, table);
		else if (str_eq(key, STR("samples")))
			read_samples(f);
		else if (str_eq(key, STR("strings")))
			read_strings(f);
		else if (str_eq(key, STR("kinds")))
			read_kinds(f);
		else if (str_eq(key, STR("label_sets")))
			read_label_sets(f);
		else if (str_eq(key, STR("version")))
			read_version(f);
		else if (str_eq(key, STR("differential")))
			json_bool(f->j, &f->q->is_differential);
		else if (!source_json_part(f->j, key, f->q))
			json_skip(f->j);
	}
	json_at_end(f->j);
}

static void flat_read(struct reader *r, const struct source_options *options, struct profile *p)
{
	AUTO(flat)
	struct flat f = {
		.frames = { .names = frame_names, .what = "frames", .most = MAX_TABLE_ROWS },
		.stacks = { .names = stack_names, .what = "stacks", .most = MAX_TABLE_ROWS },
		.threads = { .names = thread_names, .what = "threads", .most = MAX_TABLE_ROWS },
		.events = { .names = event_names, .what = "events", .most = MAX_TABLE_ROWS },
		.rows = { .names = row_names,
			  .what = "samples in a block",
			  .most = MAX_BLOCK_ROWS },
		.keeps_lines = options->names.wants_lines,
	};
	f.j = json_new(r);
	json_limit_rows(f.j, options->max_rows);
	f.q = profile_new(p->columns);
	f.rows.columns[ROW_TIME].is_signed = f.rows.columns[ROW_CPU].is_signed = true;
	f.threads.columns[THREAD_PID].is_signed = f.threads.columns[THREAD_TID].is_signed = true;
	read_file(&f);
	finish(&f);
	profile_merge(p, f.q);
	source_json_damage(p, r, TITLE, f.j);
	json_free(f.j);
}

static unsigned flat_probe(struct str head)
{
	AUTO(buf) struct buf keys = { 0 };
	if (str_find(head, STR("\"plume-flat\"")) < 0)
		return 0;
	source_json_keys(head, &keys);
	return source_has_key(&keys, "format") ? 100 : 0;
}

const struct source_format json_flat_format = {
	.title = TITLE,
	.read = flat_read,
	.probe = flat_probe,
};
