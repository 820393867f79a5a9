/* Maps of JIT compilers: which row names an address, and what is not a row. */
#include "jit/jit.h"
#include "random.h"
#include "tap.h"

/* Names of the addresses, joined by '|'; empty ones are `-`. */
static void names_of(struct str map, size_t step, const uint64_t *addresses, uint32_t n,
		     struct buf *out, struct perf_map_names *names)
{
	struct reader *r = reader_of_memory(map, step);
	perf_map_read(r, addresses, n, names);
	for (uint32_t i = 0; i < n; i++) {
		buf_add(out, i ? STR("|") : STR(""));
		buf_add(out, names->names[i].name.n ? names->names[i].name : STR("-"));
	}
	reader_free(r);
}

static void check(struct str map, struct str want, uint64_t bad_rows, const char *what)
{
	static const uint64_t addresses[] = {
		0x0f, 0x10, 0x17, 0x18, 0x1f, 0x20, 0x30, UINT64_MAX
	};
	static const size_t steps[] = { 0, 1, 5 };
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		AUTO(buf) struct buf got = { 0 };
		AUTO(perf_map_names) struct perf_map_names names = { 0 };
		names_of(map, steps[i], addresses, ARRAY_SIZE(addresses), &got, &names);
		tap_str_eq(buf_str(&got), want, "%s, step %zu", what, steps[i]);
		tap_num_eq(names.bad_rows, bad_rows, "%s, step %zu: bad rows", what, steps[i]);
	}
}

static void check_rows(void)
{
	check(STR(""), STR("-|-|-|-|-|-|-|-"), 0, "an empty map");
	check(STR("10 10 f\n"), STR("-|f|f|f|f|-|-|-"), 0, "a row names what it covers");
	check(STR("10 10 f\n18 20 g\n"), STR("-|f|f|g|g|g|g|-"), 0,
	      "a newer row cuts an older one");
	check(STR("10 20 f\n18 8 g\n"), STR("-|f|f|g|g|f|-|-"), 0, "only the covered part is cut");
	check(STR("18 8 g\n10 20 f\n"), STR("-|f|f|f|f|f|-|-"), 0, "the older row is gone");
	check(STR("10 10 f\n18 0 g\n"), STR("-|f|f|f|f|-|-|-"), 0,
	      "a row of size 0 covers nothing");
	check(STR("0x10 0X10 f g h\r\n"), STR("-|f g h|f g h|f g h|f g h|-|-|-"), 0,
	      "0x, spaces in names, CR LF");
	check(STR("  000000000000000010\t10   f\n"), STR("-|f|f|f|f|-|-|-"), 0,
	      "blanks and leading zeros");
	check(STR("1F 1 f\n"), STR("-|-|-|-|f|-|-|-"), 0, "upper case");
	check(STR("10 10 f\n10 10 g"), STR("-|g|g|g|g|-|-|-"), 0, "a last line without its end");
	check(STR("10 10 f\n10 10 "), STR("-|f|f|f|f|-|-|-"), 1, "a half line without a name");
	check(STR("10 10 f\n10 1"), STR("-|f|f|f|f|-|-|-"), 1, "a half line without a size");
	check(STR("10 fffffffffffffff0 f\n10 ffffffffffffffff f\n"), STR("-|-|-|-|-|-|-|-"), 2,
	      "rows that end beyond the last address");
	check(STR("11111111111111110 10 f\n10 11111111111111111 f\n"), STR("-|-|-|-|-|-|-|-"), 2,
	      "numbers of more than 64 bits");
	check(STR("10 10f\n\n\r\n0x 10 f\nx 10 f\n10\n10 \n10,10 f\n"), STR("-|-|-|-|-|-|-|-"), 6,
	      "lines that are no rows");
	check(STR("\0\0\0\n10 8 a\0b\n\xff\xfe\x00\n"), STR("-|a\0b|a\0b|-|-|-|-|-"), 2,
	      "NUL and other bytes");
}

