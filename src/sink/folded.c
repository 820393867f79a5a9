#include "sink/sink.h"

/*
 * Bytewise order of whole stacks is nearly the tree's preorder. Not quite: between `p;f 1` and
 * `p;f;g 1` belongs `p;f(int) 1`, as '(' is less than ';'. So a node's own line and the lines below
 * it are two items that are ordered on their own.
 */
struct item {
	uint32_t node;
	bool is_below; /* the lines below the node, which begin `name;`; else the node's own line */
};

struct fold {
	const struct tree *tree;
	struct writer *out;
	struct buf line; /* the path of the item at hand */
	VEC(uint32_t)
	path_bytes; /* [depth]: length of the path of the open node there, with its ';' */
	VEC(struct item) items; /* to do, last first */
};

static struct str name_of(const struct tree *t, uint32_t node)
{
	return t->labels.p[t->label[node]].name;
}

static int compare_items(const void *a, const void *b, void *tree)
{
	const struct item *x = a, *y = b;
	struct str p = name_of(tree, x->node), q = name_of(tree, y->node);
	size_t n = p.n < q.n ? p.n : q.n;
	int order = n ? memcmp(p.p, q.p, n) : 0;
	if (order)
		return order;
	/* What follows the common part: the rest of the name, a ';', or the end of the stack. */
	int next_p = p.n > n ? (unsigned char)p.p[n] : x->is_below ? ';' : -1;
	int next_q = q.n > n ? (unsigned char)q.p[n] : y->is_below ? ';' : -1;
	return next_p - next_q;
}

/* Puts the items of a node's children on the list, so that the first one comes off first. */
static void push_children(struct fold *f, uint32_t node)
{
	const struct tree *t = f->tree;
	uint32_t start = f->items.n;
	bool is_ordered = true;
	for (uint32_t child = node + 1; child < t->end[node]; child = t->end[child]) {
		if (t->own_stacks[child])
			vec_push(&f->items, (struct item){ child, false });
		if (t->end[child] > child + 1)
			vec_push(&f->items, (struct item){ child, true });
		uint32_t next = t->end[child];
		if (next < t->end[node] && str_starts(name_of(t, next), name_of(t, child)))
			is_ordered = false;
	}
	uint32_t n = f->items.n - start;
	if (n == 0)
		return;
	struct item *items = f->items.p + start;
	if (!is_ordered)
		qsort_r(items, n, sizeof(*items), compare_items, (void *)t);
	for (uint32_t i = 0; i < n / 2; i++) {
		struct item swap = items[i];
		items[i] = items[n - 1 - i];
		items[n - 1 - i] = swap;
	}
}

static void write_line(struct fold *f, uint32_t node)
{
	for (unsigned v = 0; v < f->tree->value_count; v++) {
		buf_add_char(&f->line, ' ');
		buf_add_decimal(&f->line, f->tree->self[v][node], f->tree->decimals);
	}
	buf_add_char(&f->line, '\n');
	writer_add(f->out, buf_str(&f->line));
}

void sink_folded(const struct tree *tree, struct writer *out)
{
	struct fold f = { .tree = tree, .out = out };
	vec_push(&f.path_bytes, 0);
	push_children(&f, 0);
	while (f.items.n && writer_is_healthy(out)) {
		struct item item = f.items.p[--f.items.n];
		uint32_t depth = tree->depth[item.node];
		f.line.n = f.path_bytes.p[depth - 1];
		buf_add(&f.line, name_of(tree, item.node));
		if (!item.is_below) {
			write_line(&f, item.node);
			continue;
		}
		buf_add_char(&f.line, ';');
		f.path_bytes.n = depth;
		vec_push(&f.path_bytes, (uint32_t)f.line.n);
		push_children(&f, item.node);
	}
	buf_fini(&f.line);
	vec_fini(&f.path_bytes);
	vec_fini(&f.items);
}

static void write_tree(const struct tree *t, const struct profile *p,
		       const struct query_ledger *ledger, struct writer *out)
{
	(void)p;
	(void)ledger;
	sink_folded(t, out);
}

const struct profile_format folded_sink = {
	.name = "folded",
	.title = "folded stacks",
	.endings = { ".folded" },
	.write_tree = write_tree,
};
