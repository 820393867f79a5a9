#pragma once
#include "source_map/source_map.h"

/* What begins at a generated position and extends to the next one. Lines and columns from 0. */
struct segment {
	uint32_t line, column;
	uint32_t source; /* INDEX_NONE if it has no source */
	uint32_t original_line, original_column;
	uint32_t name;	    /* INDEX_NONE if none */
	uint32_t word : 31; /* hash of the generated word that begins here; 0: none, or not known */
	uint32_t is_class : 1; /* the word names a class */
};

struct text_array {
	struct str *p;
	uint32_t n, capacity;
};

struct source_map {
	VEC(struct segment) segments; /* by line and column */
	struct text_array sources, names;
	struct arena text;
};

/* Longer names are not readable anyway. */
enum { MAX_NAME_BYTES = 256, MAX_SOURCE_BYTES = 4096 };

/* Appends the segments of a `mappings` text, with its indices as they are. Returns false and sets e on failure. */
bool source_map_decode(struct source_map *m, struct str mappings, struct err *e);
/* Sorts the segments by position. */
void source_map_sort(struct source_map *m);
/* The last segment at or before a position on the same line; INDEX_NONE if none. From 0. */
uint32_t source_map_segment(const struct source_map *m, uint32_t line, uint32_t column);
/* The value of a digit, or -1. */
int source_map_base64_digit(char c);
/* Skips what keeps a map from being run as a script. */
void source_map_skip_guard(struct reader *r);
/* Decodes `%20` etc. */
void source_map_unescape(struct str text, struct buf *out);
/* The hash of a word, for struct segment. */
uint32_t source_map_hash_word(struct str word);
