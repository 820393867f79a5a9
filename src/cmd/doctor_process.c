/* A process: what a recording of it will show, what not, and why. */
#include "cmd/doctor_living.h"

#include <unistd.h>

/* --- what there is --- */

static void add_bytes(struct buf *out, uint64_t n)
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB" };
	unsigned unit = 0;
	for (; n >= 10000 && unit + 1 < ARRAY_SIZE(units); unit++)
		n /= 1000;
	buf_add_grouped(out, n);
	buf_addf(out, " %s", units[unit]);
}

static const char *kind_name(enum runtime_kind kind)
{
	static const char *const names[] = { [RUNTIME_NATIVE] = "native code",
					     [RUNTIME_NODE] = "Node.js",
					     [RUNTIME_JVM] = "Java",
					     [RUNTIME_PYTHON] = "Python",
					     [RUNTIME_GO] = "Go" };
	return names[kind];
}

static void add_program(const struct process_facts *f, struct doctor_report *r)
{
	AUTO(buf) struct buf text = { 0 };
	if (f->is_visible)
		buf_addf(&text, "%s", kind_name(f->runtime.kind));
	if (f->runtime.version.n)
		buf_addf(&text, " %.*s", STR_ARG(buf_str(&f->runtime.version)));
	if (f->program)
		buf_addf(&text, "%s%s", text.n ? ", " : "", f->program);
	if (!text.n)
		buf_addf(&text, "may not be looked at");
	doctor_add_fact(r, "program", &text);
}

static void add_flags(const struct process_facts *f, struct doctor_report *r)
{
	AUTO(buf) struct buf text = { 0 };
	bool is_node = f->runtime.kind == RUNTIME_NODE;
	const struct {
		bool is_on;
		const char *name;
	} flags[] = {
		{ f->runtime.has_map_flag, is_node ? "--perf-basic-prof" : "-X perf" },
		{ f->runtime.has_jitdump_flag, "--perf-prof" },
		{ f->runtime.has_interpreted_frames, "--interpreted-frames-native-stack" },
		{ f->runtime.has_no_inlining, "--no-turbo-inlining" },
		{ f->runtime.keeps_frame_pointers, "-XX:+PreserveFramePointer" },
		{ f->runtime.has_no_attach, "-XX:+DisableAttachMechanism" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].is_on)
			buf_addf(&text, "%s%s", text.n ? " " : "", flags[i].name);
	if (!text.n)
		buf_addf(&text, "none that matter here");
	if (f->runtime.kind != RUNTIME_NATIVE && f->runtime.kind != RUNTIME_GO)
		doctor_add_fact(r, "flags", &text);
}

static void add_place(const struct process_facts *f, struct doctor_report *r)
{
	AUTO(buf) struct buf text = { 0 };
	buf_addf(&text, f->user ? "%s (%u)" : "%s%u", f->user ? f->user : "", f->uid);
	doctor_add_fact(r, "user", &text);
	if (f->container.n)
		buf_add(&text, buf_str(&f->container));
	if (text.n)
		doctor_add_fact(r, "container", &text);
	if (f->has_own_pids)
		buf_addf(&text, "pid %d inside", f->inner_pid);
	if (f->has_own_mounts)
		buf_addf(&text, "%smounts of its own", text.n ? ", " : "");
	if (f->has_own_users)
		buf_addf(&text, "%susers of its own", text.n ? ", " : "");
	if (text.n)
		doctor_add_fact(r, "namespaces", &text);
	buf_addf(&text, "%u%s", f->threads, f->is_stopped ? ", stopped (SIGSTOP)" : "");
	doctor_add_fact(r, "threads", &text);
}

static void add_map(const struct process_facts *f, struct doctor_report *r)
{
	AUTO(buf) struct buf text = { 0 };
	const struct code_map *m = &f->map;
	if (f->jit_bytes && m->fd < 0)
		buf_addf(&text, "none (%s)", m->path);
	if (m->fd >= 0) {
		buf_addf(&text, "%s, ", m->path);
		finding_add_count(&text, m->rows, "row", "rows");
		buf_addf(&text, "%s, ", m->is_counted_whole ? "" : " at least");
		add_bytes(&text, m->size_bytes);
		buf_addf(&text, ", %s", m->grown_bytes ? "+" : "does not grow");
		if (m->grown_bytes)
			add_bytes(&text, m->grown_bytes);
		if (m->grown_bytes)
			buf_addf(&text, " in %.1f s", (double)m->grew_ns / 1e9);
	}
	if (text.n)
		doctor_add_fact(r, "map", &text);
	if (f->jitdump)
		buf_addf(&text, "%s", f->jitdump);
	if (text.n)
		doctor_add_fact(r, "jitdump", &text);
}

