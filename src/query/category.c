#include "query/query.h"

static const struct {
	const char *name, *text;
} categories[CATEGORY_COUNT] = {
	[CATEGORY_PROCESS] = { "process", "process" },
	[CATEGORY_APP] = { "app", "the program itself" },
	[CATEGORY_DEPENDENCY] = { "dependency", "packages it uses" },
	[CATEGORY_RUNTIME] = { "runtime", "language runtime" },
	[CATEGORY_BUILTIN] = { "builtin", "built-in functions" },
	[CATEGORY_REGEXP] = { "regexp", "regular expressions" },
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

enum category category_by_name(struct str name)
{
	enum category c = CATEGORY_APP;
	while (c < CATEGORY_COUNT && !str_eq(name, str_from(categories[c].name)))
		c++;
	return c;
}

/* The process stands for stacks without a frame. */
static const struct stand_in stand_ins[CATEGORY_COUNT] = {
	[CATEGORY_PROCESS] = { STR("[no stack]"), FRAME_UNKNOWN },
	[CATEGORY_APP] = { STR("[program]"), FRAME_USER },
	[CATEGORY_DEPENDENCY] = { STR("[packages]"), FRAME_USER },
	[CATEGORY_RUNTIME] = { STR("[runtime]"), FRAME_BUILTIN },
	[CATEGORY_BUILTIN] = { STR("[runtime]"), FRAME_BUILTIN },
	[CATEGORY_REGEXP] = { STR("[regular expressions]"), FRAME_BUILTIN },
	[CATEGORY_GC] = { STR("[garbage collection]"), FRAME_GC },
	[CATEGORY_NATIVE] = { STR("[libraries]"), FRAME_USER },
	[CATEGORY_KERNEL] = { STR("[kernel]"), FRAME_KERNEL },
	[CATEGORY_UNKNOWN] = { STR("[unknown]"), FRAME_UNKNOWN },
};

const struct stand_in *category_stand_in(enum category c)
{
	return &stand_ins[c];
}

enum category category_of_several(unsigned seen)
{
	/* First what explains most. */
	static const enum category order[] = {
		CATEGORY_GC,	     CATEGORY_REGEXP,  CATEGORY_APP,
		CATEGORY_DEPENDENCY, CATEGORY_RUNTIME, CATEGORY_BUILTIN,
		CATEGORY_NATIVE,     CATEGORY_KERNEL,  CATEGORY_UNKNOWN,
	};
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (seen >> order[i] & 1)
			return order[i];
	return CATEGORY_PROCESS;
}

/* Rules are tried in order; the first match decides. */
struct rule {
	enum { BEGINS, HOLDS, IS } how;
	const char *text;
	enum category category;
};

static bool rule_holds(const struct rule *r, struct str s)
{
	struct str text = str_from(r->text);
	switch (r->how) {
	case BEGINS:
		return str_starts(s, text);
	case HOLDS:
		return str_find(s, text) >= 0;
	case IS:
		return str_eq(s, text);
	}
	return false;
}

static enum category first_of(const struct rule *rules, size_t n, struct str s,
			      enum category otherwise)
{
	for (size_t i = 0; i < n; i++)
		if (rule_holds(&rules[i], s))
			return rules[i].category;
	return otherwise;
}

/* Script functions, by the place in their names: `JS:*f /app/a.js:1:2`, `f node:fs:1:2`. */
static const struct rule script_rules[] = {
	{ HOLDS, "/node_modules/", CATEGORY_DEPENDENCY },
	{ HOLDS, " node:", CATEGORY_RUNTIME },
	{ HOLDS, " internal/", CATEGORY_RUNTIME },
};

/*
 * JIT code, by name: from V8's perf maps (`Builtin:Call`) or Java's (`java.lang.String.hashCode`,
 * or its original form `Ljava/lang/String;::hashCode`; `Interpreter`).
 */
static const struct rule jit_rules[] = {
	{ BEGINS, "Builtin", CATEGORY_BUILTIN },
	{ BEGINS, "BytecodeHandler:", CATEGORY_BUILTIN },
	{ BEGINS, "Stub:", CATEGORY_BUILTIN },
	{ BEGINS, "Handler:", CATEGORY_BUILTIN },
	{ BEGINS, "Interpreter", CATEGORY_BUILTIN },
	{ BEGINS, "StubRoutines", CATEGORY_BUILTIN },
	{ BEGINS, "vtable stub", CATEGORY_BUILTIN },
	{ BEGINS, "java/", CATEGORY_RUNTIME },
	{ BEGINS, "java.", CATEGORY_RUNTIME },
	{ BEGINS, "Ljava/", CATEGORY_RUNTIME },
	{ BEGINS, "javax/", CATEGORY_RUNTIME },
	{ BEGINS, "javax.", CATEGORY_RUNTIME },
	{ BEGINS, "Ljavax/", CATEGORY_RUNTIME },
	{ BEGINS, "jdk/", CATEGORY_RUNTIME },
	{ BEGINS, "jdk.", CATEGORY_RUNTIME },
	{ BEGINS, "Ljdk/", CATEGORY_RUNTIME },
	{ BEGINS, "sun/", CATEGORY_RUNTIME },
	{ BEGINS, "sun.", CATEGORY_RUNTIME },
	{ BEGINS, "Lsun/", CATEGORY_RUNTIME },
};

/* Compiled code, by name. */
static const struct rule native_rules[] = {
	{ IS, "_start", CATEGORY_NATIVE },
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
	{ BEGINS, "v8::internal::RegExp", CATEGORY_REGEXP },
	{ BEGINS, "v8::internal::Irregexp", CATEGORY_REGEXP },
	{ BEGINS, "v8::internal::", CATEGORY_RUNTIME },
	{ BEGINS, "v8::", CATEGORY_RUNTIME },
	{ BEGINS, "node::", CATEGORY_RUNTIME },
	{ BEGINS, "runtime.gc", CATEGORY_GC },
	{ BEGINS, "runtime.scanobject", CATEGORY_GC },
	{ BEGINS, "runtime.greyobject", CATEGORY_GC },
	{ BEGINS, "runtime.", CATEGORY_RUNTIME },
	{ BEGINS, "gc_collect_", CATEGORY_GC },
};

/* The JVM's garbage collectors, by name; other programs use such names too. */
static const struct rule jvm_rules[] = {
	{ BEGINS, "G1", CATEGORY_GC },	       { BEGINS, "GCTaskThread", CATEGORY_GC },
	{ BEGINS, "PSParallel", CATEGORY_GC }, { BEGINS, "PSScavenge", CATEGORY_GC },
	{ BEGINS, "ZMark", CATEGORY_GC },      { BEGINS, "ZRelocate", CATEGORY_GC },
	{ BEGINS, "Shenandoah", CATEGORY_GC }, { BEGINS, "GenCollectedHeap", CATEGORY_GC },
};

/* Programs that run other people's code, and their libraries. */
static const char *const runtimes[] = {
	"node",	     "nodejs", "libnode",  "libv8",   "bun",	    "deno",	 "java", "libjvm",
	"libjava",   "libjli", "python",   "python2", "python3",    "libpython", "pypy", "perl",
	"libperl",   "ruby",   "libruby",  "php",     "php-fpm",    "libphp",	 "lua",	 "luajit",
	"libluajit", "erl",    "beam.smp", "dotnet",  "libcoreclr",
};

/* `libc.so.6`, `libm.so`. */
static bool is_library(struct str module)
{
	ptrdiff_t at = str_find(module, STR(".so"));
	struct str rest = at < 0 ? module : str_from_byte(module, (size_t)at + 3);
	return (at >= 0 && (!rest.n || rest.p[0] == '.')) || str_starts(module, STR("ld-"));
}

/* Only a version and a library extension may follow: python3.11, libnode.so.108. */
static bool is_runtime(struct str module)
{
	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++) {
		struct str name = str_from(runtimes[i]);
		if (!str_starts(module, name))
			continue;
		struct str rest = str_from_byte(module, name.n);
		while (rest.n && (is_digit(rest.p[0]) ||
				  (rest.p[0] == '.' && rest.n > 1 && is_digit(rest.p[1]))))
			rest = str_from_byte(rest, 1);
		if (!rest.n || is_library(rest))
			return true;
	}
	return false;
}

