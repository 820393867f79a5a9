/* Writes pprof: pprof.c writes the samples, pprof_tables.c what they refer to. */
#pragma once
#include "sink/profile_format.h"

struct pprof_function_key {
	uint32_t name, system_name, file, start_line;
};

/* The location of a frame and the frames it was inlined into; its outer part is one as well. */
struct pprof_place {
	uint32_t outer; /* INDEX_NONE if nothing is around it */
	frame_id frame;
	str_id module; /* of all its frames */
	uint32_t id;   /* 0 until a sample uses it */
	uint32_t function;
};

struct pprof_mapping_use {
	str_id module;
	bool has_files, has_lines, has_inlines;
};

struct pprof_writer {
	const struct profile *p;
	struct writer *out;

	struct texts texts;
	uint32_t *text_of;   /* by str_id; INDEX_NONE until made */
	uint32_t empty_text; /* a second empty text: 0 as a label's text means that it has none */
	uint64_t not_utf8;

	uint32_t *place_of;  /* by node */
	node_id *outer_node; /* by node: where the next location ends */
	VEC(struct pprof_place) places;
	struct pair_map place_map;
	uint32_t *place_of_frame; /* by frame: with nothing around it; INDEX_NONE until made */
	VEC(uint32_t) used;	  /* places by id - 1; INDEX_NONE where there is no stack */
	uint32_t no_stack_id;

	VEC(struct pprof_function_key) functions;
	struct index_map function_map;
	VEC(struct pprof_mapping_use) mappings; /* by id - 1 */
	uint32_t *mapping_of;			/* by str_id of the module; 0 until used */
	struct buf scratch;
};

void pprof_writer_init(struct pprof_writer *w, const struct profile *p, struct writer *out);
void pprof_writer_fini(struct pprof_writer *w);
uint32_t pprof_add_text(struct pprof_writer *w, struct str text);
uint32_t pprof_add_str(struct pprof_writer *w, str_id id);
/* Also works for an empty text, which counts as present. */
uint32_t pprof_add_label_text(struct pprof_writer *w, str_id id);
/* Appends the locations of a stack, leaf first. */
void pprof_add_stack(struct pprof_writer *w, node_id leaf, struct buf *out);
/* Writes everything that samples refer to. */
void pprof_write_tables(struct pprof_writer *w);
