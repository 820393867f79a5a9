/* The tables of a .plume file become those of the profile, id by id. */
#include "store/reader_int.h"

/* The number of rows of a table, each of which has at least bytes_each bytes. */
static bool take_count(struct store_reader *r, struct cursor *c, unsigned bytes_each, uint32_t *n)
{
	uint64_t count = cursor_varint(c);
	if (c->is_short || count > cursor_left(c) / bytes_each)
		return fail(r, "a table claims %llu rows, more than its bytes can hold",
			    (unsigned long long)count);
	*n = (uint32_t)count;
	r->table_rows += count;
	return is_believable(r, r->table_rows, STORE_FREE_TABLE_ROWS);
}

/* One column of a table. */
static uint64_t *take_column(struct cursor *c, uint32_t n)
{
	uint64_t *values = mem_alloc(n, sizeof(*values));
	for (uint32_t i = 0; i < n; i++)
		values[i] = cursor_varint(c);
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

static bool known_string(struct store_reader *r, uint64_t id, str_id *to)
{
	return known(r, &r->strings, "string", id, to);
}

static bool read_strings(struct store_reader *r, struct cursor *c)
{
	uint32_t n;
	if (!take_count(r, c, 1, &n))
		return false;
	AUTO_FREE uint64_t *bytes = take_column(c, n);
	for (uint32_t i = 0; i < n; i++) {
		if (c->is_short || bytes[i] > cursor_left(c))
			return fail(r, "a string of %llu bytes extends beyond its part",
				    (unsigned long long)bytes[i]);
		struct str s = { (const char *)c->p, (size_t)bytes[i] };
		c->p += s.n;
		vec_push(&r->strings, profile_add_str(r->p, s));
	}
	return true;
}

static void forget_frame_columns(struct store_reader *r)
{
	r->frame_rows = 0;
	for (unsigned c = 0; c < STORE_FRAME_COLUMN_COUNT; c++) {
		free(r->frame_columns[c]);
		r->frame_columns[c] = NULL;
	}
}

/* Kept until the frames come. A column that a newer plume added is passed over. */
static bool read_frame_columns(struct store_reader *r, struct cursor *c)
{
	enum { MAX_FRAME_COLUMNS = 64 };
	uint64_t n = cursor_varint(c), is_there = 0;
	if (c->is_short || n == 0 || n > STORE_MAX_ROWS)
		return fail(r, "columns of %llu frames", (unsigned long long)n);
	r->table_rows += n;
	if (!is_believable(r, r->table_rows, STORE_FREE_TABLE_ROWS))
		return false;
	forget_frame_columns(r);
	r->frame_rows = (uint32_t)n;
	while (cursor_left(c)) {
		uint64_t column = cursor_varint(c);
		if (column >= MAX_FRAME_COLUMNS || is_there >> column & 1)
			return fail(r, "frame column %llu is too large or occurs twice",
				    (unsigned long long)column);
		is_there |= 1ull << column;
		AUTO_FREE uint64_t *values = mem_alloc(n, sizeof(*values));
		if (!store_take_values(r, c, values, (uint32_t)n))
			return false;
		if (column >= STORE_FRAME_COLUMN_COUNT) {
			r->unknown_parts++;
			continue;
		}
		r->frame_columns[column] = values;
		values = NULL;
	}
	return true;
}

static uint64_t frame_value(const struct store_reader *r, enum store_frame_column column,
			    uint32_t i)
{
	return r->frame_columns[column] ? r->frame_columns[column][i] : 0;
}

static bool read_function(struct store_reader *r, uint32_t i, struct frame *f)
{
	uint64_t line = frame_value(r, STORE_FRAME_FUNCTION_LINE, i);
	uint64_t column = frame_value(r, STORE_FRAME_FUNCTION_COLUMN, i);
	uint64_t start = frame_value(r, STORE_FRAME_START, i);
	if (!known_string(r, frame_value(r, STORE_FRAME_FUNCTION_FILE, i), &f->function_file) ||
	    !in_range(r, "line", line, UINT32_MAX) || !in_range(r, "column", column, UINT32_MAX))
		return false;
	if (!in_range(r, "start of a function", start, UINT32_MAX))
		return false;
	f->start = (uint32_t)start;
	f->function_line = (uint32_t)line;
	f->function_column = (uint32_t)column;
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
	r->has_lines |= f.line != 0;
	if (!read_function(r, i, &f))
		return false;
	if (!r->keeps_lines)
		frame_set_function_place(&f);
	vec_push(&r->frames, profile_add_frame(r->p, &f));
	return true;
}

static bool read_frames(struct store_reader *r, struct cursor *c)
{
	AUTO(table) struct table t = { 0 };
	uint64_t name = r->last_name, file = r->last_file;
	if (!take_table(r, c, 8, &t))
		return false;
	if (r->frame_rows && r->frame_rows != t.n)
		return fail(r, "columns of %u frames come before %u", r->frame_rows, t.n);
	for (uint32_t i = 0; i < t.n; i++) {
		name += (uint64_t)unzigzag(t.column[0][i]);
		file += (uint64_t)unzigzag(t.column[2][i]);
		if (!read_frame(r, &t, i, name, file))
			return false;
	}
	forget_frame_columns(r);
	r->last_name = name;
	r->last_file = file;
	return true;
}

/* Stacks were counted with the frame as it was: those that turned out to have no name are in the row. */
static bool read_changed(struct store_reader *r, struct cursor *c)
{
	AUTO(table) struct table t = { 0 };
	uint64_t *unknown = &r->p->ledger.count[LEDGER_UNKNOWN_FRAMES], ignored = 0;
	frame_id id, as;
	if (!take_table(r, c, 3, &t))
		return false;
	for (uint32_t i = 0; i < t.n; i++) {
		if (!known(r, &r->frames, "frame", t.column[0][i], &id) ||
		    !known(r, &r->frames, "frame", t.column[1][i], &as))
			return false;
		profile_change_frame(r->p, id, as, t.column[2][i]);
		*unknown = saturating_add(*unknown, t.column[2][i], &ignored);
	}
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
			return fail(r, "the caller of stack %u does not come before it",
				    r->nodes.n);
		if (!known(r, &r->frames, "frame", t.column[1][i], &frame))
			return false;
		uint32_t parent = r->nodes.n - (uint32_t)distance;
		struct stack_facts facts = r->stacks.p[parent];
		if (facts.frames++ == STORE_MAX_STACK_FRAMES)
			return fail(r, "stack %u is too deep", r->nodes.n);
		facts.unknown += frame_lacks_name(&r->p->frames.p[frame]);
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
			return fail(r, "a thread id does not fit in 32 bits");
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
		vec_push(&r->has_only_sums, e.has_only_sums);
		vec_push(&r->decimals, e.decimals);
		profile_set_decimals(r->p, r->events.p[r->events.n - 1], e.decimals);
	}
	return true;
}

