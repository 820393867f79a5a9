/* What threads share: strings, libraries, functions, frames, stacks. */
#include "sink/firefox_int.h"
#include "sink/frame_text.h"

enum { MAX_INLINE_DEPTH = 255 };

/* --- functions --- */

static uint32_t library_of(struct firefox_tables *t, str_id module)
{
	if (!module)
		return INDEX_NONE;
	if (t->library_of[module] == INDEX_NONE) {
		t->library_of[module] = t->libraries.n;
		vec_push(&t->libraries, module);
		vec_push(&t->library_names,
			 texts_add(&t->strings, str_basename(profile_str(t->p, module))));
	}
	return t->library_of[module];
}

static uint32_t source_of(struct firefox_tables *t, str_id file)
{
	if (!file)
		return INDEX_NONE;
	if (t->source_of[file] == INDEX_NONE) {
		t->source_of[file] = t->sources.n;
		vec_push(&t->sources, file);
		vec_push(&t->source_names, texts_add(&t->strings, profile_str(t->p, file)));
	}
	return t->source_of[file];
}

static bool is_made_at_run_time(const struct frame *f)
{
	return f->kind == FRAME_JIT || f->kind == FRAME_INTERPRETED || f->kind == FRAME_WASM;
}

/* JavaScript has a filter of its own in the viewer, which must not show Java or Python. */
static bool is_script(const struct profile *p, const struct frame *f)
{
	static const struct str endings[] = { STR(".js"),  STR(".mjs"), STR(".cjs"),
					      STR(".jsx"), STR(".ts"),	STR(".tsx") };
	static const struct str beginnings[] = { STR("node:"), STR("http://"), STR("https://") };
	struct str file = profile_str(p, f->file);
	if (f->tier)
		return true;
	if (!is_made_at_run_time(f) && f->module)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		if (str_ends(file, endings[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (str_starts(file, beginnings[i]))
			return true;
	return false;
}

static bool func_equal(const void *funcs, uint32_t i, const void *key)
{
	return memcmp((const struct firefox_func *)funcs + i, key, sizeof(struct firefox_func)) ==
	       0;
}

/*
 * Line and column of a function are where it begins. Where only one place is known, it is that of the
 * function in scripts, as V8 names functions by it, and that of a sample in everything else.
 */
static struct firefox_func func_from(struct firefox_tables *t, const struct frame *f)
{
	t->scratch.n = 0;
	frame_text_add(&t->scratch, t->p, f);
	struct firefox_func func = { .name = texts_add(&t->strings, buf_str(&t->scratch)),
				     .source = source_of(t, f->file ? f->file : f->function_file),
				     .is_script = is_script(t->p, f) };
	bool has_file = func.source != INDEX_NONE;
	func.library = func.is_script && has_file ? INDEX_NONE : library_of(t, f->module);
	if (f->function_line && (!f->file || f->file == f->function_file)) {
		func.line = f->function_line;
		func.column = f->function_column;
	} else if (func.is_script && f->column) {
		func.line = f->line;
		func.column = f->column;
	}
	return func;
}

static uint32_t func_of(struct firefox_tables *t, frame_id frame)
{
	if (t->func_of[frame] != INDEX_NONE)
		return t->func_of[frame];
	struct firefox_func func = func_from(t, &t->p->frames.p[frame]);
	uint32_t hash = hash_bytes(&func, sizeof(func));
	uint32_t i = index_map_place(&t->func_map, hash, func_equal, t->funcs.p, &func, t->funcs.n);
	if (i == t->funcs.n)
		vec_push(&t->funcs, func);
	return t->func_of[frame] = i;
}

/* --- frames and stacks --- */

static bool is_inlined(const struct profile *p, node_id node)
{
	return p->frames.p[p->nodes.p[node].frame].flags & FRAME_INLINED &&
	       p->nodes.p[node].parent != NODE_ROOT;
}

/*
 * The viewer marks a function as inlined when its frames name the symbol that they are part of. So
 * there is a symbol for each function that others are inlined into.
 */
static void find_symbols(struct firefox_tables *t)
{
	const struct profile *p = t->p;
	AUTO_FREE node_id *outer = mem_alloc(p->nodes.n, sizeof(*outer));
	t->symbol_of = index_none_alloc(t->funcs.n);
	for (node_id node = 1; node < p->nodes.n; node++) {
		outer[node] = is_inlined(p, node) ? outer[p->nodes.p[node].parent] : node;
		if (outer[node] == node)
			continue;
		uint32_t func = t->func_of[p->nodes.p[outer[node]].frame];
		if (t->symbol_of[func] == INDEX_NONE && t->funcs.p[func].library != INDEX_NONE) {
			t->symbol_of[func] = t->symbols.n;
			vec_push(&t->symbols, func);
		}
	}
}

static bool frame_equal(const void *frames, uint32_t i, const void *key)
{
	return memcmp((const struct firefox_frame *)frames + i, key,
		      sizeof(struct firefox_frame)) == 0;
}

static uint32_t frame_at(struct firefox_tables *t, node_id node)
{
	struct node n = t->p->nodes.p[node];
	struct firefox_frame frame = { .frame = n.frame };
	if (is_inlined(t->p, node)) {
		const struct firefox_frame *caller = &t->frames.p[t->frame_of[n.parent]];
		frame.depth = caller->depth < MAX_INLINE_DEPTH ? caller->depth + 1 : caller->depth;
		frame.symbol = caller->symbol;
	} else {
		frame.symbol = t->symbol_of[t->func_of[n.frame]];
	}
	uint32_t hash = hash_bytes(&frame, sizeof(frame));
	uint32_t i =
		index_map_place(&t->frame_map, hash, frame_equal, t->frames.p, &frame, t->frames.n);
	if (i == t->frames.n)
		vec_push(&t->frames, frame);
	return i;
}

void firefox_tables_init(struct firefox_tables *t, const struct profile *p)
{
	*t = (struct firefox_tables){ .p = p };
	t->library_of = index_none_alloc(p->strings.n);
	t->source_of = index_none_alloc(p->strings.n);
	t->func_of = index_none_alloc(p->frames.n);
	t->frame_of = index_none_alloc(p->nodes.n);
	for (node_id node = 1; node < p->nodes.n; node++)
		func_of(t, p->nodes.p[node].frame);
	find_symbols(t);
	for (node_id node = 1; node < p->nodes.n; node++)
		t->frame_of[node] = frame_at(t, node);
}

void firefox_tables_fini(struct firefox_tables *t)
{
	texts_fini(&t->strings);
	buf_fini(&t->scratch);
	vec_fini(&t->libraries);
	vec_fini(&t->sources);
	vec_fini(&t->library_names);
	vec_fini(&t->source_names);
	free(t->library_of);
	free(t->source_of);
	vec_fini(&t->funcs);
	index_map_fini(&t->func_map);
	free(t->func_of);
	vec_fini(&t->symbols);
	free(t->symbol_of);
	vec_fini(&t->frames);
	index_map_fini(&t->frame_map);
	free(t->frame_of);
}
