/* What doctor makes of machines and processes that are not this one: which findings, and how bad. */
#include "cmd/doctor_living.h"
#include "tap.h"

/* `bad map, info lines, ...`: all but those that are well. */
static void describe(const struct doctor_report *r, struct buf *out)
{
	for (uint32_t i = 0; i < r->diagnosis.findings.n; i++) {
		const struct finding *f = &r->diagnosis.findings.p[i];
		if (f->mark == FINDING_OK && !f->why.n && !f->fix.n)
			continue;
		buf_addf(out, "%s%s %s", out->n ? ", " : "", finding_mark_names[f->mark], f->key);
	}
}

static const struct permission root = { .paranoid = 2,
					.ptrace_scope = -1,
					.max_stack = 512,
					.max_rate_hz = 100000,
					.mlock_kb = 516,
					.is_root = true,
					.has_perfmon = true,
					.has_sys_admin = true,
					.has_sys_ptrace = true,
					.has_bpf = true,
					.has_ipc_lock = true,
					.has_perf_syscall = true,
					.has_pmu = true,
					.has_bpf_syscall = true,
					.has_btf = true,
					.may_see_kernel = true,
					.may_see_all = true,
					.max_descriptors = 20000 };

static void check_machine(struct permission p, const char *kernel_names, const char *want,
			  const char *what)
{
	struct err walker = { 0 };
	if (!p.has_bpf)
		err_set(&walker, "no BPF; run plume with sudo");
	AUTO(buf) struct buf got = { 0 };
	struct kernel_name_trouble names = { 0 };
	struct doctor_report r = { 0 };
	buf_add(&names.why, str_from(kernel_names));
	doctor_tell_machine(&p, &names, &walker, &r);
	describe(&r, &got);
	tap_str_eq(buf_str(&got), str_from(want), "%s", what);
	doctor_report_fini(&r);
	buf_fini(&names.why);
}

static void check_walker(const char *said, const char *want_what, const char *want_fix)
{
	struct kernel_name_trouble names = { 0 };
	struct doctor_report r = { 0 };
	struct err walker = { 0 };
	if (*said)
		err_set(&walker, "%s", said);
	doctor_tell_machine(&root, &names, &walker, &r);
	const struct finding *bpf = NULL;
	for (uint32_t i = 0; i < r.diagnosis.findings.n; i++)
		if (strcmp(r.diagnosis.findings.p[i].key, "bpf") == 0)
			bpf = &r.diagnosis.findings.p[i];
	tap_ok(bpf != NULL, "doctor speaks of BPF that says \"%s\"", said);
	tap_str_eq(bpf ? bpf->what : STR(""), str_from(want_what), "... what");
	tap_str_eq(bpf ? bpf->fix : STR(""), str_from(want_fix), "... and what to do");
	doctor_report_fini(&r);
}

static void check_machines(void)
{
	struct permission p = root;
	check_machine(p, "", "", "root on a real machine");
	check_walker("",
		     "BPF programs can be loaded, so JavaScript stacks and deep stacks with frame "
		     "pointers are walked in the kernel, up to 8,192 frames",
		     "");
	check_walker("no BPF; run plume with sudo", "no BPF", "run plume with sudo");
	check_walker("Linux 4.19 did not load it", "Linux 4.19 did not load it", "");
	check_machine(p, "hidden", "warn kernel", "names of the kernel are hidden");
	p.has_pmu = false;
	p.max_stack = 127;
	p.max_rate_hz = 250;
	p.max_descriptors = 1024;
	check_machine(p, "", "warn rate, info counters, info files", "BPF walks deep stacks");
	p.has_bpf = false;
	check_machine(p, "", "warn rate, info counters, info depth, info files, info bpf",
		      "low limits");
	p = root;
	p.is_root = p.has_perfmon = p.has_sys_admin = p.has_sys_ptrace = p.has_bpf = false;
	p.may_see_all = p.may_see_kernel = false;
	check_machine(p, "", "warn record, warn kernel, info others, info bpf", "a user");
	p.paranoid = 3;
	check_machine(p, "", "bad record, info others, info bpf", "a user who may do nothing");
	p = root;
	p.has_perf_syscall = p.may_see_all = p.may_see_kernel = false;
	p.is_in_container = p.is_filtered = true;
	p.box = BOX_DOCKER;
	check_machine(p, "", "bad record, info container", "in a container with a filter");
}

