/* `plume js map`: writes a perf-PID.map of the current state. */
#include "cmd/invoker.h"
#include "cmd/js.h"
#include "cmd/js_map_file.h"

struct map_text {
	struct buf rows;
	uint64_t builtins, rows_of_builtins;
};

static void map_text_fini(struct map_text *t)
{
	buf_fini(&t->rows);
}

/* `START SIZE NAME`; a name is a single line. */
static void add_row(struct buf *out, uint64_t start, uint64_t size_bytes, struct str name)
{
	buf_addf(out, "%llx %llx ", (unsigned long long)start, (unsigned long long)size_bytes);
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];
		buf_add_char(out, c < ' ' || c == 127 ? ' ' : (char)c);
	}
	buf_add_char(out, '\n');
}

static void add_builtin(void *context, uint64_t start, uint64_t size_bytes, struct str name)
{
	struct map_text *t = context;
	add_row(&t->rows, start, size_bytes, name);
	t->rows_of_builtins++;
}

static void add_rows(struct v8_inspection *v, const struct v8_code_rows *rows, struct map_text *t)
{
	AUTO(buf) struct buf name = { 0 };
	for (uint32_t i = 0; i < rows->list.n; i++) {
		const struct v8_code_row *row = &rows->list.p[i];
		name.n = 0;
		v8_code_row_describe(v->process, row, &name);
		add_row(&t->rows, row->start, row->size_bytes, buf_str(&name));
	}
	t->builtins = v8_visit_builtins(v, add_builtin, t);
}

/* --- summary --- */

static void add_count(struct buf *out, const struct v8_code_rows *rows, enum v8_code_sort sort,
		      const char *what)
{
	uint64_t unnamed = rows->count[sort] - rows->named[sort];
	if (!rows->count[sort])
		return;
	buf_addf(out, ", ");
	buf_add_grouped(out, rows->count[sort]);
	buf_addf(out, " %s", what);
	if (unnamed && sort <= V8_CODE_OPTIMIZED) {
		buf_addf(out, " (");
		buf_add_grouped(out, unnamed);
		buf_addf(out, " without a function)");
	}
}

static void say_result(const char *path, const struct v8_code_rows *rows, const struct map_text *t)
{
	AUTO(buf) struct buf text = { 0 };
	buf_addf(&text, "%s: ", path);
	buf_add_grouped(&text, rows->list.n + t->rows_of_builtins);
	buf_addf(&text, " rows");
	add_count(&text, rows, V8_CODE_OPTIMIZED, "optimized");
	add_count(&text, rows, V8_CODE_MAGLEV, "Maglev");
	add_count(&text, rows, V8_CODE_BASELINE, "baseline");
	add_count(&text, rows, V8_CODE_INTERPRETED, "interpreted");
	add_count(&text, rows, V8_CODE_REGEXP, "RegExp");
	add_count(&text, rows, V8_CODE_OTHER, "stubs");
	if (t->builtins) {
		buf_addf(&text, ", ");
		buf_add_grouped(&text, t->builtins);
		buf_addf(&text, " builtins");
	}
	if (!t->builtins)
		buf_addf(&text, "; no builtins, because V8's file is stripped");
	if (rows->is_cut)
		buf_addf(&text, "; there is too much code, so some is missing");
	say("%s", buf_c_string(&text));
}

/* --- command --- */

static bool write_output(const char *path, struct str text, struct err *e)
{
	invoker_enter();
	struct writer *out = writer_open(path, e);
	invoker_leave();
	if (!out)
		return false;
	writer_add(out, text);
	bool ok = writer_commit(out, e);
	writer_free(out);
	return ok;
}

static bool write_map(struct v8_inspection *v, int32_t pid, const struct js_options *o,
		      struct err *e)
{
	AUTO(map_text) struct map_text t = { 0 };
	AUTO(buf) struct buf path = { 0 };
	struct v8_code_rows rows = { 0 };
	struct map_file *file = NULL;
	bool is_own = !o->output;
	/* Find out whether the map may be written before doing the work. */
	if (is_own && !(file = map_file_open(pid, o->is_forced, &path, e)))
		return false;
	if (!is_own && !o->is_forced && map_file_is_written(pid, o->output, e))
		return false;
	v8_walk_code(v, &rows);
	add_rows(v, &rows, &t);
	bool ok = is_own ? map_file_write(file, buf_str(&t.rows), e)
			 : write_output(o->output, buf_str(&t.rows), e);
	if (ok && !o->common.quiet)
		say_result(is_own ? buf_c_string(&path) : o->output, &rows, &t);
	map_file_free(file);
	v8_code_rows_fini(&rows);
	return ok;
}

static int run_map(const struct command *self, char **words, size_t n)
{
	struct err e = { 0 };
	struct js_options o = { 0 };
	if (!js_options_parse(&o, self, words, n, &e))
		return say_error(self, &e);
	if (o.common.help)
		return print_help(self);
	struct living_process p;
	struct v8_inspection *v = js_open_process(&o, &p, &e);
	bool ok = v && write_map(v, p.pid, &o, &e);
	v8_inspection_free(v);
	return ok ? EXIT_DONE : say_error(self, &e);
}

static const struct option_set *const map_sets[] = { &js_process_set, &js_output_set, &js_map_set,
						     &common_option_set, NULL };

const struct command js_map_command = {
	.name = "js map",
	.arguments = "-p PID [-o FILE] [-f]",
	.summary = "write a perf-PID.map, for perf and other tools",
	.text = "Lists the code that Node.js has compiled so far, for perf, bpftrace and others\n"
		"that read /tmp/perf-PID.map. The process needs no flag and is not stopped. The\n"
		"default file is that one; for a process in a container, in its own /tmp.\n"
		"\n"
		"Interpreted functions and code compiled later are not in the map. 'plume record'\n"
		"names these as well, and needs no map.\n"
		"\n"
		"  perf record -g -p 4711 -- sleep 10; plume js map -p 4711; perf script\n"
		"  plume js map -p 4711 -o - | grep handleRequest\n",
	.sets = map_sets,
	.run = run_map,
};
