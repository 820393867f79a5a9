/* Text by pointer and length: a view that owns nothing and need not end in NUL. */
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

/* From byte `from` to the end; empty when `from` lies beyond it. */
static inline struct str str_from_byte(struct str s, size_t from)
{
	if (from > s.n)
		from = s.n;
	return (struct str){ from ? s.p + from : s.p, s.n - from };
}

/* The first n bytes, or all of s when it is shorter. */
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
/* Takes the next of the words that white space separates; empty: there is none. */
struct str str_take_word(struct str *rest);
/* Takes the next line, without its end. False: there is none. */
bool str_take_line(struct str *rest, struct str *line);
/* Bytewise order, a prefix before what it is a prefix of. */
int str_compare(struct str a, struct str b);
/* Byte offset of the first or last c, or of needle; -1 when there is none. */
ptrdiff_t str_find_char(struct str s, char c);
ptrdiff_t str_find_last_char(struct str s, char c);
ptrdiff_t str_find(struct str s, struct str needle);
/* What follows the last '/'. */
struct str str_basename(struct str path);
/* All of s as a decimal number. False when s is empty, has another character, or does not fit. */
bool str_to_u64(struct str s, uint64_t *value);
/* The same of hexadecimal digits, without 0x before them. */
bool str_hex_to_u64(struct str s, uint64_t *value);
/* A decimal number with an optional '-', for magnitudes up to INT32_MAX: INT32_MIN marks an unknown id. */
bool str_to_i32(struct str s, int32_t *value);
/* `5`, `5s`, `200ms`, `1.5m`, `1h`, `2d`; a sign is the caller's. */
bool str_to_seconds(struct str s, double *seconds);
/*
 * So many letters of `text` are to be changed until it is a part of `name`; case does not matter. Only
 * the first STR_DISTANCE_BYTES of text count.
 */
enum { STR_DISTANCE_BYTES = 200 };
uint32_t str_distance(struct str name, struct str text);
/*
 * So many letters differ between a word that exists and one that was typed; two that were swapped are two.
 * 0: what was typed is how it begins.
 */
uint32_t str_typing_distance(struct str known, struct str typed);
/* How many may differ for the word to be meant, and one more. */
uint32_t str_typing_limit(struct str typed);
/*
 * Puts the indices of strings[0..n) into order[0..n), bytewise by the strings they stand for. Equal
 * ones stay as given.
 */
void str_sort(const struct str *strings, uint32_t *order, uint32_t n);
