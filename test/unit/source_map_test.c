/* Source maps: numbers, sections, places and names, by maps of our own and of two compilers. */
#include "source_map/source_map.h"
#include "tap.h"

#include <errno.h>

static const char *fixtures;

static struct source_map *read_text(struct str text, size_t step, struct err *e)
{
	struct reader *r = reader_of_memory(text, step);
	struct source_map *m = source_map_read(r, STR("/app/dist"), e);
	reader_free(r);
	return m;
}

static struct source_map *read_json(const char *json)
{
	struct err e = { 0 };
	struct source_map *m = read_text(str_from(json), 0, &e);
	if (!m)
		printf("# %s\n", e.text);
	return m;
}

/* `file:line:column`, or nothing. */
static void expect(const struct source_map *m, uint32_t line, uint32_t column, const char *want)
{
	AUTO(buf) struct buf got = { 0 };
	struct source_place p;
	if (m && source_map_find(m, line, column, &p))
		buf_addf(&got, "%.*s:%u:%u", STR_ARG(p.file), p.line, p.column);
	tap_str_eq(buf_str(&got), str_from(want), "%u:%u came from %s", line, column,
		   *want ? want : "nowhere");
}

static void test_numbers(void)
{
	/*
	 * Line 1: 0 -> a.ts 1:1; 4 -> 1:5 (f). Line 3: 2 -> b.ts 17:1; 18 -> from nowhere. Line 4:
	 * back to a.ts 1:9.
	 */
	struct source_map *m =
		read_json("{\"version\":3,\"sources\":[\"a.ts\",\"b.ts\"],\"names\":[\"f\"],"
			  "\"mappings\":\"AAAA,IAAIA;;ECgBJ,gB;ADhBQ\"}");
	expect(m, 1, 1, "/app/dist/a.ts:1:1");
	expect(m, 1, 4, "/app/dist/a.ts:1:1");
	expect(m, 1, 5, "/app/dist/a.ts:1:5");
	expect(m, 1, 900, "/app/dist/a.ts:1:5");
	expect(m, 2, 1, "");
	expect(m, 3, 1, "");
	expect(m, 3, 3, "/app/dist/b.ts:17:1");
	expect(m, 3, 19, "");
	expect(m, 4, 1, "/app/dist/a.ts:1:9");
	expect(m, 5, 1, "");
	expect(m, 0, 1, "");
	expect(m, 1, 0, "");
	source_map_free(m);
}

static void test_sections(void)
{
	/* The offset may come behind the map, and moves columns of the first line only. */
	struct source_map *m = read_json(
		"{\"version\":3,\"sections\":["
		"{\"offset\":{\"line\":0,\"column\":0},\"map\":{\"version\":3,\"sources\":[\"a."
		"ts\"],"
		"\"names\":[\"one\"],\"mappings\":\"AAAAA\"}},"
		"{\"map\":{\"version\":3,\"sourceRoot\":\"../src\",\"sources\":[null,\"b.ts\"],"
		"\"names\":[\"two\"],\"mappings\":\"ACEAA;ICCA\"},\"offset\":{\"line\":2,"
		"\"column\":10}}]}");
	expect(m, 1, 3, "/app/dist/a.ts:1:1");
	expect(m, 3, 10, "");
	expect(m, 3, 11, "/app/src/b.ts:3:1");
	expect(m, 4, 5, ""); /* a source that the section does not have */
	source_map_free(m);
}

static void refused(const char *json, const char *why)
{
	struct err e = { 0 };
	struct source_map *m = read_text(str_from(json), 0, &e);
	tap_ok(!m && strstr(e.text, why), "refused: %s (%s)", why, e.text);
	source_map_free(m);
}