/* Weights of an event have more decimals from here on, and those before are to be scaled up. */
static bool read_decimals(struct store_reader *r, struct cursor *c)
{
	while (cursor_left(c)) {
		uint64_t event = cursor_varint(c), decimals = cursor_varint(c);
		uint32_t id;
		if (c->is_short)
			return fail(r, "the decimals are not a number");
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
			return fail(r, "a label set refers to a label that does not exist");
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

static bool read_unnamed(struct store_reader *r, struct cursor *c)
{
	AUTO(table) struct table t = { 0 };
	if (!take_table(r, c, 4, &t))
		return false;
	for (uint32_t i = 0; i < t.n; i++) {
		struct unnamed u = { .frames = t.column[3][i] };
		if (!known_string(r, t.column[0][i], &u.module) ||
		    !known_string(r, t.column[1][i], &u.reason) ||
		    !known_string(r, t.column[2][i], &u.fix))
			return false;
		profile_add_unnamed(r->p, u);
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

static void add_to_ledger(struct store_reader *r, enum ledger_line line, uint64_t count)
{
	uint64_t *sum = &r->p->ledger.count[line], ignored = 0;
	*sum = saturating_add(*sum, count, &ignored);
}

static bool take_string(struct store_reader *r, struct cursor *c, str_id *to)
{
	return known_string(r, cursor_varint(c), to);
}

static bool read_reading(struct store_reader *r, struct cursor *c)
{
	struct profile *p = r->p;
	struct ledger *l = &p->ledger;
	p->sampled_ns += cursor_varint(c);
	l->first_bad_offset = cursor_varint(c);
	if (!take_string(r, c, &l->first_bad_text) || !take_string(r, c, &l->first_bad_input) ||
	    !take_string(r, c, &l->damage))
		return false;
	for (uint64_t n = cursor_varint(c); n && !c->is_short; n--) {
		str_id note;
		if (!take_string(r, c, &note))
			return false;
		profile_add_note(p, profile_str(p, note));
	}
	r->is_copy = true;
	return !c->is_short || fail(r, "a note is missing");
}

/*
 * What went wrong when the profile was made is no damage of this file: it is told as a fact. That
 * samples have no time, and what happened while they were recorded, is still true of them.
 */
static bool read_ledger(struct store_reader *r, struct cursor *c)
{
	while (cursor_left(c)) {
		uint64_t bytes = cursor_varint(c);
		if (c->is_short || bytes > cursor_left(c))
			return fail(r, "the ledger ends inside a name");
		struct str name = { (const char *)c->p, (size_t)bytes };
		c->p += bytes;
		uint64_t count = cursor_varint(c);
		if (c->is_short)
			return fail(r, "the ledger ends before a number");
		if (r->ledger.n == STORE_MAX_LEDGER_LINES)
			return fail(r, "the ledger has too many lines");
		enum ledger_line line = ledger_line_by_name(name);
		if ((r->is_copy && line > LEDGER_UNKNOWN_FRAMES && line < LEDGER_LINES) ||
		    line == LEDGER_NO_TIME || ledger_line_is_of_recording(line))
			add_to_ledger(r, line, count);
		else
			tell_ledger(r, name, count);
	}
	return true;
}

bool store_read_table(struct store_reader *r, enum store_part part, struct cursor *c)
{
	switch (part) {
	case STORE_STRINGS:
		return read_strings(r, c);
	case STORE_FRAMES:
		return read_frames(r, c);
	case STORE_FRAME_COLUMNS:
		return read_frame_columns(r, c);
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
	case STORE_MARKS:
		return read_marks(r, c);
	case STORE_FACTS:
	case STORE_MODULES:
		return read_pairs(r, c, part);
	case STORE_LEDGER:
		return read_ledger(r, c);
	case STORE_UNNAMED:
		return read_unnamed(r, c);
	case STORE_CHANGED:
		return read_changed(r, c);
	case STORE_READING:
		return read_reading(r, c);
	case STORE_SAMPLES:
	case STORE_FLAGS:
	case STORE_PARTS:
		break;
	}
	return false;
}
