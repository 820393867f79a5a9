/* This machine: what the kernel and the user's rights allow a recorder to do. */
#include "cmd/doctor_living.h"

#include <errno.h>
#include <limits.h>
#include <sys/utsname.h>
#include <unistd.h>

void doctor_add_fact(struct doctor_report *r, const char *key, struct buf *text)
{
	struct str copy = arena_copy(&r->diagnosis.text, buf_str(text));
	vec_push(&r->facts, (struct doctor_fact){ key, copy });
	text->n = 0;
}

void doctor_add_finding(struct doctor_report *r, enum finding_mark mark, const char *key,
			const char *what, const char *why, const char *fix)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	buf_add(&t.what, str_from(what));
	buf_add(&t.why, str_from(why ? why : ""));
	buf_add(&t.fix, str_from(fix ? fix : ""));
	diagnosis_add(&r->diagnosis, (struct finding){ mark, key }, &t);
}

/* --- facts --- */

static void add_kernel(struct doctor_report *r)
{
	AUTO(buf) struct buf text = { 0 };
	struct utsname machine;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (uname(&machine) == 0)
		buf_addf(&text, "%s %s, %s, %ld %s", machine.sysname, machine.release,
			 machine.machine, cpus, cpus == 1 ? "cpu" : "cpus");
	doctor_add_fact(r, "kernel", &text);
}

static void add_user(const struct permission *p, struct doctor_report *r)
{
	AUTO(buf) struct buf text = { 0 };
	const struct {
		bool is_there;
		const char *name;
	} rights[] = {
		{ p->has_sys_admin, "CAP_SYS_ADMIN" },	 { p->has_perfmon, "CAP_PERFMON" },
		{ p->has_sys_ptrace, "CAP_SYS_PTRACE" }, { p->has_bpf, "CAP_BPF" },
		{ p->has_ipc_lock, "CAP_IPC_LOCK" },
	};
	buf_addf(&text, geteuid() == 0 ? "root" : "uid %u", (unsigned)geteuid());
	if (p->is_in_user_namespace)
		buf_add(&text, STR(" in a user namespace, without rights on the host"));
	for (size_t i = 0; i < ARRAY_SIZE(rights); i++)
		if (rights[i].is_there)
			buf_addf(&text, ", %s", rights[i].name);
	doctor_add_fact(r, "user", &text);
}

static void add_surroundings(const struct permission *p, struct doctor_report *r)
{
	static const char *const boxes[] = { [BOX_DOCKER] = "a docker container",
					     [BOX_PODMAN] = "a podman container",
					     [BOX_KUBERNETES] = "a kubernetes pod",
					     [BOX_OTHER] = "its own pid namespace" };
	AUTO(buf) struct buf text = { 0 };
	if (p->box != BOX_NONE)
		buf_addf(&text, "%s", boxes[p->box]);
	if (p->is_filtered)
		buf_addf(&text, "%sa seccomp filter", text.n ? ", " : "");
	if (text.n)
		doctor_add_fact(r, "plume is in", &text);
}

static void add_settings(const struct permission *p, struct doctor_report *r)
{
	AUTO(buf) struct buf text = { 0 };
	if (p->paranoid != INT_MAX)
		buf_addf(&text, "perf_event_paranoid %d, ", p->paranoid);
	if (p->kptr_restrict >= 0)
		buf_addf(&text, "kptr_restrict %d, ", p->kptr_restrict);
	if (p->ptrace_scope >= 0)
		buf_addf(&text, "ptrace_scope %d (plume does not ptrace), ", p->ptrace_scope);
	buf_addf(&text, "max stack %d frames, max rate ", p->max_stack);
	buf_add_grouped(&text, p->max_rate_hz);
	buf_addf(&text, " Hz, ");
	buf_add_grouped(&text, (uint64_t)(p->mlock_kb > 0 ? p->mlock_kb : 0));
	buf_addf(&text, " kB of buffers, ");
	buf_add_grouped(&text, p->max_descriptors);
	buf_addf(&text, " open files");
	doctor_add_fact(r, "settings", &text);
}

/* --- findings --- */

/* Splits the text of permission_explain: what precedes the first colon is the reason, the rest is what to do. */
static void add_refusal(struct doctor_report *r, enum finding_mark mark, const char *key,
			const char *what, const struct open_attempt *attempt)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	struct err e = { 0 };
	permission_explain(attempt, &e);
	struct str all = str_from(e.text);
	ptrdiff_t colon = str_find(all, STR(": "));
	buf_addf(&t.what, "%s", what);
	buf_add(&t.why, str_first(all, colon < 0 ? all.n : (size_t)colon));
	if (colon >= 0)
		buf_add(&t.fix, str_from_byte(all, (size_t)colon + 2));
	diagnosis_add(&r->diagnosis, (struct finding){ mark, key }, &t);
}

static bool may_record_own(const struct permission *p)
{
	return p->has_perf_syscall && (p->has_perfmon || p->may_see_all || p->paranoid <= 2);
}

static void tell_events(const struct permission *p, struct doctor_report *r)
{
	struct open_attempt own = { .error = EACCES, .pid = getpid() };
	struct open_attempt all = { .error = EACCES, .pid = -1 };
	if (!p->has_perf_syscall)
		own.error = ENOSYS;
	if (!may_record_own(p))
		add_refusal(r, FINDING_BAD, "record", "nothing can be recorded", &own);
	else if (p->may_see_all)
		doctor_add_finding(r, FINDING_OK, "record",
				   "you can record any process or container, and the whole machine",
				   NULL, NULL);
	else
		add_refusal(r, FINDING_WARN, "record",
			    "only this user's processes can be recorded, with -p", &all);
}

