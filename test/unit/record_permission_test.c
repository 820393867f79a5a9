/* What is allowed, and what is said when it is not: for machines of all kinds, and for this one. */
#include "record/permission_int.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct permission nobody = { .paranoid = 2,
					  .max_rate_hz = 100000,
					  .mlock_kb = 516,
					  .max_stack = 127,
					  .max_descriptors = 1024,
					  .has_perf_syscall = true };

static void check_text(const struct permission *p, struct open_attempt a, const char *part,
		       const char *what)
{
	struct err e = { 0 };
	permission_explain_by(p, &a, &e);
	tap_ok(e.kind == ERR_FAILED && strstr(e.text, part), "%s: %s", what, e.text);
	tap_ok(strlen(e.text) < sizeof(e.text) - 1, "%s: it is said whole", what);
}

static void check_rights(void)
{
	struct permission debian = nobody, container = nobody, inner = nobody, strict = nobody;
	debian.paranoid = 3;
	container.is_in_container = true;
	container.box = BOX_DOCKER;
	inner.is_in_user_namespace = true;
	strict.has_perfmon = true;
	check_text(&nobody, (struct open_attempt){ EACCES, 12, .wants_kernel = true },
		   "sudo sysctl kernel.perf_event_paranoid=1", "the kernel's stacks");
	check_text(&nobody, (struct open_attempt){ EACCES, 12, .wants_kernel = true },
		   "--user-only", "what works without");
	check_text(&nobody, (struct open_attempt){ EACCES, -1 },
		   "sudo sysctl kernel.perf_event_paranoid=0", "the whole machine");
	check_text(&nobody, (struct open_attempt){ EACCES, -1, .is_cgroup = true },
		   "setcap cap_bpf,cap_perfmon,cap_sys_ptrace=ep $(command -v plume)", "a cgroup");
	check_text(&nobody, (struct open_attempt){ EACCES, 12, .event = "sched:sched_switch" },
		   "kernel.perf_event_paranoid=-1", "a tracepoint");
	check_text(&nobody, (struct open_attempt){ EACCES, 12, .event = "uprobe:/bin/x:main" },
		   "setcap", "a probe");
	check_text(&debian, (struct open_attempt){ EACCES, 12 },
		   "sudo sysctl kernel.perf_event_paranoid=2", "a distribution's own level");
	check_text(&container, (struct open_attempt){ EACCES, -1 }, "docker run --cap-add PERFMON",
		   "in a container");
	check_text(&container, (struct open_attempt){ EACCES, -1 }, "on the host",
		   "in a container, by the host's setting");
	check_text(&inner, (struct open_attempt){ EACCES, -1 }, "user namespace",
		   "root of a user namespace");
	bool is_other = geteuid() != 0 && access("/proc/1", F_OK) == 0;
	check_text(&nobody, (struct open_attempt){ EACCES, 1 },
		   is_other ? "belongs to another user" : "no permission to watch process 1",
		   "process 1");
	check_text(&inner, (struct open_attempt){ EACCES, 1 }, "outside plume's user namespace",
		   "process 1 from a user namespace");
	check_text(&strict, (struct open_attempt){ EPERM, -1 }, "security module",
		   "with all rights");
}

static void check_filters(void)
{
	struct permission p = nobody;
	p.has_perf_syscall = false;
	check_text(&p, (struct open_attempt){ ENOSYS, 12 }, "CONFIG_PERF_EVENTS", "no such call");
	p.is_filtered = true;
	check_text(&p, (struct open_attempt){ EPERM, 12 }, "SystemCallFilter", "a sandbox");
	p.is_in_container = true;
	p.box = BOX_DOCKER;
	check_text(&p, (struct open_attempt){ EPERM, 12 }, "seccomp=unconfined", "docker");
	check_text(&p, (struct open_attempt){ EPERM, 12 }, "sudo plume record --container",
		   "docker, from the host");
	p.box = BOX_PODMAN;
	check_text(&p, (struct open_attempt){ EPERM, 12 }, "podman run --cap-add", "podman");
	p.box = BOX_KUBERNETES;
	check_text(&p, (struct open_attempt){ EPERM, 12 }, "add: [PERFMON, SYS_PTRACE]",
		   "kubernetes");
	p.box = BOX_OTHER;
	check_text(&p, (struct open_attempt){ EPERM, 12 }, "CAP_PERFMON", "another one");
}

