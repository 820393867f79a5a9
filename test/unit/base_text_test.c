/* Text and the memory it lives in: str, str_sort, buf, arena, vec. */
#include "base/base.h"
#include "random.h"
#include "tap.h"

#include <errno.h>
#include <unistd.h>

#include <stdalign.h>

static void check_trim(void)
{
	tap_str_eq(str_trim(STR(" \t\r\n\v\fa b \n")), STR("a b"),
		   "trim takes white space at both ends");
	tap_str_eq(str_trim(STR("ab")), STR("ab"), "trim leaves what has no white space");
	tap_num_eq(str_trim(STR(" \n ")).n, 0, "trim of white space is empty");
	tap_num_eq(str_trim((struct str){ 0 }).n, 0, "trim of nothing is empty");
	tap_str_eq(str_trim(STR("\0 ")), STR("\0"), "NUL is not white space");
}

static void check_compare(void)
{
	tap_ok(str_compare(STR("a"), STR("b")) < 0, "a is before b");
	tap_ok(str_compare(STR("b"), STR("ab")) > 0, "b is after ab");
	tap_ok(str_compare(STR("a"), STR("a\0")) < 0, "a prefix is before what it is a prefix of");
	tap_ok(str_compare(STR("\x80"), STR("a")) > 0, "bytes are compared without sign");
	tap_ok(str_compare((struct str){ 0 }, STR("")) == 0, "nothing equals the empty string");
	tap_ok(str_compare(STR("abc"), STR("abc")) == 0, "equal strings compare as equal");
}

static void check_find(void)
{
	tap_ok(str_find_char(STR("abcabc"), 'b') == 1, "the first b");
	tap_ok(str_find_last_char(STR("abcabc"), 'b') == 4, "the last b");
	tap_ok(str_find_char(STR("abc"), 'x') == -1, "no x");
	tap_ok(str_find_char((struct str){ 0 }, 'x') == -1, "no x in nothing");
	tap_ok(str_find_last_char((struct str){ 0 }, 'x') == -1, "no last x in nothing");
	tap_ok(str_find_char(STR("a\0b"), 'b') == 2, "find goes on behind a NUL");
	tap_ok(str_find(STR("aaab"), STR("ab")) == 2, "a needle behind a false start");
	tap_ok(str_find(STR("ab"), STR("abc")) == -1, "a needle longer than the text");
	tap_ok(str_find(STR("ab"), STR("ab")) == 0, "a needle that is all of the text");
	tap_ok(str_find(STR("ab"), STR("")) == 0, "the empty needle is at the start");
}

static void check_parts(void)
{
	tap_str_eq(str_basename(STR("/usr/lib/libc.so")), STR("libc.so"), "basename of a path");
	tap_str_eq(str_basename(STR("libc.so")), STR("libc.so"), "basename of a bare name");
	tap_num_eq(str_basename(STR("/usr/")).n, 0, "basename of a folder is empty");
	tap_num_eq(str_basename(STR("")).n, 0, "basename of nothing is empty");
	tap_ok(str_starts(STR("abc"), STR("ab")), "abc starts with ab");
	tap_ok(!str_starts(STR("a"), STR("ab")), "a does not start with ab");
	tap_ok(str_ends(STR("abc"), STR("bc")), "abc ends with bc");
	tap_ok(!str_ends(STR("c"), STR("bc")), "c does not end with bc");
	tap_num_eq(str_from_byte(STR("abc"), 9).n, 0, "from a byte beyond the end is empty");
	tap_str_eq(str_first(STR("abc"), 9), STR("abc"), "the first 9 of 3 bytes are all");
}

static void check_u64(struct str text, bool is_number, uint64_t want)
{
	uint64_t value = 7;
	bool ok = str_to_u64(text, &value);
	tap_ok(ok == is_number && (!ok || value == want), "u64: '%.*s'", STR_ARG(text));
}

static void check_i32(struct str text, bool is_number, int32_t want)
{
	int32_t value = 7;
	bool ok = str_to_i32(text, &value);
	tap_ok(ok == is_number && (!ok || value == want), "i32: '%.*s'", STR_ARG(text));
}

