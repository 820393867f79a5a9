/*
 * A pull parser for JSON (RFC 8259): the caller asks for what it expects, and whatever it does not
 * ask for is skipped. Only the reader's window is kept in memory, so a file of any size takes the
 * same memory.
 *
 *	struct json *j = json_new(reader);
 *	struct str key, name;
 *	if (json_object(j))
 *		while (json_key(j, &key))
 *			if (str_eq(key, STR("name")))
 *				json_string(j, &name);
 *			else
 *				json_skip(j);
 *	if (json_fault(j))
 *		... at byte json_offset(j) ...
 *
 * After json_key or json_element returns true, the caller must take the current value with
 * json_object, json_array, json_string, json_number, json_bool or json_skip. Each consumes the
 * value whatever its type: a value of another type is skipped and the function returns false.
 *
 * The first fault ends parsing: from there on json_key, json_element and all others return false.
 */
#pragma once
#include "base/buf.h"
#include "base/reader.h"

struct json;

/* Deeper nesting and longer strings are faults. */
enum { JSON_MAX_DEPTH = 1 << 20, JSON_MAX_STRING_BYTES = 64 << 20 };

enum json_type {
	JSON_NOTHING, /* a fault, or the end of the input */
	JSON_OBJECT,
	JSON_ARRAY,
	JSON_STRING,
	JSON_NUMBER,
	JSON_BOOL,
	JSON_NULL,
};

/* The caller keeps the reader, which is consumed up to what was read last. */
struct json *json_new(struct reader *r);
void json_free(struct json *j);
/* From here on, allows a comma before a closing bracket: trace events have them. */
void json_allow_last_comma(struct json *j);

/*
 * Call before adding a row to a table with `rows` rows. Returns false and sets a fault, "more than
 * 4,194,304 frames", if the table is full. A small compressed file can hold any number of rows.
 */
bool json_has_room(struct json *j, uint64_t rows, uint32_t most, const char *what);
/* Limits the rows of every table. 0: no limit but each table's own. */
void json_limit_rows(struct json *j, uint32_t most);

/* The type of the current value, which is not consumed. */
enum json_type json_peek(struct json *j);

/* Enters an object; then call json_key until it is false. *key is valid until the next call. */
bool json_object(struct json *j);
bool json_key(struct json *j, struct str *key);
/* Enters an array; then call json_element until it is false. */
bool json_array(struct json *j);
bool json_element(struct json *j);

/*
 * The text, with escapes resolved; ill-formed UTF-8 is kept as is. Half a surrogate pair becomes
 * U+FFFD, except what json_out writes as JSON_BYTES. Valid until the next call.
 */
bool json_string(struct json *j, struct str *text);
/*
 * The number in units of 10^-decimals (at most 9), rounded to the nearest: 12.5 with 3 decimals is
 * 12500. Numbers that do not fit are clamped.
 */
bool json_number(struct json *j, unsigned decimals, int64_t *value);
/* The same with the number's own decimals: as few as it needs, at most max_decimals (at most 9). */
struct json_decimal {
	uint64_t units; /* of 10^-decimals */
	unsigned decimals;
	bool is_negative;
	bool is_held; /* too large, and clamped */
};
bool json_decimal(struct json *j, unsigned max_decimals, struct json_decimal *d);
/*
 * json_element and json_number in one, for arrays of indices. Returns false at the end of the
 * array. Anything but a whole number from 0 to 2^32 - 2 is INDEX_NONE.
 */
bool json_index(struct json *j, uint32_t *index);
bool json_bool(struct json *j, bool *value);
void json_skip(struct json *j);

/* The number of objects and arrays that are open. */
unsigned json_depth(const struct json *j);
/*
 * The current offset in the (decompressed) input, or that of the fault if there is one. If the
 * input ended early, this is its end.
 */
uint64_t json_offset(const struct json *j);
/* What is wrong ("a string without an end"), or NULL. */
const char *json_fault(const struct json *j);
/* True if the fault is that the input ended early. */
bool json_is_cut(const struct json *j);
/* Returns false and sets a fault if anything but white space follows. */
bool json_at_end(struct json *j);
