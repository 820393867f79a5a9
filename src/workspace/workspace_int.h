#pragma once
#include "workspace/workspace.h"

#include <pthread.h>

/* A file and its state. Owned by the thread that calls workspace_tick, except for `task`. */
struct item {
	char id[12];
	char *path;   /* to open; NULL once an upload was read */
	char *name;   /* for people */
	char *folder; /* where it was found; "" if the user named it */
	int memory;   /* an upload: a descriptor of its bytes; otherwise -1 */
	struct api_file state;
	char *reason;
	uint64_t bytes, modified_ns;
	uint64_t wanted_at; /* in ticks, to drop the least recently used */
	struct task *task;
	struct followed *followed;
	uint32_t still_ticks;  /* ticks without growth, for a growing file */
	uint64_t published_ns; /* when growth was last announced, */
	uint32_t told_rows;    /* and the number of rows then */
	bool is_gone;
	bool is_certainly_live; /* we record it ourselves */
};

/* One file to be read. */
struct task {
	char *path, *name;	 /* name: for messages */
	int fd;			 /* of a file in a folder; otherwise -1, and path is opened */
	struct profile *profile; /* NULL: it failed */
	struct err error;
	_Atomic bool is_done;
};

struct folder {
	char *path;
};

/* Threads that read files in the order of requests. */
enum { LOADER_THREADS = 2 };
struct loader {
	pthread_mutex_t lock; /* for what follows */
	pthread_cond_t has_work;
	VEC(struct task *) queue;
	uint32_t next; /* of the queue */
	bool ends;
	pthread_t threads[LOADER_THREADS];
	uint32_t running;
};

struct workspace {
	struct workspace_options options;
	struct source_options source;
	struct api *api;
	VEC(struct item *) items;
	VEC(struct folder) folders;
	uint32_t next_id, ticks;
	uint64_t uploaded; /* bytes */
	struct loader loader;
};

/* --- files.c --- */

struct item *item_add(struct workspace *w, const char *path, const char *name, const char *folder);
/* Opens it, if it is a regular file (still); in a folder, not through a link. Returns -1 and sets errno. */
int item_open(const struct item *i);
struct item *item_by_id(struct workspace *w, struct str id);
void item_free(struct item *i);
/* Finds new, changed and deleted files in all folders. */
void folders_look(struct workspace *w);
/* Tells the api. */
void item_publish(struct workspace *w, struct item *i);
void item_fail(struct workspace *w, struct item *i, const char *reason);

/* --- loading.c --- */

/* Queues it for reading, unless it is being read. */
void item_load(struct workspace *w, struct item *i);
/* Takes finished tasks. */
void loads_collect(struct workspace *w);
/* Says `name` where e says /proc/self/fd/N. */
void err_rename(struct err *e, const char *name);
void loads_begin(struct workspace *w);
void loads_end(struct workspace *w);
void item_take_profile(struct workspace *w, struct item *i, struct profile *p);

/* --- live.c --- */

/* Whether it is a .plume that is still being written. */
bool item_is_growing(const struct item *i);
bool live_begin(struct workspace *w, struct item *i);
/* Adds what the file has gained. */
void live_poll(struct workspace *w, struct item *i);
