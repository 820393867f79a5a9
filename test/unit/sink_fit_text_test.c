/* Names cut to fit: what goes first, and never more columns than there are. */
#include "sink/fit_text.h"
#include "random.h"
#include "tap.h"

static void name_is(const char *name, size_t columns, const char *want)
{
	AUTO(buf) struct buf got = { 0 };
	fit_add_name(&got, str_from(name), columns, true);
	tap_str_eq(buf_str(&got), str_from(want), "%s in %zu", name, columns);
}

static void test_names(void)
{
	name_is("short", 10, "short");
	name_is("a\tb\033[1m", 20, "a?b?[1m");
	name_is("a\u202eb\u202ac\u2066d\u2069", 20, "a?b?c?d?");
	name_is("", 20, "(no name)");
	name_is("f(int, char)", 11, "f");
	name_is("std::vector<int, std::allocator<int>>::push_back(int&&)", 30,
		"std::vector<>::push_back");
	name_is("v8::internal::compiler::PipelineImpl::OptimizeGraph", 30,
		"PipelineImpl::OptimizeGraph");
	name_is("v8::internal::compiler::PipelineImpl::OptimizeGraph", 20, "OptimizeGraph");
	name_is("a::(anonymous namespace)::Worker::run(void*)", 40,
		"a::(anonymous namespace)::Worker::run");
	name_is("Foo::operator()(int)", 16, "Foo::operator()");
	name_is("Foo::operator<(Foo const&)", 16, "Foo::operator<");
	name_is("java.lang.Object java.util.TreeMap.computeIfAbsent(java.lang.Object)", 30,
		"TreeMap.computeIfAbsent");
	name_is("net/http.(*conn).serve", 18, "http.(*conn).serve");
	/* The package goes first, then the type, then the function. */
	name_is("net/http.(*conn).serve", 15, "(*conn).serve");
	name_is("net/http.(*conn).serve", 12, "serve");
	name_is("java.util.ComparableTimSort.mergeHi(int, int)", 30,
		"util.ComparableTimSort.mergeHi");
	name_is("java.util.ComparableTimSort.mergeHi(int, int)", 27, "ComparableTimSort.mergeHi");
	name_is("java.util.ComparableTimSort.mergeHi(int, int)", 24, "mergeHi");
	name_is("T.fib(int)", 5, "T.fib");
	name_is("T.fib(int)", 4, "fib");
	name_is("main.main.func1", 10, "main.func1");
	name_is("sort_rows.part.0", 10, "sort_rows…");
	name_is("[libx264.so.164]+0x522d0", 18, "[libx264…]+0x522d0");
	name_is("[libx264.so.164]+0x522d0", 9, "+0x522d0");
	name_is("[libx264.so.164]+0x522d0", 6, "+0x52…");
	name_is("Socket._write node:net:964:36", 8, "_write");
	name_is("JS:*parse /srv/app/lib/index.js:120:3", 24, "JS:*parse index.js:120");
	name_is("JS:*parse /srv/app/lib/index.js:120:3", 12, "JS:*parse");
	name_is("JS:*parseExpressionStatement /srv/a.js:1:2", 12, "JS:*parseEx…");
	name_is("__memmove_avx512_unaligned_erms", 10, "__memmove…");
	tap_str_eq(fit_place(STR("JS:*f [worker eval]:1:21")), STR("[worker eval]:1:21"),
		   "a place in brackets may have a blank");
	tap_str_eq(fit_without_place(STR("JS:*f [worker eval]:1:21")), STR("JS:*f"),
		   "... and is no part of the name");
	tap_str_eq(fit_place(STR("JS:*f[0] /a.js:1:2")), STR("/a.js:1:2"), "brackets of a name");
	tap_str_eq(fit_place(STR("walk lib/tree.py")), STR("lib/tree.py"), "Python's file");
	tap_str_eq(fit_place(STR("main /usr/bin/app")), STR("/usr/bin/app"),
		   "Python's file without an ending");
	tap_str_eq(fit_without_place(STR("load <frozen importlib._bootstrap>")), STR("load"),
		   "a file frozen into Python");
	tap_str_eq(fit_place(STR("f(long, int)")), STR(""), "arguments are no place");
	tap_str_eq(fit_place(STR("std::chrono:12")), STR(""),
		   "a name without a blank has no place");
	tap_str_eq(fit_place(STR("JS:~ node:internal/main:7:9")), STR("node:internal/main:7:9"),
		   "a place");
}

