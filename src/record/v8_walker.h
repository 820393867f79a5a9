/* Stacks of V8, walked in the kernel: what other collectors may ask of it. */
#pragma once
#include "record/v8_walker_record_int.h"
#include "v8/v8.h"

struct v8_walker;
struct v8_walked {
	struct v8_registers registers; /* top is this one's */
	uint64_t top[THIN_WORDS];
	uint32_t n;
	bool has_more; /* the stack goes on behind the frames */
	struct v8_raw_frame frames[WALKER_FRAMES];
};
/* Why there are none. NULL: the program is loaded. */
const struct err *v8_walker_trouble(const struct v8_walker *w);
/* Which processes it walks, from the leaf on. */
void v8_walker_add_process(struct v8_walker *w, int32_t pid, const struct v8_layout *l);
void v8_walker_remove_process(struct v8_walker *w, int32_t pid);
