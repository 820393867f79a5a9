/* Merges two trees into one with two values. Both have their siblings in name order. */
#include "query/diff.h"
#include "query/shown_name.h"

/* Children of one node still to be merged, on both sides; at == end: none left on that side. */
struct level {
	uint32_t at[SIDES], end[SIDES];
};

struct merge {
	const struct tree *side[SIDES];
	struct tree *out;
	struct index_map map;	   /* by name and kind, over out->labels */
	uint32_t *label_of[SIDES]; /* label of a side to label of out */
	uint64_t scale[SIDES];	   /* to the finer decimals of the two */
	uint32_t n;
	VEC(struct level) levels;
	VEC(uint32_t) open; /* nodes of out whose subtrees are being merged */
};

static bool label_equal(const void *labels, uint32_t i, const void *key)
{
	const struct tree_label *a = (const struct tree_label *)labels + i, *b = key;
	return a->kind == b->kind && str_eq(a->name, b->name);
}

static void add_labels(struct merge *m, unsigned side)
{
	const struct tree *t = m->side[side];
	m->label_of[side] = mem_alloc(t->labels.n, sizeof(uint32_t));
	for (uint32_t i = 0; i < t->labels.n; i++) {
		struct tree_label label = t->labels.p[i];
		uint32_t hash = hash_str(label.name);
		uint32_t known =
			index_map_find(&m->map, hash, label_equal, m->out->labels.p, &label);
		if (known == INDEX_NONE) {
			label_copy_text(&label, &m->out->text);
			known = m->out->labels.n;
			index_map_add(&m->map, hash, known);
			vec_push(&m->out->labels, label);
		}
		m->label_of[side][i] = known;
	}
}

static uint64_t scaled(uint64_t value, uint64_t by)
{
	return __builtin_mul_overflow(value, by, &value) ? UINT64_MAX : value;
}

static void place_side(struct merge *m, unsigned side, uint32_t from, uint32_t to)
{
	const struct tree *t = m->side[side];
	m->out->label[to] = m->label_of[side][t->label[from]];
	m->out->self[side][to] = scaled(t->self[0][from], m->scale[side]);
	m->out->total[side][to] = scaled(t->total[0][from], m->scale[side]);
	m->out->own_stacks[to] += t->own_stacks[from];
}

/* nodes[side] is INDEX_NONE if that side does not have it. */
static void open_node(struct merge *m, const uint32_t *nodes)
{
	struct level below = { 0 };
	m->out->depth[m->n] = m->open.n;
	for (unsigned side = 0; side < SIDES; side++) {
		if (nodes[side] == INDEX_NONE)
			continue;
		place_side(m, side, nodes[side], m->n);
		below.at[side] = nodes[side] + 1;
		below.end[side] = m->side[side]->end[nodes[side]];
	}
	vec_push(&m->open, m->n);
	vec_push(&m->levels, below);
	m->n++;
}

static int compare_heads(const struct merge *m, const struct level *l)
{
	const struct tree_label *a = tree_label_of(m->side[BEFORE], l->at[BEFORE]);
	const struct tree_label *b = tree_label_of(m->side[AFTER], l->at[AFTER]);
	int order = str_compare(a->name, b->name);
	return order ? order : a->kind - b->kind;
}

/* Takes the next child, from one side or both. Returns false if there is none. */
static bool take_next(struct merge *m, struct level *l, uint32_t *nodes)
{
	bool has_before = l->at[BEFORE] < l->end[BEFORE], has_after = l->at[AFTER] < l->end[AFTER];
	int order = has_before && has_after ? compare_heads(m, l) : has_before ? -1 : 1;
	nodes[BEFORE] = nodes[AFTER] = INDEX_NONE;
	if (has_before && order <= 0) {
		nodes[BEFORE] = l->at[BEFORE];
		l->at[BEFORE] = m->side[BEFORE]->end[l->at[BEFORE]];
	}
	if (has_after && order >= 0) {
		nodes[AFTER] = l->at[AFTER];
		l->at[AFTER] = m->side[AFTER]->end[l->at[AFTER]];
	}
	return has_before || has_after;
}

static void merge_nodes(struct merge *m)
{
	const uint32_t roots[SIDES] = { 0, 0 };
	uint32_t nodes[SIDES];
	open_node(m, roots);
	while (m->open.n) {
		if (take_next(m, &m->levels.p[m->levels.n - 1], nodes)) {
			open_node(m, nodes);
			continue;
		}
		m->out->end[m->open.p[--m->open.n]] = m->n;
		m->levels.n--;
	}
	m->out->n = m->n;
}

struct tree *tree_pair(const struct tree *before, const struct tree *after)
{
	struct merge m = { .side = { before, after }, .out = tree_new() };
	unsigned decimals = before->decimals > after->decimals ? before->decimals : after->decimals;
	m.out->decimals = decimals;
	tree_alloc_nodes(m.out, before->n + after->n, SIDES);
	for (unsigned side = 0; side < SIDES; side++) {
		m.scale[side] = tree_unit(m.out) / tree_unit(m.side[side]);
		add_labels(&m, side);
	}
	merge_nodes(&m);
	for (unsigned side = 0; side < SIDES; side++)
		free(m.label_of[side]);
	index_map_fini(&m.map);
	vec_fini(&m.levels);
	vec_fini(&m.open);
	return m.out;
}
