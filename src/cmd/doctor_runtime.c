/* Code interpreted or compiled at run time: whether a recording can name it, and what would help. */
#include "cmd/doctor_living.h"

void doctor_add_bytes(struct buf *out, uint64_t n)
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB" };
	unsigned unit = 0;
	for (; n >= 10000 && unit + 1 < ARRAY_SIZE(units); unit++)
		n /= 1000;
	buf_add_grouped(out, n);
	buf_addf(out, " %s", units[unit]);
}

/* Reports an existing map, whoever writes it. Returns false if there is none that is usable. */
static bool tell_map(const struct process_facts *f, struct doctor_report *r)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	const struct code_map *m = &f->map;
	if (m->e.text[0]) {
		buf_addf(&t.what, "plume ignores its map: %s", m->e.text);
		buf_addf(&t.why, "its owner is not trusted");
		buf_addf(&t.fix, "find out who created it");
		diagnosis_add(&r->diagnosis, (struct finding){ FINDING_WARN, "map" }, &t);
		return false;
	}
	if (m->fd < 0 || !m->rows)
		return false;
	uint64_t seconds = m->grew_ns / 1000000000 + 1;
	if (m->grown_bytes / seconds > 10000000) {
		buf_addf(&t.what, "its map grows by more than 10 MB a second");
		buf_addf(&t.why, "code is compiled over and over, and each time adds a row");
		buf_addf(&t.fix, f->runtime.kind == RUNTIME_NODE
					 ? "use --perf-basic-prof-only-functions, which writes less"
					 : "restart it before the disk is full");
		diagnosis_add(&r->diagnosis, (struct finding){ FINDING_WARN, "map" }, &t);
		return true;
	}
	buf_addf(&t.what, "its map names the code generated at run time");
	diagnosis_add(&r->diagnosis, (struct finding){ FINDING_OK, "map" }, &t);
	return true;
}

/* --- Node.js --- */

void javascript_facts_read(const struct process_facts *f, struct javascript_facts *js)
{
	*js = (struct javascript_facts){ 0 };
	if (f->runtime.kind != RUNTIME_NODE || !f->is_visible)
		return;
	struct living_process p;
	living_process_init(&p, f->pid);
	struct v8_inspection *v = v8_inspect(&p.process, &js->e);
	if (v) {
		js->is_readable = true;
		js->major = v->layout.major;
		js->minor = v->layout.minor;
	}
	v8_inspection_free(v);
}

static void tell_javascript(const struct process_facts *f, const struct javascript_facts *js,
			    struct doctor_report *r)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	buf_addf(&t.what,
		 "JavaScript will be named without flags, from the heap of its V8 %u.%u: "
		 "interpreted, compiled and inlined functions",
		 js->major, js->minor);
	buf_addf(&t.fix, "plume js doctor -p %d shows the details", f->pid);
	diagnosis_add(&r->diagnosis, (struct finding){ FINDING_OK, "javascript" }, &t);
}

static void tell_no_node_map(const struct process_facts *f, const struct javascript_facts *js,
			     struct doctor_report *r)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	if (f->runtime.has_map_flag) {
		buf_addf(&t.what, "it should write a map, but %s is empty or missing", f->map.path);
		buf_addf(&t.why, "its /tmp is not writable, the file was removed, or "
				 "--perf-basic-prof-only-functions is used alone (Node.js 16 and "
				 "19 need both flags)");
		buf_addf(&t.fix,
			 js->is_readable ? "plume needs no map; for other tools: plume js map -p %d"
					 : "give it a writable /tmp, and restart it",
			 f->pid);
	} else {
		buf_addf(&t.what, "JavaScript functions will have no names");
		buf_addf(&t.why, "%s", js->e.text);
		buf_addf(&t.fix, "NODE_OPTIONS='--perf-basic-prof "
				 "--interpreted-frames-native-stack' node ...");
	}
	diagnosis_add(&r->diagnosis,
		      (struct finding){ js->is_readable ? FINDING_INFO : FINDING_BAD, "map" }, &t);
}

/* What its own names lack if V8's heap cannot be read. */
static void tell_flags(const struct process_facts *f, struct doctor_report *r)
{
	if (!f->runtime.has_interpreted_frames)
		doctor_add_finding(r, FINDING_INFO, "interpreted",
				   "all functions that V8 interprets share one unnamed frame",
				   "this affects code that is not hot yet: start-up, rare paths",
				   "node --interpreted-frames-native-stack ... gives each its own "
				   "frame, and with a map its name");
	if (!f->runtime.has_no_inlining)
		doctor_add_finding(r, FINDING_INFO, "inlined",
				   "functions that V8 inlines are charged to their callers",
				   "the caller's optimized code contains their code",
				   "node --no-turbo-inlining ... gives each its own frame, but "
				   "slows the program down");
}

static void tell_node(const struct process_facts *f, const struct javascript_facts *js,
		      struct doctor_report *r)
{
	if (f->jitdump)
		doctor_add_finding(r, FINDING_OK, "map",
				   "its jitdump names the code generated at run time", NULL, NULL);
	else if (!tell_map(f, r) && (f->runtime.has_map_flag || !js->is_readable))
		tell_no_node_map(f, js, r);
	if (js->is_readable)
		tell_javascript(f, js, r);
	else
		tell_flags(f, r);
}

