/*
 * The tables of a Firefox profile. They are made whole before the first byte is written, because
 * the format has them in columns; they grow with distinct stacks, not with samples.
 */
#pragma once
#include "query/query.h"

/* A function: what the viewer adds up. Indices are INDEX_NONE where there is nothing. */
struct firefox_func {
	uint32_t name; /* string */
	uint32_t library, source;
	uint32_t line, column; /* where the function begins; 0: not known */
	uint32_t is_script;
};

/* A frame where it stands in stacks: how deep it is inlined, and into which symbol. */
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
	VEC(uint32_t) library_names, source_names; /* strings of these */
	uint32_t *library_of, *source_of;	   /* by str_id; INDEX_NONE: not there yet */

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
/* Strings are last in it: no more may come. */
void firefox_write_shared(const struct firefox_tables *t, struct json_out *j);
void firefox_write_categories(struct json_out *j);

/* A thread of the file: the samples of one event in one thread. */
struct firefox_track {
	event_id event;
	thread_id thread;
	uint32_t first, rows; /* in the order below */
	uint32_t first_mark, marks;
	uint32_t process; /* its main track */
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
	event_id first_event; /* the one that the viewer shows */
	bool has_times;
	uint64_t start_ns;    /* the first of all times: 0 in the file */
	uint64_t interval_ns; /* how long a sample usually is */
	uint64_t without_time;
};

void firefox_tracks_init(struct firefox_tracks *t, const struct profile *p);
void firefox_tracks_fini(struct firefox_tracks *t);
/* Since start_ns. */
uint64_t firefox_time_of(const struct firefox_tracks *t, const struct firefox_track *track,
			 uint32_t i);
