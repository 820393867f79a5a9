#include "base/base.h"

void *vec_grow(void *p, uint32_t *capacity, uint64_t room, size_t element_size)
{
	uint64_t target = *capacity + *capacity / 2 + 16;
	if (target < room)
		target = room;
	if (target > UINT32_MAX)
		target = UINT32_MAX;
	if (room > target)
		return mem_alloc(SIZE_MAX, 2); /* more elements than ids: the out-of-memory exit */
	*capacity = (uint32_t)target;
	return mem_realloc(p, target, element_size);
}
