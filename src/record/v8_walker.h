/* V8 stacks walked in the kernel: the interface for other collectors. */
#pragma once
#include "record/v8_walker_record_int.h"
#include "v8/v8.h"

struct v8_walker;
struct v8_walked {
	struct v8_registers registers; /* top points to the one below */
	uint64_t top[THIN_WORDS];
	uint32_t n;
	bool has_more; /* the stack continues past the frames */
	struct v8_raw_frame frames[WALKER_FRAMES];
};
/* Returns why nothing is walked, or NULL if the program is loaded. */
const struct err *v8_walker_trouble(const struct v8_walker *w);
/* Adds a process whose stacks to walk, starting at the leaf. */
void v8_walker_add_process(struct v8_walker *w, int32_t pid, const struct v8_layout *l);
void v8_walker_remove_process(struct v8_walker *w, int32_t pid);
