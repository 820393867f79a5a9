/* What a function is by the file it comes from. */
#include "model/model.h"

const char *frame_kind_name(enum frame_kind kind)
{
	static const char *const names[FRAME_KIND_COUNT] = {
		[FRAME_USER] = "user",	     [FRAME_KERNEL] = "kernel",
		[FRAME_JIT] = "jit",	     [FRAME_INTERPRETED] = "interpreted",
		[FRAME_BUILTIN] = "builtin", [FRAME_GC] = "gc",
		[FRAME_WASM] = "wasm",	     [FRAME_UNKNOWN] = "unknown",
	};
	return names[kind];
}

static bool is_jit_module(struct str module)
{
	struct str base = str_basename(module);
	if (str_starts(module, STR("[JIT]")))
		return true;
	if (str_starts(base, STR("perf-")) && str_ends(base, STR(".map")))
		return true;
	return str_starts(base, STR("jitted-")) && str_ends(base, STR(".so"));
}

static bool is_kernel_module(struct str module)
{
	static const struct str user[] = { STR("[vdso"),  STR("[vsyscall"), STR("[heap]"),
					   STR("[stack"), STR("[anon"),	    STR("[uprobes]") };
	struct str base = str_basename(module);
	if (str_starts(base, STR("vmlinux")) || str_find(base, STR(".ko.")) >= 0 ||
	    str_ends(base, STR(".ko")))
		return true;
	if (module.n == 0 || module.p[0] != '[')
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(user); i++)
		if (str_starts(module, user[i]))
			return false;
	return true;
}

enum frame_kind frame_kind_of_module(struct str module, bool has_name)
{
	if (is_jit_module(module))
		return has_name ? FRAME_JIT : FRAME_UNKNOWN;
	if (is_kernel_module(module))
		return FRAME_KERNEL;
	return has_name ? FRAME_USER : FRAME_UNKNOWN;
}

bool frame_name_stands_for_module(struct str name, struct str module)
{
	struct str base = str_basename(module);
	if (name.n < 2 || name.p[0] != '[' || name.p[name.n - 1] != ']')
		return false;
	struct str inner = { name.p + 1, name.n - 2 };
	return str_eq(name, base) || str_eq(inner, base.n ? base : STR("unknown"));
}

enum frame_kind frame_kind_of_v8(struct str name, struct str url, bool has_script)
{
	if (str_starts(url, STR("wasm://")))
		return FRAME_WASM;
	if (url.n || has_script)
		return FRAME_JIT;
	if (str_eq(name, STR("(garbage collector)")))
		return FRAME_GC;
	if (str_eq(name, STR("(program)")) || str_eq(name, STR("(idle)")))
		return FRAME_USER;
	return FRAME_BUILTIN;
}
