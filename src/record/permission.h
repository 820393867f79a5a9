/* What the kernel allows this user to do, and what to change otherwise. */
#pragma once
#include "base/base.h"

/* The container that plume itself runs in: each type has its own way to grant privileges. */
enum permission_box { BOX_NONE, BOX_DOCKER, BOX_PODMAN, BOX_KUBERNETES, BOX_OTHER };

struct permission {
	int paranoid;	      /* kernel.perf_event_paranoid; INT_MAX if unknown */
	int kptr_restrict;    /* -1 if unknown */
	int ptrace_scope;     /* kernel.yama.ptrace_scope; -1 without Yama */
	int max_stack;	      /* kernel.perf_event_max_stack */
	uint32_t max_rate_hz; /* kernel.perf_event_max_sample_rate */
	int mlock_kb;	      /* kernel.perf_event_mlock_kb */
	/* False inside a user namespace: perf ignores capabilities there. */
	bool is_root, has_perfmon, has_sys_admin, has_sys_ptrace, has_bpf, has_ipc_lock;
	/* False if the kernel lacks the call or seccomp forbids it. */
	bool has_perf_syscall;
	bool has_pmu; /* hardware counters can be opened */
	bool has_bpf_syscall, has_btf;
	bool may_see_kernel;  /* kernel stacks and addresses */
	bool may_see_all;     /* the whole machine, and other users' processes */
	bool is_in_container; /* plume itself */
	enum permission_box box;
	bool is_in_user_namespace;
	bool is_filtered; /* a seccomp filter is in force, whatever it allows */
	uint32_t max_descriptors;
};
/* Opens and closes a few events to find out. Never fails. */
void permission_find(struct permission *p);

/* What perf_event_open refused to open. */
struct open_attempt {
	int error;   /* errno */
	int32_t pid; /* -1 for the whole machine */
	bool is_cgroup;
	bool is_buffer; /* mmap of a buffer was refused, not perf_event_open */
	bool wants_kernel;
	uint32_t rate_hz; /* 0 if a period is given */
	const char *event;
};
/* The same set of capabilities everywhere, so that the first command a user types is enough. */
#define PERMISSION_ADVICE                                                                          \
	"run plume with sudo, or grant the capabilities once: `sudo setcap "                       \
	"cap_bpf,cap_perfmon,cap_sys_ptrace=ep $(command -v plume)`"
/*
 * Sets e to what is not allowed, the exact command that allows it (sysctl, setcap, docker run
 * --cap-add ..., sudo), and what still works without.
 */
void permission_explain(const struct open_attempt *a, struct err *e);
