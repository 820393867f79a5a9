#include "model/model.h"

struct tree *tree_new(void)
{
	return mem_zalloc(1, sizeof(struct tree));
}

void tree_alloc_nodes(struct tree *t, uint32_t n, unsigned value_count)
{
	t->n = n;
	t->value_count = value_count;
	t->label = mem_zalloc(n, sizeof(*t->label));
	t->depth = mem_zalloc(n, sizeof(*t->depth));
	t->end = mem_zalloc(n, sizeof(*t->end));
	t->own_stacks = mem_zalloc(n, sizeof(*t->own_stacks));
	for (unsigned v = 0; v < value_count; v++) {
		t->self[v] = mem_zalloc(n, sizeof(*t->self[v]));
		t->total[v] = mem_zalloc(n, sizeof(*t->total[v]));
	}
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	free(t->label);
	free(t->depth);
	free(t->end);
	free(t->own_stacks);
	free(t->start);
	if (t->rows) {
		free(t->rows->label);
		free(t->rows->node);
		free(t->rows->weight);
		free(t->rows->fate);
		free(t->rows->of_frame);
		free(t->rows);
	}
	for (unsigned v = 0; v < t->value_count; v++) {
		free(t->self[v]);
		free(t->total[v]);
	}
	if (!t->borrows_labels)
		vec_fini(&t->labels);
	arena_fini(&t->text);
	free(t);
}