/* --- long lines --- */

static void check_long_line(size_t bytes, bool has_end)
{
	static const uint64_t addresses[] = { 0x10, 0x20 };
	static const size_t steps[] = { 0, 4096 };
	AUTO(buf) struct buf map = { 0 };
	buf_add(&map, STR("10 10 "));
	memset(buf_reserve(&map, bytes), 'x', bytes);
	map.n += bytes;
	buf_add(&map, has_end ? STR("\n20 10 g\n") : STR(""));
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		AUTO(buf) struct buf got = { 0 };
		AUTO(perf_map_names) struct perf_map_names names = { 0 };
		names_of(buf_str(&map), steps[i], addresses, 2, &got, &names);
		size_t want = bytes < PERF_MAP_MAX_NAME_BYTES ? bytes : PERF_MAP_MAX_NAME_BYTES;
		tap_num_eq(names.names[0].name.n, want, "a name of %zu bytes, step %zu", bytes,
			   steps[i]);
		tap_str_eq(names.names[1].name, has_end ? STR("g") : STR(""),
			   "the row behind a line of %zu bytes, step %zu", bytes, steps[i]);
		tap_num_eq(names.ends_in_half_line, !has_end, "a half line of %zu bytes, step %zu",
			   bytes, steps[i]);
	}
}

/* --- random maps against the plain rule --- */

struct plain_row {
	uint64_t start, end;
	uint32_t name;
	uint64_t offset;
};

static void random_case(uint32_t row_count, uint32_t span, uint32_t max_size)
{
	uint64_t addresses[64], at = 1000;
	AUTO(buf) struct buf map = { 0 }, want = { 0 }, got = { 0 };
	AUTO(perf_map_names) struct perf_map_names names = { 0 };
	AUTO_FREE struct plain_row *rows = mem_alloc(row_count, sizeof(*rows));
	uint32_t n = 1 + random_below(ARRAY_SIZE(addresses));
	for (uint32_t i = 0; i < n; i++)
		addresses[i] = at += 1 + random_below(span / 32 + 1);
	for (uint32_t r = 0; r < row_count; r++) {
		uint64_t start = 900 + random_below(span), size = random_below(max_size);
		rows[r] = (struct plain_row){ start, start + size, r, map.n };
		buf_addf(&map, "%llx %llx n%u\n", (unsigned long long)start,
			 (unsigned long long)size, r);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t r = row_count;
		while (r-- > 0 && !(rows[r].start <= addresses[i] && addresses[i] < rows[r].end))
			;
		buf_add(&want, i ? STR("|") : STR(""));
		if (r == UINT32_MAX)
			buf_add(&want, STR("-"));
		else
			buf_addf(&want, "n%u", r);
	}
	names_of(buf_str(&map), random_below(3) * 100, addresses, n, &got, &names);
	if (!str_eq(buf_str(&got), buf_str(&want)))
		tap_str_eq(buf_str(&got), buf_str(&want), "a random map of %u rows", row_count);
}

static void check_random(void)
{
	for (uint32_t i = 0; i < 2000; i++)
		random_case(1 + random_below(60), 1 + random_below(2000), 1 + random_below(400));
	/* Enough rows that covered ones are dropped on the way, several times. */
	for (uint32_t i = 0; i < 20; i++)
		random_case(30000, 2000, 1 + random_below(3000));
	tap_ok(true, "random maps name what the last row that covers an address says");
}

/* Rows that cover all addresses, again and again: neither time nor memory may follow their product. */
static void check_churn(void)
{
	enum { N = 20000, ROWS = 400000 };
	AUTO_FREE uint64_t *addresses = mem_alloc(N, sizeof(*addresses));
	AUTO(buf) struct buf map = { 0 }, got = { 0 };
	AUTO(perf_map_names) struct perf_map_names names = { 0 };
	for (uint32_t i = 0; i < N; i++)
		addresses[i] = i;
	for (uint32_t i = 0; i < ROWS; i++)
		buf_addf(&map, "0 10000 name %u\n", i);
	names_of(buf_str(&map), 1 << 20, addresses, N, &got, &names);
	tap_num_eq(names.found, N, "churn: all addresses are named");
	tap_str_eq(names.names[7].name, STR("name 399999"), "churn: by the last row");
	tap_ok(names.text.capacity < (8 << 20), "churn: covered names are dropped");
}

