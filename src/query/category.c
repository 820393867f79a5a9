#include "query/category.h"

static const struct {
	const char *name, *text;
} categories[CATEGORY_COUNT] = {
	[CATEGORY_PROCESS] = { "process", "process" },
	[CATEGORY_APP] = { "app", "the program itself" },
	[CATEGORY_DEPENDENCY] = { "dependency", "packages it uses" },
	[CATEGORY_RUNTIME] = { "runtime", "language runtime" },
	[CATEGORY_BUILTIN] = { "builtin", "built-in functions" },
	[CATEGORY_GC] = { "gc", "garbage collection" },
	[CATEGORY_NATIVE] = { "native", "native libraries" },
	[CATEGORY_KERNEL] = { "kernel", "kernel" },
	[CATEGORY_UNKNOWN] = { "unknown", "no name found" },
};

const char *category_name(enum category c)
{
	return categories[c].name;
}

const char *category_text(enum category c)
{
	return categories[c].text;
}

/* Rules are tried from the top; the first that holds decides. */
struct rule {
	enum { BEGINS, HOLDS } how;
	const char *text;
	enum category category;
};

static bool rule_holds(const struct rule *r, struct str s)
{
	struct str text = str_from(r->text);
	return r->how == BEGINS ? str_starts(s, text) : str_find(s, text) >= 0;
}

static enum category first_of(const struct rule *rules, size_t n, struct str s,
			      enum category otherwise)
{
	for (size_t i = 0; i < n; i++)
		if (rule_holds(&rules[i], s))
			return rules[i].category;
	return otherwise;
}

/*
 * Code made at run time, by name: V8's perf maps (`JS:*f /app/a.js:1:2`, `Builtin:Call`), Java's
 * (`Ljava/lang/String;::hashCode`, `Interpreter`).
 */
static const struct rule jit_rules[] = {
	{ HOLDS, "/node_modules/", CATEGORY_DEPENDENCY },
	{ HOLDS, " node:", CATEGORY_RUNTIME },
	{ HOLDS, " internal/", CATEGORY_RUNTIME },
	{ BEGINS, "Builtin", CATEGORY_BUILTIN },
	{ BEGINS, "BytecodeHandler:", CATEGORY_BUILTIN },
	{ BEGINS, "Stub:", CATEGORY_BUILTIN },
	{ BEGINS, "Handler:", CATEGORY_BUILTIN },
	{ BEGINS, "RegExp:", CATEGORY_BUILTIN },
	{ BEGINS, "Interpreter", CATEGORY_BUILTIN },
	{ BEGINS, "StubRoutines", CATEGORY_BUILTIN },
	{ BEGINS, "vtable stub", CATEGORY_BUILTIN },
	{ BEGINS, "java/", CATEGORY_RUNTIME },
	{ BEGINS, "java.", CATEGORY_RUNTIME },
	{ BEGINS, "Ljava/", CATEGORY_RUNTIME },
	{ BEGINS, "javax/", CATEGORY_RUNTIME },
	{ BEGINS, "Ljavax/", CATEGORY_RUNTIME },
	{ BEGINS, "jdk/", CATEGORY_RUNTIME },
	{ BEGINS, "jdk.", CATEGORY_RUNTIME },
	{ BEGINS, "Ljdk/", CATEGORY_RUNTIME },
	{ BEGINS, "sun/", CATEGORY_RUNTIME },
	{ BEGINS, "Lsun/", CATEGORY_RUNTIME },
};

