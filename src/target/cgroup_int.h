/*
 * Control groups (man 7 cgroups). A machine may have several hierarchies mounted at once: one of version
 * 2, and of version 1 one per controller. perf events take folders of one of them only: of the version 1
 * controller perf_event when that is in use, else of version 2.
 *
 * root is what stands before /proc and the mounts: "" for this machine, another folder for tests.
 */
#pragma once
#include "target/pids_int.h"

struct cgroup_hierarchy {
	char *controller; /* of version 1: `perf_event`, `name=systemd`; empty: version 2 */
	char *mount;	  /* where it is mounted, root included */
	char *top; /* which of its cgroups is there: `/`, or another one when only a part is mounted */
};
/* False: it is not mounted where this program can see it. */
bool cgroup_hierarchy_find(const char *root, const char *controller, struct cgroup_hierarchy *h);
/* The one that perf events take. */
bool cgroup_hierarchy_of_perf(const char *root, struct cgroup_hierarchy *h);
void cgroup_hierarchy_fini(struct cgroup_hierarchy *h);

/*
 * The cgroup of a process (0: this one) in a hierarchy, as /proc/PID/cgroup has it: `/system.slice/x`. NULL:
 * it is gone. The line itself is found in text that was read already by cgroup_in_text.
 */
char *cgroup_of_process(const char *root, int32_t pid, const char *controller);
bool cgroup_in_text(struct str text, const char *controller, struct str *path);
/* The folder of a cgroup; NULL: it is not below what is mounted, or there is none. */
char *cgroup_folder(const struct cgroup_hierarchy *h, const char *path);

/* Processes in a folder and those below it, sorted. */
void cgroup_processes(const char *folder, struct pid_list *pids);
/* Calls with the path of each folder below, up to a bound; parents first. */
typedef void cgroup_on_folder(void *context, const char *path);
void cgroup_walk(const char *folder, cgroup_on_folder *on, void *context);

/*
 * The innermost container that a cgroup belongs to, by the names that runtimes give (`docker-ID.scope`,
 * `/kubepods/pod1/ID`). False: none.
 */
struct cgroup_container {
	struct str id;
	struct str cgroup; /* its own: the path may go on below it */
	const char *runtime;
};
bool cgroup_container_of(struct str path, struct cgroup_container *c);
/*
 * The same for what /proc/PID/cgroup says, by any hierarchy: with version 1, that of perf events need not be
 * one that the runtime uses.
 */
bool cgroup_container_in_text(struct str text, struct cgroup_container *c);
