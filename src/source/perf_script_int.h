/*
 * Shared by the files that read perf script text: the grammar, line by line
 * (doc/formats/perf-script.md has examples), and the table of frame lines.
 */
#pragma once
#include "model/model.h"

/* Longer lines are skipped and counted. */
enum { SCRIPT_MAX_LINE_BYTES = 1 << 20 };

/* The first line of a record: `comm pid/tid [cpu] time: period event: rest`; any part may be missing. */
struct script_header {
	struct str comm;
	int32_t pid, tid, cpu; /* PID_UNKNOWN, PID_UNKNOWN, -1 */
	bool has_time, has_period, is_period_too_large;
	bool is_sample; /* false: a PERF_RECORD_ line of --show-task-events or similar */
	uint64_t time_ns;
	uint64_t period;
	struct str event;
	struct str rest; /* fields of a tracepoint, or the frame of a one-line sample */
};

/* True if the line can only start a record: it has a time, or a pid or cpu and an event. */
bool script_header_parse(struct str line, struct script_header *h);

/* `address symbol+0xoffset (dso)`; symbol and dso may be missing. */
struct script_frame {
	uint64_t address;
	struct str address_text;
	struct str symbol; /* without the offset; empty if it is [unknown] or missing */
	struct str dso;	   /* without (deleted), ;build-id, +0xoffset; empty like symbol */
	bool has_dso;	   /* there was a dso in parentheses */
	bool is_inlined;   /* there was an (inlined) */
};

bool script_frame_parse(struct str line, struct script_frame *f);

/* The extra line of `perf script -F +srcline`: `  file.c:123` or `  file.c:123 (inlined)`. */
struct script_source {
	struct str file; /* empty if perf found none */
	uint32_t line;
	bool is_inlined;
};
bool script_source_parse(struct str line, struct script_source *s);

/* --- perf_script_lines.c: frame lines and their frames --- */

/*
 * A known frame line: the frames it stands for, outermost first, and its bytes. They are stored
 * together, so that a lookup touches only two places in memory.
 */
struct known_line {
	uint32_t n;
	uint32_t first_frame; /* in the table's frames */
	uint16_t frame_count; /* at least 1 */
	bool is_unknown;      /* no name was found for it */
	char text[];
};

/* Lines in chunks, which never move. */
struct line_store {
	VEC(uint64_t *) chunks;
	uint32_t used; /* words of the last chunk */
};

struct known_symbol;

struct line_table {
	struct profile *p;
	bool keep_addresses;
	struct index_map map; /* of positions in store */
	struct line_store store;
	VEC(frame_id) frames;
	struct index_map symbol_map;
	VEC(struct known_symbol) symbols;
	struct arena symbol_text;
	struct buf name; /* scratch */
	str_id dso; /* of the line parsed last: most frames are in the same dso as the one before */
};

/* Frames are added to p. text_bytes: estimated size of the text to come. */
void line_table_init(struct line_table *t, struct profile *p, bool keep_addresses,
		     size_t text_bytes);
void line_table_fini(struct line_table *t);
/* Returns NULL if the line is not a frame. The result is valid until the next call. */
const struct known_line *line_table_find(struct line_table *t, struct str line);
const struct known_line *line_table_find_hashed(struct line_table *t, struct str line,
						uint32_t hash);
