/* A process with a V8 in it, opened to be looked at once: nothing is stopped, nothing is written. */
#pragma once
#include "v8/heap.h"

struct v8_names;
struct v8_process;

struct v8_inspection {
	struct process *of;
	char *file;	 /* that V8 is in, as the process knows it */
	struct elf *elf; /* of that file */
	struct v8_layout layout;
	struct v8_names *names;
	struct v8_process *process;
	uint64_t metamap; /* the map of maps, tagged */
};

/*
 * p stays the caller's. NULL: e says what is in the way: there is no V8 in it, or one that is not known, or its
 * memory may not be read or is not as its file says, or it has ended.
 */
struct v8_inspection *v8_inspect(struct process *p, struct err *e);
void v8_inspection_free(struct v8_inspection *v);
