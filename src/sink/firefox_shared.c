/* The tables that threads share, column by column. */
#include "sink/firefox_int.h"

/* The viewer's own colours; the first grey one is what it takes where nothing is known. */
static const char *const category_colours[CATEGORY_COUNT] = {
	[CATEGORY_PROCESS] = "grey",	  [CATEGORY_APP] = "yellow",
	[CATEGORY_DEPENDENCY] = "green",  [CATEGORY_RUNTIME] = "blue",
	[CATEGORY_BUILTIN] = "lightblue", [CATEGORY_GC] = "orange",
	[CATEGORY_NATIVE] = "purple",	  [CATEGORY_KERNEL] = "red",
	[CATEGORY_UNKNOWN] = "darkgrey",  [CATEGORY_REGEXP] = "magenta",
};

/* V8's tiers are subcategories, in this order behind "Other". */
static const char tiers[] = "~^+*";
static const char *const tier_names[] = { "interpreter", "baseline", "maglev", "optimized" };

static bool has_tiers(enum category c)
{
	return c == CATEGORY_APP || c == CATEGORY_DEPENDENCY || c == CATEGORY_RUNTIME;
}

static void write_category(struct json_out *j, enum category c)
{
	json_out_open(j, NULL, '{');
	/* No frame is a process here: threads have names. */
	json_out_string(j, "name", str_from(c == CATEGORY_PROCESS ? "Other" : category_name(c)));
	json_out_string(j, "color", str_from(category_colours[c]));
	json_out_open(j, "subcategories", '[');
	json_out_string(j, NULL, STR("Other"));
	for (size_t i = 0; has_tiers(c) && i < ARRAY_SIZE(tier_names); i++)
		json_out_string(j, NULL, str_from(tier_names[i]));
	json_out_close(j, ']');
	json_out_close(j, '}');
}

void firefox_write_categories(struct json_out *j)
{
	json_out_open(j, "categories", '[');
	for (unsigned c = 0; c < CATEGORY_COUNT; c++)
		write_category(j, (enum category)c);
	json_out_close(j, ']');
}

static enum category category_of(const struct profile *p, frame_id id)
{
	const struct frame *f = &p->frames.p[id];
	return category_of_label(
		&(struct tree_label){ .name = profile_str(p, f->name),
				      .module = str_basename(profile_str(p, f->module)),
				      .kind = f->kind,
				      .tier = f->tier,
				      .flags = f->flags });
}

static uint32_t subcategory_of(const struct profile *p, frame_id id)
{
	char tier = p->frames.p[id].tier;
	const char *at = tier ? strchr(tiers, tier) : NULL;
	return at && has_tiers(category_of(p, id)) ? (uint32_t)(at - tiers) + 1 : 0;
}

/* --- libraries --- */

static void write_library(struct json_out *j, struct str path, struct str build_id)
{
	const struct {
		const char *key;
		struct str text;
	} members[] = {
		{ "arch", STR("") },   { "name", str_basename(path) },
		{ "path", path },      { "debugName", str_basename(path) },
		{ "debugPath", path }, { "breakpadId", STR("") },
	};
	json_out_open(j, NULL, '{');
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		json_out_string(j, members[i].key, members[i].text);
	}
	if (build_id.n)
		json_out_string(j, "codeId", build_id);
	else
		json_out_null(j, "codeId");
	json_out_close(j, '}');
}

void firefox_write_libraries(const struct firefox_tables *t, struct json_out *j)
{
	const struct profile *p = t->p;
	AUTO_FREE str_id *build_ids = mem_zalloc(p->strings.n, sizeof(*build_ids));
	for (uint32_t i = 0; i < p->modules.n; i++)
		build_ids[p->modules.p[i].path] = p->modules.p[i].build_id;
	json_out_open(j, "libs", '[');
	for (uint32_t i = 0; i < t->libraries.n; i++)
		write_library(j, profile_str(p, t->libraries.p[i]),
			      profile_str(p, build_ids[t->libraries.p[i]]));
	json_out_close(j, ']');
}

/* --- columns --- */

/* One value of a column. */
typedef void write_cell(const struct firefox_tables *t, struct json_out *j, uint32_t i);

struct column {
	const char *name;
	write_cell *write;
};

static void write_table(const struct firefox_tables *t, struct json_out *j, const char *name,
			const struct column *columns, uint32_t length)
{
	json_out_open(j, name, '{');
	for (const struct column *c = columns; c->name; c++) {
		json_out_open(j, c->name, '[');
		for (uint32_t i = 0; i < length; i++)
			c->write(t, j, i);
		json_out_close(j, ']');
	}
	json_out_u64(j, "length", length);
	json_out_close(j, '}');
}

static void cell_null(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	(void)t;
	(void)i;
	json_out_null(j, NULL);
}

static void cell_zero(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	(void)t;
	(void)i;
	json_out_u64(j, NULL, 0);
}

static void cell_one(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	(void)t;
	(void)i;
	json_out_u64(j, NULL, 1);
}

static void cell_minus(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	(void)t;
	(void)i;
	json_out_i64(j, NULL, -1);
}

