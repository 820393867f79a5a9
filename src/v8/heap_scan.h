/* Objects that nothing at hand leads to: found by looking at all of the heap. Bounded, and only reads. */
#pragma once
#include "base/base.h"

struct v8_process;

/* The map of maps, tagged; 0: there is none, so this is no V8 of that layout. */
uint64_t v8_find_metamap(struct v8_process *p);
/* The map that objects of one of V8's own types have, tagged; 0: it was not found. */
uint64_t v8_find_map(struct v8_process *p, uint64_t metamap, int32_t type);

/*
 * Calls with each object of a map, until false: its address, tagged, and its first words, as many as were
 * read. It may be dead, and the word may be something else that looks like the map.
 */
typedef bool v8_on_object(void *context, uint64_t object, const uint64_t *words, size_t n);
void v8_visit_objects(struct v8_process *p, uint64_t map, v8_on_object *on, void *context);