static void test_bad(void)
{
	refused("", "not a JSON object");
	refused("[]", "not a JSON object");
	refused("{}", "version 3");
	refused("{\"version\":2,\"mappings\":\"\"}", "version 3");
	refused("{\"version\":3}", "neither mappings nor sections");
	refused("{\"version\":3,\"mappings\":\"\",\"sections\":[]}", "or both");
	refused("{\"version\":3,\"mappings\":\"AA\"}", "invalid at byte 2");
	refused("{\"version\":3,\"mappings\":\"A!\"}", "invalid at byte 2");
	refused("{\"version\":3,\"mappings\":\"D\"}", "invalid at byte 1");
	refused("{\"version\":3,\"mappings\":\"gggggggggA\"}", "invalid at byte");
	refused("{\"version\":3,\"mappings\":\"AAAAAA\"}", "invalid at byte");
	refused("{\"version\":3,\"mappings\":\"AAAA", "ends inside a string");
	refused("{\"version\":3,\"sections\":[{\"offset\":{\"line\":-1,\"column\":0}}]}",
		"outside the script");
	struct source_map *m = read_json(
		")]}'\n{\"version\":3,\"sources\":[\"a.ts\"],\"mappings\":\"ACAA,CDAAY\"}");
	expect(m, 1, 1, ""); /* source 1 of 1 */
	expect(m, 1, 2, "/app/dist/a.ts:1:1");
	source_map_free(m);
	m = read_json("{\"version\":3,\"sources\":[\"a.ts\"],\"mappings\":\"UAAA,TAEA\"}");
	expect(m, 1, 2, "/app/dist/a.ts:3:1"); /* not in order */
	expect(m, 1, 11, "/app/dist/a.ts:1:1");
	source_map_free(m);
}

static void resolves(const char *root, const char *source, const char *want)
{
	AUTO(buf) struct buf got = { 0 };
	source_map_resolve(STR("/app/dist"), str_from(root), str_from(source), &got);
	tap_str_eq(buf_str(&got), str_from(want), "'%s' '%s'", root, source);
}

static void test_paths(void)
{
	resolves("", "a.ts", "/app/dist/a.ts");
	resolves("", "../src/./a.ts", "/app/src/a.ts");
	resolves("", "../../../../etc/a.ts", "/etc/a.ts");
	resolves("../src", "a.ts", "/app/src/a.ts");
	resolves("../src/", "b/../a.ts", "/app/src/a.ts");
	resolves("/root/", "a%20b.ts", "/root/a b.ts");
	resolves("x", "/a.ts", "/a.ts");
	resolves("", "file:///src/a.ts", "/src/a.ts");
	resolves("file:///src", "a.ts", "/src/a.ts");
	resolves("", "webpack://app/./src/a.ts?1f2e", "src/a.ts");
	resolves("", "webpack:///./src/a.ts", "src/a.ts");
	resolves("", "webpack://app/../lib/a.ts", "../lib/a.ts");
	resolves("webpack://app", "./src/a.ts", "src/a.ts");
	resolves("", "webpack:////abs/a.ts", "/abs/a.ts");
	resolves("", "webpack://app", "");
	resolves("", "https://example.com/a.ts", "https://example.com/a.ts");
}

static void has_url(const char *script, const char *want)
{
	struct str url = STR("");
	bool is_found = source_map_url(str_from(script), &url);
	tap_str_eq(is_found ? url : STR(""), str_from(want), "the address is '%s'", want);
}

static void test_urls(void)
{
	has_url("a();\n//# sourceMappingURL=a.js.map", "a.js.map");
	has_url("a();\n//# sourceMappingURL=a.js.map\r\n\n", "a.js.map");
	has_url("a();\n//@ sourceMappingURL=a.js.map\n// licence\n", "a.js.map");
	has_url("//# sourceMappingURL=1\n//# sourceMappingURL=2 more\n", "2");
	has_url("x = '//# sourceMappingURL=a.js.map'", "");
	has_url("//# sourceMappingURL=1\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", "");
	has_url("//# sourceMappingURL=", "");
	has_url("", "");
	AUTO(buf) struct buf bytes = { 0 };
	tap_ok(source_map_data(STR("data:application/json;charset=utf-8;base64,eyJhIjoxfQ=="),
			       &bytes),
	       "base64");
	tap_str_eq(buf_str(&bytes), STR("{\"a\":1}"), "... is read");
	bytes.n = 0;
	tap_ok(source_map_data(STR("data:application/json,%7B%22a%22:1}"), &bytes), "plain data");
	tap_str_eq(buf_str(&bytes), STR("{\"a\":1}"), "... is read");
	tap_ok(!source_map_data(STR("data:;base64,a b"), &bytes), "what is no base64");
	tap_ok(!source_map_data(STR("data:;base64,abcde"), &bytes), "... or ends too early");
	AUTO(buf) struct buf path = { 0 };
	tap_ok(source_map_script_path(STR("file:///app/a%20b.mjs?x=1"), &path),
	       "a module is a file");
	tap_str_eq(buf_str(&path), STR("/app/a b.mjs"), "... of that path");
	path.n = 0;
	tap_ok(!source_map_script_path(STR("node:fs"), &path), "Node.js itself is none");
	tap_ok(!source_map_script_path(STR("file:///a%00b"), &path), "a NUL is in no path");
}

