#include "query/presets.h"
#include "query/category.h"
#include "query/shown_name.h"

/* Native code may lack a name and still be the program's own, so only scripts fold `unknown`. */
#define OTHERS	    "runtime,builtin,native,gc,kernel,unknown"
#define SCRIPT_TEXT "your functions, packages, and what they call"
#define NATIVE_TEXT "the program's functions, and what they call"

enum { NONE, NODE, JAVA, PYTHON, GO, NATIVE, PROGRAM, PRESETS };

const struct preset presets[PRESETS + 1] = {
	[NONE] = { "none", "all frames", { { NULL, NULL } } },
	[NODE] = { "node", SCRIPT_TEXT, { { "fold", OTHERS } } },
	[JAVA] = { "java", SCRIPT_TEXT, { { "fold", OTHERS } } },
	[PYTHON] = { "python", SCRIPT_TEXT, { { "fold", OTHERS } } },
	[GO] = { "go", NATIVE_TEXT, { { "fold", "runtime,native,gc,kernel" } } },
	[NATIVE] = { "native", NATIVE_TEXT, { { "fold", "runtime,native,gc,kernel" } } },
	[PROGRAM] = { "program",
		      "your functions without packages, and what they call",
		      { { "fold", "dependency," OTHERS } } },
};

const char *const preset_names[] = { "none", "node",   "java",	  "python",
				     "go",   "native", "program", NULL };

/* V8's own profiles have no tiers. */
static bool is_script(const struct profile *p, const struct frame *f)
{
	static const struct str endings[] = { STR(".js"), STR(".mjs"), STR(".cjs"), STR(".ts") };
	struct str file = profile_str(p, f->function_file ? f->function_file : f->file);
	bool is_compiled = f->kind == FRAME_JIT || f->kind == FRAME_INTERPRETED;
	for (size_t i = 0; is_compiled && i < ARRAY_SIZE(endings); i++)
		if (str_ends(file, endings[i]))
			return true;
	return is_compiled && str_starts(file, STR("node:"));
}

/* The kind of program that a frame reveals; NONE for most. */
static unsigned preset_of_frame(const struct profile *p, const struct frame *f)
{
	struct str name = profile_str(p, f->name), file;
	if (f->tier || is_script(p, f))
		return NODE;
	if (str_starts(str_basename(profile_str(p, f->module)), STR("libjvm.so")))
		return JAVA;
	if (name_is_python(name, &file))
		return PYTHON;
	if (str_starts(name, STR("runtime.goexit")) || str_starts(name, STR("runtime.mcall")))
		return GO;
	return category_of_frame(p, f) == CATEGORY_APP ? NATIVE : NONE;
}

/* By node, with its callers: the first kind in the enum wins, since a script's engine is native. */
static uint8_t *presets_of_nodes(const struct profile *p)
{
	uint8_t *of_frame = mem_zalloc(p->frames.n, 1), *of_node = mem_zalloc(p->nodes.n, 1);
	for (frame_id i = 0; i < p->frames.n; i++)
		of_frame[i] = (uint8_t)preset_of_frame(p, &p->frames.p[i]);
	for (node_id i = 1; i < p->nodes.n; i++) {
		unsigned above = of_node[p->nodes.p[i].parent], own = of_frame[p->nodes.p[i].frame];
		of_node[i] = (uint8_t)(!above || (own && own < above) ? own : above);
	}
	free(of_frame);
	return of_node;
}

const struct preset *preset_for(const struct profile *p)
{
	uint64_t samples[PRESETS] = { 0 }, all = 0, ignored = 0;
	AUTO_FREE uint8_t *of_node = presets_of_nodes(p);
	for (uint32_t row = 0; row < p->samples.n; row++) {
		uint64_t *count = &samples[of_node[p->samples.node[row]]];
		*count = saturating_add(*count, p->samples.count[row], &ignored);
		all = saturating_add(all, p->samples.count[row], &ignored);
	}
	/* A script's engine works outside of it too: compiling, collecting, starting. */
	unsigned script = NODE;
	for (unsigned i = JAVA; i <= PYTHON; i++)
		script = samples[i] > samples[script] ? i : script;
	if (samples[script] > all / 10)
		return &presets[script];
	for (unsigned i = GO; i < PROGRAM; i++)
		if (samples[i] > all / 2)
			return &presets[i];
	return &presets[NONE];
}
