/* jitdump: code by address and time, in both byte orders, and files that lie or end early. */
#include "jit/jit.h"
#include "random.h"
#include "tap.h"

static bool is_swapped; /* what is written */

static void add_u32(struct buf *b, uint32_t value)
{
	value = is_swapped ? __builtin_bswap32(value) : value;
	buf_add(b, (struct str){ (const char *)&value, sizeof(value) });
}

static void add_u64(struct buf *b, uint64_t value)
{
	value = is_swapped ? __builtin_bswap64(value) : value;
	buf_add(b, (struct str){ (const char *)&value, sizeof(value) });
}

static void add_header(struct buf *b, uint64_t flags)
{
	static const uint32_t fields[] = { 0x4A695444, 1, 40, 62, 0, 4711 };
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		add_u32(b, fields[i]);
	add_u64(b, 1);
	add_u64(b, flags);
}

static void add_prefix(struct buf *b, uint32_t id, size_t bytes, uint64_t time)
{
	add_u32(b, id);
	add_u32(b, (uint32_t)bytes);
	add_u64(b, time);
}

static void add_load(struct buf *b, uint64_t time, uint64_t start, uint64_t size, const char *name)
{
	size_t code_bytes = size < 64 ? size : 64;
	add_prefix(b, 0, 16 + 40 + strlen(name) + 1 + code_bytes, time);
	add_u64(b, 0);
	add_u64(b, start);
	add_u64(b, start);
	add_u64(b, size);
	add_u64(b, 0);
	buf_add(b, (struct str){ name, strlen(name) + 1 });
	memset(buf_reserve(b, code_bytes), 0x90, code_bytes);
	b->n += code_bytes;
}

static void add_move(struct buf *b, uint64_t time, uint64_t from, uint64_t to, uint64_t size)
{
	add_prefix(b, 1, 16 + 48, time);
	add_u64(b, 0);
	add_u64(b, to);
	add_u64(b, from);
	add_u64(b, to);
	add_u64(b, size);
	add_u64(b, 0);
}

/* Two lines: 10 at shift, 20 at shift + 8, the second with the mark for the same file. */
static void add_lines(struct buf *b, uint64_t start, uint64_t shift)
{
	add_prefix(b, 2, 16 + 16 + 2 * 16 + sizeof("a.js") + sizeof("\xff"), 0);
	add_u64(b, start);
	add_u64(b, 2);
	add_u64(b, start + shift);
	add_u32(b, 10);
	add_u32(b, 0);
	buf_add(b, (struct str){ "a.js", sizeof("a.js") });
	add_u64(b, start + shift + 8);
	add_u32(b, 20);
	add_u32(b, 0);
	buf_add(b, (struct str){ "\xff", sizeof("\xff") });
}

/* size: how many bytes there are; the record says that they are `both`, of which `table` are no .eh_frame. */
static void add_unwinding(struct buf *b, uint64_t both, uint64_t table, uint64_t mapped, char fill,
			  size_t size)
{
	add_prefix(b, 4, 16 + 24 + size, 0);
	add_u64(b, both);
	add_u64(b, table);
	add_u64(b, mapped);
	memset(buf_reserve(b, size), fill, size);
	b->n += size;
}

static struct jitdump *read_dump(struct str bytes, size_t step)
{
	struct err e = { 0 };
	struct reader *r = reader_of_memory(bytes, step);
	struct jitdump *j = jitdump_read(r, NULL, &e);
	reader_free(r);
	return j;
}

