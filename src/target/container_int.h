/* How containers are found. */
#pragma once
#include "target/container.h"
#include "target/pids_int.h"

/* --- one file of a runtime's --- */

/* What a file says of a container; what it does not say is NULL or 0. */
struct container_state {
	char *id, *name, *pod;
	char *kubernetes_name; /* goes before name, which is a long one then */
	char *manager;	       /* `libpod`, `cri-o`: whose container it is */
	char *bundle;	       /* where the runtime was told about it */
	int64_t pid;
	int64_t start_ticks; /* of pid: tells that it is not another process by now */
	char *data_root;     /* docker's configuration: where its files are */
};
typedef void container_on_state(void *context, const struct container_state *s);
/*
 * Reads a file of any of them: docker's config.v2.json and daemon.json, podman's containers.json, crun's
 * status, runc's state.json, a bundle's config.json. Calls once for an object, for each element of an array
 * of them; what is damaged ends it. Texts that do not look like what they are for are left out: with
 * control characters, or endless; ids that are no name of a folder.
 */
void container_states_read(struct reader *r, container_on_state *on, void *context);

/* --- all files --- */

struct container_hunt {
	const char *root; /* "" here */
	struct containers *found;
	struct process_namespace own_mounts, own_users; /* this program's */
	uint32_t roots;	   /* so many of found are from files of root's */
	size_t bytes_left; /* that may still be read */
};
/* Adds what all known runtimes have left on disk. */
void container_files_read(struct container_hunt *h);

/* The container with this id, which is added when it is a new one; NULL: there are too many. */
struct container *containers_add(struct containers *all, struct str id);
struct container *containers_get(const struct containers *all, struct str id);

/* --- what people call it --- */

/*
 * The one that is meant by a name, an id or the beginning of one, POD or POD/NAME. Of several with the
 * same name the one that runs. NULL: e tells of those that are near.
 */
const struct container *containers_pick(const struct containers *all, const char *wish,
					struct err *e);
/* `web`, `shop-1/web`, `53c055bdead3` */
void container_title(const struct container *c, struct buf *out);