static void cell_false(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	(void)t;
	(void)i;
	json_out_bool(j, NULL, false);
}

/* Lines and columns: 0 is not known. */
static void place_or_null(struct json_out *j, uint32_t place)
{
	json_out_index(j, NULL, place ? place : INDEX_NONE);
}

/* Stack i is node i + 1: the root is no stack. */
static void stack_frame(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	json_out_u64(j, NULL, t->frame_of[i + 1]);
}

static void stack_prefix(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	node_id parent = t->p->nodes.p[i + 1].parent;
	json_out_index(j, NULL, parent == NODE_ROOT ? INDEX_NONE : parent - 1);
}

static const struct column stack_columns[] = { { "frame", stack_frame },
					       { "prefix", stack_prefix },
					       { NULL, NULL } };

static void frame_depth(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	json_out_u64(j, NULL, t->frames.p[i].depth);
}

static void frame_category(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	json_out_u64(j, NULL, category_of(t->p, t->frames.p[i].frame));
}

static void frame_subcategory(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	json_out_u64(j, NULL, subcategory_of(t->p, t->frames.p[i].frame));
}

static void frame_func(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	json_out_u64(j, NULL, t->func_of[t->frames.p[i].frame]);
}

static void frame_symbol(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	json_out_index(j, NULL, t->frames.p[i].symbol);
}

static void frame_line(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	place_or_null(j, t->p->frames.p[t->frames.p[i].frame].line);
}

static void frame_column(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	place_or_null(j, t->p->frames.p[t->frames.p[i].frame].column);
}

static const struct column frame_columns[] = {
	{ "address", cell_minus },	{ "inlineDepth", frame_depth },
	{ "category", frame_category }, { "subcategory", frame_subcategory },
	{ "func", frame_func },		{ "nativeSymbol", frame_symbol },
	{ "innerWindowID", cell_null }, { "line", frame_line },
	{ "column", frame_column },	{ NULL, NULL },
};

static void func_name(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	json_out_u64(j, NULL, t->funcs.p[i].name);
}

static void func_is_script(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	json_out_bool(j, NULL, t->funcs.p[i].is_script);
}

/* There is a resource for each library, with its number. */
static void func_resource(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	uint32_t library = t->funcs.p[i].library;
	json_out_i64(j, NULL, library == INDEX_NONE ? -1 : (int64_t)library);
}

static void func_source(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	json_out_index(j, NULL, t->funcs.p[i].source);
}

static void func_line(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	place_or_null(j, t->funcs.p[i].line);
}

static void func_column(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	place_or_null(j, t->funcs.p[i].column);
}

static const struct column func_columns[] = {
	{ "name", func_name },		 { "isJS", func_is_script },
	{ "relevantForJS", cell_false }, { "resource", func_resource },
	{ "source", func_source },	 { "lineNumber", func_line },
	{ "columnNumber", func_column }, { NULL, NULL },
};

static void cell_number(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	(void)t;
	json_out_u64(j, NULL, i);
}

static void resource_name(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	json_out_u64(j, NULL, t->library_names.p[i]);
}

/* cell_one: type 1 is "library". */
static const struct column resource_columns[] = { { "lib", cell_number },
						  { "name", resource_name },
						  { "host", cell_null },
						  { "type", cell_one },
						  { NULL, NULL } };

static void symbol_library(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	json_out_u64(j, NULL, t->funcs.p[t->symbols.p[i]].library);
}

static void symbol_name(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	json_out_u64(j, NULL, t->funcs.p[t->symbols.p[i]].name);
}

/* The model has no addresses, and the format asks for some. */
static const struct column symbol_columns[] = { { "libIndex", symbol_library },
						{ "address", cell_zero },
						{ "name", symbol_name },
						{ "functionSize", cell_null },
						{ NULL, NULL } };

static void source_name(const struct firefox_tables *t, struct json_out *j, uint32_t i)
{
	json_out_u64(j, NULL, t->source_names.p[i]);
}

static const struct column source_columns[] = {
	{ "id", cell_null },	     { "filename", source_name },   { "startLine", cell_one },
	{ "startColumn", cell_one }, { "sourceMapURL", cell_null }, { NULL, NULL }
};

void firefox_write_shared(const struct firefox_tables *t, struct json_out *j)
{
	json_out_open(j, "shared", '{');
	write_table(t, j, "stackTable", stack_columns, t->p->nodes.n - 1);
	write_table(t, j, "frameTable", frame_columns, t->frames.n);
	write_table(t, j, "funcTable", func_columns, t->funcs.n);
	write_table(t, j, "resourceTable", resource_columns, t->libraries.n);
	write_table(t, j, "nativeSymbols", symbol_columns, t->symbols.n);
	write_table(t, j, "sources", source_columns, t->sources.n);
	json_out_open(j, "stringArray", '[');
	for (uint32_t i = 0; i < t->strings.list.n; i++)
		json_out_string(j, NULL, t->strings.list.p[i]);
	json_out_close(j, ']');
	json_out_close(j, '}');
}
