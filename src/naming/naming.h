/* Turns a function that was found into a frame: tidies its name and determines its kind and source position. */
#pragma once
#include "model/model.h"
#include "source_map/source_map.h"

/*
 * A frame from a format that includes names. Names are tidied; an empty name, or `[file]` with the
 * name of its module, makes a frame without a name.
 */
struct named_frame {
	struct str name, module, file;
	uint32_t line, column;
	struct str function_file; /* where the function begins, as in struct frame */
	uint32_t function_line, function_column;
	uint32_t start;	      /* likewise; only without a name */
	enum frame_kind kind; /* FRAME_KIND_COUNT: decide by name and module */
	bool is_inlined;
	bool is_symbol; /* from a symbol table: C++ is shown without parameters, as in perf */
};
frame_id naming_add_frame(struct profile *p, const struct named_frame *f);
/*
 * Sets where a frame's function begins from the name that V8 made. A frame without a file gets that
 * position as its own.
 */
void naming_set_v8_place(struct profile *p, struct frame *frame);
/* `name_[k]`, as in folded stacks: applies the mark to *frame and returns the name without it. */
struct str naming_take_mark(struct str name, struct frame *frame);

/* --- source maps (original.c) --- */

/*
 * Maps a JavaScript frame back to its original source with the source map of its script: changes name, file, line and
 * column if the map knows better; texts are in *text or the map's. pid: the process that ran it.
 */
void naming_find_original(struct source_maps *maps, int32_t pid, struct named_frame *f,
			  struct buf *text);
/* The same for a frame in a profile, which may then equal another frame. Returns false if it is unchanged. */
bool naming_set_original(struct source_maps *maps, struct profile *p, frame_id id);
/* Adds facts about the source maps to the profile. */
void naming_add_source_map_facts(const struct source_maps *maps, struct profile *p);
