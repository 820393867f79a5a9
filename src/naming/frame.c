#include "naming/naming.h"
#include "name/name.h"

void naming_set_v8_place(struct profile *p, struct frame *frame)
{
	struct name_v8_place place;
	if (!name_v8_place(profile_str(p, frame->name), &place))
		return;
	frame->function_file = profile_add_str(p, place.file);
	frame->function_line = place.line;
	frame->function_column = place.column;
	if (!frame->file)
		frame_set_function_place(frame);
}

static void add_name(const struct named_frame *f, struct buf *name)
{
	AUTO(buf) struct buf demangled = { 0 };
	struct str symbol = f->is_symbol ? name_without_abi(f->name) : f->name;
	bool is_demangled = f->is_symbol && name_demangle_short(symbol, &demangled);
	name_tidy(is_demangled ? buf_str(&demangled) : symbol, name);
}

frame_id naming_add_frame(struct profile *p, const struct named_frame *f)
{
	AUTO(buf) struct buf name = { 0 };
	size_t mark_at;
	bool has_name = f->name.n && !frame_name_stands_for_module(f->name, f->module);
	struct frame frame = {
		.module = profile_add_str(p, f->module),
		.file = profile_add_str(p, f->file),
		.line = f->line,
		.column = f->column,
		.function_file = profile_add_str(p, f->function_file),
		.function_line = f->function_line,
		.function_column = f->function_column,
		.flags = f->is_inlined ? FRAME_INLINED : 0,
		.kind = (uint8_t)(f->kind < FRAME_KIND_COUNT
					  ? f->kind
					  : frame_kind_of_module(f->module, has_name)),
	};
	if (has_name) {
		add_name(f, &name);
		frame.name = profile_add_str(p, buf_str(&name));
		frame.tier = (char)name_v8_tier(buf_str(&name), &mark_at);
		naming_set_v8_place(p, &frame);
	} else {
		frame.start = f->start;
	}
	return profile_add_frame(p, &frame);
}

struct str naming_take_mark(struct str name, struct frame *frame)
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