/* Each line of a table is small; together they may be more than memory has. */
static void check_budget(void)
{
	enum { CODES = 1000, LINES = 1000000 };
	AUTO(buf) struct buf b = { 0 };
	struct err e = { 0 };
	struct budget budget = budget_of_owner(0);
	budget.most_held_bytes = 1 << 20;
	add_header(&b, 0);
	for (uint64_t i = 0; i < CODES; i++)
		add_load(&b, 100 + i, 0x1000 * i, 0x100, "f");
	add_prefix(&b, 2, 16 + 16 + 17 * LINES, 5000);
	add_u64(&b, 0);
	add_u64(&b, LINES);
	memset(buf_reserve(&b, 17 * (size_t)LINES), 0, 17 * (size_t)LINES);
	b.n += 17 * (size_t)LINES;
	add_load(&b, 6000, 0x1000, 0x100, "g");
	struct reader *r = reader_of_memory(buf_str(&b), 1 << 16);
	struct jitdump *j = jitdump_read(r, &budget, &e);
	reader_free(r);
	tap_ok(budget.is_spent && budget.was_memory, "lines without end: the budget ends");
	tap_num_eq(jitdump_count(j), CODES, "... what was before them is there");
	tap_ok(jitdump_damage(j) != NULL, "... and that there was more is said: %s",
	       jitdump_damage(j));
	jitdump_free(j);
}

static struct str name_at(const struct jitdump *j, uint64_t address, uint64_t time)
{
	uint32_t code = jitdump_find(j, address, time);
	return code == INDEX_NONE ? STR("-") : jitdump_name(j, code);
}

static void add_sample(struct buf *b)
{
	add_header(b, 0);
	add_load(b, 100, 0x1000, 0x100, "first");
	add_load(b, 200, 0x1080, 0x100, "second");
	add_prefix(b, 4, 16 + 24, 250); /* unwinding info */
	memset(buf_reserve(b, 24), 0, 24);
	b->n += 24;
	add_move(b, 300, 0x1000, 0x5000, 0x100);
	add_load(b, 400, 0x5010, 0x10, "inside");
	add_move(b, 420, 0x5000, 0x7000, 0x100);
	add_prefix(b, 99, 20, 450); /* of a version to come */
	add_u32(b, 0);
	add_prefix(b, 3, 16, 500); /* close */
}

static void check_sample(size_t step)
{
	static const struct {
		uint64_t address, time;
		const char *name;
	} cases[] = {
		{ 0x1000, 99, "-" },	     { 0x1000, 100, "first" },	{ 0xfff, 999, "-" },
		{ 0x10ff, 199, "first" },    { 0x10ff, 200, "second" }, { 0x107f, 200, "first" },
		{ 0x117f, 200, "second" },   { 0x1180, 200, "-" },	{ 0x5000, 299, "-" },
		{ 0x50ff, 300, "first" },    { 0x5010, 399, "first" },	{ 0x5010, 400, "inside" },
		{ 0x7000, 419, "-" },	     { 0x7000, 420, "first" },	{ 0x5020, 400, "first" },
		{ 0x1080, ~0ull, "second" },
	};
	AUTO(buf) struct buf b = { 0 };
	add_sample(&b);
	struct jitdump *j = read_dump(buf_str(&b), step);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		tap_str_eq(name_at(j, cases[i].address, cases[i].time), str_from(cases[i].name),
			   "%llx at %llu, step %zu, %s", (unsigned long long)cases[i].address,
			   (unsigned long long)cases[i].time, step,
			   is_swapped ? "the other byte order" : "this byte order");
	tap_num_eq((uint64_t)jitdump_pid(j), 4711, "the pid");
	tap_ok(!jitdump_damage(j), "no damage");
	jitdump_free(j);
}

