#include "v8/inspection.h"
#include "v8/heap_scan.h"
#include "v8/v8_int.h"

#include <errno.h>

void v8_inspection_free(struct v8_inspection *v)
{
	if (!v)
		return;
	v8_process_free(v->process);
	if (v->names)
		v8_names_fini(v->names);
	free(v->names);
	v8_layout_fini(&v->layout);
	elf_free(v->elf);
	free(v->file);
	free(v);
}

/* --- the file --- */

/* A file of the process's, if it could be opened. True: V8 is in there. */
static bool take_file(struct v8_inspection *v, int fd, struct buf *path)
{
	struct elf *elf = process_take_elf(fd, buf_str(path));
	bool has_v8 = elf && v8_is_inside(elf);
	if (has_v8 || !v->file) {
		free(v->file);
		v->file = mem_strdup(buf_c_string(path));
	}
	if (has_v8)
		v->elf = elf;
	else
		elf_free(elf);
	return has_v8;
}

/* Node.js may be a small program with a large library, as Debian's is. */
static bool find_file(struct v8_inspection *v, struct err *e)
{
	AUTO(buf) struct buf path = { 0 };
	struct process *p = v->of;
	int fd = p->ops->open_program(p, &path);
	if (!path.n && (errno == EACCES || errno == EPERM))
		return err_set(e, "%s belongs to another user or is protected: %s", p->name,
			       p->ops->advice());
	if (!path.n)
		return err_set(e, "%s has exited", p->name);
	if (take_file(v, fd, &path) ||
	    take_file(v, runtime_open_library(p, RUNTIME_NODE, &path), &path))
		return true;
	return err_set(e,
		       "%s is not running Node.js: %s contains no V8 and does not use libnode.so",
		       p->name, v->file);
}

/* --- the memory --- */

struct first_mapping {
	uint64_t address;
};

static void take_first(void *context, const struct process_mapping *m)
{
	struct first_mapping *first = context;
	if (!first->address && m->inode)
		first->address = m->start;
}

/* One word: may it be read at all? */
static bool try_memory(struct v8_inspection *v, struct err *e)
{
	struct process *p = v->of;
	struct first_mapping first = { 0 };
	uint64_t word;
	if (!p->ops->visit_mappings(p, false, take_first, &first, e))
		return false;
	if (memory_read(p->memory, first.address, &word, sizeof(word)))
		return true;
	if (p->memory->error == ESRCH)
		return err_set(e, "%s has exited", p->name);
	return err_set(e, "no permission to read the memory of %s (%s): %s", p->name,
		       strerror(p->memory->error), p->ops->advice());
}

/* The first thing to hold if the layout is right: the map of maps is there. */
static bool look_at_heap(struct v8_inspection *v, struct err *e)
{
	v->names = mem_zalloc(1, sizeof(*v->names));
	v->process = v8_process_new(v->of, &v->layout, v->names);
	v->process->file = mem_strdup(v->file);
	v8_process_look(v->process);
	v->metamap = v8_find_metamap(v->process);
	if (v->metamap)
		return true;
	if (v->of->memory->error == ESRCH)
		return err_set(e, "%s has exited", v->of->name);
	return err_set(e,
		       "%s cannot be read from outside: %s contains V8 %u.%u, but its heap was "
		       "not found in the process's memory",
		       v->of->name, v->file, v->layout.major, v->layout.minor);
}

static bool open_inspection(struct v8_inspection *v, struct err *e)
{
	struct err why = { 0 };
	if (!find_file(v, e))
		return false;
	if (!v8_layout_read(v->elf, &v->layout, &why))
		return err_set(e, "%s cannot be read from outside: %s", v->of->name, why.text);
	return try_memory(v, e) && look_at_heap(v, e);
}

struct v8_inspection *v8_inspect(struct process *p, struct err *e)
{
	struct v8_inspection *v = mem_zalloc(1, sizeof(*v));
	v->of = p;
	if (open_inspection(v, e))
		return v;
	v8_inspection_free(v);
	return NULL;
}
