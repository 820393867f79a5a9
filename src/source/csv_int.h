/* Splits comma-separated values into records and fields. */
#pragma once
#include "base/base.h"

enum { CSV_MAX_RECORD_BYTES = 64 << 20 };

struct csv_fields {
	VEC(struct str) list; /* without their quotes */
	/* Fields that contain quotes are assembled here, and found by where they begin. */
	struct buf text;
	VEC(size_t) starts; /* by field; SIZE_MAX if it is in the input as is */
};

enum csv_record {
	CSV_WHOLE,	/* *used is where the next record begins */
	CSV_INCOMPLETE, /* needs more input */
	CSV_MALFORMED,	/* a quote that is not closed, or text after the closing quote */
};

/*
 * Splits the first record of text (RFC 4180; lines end in LF or CR LF; a quoted field may contain
 * line ends). is_last: nothing follows text. The fields are valid until the next call.
 */
enum csv_record csv_split(struct csv_fields *f, struct str text, char separator, bool is_last,
			  size_t *used);
void csv_fields_fini(struct csv_fields *f);

/* Appends s with %3B etc. decoded. */
void csv_add_unescaped(struct buf *out, struct str s);