static void add_mapped(const struct process_facts *f, struct doctor_report *r)
{
	static const char *const uses[] = { [FRAME_POINTERS_UNKNOWN] = "unknown",
					    [FRAME_POINTERS_KEPT] = "kept",
					    [FRAME_POINTERS_OMITTED] = "omitted" };
	struct arena *text = &r->diagnosis.text;
	for (uint32_t i = 0; i < f->mapped.n; i++) {
		const struct mapped_file *m = &f->mapped.p[i];
		bool is_whole = m->trouble == BINARY_FINE || m->trouble == BINARY_UNVERIFIED;
		bool has_some = m->trouble == BINARY_STRIPPED && m->has_exports;
		vec_push(&r->mapped,
			 (struct doctor_mapped){ .path = arena_copy(text, str_from(m->path)),
						 .frame_pointers = uses[m->frame_pointers],
						 .has_tables = m->has_tables,
						 .names = is_whole   ? "all"
							  : has_some ? "exported"
								     : "none",
						 .has_lines = m->has_lines,
						 .why = arena_copy(text, buf_str(&m->why)),
						 .fix = arena_copy(text, buf_str(&m->fix)) });
	}
}

/* --- code that a JIT compiler made --- */

/* A map that is there, whoever writes it. False: there is none of use. */
static bool tell_map(const struct process_facts *f, struct doctor_report *r)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	const struct code_map *m = &f->map;
	if (m->e.text[0]) {
		buf_addf(&t.what, "its map is not used: %s", m->e.text);
		buf_addf(&t.why, "names in it could be anybody's");
		buf_addf(&t.fix, "look at who put it there");
		diagnosis_add(&r->diagnosis, (struct finding){ FINDING_WARN, "map" }, &t);
		return false;
	}
	if (m->fd < 0 || !m->rows)
		return false;
	uint64_t seconds = m->grew_ns / 1000000000 + 1;
	if (m->grown_bytes / seconds > 10000000) {
		buf_addf(&t.what, "its map grows by more than 10 MB a second");
		buf_addf(&t.why, "code is compiled over and over, each time as a new row");
		buf_addf(&t.fix, f->runtime.kind == RUNTIME_NODE
					 ? "--perf-basic-prof-only-functions writes less of it"
					 : "start it anew when the disk gets full");
		diagnosis_add(&r->diagnosis, (struct finding){ FINDING_WARN, "map" }, &t);
		return true;
	}
	buf_addf(&t.what, "its map names the code that it compiles at run time");
	diagnosis_add(&r->diagnosis, (struct finding){ FINDING_OK, "map" }, &t);
	return true;
}

static void tell_no_node_map(const struct process_facts *f, struct doctor_report *r)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	if (f->runtime.has_map_flag) {
		buf_addf(&t.what, "it should write a map, but there are no rows in %s",
			 f->map.path);
		buf_addf(&t.why, "its /tmp cannot be written, somebody has removed the file, or "
				 "--perf-basic-prof-only-functions stands alone (Node.js 16 and "
				 "19 need both flags)");
		buf_addf(&t.fix, "give it a /tmp that it can write to, and start it anew");
	} else {
		buf_addf(&t.what, "JavaScript functions will have no names");
		buf_addf(&t.why, "Node.js tells nobody where it puts compiled code unless it is "
				 "asked to");
		buf_addf(&t.fix, "NODE_OPTIONS='--perf-basic-prof "
				 "--interpreted-frames-native-stack' node ...");
	}
	diagnosis_add(&r->diagnosis, (struct finding){ FINDING_BAD, "map" }, &t);
}

static void tell_node(const struct process_facts *f, struct doctor_report *r)
{
	if (f->jitdump)
		doctor_add_finding(r, FINDING_OK, "map",
				   "its jitdump names the code that it compiles at run time", NULL,
				   NULL);
	else if (!tell_map(f, r))
		tell_no_node_map(f, r);
	if (!f->runtime.has_interpreted_frames)
		doctor_add_finding(r, FINDING_INFO, "interpreted",
				   "functions that V8 interprets are all one frame, without names",
				   "those that are not hot yet: start-up, rare paths",
				   "node --interpreted-frames-native-stack ...: each has its own "
				   "frame and name (with a map)");
	if (!f->runtime.has_no_inlining)
		doctor_add_finding(r, FINDING_INFO, "inlined",
				   "functions that V8 inlines count for their callers",
				   "optimized code of a caller holds the code of what it calls",
				   "node --no-turbo-inlining ...: each has its own frame; the "
				   "program is slower with it");
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
					   "it was started with -XX:+DisableAttachMechanism, so it "
					   "cannot be asked for them",
					   "start it without that flag");
	} else if (major && major < FIRST_WITH_MAP) {
		if (!tell_map(f, r))
			doctor_add_finding(r, FINDING_BAD, "map", "Java methods will have no names",
					   "JVMs before 17 cannot be asked for them",
					   "Java 17 or later, or an agent that writes "
					   "/tmp/perf-PID.map");
	} else if (!f->may_be_asked) {
		doctor_add_finding(r, FINDING_BAD, "map", "Java methods will have no names",
				   "the JVM does not take commands: it is only just starting, or "
				   "another user's",
				   "try again in a moment, with sudo");
	} else {
		doctor_add_finding(r, FINDING_OK, "map",
				   "the JVM is asked for names while it is recorded "
				   "(Compiler.perfmap)",
				   NULL, NULL);
	}
}