static void different_is(const char *a, const char *b, size_t columns, const char *want)
{
	AUTO(buf) struct buf got = { 0 };
	struct str name = str_from(a);
	fit_add_different(&got, name, fit_common(name, str_from(b)), columns, true);
	tap_str_eq(buf_str(&got), str_from(want), "%s in %zu, not %s", a, columns, b);
}

static void test_different_names(void)
{
	different_is("std::handler<void (int), app::read(int)>::invoke(int&&)",
		     "std::handler<void (int), app::write(int)>::invoke(int&&)", 40,
		     "std::handler<…read…>::invoke");
	different_is("first::in_between::Class::method", "second::in_between::Class::method", 30,
		     "Class::method {…first…}");
	different_is("f_of_a_long_name(std::vector<int>&)", "f_of_a_long_name(std::vector<long>&)",
		     30, "f_of_a_long_name {…int…}");
	different_is("f_of_a_long_name(unsigned)", "f_of_a_long_name(unsigned, int)", 25,
		     "f_of_a_long_name");
	different_is("f<ä>", "f<ö>", 24, "f<ä> {…ä…}");
	different_is("v8::internal::JsonStringifier::Serialize_<false>",
		     "v8::internal::JsonStringifier::Serialize_<true>", 23, "Serialize_<…false…>");
	bool fits = true;
	for (unsigned round = 0; round < 20000; round++) {
		static const char letters[] = "ab<>(),:: \xc3\xa4\xff";
		char text[2][60];
		AUTO(buf) struct buf got = { 0 };
		for (unsigned i = 0; i < 2; i++)
			for (unsigned k = 0; k < sizeof(text[0]); k++)
				text[i][k] = letters[random_below(sizeof(letters) - 1)];
		struct str a = { text[0], 1 + random_below(60) };
		struct str b = { text[1], 1 + random_below(60) };
		size_t columns = 8 + random_below(60);
		memcpy(text[1], text[0], random_below(50));
		fit_add_different(&got, a, fit_common(a, b), columns, random_below(2));
		fits &= utf8_count(buf_str(&got)) <= columns;
	}
	tap_ok(fits, "no name told apart is wider than its columns");
}

static void chain_is(const struct str *names, uint32_t n, size_t columns, bool first_matters,
		     const char *want)
{
	AUTO(buf) struct buf got = { 0 };
	struct fit_link links[10];
	for (uint32_t i = 0; i < n; i++)
		links[i] = (struct fit_link){ names[i], STR(""), 0 };
	struct fit_chain chain = { links, n, STR(" > "), first_matters, true };
	fit_add_chain(&got, &chain, columns);
	tap_str_eq(buf_str(&got), str_from(want), "chain in %zu", columns);
}

static void test_chains(void)
{
	static const struct str names[] = { STR("main"), STR("run"), STR("loop"), STR("parse"),
					    STR("malloc") };
	chain_is(names, 5, 80, false, "main > run > loop > parse > malloc");
	static const struct str empty[] = { STR("b"), STR(""), STR("c") };
	chain_is(empty, 3, 80, false, "b > (no name) > c");
	chain_is(names, 5, 33, false, "main > … > loop > parse > malloc");
	chain_is(names, 5, 25, false, "main > … > parse > malloc");
	chain_is(names, 5, 17, false, "main > … > malloc");
	chain_is(names, 5, 25, true, "main > run > … > malloc");
	chain_is(names, 2, 8, false, "m… > run");
	chain_is(names, 1, 3, false, "ma…");
}

static void test_telling_names(void)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{ "node::worker::Worker::StartThread(Info<Value> const&)::{lambda(void*)#1}::_FUN",
		  "StartThread::{lambda#1}" },
		{ "app::run(int)::{lambda(int)#2}::operator()(int) const", "run::{lambda#2}" },
		{ "{lambda()#1}::_FUN", "{lambda#1}" },
		{ "a::Functor::operator()(int)", "Functor::operator()" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(buf) struct buf got = { 0 };
		fit_add_brief(&got, str_from(cases[i].name));
		tap_str_eq(buf_str(&got), str_from(cases[i].want), "brief: %s", cases[i].name);
	}
}

