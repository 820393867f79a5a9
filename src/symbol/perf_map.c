/*
 * Maps of JIT compilers (tools/perf/Documentation/jit-interface.txt of Linux).
 *
 * Rows that hold a wanted address are kept in their order. When there are many, those that newer rows
 * have covered everywhere are dropped, so memory follows the addresses and time the file, however often
 * the same addresses are named again.
 */
#include "symbol/perf_map.h"

enum {
	MAX_LINE_BYTES = 64 << 10,
	SPARE_ROWS = 4 << 10,
	SPARE_TEXT_BYTES = 1 << 20,
};

/* A row that holds the wanted addresses [first, end), by index. */
struct map_row {
	uint32_t first, end;
	uint32_t name_bytes;
	size_t name_at; /* in text */
	uint64_t start;
};

struct map_scan {
	const uint64_t *addresses;
	uint32_t n;
	uint64_t lowest, highest; /* of the addresses */
	VEC(struct map_row) rows;
	uint32_t rows_limit;
	struct buf text;
	size_t text_limit;
	uint32_t *next; /* for settle */
	struct perf_map_names *names;
};

/* --- which row an address belongs to --- */

/* The first index >= i whose address has no row yet; s->n: there is none. Paths are halved. */
static uint32_t next_free(uint32_t *next, uint32_t i)
{
	while (next[i] != i)
		i = next[i] = next[next[i]];
	return i;
}

/*
 * From the newest row to the oldest, each gets the addresses that are still free: is_used says which
 * rows got some. With names, the rows' names are given to the addresses.
 */
static void hand_out(struct map_scan *s, bool *is_used, struct perf_map_name *names)
{
	for (uint32_t i = 0; i <= s->n; i++)
		s->next[i] = i;
	for (uint32_t r = s->rows.n; r-- > 0;) {
		const struct map_row *row = &s->rows.p[r];
		uint32_t i = next_free(s->next, row->first);
		is_used[r] = i < row->end;
		for (; i < row->end; i = next_free(s->next, i)) {
			s->next[i] = i + 1;
			if (names)
				names[i] = (struct perf_map_name){
					{ s->text.p + row->name_at, row->name_bytes }, row->start
				};
		}
	}
}

/* Drops rows that newer ones have covered, with their names. */
static void drop_covered(struct map_scan *s)
{
	AUTO_FREE bool *is_used = mem_alloc(s->rows.n, sizeof(*is_used));
	size_t text_bytes = 0;
	uint32_t kept = 0;
	hand_out(s, is_used, NULL);
	for (uint32_t r = 0; r < s->rows.n; r++) {
		struct map_row row = s->rows.p[r];
		if (!is_used[r])
			continue;
		memmove(s->text.p + text_bytes, s->text.p + row.name_at, row.name_bytes);
		row.name_at = text_bytes;
		text_bytes += row.name_bytes;
		s->rows.p[kept++] = row;
	}
	s->rows.n = kept;
	s->text.n = text_bytes;
	s->rows_limit = 2 * kept + SPARE_ROWS;
	s->text_limit = 2 * text_bytes + SPARE_TEXT_BYTES;
}

/* The first wanted address that is not below. */
static uint32_t lower_bound(const uint64_t *addresses, uint32_t n, uint64_t address)
{
	const uint64_t *base = addresses;
	/* Without branches on the outcome: where rows lie cannot be foreseen. */
	while (n > 1) {
		uint32_t half = n / 2;
		base = base[half - 1] < address ? base + half : base;
		n -= half;
	}
	return (uint32_t)(base - addresses) + (n && *base < address);
}

static void keep_row(struct map_scan *s, uint64_t start, uint64_t end, struct str name)
{
	uint32_t first = lower_bound(s->addresses, s->n, start);
	if (first == s->n || s->addresses[first] >= end)
		return;
	if (s->rows.n >= s->rows_limit || s->text.n >= s->text_limit)
		drop_covered(s);
	uint32_t last = first + lower_bound(s->addresses + first, s->n - first, end);
	name = str_first(name, PERF_MAP_MAX_NAME_BYTES);
	vec_push(&s->rows, (struct map_row){ first, last, (uint32_t)name.n, s->text.n, start });
	buf_add(&s->text, name);
}