static void tell_kernel(const struct permission *p, const struct kernel_name_trouble *names,
			struct doctor_report *r)
{
	struct open_attempt kernel = { .error = EACCES, .pid = getpid(), .wants_kernel = true };
	AUTO(finding_text) struct finding_text t = { 0 };
	if (!may_record_own(p))
		return;
	if (!p->may_see_kernel) {
		add_refusal(r, FINDING_WARN, "kernel",
			    "user space only: time in the kernel will be missing", &kernel);
		return;
	}
	if (!names->why.n) {
		doctor_add_finding(r, FINDING_OK, "kernel",
				   "stacks include the kernel, and its functions have names", NULL,
				   NULL);
		return;
	}
	buf_addf(&t.what, "kernel functions will have no names");
	buf_add(&t.why, buf_str(&names->why));
	buf_add(&t.fix, buf_str(&names->fix));
	diagnosis_add(&r->diagnosis, (struct finding){ FINDING_WARN, "kernel" }, &t);
}

static void tell_counters(const struct permission *p, struct doctor_report *r)
{
	if (p->has_pmu)
		doctor_add_finding(r, FINDING_OK, "counters",
				   "hardware counters work: cycles will be sampled", NULL, NULL);
	else
		doctor_add_finding(
			r, FINDING_INFO, "counters",
			"no hardware counters: plume will sample time with cpu-clock instead",
			"virtual machines and containers often have none; percentages are still "
			"correct, but -e cycles and the like do not work",
			NULL);
}

/* walks: plume's BPF program walks the stacks, further than the kernel does. */
static void tell_limits(const struct permission *p, bool walks, struct doctor_report *r)
{
	enum { USUAL_FRAMES = 127, LEAST_RATE = 1000, FEW_FILES = 4096 };
	AUTO(finding_text) struct finding_text t = { 0 };
	if (p->max_stack <= USUAL_FRAMES && !walks) {
		buf_addf(&t.what, "stacks of more than %d frames are cut", p->max_stack);
		buf_addf(&t.why,
			 "that is the kernel's limit; recursion and layered frameworks go deeper");
		buf_addf(&t.fix, "sudo sysctl kernel.perf_event_max_stack=512");
		diagnosis_add(&r->diagnosis, (struct finding){ FINDING_INFO, "depth" }, &t);
	}
	if (p->max_rate_hz < LEAST_RATE) {
		buf_addf(&t.what, "the kernel takes at most %u samples per second", p->max_rate_hz);
		buf_addf(&t.why, "it lowered the limit because sampling took too long");
		buf_addf(&t.fix, "sudo sysctl kernel.perf_event_max_sample_rate=100000");
		diagnosis_add(&r->diagnosis, (struct finding){ FINDING_WARN, "rate" }, &t);
	}
	if (p->max_descriptors < FEW_FILES) {
		buf_addf(&t.what, "the limit of open files is low: %u", p->max_descriptors);
		buf_addf(&t.why, "each thread needs one per cpu, and names need some more");
		buf_addf(&t.fix, "ulimit -n 20000");
		diagnosis_add(&r->diagnosis, (struct finding){ FINDING_INFO, "files" }, &t);
	}
}

static void tell_others(const struct permission *p, struct doctor_report *r)
{
	if (p->has_sys_ptrace)
		doctor_add_finding(r, FINDING_OK, "others",
				   "plume can read the files and maps of every process, including "
				   "those in containers",
				   NULL, NULL);
	else
		doctor_add_finding(
			r, FINDING_INFO, "others",
			"functions in other users' processes and in containers will have no names",
			"reading their files and maps needs CAP_SYS_PTRACE", PERMISSION_ADVICE);
	if (p->is_in_container)
		doctor_add_finding(
			r, FINDING_INFO, "container",
			"plume runs in a container and sees only its processes", NULL,
			"to record others, run on the host: sudo plume record --container NAME");
}

static void tell_bpf(const struct err *walker, struct doctor_report *r)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	struct str why = str_from(walker->text);
	ptrdiff_t fix = str_find(why, STR("; "));
	if (!why.n) {
		doctor_add_finding(
			r, FINDING_OK, "bpf",
			"BPF programs can be loaded, so JavaScript stacks and deep stacks with "
			"frame pointers are walked in the kernel, up to 8,192 frames",
			NULL, NULL);
		return;
	}
	buf_add(&t.what, str_first(why, fix < 0 ? why.n : (size_t)fix));
	buf_addf(&t.why, "without BPF, JavaScript stacks are read from copies of the stack, which "
			 "cut deep ones");
	if (fix >= 0)
		buf_add(&t.fix, str_from_byte(why, (size_t)fix + 2));
	diagnosis_add(&r->diagnosis, (struct finding){ FINDING_INFO, "bpf" }, &t);
}

void doctor_tell_machine(const struct permission *p, const struct kernel_name_trouble *names,
			 const struct err *walker, struct doctor_report *r)
{
	r->subject = DOCTOR_MACHINE;
	r->file = STR("this machine");
	add_kernel(r);
	add_user(p, r);
	add_surroundings(p, r);
	add_settings(p, r);
	tell_events(p, r);
	tell_kernel(p, names, r);
	tell_counters(p, r);
	tell_limits(p, !walker->text[0], r);
	tell_others(p, r);
	tell_bpf(walker, r);
	diagnosis_sort(&r->diagnosis);
}
