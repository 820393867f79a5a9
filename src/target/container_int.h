/* How plume finds containers. */
#pragma once
#include "target/container.h"
#include "target/pids_int.h"

/* --- one state file --- */

/* What a file says about a container; missing values are NULL or 0. */
struct container_state {
	char *id, *name, *pod;
	char *kubernetes_name; /* replaces name, which is a long one then */
	char *manager;	       /* `libpod`, `cri-o`: the manager of the container */
	char *bundle;	       /* folder with its runtime configuration */
	int64_t pid;
	int64_t start_ticks; /* of pid, to detect that the pid was reused */
	char *data_root;     /* from docker's configuration: where its files are */
};
typedef void container_on_state(void *context, const struct container_state *s);
/*
 * Reads any known state file: docker's config.v2.json and daemon.json, podman's containers.json, crun's status,
 * runc's state.json, a bundle's config.json. Calls `on` once per object, or per element of an array. Stops at damaged
 * input. Skips implausible strings: with control characters, overlong, or ids that cannot be folder names.
 */
void container_states_read(struct reader *r, container_on_state *on, void *context);

/* --- all state files --- */

struct container_hunt {
	const char *root; /* "" for this machine */
	struct containers *found;
	struct process_namespace own_mounts, own_users; /* of plume itself */
	uint32_t roots;	   /* the number of containers found in root's files */
	size_t bytes_left; /* limit on what may still be read */
};
/* Adds what all known runtimes have on disk. */
void container_files_read(struct container_hunt *h);

/* Finds the container with this id, or adds it. Returns NULL if there are too many. */
struct container *containers_add(struct containers *all, struct str id);
struct container *containers_get(const struct containers *all, struct str id);

/* --- display names --- */

/*
 * Finds a container by name, id or prefix of it, POD or POD/NAME. If several have the name, the
 * running one. Returns NULL and sets e, which lists similar names.
 */
const struct container *containers_pick(const struct containers *all, const char *wish,
					struct err *e);
/* `web`, `shop-1/web`, `53c055bdead3` */
void container_title(const struct container *c, struct buf *out);