static void check_limits(void)
{
	struct permission with_pmu = nobody;
	with_pmu.has_pmu = true;
	check_text(&nobody, (struct open_attempt){ EMFILE, 12 }, "ulimit -n 16384", "descriptors");
	check_text(&nobody, (struct open_attempt){ ENFILE, 12 }, "fs.file-max", "all descriptors");
	check_text(&nobody, (struct open_attempt){ EPERM, 12, .is_buffer = true },
		   "kernel.perf_event_mlock_kb=8256", "the buffer");
	check_text(&nobody, (struct open_attempt){ ENOMEM, 12, .is_buffer = true },
		   "ulimit -l unlimited", "the buffer");
	check_text(&nobody, (struct open_attempt){ EINVAL, 12, .rate_hz = 200000 },
		   "perf_event_max_sample_rate=200000", "the rate");
	check_text(&nobody, (struct open_attempt){ EINVAL, 12, .rate_hz = 99 }, "older than 5.10",
		   "something else");
	check_text(&nobody, (struct open_attempt){ EINVAL, -1, .is_cgroup = true, .rate_hz = 99 },
		   "cgroup v2", "a cgroup of another hierarchy");
	check_text(&nobody, (struct open_attempt){ EBADF, -1, .is_cgroup = true }, "cgroup v2",
		   "a folder that is no cgroup");
	check_text(&nobody, (struct open_attempt){ ENOENT, 12, .event = "cycles" },
		   "cycles cannot be recorded: no hardware counters", "no counters");
	check_text(&with_pmu, (struct open_attempt){ EOPNOTSUPP, 12, .event = "msr/tsc/" },
		   "can only count it", "counting only");
	check_text(&nobody, (struct open_attempt){ ESRCH, 12 }, "process 12 has exited", "gone");
	check_text(&nobody, (struct open_attempt){ EBUSY, 12, .event = "cycles" }, "nmi_watchdog",
		   "taken");
	check_text(&nobody, (struct open_attempt){ EOVERFLOW, 12 }, "perf_event_max_stack=1024",
		   "deep stacks");
	check_text(&nobody, (struct open_attempt){ EIO, 12, .event = "dummy" },
		   "dummy cannot be recorded: Input/output error", "what nobody expects");
}

/* --- this machine --- */

static int open_clock(int pid, bool wants_kernel)
{
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE,
					 .size = sizeof(clock),
					 .config = PERF_COUNT_SW_CPU_CLOCK,
					 .exclude_kernel = !wants_kernel };
	int fd = (int)syscall(SYS_perf_event_open, &clock, pid, pid < 0 ? 0 : -1, -1, 0);
	int why = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	return why;
}

/* In a process of its own, as `become` makes it; what it finds is printed by it. */
static void in_child(const char *what, bool (*become)(void), void (*check)(const char *what))
{
	fflush(stdout);
	pid_t pid = fork();
	int status = 0;
	if (pid == 0) {
		bool is_other = become();
		if (is_other)
			check(what);
		fflush(stdout);
		_exit(is_other ? tap_done() : 77);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		tap_ok(true, "%s # SKIP not possible here", what);
	else
		tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", what);
}

/* The child's own lines are comments to the runner: only its result counts. */
static bool become_nobody(void)
{
	return geteuid() == 0 && setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0 &&
	       setresuid(65534, 65534, 65534) == 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
}

static bool become_root_of_a_namespace(void)
{
	return unshare(CLONE_NEWUSER) == 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
}

static bool become_filtered(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(filter), filter };
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
	       dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
}

/* What was found agrees with what the kernel does. */
static void check_agreement(const char *what, const struct permission *p)
{
	tap_ok(p->may_see_kernel == (open_clock(0, true) == 0), "%s: the kernel", what);
	tap_ok(p->may_see_all == (open_clock(-1, false) == 0), "%s: the whole machine", what);
	if (access("/proc/sys/kernel/perf_event_paranoid", R_OK) == 0)
		tap_ok(p->paranoid != INT_MAX && p->max_rate_hz && p->mlock_kb &&
			       p->max_descriptors,
		       "%s: settings", what);
	else
		tap_ok(p->paranoid == INT_MAX, "%s: settings are not known", what);
}

static void check_without_rights(const char *what)
{
	struct permission p;
	permission_find(&p);
	check_agreement(what, &p);
	tap_ok(!p.is_root && !p.has_perfmon && !p.has_sys_ptrace, "%s: no capability", what);
	struct open_attempt all = { open_clock(-1, true), -1, .wants_kernel = true };
	struct err e = { 0 };
	if (all.error)
		permission_explain(&all, &e);
	tap_ok(!all.error || strstr(e.text, "not allowed to record the whole machine"), "%s: %s",
	       what, e.text);
	struct open_attempt init = { open_clock(1, false), 1 };
	if (init.error)
		permission_explain(&init, &e);
	tap_ok(!init.error || e.kind, "%s: %s", what, e.text);
}

static void check_filtered(const char *what)
{
	struct permission p;
	permission_find(&p);
	tap_ok(!p.has_perf_syscall && p.is_filtered, "%s: there is no such call", what);
	struct open_attempt own = { open_clock(0, false), 0 };
	struct err e = { 0 };
	permission_explain(&own, &e);
	tap_ok(own.error == EPERM && strstr(e.text, "seccomp"), "%s: %s", what, e.text);
}

static void check_here(void)
{
	struct permission p;
	permission_find(&p);
	check_agreement("here", &p);
	printf("# paranoid %d kptr %d ptrace %d stack %d rate %u mlock %d root %d perfmon %d admin "
	       "%d "
	       "ptrace %d bpf %d lock %d call %d pmu %d bpf %d btf %d container %d/%d user "
	       "namespace %d filter %d files %u\n",
	       p.paranoid, p.kptr_restrict, p.ptrace_scope, p.max_stack, p.max_rate_hz, p.mlock_kb,
	       p.is_root, p.has_perfmon, p.has_sys_admin, p.has_sys_ptrace, p.has_bpf,
	       p.has_ipc_lock, p.has_perf_syscall, p.has_pmu, p.has_bpf_syscall, p.has_btf,
	       p.is_in_container, p.box, p.is_in_user_namespace, p.is_filtered, p.max_descriptors);
}

int main(void)
{
	check_rights();
	check_filters();
	check_limits();
	check_here();
	in_child("as nobody", become_nobody, check_without_rights);
	in_child("in a user namespace", become_root_of_a_namespace, check_without_rights);
	in_child("behind a filter", become_filtered, check_filtered);
	return tap_done();
}
