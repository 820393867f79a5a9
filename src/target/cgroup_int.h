/*
 * Control groups (man 7 cgroups). A machine may have several hierarchies mounted at once: one of
 * version 2, and one of version 1 per controller. perf events accept folders of only one of them:
 * of the version 1 controller perf_event if that is in use, else of version 2.
 *
 * root is prepended to /proc and the mounts: "" for this machine, another folder for tests.
 */
#pragma once
#include "target/pids_int.h"

struct cgroup_hierarchy {
	char *controller; /* version 1: `perf_event`, `name=systemd`; empty for version 2 */
	char *mount;	  /* mount point, including root */
	char *top; /* cgroup at the mount point: `/`, or another one if only a part is mounted */
};
/* Returns false if it is not mounted where plume can see it. */
bool cgroup_hierarchy_find(const char *root, const char *controller, struct cgroup_hierarchy *h);
/* Finds the hierarchy that perf events use. */
bool cgroup_hierarchy_of_perf(const char *root, struct cgroup_hierarchy *h);
void cgroup_hierarchy_fini(struct cgroup_hierarchy *h);

/*
 * The cgroup of a process (0 for this one) in a hierarchy, as in /proc/PID/cgroup: `/system.slice/x`. NULL if the
 * process is gone. cgroup_in_text finds the line in text that was already read.
 */
char *cgroup_of_process(const char *root, int32_t pid, const char *controller);
bool cgroup_in_text(struct str text, const char *controller, struct str *path);
/* The folder of a cgroup; NULL if it does not exist or is not below the mount. */
char *cgroup_folder(const struct cgroup_hierarchy *h, const char *path);

/* The processes in a folder and its subfolders, sorted. */
void cgroup_processes(const char *folder, struct pid_list *pids);
/* Calls `on` with the path of each subfolder, parents first, up to a limit. */
typedef void cgroup_on_folder(void *context, const char *path);
void cgroup_walk(const char *folder, cgroup_on_folder *on, void *context);

/*
 * The innermost container of a cgroup, by the naming schemes of runtimes (`docker-ID.scope`,
 * `/kubepods/pod1/ID`). Returns false if there is none.
 */
struct cgroup_container {
	struct str id;
	struct str cgroup; /* its own: the path may continue below it */
	const char *runtime;
};
bool cgroup_container_of(struct str path, struct cgroup_container *c);
/*
 * The same for the text of /proc/PID/cgroup, by any hierarchy: with version 1, the runtime need not
 * use the hierarchy of perf events.
 */
bool cgroup_container_in_text(struct str text, struct cgroup_container *c);
