#include "query/layout.h"

/* A frame, or one of the two parts that lines of text break it into. */
struct part {
	uint32_t node;
	bool has_self, has_below;
};

struct pending {
	struct part part;
	uint64_t start, value;
};

struct placing {
	const struct tree *t;
	const struct layout_query *q;
	struct layout *out;
	VEC(struct pending) pending; /* boxes to place, next one last */
	VEC(struct part) parts;	     /* children of the box at hand */
};

/* The byte at `at` of the part's first line: its name, then ` 12` or `;callee`. */
static int byte_of_line(const struct tree *t, const struct part *p, size_t at)
{
	struct str name = tree_label_of(t, p->node)->name;
	if (at < name.n)
		return (unsigned char)name.p[at];
	if (!p->has_self)
		return ';';
	if (at == name.n)
		return ' ';
	uint64_t count = t->self[0][p->node];
	for (unsigned d = 0; d < t->decimals; d++)
		count /= 10;
	while (count >= 10)
		count /= 10;
	return '0' + (int)count;
}

/*
 * Lines in bytewise order: `f 1` stands before `f(int) 1`, which stands before `f;g 1`. So what
 * follows a name counts: a space when the part has a line of its own, else the ';' of the lines
 * below it.
 */
static int compare_parts(const void *a, const void *b, void *tree)
{
	const struct part *x = a, *y = b;
	struct str p = tree_label_of(tree, x->node)->name, q = tree_label_of(tree, y->node)->name;
	size_t n = p.n < q.n ? p.n : q.n;
	int order = n ? memcmp(p.p, q.p, n) : 0;
	if (order)
		return order;
	for (size_t i = 0; i < 2; i++) {
		int next_p = byte_of_line(tree, x, n + i), next_q = byte_of_line(tree, y, n + i);
		if (next_p != next_q)
			return next_p - next_q;
	}
	return (x->node > y->node) - (x->node < y->node);
}

/* Names are in order already; only one that begins with the one before it can be out of place. */
static bool may_be_unordered(const struct placing *l, uint32_t child, uint32_t parent_end)
{
	uint32_t next = l->t->end[child];
	return next < parent_end &&
	       str_starts(tree_label_of(l->t, next)->name, tree_label_of(l->t, child)->name);
}

static void join_neighbours(struct placing *l)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < l->parts.n; i++) {
		struct part *last = n ? &l->parts.p[n - 1] : NULL, part = l->parts.p[i];
		if (last && last->node == part.node) {
			last->has_self |= part.has_self;
			last->has_below |= part.has_below;
		} else {
			l->parts.p[n++] = part;
		}
	}
	l->parts.n = n;
}

/* What is on a small node may have been left out of the tree. */
static bool has_callees(const struct placing *l, uint32_t node)
{
	return l->t->end[node] > node + 1 || l->q->total[node] > l->q->self[node];
}

static void list_children(struct placing *l, uint32_t node)
{
	const struct tree *t = l->t;
	uint32_t end = t->end[node];
	bool is_ordered = true;
	l->parts.n = 0;
	for (uint32_t child = node + 1; child < end; child = t->end[child]) {
		bool has_self = t->own_stacks[child] > 0, has_below = has_callees(l, child);
		if (l->q->splits_as_lines && !t->start && has_self && has_below) {
			vec_push(&l->parts, (struct part){ child, true, false });
			vec_push(&l->parts, (struct part){ child, false, true });
		} else {
			vec_push(&l->parts, (struct part){ child, has_self, has_below });
		}
		is_ordered = is_ordered && !may_be_unordered(l, child, end);
	}
	if (!is_ordered && !t->start)
		qsort_r(l->parts.p, l->parts.n, sizeof(*l->parts.p), compare_parts, (void *)t);
	if (l->q->splits_as_lines)
		join_neighbours(l);
}

static uint64_t self_of(const struct placing *l, struct part p)
{
	return p.has_self ? l->q->self[p.node] : 0;
}

static uint64_t value_of(const struct placing *l, struct part p)
{
	uint64_t self = l->q->self[p.node], total = l->q->total[p.node];
	if (!p.has_self)
		return total - self;
	return p.has_below ? total : self;
}

/* Sums that were held at their largest value must not leave their parent. */
static uint64_t at_most(uint64_t value, uint64_t room)
{
	return value < room ? value : room;
}

static void place_children(struct placing *l, uint32_t node, uint64_t start, uint64_t end)
{
	list_children(l, node);
	uint32_t first = l->pending.n;
	for (uint32_t i = 0; i < l->parts.n; i++) {
		struct part part = l->parts.p[i];
		if (l->t->start)
			start = at_most(l->t->start[part.node], end);
		uint64_t value = at_most(value_of(l, part), end - start);
		if ((double)value < l->q->min_value)
			l->out->narrow += part.has_below ? l->t->end[part.node] - part.node : 1;
		else
			vec_push(&l->pending, (struct pending){ part, start, value });
		start += value;
	}
	for (uint32_t i = first, k = l->pending.n; i + 1 < k; i++) { /* next one last */
		struct pending swap = l->pending.p[i];
		l->pending.p[i] = l->pending.p[--k];
		l->pending.p[k] = swap;
	}
}

void layout_tree(const struct tree *t, const struct layout_query *q, struct layout *out)
{
	struct placing l = { .t = t, .q = q, .out = out };
	*out = (struct layout){ .total = q->total[0], .narrow = t->left_out };
	vec_push(&l.pending, (struct pending){ { 0, true, true }, 0, q->total[0] });
	while (l.pending.n) {
		struct pending at = l.pending.p[--l.pending.n];
		struct box box = { .node = at.part.node,
				   .depth = t->depth[at.part.node],
				   .has_self = at.part.has_self,
				   .start = at.start,
				   .value = at.value,
				   .self = at_most(self_of(&l, at.part), at.value) };
		vec_push(&out->boxes, box);
		if (box.depth > out->max_depth)
			out->max_depth = box.depth;
		if (at.part.has_below)
			place_children(&l, box.node, box.start + box.self, box.start + box.value);
	}
	vec_fini(&l.pending);
	vec_fini(&l.parts);
}

void layout_fini(struct layout *l)
{
	vec_fini(&l->boxes);
}
