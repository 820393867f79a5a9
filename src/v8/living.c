#include "v8/living.h"
#include "v8/heap_scan.h"
#include "v8/v8_int.h"

#include <errno.h>
#include <unistd.h>

void v8_living_free(struct v8_living *v)
{
	if (!v)
		return;
	v8_process_free(v->process);
	if (v->names)
		v8_names_fini(v->names);
	free(v->names);
	v8_layout_fini(&v->layout);
	if (v->library)
		binary_free(v->library);
	else
		elf_free(v->elf);
	free(v->file);
	free(v);
}

/* --- the file --- */

static void take_path(struct v8_living *v, struct str path)
{
	AUTO(buf) struct buf text = { 0 };
	buf_add(&text, path);
	free(v->file);
	v->file = mem_strdup(buf_c_string(&text));
}

/* False: it may not be looked at, or is gone. A program without V8 is no failure. */
static bool open_program(struct v8_living *v, struct err *e)
{
	enum { MOST = 4096 };
	AUTO(buf) struct buf target = { 0 };
	struct err ignored = { 0 };
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/exe", v->pid);
	ssize_t n = readlink(path, buf_reserve(&target, MOST), MOST);
	if (n < 0 && (errno == EACCES || errno == EPERM))
		return err_set(e, "pid %d belongs to another user or is protected: %s", v->pid,
			       process_memory_advice());
	if (n < 0)
		return err_set(e, "pid %d has exited", v->pid);
	take_path(v, (struct str){ target.p, (size_t)n });
	v->elf = elf_open(path, &ignored);
	return true;
}

/* Node.js may be a small program with a large library, as Debian's is. */
static void look_at_mapping(void *context, const struct target_mapping *m)
{
	static const struct symbol_options here = { .is_of_this_machine = true };
	struct v8_living *v = context;
	if (v->library || !str_starts(str_basename(m->path), STR("libnode.so")))
		return;
	struct binary *b = runtime_open_mapping(v->pid, m, &here);
	struct elf *elf = binary_code(b);
	if (!elf || !v8_is_inside(elf)) {
		binary_free(b);
		return;
	}
	elf_free(v->elf);
	v->library = b;
	v->elf = elf;
	take_path(v, m->path);
}

static bool find_file(struct v8_living *v, struct err *e)
{
	if (!open_program(v, e))
		return false;
	if (v->elf && v8_is_inside(v->elf))
		return true;
	return target_read_mappings(v->pid, false, look_at_mapping, v, e) &&
	       (v->library || err_set(e,
				      "process %d is not running Node.js: %s contains no V8 and "
				      "does not use libnode.so",
				      v->pid, v->file));
}

/* --- the memory --- */

struct first_mapping {
	uint64_t address;
};

static void take_first(void *context, const struct target_mapping *m)
{
	struct first_mapping *first = context;
	if (!first->address && m->inode)
		first->address = m->start;
}

/* One word: may it be read at all? */
static bool try_memory(struct v8_living *v, struct err *e)
{
	struct first_mapping first = { 0 };
	uint64_t word;
	if (!target_read_mappings(v->pid, false, take_first, &first, e))
		return false;
	if (memory_read(&v->memory.memory, first.address, &word, sizeof(word)))
		return true;
	if (v->memory.error == ESRCH)
		return err_set(e, "pid %d has exited", v->pid);
	return err_set(e, "no permission to read the memory of pid %d (%s): %s", v->pid,
		       strerror(v->memory.error), process_memory_advice());
}

/* The first thing to hold if the layout is right: the map of maps is there. */
static bool look_at_heap(struct v8_living *v, struct err *e)
{
	v->names = mem_zalloc(1, sizeof(*v->names));
	v->process = v8_process_new(v->pid, &v->layout, &v->memory.memory, v->names);
	v->process->file = mem_strdup(v->file);
	v8_process_look(v->process);
	v->metamap = v8_find_metamap(v->process);
	if (v->metamap)
		return true;
	if (v->memory.error == ESRCH)
		return err_set(e, "pid %d has exited", v->pid);
	return err_set(e,
		       "pid %d cannot be read from outside: %s contains V8 %u.%u, but its heap was "
		       "not found in the process's memory",
		       v->pid, v->file, v->layout.major, v->layout.minor);
}

static bool open_living(struct v8_living *v, struct err *e)
{
	struct err why = { 0 };
	if (!find_file(v, e))
		return false;
	if (!v8_layout_read(v->elf, &v->layout, &why))
		return err_set(e, "pid %d cannot be read from outside: %s", v->pid, why.text);
	return try_memory(v, e) && look_at_heap(v, e);
}

struct v8_living *v8_living_open(int32_t pid, struct err *e)
{
	struct v8_living *v = mem_zalloc(1, sizeof(*v));
	v->pid = pid;
	process_memory_init(&v->memory, pid);
	if (open_living(v, e))
		return v;
	v8_living_free(v);
	return NULL;
}