static void tell_java(const struct process_facts *f, struct doctor_report *r)
{
	tell_java_names(f, r);
	if (f->runtime.keeps_frame_pointers)
		doctor_add_finding(r, FINDING_OK, "java-stacks",
				   "compiled methods keep frame pointers: stacks are whole", NULL,
				   NULL);
	else
		doctor_add_finding(r, FINDING_BAD, "java-stacks",
				   "stacks of Java methods will be cut at the first compiled one",
				   "compiled methods keep no frame pointers, and there are no "
				   "tables for them",
				   "JAVA_TOOL_OPTIONS=-XX:+PreserveFramePointer java ...");
}

static void tell_python(const struct process_facts *f, struct doctor_report *r)
{
	enum { MINOR_WITH_MAP = 12 };
	struct str version = buf_str(&f->runtime.version);
	ptrdiff_t dot = str_find_char(version, '.');
	uint64_t minor = 0;
	struct runtime rest = { .version = { 0 } };
	if (tell_map(f, r))
		return;
	buf_add(&rest.version, str_from_byte(version, (size_t)(dot + 1)));
	minor = major_version(&rest);
	runtime_fini(&rest);
	doctor_add_finding(r, FINDING_WARN, "map",
			   "Python functions will not be seen, only the interpreter's own",
			   "the interpreter runs them without frames of their own",
			   major_version(&f->runtime) > 3 || minor >= MINOR_WITH_MAP
				   ? "PYTHONPERFSUPPORT=1 python3 ..., or python3 -X perf ..."
				   : "Python 3.12 or later: python3 -X perf ...");
}

static void tell_other(const struct process_facts *f, struct doctor_report *r)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	if (!f->jit_bytes || f->jitdump || tell_map(f, r))
		return;
	add_bytes(&t.what, f->jit_bytes);
	buf_addf(&t.what, " of code that was made at run time will have no names");
	buf_addf(&t.why, "no file holds it, and there is no %s", f->map.path);
	buf_addf(&t.fix, ".NET: DOTNET_PerfMapEnabled=1; PHP: opcache.jit_debug=0x10; others: "
			 "the flag of their JIT compiler that writes a perf map");
	diagnosis_add(&r->diagnosis, (struct finding){ FINDING_WARN, "map" }, &t);
}

/* --- files --- */

static void add_name(struct buf *out, const struct mapped_file *m)
{
	enum { ENOUGH_BYTES = 200 };
	struct str name = str_basename(str_from(m->path));
	if (out->n < ENOUGH_BYTES)
		buf_addf(out, "%s%.*s", out->n ? ", " : "", STR_ARG(name));
	else if (!str_ends(buf_str(out), STR(", ...")))
		buf_addf(out, ", ...");
}

static void tell_stacks(const struct process_facts *f, struct doctor_report *r)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	AUTO(buf) struct buf lost = { 0 };
	uint32_t kept = 0, tables = 0, none = 0;
	for (uint32_t i = 0; i < f->mapped.n; i++) {
		const struct mapped_file *m = &f->mapped.p[i];
		bool is_kept = m->frame_pointers == FRAME_POINTERS_KEPT;
		bool is_lost = m->frame_pointers == FRAME_POINTERS_OMITTED && !m->has_tables;
		kept += is_kept;
		tables += !is_kept && m->has_tables;
		none += is_lost;
		if (is_lost)
			add_name(&lost, m);
	}
	if (none) {
		buf_addf(&t.what, "stacks end in ");
		finding_add_count(&t.what, none, "file", "files");
		buf_addf(&t.what, ": %s", buf_c_string(&lost));
		buf_addf(&t.why, "compiled without frame pointers and without tables (.eh_frame)");
		buf_addf(&t.fix, "build with -fno-omit-frame-pointer, or without "
				 "-fno-asynchronous-unwind-tables");
		diagnosis_add(&r->diagnosis,
			      (struct finding){ FINDING_BAD, "stacks", .count = none,
						.total = f->mapped.n },
			      &t);
		return;
	}
	buf_addf(&t.what, "stacks are unwound by ");
	if (kept) {
		buf_addf(&t.what, "frame pointers in ");
		finding_add_count(&t.what, kept, "file", "files");
	}
	if (tables) {
		buf_addf(&t.what, "%stables (.eh_frame) in ", kept ? ", by " : "");
		finding_add_count(&t.what, tables, "file", "files");
	}
	diagnosis_add(&r->diagnosis, (struct finding){ FINDING_OK, "stacks" }, &t);
}

