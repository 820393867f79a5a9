/* Names of frames for formats that have nothing else to say what a frame is. */
#pragma once
#include "model/model.h"

/* Its name; a frame without one is `[module]`, or `[unknown]`, as in pictures and folded text. */
void frame_text_add(struct buf *out, const struct profile *p, const struct frame *f);
/* The `[module]` of a path; a name that has brackets, such as [vdso], keeps its own. */
void frame_text_add_module(struct buf *out, struct str module);
