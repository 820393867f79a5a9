/*
 * The profiles that a page can show: files, folders of files, growing recordings, and files that
 * the browser uploaded. It hands them to an api, which may only be used on the thread that calls the
 * functions below.
 */
#pragma once
#include "api/api.h"
#include "source/source.h"

struct workspace_options {
	const struct text_list *paths; /* files and folders */
	const struct source_options *source;
	uint64_t max_rows; /* in memory; least recently used profiles are dropped; 0: no limit */
	/* Called on any thread when workspace_tick has something to do. May be NULL. */
	void (*wake)(void *context);
	void *context;
};

struct workspace;
/* The api's host must call workspace_wanted. Returns NULL and sets e if a path cannot be opened. */
struct workspace *workspace_new(const struct workspace_options *o, struct api *a, struct err *e);
/* Waits until nothing is being read. */
void workspace_free(struct workspace *w);
/* Whether a file is being read, which may never end, as with a pipe that nobody writes to. */
bool workspace_is_reading(const struct workspace *w);

/* Takes files that were read, scans folders, follows growing files. Call it about once a second, and on wake. */
void workspace_tick(struct workspace *w);
/* A request needs a file that was not read yet. */
void workspace_wanted(struct workspace *w, struct str id);
/* Adds a profile that exists only in memory. Returns its id, or "" and sets e. */
struct str workspace_upload(struct workspace *w, struct str name, struct str bytes, struct err *e);
/* Adds a file that is being recorded. */
void workspace_add_live(struct workspace *w, const char *path);
/* Waits until all requested files are read. For commands that write a page. */
void workspace_wait(struct workspace *w);