/* Rows at the begin that nothing covers keep their names while others come and go. */
static void check_early_names(void)
{
	static const uint64_t addresses[] = { 0x10, 0x20, 0x30 };
	AUTO(buf) struct buf map = { 0 }, got = { 0 };
	AUTO(perf_map_names) struct perf_map_names names = { 0 };
	for (uint32_t i = 0; i < 5000; i++)
		buf_addf(&map, "30 1 name %u\n", i);
	buf_add(&map, STR("10 1 early\n20 1 second\n"));
	for (uint32_t i = 0; i < 50000; i++)
		buf_addf(&map, "30 1 another name %u\n", i);
	names_of(buf_str(&map), 0, addresses, 3, &got, &names);
	tap_str_eq(buf_str(&got), STR("early|second|another name 49999"),
		   "early names stay when covered ones are dropped");
}

/* --- as of an earlier size --- */

/* Names of `wanted`, joined by '|'; empty ones are `-`. */
static void names_as_of(struct str map, size_t step, const struct perf_map_wanted *wanted,
			uint32_t n, struct buf *out)
{
	AUTO(perf_map_names) struct perf_map_names names = { 0 };
	struct reader *r = reader_of_memory(map, step);
	perf_map_read_as_of(r, wanted, n, &names);
	uint64_t found = 0;
	for (uint32_t i = 0; i < n; i++) {
		buf_add(out, i ? STR("|") : STR(""));
		buf_add(out, names.names[i].name.n ? names.names[i].name : STR("-"));
		found += names.names[i].name.n > 0;
	}
	if (names.found != found || names.n != n)
		tap_ok(false, "counts of what was found");
	reader_free(r);
}

static void check_as_of(void)
{
	static const char map[] = "10 10 a\n10 10 b\n20 10 c\n10 10 d\n20 1 e\n";
	static const struct perf_map_wanted wanted[] = {
		{ 0x10, 0 },  { 0x10, 1 },  { 0x10, 8 },	  { 0x10, 9 },
		{ 0x10, 24 }, { 0x10, 25 }, { 0x10, UINT64_MAX }, { 0x20, 0 },
		{ 0x20, 32 }, { 0x20, 33 }, { 0x28, 0 },	  { 0x30, 3 },
	};
	static const size_t steps[] = { 0, 1, 5 };
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		AUTO(buf) struct buf got = { 0 };
		names_as_of(STR(map), steps[i], wanted, ARRAY_SIZE(wanted), &got);
		tap_str_eq(buf_str(&got), STR("a|a|a|b|b|d|d|c|c|e|c|-"),
			   "the newest row before the limit, else the first behind it, step %zu",
			   steps[i]);
	}
}

/* A map whose rows are as long as their names are random, and where each row begins. */
static void make_random_map(struct buf *map, struct plain_row *rows, uint32_t n, uint32_t span,
			    uint32_t max_size)
{
	for (uint32_t r = 0; r < n; r++) {
		uint64_t start = 900 + random_below(span), size = random_below(max_size);
		if (random_below(20) == 0)
			buf_add(map, STR("no row\n"));
		rows[r] = (struct plain_row){ start, start + size, r, map->n };
		buf_addf(map, "%llx %llx n%u%.*s\n", (unsigned long long)start,
			 (unsigned long long)size, r, (int)random_below(9), "xxxxxxxx");
	}
}

