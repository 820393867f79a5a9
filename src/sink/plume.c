/* A profile as a .plume file, which keeps all of it. */
#include "sink/profile_format.h"
#include "store/store.h"

static void write_plume(const struct profile *p, const struct profile_format_options *o,
			struct writer *out, struct buf *notes)
{
	(void)o;
	(void)notes;
	struct store_writer *w = store_writer_new(out);
	store_writer_end(w, p);
	store_writer_free(w);
}

const struct profile_format plume_sink = {
	.name = "plume",
	.title = ".plume file",
	.endings = { ".plume" },
	.keeps_starts = true,
	.keeps_lines = true,
	.columns = COLUMNS_ALL,
	.columns_of_each = COLUMNS_ALL,
	.write = write_plume,
};
