#pragma once
#include "workspace/workspace.h"

#include <pthread.h>

/* A file, and how far it has come. Owned by the thread that calls workspace_tick, but for a `task`. */
struct item {
	char id[12];
	char *path;   /* as it is opened; NULL once an upload was read */
	char *name;   /* for people */
	char *folder; /* that it was found in; "" if it was named itself */
	int memory;   /* an upload: a descriptor of its bytes; otherwise -1 */
	struct api_file state;
	char *reason;
	uint64_t bytes, modified_ns;
	uint64_t wanted_at; /* in ticks, for dropping the one not asked for longest */
	struct task *task;
	struct followed *followed;
	uint32_t still_ticks;  /* a growing file that did not grow */
	uint64_t published_ns; /* when its growth was last told, */
	uint32_t told_rows;    /* and how long it was */
	bool is_gone;
	bool is_certainly_live; /* we record it ourselves */
};

/* One file to be read. */
struct task {
	char *path;
	struct profile *profile; /* NULL: it failed */
	struct err error;
	_Atomic bool is_done;
};

struct folder {
	char *path;
};

/* Threads that read files, in the order in which they were asked for. */
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
struct item *item_by_id(struct workspace *w, struct str id);
void item_free(struct item *i);
/* Finds files of all folders that came, changed or went. */
void folders_look(struct workspace *w);
/* Tells the api. */
void item_publish(struct workspace *w, struct item *i);
void item_fail(struct workspace *w, struct item *i, const char *reason);

/* --- loading.c --- */

/* Begins to read it, unless it is being read; may wait for another to be read first. */
void item_load(struct workspace *w, struct item *i);
/* Takes what is ready. */
void loads_collect(struct workspace *w);
void loads_begin(struct workspace *w);
void loads_end(struct workspace *w);
void item_take_profile(struct workspace *w, struct item *i, struct profile *p);

/* --- live.c --- */

/* Whether a file is a .plume that is still being written. */
bool file_is_growing(const char *path, uint64_t modified_ns);
bool live_begin(struct workspace *w, struct item *i);
/* Adds what the file has gained. */
void live_poll(struct workspace *w, struct item *i);
