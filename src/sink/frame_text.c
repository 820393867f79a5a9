#include "sink/frame_text.h"

void frame_text_add(struct buf *out, const struct profile *p, const struct frame *f)
{
	struct str name = profile_str(p, f->name);
	struct str module = str_basename(profile_str(p, f->module));
	bool may_lack_name = f->kind == FRAME_UNKNOWN || f->kind == FRAME_KERNEL;
	if (name.n || !may_lack_name) {
		buf_add(out, name);
	} else if (module.n > 1 && module.p[0] == '[') {
		buf_add(out, module);
	} else {
		buf_add_char(out, '[');
		buf_add(out, module.n ? module : STR("unknown"));
		buf_add_char(out, ']');
	}
}
