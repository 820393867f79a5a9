/*
 * Objects of V8's heap in another process's memory. Words are tagged: a small integer has the lowest bit 0
 * and its value in the upper half; a pointer has 01, a weak one 11, behind which is the object, which begins
 * with its map, which has its type. Anything may have been collected and overwritten meanwhile: each look
 * begins with the type.
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

/* How often so far something was not there: where it grows, what was read meanwhile may be half. */
static inline uint64_t v8_failures(const struct v8_heap *h)
{
	return h->memory->failed + h->strays;
}

/* The type that a map gives its objects. V8_NO_TYPE: it is no map. */
int32_t v8_type_of_map(struct v8_heap *h, uint64_t map);
/* The type of an object, strong or weak. V8_NO_TYPE: it is none. */
int32_t v8_type_of(struct v8_heap *h, uint64_t word);
/* A field of an object. */
bool v8_read_word(struct v8_heap *h, uint64_t object, int32_t offset, uint64_t *word);
bool v8_read(struct v8_heap *h, uint64_t object, int32_t offset, void *to, size_t n);
/* The length of an array of any kind. False: it is none, or longer than most. */
bool v8_array_length(struct v8_heap *h, uint64_t array, uint32_t most, uint32_t *length);

/* --- strings (string.c) --- */

static inline bool v8_is_string_type(const struct v8_heap *h, int32_t type)
{
	return type >= 0 && type < h->layout->value[V8_FIRST_NONSTRING_TYPE];
}
/* Adds it in UTF-8, up to so many characters. False: it is none, or is not whole; some may be added. */
bool v8_read_string(struct v8_heap *h, uint64_t string, uint32_t most, struct buf *out);
/*
 * Calls with its characters in pieces, in order, until false. False: it is none, has more than `most`, or a
 * part of it is gone.
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
	uint64_t name, inferred_name; /* tagged; 0: none */
	int32_t start, end;	      /* in the script's text; -1: not known */
};
/* False: it is none. */
bool v8_read_scope(struct v8_heap *h, uint64_t scope_info, struct v8_scope *s);