static void check_lines(uint64_t shift)
{
	struct str file = { 0 };
	uint32_t line = 0;
	AUTO(buf) struct buf b = { 0 };
	add_header(&b, 0);
	add_lines(&b, 0x1000, shift);
	add_load(&b, 1, 0x1000, 0x100, "f");
	add_lines(&b, 0x2000, shift);
	add_load(&b, 1, 0x3000, 0x100, "g");
	struct jitdump *j = read_dump(buf_str(&b), 0);
	uint32_t f = jitdump_find(j, 0x1000, 1), g = jitdump_find(j, 0x3000, 1);
	tap_ok(jitdump_line(j, f, 0x1007, &file, &line) && line == 10, "first line, by %d",
	       (int)shift);
	tap_ok(jitdump_line(j, f, 0x1008, &file, &line) && line == 20 && str_eq(file, STR("a.js")),
	       "second line, of the same file, by %d", (int)shift);
	tap_ok(!jitdump_line(j, f, 0x1100, &file, &line), "no line behind the code");
	tap_ok(!jitdump_line(j, g, 0x3000, &file, &line), "lines of other code are not its own");
	jitdump_free(j);
}

/* A line far outside of the code: nothing in the table can be believed. */
static void check_rubbish_lines(void)
{
	struct str file;
	uint32_t line;
	AUTO(buf) struct buf b = { 0 };
	add_header(&b, 0);
	add_lines(&b, 0x1000, 0);
	add_load(&b, 1, 0x1000, 0x100, "f");
	add_lines(&b, 0x2000, 0x200);
	add_load(&b, 1, 0x2000, 0x100, "g");
	add_lines(&b, 0x3000, 0x100000000ull);
	add_load(&b, 1, 0x3000, 0x100, "h");
	struct jitdump *j = read_dump(buf_str(&b), 0);
	tap_ok(jitdump_line(j, jitdump_find(j, 0x1010, 1), 0x1010, &file, &line), "a sound table");
	tap_ok(!jitdump_line(j, jitdump_find(j, 0x20ff, 1), 0x20ff, &file, &line),
	       "lines outside of the code");
	tap_ok(!jitdump_line(j, jitdump_find(j, 0x30ff, 1), 0x30ff, &file, &line),
	       "lines far outside of the code");
	jitdump_free(j);
}

static void check_clock(void)
{
	AUTO(buf) struct buf b = { 0 };
	add_header(&b, 1);
	add_load(&b, 1000, 0x1000, 0x100, "f");
	struct jitdump *j = read_dump(buf_str(&b), 0);
	tap_str_eq(name_at(j, 0x1000, 1), STR("f"), "times of another clock are not compared");
	jitdump_free(j);
}

static bool unwinding_at(const struct jitdump *j, uint64_t address, uint64_t time,
			 struct jitdump_unwinding *u)
{
	uint32_t code = jitdump_find(j, address, time);
	*u = (struct jitdump_unwinding){ 0 };
	return code != INDEX_NONE && jitdump_unwinding(j, code, u);
}

/* Records of unwinding come before the code that they are of, .eh_frame before the table that it is searched by. */
static void check_unwinding(size_t step)
{
	struct jitdump_unwinding u;
	AUTO(buf) struct buf b = { 0 };
	add_header(&b, 0);
	add_unwinding(&b, 60, 20, 64, 'a', 64);
	add_load(&b, 1, 0x1000, 0x11, "first");
	add_unwinding(&b, 60, 20, 64, 'a', 64);
	add_load(&b, 2, 0x2000, 0x11, "alike");
	add_load(&b, 3, 0x3000, 0x11, "nothing is said of it");
	add_unwinding(&b, 60, 20, 64, 'a', 64);
	add_load(&b, 4, 0x4000, 0x20, "larger");
	add_unwinding(&b, 60, 60, 0, 'b', 64);
	add_load(&b, 5, 0x5000, 0x20, "only a table");
	add_move(&b, 6, 0x2000, 0x6000, 0x11);
	struct jitdump *j = read_dump(buf_str(&b), step);
	tap_ok(unwinding_at(j, 0x1001, 9, &u) && u.start == 0x1000 && u.size_bytes == 0x11 &&
		       u.bias == 0,
	       "unwinding, step %zu", step);
	tap_str_eq(u.eh_frame, STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), "its .eh_frame");
	tap_num_eq(u.address, 0x1018, "... which is behind the code, at a multiple of 8");
	tap_ok(unwinding_at(j, 0x2001, 4, &u) && u.id == 0 && u.bias == 0x1000,
	       "code that shares it");
	tap_ok(unwinding_at(j, 0x6001, 9, &u) && u.id == 0 && u.bias == 0x5000, "code that moved");
	tap_ok(!unwinding_at(j, 0x3001, 9, &u), "it is of the next code only");
	tap_ok(unwinding_at(j, 0x4001, 9, &u) && u.id == 1 && u.address == 0x4020,
	       "code of another size");
	tap_ok(!unwinding_at(j, 0x5001, 9, &u), "a table without .eh_frame");
	tap_num_eq(jitdump_unwinding_count(j), 2, "what is alike is kept once");
	tap_ok(!jitdump_damage(j), "no damage");
	jitdump_free(j);
}

