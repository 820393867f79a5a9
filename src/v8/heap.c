#include "v8/heap.h"

static unsigned slot_of(uint64_t map)
{
	return (unsigned)((map >> 3) * 0x9E3779B97F4A7C15ull >> 54) % V8_TYPES_KEPT;
}

/* The map's own map must say that it is a map. */
static int32_t read_type(struct v8_heap *h, uint64_t map)
{
	int32_t at = v8_get(h->layout, V8_MAP_INSTANCE_TYPE);
	uint64_t meta = 0;
	uint16_t type = 0, meta_type = 0;
	if (!memory_read(h->memory, v8_address(map), &meta, sizeof(meta)) || !v8_is_pointer(meta) ||
	    !memory_read(h->memory, v8_address(meta) + (uint64_t)at, &meta_type,
			 sizeof(meta_type)) ||
	    meta_type != v8_get(h->layout, V8_TYPE_MAP) ||
	    !memory_read(h->memory, v8_address(map) + (uint64_t)at, &type, sizeof(type)))
		return V8_NO_TYPE;
	return type;
}

int32_t v8_type_of_map(struct v8_heap *h, uint64_t map)
{
	if (!v8_is_pointer(map)) {
		h->strays++;
		return V8_NO_TYPE;
	}
	unsigned slot = slot_of(map);
	if (h->types[slot].map == map)
		return h->types[slot].type;
	int32_t type = read_type(h, map);
	/* What is no map now may be one later. */
	if (type == V8_NO_TYPE) {
		h->strays++;
		return type;
	}
	h->types[slot].map = map;
	h->types[slot].type = type;
	return type;
}

int32_t v8_type_of(struct v8_heap *h, uint64_t word)
{
	uint64_t map;
	if (!(word & 1) || !memory_read(h->memory, v8_address(word), &map, sizeof(map)))
		return V8_NO_TYPE;
	return v8_type_of_map(h, map);
}

bool v8_read(struct v8_heap *h, uint64_t object, int32_t offset, void *to, size_t n)
{
	return (object & 1) &&
	       memory_read(h->memory, v8_address(object) + (uint64_t)(int64_t)offset, to, n);
}

bool v8_read_word(struct v8_heap *h, uint64_t object, int32_t offset, uint64_t *word)
{
	return v8_read(h, object, offset, word, sizeof(*word));
}

bool v8_array_length(struct v8_heap *h, uint64_t array, uint32_t most, uint32_t *length)
{
	uint64_t word;
	if (!v8_read_word(h, array, v8_get(h->layout, V8_ARRAY_LENGTH), &word) ||
	    !v8_is_smi(word) || v8_smi(word) < 0 || (uint32_t)v8_smi(word) > most)
		return false;
	*length = (uint32_t)v8_smi(word);
	return true;
}
