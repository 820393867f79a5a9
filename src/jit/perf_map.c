/*
 * Perf maps of JIT compilers (tools/perf/Documentation/jit-interface.txt in Linux).
 *
 * Rows come oldest first, and each is painted over the wanted addresses it contains, so the newest is on top. An
 * address takes the row on top when the rows reach its limit; if there is none, the next row that contains it. From
 * time to time, rows that no address can get any more are dropped, so memory grows with the addresses and time with
 * the file, however often the same addresses are named again.
 */
#include "jit/perf_map.h"

enum {
	MAX_LINE_BYTES = 64 << 10,
	SPARE_ROWS = 4 << 10,
	SPARE_TEXT_BYTES = 1 << 20,
	NO_ROW = 0, /* rows.p[0] is unused */
};

struct map_row {
	uint32_t name_bytes;
	size_t name_at; /* in text */
	uint64_t start;
};

/* Wanted addresses are identified by their index. */
struct map_scan {
	const struct perf_map_wanted *wanted;
	uint32_t n;
	uint64_t *addresses;
	uint64_t lowest, highest; /* of the addresses */
	uint32_t *by_limit;	  /* lowest limits first */
	uint32_t settled;	  /* how many of by_limit the rows have passed */
	uint64_t next_limit;	  /* of by_limit[settled]; UINT64_MAX if none is left */

	/*
	 * A segment tree over the addresses, which are the leaves [n, 2n): node i covers what 2i
	 * and 2i + 1 cover, and holds the newest row that was painted over all of it.
	 */
	uint32_t *newest;
	uint32_t *next_bare; /* union-find: leads from each address to the next one without a row */
	uint32_t *row_of;    /* of settled addresses */
	bool *is_settled;

	VEC(struct map_row) rows;
	uint32_t rows_limit;
	struct buf text;
	size_t text_limit;
	struct perf_map_names *names;
};

/* --- assigning rows to addresses --- */

static void lay_over(struct map_scan *s, uint32_t first, uint32_t end, uint32_t row)
{
	for (first += s->n, end += s->n; first < end; first /= 2, end /= 2) {
		if (first & 1)
			s->newest[first++] = row;
		if (end & 1)
			s->newest[--end] = row;
	}
}

static uint32_t top_row(const struct map_scan *s, uint32_t i)
{
	uint32_t row = NO_ROW;
	for (i += s->n; i; i /= 2)
		row = s->newest[i] > row ? s->newest[i] : row;
	return row;
}

static void find_next_limit(struct map_scan *s)
{
	s->next_limit = UINT64_MAX;
	if (s->settled < s->n)
		s->next_limit = s->wanted[s->by_limit[s->settled]].limit;
}

/* The next row begins at offset: addresses with limits up to there take the row they have. */
static void settle(struct map_scan *s, uint64_t offset)
{
	for (; s->settled < s->n && s->next_limit <= offset; find_next_limit(s)) {
		uint32_t i = s->by_limit[s->settled++];
		s->is_settled[i] = true;
		s->row_of[i] = top_row(s, i);
	}
}

/* The first index >= i without a row; s->n if there is none. Uses path halving. */
static uint32_t find_bare(uint32_t *next, uint32_t i)
{
	while (next[i] != i)
		i = next[i] = next[next[i]];
	return i;
}

/* Addresses whose limit has passed without a row get the first one that comes. */
static void serve_late(struct map_scan *s, uint32_t first, uint32_t end, uint32_t row)
{
	for (uint32_t i = find_bare(s->next_bare, first); i < end; i = find_bare(s->next_bare, i)) {
		s->next_bare[i] = i + 1;
		if (s->is_settled[i])
			s->row_of[i] = row;
	}
}

static uint32_t row_so_far(const struct map_scan *s, uint32_t i)
{
	return s->is_settled[i] ? s->row_of[i] : top_row(s, i);
}