/* --- processes --- */

static struct process_facts process_of(enum runtime_kind kind, const char *version)
{
	struct process_facts f = { .pid = 12,
				   .inner_pid = 1,
				   .name = mem_strdup("it"),
				   .program = mem_strdup("/it"),
				   .threads = 2,
				   .is_visible = true,
				   .jit_bytes = 4096,
				   .runtime.kind = kind,
				   .map = { .fd = -1, .path = mem_strdup("/tmp/perf-1.map") } };
	buf_add(&f.runtime.version, str_from(version));
	struct mapped_file file = { .path = mem_strdup("/it"),
				    .frame_pointers = FRAME_POINTERS_KEPT,
				    .has_tables = true,
				    .has_lines = true };
	vec_push(&f.mapped, file);
	return f;
}

static void check_javascript(struct process_facts f, const struct javascript_facts *js,
			     const char *want, const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	struct doctor_report r = { 0 };
	doctor_tell_process(&f, js, &root, &r);
	describe(&r, &got);
	tap_str_eq(buf_str(&got), str_from(want), "%s", what);
	doctor_report_fini(&r);
	f.map.fd = -1;
	process_facts_fini(&f);
}

static void check_process(struct process_facts f, const char *want, const char *what)
{
	struct javascript_facts unreadable = { 0 };
	err_set(&unreadable.e, "its V8 is not known");
	check_javascript(f, &unreadable, want, what);
}

static void give_map(struct process_facts *f, uint64_t grown_bytes)
{
	f->map.fd = 0; /* not read any more */
	f->map.rows = 10;
	f->map.size_bytes = 1000;
	f->map.is_counted_whole = true;
	f->map.grew_ns = 1000000000;
	f->map.grown_bytes = grown_bytes;
}

static void check_node(void)
{
	struct process_facts f = process_of(RUNTIME_NODE, "20.1.0");
	check_process(f, "bad map, info interpreted, info inlined", "node without flags");
	f = process_of(RUNTIME_NODE, "20.1.0");
	f.runtime.has_interpreted_frames = f.runtime.has_no_inlining = true;
	f.runtime.has_map_flag = true;
	check_process(f, "bad map", "node that should write a map and does not");
	f = process_of(RUNTIME_NODE, "20.1.0");
	f.runtime.has_interpreted_frames = f.runtime.has_no_inlining = true;
	give_map(&f, 100);
	check_process(f, "", "node with all of it");
	f = process_of(RUNTIME_NODE, "20.1.0");
	f.runtime.has_interpreted_frames = f.runtime.has_no_inlining = true;
	give_map(&f, 100000000);
	check_process(f, "warn map", "a map that grows fast");
	f = process_of(RUNTIME_NODE, "20.1.0");
	f.runtime.has_interpreted_frames = f.runtime.has_no_inlining = true;
	f.jitdump = mem_strdup("/tmp/jit-1.dump");
	check_process(f, "", "node with a jitdump");
	f = process_of(RUNTIME_NODE, "20.1.0");
	err_set(&f.map.e, "/tmp/perf-1.map: not a plain file");
	check_process(f, "bad map, warn map, info interpreted, info inlined", "a planted map");
}

