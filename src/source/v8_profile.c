/* Nodes, samples and times of a CPU profile, read from JSON. */
#include "source/v8_profile_int.h"

void v8_profile_init(struct v8_profile *v, struct texts *texts)
{
	*v = (struct v8_profile){ .texts = texts };
}

void v8_profile_fini(struct v8_profile *v)
{
	vec_fini(&v->nodes);
	vec_fini(&v->edges);
	vec_fini(&v->extras);
	vec_fini(&v->samples);
	vec_fini(&v->times_ns);
	vec_fini(&v->counts);
	vec_fini(&v->periods);
	vec_fini(&v->open);
	pair_map_fini(&v->by_id);
	buf_fini(&v->scratch);
}

void v8_profile_clear(struct v8_profile *v)
{
	v->nodes.n = v->edges.n = v->extras.n = v->samples.n = v->times_ns.n = 0;
	v->has_start = v->has_end = false;
}

#define append_all(to, from)                                                                       \
	do {                                                                                       \
		vec_reserve((to), (uint64_t)(to)->n + (from)->n);                                  \
		if ((from)->n)                                                                     \
			memcpy((to)->p + (to)->n, (from)->p, (from)->n * sizeof(*(from)->p));      \
		(to)->n += (from)->n;                                                              \
	} while (0)

void v8_profile_append(struct v8_profile *v, const struct v8_profile *chunk)
{
	uint32_t first = v->nodes.n, first_edge = v->edges.n;
	append_all(&v->nodes, &chunk->nodes);
	append_all(&v->edges, &chunk->edges);
	append_all(&v->samples, &chunk->samples);
	append_all(&v->times_ns, &chunk->times_ns);
	for (uint32_t i = first; i < v->nodes.n; i++) {
		v->nodes.p[i].extra = 0;
		if (v->nodes.p[i].parent != V8_NONE)
			v->nodes.p[i].parent += first;
	}
	for (uint32_t i = first_edge; i < v->edges.n; i++)
		v->edges.p[i].parent += first;
	if (chunk->has_start) {
		v->has_start = true;
		v->start_ns = chunk->start_ns;
	}
	if (chunk->has_end) {
		v->has_end = true;
		v->end_ns = chunk->end_ns;
	}
	if (!v->samples_offset)
		v->samples_offset = chunk->samples_offset;
}

/* --- nodes --- */

bool v8_read_text(struct v8_profile *v, struct json *j, text_id *id)
{
	struct str text;
	if (!json_string(j, &text))
		return false;
	*id = texts_add(v->texts, text);
	return true;
}

/* A line or column, `from` 0 or 1. */
static void read_place(struct json *j, int from, uint32_t *place)
{
	int64_t number;
	if (json_number(j, 0, &number) && number >= from && number < UINT32_MAX)
		*place = (uint32_t)(number + 1 - from);
}

bool v8_read_id(struct json *j, uint32_t *id)
{
	int64_t number;
	bool ok = json_number(j, 0, &number) && number >= 0 && number < V8_NONE;
	*id = ok ? (uint32_t)number : V8_NONE;
	return ok;
}

/* `"0"` or 0 is no script. */
static bool read_script(struct json *j)
{
	struct str text;
	int64_t number;
	if (json_peek(j) != JSON_STRING)
		return json_number(j, 0, &number) && number != 0;
	return json_string(j, &text) && text.n && !str_eq(text, STR("0"));
}

/* Keys that name a function: in `callFrame`, counted from 0, or in an old node, from 1. */
static bool read_function_key(struct v8_profile *v, struct json *j, struct v8_node *n,
			      struct str key, int from)
{
	if (str_eq(key, STR("functionName")))
		v8_read_text(v, j, &n->name);
	else if (str_eq(key, STR("url")))
		v8_read_text(v, j, &n->url);
	else if (str_eq(key, STR("scriptId")))
		n->has_script = read_script(j);
	else if (str_eq(key, STR("lineNumber")))
		read_place(j, from, &n->line);
	else if (str_eq(key, STR("columnNumber")))
		read_place(j, from, &n->column);
	else
		return false;
	return true;
}

static void read_call_frame(struct v8_profile *v, struct json *j, struct v8_node *n)
{
	struct str key;
	if (json_object(j))
		while (json_key(j, &key))
			if (!read_function_key(v, j, n, key, 0))
				json_skip(j);
}

static void read_process_id(struct json *j, int32_t *id)
{
	int64_t number;
	if (json_number(j, 0, &number) && number > INT32_MIN && number <= INT32_MAX)
		*id = (int32_t)number;
}