static void check_lying_unwinding(void)
{
	static const struct {
		uint64_t both, table, mapped;
		size_t size;
		bool is_read;
		const char *what;
	} cases[] = {
		{ 61, 20, 0, 60, false, "more than the record has" },
		{ ~0ull, 20, 0, 60, false, "more than any file has" },
		{ 60, 61, 0, 60, false, "a table larger than all of it" },
		{ 60, ~0ull, 0, 60, false, "a table larger than any file" },
		{ 60, 20, ~0ull, 60, true, "more than memory is mapped" },
		{ 60, 20, 0, 60, true, "nothing is mapped" },
		{ 0, 0, 0, 0, false, "nothing" },
		{ 2 << 20, 0, 0, 2 << 20, false, "2 MiB for one piece of code" },
	};
	struct jitdump_unwinding u;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(buf) struct buf b = { 0 };
		add_header(&b, 0);
		add_unwinding(&b, cases[i].both, cases[i].table, cases[i].mapped, 'a',
			      cases[i].size);
		add_load(&b, 1, 0x1000, 0x10, "f");
		struct jitdump *j = read_dump(buf_str(&b), i % 2 * 7);
		tap_str_eq(name_at(j, 0x1001, 9), STR("f"), "unwinding that lies: %s",
			   cases[i].what);
		tap_num_eq(unwinding_at(j, 0x1001, 9, &u), cases[i].is_read, "... is %s",
			   cases[i].is_read ? "read" : "left out");
		jitdump_free(j);
	}
	AUTO(buf) struct buf b = { 0 };
	add_header(&b, 0);
	add_prefix(&b, 4, 16, 1);
	add_load(&b, 1, 0x1000, 0x10, "f");
	struct jitdump *j = read_dump(buf_str(&b), 0);
	tap_str_eq(name_at(j, 0x1001, 9), STR("f"), "unwinding without fields");
	jitdump_free(j);
}

static void check_cut(void)
{
	AUTO(buf) struct buf b = { 0 };
	bool ok = true;
	uint32_t before = 0;
	add_sample(&b);
	for (size_t n = 0; n <= b.n; n++) {
		AUTO_FREE char *copy = mem_alloc(n, 1);
		memcpy(copy, b.p, n);
		struct jitdump *j = read_dump((struct str){ copy, n }, n % 3);
		ok &= (n < 40) == !j;
		ok &= !j || jitdump_count(j) >= before;
		before = j ? jitdump_count(j) : 0;
		jitdump_free(j);
	}
	tap_ok(ok && before == 5, "cut at every byte, more is known the more there is");
	struct jitdump *j = read_dump(str_first(buf_str(&b), 150), 0);
	tap_str_eq(str_from(jitdump_damage(j)), STR("the record at byte 40 is truncated"),
		   "where it is cut");
	jitdump_free(j);
}