/* Keeps only the rows that have an entry in numbers, and stores their new indices there. */
static void compact_rows(struct map_scan *s, uint32_t *numbers)
{
	size_t text_bytes = 0;
	uint32_t kept = 1;
	for (uint32_t r = 1; r < s->rows.n; r++) {
		struct map_row row = s->rows.p[r];
		if (!numbers[r])
			continue;
		memmove(s->text.p + text_bytes, s->text.p + row.name_at, row.name_bytes);
		row.name_at = text_bytes;
		text_bytes += row.name_bytes;
		numbers[r] = kept;
		s->rows.p[kept++] = row;
	}
	s->rows.n = kept;
	s->text.n = text_bytes;
	s->rows_limit = 2 * kept + SPARE_ROWS;
	s->text_limit = 2 * text_bytes + SPARE_TEXT_BYTES;
}

/* Drops rows that no address can get any more, and their names. */
static void drop_covered(struct map_scan *s)
{
	AUTO_FREE uint32_t *numbers = mem_zalloc(s->rows.n, sizeof(*numbers));
	for (uint32_t i = 0; i < s->n; i++) {
		s->row_of[i] = row_so_far(s, i);
		numbers[s->row_of[i]] = 1;
	}
	numbers[NO_ROW] = NO_ROW;
	compact_rows(s, numbers);
	memset(s->newest, 0, s->n * sizeof(*s->newest));
	for (uint32_t i = 0; i < s->n; i++)
		s->newest[s->n + i] = s->row_of[i] = numbers[s->row_of[i]];
}

/* The first wanted address that is not below `address`. */
static uint32_t lower_bound(const uint64_t *addresses, uint32_t n, uint64_t address)
{
	const uint64_t *base = addresses;
	/* Branch-free: the positions of rows are unpredictable. */
	while (n > 1) {
		uint32_t half = n / 2;
		base = base[half - 1] < address ? base + half : base;
		n -= half;
	}
	return (uint32_t)(base - addresses) + (n && *base < address);
}

/* Adds a row for [start, end) that begins at byte `offset` of the file. */
static void keep_row(struct map_scan *s, uint64_t offset, uint64_t start, uint64_t end,
		     struct str name)
{
	uint32_t first = lower_bound(s->addresses, s->n, start);
	if (first == s->n || s->addresses[first] >= end)
		return;
	if (offset >= s->next_limit)
		settle(s, offset);
	if (s->rows.n >= s->rows_limit || s->text.n >= s->text_limit)
		drop_covered(s);
	uint32_t last = first + lower_bound(s->addresses + first, s->n - first, end);
	serve_late(s, first, last, s->rows.n);
	lay_over(s, first, last, s->rows.n);
	name = str_first(name, PERF_MAP_MAX_NAME_BYTES);
	vec_push(&s->rows, (struct map_row){ (uint32_t)name.n, s->text.n, start });
	buf_add(&s->text, name);
}

/* --- lines --- */

/* The value of a hexadecimal digit, plus one; 0 for other characters. */
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

/* Takes a number and the blanks after it; returns NULL if either is missing. */
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

static void read_row(struct map_scan *s, uint64_t offset, const char *p, const char *end)
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
		keep_row(s, offset, start, row_end, (struct str){ p, (size_t)(end - p) });
}

