/*
 * The profiles that a page can show: files, folders of files, recordings that still grow, and files
 * that the browser sent. It hands them to an api, which must only be used on the thread that calls
 * the functions below.
 */
#pragma once
#include "api/api.h"
#include "source/source.h"

struct workspace_options {
	const struct text_list *paths; /* files and folders */
	const struct source_options *source;
	uint64_t
		max_rows; /* of all profiles in memory; those not asked for lately are dropped; 0: no limit */
	/* Called on any thread when workspace_tick has something to do. May be NULL. */
	void (*wake)(void *context);
	void *context;
};

struct workspace;
/* The api's host must call workspace_wanted. Returns NULL and sets e if a path cannot be opened. */
struct workspace *workspace_new(const struct workspace_options *o, struct api *a, struct err *e);
/* Waits until nothing is being read. */
void workspace_free(struct workspace *w);
/* Whether a file is being read, which may take forever: a pipe nobody writes to. */
bool workspace_is_reading(const struct workspace *w);

/* Takes what was read, looks into folders, follows growing files. Call it about once a second, and when woken. */
void workspace_tick(struct workspace *w);
/* A file that was not read yet was asked for. */
void workspace_wanted(struct workspace *w, struct str id);
/* Adds a profile that is only in memory. Returns its id, or an empty text and sets e. */
struct str workspace_upload(struct workspace *w, struct str name, struct str bytes, struct err *e);
/* Adds a file that is being recorded. */
void workspace_add_live(struct workspace *w, const char *path);
/* Waits until everything that was asked for is read. For commands that write one page. */
void workspace_wait(struct workspace *w);
