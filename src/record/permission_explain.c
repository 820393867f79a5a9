/*
 * Why perf_event_open failed, the command that fixes it, and what works without. For its errors see
 * perf_event_open(2) and kernel/events/core.c of Linux.
 */
#include "model/model.h"
#include "record/permission_int.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- containers --- */

/* How to allow plume's own container to record. */
static const char *box_advice(enum permission_box box)
{
	switch (box) {
	case BOX_KUBERNETES:
		return "in the pod: securityContext: {capabilities: {add: [PERFMON, SYS_PTRACE]}, "
		       "seccompProfile: {type: Unconfined}}";
	case BOX_PODMAN:
		return "start it with `podman run --cap-add PERFMON --cap-add SYS_PTRACE "
		       "--security-opt "
		       "seccomp=unconfined ...`, as root";
	case BOX_DOCKER:
		return "start it with `docker run --cap-add PERFMON --cap-add SYS_PTRACE "
		       "--security-opt "
		       "seccomp=unconfined ...`";
	default:
		return "give it CAP_PERFMON and CAP_SYS_PTRACE, and allow perf_event_open in its "
		       "seccomp filter";
	}
}

static const char *host_advice(void)
{
	return "Without changing it: run plume on the host, `sudo plume record --container NAME`";
}

static void explain_no_call(const struct permission *p, struct err *e)
{
	if (p->is_in_container)
		err_set(e,
			"the container that plume runs in forbids perf_event_open (seccomp): %s. "
			"%s",
			box_advice(p->box), host_advice());
	else if (p->is_filtered)
		err_set(e,
			"a seccomp filter forbids perf_event_open: run plume outside the sandbox; "
			"for a systemd service, SystemCallFilter=perf_event_open allows it");
	else
		err_set(e, "this kernel has no perf_event_open (CONFIG_PERF_EVENTS=y); plume can "
			   "still read recordings made elsewhere");
}

/* --- privileges --- */

/* What the user wanted to see, and the highest kernel.perf_event_paranoid that allows it to all users. */
struct need {
	const char *what;
	int paranoid;
	const char *still; /* what works without */
};

static struct need need_of(const struct open_attempt *a, const struct permission *p)
{
	struct str event = str_from(a->event ? a->event : "");
	if (str_starts(event, STR("uprobe:")) || str_starts(event, STR("uretprobe:")))
		return (struct need){ "uprobes", INT_MIN, "-e cpu-clock" };
	if (event_is_tracepoint(event))
		return (struct need){ "tracepoints", -1, "-e cpu-clock" };
	if (a->pid < 0 || a->is_cgroup)
		return (struct need){ a->is_cgroup ? "a cgroup or container" : "the whole machine",
				      0, "-p PID for your own processes" };
	if (a->wants_kernel && p->paranoid >= 2)
		return (struct need){ "kernel stacks", 1, p->paranoid > 2 ? NULL : "--user-only" };
	return (struct need){ "your own processes", 2, NULL };
}

static bool is_of_another_user(int32_t pid)
{
	char path[32];
	struct stat status;
	snprintf(path, sizeof(path), "/proc/%d", pid);
	return pid > 0 && stat(path, &status) == 0 && status.st_uid != geteuid();
}

/* The settings allow it, but something else forbids it (ptrace_may_access, security_perf_event_open). */
static void explain_other(const struct open_attempt *a, const struct permission *p,
			  const struct need *need, struct err *e)
{
	if (a->pid <= 0)
		err_set(e,
			"recording %s is not allowed (%s): a security module forbids it; `cat "
			"/sys/kernel/security/{lsm,lockdown}` lists them",
			need->what, strerror(a->error));
	else if (p->is_in_user_namespace)
		err_set(e,
			"process %d is outside plume's user namespace: run plume outside it, with "
			"sudo",
			a->pid);
	else if (is_of_another_user(a->pid))
		err_set(e, "process %d belongs to another user: " PERMISSION_ADVICE, a->pid);
	else
		err_set(e,
			"no permission to watch process %d (%s): it is privileged (setuid, for "
			"example), or a security module forbids it. Run with sudo",
			a->pid, strerror(a->error));
}

