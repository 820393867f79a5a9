#pragma once
#include "source_text/source_text.h"

struct source_text_finder {
	char host[256]; /* this machine's, as recordings name it */
};

enum { MOST_PROCESSES = 4 };

/* The requested file, and what the profile says about it. */
struct wanted_text {
	const struct source_text_finder *finder;
	const struct profile *p;
	struct str file;
	struct buf path;	      /* the file as a path; empty if it is none */
	struct str container;	      /* of a process that ran it; empty if none is known */
	bool is_script;		      /* run by a JavaScript engine */
	int32_t pids[MOST_PROCESSES]; /* live processes that ran it, most samples first */
	unsigned processes;
};

/* --- wanted.c --- */

/* Returns false and sets e if no frame is in the file. */
bool wanted_text_init(struct wanted_text *w, const struct source_text_finder *f,
		      const struct profile *p, struct str file, struct str module, struct err *e);
void wanted_text_fini(struct wanted_text *w);

/* --- files.c: they append to text and return false, setting e, on failure --- */

/* At most `most` bytes; fails if the file is longer, compressed or not text. */
bool read_text_file(struct reader *r, size_t most, struct buf *text, struct err *e);
/* By a path of a live process. *origin: "container" if its files are not those of this machine. */
bool text_from_process(int32_t pid, struct buf *path, struct buf *text, const char **origin,
		       struct err *e);
/*
 * Opens a file as a process that ran it sees it or, if there is none, as we do. Returns NULL and
 * sets e on failure.
 */
struct reader *open_as_recorded(const struct wanted_text *w, struct buf *path, struct err *e);

/* --- original.c --- */

/* From the source maps of the scripts that the recorder found. False if none has it. */
bool text_from_source_maps(const struct wanted_text *w, struct buf *text);
