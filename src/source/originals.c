/* Profiles of generated JavaScript, shown as it was written: the maps are looked for on this machine. */
#include "naming/naming.h"
#include "source/source_int.h"

static uint64_t one_root(void *context, int32_t pid)
{
	(void)context;
	(void)pid;
	return 0;
}

/* Copies of the recorded machine's files come first, and links stay inside of them. */
static struct reader *open_script(void *context, int32_t pid, const char *path, struct err *e)
{
	(void)pid;
	const struct symbol_options *o = context;
	const char *const roots[] = { o->container_root, o->symfs, "/" };
	int fd = -1;
	for (size_t i = 0; i < ARRAY_SIZE(roots) && fd < 0; i++)
		if (roots[i])
			fd = process_plain_file(roots[i], path, path, OPEN_CHECKED, e);
	return fd < 0 ? NULL : reader_of_fd(fd, path);
}

struct profile *source_find_originals(struct profile *p, const struct symbol_options *names)
{
	struct symbol_options own = *names;
	struct source_map_files files = { &own, one_root, open_script };
	struct source_maps *maps = source_maps_new(&files);
	bool has_changed = false;
	for (frame_id i = 0; i < p->frames.n; i++)
		has_changed |= naming_set_original(maps, p, i);
	naming_add_source_map_facts(maps, p);
	source_maps_free(maps);
	if (!has_changed)
		return p;
	/* Functions that were one, and stacks of them, become one again. */
	struct profile *merged = profile_new(p->columns);
	profile_merge(merged, p);
	profile_unref(p);
	return merged;
}
