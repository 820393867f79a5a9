/*
 * Names as they are shown. The cases are in symbol_names.txt, three lines each: what is done (tidy,
 * split or tier), the name, and what should come out; parts of a split name are joined by " | ".
 * Here are only those that a line of text cannot hold.
 */
#include "name/name.h"
#include "tap.h"

#include <stdio.h>

#define MAX_PARTS 8

static void add_split(struct str name, struct buf *out)
{
	struct str parts[MAX_PARTS];
	size_t n = name_split_inlines(name, parts, MAX_PARTS);
	for (size_t i = 0; i < n; i++) {
		buf_add(out, i ? STR(" | ") : STR(""));
		buf_add(out, parts[i]);
	}
}

static void add_tier(struct str name, struct buf *out)
{
	size_t mark_at = 0;
	enum name_tier tier = name_v8_tier(name, &mark_at);
	if (tier == NAME_TIER_NONE)
		buf_add(out, STR("none"));
	else
		buf_addf(out, "%c %zu", (char)tier, mark_at);
}

static void check_case(struct str kind, struct str name, struct str want)
{
	AUTO(buf) struct buf got = { 0 };
	if (str_eq(kind, STR("tidy")))
		name_tidy(name, &got);
	else if (str_eq(kind, STR("split")))
		add_split(name, &got);
	else if (str_eq(kind, STR("tier")))
		add_tier(name, &got);
	else
		buf_add(&got, STR("(a kind of case that the test does not know)"));
	tap_str_eq(buf_str(&got), want, "%.*s: %.*s", STR_ARG(kind), STR_ARG(name));
}

static struct str read_line(FILE *file, char **line, size_t *capacity)
{
	ssize_t n = getline(line, capacity, file);
	if (n < 0)
		return (struct str){ 0 };
	return (struct str){ *line, (size_t)n - ((*line)[n - 1] == '\n') };
}

static size_t check_file(FILE *file)
{
	size_t n = 0;
	AUTO(arena) struct arena a = { 0 };
	AUTO_FREE char *line = NULL;
	size_t capacity = 0;
	while (!feof(file)) {
		struct str kind = arena_copy(&a, read_line(file, &line, &capacity));
		if (kind.n == 0)
			continue;
		struct str name = arena_copy(&a, read_line(file, &line, &capacity));
		check_case(kind, name, read_line(file, &line, &capacity));
		n++;
	}
	return n;
}

static void check_tidy(struct str name, struct str want, const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	buf_add(&got, STR("before;"));
	name_tidy(name, &got);
	tap_ok(str_starts(buf_str(&got), STR("before;")), "%s: what was there stays", what);
	tap_str_eq(str_from_byte(buf_str(&got), 7), want, "%s", what);
}

static void check_abi(const char *symbol, const char *want)
{
	tap_str_eq(name_without_abi(str_from(symbol)), str_from(want), "%s without its ABI",
		   symbol);
}

static void check_control_characters(void)
{
	check_tidy(STR("a\nb\rc\td\0e\1f\x7f"), STR("a b c d e\1f\x7f"), "line ends, tab and NUL");
	check_tidy(STR("_Z3usev\0"), STR("_Z3usev "), "NUL behind a mangled name");
	check_tidy(STR("JS:*a\nb"), STR("JS:*a b"), "newline in a V8 name");
	check_tidy(STR("caf\xc3(\xff)"), STR("caf\xc3(\xff)"), "bytes that are not UTF-8");
	check_tidy(STR(""), STR(""), "no name");
}

static void check_stays(const struct buf *name, const char *what)
{
	AUTO(buf) struct buf out = { 0 };
	buf_add(&out, STR("before;"));
	bool is_demangled = name_demangle(buf_str(name), &out);
	tap_ok(!is_demangled, "%s is left mangled", what);
	tap_str_eq(buf_str(&out), STR("before;"), "%s: nothing is appended", what);
}

/* Every S<n>_ stands for a template with the one before it twice. */
static void add_cpp_doubling(struct buf *name, int rounds)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	buf_add(name, STR("_Z1f1pIiiE"));
	for (int i = 0; i < rounds; i++)
		buf_addf(name, "S_IS%c_S%c_E", digits[i], digits[i]);
}

/* Tuples of two references, `B` and a position counted from behind `_R`, to the tuple before. */
static void add_tuples(struct buf *name, size_t first_at, int rounds)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	for (int i = 0; i < rounds; i++) {
		size_t here = name->n, at = first_at - 3;
		char high = digits[at / 62], low = digits[at % 62];
		buf_addf(name, "TB%c%c_B%c%c_E", high, low, high, low);
		first_at = here;
	}
	buf_add_char(name, 'E');
}

static void add_rust_doubling(struct buf *name, int rounds)
{
	buf_add(name, STR("_RINvC1a1bThhE"));
	add_tuples(name, strlen("_RINvC1a1b"), rounds);
}

