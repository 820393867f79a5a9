#include "sink/cpuprofile_int.h"
#include "sink/frame_text.h"

/* --- making --- */

static uint32_t child_of(struct out_tree *t, uint32_t parent, enum out_kind kind, uint32_t what)
{
	/* Frames and threads are numbered from 0, each; their keys must not meet. */
	uint32_t key = kind == OUT_FRAME ? what : UINT32_MAX - (kind == OUT_THREAD ? what + 1 : 0);
	uint32_t i = child_map_get(&t->children, parent, key);
	if (i == t->nodes.n)
		vec_push(&t->nodes, (struct out_node){ parent, kind, what, 0 });
	return i;
}

void out_tree_init(struct out_tree *t, const struct profile *p)
{
	*t = (struct out_tree){ .p = p };
	t->script_of = mem_zalloc(p->strings.n, sizeof(*t->script_of));
	child_map_init(&t->children);
	vec_push(&t->nodes, (struct out_node){ 0, OUT_ROOT, 0, 0 });
}

void out_tree_fini(struct out_tree *t)
{
	vec_fini(&t->nodes);
	vec_fini(&t->path);
	child_map_fini(&t->children);
	pair_map_fini(&t->known);
	free(t->script_of);
}

static bool is_known_thread(const struct thread *t)
{
	return t->comm || t->pid != PID_UNKNOWN || t->tid != PID_UNKNOWN;
}

uint32_t out_tree_stack(struct out_tree *t, thread_id thread, node_id node)
{
	uint32_t i;
	t->path.n = 0;
	while ((i = pair_map_find(&t->known, thread, node)) == INDEX_NONE && node != NODE_ROOT) {
		vec_push(&t->path, node);
		node = t->p->nodes.p[node].parent;
	}
	if (i == INDEX_NONE) {
		i = is_known_thread(&t->p->threads.p[thread]) ? child_of(t, 0, OUT_THREAD, thread)
							      : 0;
		*pair_map_place(&t->known, thread, NODE_ROOT) = i;
	}
	while (t->path.n) {
		node = t->path.p[--t->path.n];
		i = child_of(t, i, OUT_FRAME, t->p->nodes.p[node].frame);
		*pair_map_place(&t->known, thread, node) = i;
	}
	return i;
}

uint32_t out_tree_gap(struct out_tree *t)
{
	return child_of(t, 0, OUT_GAP, 0);
}

/* --- writing --- */

/* A function's script, which is how DevTools tells functions apart. 0: it is no script's. */
static uint32_t script_of(struct out_tree *t, const struct frame *f)
{
	bool is_script = f->kind == FRAME_JIT || f->kind == FRAME_INTERPRETED;
	str_id text = f->file ? f->file : is_script ? f->name : STR_NONE;
	if (text && !t->script_of[text])
		t->script_of[text] = ++t->scripts;
	return t->script_of[text];
}

/* ` /app/a.js:12:5`, which a reader puts behind the function's name. */
static void add_place(struct buf *out, const struct profile *p, const struct frame *f)
{
	if (!f->file)
		return;
	buf_add_char(out, ' ');
	buf_add(out, profile_str(p, f->file));
	if (f->line)
		buf_addf(out, ":%u", f->line);
	if (f->line && f->column)
		buf_addf(out, ":%u", f->column);
}

/* The function's name alone; scratch may hold it. False: a reader could not make the whole name of it. */
static bool function_of(const struct profile *p, const struct frame *f, struct buf *scratch,
			struct str *function)
{
	struct str name = profile_str(p, f->name);
	if (!name.n) {
		frame_text_add_module(scratch, profile_str(p, f->module));
		*function = buf_str(scratch);
		return false;
	}
	add_place(scratch, p, f);
	bool has_place = str_ends(name, buf_str(scratch)) && name.n > scratch->n;
	*function = has_place ? str_first(name, name.n - scratch->n) : name;
	if (str_eq(*function, STR("(anonymous)")))
		*function = STR(""); /* as V8 has it */
	return has_place;
}

static void add_url(struct json_out *out, struct str file)
{
	AUTO(buf) struct buf url = { 0 };
	buf_addf(&url, file.n && file.p[0] == '/' ? "file://%.*s" : "%.*s", STR_ARG(file));
	json_out_string(out, "url", buf_str(&url));
}

/* f: a place, or NULL. */
static void add_call_frame(struct json_out *out, struct str function, uint32_t script,
			   struct str file, const struct frame *f)
{
	json_out_open(out, "callFrame", '{');
	json_out_string(out, "functionName", function);
	buf_addf(json_out_value(out, "scriptId"), "\"%u\"", script);
	add_url(out, file);
	json_out_i64(out, "lineNumber", f ? (int64_t)f->line - 1 : -1);
	json_out_i64(out, "columnNumber", f ? (int64_t)f->column - 1 : -1);
	json_out_close(out, '}');
}

