/* A process with V8, opened for a single inspection. Nothing is stopped or written. */
#pragma once
#include "v8/heap.h"

struct v8_names;
struct v8_process;

struct v8_inspection {
	struct process *of;
	char *file;	 /* that contains V8, as the process knows it */
	struct elf *elf; /* of that file */
	struct v8_layout layout;
	struct v8_names *names;
	struct v8_process *process;
	uint64_t metamap; /* the map of maps, tagged */
};

/*
 * p stays the caller's. Returns NULL and sets e if there is no V8, its version is unknown, its
 * memory cannot be read or does not match its file, or the process has ended.
 */
struct v8_inspection *v8_inspect(struct process *p, struct err *e);
void v8_inspection_free(struct v8_inspection *v);
/*
 * Appends the text of a script, as it runs, by V8's name for it: a path, a file:// URL, `node:fs`.
 * If several scripts have the name, takes the newest. Text beyond `most` characters is cut. Searches
 * the whole heap. Returns false and sets e if there is none.
 */
bool v8_script_text(struct v8_inspection *v, struct str file, uint32_t most, struct buf *text,
		    struct err *e);
