/* `plume js doctor`: which parts of a process's V8 can be read, and what follows from that. */
#include "cmd/doctor_living.h"
#include "cmd/js.h"
#include "cmd/screen.h"

/* --- facts --- */

static void add_program(struct v8_inspection *v, struct doctor_report *r)
{
	AUTO(buf) struct buf text = { 0 };
	struct runtime runtime;
	runtime_of_process(v->of, &runtime);
	buf_addf(&text, "Node.js %s",
		 runtime.version.n ? buf_c_string(&runtime.version) : "(unknown version)");
	runtime_fini(&runtime);
	doctor_add_fact(r, "program", &text);
	buf_addf(&text, "%u.%u.%u, in %s", v->layout.major, v->layout.minor, v->layout.build,
		 v->file);
	doctor_add_fact(r, "V8", &text);
}

static void add_parts(struct v8_inspection *v, struct doctor_report *r)
{
	enum { OPERAND_SCALES = 3 };
	AUTO(buf) struct buf text = { 0 };
	const struct v8_layout *l = &v->layout;
	if (l->blob.end) {
		buf_addf(&text, "bytes %#llx to %#llx of the file, ",
			 (unsigned long long)l->blob.start, (unsigned long long)l->blob.end);
		finding_add_count(&text, v8_visit_builtins(v, NULL, NULL), "name", "names");
	} else {
		buf_addf(&text, "not found");
	}
	doctor_add_fact(r, "builtins", &text);
	if (l->bytecode_sizes.n)
		buf_addf(&text, "%zu, with their sizes", l->bytecode_sizes.n / OPERAND_SCALES);
	else
		buf_addf(&text, "sizes are not in this file");
	doctor_add_fact(r, "bytecodes", &text);
}

/* Where a constant is listed, and under which name. */
struct place {
	struct str group;
	struct buf name;
};

static void place_fini(struct place *p)
{
	buf_fini(&p->name);
}

/* Removes a word from a name: `first type of JSFunction`, `ConsString.first`. */
static bool take_out(struct place *p, struct str name, struct str word, struct str group)
{
	ptrdiff_t at = str_find(name, word);
	if (at < 0)
		return false;
	p->group = group;
	buf_add(&p->name, str_first(name, (size_t)at));
	buf_add(&p->name, str_from_byte(name, (size_t)at + word.n));
	return true;
}

/* `Script.name` is `name` of `Script`; several objects of one kind, or with one field each, are listed together. */
static void find_place(struct str name, struct place *p)
{
	ptrdiff_t dot = str_find_char(name, '.');
	if (take_out(p, name, STR("type of "), STR("instance types")) ||
	    take_out(p, name, STR("frame slot: "), STR("frame slots")) ||
	    take_out(p, name, STR("DeoptimizationData "), STR("DeoptimizationData")))
		return;
	bool is_string = str_find(name, STR("String")) >= 0;
	bool is_alone = str_starts(name, STR("Map.")) || str_starts(name, STR("JSFunction.")) ||
			str_starts(name, STR("DebugInfo.")) || str_starts(name, STR("FixedArray"));
	p->group = is_string ? STR("strings") : STR("other constants");
	if (is_string && dot > (ptrdiff_t)strlen("String"))
		take_out(p, name, STR("String"), p->group);
	else if (dot < 0 || is_string || is_alone)
		buf_add(&p->name, name);
	else
		take_out(p, name, str_first(name, (size_t)dot + 1), str_first(name, (size_t)dot));
}

static void add_constant(struct doctor_report *r, const struct v8_layout *l, uint32_t c)
{
	AUTO(place) struct place p = { 0 };
	struct arena *text = &r->diagnosis.text;
	find_place(str_from(v8_constant_name(c)), &p);
	vec_push(&r->constants,
		 (struct doctor_constant){ .group = arena_copy(text, p.group),
					   .name = arena_copy(text, buf_str(&p.name)),
					   .origin = v8_origin_name(l->origin[c]),
					   .is_known = l->origin[c] != V8_UNKNOWN,
					   .value = l->value[c] });
}

/* --- findings --- */

static void add_checks(const struct v8_checks *c, struct doctor_report *r)
{
	static const enum finding_mark marks[] = { [V8_CHECK_FAILED] = FINDING_BAD,
						   [V8_CHECK_OK] = FINDING_OK,
						   [V8_CHECK_OPEN] = FINDING_INFO };
	for (unsigned i = 0; i < V8_CHECKS; i++) {
		AUTO(finding_text) struct finding_text t = { 0 };
		const struct v8_check *check = &c->list[i];
		buf_addf(&t.what, "test%s: %.*s", check->state == V8_CHECK_FAILED ? " failed" : "",
			 STR_ARG(buf_str(&check->what)));
		diagnosis_add(&r->diagnosis,
			      (struct finding){ marks[check->state], v8_check_name(i) }, &t);
	}
}