static void add_punycode_doubling(struct buf *name, int rounds)
{
	buf_add(name, STR("_RINvC1a1bNtC1au9gre_6ka8i"));
	add_tuples(name, strlen("_RINvC1a1b"), rounds);
}

/* Associative arrays whose key and value repeat, by `Q` and a distance, the array before. */
static void add_d_doubling(struct buf *name, int rounds)
{
	buf_add(name, STR("_D1a1bFHii"));
	for (int i = 0; i < rounds; i++)
		buf_add(name, i ? STR("HQgQi") : STR("HQeQg"));
	buf_add(name, STR("Zv"));
}

static void check_doubling(void add(struct buf *name, int rounds), const char *language)
{
	AUTO(buf) struct buf small = { 0 }, large = { 0 }, out = { 0 };
	add(&small, 5);
	tap_ok(name_demangle(buf_str(&small), &out), "%s name that doubles 5 times", language);
	tap_ok(out.n > 400, "%s name has doubled", language);
	add(&large, 30);
	check_stays(&large, language);
}

static void check_repeated(struct str head, struct str repeated, size_t times, const char *what)
{
	AUTO(buf) struct buf name = { 0 };
	buf_add(&name, head);
	for (size_t i = 0; i < times; i++)
		buf_add(&name, repeated);
	check_stays(&name, what);
}

static void check_bounds(void)
{
	check_doubling(add_cpp_doubling, "C++");
	check_doubling(add_rust_doubling, "Rust");
	check_doubling(add_punycode_doubling, "Rust with punycode");
	check_doubling(add_d_doubling, "D");
	check_repeated(STR("_ZN1acvT_I"), STR("N1acvT_I"), 60, "C++ name that is read 2^60 times");
	check_repeated(STR("_Z1f"), STR("i"), NAME_MANGLED_MAX_BYTES, "too long a C++ name");
	check_repeated(STR("_D1a"), STR("P"), 16000, "D name of 16,000 pointers");
	check_repeated(STR("_R"), STR("INv"), 5000, "Rust name of 5,000 levels");
}

static void check_max_parts(void)
{
	struct str parts[2], name = STR("a->b->c");
	tap_ok(name_split_inlines(name, parts, 2) == 2, "no more parts than asked for");
	tap_str_eq(parts[1], STR("b->c"), "the last part holds the rest");
	tap_ok(name_split_inlines(name, parts, 1) == 1, "one part is all of the name");
	tap_str_eq(parts[0], name, "one part holds everything");
	tap_ok(name_split_inlines(STR(""), parts, 2) == 1, "no name is one part");
}

static void check_place(const char *name, const char *function, const char *file, uint32_t line,
			uint32_t column)
{
	struct name_v8_place place;
	bool found = name_v8_place(str_from(name), &place);
	if (!file) {
		tap_ok(!found, "%s has no place in the source", name);
		return;
	}
	tap_ok(found && place.line == line && place.column == column, "%s: line and column", name);
	tap_str_eq(found ? place.file : STR(""), str_from(file), "%s: file", name);
	tap_str_eq(found ? place.function : STR(""), str_from(function), "%s: function", name);
}

static void check_places(void)
{
	check_place("JS:*handle /app/a.js:12:5", "handle", "/app/a.js", 12, 5);
	check_place("LazyCompile:~f /app/my dir/a.js:7", "f", "/app/my dir/a.js", 7, 0);
	check_place("JS:^ node:internal/x:1:2", "", "node:internal/x", 1, 2);
	check_place("Function:f file:///a.mjs:3", "f", "file:///a.mjs", 3, 0);
	check_place("JS:^get protocol node:internal/url:970:15", "get protocol",
		    "node:internal/url", 970, 15);
	check_place("JS:~bound get /a.js:1:2", "bound get", "/a.js", 1, 2);
	check_place("JS:*f", "", NULL, 0, 0);
	check_place("JS:*f /app/a.js", "", NULL, 0, 0);
	check_place("JS:*f :1:2", "", NULL, 0, 0);
	check_place("Builtin:Call a:1", "", NULL, 0, 0);
	check_place("main a.c:1", "", NULL, 0, 0);
	check_place("JS:*f /a.js:99999999999:1", "f", "/a.js:99999999999", 1, 0);
}

int main(int argc, char **argv)
{
	AUTO(buf) struct buf path = { 0 };
	buf_addf(&path, "%s/symbol_names.txt", argc > 1 ? argv[1] : ".");
	FILE *file = fopen(buf_c_string(&path), "r");
	tap_ok(file != NULL, "the file of cases can be read");
	if (file) {
		tap_ok(check_file(file) > 70, "the file of cases is complete");
		fclose(file);
	}
	check_abi("runtime.goexit.abi0", "runtime.goexit");
	check_abi("runtime.goexit", "runtime.goexit");
	check_abi(".abi0", ".abi0");
	check_control_characters();
	check_bounds();
	check_max_parts();
	check_places();
	return tap_done();
}
