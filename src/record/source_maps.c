/* Source maps of recorded processes. Their files are looked up in the processes' own roots. */
#include "record/recorder_int.h"

static uint64_t root_of(void *context, int32_t pid)
{
	struct recorder *r = context;
	uint64_t number = held_files_root_number(r->held, pid);
	/* Without a held root, each process counts for itself. */
	return number ? number << 32 : (uint32_t)pid;
}

static struct reader *open_script(void *context, int32_t pid, const char *path, struct err *e)
{
	struct recorder *r = context;
	struct processes *p = held_files_processes(r->held);
	return p->ops->open_path(p, pid, path, e);
}

struct source_maps *recorder_source_maps(struct recorder *r)
{
	struct source_map_files files = { r, root_of, open_script };
	return r->options.source_maps ? source_maps_new(&files) : NULL;
}
