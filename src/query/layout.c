#include "query/layout.h"

struct pending {
	uint32_t node;
	uint64_t start, value;
};

struct placing {
	const struct tree *t;
	const struct layout_query *q;
	struct layout *out;
	VEC(struct pending) pending; /* boxes to place, the next one last */
	VEC(uint32_t) children;	     /* of the current box */
};

/*
 * Lines in bytewise order: `f 1` is before `f(int) 1`, which is before `f;g 1`. So what follows a
 * name counts: a space if the frame has its own line, otherwise the ';' of the lines below it.
 */
static int compare_lines(const void *a, const void *b, void *tree)
{
	const struct tree *t = tree;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	struct str p = tree_label_of(t, x)->name, q = tree_label_of(t, y)->name;
	size_t n = p.n < q.n ? p.n : q.n;
	int order = n ? memcmp(p.p, q.p, n) : 0;
	if (order)
		return order;
	int next_p = p.n > n ? (unsigned char)p.p[n] : t->own_stacks[x] ? ' ' : ';';
	int next_q = q.n > n ? (unsigned char)q.p[n] : t->own_stacks[y] ? ' ' : ';';
	if (next_p != next_q)
		return next_p - next_q;
	return (x > y) - (x < y);
}

/* Names are already sorted; only one that begins with the previous one can be out of place. */
static bool may_be_unordered(const struct tree *t, uint32_t child, uint32_t parent_end)
{
	uint32_t next = t->end[child];
	return next < parent_end &&
	       str_starts(tree_label_of(t, next)->name, tree_label_of(t, child)->name);
}

static void list_children(struct placing *l, uint32_t node)
{
	const struct tree *t = l->t;
	uint32_t end = t->end[node];
	bool is_ordered = true;
	l->children.n = 0;
	for (uint32_t child = node + 1; child < end; child = t->end[child]) {
		vec_push(&l->children, child);
		is_ordered = is_ordered && !may_be_unordered(t, child, end);
	}
	if (!is_ordered && !t->start)
		qsort_r(l->children.p, l->children.n, sizeof(uint32_t), compare_lines, (void *)t);
}

/* Sums clamped to the largest value must not exceed their parent. */
static uint64_t at_most(uint64_t value, uint64_t room)
{
	return value < room ? value : room;
}

static void place_children(struct placing *l, uint32_t node, uint64_t start, uint64_t end)
{
	list_children(l, node);
	uint32_t first = l->pending.n;
	for (uint32_t i = 0; i < l->children.n; i++) {
		uint32_t child = l->children.p[i];
		if (l->t->start)
			start = at_most(l->t->start[child], end);
		uint64_t value = at_most(l->q->total[child], end - start);
		if ((double)value < l->q->min_value)
			l->out->narrow += l->t->end[child] - child;
		else
			vec_push(&l->pending, (struct pending){ child, start, value });
		start += value;
	}
	for (uint32_t i = first, k = l->pending.n; i + 1 < k; i++) { /* the next one last */
		struct pending swap = l->pending.p[i];
		l->pending.p[i] = l->pending.p[--k];
		l->pending.p[k] = swap;
	}
}

void layout_tree(const struct tree *t, const struct layout_query *q, struct layout *out)
{
	struct placing l = { .t = t, .q = q, .out = out };
	*out = (struct layout){ .total = q->total[0], .narrow = t->left_out };
	vec_push(&l.pending, (struct pending){ 0, 0, q->total[0] });
	while (l.pending.n) {
		struct pending at = l.pending.p[--l.pending.n];
		struct box box = { .node = at.node,
				   .depth = t->depth[at.node],
				   .start = at.start,
				   .value = at.value,
				   .self = at_most(q->self[at.node], at.value) };
		vec_push(&out->boxes, box);
		if (box.depth > out->max_depth)
			out->max_depth = box.depth;
		place_children(&l, box.node, box.start + box.self, box.start + box.value);
	}
	vec_fini(&l.pending);
	vec_fini(&l.children);
}

void layout_fini(struct layout *l)
{
	vec_fini(&l->boxes);
}
