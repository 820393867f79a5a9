/* A string as pointer and length: a view that owns nothing and need not be NUL-terminated. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
	const char *p;
	size_t n;
};

/* A string literal as a view. */
#define STR(literal) ((struct str){ (literal), sizeof(literal) - 1 })
/* For printf("%.*s"). */
#define STR_ARG(s) (int)(s).n, (s).p

static inline struct str str_from(const char *c_string)
{
	return (struct str){ c_string, strlen(c_string) };
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static inline bool str_ends(struct str s, struct str suffix)
{
	return s.n >= suffix.n &&
	       (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

/* From byte `from` to the end; empty if `from` is past it. */
static inline struct str str_from_byte(struct str s, size_t from)
{
	if (from > s.n)
		from = s.n;
	return (struct str){ from ? s.p + from : s.p, s.n - from };
}

/* The first n bytes, or all of s if it is shorter. */
static inline struct str str_first(struct str s, size_t n)
{
	return (struct str){ s.p, n < s.n ? n : s.n };
}

static inline bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

struct str str_trim(struct str s);
/* Takes the next word, separated by white space; empty if there is none. */
struct str str_take_word(struct str *rest);
/* Takes the next line, without its newline. Returns false if there is none. */
bool str_take_line(struct str *rest, struct str *line);
/* Bytewise order; a prefix sorts first. */
int str_compare(struct str a, struct str b);
/* Byte offset of the first or last c, or of needle; -1 if not found. */
ptrdiff_t str_find_char(struct str s, char c);
ptrdiff_t str_find_last_char(struct str s, char c);
ptrdiff_t str_find(struct str s, struct str needle);
/* What follows the last '/'. */
struct str str_basename(struct str path);
/* Parses all of s as a decimal number. Returns false if s is empty, has another character, or overflows. */
bool str_to_u64(struct str s, uint64_t *value);
/* The same for hexadecimal digits, without a leading 0x. */
bool str_hex_to_u64(struct str s, uint64_t *value);
/* A decimal number with an optional '-', up to INT32_MAX in magnitude: INT32_MIN marks an unknown id. */
bool str_to_i32(struct str s, int32_t *value);
/* `5`, `5s`, `200ms`, `1.5m`, `1h`, `2d`; the caller handles a sign. */
bool str_to_seconds(struct str s, double *seconds);
/*
 * The edit distance from `text` to the closest substring of `name`, ignoring case. Only the first
 * STR_DISTANCE_BYTES of text count.
 */
enum { STR_DISTANCE_BYTES = 200 };
uint32_t str_distance(struct str name, struct str text);
/*
 * The edit distance between a known word and a typed one; two swapped letters count as two. 0 if
 * the typed word is a prefix of the known one.
 */
uint32_t str_typing_distance(struct str known, struct str typed);
/* The first distance at which a word is no longer offered as a correction. */
uint32_t str_typing_limit(struct str typed);
/* Sorts indices: fills order[0..n) with the indices of strings[0..n), in bytewise order of the strings. Stable. */
void str_sort(const struct str *strings, uint32_t *order, uint32_t n);
