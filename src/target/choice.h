/* The target that the user selected: by pid, name, user, cgroup, container or service. */
#pragma once
#include "base/base.h"

/*
 * Only one kind of target at a time: processes and threads by number, or processes by property, or
 * one cgroup, container or service, or everything. Given comms, cmdlines and users, a process must
 * match one value of each: `--comm node --uid web` selects every node of that user.
 */
struct target_wish {
	struct text_list pids, tids; /* each `1,2,3` */
	bool with_children;	     /* include existing children of these processes */
	struct text_list comms;	     /* names as in /proc/PID/comm, in full */
	/* Regular expressions for the words of /proc/PID/cmdline, joined by spaces. */
	struct text_list cmdlines;
	struct text_list users; /* names or numbers */
	/* A path, with or without the mount point; NULL if none, so try the next two. */
	const char *cgroup;
	/* A name, an id or its prefix, or POD or POD/CONTAINER in Kubernetes. */
	const char *container;
	const char *service; /* `nginx` or `nginx.service` */
	bool is_everything;
};
void target_wish_fini(struct target_wish *w);

struct pid_list {
	int32_t *p;
	uint32_t n, capacity;
};

/*
 * The processes selected now. With a cgroup, the kernel finds its processes, including later ones,
 * and pids has those in it now. Without one, pids and tids are complete.
 */
struct target_choice {
	struct pid_list pids; /* processes; sorted and unique */
	struct pid_list tids; /* single threads that were selected; sorted and unique */
	char *cgroup;	      /* a folder that perf_event_open accepts; NULL if none */
	bool is_everything;
	/* Matching processes that start later are included: target_wish_fit recognizes them. */
	bool is_by_property;
	char *remark; /* if by property and none is running: what is running instead; else NULL */
	char *title;  /* for headings: `node (pid 12)`, `container web`, `all processes` */
	char *file_stem; /* for file names: `node-12`, `web`, `all`; only letters, digits, - _ . */
};
void target_choice_fini(struct target_choice *c);

/*
 * Returns false and sets e, which says what was found instead: no such process, a zombie, a kernel thread, the pid of
 * a thread, a pid of another pid namespace, two containers whose ids have that prefix, a container that has exited.
 */
bool target_choose(const struct target_wish *wish, struct target_choice *choice, struct err *e);

/* What a process must match for a wish by comms, cmdlines and users. */
enum target_part {
	TARGET_COMM = 1,
	TARGET_CMDLINE = 2,
	TARGET_USER = 4,
	TARGET_PROCESS = 8, /* neither plume itself nor a kernel thread */
	TARGET_PARTS = 15,
};
/* The properties known of a process, and those that match. A kind that was not given always matches. */
struct target_fit {
	uint8_t known, fits;
};
/*
 * Adds what /proc says now, or keeps what is known if the process is gone. comm is its name if
 * known from elsewhere; if empty, /proc is used.
 */
void target_wish_fit(const struct target_wish *wish, int32_t pid, struct str comm,
		     struct target_fit *fit);
static inline bool target_fit_is_whole(struct target_fit f)
{
	return f.fits == TARGET_PARTS;
}
/* Nothing contradicts it so far, but not all is known. */
static inline bool target_fit_is_undecided(struct target_fit f)
{
	return f.known != TARGET_PARTS && f.fits == f.known;
}
/* All threads of a process, sorted. Returns false if it is gone. */
bool target_threads(int32_t pid, struct buf *tids /* of int32_t */);
bool thread_is_there(int32_t tid);
/* The process of a thread; 0 if it is gone. */
int32_t target_process_of_thread(int32_t tid);
