/* Comma-separated values: records and their fields. */
#pragma once
#include "base/base.h"

enum { CSV_MAX_RECORD_BYTES = 64 << 20 };

struct csv_fields {
	VEC(struct str) list; /* without their quotes */
	/* Fields with quotes inside are put together here, and found again by where they begin. */
	struct buf text;
	VEC(size_t) starts; /* by field; SIZE_MAX: it is in the input as it is */
};

enum csv_record {
	CSV_WHOLE,	/* *used is where the next record begins */
	CSV_INCOMPLETE, /* more must come before anything can be said */
	CSV_MALFORMED,	/* a quote that does not end, or text behind its end */
};

/*
 * The record that text begins with (RFC 4180; lines end in LF or CR LF; a field in quotes may hold
 * line ends). is_last: nothing comes behind text. The fields are good until the next call.
 */
enum csv_record csv_split(struct csv_fields *f, struct str text, char separator, bool is_last,
			  size_t *used);
void csv_fields_fini(struct csv_fields *f);

/* Appends s with %3B and the like as the characters they stand for. */
void csv_add_unescaped(struct buf *out, struct str s);
