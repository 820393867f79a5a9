/*
 * A tree of stacks in JSON, as d3-flame-graph and FlameScope have it: `{"name":"main","value":12,"children":[...]}`,
 * or with the keys n, v, c and l. A value counts a node and all below it.
 */
#include "source/json_parts.h"

#define TITLE "a tree of stacks in JSON"

enum { MAX_DECIMALS = 6 };

struct raw_node {
	uint32_t parent; /* node 0 is nobody's child: what all trees of the file hang on */
	str_id name, module;
	struct json_decimal value;
	uint64_t below; /* sum of the children's values */
	uint8_t kind;	/* FRAME_KIND_COUNT: not said */
	bool has_value, has_children, is_inlined;
	bool is_open; /* the input ended inside it */
};

/* A frame that was made before. */
struct known_frame {
	str_id name, module;
	uint32_t kind, is_inlined;
	frame_id frame;
};

struct tree_file {
	struct json *j;
	struct profile *q;
	VEC(struct raw_node) nodes;
	uint64_t offset; /* of the first tree */
	struct event event;
	unsigned decimals;
	VEC(struct known_frame) known;
	struct index_map known_map;
};

static void tree_file_fini(struct tree_file *f)
{
	vec_fini(&f->nodes);
	vec_fini(&f->known);
	index_map_fini(&f->known_map);
	profile_unref(f->q);
}

/* --- reading --- */

static uint32_t new_node(struct tree_file *f, uint32_t parent)
{
	vec_push(&f->nodes, (struct raw_node){ .parent = parent, .kind = FRAME_KIND_COUNT });
	f->nodes.p[parent].has_children = true;
	return f->nodes.n - 1;
}

static str_id take_str(struct tree_file *f)
{
	struct str text;
	return json_string(f->j, &text) ? profile_add_str(f->q, text) : STR_NONE;
}

/* The event that our own trees name. */
static void read_ours(struct tree_file *f)
{
	struct str key;
	if (!json_object(f->j))
		return;
	while (json_key(f->j, &key)) {
		if (str_eq(key, STR("event")))
			f->event.name = take_str(f);
		else if (str_eq(key, STR("unit")))
			f->event.unit = take_str(f);
		else
			json_skip(f->j);
	}
}

static void take_value(struct tree_file *f, struct raw_node *n)
{
	if (!json_decimal(f->j, MAX_DECIMALS, &n->value))
		return;
	n->has_value = true;
	if (n->value.decimals > f->decimals)
		f->decimals = n->value.decimals;
	if (n->value.is_negative) {
		f->q->ledger.count[LEDGER_NEGATIVE] += n->value.units != 0;
		n->value.units = 0;
	}
}

/* `kernel`, `jit`, `inlined`, ...: FlameScope's libtype and our kind. */
static void take_kind(struct tree_file *f, struct raw_node *n)
{
	struct str text;
	if (!json_string(f->j, &text))
		return;
	if (str_eq(text, STR("inlined")))
		n->is_inlined = true;
	else if (text.n)
		n->kind = (uint8_t)source_kind_named(text);
}

/* The value of a key that is not children. */
static void read_property(struct tree_file *f, struct str key, uint32_t node)
{
	struct raw_node *n = &f->nodes.p[node];
	if (str_eq(key, STR("name")) || str_eq(key, STR("n")))
		n->name = take_str(f);
	else if (str_eq(key, STR("value")) || str_eq(key, STR("v")))
		take_value(f, n);
	else if (str_eq(key, STR("kind")) || str_eq(key, STR("libtype")) || str_eq(key, STR("l")))
		take_kind(f, n);
	else if (str_eq(key, STR("module")))
		n->module = take_str(f);
	else if (str_eq(key, STR("plume")) && n->parent == 0)
		read_ours(f);
	else
		json_skip(f->j);
}

/* Goes through the trees without recursion: it is inside `node`, or in the list of its children. */
static void read_nodes(struct tree_file *f)
{
	struct json *j = f->j;
	struct str key;
	bool is_list = json_peek(j) == JSON_ARRAY, has_list = is_list;
	uint32_t node = 0;
	if (is_list)
		json_array(j);
	else if (json_object(j))
		node = new_node(f, 0);
	while (!json_fault(j)) {
		if (is_list && json_element(j)) {
			is_list = json_peek(j) != JSON_OBJECT;
			if (is_list)
				json_skip(j);
			else if (json_object(j))
				node = new_node(f, node);
		} else if (is_list) {
			is_list = false;
			if (node == 0)
				break;
		} else if (json_key(j, &key)) {
			bool is_children = str_eq(key, STR("children")) || str_eq(key, STR("c"));
			if (!is_children)
				read_property(f, key, node);
			else
				is_list = json_array(j);
		} else if (!json_fault(j)) {
			node = f->nodes.p[node].parent;
			is_list = true;
			if (node == 0 && !has_list)
				break;
		}
	}
	for (; json_fault(j) && node; node = f->nodes.p[node].parent)
		f->nodes.p[node].is_open = true;
}

/* --- rows --- */

static uint64_t units_of(struct tree_file *f, const struct raw_node *n)
{
	uint64_t units = n->value.units;
	for (unsigned d = n->value.decimals; d < f->decimals; d++)
		if (__builtin_mul_overflow(units, 10u, &units)) {
			f->q->ledger.count[LEDGER_OVERFLOWS]++;
			return UINT64_MAX;
		}
	return units;
}

