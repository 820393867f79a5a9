/*
 * What Go's own tracebacks know about a function beyond its frame (funcFlag in src/runtime/symtab.go): that nothing
 * called it, or that it switches stacks. Before 1.17 they used names (topofstack in traceback.go).
 */
#include "debug_info/go_int.h"

enum { FLAG_OUTERMOST = 1, FLAG_WRITES_STACK_POINTER = 2 };

static bool is_among(struct str name, const struct str *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(name, names[i]))
			return true;
	return false;
}

#define NAME(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

enum go_kind go_function_kind(const struct go_table *t, const struct go_function *f)
{
	/* Functions called from mcall have left their goroutine, which may be running elsewhere by now. */
	static const struct str outermost[] = { NAME("runtime.goexit"), NAME("runtime.mcall"),
						NAME("runtime.mstart"), NAME("runtime.rt0_go") };
	static const struct str switches[] = {
		NAME("gogo"),
		NAME("runtime.gogo"),
		NAME("runtime.systemstack"),
		NAME("runtime.morestack"),
		NAME("runtime.asmcgocall"),
		NAME("runtime.cgocallback"),
		NAME("runtime.clone"),
		NAME("runtime.cgocallback_gofunc"),
		NAME("runtime.nanotime"),
		NAME("runtime.nanotime1"),
		NAME("runtime.walltime"),
		NAME("runtime.walltime1"),
		NAME("time.now"),
	};
	uint8_t flags = go_flags(t, f);
	struct str name = elf_text_at(t->names, f->name);
	if (flags & FLAG_OUTERMOST || is_among(name, outermost, ARRAY_SIZE(outermost)))
		return GO_OUTERMOST;
	return flags & FLAG_WRITES_STACK_POINTER || is_among(name, switches, ARRAY_SIZE(switches))
		       ? GO_SWITCHES_STACK
		       : GO_ORDINARY;
}
