/* Frames of formats that bring names: what kind they are of, and where they are in the source. */
#include "source/source_int.h"
#include "symbol/symbol.h"

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

enum frame_kind source_kind_of(struct str module, bool has_name)
{
	if (is_jit_module(module))
		return has_name ? FRAME_JIT : FRAME_UNKNOWN;
	if (is_kernel_module(module))
		return FRAME_KERNEL;
	return has_name ? FRAME_USER : FRAME_UNKNOWN;
}

void source_set_v8_place(struct profile *p, struct frame *frame)
{
	struct symbol_v8_place place;
	if (!frame->file && symbol_v8_place(profile_str(p, frame->name), &place)) {
		frame->file = profile_add_str(p, place.file);
		frame->line = place.line;
		frame->column = place.column;
	}
}

/* `[libc.so.6]`, as frames without a name are shown, or `[unknown]`. */
static bool stands_for_module(struct str name, struct str module)
{
	struct str base = str_basename(module);
	if (name.n < 2 || name.p[0] != '[' || name.p[name.n - 1] != ']')
		return false;
	struct str inner = { name.p + 1, name.n - 2 };
	return str_eq(name, base) || str_eq(inner, base.n ? base : STR("unknown"));
}

frame_id source_add_frame(struct profile *p, const struct source_frame *f)
{
	AUTO(buf) struct buf name = { 0 };
	size_t mark_at;
	bool has_name = f->name.n && !stands_for_module(f->name, f->module);
	struct frame frame = {
		.module = profile_add_str(p, f->module),
		.file = profile_add_str(p, f->file),
		.line = f->line,
		.column = f->column,
		.flags = f->is_inlined ? FRAME_INLINED : 0,
		.kind = (uint8_t)(f->kind < FRAME_KIND_COUNT ? f->kind
							     : source_kind_of(f->module, has_name)),
	};
	if (has_name) {
		symbol_tidy_name(f->name, &name);
		frame.name = profile_add_str(p, buf_str(&name));
		frame.tier = (char)symbol_v8_tier(buf_str(&name), &mark_at);
		source_set_v8_place(p, &frame);
	}
	return profile_add_frame(p, &frame);
}

struct str source_take_mark(struct str name, struct frame *frame)
{
	if (name.n < 4 || memcmp(name.p + name.n - 4, "_[", 2) != 0 || name.p[name.n - 1] != ']')
		return name;
	switch (name.p[name.n - 2]) {
	case 'k':
		frame->kind = FRAME_KERNEL;
		break;
	case 'j':
		frame->kind = FRAME_JIT;
		break;
	case 'i':
		frame->flags = FRAME_INLINED;
		break;
	case 'w':
		frame->flags = FRAME_WAKER;
		break;
	default:
		return name;
	}
	frame->flags |= FRAME_MARKED;
	return str_first(name, name.n - 4);
}