/* Files whose trouble is of one kind, in one finding: one command helps them all. */
static void tell_names(const struct process_facts *f, bool is_stripped, struct doctor_report *r)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	AUTO(buf) struct buf list = { 0 };
	const struct mapped_file *first = NULL;
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->mapped.n; i++) {
		const struct mapped_file *m = &f->mapped.p[i];
		bool is_fine = m->trouble == BINARY_FINE || m->trouble == BINARY_UNVERIFIED;
		if (is_fine || (m->trouble == BINARY_STRIPPED) != is_stripped)
			continue;
		first = first ? first : m;
		add_name(&list, m);
		n++;
	}
	if (!n)
		return;
	finding_add_count(&t.what, n, "file has", "files have");
	buf_addf(&t.what, "%s: %s",
		 is_stripped ? " names for exported functions only" : " no names",
		 buf_c_string(&list));
	if (is_stripped) {
		buf_addf(&t.why, n == 1 ? "it is stripped, and no debug file of it was found"
					: "they are stripped, and no debug files were found");
		buf_addf(&t.fix, "install debug symbols, or DEBUGINFOD_URLS="
				 "https://debuginfod.elfutils.org plume record --debuginfod ...");
	} else {
		buf_addf(&t.why, "%s%.*s", n > 1 ? "of the first: " : "",
			 STR_ARG(buf_str(&first->why)));
		buf_add(&t.fix, buf_str(&first->fix));
	}
	diagnosis_add(&r->diagnosis,
		      (struct finding){ is_stripped ? FINDING_INFO : FINDING_WARN, "names",
					.count = n, .total = f->mapped.n },
		      &t);
}

static void tell_lines(const struct process_facts *f, struct doctor_report *r)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	const struct mapped_file *program = f->mapped.n ? &f->mapped.p[0] : NULL;
	if (!program || program->has_lines || f->runtime.kind == RUNTIME_JVM ||
	    f->runtime.kind == RUNTIME_PYTHON || f->runtime.kind == RUNTIME_NODE)
		return;
	buf_addf(&t.what, "no lines and no inlined functions of %.*s",
		 STR_ARG(str_basename(str_from(program->path))));
	buf_addf(&t.why, "it has no DWARF, and no debug file of it was found");
	buf_addf(&t.fix, "build with -g, or install its debug symbols, or --debuginfod");
	diagnosis_add(&r->diagnosis, (struct finding){ FINDING_INFO, "lines" }, &t);
}

/* --- all of it --- */

static void tell_hidden(const struct process_facts *f, const struct permission *p,
			struct doctor_report *r)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	buf_addf(&t.what, p->has_perfmon ? "its functions will have no names"
					 : "this user cannot record it");
	buf_addf(&t.why, "it is of user %s%s%u%s, and this user may not look at its files",
		 f->user ? f->user : "", f->user ? " (" : "", f->uid, f->user ? ")" : "");
	buf_addf(&t.fix,
		 p->is_in_container ? "on the host: sudo plume doctor -p PID"
				    : "sudo plume doctor -p %d",
		 f->pid);
	diagnosis_add(&r->diagnosis, (struct finding){ FINDING_BAD, "process" }, &t);
}

static void tell_runtime(const struct process_facts *f, struct doctor_report *r)
{
	switch (f->runtime.kind) {
	case RUNTIME_NODE:
		tell_node(f, r);
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

void doctor_tell_process(const struct process_facts *f, const struct permission *p,
			 struct doctor_report *r)
{
	AUTO(buf) struct buf title = { 0 };
	r->subject = DOCTOR_PROCESS;
	r->pid = f->pid;
	buf_addf(&title, "%s (pid %d)", f->name, f->pid);
	r->file = arena_copy(&r->diagnosis.text, buf_str(&title));
	add_program(f, r);
	if (!f->is_visible) {
		add_place(f, r);
		tell_hidden(f, p, r);
		return;
	}
	add_flags(f, r);
	add_place(f, r);
	add_map(f, r);
	add_mapped(f, r);
	tell_runtime(f, r);
	tell_stacks(f, r);
	tell_names(f, false, r);
	tell_names(f, true, r);
	tell_lines(f, r);
	diagnosis_sort(&r->diagnosis);
}
