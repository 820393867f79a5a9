/*
 * JSON (RFC 8259) read as it comes: the caller asks for what it expects, and what it does not ask for
 * is skipped. Nothing is kept but the window of the reader, so a file of any size takes the same
 * memory.
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
 * After json_key or json_element is true, one value is at hand and must be taken by one of json_object,
 * json_array, json_string, json_number, json_bool or json_skip. Each takes the value whatever it is:
 * when it is of another type it is skipped and the function is false.
 *
 * The first fault ends everything: json_key, json_element and all others are false from there on.
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

/* The reader stays the caller's, and is consumed up to what was read last. */
struct json *json_new(struct reader *r);
void json_free(struct json *j);
/* From here on a comma in front of a closing bracket is no fault: trace events have them. */
void json_allow_last_comma(struct json *j);

/*
 * Before a row is added to a table that has so many: false and a fault, "more than 4,194,304 frames",
 * when it has as many as it may have. A small compressed file can hold rows without end.
 */
bool json_has_room(struct json *j, uint64_t rows, uint32_t most, const char *what);
/* No table may have more rows than this. 0: each as many as it may. */
void json_limit_rows(struct json *j, uint32_t most);

/* The type of the value at hand, which stays. */
enum json_type json_peek(struct json *j);

/* Enters an object; then json_key until it is false. *key is good until the next call. */
bool json_object(struct json *j);
bool json_key(struct json *j, struct str *key);
/* Enters an array; then json_element until it is false. */
bool json_array(struct json *j);
bool json_element(struct json *j);

/*
 * The text, with escapes resolved; ill-formed UTF-8 is kept as it is. Half a surrogate pair is U+FFFD,
 * except what json_out writes as JSON_BYTES. Good until the next call.
 */
bool json_string(struct json *j, struct str *text);
/*
 * The number in units of 10^-decimals (at most 9), rounded to the nearest: 12.5 with 3 decimals is
 * 12500. What does not fit is held at the largest or smallest value.
 */
bool json_number(struct json *j, unsigned decimals, int64_t *value);
/* The same with the number's own decimals: as few as it takes, at most max_decimals (at most 9). */
struct json_decimal {
	uint64_t units; /* of 10^-decimals */
	unsigned decimals;
	bool is_negative;
	bool is_held; /* it was larger than fits */
};
bool json_decimal(struct json *j, unsigned max_decimals, struct json_decimal *d);
/*
 * json_element and json_number in one, for arrays of indices: false at the end of the array. What is
 * no whole number from 0 to 2^32 - 2 is INDEX_NONE.
 */
bool json_index(struct json *j, uint32_t *index);
bool json_bool(struct json *j, bool *value);
void json_skip(struct json *j);

/* Depth of the objects and arrays that are open. */
unsigned json_depth(const struct json *j);
/*
 * Where reading stands in the (decompressed) input: the place of the fault when there is one, which
 * is the end of an input that ends too early.
 */
uint64_t json_offset(const struct json *j);
/* What is wrong ("a string without an end"), or NULL. */
const char *json_fault(const struct json *j);
/* True when the fault is that the input ended too early. */
bool json_is_cut(const struct json *j);
/* False and a fault when anything but white space follows. */
bool json_at_end(struct json *j);
