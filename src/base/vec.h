/* Growing arrays of any type: `VEC(uint32_t) ids = {0}; vec_push(&ids, 7); ids.p[0]; vec_fini(&ids);` */
#pragma once
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *p;                                                                           \
		uint32_t n, capacity;                                                              \
	}

/* Makes room for `room` elements in total. Ids are 32 bits, so a vector that would outgrow them aborts. */
void *vec_grow(void *p, uint32_t *capacity, uint64_t room, size_t element_size);

#define vec_reserve(v, room)                                                                       \
	do {                                                                                       \
		if ((uint64_t)(room) > (v)->capacity)                                              \
			(v)->p = vec_grow((v)->p, &(v)->capacity, (room), sizeof(*(v)->p));        \
	} while (0)

#define vec_push(v, ...)                                                                           \
	do {                                                                                       \
		vec_reserve((v), (uint64_t)(v)->n + 1);                                            \
		(v)->p[(v)->n++] = (__VA_ARGS__);                                                  \
	} while (0)

#define vec_fini(v)                                                                                \
	do {                                                                                       \
		free((v)->p);                                                                      \
		(v)->p = NULL;                                                                     \
		(v)->n = (v)->capacity = 0;                                                        \
	} while (0)