static void explain_rights(const struct open_attempt *a, const struct permission *p, struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	struct need need = need_of(a, p);
	if (p->has_perfmon || p->paranoid <= need.paranoid) {
		explain_other(a, p, &need, e);
		return;
	}
	buf_addf(&text, "this user is not allowed to record %s", need.what);
	if (p->paranoid != INT_MAX)
		buf_addf(&text, " (kernel.perf_event_paranoid is %d)", p->paranoid);
	buf_add(&text, STR(": "));
	if (p->is_in_container)
		buf_addf(&text, "%s. %s", box_advice(p->box), host_advice());
	else if (p->is_in_user_namespace)
		buf_add(&text, STR("plume runs in a user namespace, where root has no such rights: "
				   "run it outside, with sudo"));
	else
		buf_add(&text, STR(PERMISSION_ADVICE));
	if (need.paranoid != INT_MIN)
		buf_addf(&text,
			 "; or, for all users%s: `sudo sysctl kernel.perf_event_paranoid=%d`",
			 p->is_in_container ? ", on the host," : "", need.paranoid);
	if (need.still)
		buf_addf(&text, ". Allowed now: %s", need.still);
	err_set(e, "%s", buf_c_string(&text));
}

/* --- limits --- */

static void explain_buffer(const struct open_attempt *a, const struct permission *p, struct err *e)
{
	err_set(e,
		"no memory for the event buffer (%s): each user may lock %d kB per processor. Use "
		"`sudo sysctl kernel.perf_event_mlock_kb=%d`, `ulimit -l unlimited` or sudo",
		strerror(a->error), p->mlock_kb, p->mlock_kb * 16);
}

static void explain_descriptors(const struct permission *p, struct err *e)
{
	err_set(e,
		"plume has reached its limit of %u open files: each event takes one per thread and "
		"processor. Use `ulimit -n %u`, or record fewer events (-e) or processes",
		p->max_descriptors,
		p->max_descriptors < UINT32_MAX / 16 ? p->max_descriptors * 16 : UINT32_MAX);
}

static void explain_invalid(const struct open_attempt *a, const struct permission *p, struct err *e)
{
	const char *event = a->event ? a->event : "the event";
	if (a->rate_hz > p->max_rate_hz)
		err_set(e,
			"-F %u exceeds this kernel's limit of %u, which it lowers when sampling "
			"takes too long. Use `-F %u`, or `sudo sysctl "
			"kernel.perf_event_max_sample_rate=%u`",
			a->rate_hz, p->max_rate_hz, p->max_rate_hz, a->rate_hz);
	else if (a->is_cgroup)
		err_set(e, "perf does not support this cgroup: it must be in cgroup v2 or below "
			   "the mount of the perf_event controller (`findmnt -t cgroup,cgroup2`). "
			   "Record its processes with -p instead");
	else
		err_set(e,
			"%s: the kernel rejects this event (%s): is it older than 5.10 (`uname "
			"-r`)?",
			event, strerror(a->error));
}

static void explain_no_counter(const struct open_attempt *a, const struct permission *p,
			       struct err *e)
{
	const char *event = a->event ? a->event : "the event";
	if (!p->has_pmu)
		err_set(e,
			"%s cannot be recorded: no hardware counters here (probably a virtual "
			"machine): -e cpu-clock samples time without them",
			event);
	else
		err_set(e,
			"%s cannot be recorded: this processor can only count it, not sample it. "
			"Use -e cycles or -e cpu-clock to sample time",
			event);
}

static bool is_right(int error)
{
	return error == EPERM || error == EACCES;
}

void permission_explain_by(const struct permission *p, const struct open_attempt *a, struct err *e)
{
	const char *event = a->event ? a->event : "the event";
	if (a->is_buffer && (is_right(a->error) || a->error == ENOMEM))
		explain_buffer(a, p, e);
	else if (a->error == ENOSYS || (is_right(a->error) && !p->has_perf_syscall))
		explain_no_call(p, e);
	else if (is_right(a->error))
		explain_rights(a, p, e);
	else if (a->error == EMFILE)
		explain_descriptors(p, e);
	else if (a->error == ENFILE)
		err_set(e, "the whole machine has too many files open: `sudo sysctl "
			   "fs.file-max=1000000`");
	else if (a->error == EINVAL || (a->is_cgroup && a->error == EBADF))
		explain_invalid(a, p, e);
	else if (a->error == ENOENT || a->error == EOPNOTSUPP || a->error == ENODEV ||
		 a->error == ENXIO)
		explain_no_counter(a, p, e);
	else if (a->error == ESRCH)
		err_set(e, "process %d has exited", a->pid);
	else if (a->error == EBUSY || a->error == ENOSPC)
		err_set(e,
			"%s: another profiler or the kernel's watchdog uses all counters of that "
			"kind: stop it, `sudo sysctl kernel.nmi_watchdog=0`, or use -e cpu-clock",
			event);
	else if (a->error == EOVERFLOW)
		err_set(e,
			"this kernel records at most %d frames of a stack: `sudo sysctl "
			"kernel.perf_event_max_stack=1024`",
			p->max_stack);
	else
		err_set(e, "%s cannot be recorded: %s", event, strerror(a->error));
}
