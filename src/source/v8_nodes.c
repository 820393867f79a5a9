/* The nodes of a CPU profile as frames and stacks: who is whose child, and what each one is. */
#include "name/name.h"
#include "source/v8_profile_int.h"

uint32_t v8_find_node(const struct v8_profile *v, uint32_t id)
{
	return id == V8_NONE ? V8_NONE : pair_map_find(&v->by_id, id, 0);
}

static void index_ids(struct v8_profile *v, struct profile *p)
{
	pair_map_reserve(&v->by_id, v->nodes.n);
	for (uint32_t i = 0; i < v->nodes.n; i++) {
		uint32_t id = v->nodes.p[i].id;
		if (id == V8_NONE)
			continue;
		uint32_t *place = pair_map_place(&v->by_id, id, 0);
		if (*place == INDEX_NONE)
			*place = i;
		else
			source_bad_record(p, v->nodes.p[i].offset, "two nodes have the id %u", id);
	}
}

static void set_parent(struct v8_profile *v, struct profile *p, uint32_t child, uint32_t parent)
{
	struct v8_node *n = &v->nodes.p[child];
	if (n->parent == V8_NONE)
		n->parent = parent;
	else if (n->parent != parent)
		source_bad_record(p, n->offset, "node %u has two parents", n->id);
}

static void join_nodes(struct v8_profile *v, struct profile *p)
{
	for (uint32_t i = 0; i < v->edges.n; i++) {
		struct v8_edge e = v->edges.p[i];
		uint32_t child = v8_find_node(v, e.child_id);
		const struct v8_node *parent = &v->nodes.p[e.parent];
		if (child == V8_NONE)
			source_bad_record(p, parent->offset,
					  "node %u has child %u, which does not exist", parent->id,
					  e.child_id);
		else
			set_parent(v, p, child, e.parent);
	}
	for (uint32_t i = 0; i < v->nodes.n; i++) {
		const struct v8_node *n = &v->nodes.p[i];
		uint32_t parent = v8_find_node(v, n->parent_id);
		if (parent != V8_NONE)
			set_parent(v, p, i, parent);
		else if (n->parent_id != V8_NONE)
			source_bad_record(p, n->offset,
					  "node %u has parent %u, which does not exist", n->id,
					  n->parent_id);
	}
}

/* --- frames --- */

static enum frame_kind kind_by_name(struct str kind, enum frame_kind otherwise)
{
	for (enum frame_kind k = 0; k < FRAME_KIND_COUNT; k++)
		if (str_eq(kind, str_from(frame_kind_name(k))))
			return k;
	return otherwise;
}

/* `f /app/a.js:12:5`: functions of one name, or of none, differ by their place. */
static void build_name(struct buf *out, struct str name, struct str file, const struct v8_node *n)
{
	out->n = 0;
	name_tidy(name.n ? name : STR("(anonymous)"), out);
	if (!file.n)
		return;
	buf_add_char(out, ' ');
	buf_add(out, file);
	if (n->line) {
		buf_add_char(out, ':');
		buf_add_u64(out, n->line);
	}
	if (n->line && n->column) {
		buf_add_char(out, ':');
		buf_add_u64(out, n->column);
	}
}

static frame_id frame_of(struct v8_profile *v, struct profile *p, const struct v8_node *n)
{
	size_t mark_at;
	struct str name = texts_get(v->texts, n->name), file = texts_get(v->texts, n->url);
	enum frame_kind kind = frame_kind_of_v8(name, file, n->has_script);
	struct frame f = { .line = n->line,
			   .column = n->column,
			   .function_line = n->line,
			   .function_column = n->column };
	if (str_starts(file, STR("file://")))
		file = str_from_byte(file, 7);
	build_name(&v->scratch, name, file, n);
	if (n->extra) {
		const struct v8_extra *e = &v->extras.p[n->extra - 1];
		f.module = profile_add_str(p, texts_get(v->texts, e->module));
		f.flags = (uint16_t)((e->is_inlined ? FRAME_INLINED : 0) |
				     (e->is_waker ? FRAME_WAKER : 0) |
				     (e->is_marked ? FRAME_MARKED : 0));
		kind = kind_by_name(texts_get(v->texts, e->kind), kind);
		if (e->has_name) {
			v->scratch.n = 0;
			buf_add(&v->scratch, texts_get(v->texts, e->name));
		}
	}
	f.kind = (uint8_t)kind;
	f.file = f.function_file = profile_add_str(p, file);
	f.tier = (char)name_v8_tier(buf_str(&v->scratch), &mark_at);
	f.name = profile_add_str(p, buf_str(&v->scratch));
	return profile_add_frame(p, &f);
}

/* --- places --- */

/* The node below its parent, which has its place already (NULL: it has none). */
static void place_below(struct v8_profile *v, struct profile *p, struct v8_node *n,
			const struct v8_node *parent)
{
	const struct v8_extra *e = n->extra ? &v->extras.p[n->extra - 1] : NULL;
	n->state = V8_PLACED;
	if (parent) {
		n->node = parent->node;
		n->depth = parent->depth;
		n->thread = parent->thread;
		n->is_cut = parent->is_cut;
	}
	if (!parent && str_eq(texts_get(v->texts, n->name), STR("(root)")))
		return;
	if (e && e->is_gap) {
		n->is_gap = true;
	} else if (e && e->is_thread) {
		str_id comm = profile_add_str(p, texts_get(v->texts, n->name));
		n->thread = profile_add_thread(p, (struct thread){ e->pid, e->tid, comm, 0 });
	} else if (n->depth == MAX_STACK_FRAMES) {
		n->is_cut = true;
	} else {
		n->node = profile_add_node(p, n->node, frame_of(v, p, n));
		n->depth++;
	}
}

/* Climbs to an ancestor that has a place, or to a root, and gives all on the way theirs. */
static void place_node(struct v8_profile *v, struct profile *p, uint32_t i)
{
	const struct v8_node *parent;
	v->open.n = 0;
	while (i != V8_NONE && v->nodes.p[i].state == V8_UNPLACED) {
		v->nodes.p[i].state = V8_CLIMBING;
		vec_push(&v->open, i);
		i = v->nodes.p[i].parent;
	}
	if (i != V8_NONE && v->nodes.p[i].state == V8_CLIMBING) {
		source_bad_record(p, v->nodes.p[i].offset, "node %u is its own ancestor",
				  v->nodes.p[i].id);
		i = V8_NONE;
	}
	parent = i == V8_NONE ? NULL : &v->nodes.p[i];
	while (v->open.n) {
		struct v8_node *n = &v->nodes.p[v->open.p[--v->open.n]];
		place_below(v, p, n, parent);
		parent = n;
	}
}

void v8_place_nodes(struct v8_profile *v, struct profile *p, thread_id thread)
{
	index_ids(v, p);
	join_nodes(v, p);
	for (uint32_t i = 0; i < v->nodes.n; i++)
		v->nodes.p[i].thread = thread;
	for (uint32_t i = 0; i < v->nodes.n; i++)
		place_node(v, p, i);
}
