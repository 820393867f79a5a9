/* Frame names for formats that have no other field to say what a frame is. */
#pragma once
#include "model/model.h"

/* Appends its name; for a frame without one, `[module]` or `[unknown]`, as in pictures and folded text. */
void frame_text_add(struct buf *out, const struct profile *p, const struct frame *f);
/* Appends the `[module]` of a path; a name that already has brackets, such as [vdso], is kept. */
void frame_text_add_module(struct buf *out, struct str module);
