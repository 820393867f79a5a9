#include "store/store_int.h"

#include <stdarg.h>
#include <zstd.h>

/* Ids of the file as ids of the profile. */
struct ids {
	uint32_t *p;
	uint32_t n, capacity;
};

/* What of a stack the ledger wants to know. */
struct stack_facts {
	uint32_t frames, unknown;
};

/* A line of the file's ledger and the fact that tells it: its blocks add to it. */
struct ledger_fact {
	str_id name;
	uint32_t fact;
	uint64_t count;
};

struct store_reader {
	struct profile *p;
	enum store_state state;
	char fault[256];
	uint64_t fault_offset;
	bool has_head;
	uint64_t blocks, unknown_parts, rows;
	uint32_t block_rows; /* of the block being read */
	ZSTD_DCtx *zstd;
	struct buf raw;
	uint64_t *columns[STORE_COLUMNS]; /* of the samples being read */
	uint32_t column_room;

	struct ids strings, frames, nodes, threads, events, label_sets;
	VEC(struct label) labels;
	VEC(uint8_t) decimals;		/* by event of the file, as the weights to come have them */
	uint64_t last_name, last_file;	/* of the frame read last */
	VEC(struct stack_facts) stacks; /* by node of the file */
	VEC(struct ledger_fact) ledger;
};

struct store_reader *store_reader_new(struct profile *p)
{
	struct store_reader *r = mem_zalloc(1, sizeof(*r));
	r->p = p;
	r->zstd = ZSTD_createDCtx();
	vec_push(&r->strings, STR_NONE);
	vec_push(&r->nodes, NODE_ROOT);
	vec_push(&r->threads, THREAD_NONE);
	vec_push(&r->label_sets, LABELS_NONE);
	vec_push(&r->stacks, (struct stack_facts){ 0 });
	return r;
}

void store_reader_free(struct store_reader *r)
{
	if (!r)
		return;
	ZSTD_freeDCtx(r->zstd);
	buf_fini(&r->raw);
	for (unsigned c = 0; c < STORE_COLUMNS; c++)
		free(r->columns[c]);
	vec_fini(&r->strings);
	vec_fini(&r->frames);
	vec_fini(&r->nodes);
	vec_fini(&r->threads);
	vec_fini(&r->events);
	vec_fini(&r->label_sets);
	vec_fini(&r->labels);
	vec_fini(&r->stacks);
	vec_fini(&r->decimals);
	vec_fini(&r->ledger);
	free(r);
}

enum store_state store_reader_state(const struct store_reader *r)
{
	return r->state;
}

const char *store_reader_fault(const struct store_reader *r)
{
	return r->fault;
}

uint64_t store_reader_fault_offset(const struct store_reader *r)
{
	return r->fault_offset;
}

uint64_t store_reader_blocks(const struct store_reader *r)
{
	return r->blocks;
}

uint64_t store_reader_unknown_parts(const struct store_reader *r)
{
	return r->unknown_parts;
}

