/*
 * The tables of a Firefox profile. They are complete before the first byte is written, because the
 * format stores them by column; they grow with distinct stacks, not with samples.
 */
#pragma once
#include "query/query.h"

/* A function: what the viewer sums up. Indices are INDEX_NONE if there is nothing. */
struct firefox_func {
	uint32_t name; /* index of a string */
	uint32_t library, source;
	uint32_t line, column; /* where the function begins; 0 if not known */
	uint32_t is_script;
};

/* A frame with its position in stacks: how deep it is inlined, and into which symbol. */
struct firefox_frame {
	frame_id frame;
	uint32_t depth;
	uint32_t symbol;
};

struct firefox_tables {
	const struct profile *p;

	struct texts strings;
	struct buf scratch;

	VEC(str_id) libraries, sources;
	VEC(uint32_t) library_names, source_names; /* their strings */
	uint32_t *library_of, *source_of;	   /* by str_id; INDEX_NONE if not there yet */

	VEC(struct firefox_func) funcs;
	struct index_map func_map;
	uint32_t *func_of;     /* by frame_id */
	VEC(uint32_t) symbols; /* functions that others are inlined into */
	uint32_t *symbol_of;   /* by function */

	VEC(struct firefox_frame) frames;
	struct index_map frame_map;
	uint32_t *frame_of; /* by node_id */
};

void firefox_tables_init(struct firefox_tables *t, const struct profile *p);
void firefox_tables_fini(struct firefox_tables *t);

/* `"libs": [...]`, `"shared": {...}` and `"categories": [...]`. */
void firefox_write_libraries(const struct firefox_tables *t, struct json_out *j);
/* Strings come last: no more may be added afterwards. */
void firefox_write_shared(const struct firefox_tables *t, struct json_out *j);
void firefox_write_categories(struct json_out *j);

/* A thread in the file: the samples of one event in one thread. */
struct firefox_track {
	event_id event;
	thread_id thread;
	uint32_t first, rows; /* in row_order */
	uint32_t first_mark, marks;
	uint32_t process; /* the main track of its process */
	bool is_main;
	uint64_t weight; /* samples */
	struct str pid, tid;
};

struct firefox_tracks {
	const struct profile *p;
	VEC(struct firefox_track) list;
	uint32_t *row_order;  /* rows by track, then by time */
	uint32_t *mark_order; /* marks by track */
	struct arena text;
	event_id first_event; /* the one the viewer shows */
	bool has_times;
	uint64_t start_ns;    /* the earliest time, which is 0 in the file */
	uint64_t interval_ns; /* the usual duration of a sample */
	uint64_t without_time;
};

void firefox_tracks_init(struct firefox_tracks *t, const struct profile *p);
void firefox_tracks_fini(struct firefox_tracks *t);
/* Relative to start_ns. */
uint64_t firefox_time_of(const struct firefox_tracks *t, const struct firefox_track *track,
			 uint32_t i);