static void check_lies(void)
{
	struct err e = { 0 };
	AUTO(buf) struct buf b = { 0 };
	add_header(&b, 0);
	add_load(&b, 1, ~0ull - 10, 0x100, "beyond the last address");
	add_load(&b, 1, 0x1000, 0, "empty");
	add_load(&b, 1, 0, ~0ull, "everything");
	add_prefix(&b, 0, 3, 1);
	struct jitdump *j = read_dump(buf_str(&b), 0);
	tap_num_eq(jitdump_count(j), 1, "code that cannot be is left out");
	tap_str_eq(name_at(j, 0x1000, 1), STR("everything"), "what can be is kept");
	tap_str_eq(str_from(jitdump_damage(j)),
		   STR("the record at byte 377 is smaller than its own header"),
		   "a size that lies");
	jitdump_free(j);
	struct reader *r = reader_of_memory(STR("0123456789012345678901234567890123456789"), 0);
	tap_ok(!jitdump_read(r, NULL, &e), "not a jitdump");
	tap_str_eq(str_from(e.text), STR("memory: not a jitdump"), "and said so");
	reader_free(r);
}

struct plain_code {
	uint64_t start, end, time;
};

static struct str plain_find(const struct plain_code *codes, uint32_t n, uint64_t address,
			     uint64_t time, char *name)
{
	uint32_t best = n;
	for (uint32_t i = 0; i < n; i++)
		if (codes[i].start <= address && address < codes[i].end && codes[i].time <= time &&
		    (best == n || codes[i].time >= codes[best].time))
			best = i;
	if (best == n)
		return STR("-");
	return (struct str){ name, (size_t)snprintf(name, 16, "n%u", best) };
}

static void check_random(void)
{
	enum { MAX_CODES = 60 };
	struct plain_code codes[MAX_CODES];
	char name[16];
	uint32_t bad = 0;
	for (uint32_t round = 0; round < 500; round++) {
		uint32_t n = 1 + random_below(MAX_CODES), span = 1 + random_below(300);
		AUTO(buf) struct buf b = { 0 };
		add_header(&b, 0);
		for (uint32_t i = 0; i < n; i++) {
			uint64_t start = random_below(span), size = 1 + random_below(span);
			codes[i] = (struct plain_code){ start, start + size, random_below(50) };
			snprintf(name, sizeof(name), "n%u", i);
			add_load(&b, codes[i].time, start, size, name);
		}
		struct jitdump *j = read_dump(buf_str(&b), 0);
		for (uint32_t i = 0; i < 200; i++) {
			uint64_t address = random_below(2 * span + 2), time = random_below(60);
			bad += !str_eq(name_at(j, address, time),
				       plain_find(codes, n, address, time, name));
		}
		jitdump_free(j);
	}
	tap_num_eq(bad, 0, "random code is found as by looking at all of it");
}

static void check_names(void)
{
	tap_ok(jitdump_has_name(STR("/tmp/jit-12.dump")), "the name that perf knows");
	tap_ok(jitdump_has_name(STR("/tmp/jit-13-12-aB3xYz")), "the name that Bun uses");
	tap_ok(!jitdump_has_name(STR("/tmp/jit-13-12-aB3xY")) &&
		       !jitdump_has_name(STR("/tmp/jit-13-aB3xYz")) &&
		       !jitdump_has_name(STR("/tmp/jit-")) &&
		       !jitdump_has_name(STR("/tmp/jit-x-12-aB3xYz")) &&
		       !jitdump_has_name(STR("/tmp/my-jit-12.dump")),
	       "other files");
}

int main(void)
{
	check_names();
	check_budget();
	check_sample(0);
	check_sample(1);
	check_unwinding(0);
	check_unwinding(1);
	check_lying_unwinding();
	is_swapped = true;
	check_sample(7);
	check_unwinding(7);
	check_lines(0x40);
	is_swapped = false;
	check_lines(0);
	check_lines(0x40);
	check_rubbish_lines();
	check_clock();
	check_cut();
	check_lies();
	check_random();
	return tap_done();
}
