/*
 * Reads pprof: pprof.c reads the file, pprof_tables.c turns locations into frames, pprof_types.c
 * value types into events, pprof_labels.c labels into threads, times and labels.
 */
#pragma once
#include "source/source_int.h"

/* The ids of a table's records: any numbers, but mostly 1, 2, 3. */
struct pprof_ids {
	VEC(uint64_t) ids;
	struct index_map map; /* only used if they are not 1, 2, 3 */
};
void pprof_ids_fini(struct pprof_ids *t);
uint32_t pprof_ids_find_other(const struct pprof_ids *t, uint64_t id);
/* The record's index, or INDEX_NONE. */
static inline uint32_t pprof_ids_find(const struct pprof_ids *t, uint64_t id)
{
	if (id - 1 < t->ids.n && t->ids.p[id - 1] == id)
		return (uint32_t)(id - 1);
	return pprof_ids_find_other(t, id);
}

/* Texts are identified by their index in the file's table; offsets are in the whole input. */
struct pprof_text {
	uint32_t offset, n;
};

struct pprof_mapping_row {
	uint64_t file, build_id;
};

struct pprof_function_row {
	uint64_t name, system_name, file;
	uint32_t start_line;
};

struct pprof_line_row {
	uint64_t function;
	uint32_t line, column;
};

struct pprof_location_row {
	uint64_t mapping, address;
	uint32_t offset;
	uint32_t first_line, line_count;
	uint32_t first_frame; /* INDEX_NONE until its frames are made */
	uint32_t frame_count;
};

struct pprof_tables {
	struct profile *p;
	const struct source_options *options;
	struct str input;
	VEC(struct pprof_text) texts;
	str_id *text_ids; /* STR_NONE until made */
	VEC(struct pprof_mapping_row) mappings;
	VEC(struct pprof_function_row) functions;
	VEC(struct pprof_location_row) locations;
	VEC(struct pprof_line_row) lines;
	struct pprof_ids mapping_ids, function_ids, location_ids;
	VEC(frame_id) frames; /* of the locations, outermost first */
	struct buf too_many;  /* "more than 67,108,864 texts", NUL-terminated; or empty */
	uint64_t too_many_offset;
};

/* Adds m's current field if it belongs to a table. */
void pprof_tables_add(struct pprof_tables *t, const struct protobuf *m);
/* Call at the end of the file: makes ids searchable and counts dangling references. */
void pprof_tables_end(struct pprof_tables *t);
void pprof_tables_fini(struct pprof_tables *t);
/* Returns false if there is no such text. */
bool pprof_text(const struct pprof_tables *t, uint64_t text, struct str *s);
str_id pprof_text_id(struct pprof_tables *t, uint64_t text);
/* The frames of a location, outermost first: returns their index in t->frames. */
uint32_t pprof_location_frames(struct pprof_tables *t, uint32_t location, uint32_t *n);

struct pprof_type {
	uint64_t name, unit;
	uint32_t offset;
};

/* An event and where its values are in a sample. */
struct pprof_event {
	event_id id;
	uint32_t value_at;
	uint32_t count_at; /* INDEX_NONE if it has only sums */
	uint64_t unit;	   /* what one of the file's values is, in the event's unit */
	uint64_t scale;	   /* to the event's decimals in the profile */
};

struct pprof_types {
	struct str clock_name; /* the event that the file calls `cpu`; empty: `cpu` itself */
	VEC(struct pprof_type) types;
	uint64_t default_type; /* a text; 0 if none */
	VEC(struct pprof_event) events;
};

/* Reads a ValueType message. */
struct pprof_type pprof_type_read(struct protobuf m);
/* Makes the events once the tables are complete. */
void pprof_types_end(struct pprof_types *types, struct pprof_tables *t);

/* A label of a sample as stored in the file. */
struct pprof_label_row {
	uint64_t key, text, unit;
	int64_t number;
	uint32_t offset;
};

struct pprof_labels {
	VEC(struct pprof_label_row) rows; /* of the current sample */
	bool has_too_many;
	uint8_t *roles; /* by text: the meaning of a key; 0 until determined */
	VEC(struct label) kept;
	struct thread thread; /* the last one */
	thread_id thread_id;
};

/* Adds a Label message, which is in the current field. */
void pprof_labels_add(struct pprof_labels *l, const struct protobuf *field);
/* Fills thread, cpu, time and labels of a sample. Returns false if it has no time. */
bool pprof_labels_apply(struct pprof_labels *l, struct pprof_tables *t, struct sample *sample);
void pprof_labels_fini(struct pprof_labels *l);