/* Values from the leaves up; each node's own share replaces its value. */
static void settle_values(struct tree_file *f)
{
	uint64_t *overflows = &f->q->ledger.count[LEDGER_OVERFLOWS];
	for (uint32_t i = f->nodes.n; --i;) {
		struct raw_node *n = &f->nodes.p[i];
		uint64_t value = n->has_value && !n->is_open ? units_of(f, n) : 0;
		/* No value, and 0, leave it to the children: FlameScope's root had 0. */
		if (value && value < n->below)
			source_bad_record(
				f->q, f->offset,
				"the value of '%.*s' is less than the sum of its children",
				STR_ARG(str_first(profile_str(f->q, n->name), 80)));
		if (value < n->below)
			value = n->below;
		n->value.units = value - n->below;
		struct raw_node *parent = &f->nodes.p[n->parent];
		parent->below = saturating_add(parent->below, value, overflows);
	}
}

/* The top of a tree is often no function, but a name for all of them. */
static bool is_root_name(struct str name)
{
	return name.n == 0 || str_eq(name, STR("root")) || str_eq(name, STR("all")) ||
	       str_eq(name, STR("(root)")) || str_eq(name, STR("total"));
}

struct final_node {
	node_id node;
	uint32_t depth, unknown;
};

static bool known_equal(const void *known, uint32_t i, const void *key)
{
	return memcmp((const struct known_frame *)known + i, key,
		      offsetof(struct known_frame, frame)) == 0;
}

static frame_id frame_of(struct tree_file *f, const struct raw_node *n)
{
	struct known_frame key = { n->name, n->module, n->kind, n->is_inlined, 0 };
	uint32_t hash = hash_bytes(&key, offsetof(struct known_frame, frame));
	uint32_t i = index_map_find(&f->known_map, hash, known_equal, f->known.p, &key);
	if (i != INDEX_NONE)
		return f->known.p[i].frame;
	struct named_frame frame = {
		.name = profile_str(f->q, n->name),
		.module = profile_str(f->q, n->module),
		.kind = n->kind,
		.is_inlined = n->is_inlined,
	};
	key.frame = naming_add_frame(f->q, &frame);
	index_map_add(&f->known_map, hash, f->known.n);
	vec_push(&f->known, key);
	return key.frame;
}

static struct final_node final_of(struct tree_file *f, const struct raw_node *n,
				  struct final_node parent)
{
	if (n->parent == 0 && is_root_name(profile_str(f->q, n->name)))
		return parent;
	frame_id id = frame_of(f, n);
	return (struct final_node){
		profile_add_node(f->q, parent.node, id),
		parent.depth + 1,
		parent.unknown + (f->q->frames.p[id].kind == FRAME_UNKNOWN),
	};
}

static void add_row(struct tree_file *f, event_id event, uint64_t whole, struct final_node at,
		    uint64_t value)
{
	uint64_t *ledger = f->q->ledger.count;
	profile_add_sample(f->q, &(struct sample){ .node = at.node,
						   .event = event,
						   .cpu = -1,
						   .count = value / whole,
						   .period = value });
	ledger[LEDGER_SAMPLES] =
		saturating_add(ledger[LEDGER_SAMPLES], value / whole, &ledger[LEDGER_OVERFLOWS]);
	ledger[LEDGER_NO_TIME]++;
	ledger[LEDGER_FRAMES] += at.depth;
	ledger[LEDGER_UNKNOWN_FRAMES] += at.unknown;
	ledger[LEDGER_NO_STACK] += at.depth == 0;
}

static void add_rows(struct tree_file *f)
{
	AUTO_FREE struct final_node *finals = mem_zalloc(f->nodes.n, sizeof(*finals));
	uint64_t whole = 1;
	if (!f->event.name)
		f->event.name = profile_add_str(f->q, STR("samples"));
	if (!f->event.unit)
		f->event.unit = profile_add_str(f->q, STR("samples"));
	f->event.counts_periods = f->event.has_only_sums = true;
	f->event.decimals = (uint8_t)f->decimals;
	event_id event = profile_add_event(f->q, f->event);
	for (unsigned d = 0; d < f->decimals; d++)
		whole *= 10;
	for (uint32_t i = 1; i < f->nodes.n; i++) {
		const struct raw_node *n = &f->nodes.p[i];
		finals[i] = final_of(f, n, finals[n->parent]);
		if (n->value.units || (!n->has_children && !n->is_open))
			add_row(f, event, whole, finals[i], n->value.units);
	}
}

static void json_tree_read(struct reader *r, const struct source_options *options,
			   struct profile *p)
{
	(void)options;
	AUTO(tree_file) struct tree_file f = { .j = json_new(r), .q = profile_new(p->columns) };
	vec_push(&f.nodes, (struct raw_node){ 0 });
	f.offset = json_offset(f.j);
	read_nodes(&f);
	json_at_end(f.j);
	settle_values(&f);
	if (f.nodes.n > 1)
		add_rows(&f);
	profile_merge(p, f.q);
	source_json_damage(p, r, TITLE, f.j);
	json_free(f.j);
}

static unsigned json_tree_probe(struct str head)
{
	AUTO(buf) struct buf keys = { 0 };
	source_json_keys(head, &keys);
	bool has_children = source_has_key(&keys, "children") || source_has_key(&keys, "c");
	bool has_name = source_has_key(&keys, "name") || source_has_key(&keys, "n");
	bool has_value = source_has_key(&keys, "value") || source_has_key(&keys, "v");
	if (has_children)
		return has_name && has_value ? 80 : has_name || has_value ? 70 : 50;
	return has_name && has_value ? 50 : 0;
}

const struct source_format json_tree_format = {
	.title = TITLE,
	.read = json_tree_read,
	.probe = json_tree_probe,
};
