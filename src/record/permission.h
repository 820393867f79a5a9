/* What the kernel lets this user do, and what to change where it does not. */
#pragma once
#include "base/base.h"

/* What plume itself runs in: each has its own way to give a container more rights. */
enum permission_box { BOX_NONE, BOX_DOCKER, BOX_PODMAN, BOX_KUBERNETES, BOX_OTHER };

struct permission {
	int paranoid;	      /* kernel.perf_event_paranoid; INT_MAX: not known */
	int kptr_restrict;    /* -1: not known */
	int ptrace_scope;     /* kernel.yama.ptrace_scope; -1: there is no Yama */
	int max_stack;	      /* kernel.perf_event_max_stack */
	uint32_t max_rate_hz; /* kernel.perf_event_max_sample_rate */
	int mlock_kb;	      /* kernel.perf_event_mlock_kb */
	/* Capabilities count for perf only outside of user namespaces: they are false inside. */
	bool is_root, has_perfmon, has_sys_admin, has_sys_ptrace, has_bpf, has_ipc_lock;
	bool has_perf_syscall; /* false: no such call, or a filter (seccomp) forbids it */
	bool has_pmu;	       /* hardware counters can be opened */
	bool has_bpf_syscall, has_btf;
	bool may_see_kernel;  /* kernel stacks and addresses */
	bool may_see_all;     /* the whole machine, and processes of others */
	bool is_in_container; /* plume itself */
	enum permission_box box;
	bool is_in_user_namespace;
	bool is_filtered; /* a seccomp filter is in force, whatever it allows */
	uint32_t max_descriptors;
};
/* Looks; opens and closes a few events to find out. Never fails. */
void permission_find(struct permission *p);

/* What was being opened when perf_event_open said no. */
struct open_attempt {
	int error;   /* errno */
	int32_t pid; /* -1: the whole machine */
	bool is_cgroup;
	bool is_buffer; /* mmap of a buffer was refused, not perf_event_open */
	bool wants_kernel;
	uint32_t rate_hz; /* 0: by period */
	const char *event;
};
/* One set of capabilities wherever they are named, so that the first command a user types is enough. */
#define PERMISSION_ADVICE                                                                          \
	"run plume with sudo, or grant the capabilities once: `sudo setcap "                       \
	"cap_bpf,cap_perfmon,cap_sys_ptrace=ep $(command -v plume)`"
/*
 * A sentence on what is not allowed and the exact command that allows it (sysctl, setcap, docker run
 * --cap-add ..., sudo), with what still works without.
 */
void permission_explain(const struct open_attempt *a, struct err *e);