/* Compiled code, by name. */
static const struct rule native_rules[] = {
	{ BEGINS, "Builtins_", CATEGORY_BUILTIN },
	{ BEGINS, "v8::internal::Scavenge", CATEGORY_GC },
	{ BEGINS, "v8::internal::MarkCompact", CATEGORY_GC },
	{ BEGINS, "v8::internal::Marking", CATEGORY_GC },
	{ BEGINS, "v8::internal::MainMarking", CATEGORY_GC },
	{ BEGINS, "v8::internal::ConcurrentMarking", CATEGORY_GC },
	{ BEGINS, "v8::internal::IncrementalMarking", CATEGORY_GC },
	{ BEGINS, "v8::internal::Sweeper", CATEGORY_GC },
	{ BEGINS, "v8::internal::Evacuator", CATEGORY_GC },
	{ BEGINS, "v8::internal::Heap::CollectGarbage", CATEGORY_GC },
	{ BEGINS, "v8::internal::Heap::PerformGarbage", CATEGORY_GC },
	{ BEGINS, "v8::internal::Heap::MarkCompact", CATEGORY_GC },
	{ BEGINS, "v8::internal::Heap::Scavenge", CATEGORY_GC },
	{ BEGINS, "v8::internal::", CATEGORY_RUNTIME },
	{ BEGINS, "v8::", CATEGORY_RUNTIME },
	{ BEGINS, "node::", CATEGORY_RUNTIME },
	{ BEGINS, "G1", CATEGORY_GC },
	{ BEGINS, "GCTaskThread", CATEGORY_GC },
	{ BEGINS, "runtime.gc", CATEGORY_GC },
	{ BEGINS, "runtime.scanobject", CATEGORY_GC },
	{ BEGINS, "runtime.greyobject", CATEGORY_GC },
	{ BEGINS, "runtime.", CATEGORY_RUNTIME },
	{ BEGINS, "gc_collect_", CATEGORY_GC },
};

/* Programs that run other people's code, by the name of their file. */
static const struct rule module_rules[] = {
	{ BEGINS, "node", CATEGORY_RUNTIME },	   { BEGINS, "libnode", CATEGORY_RUNTIME },
	{ BEGINS, "libv8", CATEGORY_RUNTIME },	   { BEGINS, "bun", CATEGORY_RUNTIME },
	{ BEGINS, "deno", CATEGORY_RUNTIME },	   { BEGINS, "libjvm", CATEGORY_RUNTIME },
	{ BEGINS, "java", CATEGORY_RUNTIME },	   { BEGINS, "libjava", CATEGORY_RUNTIME },
	{ BEGINS, "libjli", CATEGORY_RUNTIME },	   { BEGINS, "python", CATEGORY_RUNTIME },
	{ BEGINS, "libpython", CATEGORY_RUNTIME }, { BEGINS, "perl", CATEGORY_RUNTIME },
	{ BEGINS, "libperl", CATEGORY_RUNTIME },   { BEGINS, "ruby", CATEGORY_RUNTIME },
	{ BEGINS, "libruby", CATEGORY_RUNTIME },   { BEGINS, "php", CATEGORY_RUNTIME },
	{ HOLDS, ".so", CATEGORY_NATIVE },	   { BEGINS, "ld-", CATEGORY_NATIVE },
	{ BEGINS, "[", CATEGORY_NATIVE },
};

static bool is_script_name(struct str name)
{
	static const struct str prefixes[] = {
		STR("JS:"),	STR("LazyCompile:"), STR("Function:"),
		STR("Script:"), STR("Eval:"),	     STR("Builtin:"),
		STR("RegExp:"), STR("Stub:"),	     STR("BytecodeHandler:"),
		STR("Handler:")
	};
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (str_starts(name, prefixes[i]))
			return true;
	return false;
}

static enum category category_of_module(struct str module)
{
	if (!module.n)
		return CATEGORY_NATIVE;
	return first_of(module_rules, ARRAY_SIZE(module_rules), module, CATEGORY_APP);
}

enum category category_of_label(const struct tree_label *l)
{
	struct str name = l->name;
	if (l->is_process)
		return CATEGORY_PROCESS;
	switch ((enum frame_kind)l->kind) {
	case FRAME_KERNEL:
		return CATEGORY_KERNEL;
	case FRAME_UNKNOWN:
		return CATEGORY_UNKNOWN;
	case FRAME_GC:
		return CATEGORY_GC;
	case FRAME_BUILTIN:
		return CATEGORY_BUILTIN;
	case FRAME_JIT:
	case FRAME_INTERPRETED:
	case FRAME_WASM:
		return first_of(jit_rules, ARRAY_SIZE(jit_rules), name, CATEGORY_APP);
	case FRAME_USER:
	case FRAME_KIND_COUNT:
		break;
	}
	if (l->tier || is_script_name(name))
		return first_of(jit_rules, ARRAY_SIZE(jit_rules), name, CATEGORY_APP);
	return first_of(native_rules, ARRAY_SIZE(native_rules), name,
			category_of_module(l->module));
}
