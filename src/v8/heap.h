/*
 * Objects in the V8 heap of another process. Words are tagged: a small integer has 0 in the lowest
 * bit and its value in the upper half. A pointer has 01, a weak one 11, added to the object's
 * address. An object begins with its map, which has its type. Anything may have been collected and
 * overwritten meanwhile, so every read starts by checking the type.
 */
#pragma once
#include "process/process.h"
#include "v8/layout.h"

enum { V8_TYPES_KEPT = 1024, V8_NO_TYPE = -1 };

struct v8_heap {
	struct memory *memory;
	const struct v8_layout *layout;
	uint64_t strays; /* words that led to no object */
	struct {
		uint64_t map;
		int32_t type;
	} types[V8_TYPES_KEPT]; /* of maps, which do not move; by a hash of their address */
};

static inline bool v8_is_pointer(uint64_t word)
{
	return (word & 3) == 1 && word > 4096 && !(word >> 47);
}

static inline uint64_t v8_address(uint64_t word)
{
	return word & ~3ull;
}

static inline bool v8_is_smi(uint64_t word)
{
	return (word & 0xffffffff) == 0;
}

static inline int32_t v8_smi(uint64_t word)
{
	return (int32_t)(word >> 32);
}

/* Number of failures so far. If it grows, what was read meanwhile may be incomplete. */
static inline uint64_t v8_failures(const struct v8_heap *h)
{
	return h->memory->failed + h->strays;
}

/* The type of objects with this map, or V8_NO_TYPE if it is not a map. */
int32_t v8_type_of_map(struct v8_heap *h, uint64_t map);
/* The type of an object, from a strong or weak pointer, or V8_NO_TYPE if it is not an object. */
int32_t v8_type_of(struct v8_heap *h, uint64_t word);
/* Reads a field of an object. */
bool v8_read_word(struct v8_heap *h, uint64_t object, int32_t offset, uint64_t *word);
bool v8_read(struct v8_heap *h, uint64_t object, int32_t offset, void *to, size_t n);
/* The length of any kind of array. Returns false if it is not an array, or longer than `most`. */
bool v8_array_length(struct v8_heap *h, uint64_t array, uint32_t most, uint32_t *length);

/* --- strings (string.c) --- */

static inline bool v8_is_string_type(const struct v8_heap *h, int32_t type)
{
	return type >= 0 && type < h->layout->value[V8_FIRST_NONSTRING_TYPE];
}
/*
 * Appends the string as UTF-8, up to `most` characters. Returns false if it is not a string or is
 * incomplete; part of it may have been appended.
 */
bool v8_read_string(struct v8_heap *h, uint64_t string, uint32_t most, struct buf *out);
/*
 * Calls `on` with the characters in pieces, in order, until it returns false. Returns false if it
 * is not a string, has more than `most` characters, or is partly gone.
 */
struct v8_piece {
	const void *chars;
	uint32_t n;
	bool is_two_byte;
};
typedef bool v8_on_piece(void *context, const struct v8_piece *piece);
bool v8_visit_string(struct v8_heap *h, uint64_t string, uint32_t most, v8_on_piece *on,
		     void *context);

/* --- ScopeInfo (scope_info.c) --- */

struct v8_scope {
	uint64_t name, inferred_name; /* tagged; 0 if none */
	int32_t start, end;	      /* in the script's text; -1 if not known */
};
/* Returns false if it is not a ScopeInfo. */
bool v8_read_scope(struct v8_heap *h, uint64_t scope_info, struct v8_scope *s);