static void check_hex(struct str text, bool is_number, uint64_t want)
{
	uint64_t value = 7;
	bool ok = str_hex_to_u64(text, &value);
	tap_ok(ok == is_number && (!ok || value == want), "hexadecimal: '%.*s'", STR_ARG(text));
}

static void check_distances(void)
{
	tap_num_eq(str_distance(STR("page-faults"), STR("PAGE-fault")), 0, "a part is no distance");
	tap_num_eq(str_distance(STR("cpu-clock"), STR("cpu_clok")), 2, "a letter, and one less");
	tap_num_eq(str_distance(STR(""), STR("abc")), 3, "nothing in common");
	tap_num_eq(str_distance(STR("abc"), STR("")), 0, "nothing is in everything");
}

static void check_numbers(void)
{
	check_hex(STR("01c2"), true, 0x1c2);
	check_hex(STR("FFFFFFFFFFFFFFFF"), true, UINT64_MAX);
	check_hex(STR("10000000000000000"), false, 0);
	check_hex(STR("0x1"), false, 0);
	check_hex(STR(""), false, 0);
	check_u64(STR("0"), true, 0);
	check_u64(STR("007"), true, 7);
	check_u64(STR("18446744073709551615"), true, UINT64_MAX);
	check_u64(STR("18446744073709551616"), false, 0);
	check_u64(STR("99999999999999999999"), false, 0);
	check_u64(STR(""), false, 0);
	check_u64(STR("-1"), false, 0);
	check_u64(STR("+1"), false, 0);
	check_u64(STR("1 "), false, 0);
	check_u64(STR("1\0"), false, 0);
	check_u64(STR("0x1"), false, 0);
	check_i32(STR("2147483647"), true, INT32_MAX);
	check_i32(STR("2147483648"), false, 0);
	check_i32(STR("-2147483647"), true, -INT32_MAX);
	check_i32(STR("-2147483649"), false, 0);
	check_i32(STR("-0"), true, 0);
	check_i32(STR("-"), false, 0);
	check_i32(STR("--1"), false, 0);
	check_i32(STR(""), false, 0);
}

/* --- str_sort --- */

enum { SORT_COUNT = 3000, SORT_MAX_BYTES = 64 };

static const struct str *sorted_strings;

static int by_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = str_compare(sorted_strings[x], sorted_strings[y]);
	return order ? order : (x > y) - (x < y);
}

static void check_sort(const struct str *strings, uint32_t n, const char *what)
{
	uint32_t *got = mem_zalloc(n, sizeof(*got)), *want = mem_zalloc(n, sizeof(*want));
	for (uint32_t i = 0; i < n; i++)
		want[i] = i;
	sorted_strings = strings;
	qsort(want, n, sizeof(*want), by_compare);
	str_sort(strings, got, n);
	tap_ok(memcmp(got, want, n * sizeof(*got)) == 0, "str_sort: %s", what);
	free(got);
	free(want);
}

/* Bytes of `alphabet` behind one of three prefixes of `shared` bytes. */
static void check_random_sort(uint32_t shared, struct str alphabet, const char *what)
{
	AUTO(arena) struct arena a = { 0 };
	struct str *strings = mem_alloc(SORT_COUNT, sizeof(*strings));
	char text[SORT_MAX_BYTES];
	for (uint32_t i = 0; i < SORT_COUNT; i++) {
		size_t n = shared + random_below(SORT_MAX_BYTES - shared);
		memset(text, 'p' + (int)random_below(3), shared);
		for (size_t at = shared; at < n; at++)
			text[at] = alphabet.p[random_below((uint32_t)alphabet.n)];
		strings[i] = arena_copy(&a, (struct str){ text, n });
	}
	check_sort(strings, SORT_COUNT, what);
	free(strings);
}