static void read_extra(struct v8_profile *v, struct json *j, struct v8_node *n)
{
	struct v8_extra e = { .pid = PID_UNKNOWN, .tid = PID_UNKNOWN };
	struct str key;
	if (!json_object(j))
		return;
	while (json_key(j, &key))
		if (str_eq(key, STR("kind")))
			v8_read_text(v, j, &e.kind);
		else if (str_eq(key, STR("module")))
			v8_read_text(v, j, &e.module);
		else if (str_eq(key, STR("name")))
			e.has_name = v8_read_text(v, j, &e.name);
		else if (str_eq(key, STR("inlined")))
			json_bool(j, &e.is_inlined);
		else if (str_eq(key, STR("waker")))
			json_bool(j, &e.is_waker);
		else if (str_eq(key, STR("marked")))
			json_bool(j, &e.is_marked);
		else if (str_eq(key, STR("thread")))
			json_bool(j, &e.is_thread);
		else if (str_eq(key, STR("gap")))
			json_bool(j, &e.is_gap);
		else if (str_eq(key, STR("pid")))
			read_process_id(j, &e.pid);
		else if (str_eq(key, STR("tid")))
			read_process_id(j, &e.tid);
		else
			json_skip(j);
	if (!json_has_room(j, v->extras.n, V8_MAX_NODES, "nodes"))
		return;
	vec_push(&v->extras, e);
	n->extra = v->extras.n;
}

/* Enters the object of a node, which is inside `parent` (V8_NONE: inside none). */
static bool open_node(struct v8_profile *v, struct json *j, struct profile *p, uint32_t parent)
{
	json_peek(j);
	uint64_t offset = json_offset(j);
	if (!json_object(j)) {
		if (!json_fault(j))
			source_bad_record(p, offset, "a node is not a JSON object");
		return false;
	}
	if (!json_has_room(j, v->nodes.n, V8_MAX_NODES, "nodes"))
		return false;
	vec_push(&v->open, v->nodes.n);
	vec_push(&v->nodes,
		 (struct v8_node){
			 .offset = offset, .id = V8_NONE, .parent = parent, .parent_id = V8_NONE });
	return true;
}

/* True when the array of children has been entered. */
static bool read_node_key(struct v8_profile *v, struct json *j, struct v8_node *n, struct str key)
{
	int64_t hits;
	if (str_eq(key, STR("children")))
		return json_array(j);
	if (str_eq(key, STR("id")))
		v8_read_id(j, &n->id);
	else if (str_eq(key, STR("callFrame")))
		read_call_frame(v, j, n);
	else if (str_eq(key, STR("hitCount")))
		n->hits = json_number(j, 0, &hits) && hits > 0 ? (uint64_t)hits : 0;
	else if (str_eq(key, STR("parent")))
		v8_read_id(j, &n->parent_id);
	else if (str_eq(key, STR("plume")))
		read_extra(v, j, n);
	else if (!read_function_key(v, j, n, key, 1))
		json_skip(j);
	return false;
}

/* A child of the node at index `parent`: an id, or the child itself. True: it has been entered. */
static bool read_child(struct v8_profile *v, struct json *j, struct profile *p, uint32_t parent)
{
	uint32_t id;
	if (json_peek(j) == JSON_OBJECT)
		return open_node(v, j, p, parent);
	uint64_t offset = json_offset(j);
	if (!json_has_room(j, v->edges.n, V8_MAX_NODES, "children"))
		return false;
	if (v8_read_id(j, &id))
		vec_push(&v->edges, (struct v8_edge){ parent, id });
	else if (!json_fault(j))
		source_bad_record(p, offset, "a child is neither an id nor a node");
	return false;
}

void v8_read_node(struct v8_profile *v, struct json *j, struct profile *p)
{
	bool in_children = false;
	struct str key;
	v->open.n = 0;
	open_node(v, j, p, V8_NONE);
	while (v->open.n) {
		uint32_t node = v->open.p[v->open.n - 1];
		if (in_children && json_element(j)) {
			in_children = !read_child(v, j, p, node);
		} else if (in_children) {
			in_children = false;
		} else if (json_key(j, &key)) {
			in_children = read_node_key(v, j, &v->nodes.p[node], key);
		} else {
			v->open.n--;
			in_children = true;
		}
	}
}

void v8_read_nodes(struct v8_profile *v, struct json *j, struct profile *p)
{
	if (json_array(j))
		while (json_element(j))
			v8_read_node(v, j, p);
}

/* --- samples --- */

void v8_read_samples(struct v8_profile *v, struct json *j)
{
	uint32_t id;
	json_peek(j);
	v->samples_offset = json_offset(j);
	/* What is no id is no node: it is counted when it is looked for. */
	if (json_array(j))
		while (json_index(j, &id) &&
		       json_has_room(j, v->samples.n, V8_MAX_SAMPLES, "samples"))
			vec_push(&v->samples, id);
}

void v8_read_times(struct v8_profile *v, struct json *j, struct profile *p)
{
	int64_t ns;
	if (v->times_ns.n) { /* `timeDeltas` and `timestamps` say the same */
		json_skip(j);
		return;
	}
	if (!json_array(j))
		return;
	while (json_element(j) && json_has_room(j, v->times_ns.n, V8_MAX_SAMPLES, "times")) {
		uint64_t offset = json_offset(j);
		if (!json_number(j, 3, &ns)) {
			if (json_fault(j))
				break;
			source_bad_record(p, offset, "a time is not a number");
			ns = 0;
		}
		vec_push(&v->times_ns, ns);
	}
}
