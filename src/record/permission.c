/* What the kernel allows, according to its settings and by trying. */
#include "record/permission.h"

#include "record/event_int.h"
#include "record/permission_int.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF	    39
#endif

/* --- plume's own environment --- */

/* The initial namespaces have fixed inode numbers (include/linux/proc_ns.h). */
#define FIRST_CGROUP_NAMESPACE 0xeffffffbu
#define FIRST_PID_NAMESPACE    0xeffffffcu
#define FIRST_USER_NAMESPACE   0xeffffffdu
#define FIRST_UTS_NAMESPACE    0xeffffffeu

static bool is_in_namespace(const char *path, ino_t first)
{
	struct stat status;
	return stat(path, &status) == 0 && status.st_ino != first;
}

static void find_capabilities(struct permission *p)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };
	p->is_in_user_namespace = is_in_namespace("/proc/self/ns/user", FIRST_USER_NAMESPACE);
	if (p->is_in_user_namespace || syscall(SYS_capget, &header, data) != 0)
		return;
	uint64_t has = data[0].effective | (uint64_t)data[1].effective << 32;
	p->is_root = geteuid() == 0;
	p->has_sys_admin = has >> CAP_SYS_ADMIN & 1;
	p->has_perfmon = p->has_sys_admin || has >> CAP_PERFMON & 1;
	p->has_sys_ptrace = has >> CAP_SYS_PTRACE & 1;
	p->has_bpf = p->has_sys_admin || has >> CAP_BPF & 1;
	p->has_ipc_lock = has >> CAP_IPC_LOCK & 1;
}

/*
 * Virtual machines may be built from container images, marker files included: without a namespace
 * it is not a container.
 */
static enum permission_box box_of(void)
{
	bool has_pids = is_in_namespace("/proc/self/ns/pid", FIRST_PID_NAMESPACE);
	if (!has_pids && !is_in_namespace("/proc/self/ns/uts", FIRST_UTS_NAMESPACE) &&
	    !is_in_namespace("/proc/self/ns/cgroup", FIRST_CGROUP_NAMESPACE))
		return BOX_NONE;
	if (getenv("KUBERNETES_SERVICE_HOST"))
		return BOX_KUBERNETES;
	if (access("/run/.containerenv", F_OK) == 0)
		return BOX_PODMAN;
	if (access("/.dockerenv", F_OK) == 0)
		return BOX_DOCKER;
	return has_pids ? BOX_OTHER : BOX_NONE;
}

static bool is_filtered(void)
{
	AUTO(buf) struct buf status = { 0 };
	if (!text_file_setting("/proc/self/status", &status))
		return false;
	ptrdiff_t at = str_find(buf_str(&status), STR("\nSeccomp:\t"));
	return at >= 0 &&
	       str_starts(str_from_byte(buf_str(&status), (size_t)at), STR("\nSeccomp:\t2"));
}

/* --- probing --- */

/* With flags unknown to any kernel, it fails with EINVAL before anything else; a filter gives another error. */
static bool has_perf_syscall(void)
{
	int fd = (int)syscall(SYS_perf_event_open, NULL, 0, -1, -1, ULONG_MAX);
	return fd < 0 && errno == EINVAL;
}

/* With an unknown command. Users without permission get EPERM, as from a filter. */
static bool has_bpf_syscall(const struct permission *p)
{
	long result = syscall(SYS_bpf, INT_MAX, NULL, 0);
	return result < 0 && (errno == EINVAL || (errno == EPERM && !p->is_filtered));
}

static bool may_open_clock(int pid, int cpu, bool wants_kernel)
{
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE,
					 .size = sizeof(clock),
					 .config = PERF_COUNT_SW_CPU_CLOCK,
					 .disabled = 1,
					 .exclude_kernel = !wants_kernel,
					 .exclude_hv = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &clock, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int setting(const char *path, int otherwise)
{
	return (int)text_file_number(path, otherwise);
}

static void find_settings(struct permission *p)
{
	p->paranoid = setting("/proc/sys/kernel/perf_event_paranoid", INT_MAX);
	p->kptr_restrict = setting("/proc/sys/kernel/kptr_restrict", -1);
	p->ptrace_scope = setting("/proc/sys/kernel/yama/ptrace_scope", -1);
	p->max_stack = setting("/proc/sys/kernel/perf_event_max_stack", 127);
	p->max_rate_hz = (uint32_t)setting("/proc/sys/kernel/perf_event_max_sample_rate", 100000);
	p->mlock_kb = setting("/proc/sys/kernel/perf_event_mlock_kb", 516);
}

void permission_find(struct permission *p)
{
	struct rlimit files;
	int cpu = sched_getcpu();
	*p = (struct permission){ .box = box_of(), .is_filtered = is_filtered() };
	find_settings(p);
	find_capabilities(p);
	p->is_in_container = p->box != BOX_NONE;
	p->has_perf_syscall = has_perf_syscall();
	p->has_pmu = event_has_pmu(&event_kernel_places);
	p->has_bpf_syscall = has_bpf_syscall(p);
	p->has_btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0;
	p->may_see_kernel = may_open_clock(0, -1, true);
	p->may_see_all = may_open_clock(-1, cpu < 0 ? 0 : cpu, false);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0)
		p->max_descriptors =
			files.rlim_cur < UINT32_MAX ? (uint32_t)files.rlim_cur : UINT32_MAX;
}

void permission_explain(const struct open_attempt *a, struct err *e)
{
	struct permission p;
	permission_find(&p);
	permission_explain_by(&p, a, e);
}