/* Code of V8 between JavaScript and C++ and between functions, and CPython's interpreter. */
static const char *const v8_gateways[] = {
	"CEntry_",
	"Call",
	"Construct",
	"JSConstruct",
	"JSBuiltinsConstruct",
	"JSEntry",
	"ArgumentsAdaptor",
	"AdaptorWithBuiltinExitFrame",
	"HandleApiCall",
	"InterpreterEntryTrampoline",
	"InterpreterOnStackReplacement",
	"Baseline",
};
static const char *const python_gateways[] = {
	"_PyEval_",
	"PyEval_",
	"_PyFunction_Vectorcall",
	"_PyVectorcall",
	"PyVectorcall",
	"_PyObject_Vectorcall",
	"PyObject_Vectorcall",
	"_PyObject_Call",
	"PyObject_Call",
	"_PyObject_MakeTpCall",
	"method_vectorcall",
	"cfunction_",
	"py_trampoline_",
	"_Py_trampoline_",
};

static bool begins_with_any(struct str s, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_starts(s, str_from(texts[i])))
			return true;
	return false;
}

bool name_is_gateway(struct str name)
{
	static const struct str prefixes[] = { STR("Builtins_"), STR("Builtin:"),
					       STR("v8::internal::Builtin_") };
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (str_starts(name, prefixes[i]))
			return begins_with_any(str_from_byte(name, prefixes[i].n), v8_gateways,
					       ARRAY_SIZE(v8_gateways));
	return begins_with_any(name, python_gateways, ARRAY_SIZE(python_gateways));
}