static void check_readable(void)
{
	struct javascript_facts readable = { .is_readable = true, .major = 11, .minor = 3 };
	struct process_facts f = process_of(RUNTIME_NODE, "20.1.0");
	check_javascript(f, &readable, "ok javascript",
			 "node without flags that can be read from outside");
	f = process_of(RUNTIME_NODE, "20.1.0");
	f.runtime.has_map_flag = true;
	check_javascript(f, &readable, "info map, ok javascript",
			 "... that should write a map and does not");
	f = process_of(RUNTIME_NODE, "20.1.0");
	err_set(&f.map.e, "/tmp/perf-1.map: not a plain file");
	check_javascript(f, &readable, "warn map, ok javascript", "... with a planted map");
}

/* True of every JVM's map. */
#define LIMITS "info interpreted, info inlined"

static void check_java(void)
{
	struct process_facts f = process_of(RUNTIME_JVM, "17.0.15");
	f.may_be_asked = true;
	check_process(f, "bad java-stacks, " LIMITS, "java without flags");
	f = process_of(RUNTIME_JVM, "21.0.1");
	f.may_be_asked = f.runtime.keeps_frame_pointers = true;
	check_process(f, LIMITS, "java with frame pointers");
	f = process_of(RUNTIME_JVM, "11.0.2");
	f.may_be_asked = f.runtime.keeps_frame_pointers = true;
	check_process(f, "bad map, " LIMITS, "java that is too old");
	f = process_of(RUNTIME_JVM, "1.8.0_402");
	f.runtime.keeps_frame_pointers = true;
	give_map(&f, 0);
	check_process(f, LIMITS, "an old one with an agent's map");
	f = process_of(RUNTIME_JVM, "17");
	f.runtime.keeps_frame_pointers = f.runtime.has_no_attach = true;
	check_process(f, "bad map, " LIMITS, "java that may not be asked");
}

static void check_others(void)
{
	struct process_facts f = process_of(RUNTIME_PYTHON, "3.11");
	check_process(f, "warn map", "python");
	f = process_of(RUNTIME_NATIVE, "");
	check_process(f, "warn map", "code of an unknown JIT compiler");
	f = process_of(RUNTIME_NATIVE, "");
	f.jit_bytes = 0;
	f.mapped.p[0].has_lines = false;
	check_process(f, "info lines", "a native program without lines");
	f = process_of(RUNTIME_NATIVE, "");
	f.jit_bytes = 0;
	f.mapped.p[0].has_tables = false;
	f.mapped.p[0].frame_pointers = FRAME_POINTERS_OMITTED;
	check_process(f, "bad stacks", "neither frame pointers nor tables");
	f = process_of(RUNTIME_GO, "1.21");
	f.jit_bytes = 0;
	f.mapped.p[0].trouble = BINARY_STRIPPED;
	check_process(f, "info names", "a stripped program");
	f = process_of(RUNTIME_GO, "1.21");
	f.jit_bytes = 0;
	f.mapped.p[0].trouble = BINARY_MISSING;
	check_process(f, "warn names", "a program that is gone");
	f = process_of(RUNTIME_NATIVE, "");
	f.is_visible = false;
	check_process(f, "bad process", "another user's");
}

/* sudo is no help to root. */
static void check_hidden(bool has_sys_ptrace, const char *why, bool has_fix)
{
	struct process_facts f = process_of(RUNTIME_NATIVE, "");
	struct permission p = root;
	struct doctor_report r = { 0 };
	f.is_visible = false;
	p.has_sys_ptrace = has_sys_ptrace;
	doctor_tell_process(&f, NULL, &p, &r);
	const struct finding *hidden = &r.diagnosis.findings.p[0];
	tap_ok(str_find(hidden->why, str_from(why)) >= 0, "a process whose files are hidden: %s",
	       why);
	tap_ok((hidden->fix.n > 0) == has_fix, "... and what to do");
	doctor_report_fini(&r);
	process_facts_fini(&f);
}

int main(void)
{
	check_machines();
	check_node();
	check_readable();
	check_java();
	check_others();
	check_hidden(true, "security module or sandbox", false);
	check_hidden(false, "this user may not read its files", true);
	return tap_done();
}
