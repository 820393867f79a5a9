#include "base/base.h"

uint32_t child_map_add_node(struct child_map *m)
{
	vec_push(&m->first, (struct first_child){ 0, 0 });
	return m->first.n - 1;
}

void child_map_init(struct child_map *m)
{
	*m = (struct child_map){ 0 };
	child_map_add_node(m);
}

void child_map_fini(struct child_map *m)
{
	vec_fini(&m->first);
	pair_map_fini(&m->others);
}

uint32_t child_map_get_other(struct child_map *m, uint32_t parent, uint32_t key)
{
	uint32_t *child = pair_map_place(&m->others, parent, key);
	if (*child == INDEX_NONE)
		*child = child_map_add_node(m);
	return *child;
}
