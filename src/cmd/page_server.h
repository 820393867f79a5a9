/* Serves the page on this machine: profiles, folders of profiles, and growing recordings. */
#pragma once
#include "cmd/read_profiles.h"

/* Bound to struct profile_request. */
extern const struct option_set page_option_set;

struct page_plan {
	const struct page_options *options;
	const struct text_list *paths; /* files and folders */
	const char *live;	       /* a file that is being recorded; NULL if there is none */
	const struct source_options *source;
	const char *state; /* what to show first, as in the page's URL; NULL: the default */
	bool is_quiet;
};
/* Serves until stop_fd is readable. Returns the exit code; on failure the caller prints e. */
int page_serve(const struct page_plan *plan, int stop_fd, struct err *e);
/* The same in two steps: the first takes the port, so that a wrong one is said before anything else is done. */
struct page;
struct page *page_new(const struct page_options *options, struct err *e);
bool page_run(struct page *p, const struct page_plan *plan, int stop_fd, struct err *e);
void page_free(struct page *p);
/* Returns a descriptor that becomes readable on Ctrl-C, SIGTERM or SIGHUP. Call it before any thread starts. */
int page_stop_signals(void);

/*
 * The page of a recorder, in a separate process: under sudo, the recorder stays root, and the page
 * runs as the user who ran sudo. Begin it before threads start and events are opened, so that it
 * inherits neither.
 */
struct page_process {
	pid_t pid; /* 0: none */
	int fd;	   /* a pipe: what to show; the process exits when it is closed */
};
/* Returns false and sets e if the page cannot be served. */
bool page_process_begin(struct page_process *p, const struct page_options *options,
			const struct source_options *source, bool is_quiet, struct err *e);
/* is_live: the file is being recorded. A folder is watched. */
void page_process_show(struct page_process *p, const char *path, bool is_live);
/* After the recording: waits until Ctrl-C closes the page, unless nothing was shown. */
void page_process_wait(struct page_process *p, bool is_quiet);
void page_process_fini(struct page_process *p);