static void test_cut_paths(void)
{
	static const struct {
		size_t columns;
		const char *want;
	} cases[] = { { 25, "/srv/test/truth/split.c:2" },
		      { 24, "…/test/truth/split.c:2" },
		      { 21, "…/truth/split.c:2" },
		      { 17, "…/truth/split.c:2" },
		      { 16, "…/split.c:2" },
		      { 8, "…lit.c:2" } };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(buf) struct buf got = { 0 };
		fit_add_end(&got, STR("/srv/test/truth/split.c:2"), cases[i].columns, true);
		tap_str_eq(buf_str(&got), str_from(cases[i].want), "a path in %zu",
			   cases[i].columns);
	}
}

static void test_ranks(void)
{
	/* The program's own functions, then its packages', before those of the runtime. */
	static const struct fit_link links[] = {
		{ STR("node::Start"), STR(""), 0 },
		{ STR("(anonymous) /a/work.js:24:3"), STR(""), 2 },
		{ STR("render /a/node_modules/x/i.js:5:1"), STR(""), 1 },
		{ STR("#secret /a/work.js:11:3"), STR(""), 2 },
		{ STR("Builtins_CEntry"), STR(""), 0 },
		{ STR("v8::internal::JsonStringifier::Serialize_<true>"), STR("*"), 0 },
	};
	static const struct {
		size_t columns;
		const char *want;
	} cases[] = {
		{ 40, "Start > … > #secret > … > Serialize_<>*" },
		{ 50, "Start > … > #secret work.js:11 > … > Serialize_<>*" },
		{ 64, "Start > (anonymous) work.js:24 > … > #secret > … > Serialize_<>*" },
		{ 72, "Start > (anonymous) work.js:24 > render > #secret > … > Serialize_<>*" },
		{ 90, "Start > (anonymous) work.js:24 > render i.js:5 > #secret work.js:11 > … > "
		      "Serialize_<>*" },
		{ 110, "node::Start > (anonymous) work.js:24 > render i.js:5 > #secret work.js:11 "
		       "> … > JsonStringifier::Serialize_<>*" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(buf) struct buf got = { 0 };
		struct fit_chain chain = { links, ARRAY_SIZE(links), STR(" > "), false, true };
		fit_add_chain(&got, &chain, cases[i].columns);
		tap_str_eq(buf_str(&got), str_from(cases[i].want), "ranks in %zu",
			   cases[i].columns);
	}
}

/* A chain of random links, some with marks, in any number of columns. */
static size_t random_chain_width(size_t columns)
{
	static const struct str pool[] = { STR("a"),
					   STR("äöü"),
					   STR("std::vector<int>::size()"),
					   STR("JS:*f /srv/a.js:1:2"),
					   STR("x\xff\xfey"),
					   STR("__memmove_avx512_unaligned_erms") };
	AUTO(buf) struct buf got = { 0 };
	struct fit_link links[40];
	uint32_t n = 1 + random_below(40);
	for (uint32_t i = 0; i < n; i++)
		links[i] = (struct fit_link){ pool[random_below(ARRAY_SIZE(pool))],
					      random_below(2) ? STR("↺") : STR(""),
					      random_below(FIT_RANKS) };
	struct fit_chain chain = { links, n, STR(" > "), random_below(2), random_below(2) };
	fit_add_chain(&got, &chain, columns);
	return utf8_count(buf_str(&got));
}

static void test_widths(void)
{
	bool fits = true;
	for (unsigned round = 0; round < 20000; round++) {
		size_t columns = 16 + random_below(100);
		fits &= random_chain_width(columns) <= columns;
	}
	tap_ok(fits, "no chain is wider than its columns");
}

int main(void)
{
	test_names();
	test_different_names();
	test_chains();
	test_ranks();
	test_telling_names();
	test_cut_paths();
	test_widths();
	return tap_done();
}