static void set_fault(struct store_reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void set_fault(struct store_reader *r, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (r->state != STORE_BROKEN)
		vsnprintf(r->fault, sizeof(r->fault), format, args);
	va_end(args);
	r->state = STORE_BROKEN;
}

/* A macro, so that compilers see the false, as err_set is. */
/* clang-format off */
#define fail(r, ...) ({ set_fault((r), __VA_ARGS__); false; })
/* clang-format on */

/* --- numbers --- */

/* The bytes of one part of a block. Reading beyond them gives 0 and sets is_short. */
struct cursor {
	const uint8_t *p, *end;
	bool is_short;
};

static uint64_t take_long_varint(struct cursor *c)
{
	uint64_t value = 0;
	for (unsigned shift = 0; c->p < c->end && shift < 64; shift += 7) {
		uint8_t byte = *c->p++;
		if (shift == 63 && byte > 1)
			break; /* more than 64 bits */
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	c->is_short = true;
	c->p = c->end;
	return 0;
}

static inline uint64_t take_varint(struct cursor *c)
{
	if (c->p < c->end && *c->p < 0x80)
		return *c->p++;
	return take_long_varint(c);
}

static size_t left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

/* The number of rows of a table, each of which has at least bytes_each bytes. */
static bool take_count(struct store_reader *r, struct cursor *c, unsigned bytes_each, uint32_t *n)
{
	uint64_t count = take_varint(c);
	if (c->is_short || count > left(c) / bytes_each)
		return fail(r, "a table claims %llu rows, more than its bytes can hold",
			    (unsigned long long)count);
	*n = (uint32_t)count;
	return true;
}

/* One column of a table. */
static uint64_t *take_column(struct cursor *c, uint32_t n)
{
	uint64_t *values = mem_alloc(n, sizeof(*values));
	for (uint32_t i = 0; i < n; i++)
		values[i] = take_varint(c);
	return values;
}

enum { MAX_TABLE_COLUMNS = 8 };

/* A table of k columns. */
struct table {
	uint32_t n;
	uint64_t *column[MAX_TABLE_COLUMNS];
};

static void table_fini(struct table *t)
{
	for (unsigned k = 0; k < MAX_TABLE_COLUMNS; k++)
		free(t->column[k]);
}

static bool take_table(struct store_reader *r, struct cursor *c, unsigned k, struct table *t)
{
	if (!take_count(r, c, k, &t->n))
		return false;
	for (unsigned i = 0; i < k; i++)
		t->column[i] = take_column(c, t->n);
	return !c->is_short || fail(r, "a table ends before its last row");
}

/* The profile's id for an id of the file. */
static bool known(struct store_reader *r, const struct ids *ids, const char *what, uint64_t id,
		  uint32_t *to)
{
	if (id >= ids->n)
		return fail(r, "%s %llu is not there", what, (unsigned long long)id);
	*to = ids->p[id];
	return true;
}

static bool known_string(struct store_reader *r, uint64_t id, str_id *to)
{
	return known(r, &r->strings, "string", id, to);
}

static bool in_range(struct store_reader *r, const char *what, uint64_t value, uint64_t limit)
{
	return value <= limit || fail(r, "%s %llu is too large", what, (unsigned long long)value);
}

/* --- tables --- */

static bool read_strings(struct store_reader *r, struct cursor *c)
{
	uint32_t n;
	if (!take_count(r, c, 1, &n))
		return false;
	AUTO_FREE uint64_t *bytes = take_column(c, n);
	for (uint32_t i = 0; i < n; i++) {
		if (c->is_short || bytes[i] > left(c))
			return fail(r, "a string of %llu bytes goes beyond its part",
				    (unsigned long long)bytes[i]);
		struct str s = { (const char *)c->p, (size_t)bytes[i] };
		c->p += s.n;
		vec_push(&r->strings, profile_add_str(r->p, s));
	}
	return true;
}

static bool read_frame(struct store_reader *r, const struct table *t, uint32_t i, uint64_t name,
		       uint64_t file)
{
	struct frame f = { 0 };
	if (!known_string(r, name, &f.name) || !known_string(r, t->column[1][i], &f.module) ||
	    !known_string(r, file, &f.file) || !in_range(r, "line", t->column[3][i], UINT32_MAX) ||
	    !in_range(r, "column", t->column[4][i], UINT32_MAX) ||
	    !in_range(r, "tier", t->column[6][i], UINT8_MAX) ||
	    !in_range(r, "set of flags", t->column[7][i], UINT16_MAX))
		return false;
	f.line = (uint32_t)t->column[3][i];
	f.column = (uint32_t)t->column[4][i];
	/* A kind that this plume does not know yet. */
	f.kind = t->column[5][i] < FRAME_KIND_COUNT ? (uint8_t)t->column[5][i] : FRAME_USER;
	f.tier = (char)t->column[6][i];
	f.flags = (uint16_t)t->column[7][i];
	vec_push(&r->frames, profile_add_frame(r->p, &f));
	return true;
}

static bool read_frames(struct store_reader *r, struct cursor *c)
{
	AUTO(table) struct table t = { 0 };
	uint64_t name = r->last_name, file = r->last_file;
	if (!take_table(r, c, 8, &t))
		return false;
	for (uint32_t i = 0; i < t.n; i++) {
		name += (uint64_t)unzigzag(t.column[0][i]);
		file += (uint64_t)unzigzag(t.column[2][i]);
		if (!read_frame(r, &t, i, name, file))
			return false;
	}
	r->last_name = name;
	r->last_file = file;
	return true;
}

static bool read_nodes(struct store_reader *r, struct cursor *c)
{
	AUTO(table) struct table t = { 0 };
	if (!take_table(r, c, 2, &t))
		return false;
	for (uint32_t i = 0; i < t.n; i++) {
		uint64_t distance = t.column[0][i];
		frame_id frame;
		if (distance == 0 || distance > r->nodes.n)
			return fail(r, "stack %u has no caller before it", r->nodes.n);
		if (!known(r, &r->frames, "frame", t.column[1][i], &frame))
			return false;
		uint32_t parent = r->nodes.n - (uint32_t)distance;
		struct stack_facts facts = r->stacks.p[parent];
		if (facts.frames++ == STORE_MAX_STACK_FRAMES)
			return fail(r, "stack %u is too deep", r->nodes.n);
		facts.unknown += r->p->frames.p[frame].kind == FRAME_UNKNOWN;
		vec_push(&r->nodes, profile_add_node(r->p, r->nodes.p[parent], frame));
		vec_push(&r->stacks, facts);
	}
	return true;
}

static bool read_threads(struct store_reader *r, struct cursor *c)
{
	AUTO(table) struct table t = { 0 };
	if (!take_table(r, c, 4, &t))
		return false;
	for (uint32_t i = 0; i < t.n; i++) {
		int64_t pid = unzigzag(t.column[0][i]);
		int64_t tid = (int64_t)((uint64_t)pid + (uint64_t)unzigzag(t.column[1][i]));
		struct thread thread = { 0 };
		if (pid < INT32_MIN || pid > INT32_MAX || tid < INT32_MIN || tid > INT32_MAX)
			return fail(r, "a thread's number is no 32-bit number");
		if (!known_string(r, t.column[2][i], &thread.comm) ||
		    !known_string(r, t.column[3][i], &thread.container))
			return false;
		thread.pid = r->p->columns & COLUMN_PID ? (int32_t)pid : PID_UNKNOWN;
		thread.tid = r->p->columns & COLUMN_TID ? (int32_t)tid : PID_UNKNOWN;
		vec_push(&r->threads, profile_add_thread(r->p, thread));
	}
	return true;
}

enum { MAX_DECIMALS = 9 };

static bool read_events(struct store_reader *r, struct cursor *c)
{
	AUTO(table) struct table t = { 0 };
	if (!take_table(r, c, 4, &t))
		return false;
	for (uint32_t i = 0; i < t.n; i++) {
		struct event e = {
			.counts_periods = t.column[2][i] & STORE_COUNTS_PERIODS,
			.has_only_sums = t.column[2][i] & STORE_HAS_ONLY_SUMS,
			.decimals = (uint8_t)t.column[3][i],
		};
		if (!known_string(r, t.column[0][i], &e.name) ||
		    !known_string(r, t.column[1][i], &e.unit) ||
		    !in_range(r, "number of decimals", t.column[3][i], MAX_DECIMALS))
			return false;
		vec_push(&r->events, profile_add_event(r->p, e));
		vec_push(&r->decimals, e.decimals);
		profile_set_decimals(r->p, r->events.p[r->events.n - 1], e.decimals);
	}
	return true;
}

/* Weights of an event have more decimals from here on, and those before are to be scaled up. */
static bool read_decimals(struct store_reader *r, struct cursor *c)
{
	while (left(c)) {
		uint64_t event = take_varint(c), decimals = take_varint(c);
		uint32_t id;
		if (c->is_short)
			return fail(r, "decimals without a number");
		if (!known(r, &r->events, "event", event, &id) ||
		    !in_range(r, "number of decimals", decimals, MAX_DECIMALS))
			return false;
		if (decimals < r->decimals.p[event])
			return fail(r, "event %u loses decimals", id);
		profile_set_decimals(r->p, id, (unsigned)decimals);
		r->decimals.p[event] = (uint8_t)decimals;
	}
	return true;
}

static bool read_labels(struct store_reader *r, struct cursor *c)
{
	AUTO(table) struct table t = { 0 };
	if (!take_table(r, c, 5, &t))
		return false;
	for (uint32_t i = 0; i < t.n; i++) {
		struct label l = { .is_number = t.column[1][i] != 0,
				   .number = unzigzag(t.column[4][i]) };
		if (!known_string(r, t.column[0][i], &l.key) ||
		    !known_string(r, t.column[2][i], &l.text) ||
		    !known_string(r, t.column[3][i], &l.unit))
			return false;
		vec_push(&r->labels, l);
	}
	return true;
}

static bool read_label_sets(struct store_reader *r, struct cursor *c)
{
	AUTO(table) struct table t = { 0 };
	if (!take_table(r, c, 2, &t))
		return false;
	for (uint32_t i = 0; i < t.n; i++) {
		uint64_t distance = t.column[0][i], label = t.column[1][i];
		if (distance == 0 || distance > r->label_sets.n || label >= r->labels.n)
			return fail(r, "a set of labels refers to what is not there");
		label_set rest = r->label_sets.p[r->label_sets.n - (uint32_t)distance];
		vec_push(&r->label_sets, profile_add_label(r->p, rest, r->labels.p[label]));
	}
	return true;
}

static bool read_marks(struct store_reader *r, struct cursor *c)
{
	AUTO(table) struct table t = { 0 };
	uint64_t time_ns = 0;
	if (!take_table(r, c, 5, &t))
		return false;
	for (uint32_t i = 0; i < t.n; i++) {
		struct mark m = { .duration_ns = t.column[1][i] };
		time_ns += (uint64_t)unzigzag(t.column[0][i]);
		m.time_ns = time_ns;
		if (!known(r, &r->threads, "thread", t.column[2][i], &m.thread) ||
		    !known_string(r, t.column[3][i], &m.kind) ||
		    !known_string(r, t.column[4][i], &m.text))
			return false;
		profile_add_mark(r->p, m);
	}
	return true;
}

static bool read_pairs(struct store_reader *r, struct cursor *c, enum store_part part)
{
	AUTO(table) struct table t = { 0 };
	if (!take_table(r, c, 2, &t))
		return false;
	for (uint32_t i = 0; i < t.n; i++) {
		str_id a, b;
		if (!known_string(r, t.column[0][i], &a) || !known_string(r, t.column[1][i], &b))
			return false;
		if (part == STORE_FACTS)
			profile_add_fact(r->p, profile_str(r->p, a), profile_str(r->p, b));
		else
			profile_add_module(r->p, (struct module){ a, b });
	}
	return true;
}

static struct ledger_fact *ledger_line(struct store_reader *r, str_id name)
{
	for (uint32_t i = 0; i < r->ledger.n; i++)
		if (r->ledger.p[i].name == name)
			return &r->ledger.p[i];
	vec_push(&r->ledger, (struct ledger_fact){ name, INDEX_NONE, 0 });
	return &r->ledger.p[r->ledger.n - 1];
}

/* Blocks count on where those before them stopped: the fact is told anew with the sum. */
static void tell_ledger(struct store_reader *r, struct str name, uint64_t count)
{
	AUTO(buf) struct buf text = { 0 };
	struct profile *p = r->p;
	uint32_t facts = p->facts.n;
	uint64_t overflows = 0;
	struct ledger_fact *line = ledger_line(r, profile_add_str(p, name));
	line->count = saturating_add(line->count, count, &overflows);
	buf_add(&text, name);
	buf_add(&text, STR(": "));
	buf_add_grouped(&text, line->count);
	if (line->fact != INDEX_NONE) {
		p->facts.p[line->fact].text = profile_add_str(p, buf_str(&text));
		return;
	}
	profile_add_fact(p, STR("when recorded"), buf_str(&text));
	if (p->facts.n > facts) /* else another file has told the same */
		line->fact = facts;
}

/*
 * What went wrong when the profile was made is no damage of this file: it is told as a fact. That
 * samples have no time is still true of them.
 */
static bool read_ledger(struct store_reader *r, struct cursor *c)
{
	struct str no_time = str_from(ledger_line_name(LEDGER_NO_TIME));
	while (left(c)) {
		uint64_t bytes = take_varint(c);
		if (c->is_short || bytes > left(c))
			return fail(r, "the ledger ends inside a name");
		struct str name = { (const char *)c->p, (size_t)bytes };
		c->p += bytes;
		uint64_t count = take_varint(c);
		if (c->is_short)
			return fail(r, "the ledger ends without a number");
		if (r->ledger.n == STORE_MAX_LEDGER_LINES)
			return fail(r, "the ledger has more lines than any");
		if (str_eq(name, no_time))
			r->p->ledger.count[LEDGER_NO_TIME] += count;
		else
			tell_ledger(r, name, count);
	}
	return true;
}

/* --- samples --- */

static uint64_t *room_for_column(struct store_reader *r, enum store_column column, uint32_t n)
{
	if (n > r->column_room) {
		for (unsigned c = 0; c < STORE_COLUMNS; c++)
			r->columns[c] = mem_realloc(r->columns[c], n, sizeof(uint64_t));
		r->column_room = n;
	}
	return r->columns[column];
}

static bool take_values(struct store_reader *r, struct cursor *c, uint64_t *values, uint32_t n)
{
	uint64_t encoding = take_varint(c), value = 0;
	switch (encoding) {
	case STORE_SAME:
		value = take_varint(c);
		for (uint32_t i = 0; i < n; i++)
			values[i] = value;
		break;
	case STORE_PLAIN:
		for (uint32_t i = 0; i < n; i++)
			values[i] = take_varint(c);
		break;
	case STORE_DELTAS:
		for (uint32_t i = 0; i < n; i++)
			values[i] = value += (uint64_t)unzigzag(take_varint(c));
		break;
	default:
		return fail(r, "a column is written in way %llu, which this plume does not know",
			    (unsigned long long)encoding);
	}
	return !c->is_short || fail(r, "a column of samples ends early");
}

/* The largest value of a column. */
static uint64_t largest(const uint64_t *values, uint32_t n)
{
	uint64_t max = 0;
	for (uint32_t i = 0; i < n; i++)
		max = values[i] > max ? values[i] : max;
	return max;
}

static bool check_ids(struct store_reader *r, uint32_t n)
{
	const struct {
		enum store_column column;
		const struct ids *ids;
		const char *what;
	} references[] = {
		{ STORE_COLUMN_NODE, &r->nodes, "stack" },
		{ STORE_COLUMN_THREAD, &r->threads, "thread" },
		{ STORE_COLUMN_EVENT, &r->events, "event" },
		{ STORE_COLUMN_LABELS, &r->label_sets, "set of labels" },
	};
	uint32_t ignored;
	for (size_t i = 0; i < ARRAY_SIZE(references); i++)
		if (!known(r, references[i].ids, references[i].what,
			   largest(r->columns[references[i].column], n), &ignored))
			return false;
	return in_range(r, "cpu", largest(r->columns[STORE_COLUMN_CPU], n), UINT32_MAX);
}

/* 10^(decimals of the profile's event - decimals of the file's). */
static uint64_t scaled_period(struct store_reader *r, uint64_t period, uint64_t event)
{
	unsigned have = r->decimals.p[event];
	for (; have < r->p->events.p[r->events.p[event]].decimals; have++)
		if (__builtin_mul_overflow(period, 10u, &period)) {
			r->p->ledger.count[LEDGER_OVERFLOWS]++;
			return UINT64_MAX;
		}
	return period;
}

static void add_rows(struct store_reader *r, uint32_t n, bool has_time)
{
	uint64_t *const *v = r->columns;
	uint64_t *ledger = r->p->ledger.count, overflows = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t node = v[STORE_COLUMN_NODE][i], event = v[STORE_COLUMN_EVENT][i];
		struct stack_facts facts = r->stacks.p[node];
		struct sample s = {
			.node = r->nodes.p[node],
			.thread = r->threads.p[v[STORE_COLUMN_THREAD][i]],
			.event = r->events.p[event],
			.cpu = (int32_t)unzigzag(v[STORE_COLUMN_CPU][i]),
			.labels = r->label_sets.p[v[STORE_COLUMN_LABELS][i]],
			.time_ns = v[STORE_COLUMN_TIME][i],
			.count = v[STORE_COLUMN_COUNT][i],
			.period = scaled_period(r, v[STORE_COLUMN_PERIOD][i], event),
		};
		profile_add_sample(r->p, &s);
		ledger[LEDGER_SAMPLES] =
			saturating_add(ledger[LEDGER_SAMPLES], s.count, &overflows);
		ledger[LEDGER_FRAMES] += facts.frames;
		ledger[LEDGER_UNKNOWN_FRAMES] += facts.unknown;
		ledger[LEDGER_NO_STACK] += node == NODE_ROOT;
		ledger[LEDGER_NO_TIME] += !has_time;
	}
}

static bool read_samples(struct store_reader *r, struct cursor *c)
{
	bool has[STORE_COLUMNS] = { false };
	uint64_t n = take_varint(c);
	/* By block, not by part: a part of equal rows takes few bytes, and many fit in a block. */
	if (c->is_short || n == 0 || n > STORE_MAX_ROWS - r->block_rows)
		return fail(r, "a block claims %llu samples", (unsigned long long)n);
	r->block_rows += (uint32_t)n;
	while (left(c)) {
		uint64_t column = take_varint(c);
		if (column >= STORE_COLUMNS || has[column])
			return fail(r, "a column %llu of samples is not known, or there twice",
				    (unsigned long long)column);
		uint64_t *values = room_for_column(r, (enum store_column)column, (uint32_t)n);
		if (!take_values(r, c, values, (uint32_t)n))
			return false;
		has[column] = true;
	}
	for (enum store_column k = 0; k < STORE_COLUMNS; k++) {
		/* Of the columns that may be missing, 0 means "not known". */
		bool is_needed = k <= STORE_COLUMN_PERIOD;
		if (has[k])
			continue;
		if (is_needed)
			return fail(r, "samples have no column %u", (unsigned)k);
		uint64_t absent = k == STORE_COLUMN_CPU ? zigzag(-1) : 0;
		uint64_t *values = room_for_column(r, k, (uint32_t)n);
		for (uint32_t i = 0; i < n; i++)
			values[i] = absent;
	}
	if (!check_ids(r, (uint32_t)n))
		return false;
	r->rows += n;
	add_rows(r, (uint32_t)n, has[STORE_COLUMN_TIME]);
	return true;
}

/* --- blocks --- */

static bool read_part(struct store_reader *r, uint64_t tag, struct cursor *c)
{
	switch (tag) {
	case STORE_STRINGS:
		return read_strings(r, c);
	case STORE_FRAMES:
		return read_frames(r, c);
	case STORE_NODES:
		return read_nodes(r, c);
	case STORE_THREADS:
		return read_threads(r, c);
	case STORE_EVENTS:
		return read_events(r, c);
	case STORE_DECIMALS:
		return read_decimals(r, c);
	case STORE_LABELS:
		return read_labels(r, c);
	case STORE_LABEL_SETS:
		return read_label_sets(r, c);
	case STORE_SAMPLES:
		return read_samples(r, c);
	case STORE_MARKS:
		return read_marks(r, c);
	case STORE_FACTS:
	case STORE_MODULES:
		return read_pairs(r, c, (enum store_part)tag);
	case STORE_LEDGER:
		return read_ledger(r, c);
	case STORE_FLAGS:
		r->p->is_differential |= (take_varint(c) & STORE_IS_DIFFERENTIAL) != 0;
		return !c->is_short || fail(r, "flags without a number");
	default:
		r->unknown_parts++;
		c->p = c->end;
		return true;
	}
}

static bool read_parts(struct store_reader *r, struct str raw)
{
	struct cursor c = { (const uint8_t *)raw.p, (const uint8_t *)raw.p + raw.n, false };
	while (left(&c)) {
		uint64_t tag = take_varint(&c), bytes = take_varint(&c);
		if (c.is_short || bytes > left(&c))
			return fail(r, "a part of %llu bytes goes beyond its block",
				    (unsigned long long)bytes);
		struct cursor part = { c.p, c.p + bytes, false };
		if (!read_part(r, tag, &part))
			return false;
		if (left(&part))
			return fail(r, "a part with tag %llu has %zu bytes too many",
				    (unsigned long long)tag, left(&part));
		c.p += bytes;
	}
	return true;
}

static bool read_end(struct store_reader *r, struct str raw)
{
	struct cursor c = { (const uint8_t *)raw.p, (const uint8_t *)raw.p + raw.n, false };
	uint64_t rows = take_varint(&c);
	if (c.is_short || left(&c))
		return fail(r, "its end mark is no number");
	if (rows != r->rows)
		return fail(r, "its end mark counts %llu rows of samples, but %llu were there",
			    (unsigned long long)rows, (unsigned long long)r->rows);
	r->state = STORE_ENDED;
	return true;
}

/* The block's bytes as they were before compression. */
static bool unpack(struct store_reader *r, const struct store_block_head *h, struct str stored,
		   struct str *raw)
{
	size_t raw_bytes = le32toh(h->raw_bytes);
	*raw = stored;
	if (h->codec == STORE_CODEC_NONE)
		return stored.n == raw_bytes || fail(r, "a block's length is not its own");
	if (h->codec != STORE_CODEC_ZSTD)
		return fail(r, "a block is packed in way %u, which this plume does not know",
			    h->codec);
	r->raw.n = 0;
	char *to = buf_reserve(&r->raw, raw_bytes + 1);
	size_t n = ZSTD_decompressDCtx(r->zstd, to, raw_bytes, stored.p, stored.n);
	if (ZSTD_isError(n) || n != raw_bytes)
		return fail(r, "a block cannot be unpacked: %s",
			    ZSTD_isError(n) ? ZSTD_getErrorName(n) : "it is shorter than it says");
	*raw = (struct str){ to, n };
	return true;
}

static bool check_block_head(struct store_reader *r, const struct store_block_head *h)
{
	if (le32toh(h->magic) != STORE_BLOCK_MAGIC)
		return fail(r, "there should be a block");
	if (le32toh(h->stored_bytes) > STORE_MAX_BLOCK_BYTES ||
	    le32toh(h->raw_bytes) > STORE_MAX_BLOCK_BYTES)
		return fail(r, "a block claims %u bytes, %u unpacked: more than any has",
			    le32toh(h->stored_bytes), le32toh(h->raw_bytes));
	if (le64toh(h->number) != r->blocks)
		return fail(r, "block %llu stands where block %llu should",
			    (unsigned long long)le64toh(h->number), (unsigned long long)r->blocks);
	return true;
}

/* The block at the start of bytes; returns its length, or 0 when it is not whole or is wrong. */
static size_t read_block(struct store_reader *r, struct str bytes)
{
	struct store_block_head h;
	struct str raw;
	if (bytes.n < sizeof(h))
		return 0;
	memcpy(&h, bytes.p, sizeof(h));
	if (!check_block_head(r, &h))
		return 0;
	size_t stored_bytes = le32toh(h.stored_bytes);
	if (bytes.n - sizeof(h) < stored_bytes)
		return 0;
	struct str stored = { bytes.p + sizeof(h), stored_bytes };
	if (le64toh(h.checksum) != store_checksum(&h, stored)) {
		set_fault(r, "the checksum of a block is wrong");
		return 0;
	}
	if (h.kind > STORE_BLOCK_END) {
		set_fault(r, "a block is of kind %u, which this plume does not know", h.kind);
		return 0;
	}
	r->block_rows = 0;
	if (!unpack(r, &h, stored, &raw) ||
	    !(h.kind == STORE_BLOCK_END ? read_end(r, raw) : read_parts(r, raw)))
		return 0;
	r->blocks++;
	return sizeof(h) + stored_bytes;
}

static size_t read_head(struct store_reader *r, struct str bytes)
{
	struct store_head h;
	if (bytes.n < sizeof(h))
		return 0;
	memcpy(&h, bytes.p, sizeof(h));
	if (!str_starts(bytes, store_magic))
		set_fault(r, "the first bytes are not those of a .plume file");
	else if (le16toh(h.major) != STORE_MAJOR)
		set_fault(r,
			  "it is of version %u.%u, and this plume reads %d.x: another plume is "
			  "needed",
			  le16toh(h.major), le16toh(h.minor), STORE_MAJOR);
	else if (h.reserved)
		set_fault(r, "the head of the file is damaged");
	r->has_head = true;
	return r->state == STORE_BROKEN ? 0 : STORE_HEAD_BYTES;
}

size_t store_reader_feed(struct store_reader *r, struct str bytes, uint64_t offset)
{
	size_t done = 0;
	while (r->state == STORE_OPEN) {
		struct str rest = str_from_byte(bytes, done);
		size_t n = r->has_head ? read_block(r, rest) : read_head(r, rest);
		if (r->state == STORE_BROKEN)
			r->fault_offset = offset + done;
		if (n == 0)
			break;
		done += n;
	}
	/* Nothing behind the end or behind a fault is read. */
	return r->state == STORE_OPEN ? done : r->state == STORE_BROKEN ? bytes.n : done;
}
