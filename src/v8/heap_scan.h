/* Finds objects that no known pointer leads to by scanning the heap. Bounded, and read-only. */
#pragma once
#include "base/base.h"

struct v8_process;

/* The map of maps, tagged; 0 if there is none, so this is not a V8 with that layout. */
uint64_t v8_find_metamap(struct v8_process *p);
/* The map of one of V8's internal types, tagged; 0 if not found. */
uint64_t v8_find_map(struct v8_process *p, uint64_t metamap, int32_t type);

/*
 * Calls `on` with each object that has a given map, until it returns false: the tagged address and the first words,
 * as many as could be read. The object may be dead, or the word may only look like the map.
 */
typedef bool v8_on_object(void *context, uint64_t object, const uint64_t *words, size_t n);
void v8_visit_objects(struct v8_process *p, uint64_t map, v8_on_object *on, void *context);
