#include "sink/frame_text.h"

void frame_text_add_module(struct buf *out, struct str module)
{
	struct str base = str_basename(module);
	bool has_brackets = base.n > 1 && base.p[0] == '[';
	buf_addf(out, has_brackets ? "%.*s" : "[%.*s]", STR_ARG(base.n ? base : STR("unknown")));
}

void frame_text_add(struct buf *out, const struct profile *p, const struct frame *f)
{
	struct str name = profile_str(p, f->name);
	bool may_lack_name = f->kind == FRAME_UNKNOWN || f->kind == FRAME_KERNEL;
	if (name.n || !may_lack_name)
		buf_add(out, name);
	else
		frame_text_add_module(out, profile_str(p, f->module));
}