/* --- what compilers make --- */

static struct reader *open_fixture(void *context, int32_t pid, const char *path, struct err *e)
{
	(void)context;
	(void)pid;
	struct reader *r = reader_open(path, e);
	if (!r)
		errno = ENOENT;
	return r;
}

static uint64_t one_root(void *context, int32_t pid)
{
	(void)context;
	(void)pid;
	return 1;
}

static void read_fixture(const char *name, struct buf *path, struct buf *text)
{
	struct err e = { 0 };
	buf_addf(path, "%s/%s", fixtures, name);
	struct reader *r = reader_open(buf_c_string(path), &e);
	if (r && reader_fill_all(r, 1 << 20))
		buf_add(text, reader_window(r));
	reader_free(r);
}

/* Where a text begins that is in there once, plus some columns. */
static void place_of(struct str text, const char *needle, uint32_t more, uint32_t *line,
		     uint32_t *column)
{
	ptrdiff_t at = str_find(text, str_from(needle));
	*line = *column = 1;
	for (ptrdiff_t i = 0; i < at + (ptrdiff_t)more; i++) {
		*column = text.p[i] == '\n' ? 1 : *column + 1;
		*line += text.p[i] == '\n';
	}
	if (at < 0)
		*line = 0;
}

struct known {
	const char *generated; /* the function begins at the last letter of this */
	const char *v8_name, *name;
	const char *original; /* the original place is at the start of this */
};

static void check_script(struct source_maps *maps, const char *script, const struct known *known,
			 size_t n)
{
	AUTO(buf) struct buf path = { 0 }, text = { 0 }, grid_path = { 0 }, grid = { 0 };
	read_fixture(script, &path, &text);
	read_fixture("grid.ts", &grid_path, &grid);
	const struct source_map *m = source_maps_get(maps, 1, buf_str(&path));
	tap_ok(m, "%s has a map", script);
	for (size_t i = 0; m && i < n; i++) {
		const struct known *k = &known[i];
		uint32_t line, column, original_line, original_column;
		struct source_place p = { 0 };
		place_of(buf_str(&text), k->generated, (uint32_t)strlen(k->generated) - 1, &line,
			 &column);
		place_of(buf_str(&grid), k->original, 0, &original_line, &original_column);
		tap_ok(source_map_find(m, line, column, &p) &&
			       str_eq(p.file, buf_str(&grid_path)) && p.line == original_line &&
			       p.column == original_column,
		       "%s: %s is %u:%u", script, k->generated, p.line, p.column);
		struct str name = source_map_function(m, line, column, str_from(k->v8_name));
		tap_str_eq(name, str_from(k->name), "... and %s was %s", k->v8_name, k->name);
	}
}

static void test_compilers(void)
{
	static const struct known tsc[] = {
		{ "function hotLoop(", "hotLoop", "", "(grid: Grid" },
		{ "    sumCells(", "sumCells", "", "(factor" },
		{ "scaleWork = (", "scaleWork", "", "(value: number): number => Math" },
	};
	static const struct known esbuild[] = {
		{ "function u(", "u", "hotLoop", "hotLoop(grid: Grid" },
		{ "function l(", "l", "until", "until(seconds" },
		{ ",o=r", "o", "scaleWork", "value: number): number => Math" },
		{ "c=async r", "c", "asyncWork", "value: number): Promise" },
		{ "class{constructor(", "n", "Grid", "constructor(readonly" },
		{ "}sumCells(", "sumCells", "", "sumCells(factor" },
		{ "}sumCells(", "n.sumCells", "", "sumCells(factor" },
		{ "function u(", "", "", "hotLoop(grid: Grid" }, /* an anonymous one */
	};
	struct source_map_files files = { NULL, one_root, open_fixture };
	struct source_maps *maps = source_maps_new(&files);
	AUTO(buf) struct buf text = { 0 };
	check_script(maps, "tsc/grid.js", tsc, ARRAY_SIZE(tsc));
	check_script(maps, "inline/grid.js", tsc, ARRAY_SIZE(tsc));
	check_script(maps, "esbuild/main.js", esbuild, ARRAY_SIZE(esbuild));
	tap_ok(!source_maps_get(maps, 1, STR("node:fs")), "Node.js itself has none");
	tap_ok(!source_maps_get(maps, 1, STR("/nowhere/a.js")), "nor what is not there");
	source_maps_describe(maps, &text);
	tap_str_eq(buf_str(&text), STR("3 of 4 scripts had one, 1 could not be read"),
		   "all is told");
	tap_num_eq(source_maps_troubles(maps), 1, "one trouble");
	text.n = 0;
	source_maps_trouble(maps, 0, &text);
	tap_str_eq(buf_str(&text), STR("/nowhere/a.js: No such file or directory"),
		   "... says what");
	source_maps_free(maps);
}