/* Reads all complete lines and returns the rest. The first byte of text is at offset. */
static struct str read_lines(struct map_scan *s, uint64_t offset, struct str text)
{
	const char *p = text.p, *end = text.p + text.n, *line_end;
	while (p < end && (line_end = memchr(p, '\n', (size_t)(end - p)))) {
		read_row(s, offset + (uint64_t)(p - text.p), p, line_end);
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
	bool is_skipping = false; /* in the rest of a line that was too long */
	do {
		struct str text = reader_window(r), rest = text;
		if (is_skipping) {
			rest = behind_line(text);
			is_skipping = !rest.n && !(text.n && text.p[text.n - 1] == '\n');
		}
		uint64_t end = reader_offset(r) + text.n;
		rest = read_lines(s, end - rest.n, rest);
		if (rest.n > MAX_LINE_BYTES) {
			read_row(s, end - rest.n, rest.p, rest.p + rest.n);
			rest = str_from_byte(rest, rest.n);
			is_skipping = true;
		}
		reader_consume(r, text.n - rest.n);
	} while (reader_fill(r));
	struct str half = reader_window(r);
	if (half.n)
		read_row(s, reader_offset(r), half.p, half.p + half.n);
	s->names->ends_in_half_line = half.n || is_skipping;
}

/* --- reading a map --- */

static int compare_limits(const void *a, const void *b, void *wanted)
{
	const struct perf_map_wanted *w = wanted;
	uint64_t x = w[*(const uint32_t *)a].limit, y = w[*(const uint32_t *)b].limit;
	return (x > y) - (x < y);
}

static void begin_scan(struct map_scan *s)
{
	uint32_t n = s->n;
	s->addresses = mem_alloc(n, sizeof(*s->addresses));
	s->by_limit = mem_alloc(n, sizeof(*s->by_limit));
	s->newest = mem_zalloc(2 * (size_t)n, sizeof(*s->newest));
	s->next_bare = mem_alloc((size_t)n + 1, sizeof(*s->next_bare));
	s->row_of = mem_zalloc(n, sizeof(*s->row_of));
	s->is_settled = mem_zalloc(n, sizeof(*s->is_settled));
	for (uint32_t i = 0; i < n; i++) {
		s->addresses[i] = s->wanted[i].address;
		s->by_limit[i] = s->next_bare[i] = i;
	}
	s->next_bare[n] = n;
	s->lowest = n ? s->addresses[0] : UINT64_MAX;
	s->highest = n ? s->addresses[n - 1] : 0;
	if (n)
		qsort_r(s->by_limit, n, sizeof(*s->by_limit), compare_limits, (void *)s->wanted);
	find_next_limit(s);
	vec_push(&s->rows, (struct map_row){ 0 });
}

/* Names are views into the text, which is handed over to names. */
static void give_names(struct map_scan *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct map_row *row = &s->rows.p[row_so_far(s, i)];
		if (row->name_bytes)
			s->names->names[i] = (struct perf_map_name){
				{ s->text.p + row->name_at, row->name_bytes }, row->start
			};
		s->names->found += row->name_bytes > 0;
	}
	s->names->text = s->text;
}

static void end_scan(struct map_scan *s)
{
	free(s->addresses);
	free(s->by_limit);
	free(s->newest);
	free(s->next_bare);
	free(s->row_of);
	free(s->is_settled);
	vec_fini(&s->rows);
}

void perf_map_read_as_of(struct reader *r, const struct perf_map_wanted *wanted, uint32_t n,
			 struct perf_map_names *names)
{
	*names = (struct perf_map_names){ .names = mem_zalloc(n, sizeof(*names->names)), .n = n };
	struct map_scan s = {
		.wanted = wanted,
		.n = n,
		.rows_limit = SPARE_ROWS,
		.text_limit = SPARE_TEXT_BYTES,
		.names = names,
	};
	begin_scan(&s);
	read_text(&s, r);
	give_names(&s);
	end_scan(&s);
}

void perf_map_read(struct reader *r, const uint64_t *addresses, uint32_t n,
		   struct perf_map_names *names)
{
	AUTO_FREE struct perf_map_wanted *wanted = mem_alloc(n, sizeof(*wanted));
	for (uint32_t i = 0; i < n; i++)
		wanted[i] = (struct perf_map_wanted){ addresses[i], UINT64_MAX };
	perf_map_read_as_of(r, wanted, n, names);
}

void perf_map_names_fini(struct perf_map_names *names)
{
	free(names->names);
	buf_fini(&names->text);
	*names = (struct perf_map_names){ 0 };
}