/* The index of the row that the plain rule says, or n. */
static uint32_t plain_choice(const struct plain_row *rows, uint32_t n,
			     const struct perf_map_wanted *w)
{
	uint32_t choice = n;
	for (uint32_t r = 0; r < n; r++)
		if (rows[r].start <= w->address && w->address < rows[r].end &&
		    (rows[r].offset < w->limit || choice == n))
			choice = r;
	return choice;
}

static void random_as_of(uint32_t row_count, uint32_t span, uint32_t max_size)
{
	struct perf_map_wanted wanted[300];
	AUTO(buf) struct buf map = { 0 }, want = { 0 }, got = { 0 };
	AUTO_FREE struct plain_row *rows = mem_alloc(row_count, sizeof(*rows));
	uint32_t n = 1 + random_below(ARRAY_SIZE(wanted)), limits = 1 + random_below(40);
	uint64_t at = 1000;
	make_random_map(&map, rows, row_count, span, max_size);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t limit = (uint64_t)random_below(limits) * map.n / limits + random_below(2);
		wanted[i] = (struct perf_map_wanted){ at, random_below(8) ? limit : UINT64_MAX };
		at += random_below(3) ? 0 : 1 + random_below(span / 64 + 1);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t r = plain_choice(rows, row_count, &wanted[i]);
		struct str line = str_from_byte(buf_str(&map), r < row_count ? rows[r].offset : 0);
		struct str name = str_from_byte(line, (size_t)str_find_char(line, 'n'));
		buf_add(&want, i ? STR("|") : STR(""));
		buf_add(&want, r == row_count ? STR("-")
					      : str_first(name, (size_t)str_find_char(name, '\n')));
	}
	names_as_of(buf_str(&map), random_below(3) * 100, wanted, n, &got);
	if (!str_eq(buf_str(&got), buf_str(&want)))
		tap_str_eq(buf_str(&got), buf_str(&want), "as of earlier sizes: %u rows",
			   row_count);
}

static void check_random_as_of(void)
{
	for (uint32_t i = 0; i < 3000; i++)
		random_as_of(1 + random_below(60), 1 + random_below(2000), 1 + random_below(400));
	for (uint32_t i = 0; i < 20; i++)
		random_as_of(30000, 2000, 1 + random_below(3000));
	tap_ok(true, "random maps as of earlier sizes name what the plain rule says");
}

/* Many limits: neither time nor memory may follow the product of addresses and limits. */
static void check_many_limits(void)
{
	enum { N = 100000, ROWS = 200000 };
	AUTO_FREE struct perf_map_wanted *wanted = mem_alloc(N, sizeof(*wanted));
	AUTO(buf) struct buf map = { 0 };
	AUTO(perf_map_names) struct perf_map_names names = { 0 };
	for (uint32_t i = 0; i < ROWS; i++)
		buf_addf(&map, "0 100000 %06u\n", i);
	for (uint32_t i = 0; i < N; i++)
		wanted[i] = (struct perf_map_wanted){ i, (uint64_t)(i + 1) * 32 };
	struct reader *r = reader_of_memory(buf_str(&map), 1 << 20);
	perf_map_read_as_of(r, wanted, N, &names);
	reader_free(r);
	bool ok = map.n == ROWS * 16;
	for (uint32_t i = 0; i < N && ok; i++) {
		AUTO(buf) struct buf want = { 0 };
		buf_addf(&want, "%06u", 2 * i + 1);
		ok = str_eq(names.names[i].name, buf_str(&want));
	}
	tap_ok(ok, "each of 100,000 addresses as of a size of its own");
}

int main(void)
{
	check_rows();
	check_long_line(100, true);
	check_long_line(100, false);
	check_long_line(PERF_MAP_MAX_NAME_BYTES + 1, true);
	check_long_line(70000, true);
	check_long_line(200000, true);
	check_long_line(200000, false);
	check_random();
	check_churn();
	check_early_names();
	check_as_of();
	check_random_as_of();
	check_many_limits();
	return tap_done();
}