static void follow(struct doctor_report *r, const char *key, const char *what, bool is_so,
		   const char *why)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	buf_addf(&t.what, "%s: %s", what, is_so ? "yes" : "no");
	if (!is_so)
		buf_addf(&t.why, "%s", why);
	diagnosis_add(&r->diagnosis, (struct finding){ is_so ? FINDING_OK : FINDING_WARN, key },
		      &t);
}

static void tell_consequences(const struct v8_inspection *v, const struct v8_checks *c,
			      bool has_builtins, struct doctor_report *r)
{
	const struct v8_layout *l = &v->layout;
	bool has_functions = c->list[V8_CHECK_FUNCTION].state == V8_CHECK_OK;
	bool has_code = c->list[V8_CHECK_CODE].state != V8_CHECK_FAILED;
	bool has_positions = c->list[V8_CHECK_POSITIONS].state != V8_CHECK_FAILED;
	bool has_interpreter = l->interpreter[0].end != 0;
	follow(r, "names", "names of JavaScript functions", has_functions,
	       "no function was found with all parts of a name");
	follow(r, "interpreted", "interpreted functions", has_functions && has_interpreter,
	       "the file has no symbols for the interpreter, so its code cannot be told from other "
	       "builtins");
	follow(r, "lines", "lines of calls in optimized code",
	       has_functions && has_code && has_positions, "source positions cannot be read");
	if (l->major == 12 && l->minor == 9)
		follow(r, "maglev", "lines of calls in Maglev code", false,
		       "V8 12.9 writes no source positions for it");
	follow(r, "inlined", "inlined functions",
	       has_functions && has_code && l->origin[V8_DEOPT_INLINING] != V8_UNKNOWN,
	       "the functions inlined into code cannot be found");
	follow(r, "baseline", "lines of calls in baseline code",
	       has_functions && l->bytecode_sizes.n > 0, "bytecode sizes are not in this file");
	follow(r, "builtins", "names of V8's own functions", has_builtins, "the file is stripped");
}

/* --- command --- */

static void examine(struct v8_inspection *v, int32_t pid, struct doctor_report *r)
{
	AUTO(buf) struct buf title = { 0 };
	AUTO(v8_checks) struct v8_checks checks = { 0 };
	r->subject = DOCTOR_PROCESS;
	r->pid = pid;
	buf_addf(&title, "V8 of pid %d", pid);
	r->file = arena_copy(&r->diagnosis.text, buf_str(&title));
	add_program(v, r);
	add_parts(v, r);
	for (uint32_t c = 0; c < V8_CONSTANT_COUNT; c++)
		add_constant(r, &v->layout, c);
	v8_check(v, &checks);
	tell_consequences(v, &checks, v8_visit_builtins(v, NULL, NULL) > 0, r);
	add_checks(&checks, r);
	diagnosis_sort(&r->diagnosis);
}

static bool write_report(const struct doctor_report *r, const struct js_options *o,
			 const struct report_style *style, struct err *e)
{
	struct writer *out = writer_open(o->output ? o->output : "-", e);
	if (!out)
		return false;
	if (o->is_json)
		sink_doctor_json(r, 1, out);
	else
		sink_doctor_text(r, style, out);
	bool ok = writer_commit(out, e);
	writer_free(out);
	return ok;
}

static int run_js_doctor(const struct command *self, char **words, size_t n)
{
	struct err e = { 0 };
	struct js_options o = { 0 };
	struct report_style style;
	if (!js_options_parse(&o, self, words, n, &e))
		return say_error(self, &e);
	if (o.common.help)
		return print_help(self);
	if (!screen_style(&style, o.output, o.width_text, &e))
		return say_error(self, &e);
	struct doctor_report r = { .is_verbose = o.common.verbose };
	struct living_process p;
	struct v8_inspection *v = js_open_process(&o, &p, &e);
	if (v)
		examine(v, p.pid, &r);
	bool ok = v && write_report(&r, &o, &style, &e);
	v8_inspection_free(v);
	doctor_report_fini(&r);
	return ok ? EXIT_DONE : say_error(self, &e);
}

static const struct option_set *const doctor_sets[] = { &js_process_set, &js_output_set,
							&js_doctor_set, &common_option_set, NULL };

const struct command js_doctor_command = {
	.name = "js doctor",
	.arguments = "-p PID [options]",
	.summary = "say what can be read from a process's V8",
	.text = "Prints the version of V8 and the layout of its heap, as exported by its file,\n"
		"inferred, or from a table. Then tests it on the running process: whether a\n"
		"recording will have function names, lines of calls and inlined functions.\n"
		"Nothing is stopped or written.\n"
		"\n"
		"  plume js doctor -p 4711\n",
	.sets = doctor_sets,
	.run = run_js_doctor,
};