static void check_sorts(void)
{
	static const struct str equal[] = { STR("b"), STR("a"), STR("b"), STR("a"), STR("b") };
	static const struct str zeros[] = {
		STR("\0\0\0\0\0\0\0\0\0"),
		STR("\0"),
		STR("\0\0\0\0\0\0\0\0"),
		STR(""),
		STR("\0\0\0\0\0\0\0"),
		STR("a\0\0"),
		STR("a"),
		STR("a\0\0\0\0\0\0\0b"),
		STR("a\0"),
	};
	static const struct str lengths[] = { STR("12345678x"), STR("12345678"), STR("1234567"),
					      STR("1234567\xff"), STR("12345678") };
	str_sort(NULL, NULL, 0);
	tap_ok(true, "str_sort: nothing");
	check_sort(equal, ARRAY_SIZE(equal), "equal ones stay as given");
	check_sort(zeros, ARRAY_SIZE(zeros), "strings that differ in zero bytes at the end");
	check_sort(lengths, ARRAY_SIZE(lengths), "ends at the border of a word");
	check_sort((struct str[]){ { 0 }, STR("a"), STR(""), { 0 } }, 4, "empty ones come first");
	check_random_sort(0, STR("ab\0"), "random strings with NULs");
	check_random_sort(0, STR("\x01\x7f\x80\xff"), "random strings of high bytes");
	check_random_sort(41, STR("xy\0"), "random strings with long shared prefixes");
	check_random_sort(56, STR("\0"), "random strings that end in zeros only");
	check_random_sort(58, STR("xy"), "random strings that differ late");
	check_random_sort(61, STR("z"), "many equal strings");
}

/* --- buf --- */

static void check_buf_growth(void)
{
	AUTO(buf) struct buf b = { 0 };
	bool ok = true;
	for (uint32_t i = 0; i < 100000; i++)
		buf_add_char(&b, (char)('a' + i % 26));
	for (uint32_t i = 0; i < b.n; i++)
		ok &= b.p[i] == (char)('a' + i % 26);
	tap_ok(ok && b.n == 100000, "buf keeps all characters while it grows");
	size_t before = b.n;
	char *room = buf_reserve(&b, 1 << 20);
	memset(room, 'x', 1 << 20);
	tap_num_eq(b.n, before, "reserving does not change the length");
	buf_add(&b, (struct str){ 0 });
	tap_num_eq(b.n, before, "adding nothing adds nothing");
	tap_ok(buf_c_string(&b)[b.n] == '\0' && b.n == before, "the NUL of a C string is outside");
}

static void check_buf_addf(void)
{
	AUTO(buf) struct buf b = { 0 }, long_text = { 0 };
	buf_addf(&b, "%s", "");
	tap_num_eq(b.n, 0, "addf of nothing");
	buf_addf(&b, "%d-%s", -7, "x");
	buf_addf(&b, "%c", 'y');
	tap_str_eq(buf_str(&b), STR("-7-xy"), "addf appends");
	buf_addf(&long_text, "%5000s", "z");
	tap_ok(long_text.n == 5000 && long_text.p[4999] == 'z', "addf makes room for a long text");
}

static void check_digits(uint64_t value, struct str plain, struct str grouped)
{
	AUTO(buf) struct buf b = { 0 };
	buf_add_u64(&b, value);
	tap_str_eq(buf_str(&b), plain, "digits of %.*s", STR_ARG(plain));
	b.n = 0;
	buf_add_grouped(&b, value);
	tap_str_eq(buf_str(&b), grouped, "groups of %.*s", STR_ARG(plain));
}

/* --- arena and vec --- */

static void check_arena_alignment(void)
{
	AUTO(arena) struct arena a = { 0 };
	bool ok = true;
	for (uint32_t i = 0; i < 3000; i++) {
		char *p = arena_alloc(&a, i % 97 + 1);
		ok &= (uintptr_t)p % alignof(max_align_t) == 0;
		memset(p, 1, i % 97 + 1);
		arena_copy(&a, str_first(STR("0123456789"), i % 10));
	}
	tap_ok(ok, "arena memory is aligned among unaligned copies");
}

/* Padding that still fits, with the piece behind it that does not. */
static void check_arena_alignment_at_block_end(void)
{
	struct arena a = { 0 };
	bool aligned = true;
	for (size_t n = 1; n < 3000; n++) {
		arena_copy(&a, (struct str){ "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", n % 31 });
		aligned &= (uintptr_t)arena_alloc(&a, n % 40) % alignof(max_align_t) == 0;
	}
	tap_ok(aligned, "pieces are aligned where a block ends, too");
	arena_fini(&a);
}

