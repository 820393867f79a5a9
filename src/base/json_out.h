/*
 * Writes JSON incrementally: commas are placed automatically, and full buffers go to the writer, so
 * a file of any size takes the same memory.
 *
 *	struct json_out j = { .out = writer };
 *	json_out_open(&j, NULL, '{');
 *	json_out_string(&j, "name", name);
 *	json_out_open(&j, "sizes", '[');
 *	json_out_u64(&j, NULL, size);
 *	json_out_close(&j, ']');
 *	json_out_close(&j, '}');
 *	json_out_end(&j);
 *
 * A value in an object has a key; in an array, and at the top, its key is NULL. Every string is
 * escaped so that it is safe inside XML and HTML: & < > and control characters are written as
 * \u0026 and so on.
 */
#pragma once
#include "base/buf.h"
#include "base/writer.h"

/* How to write strings that are not plain text. */
enum json_text {
	JSON_TEXT,  /* invalid UTF-8 becomes U+FFFD */
	JSON_BYTES, /* invalid UTF-8 becomes \udc80-\udcff (surrogateescape), for json_string */
	JSON_SHOWN, /* like JSON_TEXT, and bidirectional control characters become U+FFFD */
};

struct json_out {
	struct writer *out; /* NULL: everything stays in text, which the caller frees */
	struct buf text;
	enum json_text strings;
	bool needs_comma, needs_line;
};

/* Ends the document with a newline and passes the rest to the writer. */
void json_out_end(struct json_out *j);

/* Starts a new line before the next value or its key. */
void json_out_line(struct json_out *j);
/* Opens with '{' or '['; closes with '}' or ']'. */
void json_out_open(struct json_out *j, const char *key, char bracket);
void json_out_close(struct json_out *j, char bracket);
/* A key that comes from the input. Its value follows, with a NULL key. */
void json_out_key(struct json_out *j, struct str key);

void json_out_string(struct json_out *j, const char *key, struct str s);
void json_out_u64(struct json_out *j, const char *key, uint64_t value);
void json_out_i64(struct json_out *j, const char *key, int64_t value);
/* In units of 10^-decimals. */
void json_out_decimal(struct json_out *j, const char *key, uint64_t value, unsigned decimals);
void json_out_real(struct json_out *j, const char *key, double value);
void json_out_bool(struct json_out *j, const char *key, bool value);
void json_out_null(struct json_out *j, const char *key);
/* INDEX_NONE is written as null. */
void json_out_index(struct json_out *j, const char *key, uint32_t index);
/* Begins a value that the caller appends, as JSON, to the returned buffer. */
struct buf *json_out_value(struct json_out *j, const char *key);
