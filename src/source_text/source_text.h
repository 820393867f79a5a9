/*
 * The text of a source file, to show a function's lines next to their time. A profile comes from
 * anywhere and names any file, so only files that its frames name are read, only regular ones, only
 * text, and never more than SOURCE_TEXT_MOST_BYTES; as the current user, who sees nothing here that
 * `cat` would not show.
 */
#pragma once
#include "model/model.h"

enum { SOURCE_TEXT_MOST_BYTES = 16 << 20 };

struct source_text_finder;

struct source_text_finder *source_text_finder_new(void);
void source_text_finder_free(struct source_text_finder *f);
/*
 * Replaces *text with that of a file. file: as in struct frame, its file or function_file. module:
 * of the frames, with or without folders; empty: any. *origin is set to where the text is from:
 * "v8" (a live process, so it is what runs), "source map", "container" or "disk". Returns false and
 * sets e to a sentence if it cannot be read. May be called by several threads at once. Searching the
 * heap of a process takes about as long as copying it.
 */
bool source_text_find(const struct source_text_finder *f, const struct profile *p, struct str file,
		      struct str module, struct buf *text, const char **origin, struct err *e);
