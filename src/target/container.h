/*
 * Containers of docker, podman, containerd, cri-o, crun and runc, by the cgroups of their processes and
 * the files in which their runtimes keep their state. No daemon is asked.
 */
#pragma once
#include "base/base.h"

struct container {
	char *id;      /* as the runtime has it, whole */
	char *name;    /* NULL: not known */
	char *pod;     /* of Kubernetes; NULL: none. A pod's own container (`pause`) has no name. */
	char *runtime; /* `docker`, `podman`, ... */
	int32_t pid;   /* of its first process, here; 0: it does not run */
	char *cgroup;  /* path below the hierarchy's root; NULL: not known */
};
struct containers {
	VEC(struct container) list;
};
void containers_fini(struct containers *c);

/* All that are known here. root: where /var/lib, /run, /proc, /sys are looked for; NULL: here. */
void containers_find(const char *root, struct containers *out);
/*
 * The container of a process, in the words people use: its name (in Kubernetes POD/NAME), else the first
 * 12 digits of its id; empty: it is in none, or nobody can tell.
 */
void container_of_process(int32_t pid, struct buf *name);

/*
 * The same for many processes: containers are looked for again only when a process comes that is in none of
 * those that are known. Begins as { 0 }.
 */
struct container_names {
	struct containers known;
	struct text_list tried; /* ids and namespaces that containers were looked for because of */
};
void container_names_get(struct container_names *names, int32_t pid, struct buf *name);
void container_names_fini(struct container_names *names);