/* --- lines --- */

/* The value of a hexadecimal digit, plus one; 0: it is none. */
static const uint8_t hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* A number with the blanks behind it; NULL when there is none, or none behind it. */
static const char *take_hex(const char *p, const char *end, uint64_t *value)
{
	/* The JDK's map has 0x before its numbers. */
	if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	const char *digits = p;
	uint64_t number = 0;
	uint8_t digit;
	for (; p < end && (digit = hex_digits[(unsigned char)*p]); p++) {
		if (number >> 60)
			return NULL;
		number = number << 4 | (uint64_t)(digit - 1);
	}
	if (p == digits || p == end || !is_blank(*p))
		return NULL;
	while (p < end && is_blank(*p))
		p++;
	*value = number;
	return p;
}

static void read_row(struct map_scan *s, const char *p, const char *end)
{
	uint64_t start, size, row_end;
	if (end - p > MAX_LINE_BYTES)
		end = p + MAX_LINE_BYTES;
	if (p < end && end[-1] == '\r')
		end--;
	if (p == end)
		return;
	s->names->rows++;
	if (is_blank(*p))
		while (p < end && is_blank(*p))
			p++;
	p = take_hex(p, end, &start);
	p = p ? take_hex(p, end, &size) : NULL;
	if (!p || p == end || __builtin_add_overflow(start, size, &row_end)) {
		s->names->bad_rows++;
		return;
	}
	if (start <= s->highest && row_end > s->lowest)
		keep_row(s, start, row_end, (struct str){ p, (size_t)(end - p) });
}

/* All lines that are whole; returns what is left. */
static struct str read_lines(struct map_scan *s, struct str text)
{
	const char *p = text.p, *end = text.p + text.n, *line_end;
	while (p < end && (line_end = memchr(p, '\n', (size_t)(end - p)))) {
		read_row(s, p, line_end);
		p = line_end + 1;
	}
	return (struct str){ p, (size_t)(end - p) };
}

static struct str behind_line(struct str text)
{
	ptrdiff_t at = str_find_char(text, '\n');
	return at < 0 ? str_from_byte(text, text.n) : str_from_byte(text, (size_t)at + 1);
}

static void read_text(struct map_scan *s, struct reader *r)
{
	bool is_skipping = false; /* the rest of a line that was too long */
	do {
		struct str text = reader_window(r), rest = text;
		if (is_skipping) {
			rest = behind_line(text);
			is_skipping = !rest.n && !(text.n && text.p[text.n - 1] == '\n');
		}
		rest = read_lines(s, rest);
		if (rest.n > MAX_LINE_BYTES) {
			read_row(s, rest.p, rest.p + rest.n);
			rest = str_from_byte(rest, rest.n);
			is_skipping = true;
		}
		reader_consume(r, text.n - rest.n);
	} while (reader_fill(r));
	struct str half = reader_window(r);
	if (half.n)
		read_row(s, half.p, half.p + half.n);
	s->names->ends_in_half_line = half.n || is_skipping;
}

void perf_map_read(struct reader *r, const uint64_t *addresses, uint32_t n,
		   struct perf_map_names *names)
{
	*names = (struct perf_map_names){ .names = mem_zalloc(n, sizeof(*names->names)), .n = n };
	struct map_scan s = {
		.addresses = addresses,
		.n = n,
		.lowest = n ? addresses[0] : UINT64_MAX,
		.highest = n ? addresses[n - 1] : 0,
		.rows_limit = SPARE_ROWS,
		.text_limit = SPARE_TEXT_BYTES,
		.next = mem_alloc((size_t)n + 1, sizeof(*s.next)),
		.names = names,
	};
	read_text(&s, r);
	AUTO_FREE bool *is_used = mem_alloc(s.rows.n, sizeof(*is_used));
	hand_out(&s, is_used, names->names);
	for (uint32_t i = 0; i < n; i++)
		names->found += names->names[i].name.n > 0;
	names->text = s.text;
	vec_fini(&s.rows);
	free(s.next);
}

void perf_map_names_fini(struct perf_map_names *names)
{
	free(names->names);
	buf_fini(&names->text);
	*names = (struct perf_map_names){ 0 };
}