static struct reader *open_far(void *context, int32_t pid, const char *path, struct err *e)
{
	(void)context;
	(void)pid;
	if (str_ends(str_from(path), STR(".map"))) {
		err_set(e, "%s: not here", path);
		errno = ENOENT;
		return NULL;
	}
	return reader_of_memory(STR("f();\n//# sourceMappingURL=a.js.map\n"), 0);
}

/* The folder of the script is asked for while its path is a string for the kernel. */
static void test_long_paths(void)
{
	enum { LONGEST = 600 };
	struct source_map_files files = { NULL, one_root, open_far };
	AUTO(buf) struct buf path = { 0 };
	bool has_none = true;
	for (size_t n = 1; n < LONGEST; n++) {
		struct source_maps *maps = source_maps_new(&files);
		path.n = 0;
		buf_add_char(&path, '/');
		for (size_t i = 0; i < n; i++)
			buf_add_char(&path, 'd');
		buf_add(&path, STR("/a.js"));
		has_none &= !source_maps_get(maps, 1, buf_str(&path));
		source_maps_free(maps);
	}
	tap_ok(has_none, "paths of all lengths");
}

static void check_content(const char *map, const char *file, const char *want)
{
	AUTO(buf) struct buf text = { 0 };
	bool has = source_map_content(str_from(map), STR("/app/dist"), str_from(file), &text);
	tap_ok(has == (want != NULL) && (!want || str_eq(buf_str(&text), str_from(want))),
	       "%s of %s in a map of %zu bytes", want ? "the text" : "no text", file, strlen(map));
}

static void check_contents(void)
{
	static const char two[] =
		"{\"version\":3,\"sourcesContent\":[\"A\\n\",null],\"sources\":[\"a.ts\",\"b.ts\"],"
		"\"sourceRoot\":\"../src\",\"mappings\":\"\"}";
	static const char parts[] =
		")]}'\n{\"version\":3,\"sections\":[{\"offset\":{},\"map\":{\"sources\":[\"a.ts\"],"
		"\"sourcesContent\":[\"one\"]}},{\"map\":{\"sources\":[\"/x.ts\",\"b.ts\"],"
		"\"sourcesContent\":[\"two\",\"three\"]}}]}";
	static const char *const bad[] = {
		"",
		"[]",
		"{",
		"{\"sources\":3}",
		"{\"sources\":[\"a.ts\"]}",
		"{\"sources\":[\"a.ts\"],\"sourcesContent\":\"A\"}",
		"{\"sources\":[\"a.ts\"],\"sourcesContent\":[]}",
		"{\"sources\":[\"a.ts\"],\"sourcesContent\":[{}]}",
		"{\"sourcesContent\":[\"A\"],\"sources\":[[\"a.ts\"]]}"
	};
	check_content(two, "/app/src/a.ts", "A\n");
	check_content(two, "/app/src/b.ts", NULL);
	check_content(two, "/app/dist/a.ts", NULL);
	check_content(parts, "/app/dist/a.ts", "one");
	check_content(parts, "/x.ts", "two");
	check_content(parts, "/app/dist/b.ts", "three");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		check_content(bad[i], "/app/dist/a.ts", NULL);
}

int main(int argc, char **argv)
{
	AUTO(buf) struct buf path = { 0 };
	check_contents();
	buf_addf(&path, "%s/../fixtures/source-map", argc > 1 ? argv[1] : "test/unit");
	AUTO_FREE char *real = realpath(buf_c_string(&path), NULL);
	fixtures = real ? real : "";
	test_numbers();
	test_sections();
	test_bad();
	test_paths();
	test_urls();
	test_compilers();
	test_long_paths();
	return tap_done();
}