static void add_flag(struct json_out *out, unsigned flags, unsigned flag, const char *key)
{
	if (flags & flag)
		json_out_bool(out, key, true);
}

/* `"plume":{...}` with what a reader would not know. */
static void add_extra(struct json_out *out, const struct profile *p, const struct frame *f,
		      bool has_name, bool has_script)
{
	struct str name = profile_str(p, f->name);
	bool has_kind = f->kind == frame_kind_of_v8(name, profile_str(p, f->file), has_script);
	if (has_kind && has_name && !f->module &&
	    !(f->flags & (FRAME_INLINED | FRAME_WAKER | FRAME_MARKED)))
		return;
	json_out_open(out, "plume", '{');
	if (!has_kind)
		json_out_string(out, "kind", str_from(frame_kind_name(f->kind)));
	if (!has_name)
		json_out_string(out, "name", name);
	if (f->module)
		json_out_string(out, "module", profile_str(p, f->module));
	add_flag(out, f->flags, FRAME_INLINED, "inlined");
	add_flag(out, f->flags, FRAME_WAKER, "waker");
	add_flag(out, f->flags, FRAME_MARKED, "marked");
	json_out_close(out, '}');
}

static void add_frame(struct json_out *out, struct out_tree *t, const struct frame *f)
{
	AUTO(buf) struct buf scratch = { 0 };
	struct str function;
	uint32_t script = script_of(t, f);
	bool has_name = function_of(t->p, f, &scratch, &function);
	add_call_frame(out, function, script, profile_str(t->p, f->file), f);
	add_extra(out, t->p, f, has_name, script != 0);
}

static void add_thread(struct json_out *out, const struct profile *p, const struct thread *t)
{
	add_call_frame(out, profile_str(p, t->comm), 0, STR(""), NULL);
	json_out_open(out, "plume", '{');
	json_out_bool(out, "thread", true);
	if (t->pid != PID_UNKNOWN)
		json_out_i64(out, "pid", t->pid);
	if (t->tid != PID_UNKNOWN)
		json_out_i64(out, "tid", t->tid);
	json_out_close(out, '}');
}

static void add_node(struct json_out *out, struct out_tree *t, const struct out_node *n)
{
	switch (n->kind) {
	case OUT_ROOT:
		add_call_frame(out, STR("(root)"), 0, STR(""), NULL);
		break;
	case OUT_GAP:
		add_call_frame(out, STR("(idle)"), 0, STR(""), NULL);
		json_out_open(out, "plume", '{');
		json_out_bool(out, "gap", true);
		json_out_close(out, '}');
		break;
	case OUT_THREAD:
		add_thread(out, t->p, &t->p->threads.p[n->what]);
		break;
	case OUT_FRAME:
		add_frame(out, t, &t->p->frames.p[n->what]);
		break;
	}
}

/* The children of each node in a row: those of i are list[start[i]] up to list[start[i + 1]]. */
static void list_children(const struct out_tree *t, uint32_t *start, uint32_t *list)
{
	for (uint32_t i = 1; i < t->nodes.n; i++)
		start[t->nodes.p[i].parent + 2]++;
	for (uint32_t i = 2; i < t->nodes.n + 2; i++)
		start[i] += start[i - 1];
	for (uint32_t i = 1; i < t->nodes.n; i++)
		list[start[t->nodes.p[i].parent + 1]++] = i;
}

void out_tree_write(struct out_tree *t, struct json_out *out)
{
	AUTO_FREE uint32_t *start = mem_zalloc((size_t)t->nodes.n + 2, sizeof(*start));
	AUTO_FREE uint32_t *list = mem_alloc(t->nodes.n, sizeof(*list));
	list_children(t, start, list);
	json_out_open(out, "nodes", '[');
	for (uint32_t i = 0; i < t->nodes.n; i++) {
		if (i)
			json_out_line(out);
		json_out_open(out, NULL, '{');
		json_out_u64(out, "id", i + 1);
		add_node(out, t, &t->nodes.p[i]);
		json_out_u64(out, "hitCount", t->nodes.p[i].hits);
		json_out_open(out, "children", '[');
		for (uint32_t c = start[i]; c < start[i + 1]; c++)
			json_out_u64(out, NULL, list[c] + 1);
		json_out_close(out, ']');
		json_out_close(out, '}');
	}
	json_out_close(out, ']');
}