static void check_arena_copies(void)
{
	AUTO(arena) struct arena a = { 0 };
	AUTO(buf) struct buf text = { 0 };
	VEC(struct str) copies = { 0 };
	bool ok = true;
	for (uint32_t i = 0; i < 20000; i++) {
		text.n = 0;
		buf_addf(&text, "%0*u", (int)(1 + i % 50), i);
		vec_push(&copies, arena_copy(&a, buf_str(&text)));
		if (i % 1000 == 0)
			memset(arena_alloc(&a, 3 << 20), 0xff, 3 << 20);
	}
	for (uint32_t i = 0; i < copies.n; i++) {
		text.n = 0;
		buf_addf(&text, "%0*u", (int)(1 + i % 50), i);
		ok &= str_eq(copies.p[i], buf_str(&text)) && copies.p[i].p[copies.p[i].n] == '\0';
	}
	tap_ok(ok, "copies survive blocks of 3 MiB between them, each with a NUL behind it");
	struct str none = arena_copy(&a, (struct str){ 0 });
	tap_ok(none.n == 0 && none.p && none.p[0] == '\0',
	       "a copy of nothing is an empty C string");
	vec_fini(&copies);
}

static void check_vec(void)
{
	VEC(uint64_t) v = { 0 };
	bool ok = true;
	for (uint64_t i = 0; i < 50000; i++)
		vec_push(&v, i * i);
	for (uint64_t i = 0; i < v.n; i++)
		ok &= v.p[i] == i * i;
	tap_ok(ok && v.n == 50000, "vec keeps its elements while it grows");
	vec_reserve(&v, 200000);
	tap_ok(v.capacity >= 200000 && v.n == 50000, "reserving changes the capacity only");
	uint32_t capacity = v.capacity;
	vec_reserve(&v, 10);
	tap_num_eq(v.capacity, capacity, "reserving less does not shrink");
	vec_fini(&v);
	tap_ok(!v.p && !v.n && !v.capacity, "a finished vec is empty");
}

static void check_text_file(void)
{
	AUTO(buf) struct buf text = { 0 }, whole = { 0 };
	char path[] = "/tmp/plume-text-XXXXXX";
	int fd = mkstemp(path);
	for (unsigned i = 0; i < 3000; i++)
		buf_add(&whole, STR(" 42\n"));
	tap_ok(write(fd, whole.p, whole.n) == (ssize_t)whole.n, "text file: written");
	close(fd);
	buf_add(&text, STR("before"));
	tap_ok(text_file_read(path, 1 << 20, &text), "text file: read");
	tap_ok(str_eq(buf_str(&text), buf_str(&whole)), "text file: whole");
	text_file_read(path, 5, &text);
	tap_str_eq(buf_str(&text), STR(" 42\n "), "text file: no more than the limit");
	tap_num_eq((uint64_t)text_file_number(path, -1), (uint64_t)-1, "text file: not a number");
	tap_ok(truncate(path, 4) == 0 && text_file_setting(path, &text), "text file: a setting");
	tap_str_eq(buf_str(&text), STR("42"), "text file: without white space");
	tap_num_eq((uint64_t)text_file_number(path, -1), 42, "text file: its number");
	unlink(path);
	errno = 0;
	tap_ok(!text_file_read(path, 10, &text) && errno == ENOENT, "text file: errno says why");
	tap_ok(!text.n && text_file_number(path, 7) == 7, "text file: missing");
}

int main(void)
{
	check_text_file();
	check_trim();
	check_compare();
	check_find();
	check_parts();
	check_numbers();
	check_distances();
	check_sorts();
	check_buf_growth();
	check_buf_addf();
	check_digits(0, STR("0"), STR("0"));
	check_digits(999, STR("999"), STR("999"));
	check_digits(1000, STR("1000"), STR("1,000"));
	check_digits(1234567, STR("1234567"), STR("1,234,567"));
	check_digits(UINT64_MAX, STR("18446744073709551615"), STR("18,446,744,073,709,551,615"));
	check_arena_alignment();
	check_arena_alignment_at_block_end();
	check_arena_copies();
	check_vec();
	return tap_done();
}
