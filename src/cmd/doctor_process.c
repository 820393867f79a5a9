/* A process: what a recording of it will show, what it will not show, and why. */
#include "cmd/doctor_living.h"

#include <unistd.h>

/* --- facts --- */

static void add_program(const struct process_facts *f, struct doctor_report *r)
{
	AUTO(buf) struct buf text = { 0 };
	if (f->is_visible)
		buf_addf(&text, "%s", runtime_rows[f->runtime.kind].name);
	if (f->runtime.version.n)
		buf_addf(&text, " %.*s", STR_ARG(buf_str(&f->runtime.version)));
	if (f->program)
		buf_addf(&text, "%s%s", text.n ? ", " : "", f->program);
	if (!text.n)
		buf_addf(&text, "not readable");
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
		buf_addf(&text, "none that affect profiling");
	if (runtime_rows[f->runtime.kind].take_flag)
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
		buf_addf(&text, "%sown mounts", text.n ? ", " : "");
	if (f->has_own_users)
		buf_addf(&text, "%sown users", text.n ? ", " : "");
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
		doctor_add_bytes(&text, m->size_bytes);
		buf_addf(&text, ", %s", m->grown_bytes ? "+" : "not growing");
		if (m->grown_bytes)
			doctor_add_bytes(&text, m->grown_bytes);
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
		buf_addf(&t.why,
			 "compiled without frame pointers and without unwind tables (.eh_frame)");
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

/* Reports files with the same problem in one finding, because one command fixes them all. */
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
		buf_addf(&t.why,
			 n == 1 ? "it is stripped, and its debug file was not found"
				: "they are stripped, and their debug files were not found");
		buf_addf(&t.fix, "install debug symbols, or run "
				 "DEBUGINFOD_URLS=https://debuginfod.elfutils.org plume record "
				 "--debuginfod ...");
	} else {
		buf_addf(&t.why, "%s%.*s", n > 1 ? "for the first: " : "",
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
	buf_addf(&t.what, "no lines or inlined functions for %.*s",
		 STR_ARG(str_basename(str_from(program->path))));
	buf_addf(&t.why, "it has no DWARF, and its debug file was not found");
	buf_addf(&t.fix, "build with -g, install its debug symbols, or use --debuginfod");
	diagnosis_add(&r->diagnosis, (struct finding){ FINDING_INFO, "lines" }, &t);
}

/* --- findings --- */

static void tell_hidden(const struct process_facts *f, const struct permission *p,
			struct doctor_report *r)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	buf_addf(&t.what, p->has_perfmon ? "functions of this process will have no names"
					 : "this user cannot record it");
	if (p->has_sys_ptrace) {
		buf_addf(&t.why, "the kernel refuses access to its files even with CAP_SYS_PTRACE: "
				 "a security module or sandbox may protect it");
		diagnosis_add(&r->diagnosis, (struct finding){ FINDING_BAD, "process" }, &t);
		return;
	}
	buf_addf(&t.why, "it belongs to user %s%s%u%s, and this user may not read its files",
		 f->user ? f->user : "", f->user ? " (" : "", f->uid, f->user ? ")" : "");
	buf_addf(&t.fix,
		 p->is_in_container ? "on the host: sudo plume doctor -p PID"
				    : "sudo plume doctor -p %d",
		 f->pid);
	diagnosis_add(&r->diagnosis, (struct finding){ FINDING_BAD, "process" }, &t);
}

void doctor_tell_process(const struct process_facts *f, const struct javascript_facts *js,
			 const struct permission *p, struct doctor_report *r)
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
	doctor_tell_runtime(f, js, r);
	tell_stacks(f, r);
	tell_names(f, false, r);
	tell_names(f, true, r);
	tell_lines(f, r);
	diagnosis_sort(&r->diagnosis);
}