static uint64_t major_version(const struct runtime *runtime)
{
	uint64_t major = 0;
	struct str version = buf_str(&runtime->version);
	ptrdiff_t dot = str_find_char(version, '.');
	str_to_u64(str_first(version, dot < 0 ? version.n : (size_t)dot), &major);
	return major;
}

static void tell_java_names(const struct process_facts *f, struct doctor_report *r)
{
	enum { FIRST_WITH_MAP = 17 };
	uint64_t major = major_version(&f->runtime);
	if (f->runtime.has_no_attach) {
		if (!tell_map(f, r))
			doctor_add_finding(r, FINDING_BAD, "map", "Java methods will have no names",
					   "the JVM was started with -XX:+DisableAttachMechanism, "
					   "so plume cannot ask it for names",
					   "restart it without that flag");
	} else if (major && major < FIRST_WITH_MAP) {
		if (!tell_map(f, r))
			doctor_add_finding(
				r, FINDING_BAD, "map", "Java methods will have no names",
				"JVMs before 17 cannot give names",
				"use Java 17 or later, or an agent that writes /tmp/perf-PID.map");
	} else if (!f->may_be_asked) {
		doctor_add_finding(r, FINDING_BAD, "map", "Java methods will have no names",
				   "the JVM does not accept commands: it is still starting, or "
				   "belongs to another user",
				   "try again in a moment, with sudo");
	} else {
		doctor_add_finding(r, FINDING_OK, "map",
				   "plume will ask the JVM for names (Compiler.perfmap)", NULL,
				   NULL);
	}
}

/* The JVM's map has one row per compiled method, and one for everything that is interpreted. */
static void tell_java_limits(struct doctor_report *r)
{
	doctor_add_finding(r, FINDING_INFO, "interpreted",
			   "all methods that the JVM interprets share one frame, Interpreter",
			   "the JVM's map has one row for its interpreter",
			   "let the program warm up before recording; java -Xcomp compiles "
			   "everything first, but starts slowly");
	doctor_add_finding(r, FINDING_INFO, "inlined",
			   "inlined methods are charged to the method that they were inlined into",
			   "the JVM's map does not say what was inlined",
			   "java -XX:-Inline keeps methods separate, but slows the program down");
}

static void tell_java(const struct process_facts *f, struct doctor_report *r)
{
	tell_java_names(f, r);
	tell_java_limits(r);
	if (f->runtime.keeps_frame_pointers)
		doctor_add_finding(r, FINDING_OK, "java-stacks",
				   "compiled methods keep frame pointers: stacks are complete",
				   NULL, NULL);
	else
		doctor_add_finding(r, FINDING_BAD, "java-stacks",
				   "stacks will be cut at the first compiled Java method",
				   "compiled methods have neither frame pointers nor unwind tables",
				   "JAVA_TOOL_OPTIONS=-XX:+PreserveFramePointer java ...");
}

static void tell_python(const struct process_facts *f, struct doctor_report *r)
{
	enum { MINOR_WITH_MAP = 12 };
	struct str version = buf_str(&f->runtime.version);
	ptrdiff_t dot = str_find_char(version, '.');
	uint64_t minor = 0;
	struct runtime rest = { .version = { 0 } };
	if (f->jitdump) {
		doctor_add_finding(r, FINDING_OK, "map",
				   "its jitdump names Python functions (-X perf_jit); Python "
				   "writes most of it at exit",
				   NULL, NULL);
		return;
	}
	if (tell_map(f, r))
		return;
	buf_add(&rest.version, str_from_byte(version, (size_t)(dot + 1)));
	minor = major_version(&rest);
	runtime_fini(&rest);
	doctor_add_finding(r, FINDING_WARN, "map",
			   "Python functions will be missing; only the interpreter's own will show",
			   "the interpreter runs them without native frames",
			   major_version(&f->runtime) > 3 || minor >= MINOR_WITH_MAP
				   ? "PYTHONPERFSUPPORT=1 python3 ..., or python3 -X perf ..."
				   : "Python 3.12 or later: python3 -X perf ...");
}

static void tell_other(const struct process_facts *f, struct doctor_report *r)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	enum runtime_kind outer = f->runtime.kind;
	if (!f->jit_bytes || f->jitdump || tell_map(f, r))
		return;
	for (uint32_t i = 0; i < f->mapped.n; i++)
		outer = runtime_outer(outer, runtime_of_file(str_from(f->mapped.p[i].path)));
	doctor_add_bytes(&t.what, f->jit_bytes);
	buf_addf(&t.what, " of code generated at run time will have no names");
	buf_addf(&t.why, "it is in no file, and there is no %s", f->map.path);
	buf_addf(&t.fix, "%s", runtime_rows[outer].advice);
	diagnosis_add(&r->diagnosis, (struct finding){ FINDING_WARN, "map" }, &t);
}

void doctor_tell_runtime(const struct process_facts *f, const struct javascript_facts *js,
			 struct doctor_report *r)
{
	switch (f->runtime.kind) {
	case RUNTIME_NODE:
		tell_node(f, js, r);
		break;
	case RUNTIME_JVM:
		tell_java(f, r);
		break;
	case RUNTIME_PYTHON:
		tell_python(f, r);
		break;
	default:
		tell_other(f, r);
	}
}
