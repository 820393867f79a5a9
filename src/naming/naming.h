/* How a function that was found becomes a frame: its name tidied, what kind it is of, where it is in the source. */
#pragma once
#include "model/model.h"
#include "source_map/source_map.h"

/*
 * A frame of a format that brings names. Names are tidied; a name that is empty, or `[file]` with the
 * name of its module, is a frame without a name.
 */
struct named_frame {
	struct str name, module, file;
	uint32_t line, column;
	struct str function_file; /* where the function begins, as in struct frame */
	uint32_t function_line, function_column;
	uint32_t start;	      /* the same; only without a name */
	enum frame_kind kind; /* FRAME_KIND_COUNT: by name and module */
	bool is_inlined;
	bool is_symbol; /* as a symbol table has it: C++ is shown without parameters, as perf does */
};
frame_id naming_add_frame(struct profile *p, const struct named_frame *f);
/* Where the function of a frame begins, by the name that V8 made; its own place, where it has none. */
void naming_set_v8_place(struct profile *p, struct frame *frame);
/* `name_[k]`, as in folded stacks: what the mark says goes into *frame; the name without it. */
struct str naming_take_mark(struct str name, struct frame *frame);

/* --- what compilers and bundlers made (original.c) --- */

/*
 * A frame of JavaScript as it was written, by the source map of its script: name, file, line and column are
 * changed where the map knows better; texts are in *text or the map's. pid: who ran it.
 */
void naming_find_original(struct source_maps *maps, int32_t pid, struct named_frame *f,
			  struct buf *text);
/* The same of a frame that is in a profile; another one may equal it then. False: it stays as it is. */
bool naming_set_original(struct source_maps *maps, struct profile *p, frame_id id);
/* What is to be told of it goes into the profile. */
void naming_add_source_map_facts(const struct source_maps *maps, struct profile *p);
