/*
 * Containers of docker, podman, containerd, cri-o, crun and runc, from the cgroups of their
 * processes and the state files of their runtimes. Asks no daemon.
 */
#pragma once
#include "base/base.h"

struct container {
	char *id;      /* full id, as in the runtime */
	char *name;    /* NULL if not known */
	char *pod;     /* in Kubernetes, else NULL. A pod's own container (`pause`) has no name. */
	char *runtime; /* `docker`, `podman`, ... */
	int32_t pid;   /* its first process, as seen here; 0 if it is not running */
	char *cgroup;  /* path below the hierarchy's root; NULL if not known */
};
struct containers {
	VEC(struct container) list;
};
void containers_fini(struct containers *c);

/* Finds all containers. root is prepended to /var/lib, /run, /proc and /sys; NULL for none. */
void containers_find(const char *root, struct containers *out);
/*
 * The container of a process as users know it: its name (POD/NAME in Kubernetes), else the first 12
 * digits of its id. Empty if it is in none, or if that cannot be told.
 */
void container_of_process(int32_t pid, struct buf *name);

/*
 * The same for many processes: searches for containers again only if a process is in none of those
 * known. Initialize with { 0 }.
 */
struct container_names {
	struct containers known;
	struct text_list tried; /* ids and namespaces that were already searched for */
};
void container_names_get(struct container_names *names, int32_t pid, struct buf *name);
void container_names_fini(struct container_names *names);