/* Code that V8 compiled for an expression: in its perf maps, and as plume record and V8's own profiles name it. */
static bool name_is_regexp(struct str name)
{
	return str_starts(name, STR("RegExp:")) || str_eq(name, STR("RegExp"));
}

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
	struct str file;
	return name_is_python(name, &file);
}

/* `f /app/a.js:12:5` is a function, whatever its name. A regular expression may look like one. */
static bool has_place(struct str name)
{
	size_t n = name.n;
	while (n && is_digit(name.p[n - 1]))
		n--;
	return n && n < name.n && name.p[n - 1] == ':' && str_find_char(name, ' ') >= 0 &&
	       !str_starts(name, STR("RegExp:"));
}

static enum category category_of_python(struct str file)
{
	if (path_is_package(file))
		return CATEGORY_DEPENDENCY;
	return path_is_python_library(file) ? CATEGORY_RUNTIME : CATEGORY_APP;
}

static enum category category_of_script(struct str name)
{
	enum category otherwise = CATEGORY_APP;
	struct str file;
	if (name_is_regexp(name))
		return CATEGORY_REGEXP;
	if (name_is_python(name, &file))
		return category_of_python(file);
	if (!has_place(name))
		otherwise = first_of(jit_rules, ARRAY_SIZE(jit_rules), name, otherwise);
	return first_of(script_rules, ARRAY_SIZE(script_rules), name, otherwise);
}

static enum category category_of_module(struct str module)
{
	if (is_runtime(module))
		return CATEGORY_RUNTIME;
	bool is_program = module.n && module.p[0] != '[' && !is_library(module);
	return is_program ? CATEGORY_APP : CATEGORY_NATIVE;
}

static enum category category_of_stand_in(struct str name)
{
	enum category c = CATEGORY_APP;
	while (c < CATEGORY_UNKNOWN && !str_eq(name, stand_ins[c].name))
		c++;
	return c;
}

enum category category_of_label(const struct tree_label *l)
{
	struct str name = l->name;
	if (l->is_process)
		return CATEGORY_PROCESS;
	if (l->flags & FRAME_FOLDED)
		return category_of_stand_in(name);
	switch ((enum frame_kind)l->kind) {
	case FRAME_KERNEL:
		return CATEGORY_KERNEL;
	case FRAME_UNKNOWN:
		return CATEGORY_UNKNOWN;
	case FRAME_GC:
		return CATEGORY_GC;
	case FRAME_BUILTIN: /* your_code merges what is left of both under one name */
		if (name_is_regexp(name))
			return CATEGORY_REGEXP;
		return str_eq(name, STR("[runtime]")) ? CATEGORY_RUNTIME : CATEGORY_BUILTIN;
	case FRAME_JIT:
	case FRAME_INTERPRETED:
	case FRAME_WASM:
		return category_of_script(name);
	case FRAME_USER:
	case FRAME_KIND_COUNT:
		break;
	}
	if (l->tier || is_script_name(name))
		return category_of_script(name);
	enum category otherwise = category_of_module(l->module);
	if (str_starts(l->module, STR("libjvm")))
		otherwise = first_of(jvm_rules, ARRAY_SIZE(jvm_rules), name, otherwise);
	return first_of(native_rules, ARRAY_SIZE(native_rules), name, otherwise);
}

enum category category_of_frame(const struct profile *p, const struct frame *f)
{
	struct tree_label label = { .name = profile_str(p, f->name),
				    .module = str_basename(profile_str(p, f->module)),
				    .kind = f->kind,
				    .flags = f->flags,
				    .tier = f->tier };
	if (frame_lacks_name(f) && f->kind == FRAME_UNKNOWN)
		return CATEGORY_UNKNOWN;
	return category_of_label(&label);
}

/* `jit-4711.dump`: its compiler had not written the name yet. */
static bool is_code_to_be_named(enum frame_kind kind, struct str module)
{
	return kind == FRAME_UNKNOWN && str_starts(module, STR("jit-")) &&
	       str_ends(module, STR(".dump"));
}

bool label_may_be_yours(const struct tree_label *l)
{
	return category_is_yours(category_of_label(l)) ||
	       is_code_to_be_named((enum frame_kind)l->kind, l->module);
}

bool frame_may_be_yours(const struct profile *p, const struct frame *f)
{
	return category_is_yours(category_of_frame(p, f)) ||
	       is_code_to_be_named((enum frame_kind)f->kind,
				   str_basename(profile_str(p, f->module)));
}

bool profile_has_scripts(const struct profile *p)
{
	for (frame_id i = 0; i < p->frames.n; i++) {
		const struct frame *f = &p->frames.p[i];
		bool is_script = f->tier || f->kind == FRAME_JIT || f->kind == FRAME_INTERPRETED;
		if (is_script && category_is_yours(category_of_frame(p, f)))
			return true;
	}
	return false;
}
