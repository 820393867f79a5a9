/* Folds recursion: makes a tree in which no function is below itself. */
#include "query/query_int.h"
#include "query/report.h"

struct folding {
	const struct tree *from;
	struct growth g;
	uint8_t *rank;		/* by label */
	uint32_t *place;	/* by node of `from` */
	uint32_t *open_count;	/* by label: number of its frames above the current node */
	struct frame_path open; /* nodes of `from` above the current one, root first */
};

/*
 * Glue is between functions that are otherwise unrelated: interpreters between the functions of a
 * script, trampolines between those of a virtual machine. Returning to such a frame is not
 * recursion if something more interesting is in between.
 */
static uint8_t rank_of(const struct tree_label *l)
{
	static const uint8_t ranks[CATEGORY_COUNT] = {
		[CATEGORY_UNKNOWN] = 0, [CATEGORY_PROCESS] = 0, [CATEGORY_BUILTIN] = 1,
		[CATEGORY_GC] = 2,	[CATEGORY_KERNEL] = 2,	[CATEGORY_NATIVE] = 2,
		[CATEGORY_RUNTIME] = 2, [CATEGORY_REGEXP] = 2,	[CATEGORY_DEPENDENCY] = 3,
		[CATEGORY_APP] = 4,
	};
	return ranks[category_of_label(l)];
}

/* The node at or above `at` that label returns to; INDEX_NONE if none. */
static uint32_t find_loop(const struct folding *f, uint32_t at, uint32_t label)
{
	enum { MOST_STEPS = 4096 }; /* or deep stacks with many ends would be quadratic */
	const struct growing_node *nodes = f->g.nodes.p;
	uint8_t rank = f->rank[label];
	if (rank == 0 || !f->open_count[label])
		return rank == 0 && nodes[at].label == label ? at : INDEX_NONE;
	for (unsigned steps = 0; at && steps < MOST_STEPS; steps++, at = nodes[at].parent) {
		if (nodes[at].label == label)
			return at;
		if (f->rank[nodes[at].label] > rank)
			return INDEX_NONE;
	}
	return INDEX_NONE;
}

static uint32_t place_of(struct folding *f, uint32_t parent, uint32_t label)
{
	uint32_t loop = find_loop(f, parent, label);
	if (loop != INDEX_NONE) {
		f->g.tree->labels.p[label].is_recursive |= f->rank[label] > 0;
		return loop;
	}
	uint32_t node = child_map_get(&f->g.map, parent, label);
	if (node == f->g.nodes.n)
		growth_add_node(&f->g, parent, label);
	return node;
}

static void folding_init(struct folding *f, const struct tree *from)
{
	static const struct query plain = { 0 };
	struct tree *t = tree_new();
	*f = (struct folding){ .from = from };
	f->rank = mem_alloc(from->labels.n, 1);
	f->place = mem_alloc(from->n, sizeof(*f->place));
	f->open_count = mem_zalloc(from->labels.n, sizeof(*f->open_count));
	for (uint32_t i = 0; i < from->labels.n; i++) {
		vec_push(&t->labels, from->labels.p[i]);
		f->rank[i] = rank_of(&from->labels.p[i]);
	}
	f->g = (struct growth){
		.q = &plain, .tree = t, .value_count = 1, .decimals = from->decimals
	};
	child_map_init(&f->g.map);
	growth_add_node(&f->g, 0, from->label[0]);
	f->place[0] = 0;
}

struct tree *tree_without_loops(const struct tree *from)
{
	struct folding f;
	folding_init(&f, from);
	vec_push(&f.open, 0);
	for (uint32_t i = 1; i < from->n; i++) {
		while (i >= from->end[f.open.p[f.open.n - 1]])
			f.open_count[from->label[f.open.p[--f.open.n]]]--;
		uint32_t at = place_of(&f, f.place[f.open.p[f.open.n - 1]], from->label[i]);
		f.place[i] = at;
		uint64_t *self = &f.g.self[0].p[at];
		*self = saturating_add(*self, from->self[0][i], &f.g.overflows);
		f.g.own_stacks.p[at] += from->own_stacks[i];
		f.open_count[from->label[i]]++;
		vec_push(&f.open, i);
	}
	growth_sum_totals(&f.g);
	growth_order(&f.g);
	child_map_fini(&f.g.map);
	vec_fini(&f.g.nodes);
	vec_fini(&f.g.self[0]);
	free(f.g.total[0]);
	vec_fini(&f.g.own_stacks);
	vec_fini(&f.open);
	free(f.rank);
	free(f.place);
	free(f.open_count);
	return f.g.tree;
}
