/* Whom the user means: by pid, name, user, cgroup, container or service. */
#pragma once
#include "base/base.h"

/*
 * One way of saying it at a time: processes and threads by number; or by what they are; or one of cgroup,
 * container, service; or everything. Of comms, cmdlines and users each kind that is given must fit, by one
 * of its values: `--comm node --uid web` is every node of that user.
 */
struct target_wish {
	struct text_list pids, tids; /* each `1,2,3` */
	bool with_children;	     /* those that processes have already are meant, too */
	struct text_list comms;	     /* names as in /proc/PID/comm, whole */
	struct text_list
		cmdlines;	/* expressions on the words of /proc/PID/cmdline, blanks between */
	struct text_list users; /* names or numbers */
	const char *cgroup; /* a path below the mount, or with it; NULL: none, so the next two */
	const char
		*container;  /* name, id or the start of one, or Kubernetes' POD or POD/CONTAINER */
	const char *service; /* `nginx` or `nginx.service` */
	bool is_everything;
};
void target_wish_fini(struct target_wish *w);

struct pid_list {
	int32_t *p;
	uint32_t n, capacity;
};

/*
 * Who that is now. With a cgroup the kernel finds its processes, those that come later as well; pids are
 * those that are in it now. Without one pids and tids are all.
 */
struct target_choice {
	struct pid_list pids; /* of processes; sorted, without doubles */
	struct pid_list tids; /* single threads that were asked for; the same */
	char *cgroup;	      /* folder of a hierarchy that perf_event_open takes; NULL: none */
	bool is_everything;
	/* Processes that match and start later are meant, too: target_wish_fit tells them. */
	bool is_by_property;
	char *remark;	 /* by property, and none runs yet: who there is instead; else NULL */
	char *title;	 /* `node (pid 12)`, `container web`, `all processes`: for headings */
	char *file_stem; /* `node-12`, `web`, `all`: for names of files; letters, digits, - _ . */
};
void target_choice_fini(struct target_choice *c);

/*
 * False: e says what there is instead: no such process, a zombie, a thread of the kernel, the pid of a
 * thread, one of another pid namespace, two containers whose ids begin so, a container that has ended.
 */
bool target_choose(const struct target_wish *wish, struct target_choice *choice, struct err *e);

/* What a process must be to fit a wish for comms, cmdlines and users. */
enum target_part {
	TARGET_COMM = 1,
	TARGET_CMDLINE = 2,
	TARGET_USER = 4,
	TARGET_PROCESS = 8, /* not this program itself, nor a thread of the kernel */
	TARGET_PARTS = 15,
};
/* Parts that are known of one process, and those of them that fit; a kind that was not given always does. */
struct target_fit {
	uint8_t known, fits;
};
/*
 * Adds what /proc says now; where the process is gone, what was known of it stays. comm: its name where
 * that is known otherwise, empty: /proc has it.
 */
void target_wish_fit(const struct target_wish *wish, int32_t pid, struct str comm,
		     struct target_fit *fit);
static inline bool target_fit_is_whole(struct target_fit f)
{
	return f.fits == TARGET_PARTS;
}
/* Nothing speaks against it, but not all is known. */
static inline bool target_fit_is_undecided(struct target_fit f)
{
	return f.known != TARGET_PARTS && f.fits == f.known;
}
/* All threads of a process, sorted. False: it is gone. */
bool target_threads(int32_t pid, struct buf *tids /* of int32_t */);
bool thread_is_there(int32_t tid);
/* Whose thread it is; 0: nobody's, it is gone. */
int32_t target_process_of_thread(int32_t tid);
