/* Samples of a .plume file: columns of numbers, checked as a whole before the first row is added. */
#include "store/reader_int.h"

static uint64_t *room_for_column(struct store_reader *r, enum store_column column, uint32_t n)
{
	if (n > r->column_room) {
		for (unsigned c = 0; c < STORE_COLUMNS; c++)
			r->columns[c] = mem_realloc(r->columns[c], n, sizeof(uint64_t));
		r->column_room = n;
	}
	return r->columns[column];
}

bool store_take_values(struct store_reader *r, struct cursor *c, uint64_t *values, uint32_t n)
{
	uint64_t encoding = cursor_varint(c), value = 0;
	switch (encoding) {
	case STORE_SAME:
		value = cursor_varint(c);
		for (uint32_t i = 0; i < n; i++)
			values[i] = value;
		break;
	case STORE_PLAIN:
		for (uint32_t i = 0; i < n; i++)
			values[i] = cursor_varint(c);
		break;
	case STORE_DELTAS:
		for (uint32_t i = 0; i < n; i++)
			values[i] = value += (uint64_t)unzigzag(cursor_varint(c));
		break;
	default:
		return fail(
			r, "a column uses encoding %llu, which this version of plume does not know",
			(unsigned long long)encoding);
	}
	return !c->is_short || fail(r, "a column ends early");
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
		{ STORE_COLUMN_LABELS, &r->label_sets, "label set" },
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
		uint64_t uses = r->has_only_sums.p[event] ? 1 : s.count;
		ledger[LEDGER_FRAMES] += uses * facts.frames;
		ledger[LEDGER_UNKNOWN_FRAMES] += uses * facts.unknown;
		ledger[LEDGER_NO_STACK] += node == NODE_ROOT;
		ledger[LEDGER_NO_TIME] += !has_time;
	}
}

bool store_read_samples(struct store_reader *r, struct cursor *c)
{
	bool has[STORE_COLUMNS] = { false };
	uint64_t n = cursor_varint(c);
	/* By block, not by part: a part of equal rows takes few bytes, and many fit in a block. */
	if (c->is_short || n == 0 || n > STORE_MAX_ROWS - r->block_rows)
		return fail(r, "a block claims %llu samples", (unsigned long long)n);
	if (!is_believable(r, r->rows + n, STORE_FREE_ROWS))
		return false;
	r->block_rows += (uint32_t)n;
	while (cursor_left(c)) {
		uint64_t column = cursor_varint(c);
		if (column >= STORE_COLUMNS || has[column])
			return fail(r, "sample column %llu is unknown or occurs twice",
				    (unsigned long long)column);
		uint64_t *values = room_for_column(r, (enum store_column)column, (uint32_t)n);
		if (!store_take_values(r, c, values, (uint32_t)n))
			return false;
		has[column] = true;
	}
	for (enum store_column k = 0; k < STORE_COLUMNS; k++) {
		/* Of the columns that may be missing, 0 means "not known". */
		bool is_needed = k <= STORE_COLUMN_PERIOD;
		if (has[k])
			continue;
		if (is_needed)
			return fail(r, "sample column %u is missing", (unsigned)k);
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
