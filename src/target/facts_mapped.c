/* The files that a process has mapped: what they hold for stacks and names. */
#include "target/facts_int.h"
#include "target/runtime_int.h"

#include <fcntl.h>
#include <unistd.h>

enum { MAX_MAPPED = 256 };

/* A file's mappings are neighbours; most have one that is executable. */
struct mapped_list {
	struct process_facts *facts;
	VEC(struct target_mapping) found; /* paths are those of facts->mapped */
};

static void mapped_list_fini(struct mapped_list *l)
{
	vec_fini(&l->found);
}

static bool is_same_file(const struct target_mapping *a, const struct target_mapping *b)
{
	return a->inode == b->inode && a->device_major == b->device_major &&
	       a->device_minor == b->device_minor;
}

static char *text_copy(struct str s)
{
	char *copy = mem_alloc(s.n + 1, 1);
	memcpy(copy, s.p, s.n);
	copy[s.n] = 0;
	return copy;
}

static void add_mapping(void *context, const struct target_mapping *m)
{
	struct mapped_list *l = context;
	struct process_facts *f = l->facts;
	struct str path = mapping_path(m);
	if (!m->inode || !path.n || path.p[0] != '/') {
		/* Code of the kernel's own: [vdso], [vsyscall]. */
		f->jit_bytes += str_starts(path, STR("[v")) ? 0 : m->end - m->start;
		return;
	}
	if (jitdump_has_name(path)) {
		if (!f->jitdump)
			f->jitdump = text_copy(path);
		return;
	}
	for (uint32_t i = 0; i < l->found.n; i++)
		if (is_same_file(&l->found.p[i], m)) {
			f->mapped.p[i].code_bytes += m->end - m->start;
			return;
		}
	if (l->found.n == MAX_MAPPED) {
		f->more_mapped++;
		return;
	}
	struct target_mapping copy = *m;
	vec_push(&f->mapped,
		 (struct mapped_file){ .path = text_copy(path), .code_bytes = m->end - m->start });
	copy.path = str_from(f->mapped.p[f->mapped.n - 1].path);
	vec_push(&l->found, copy);
}

/* The file that is mapped there, also when it was deleted or replaced since. Root only. */
static int open_mapped(void *held, int32_t pid, const struct binary_id *id)
{
	const struct target_mapping *m = held;
	char path[96];
	(void)id;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid,
		 (unsigned long long)m->start, (unsigned long long)m->end);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static bool has_section(struct elf *elf, struct str name)
{
	return elf && elf_section_bytes(elf, elf_find_section(elf, name)).n;
}

static void look_into(struct mapped_file *file, int32_t pid, const struct target_mapping *m,
		      const struct symbol_options *options)
{
	struct symbol_options with_held = *options;
	with_held.is_of_this_machine = true;
	with_held.open_held = open_mapped;
	with_held.held = (void *)(uintptr_t)m;
	struct binary *b = runtime_open_mapping(pid, m, &with_held);
	struct elf *code = binary_code(b);
	file->frame_pointers = frame_pointers_of(code);
	file->trouble = binary_trouble_of(b);
	file->has_exports = has_section(code, STR(".dynsym"));
	file->has_lines = has_section(binary_debug(b), STR(".debug_info")) ||
			  has_section(code, STR(".gopclntab"));
	file->has_tables = has_section(code, STR(".eh_frame")) ||
			   has_section(code, STR(".debug_frame")) ||
			   has_section(code, STR(".gopclntab"));
	binary_explain(b, &file->why, &file->fix);
	binary_free(b);
}

static int by_code(const void *a, const void *b)
{
	const struct mapped_file *x = a, *y = b;
	if (x->code_bytes != y->code_bytes)
		return x->code_bytes < y->code_bytes ? 1 : -1;
	return strcmp(x->path, y->path);
}

static void sort_mapped(struct process_facts *f)
{
	uint32_t first = 0;
	for (uint32_t i = 0; i < f->mapped.n && f->program; i++)
		if (strcmp(f->mapped.p[i].path, f->program) == 0) {
			struct mapped_file program = f->mapped.p[i];
			f->mapped.p[i] = f->mapped.p[0];
			f->mapped.p[0] = program;
			first = 1;
			break;
		}
	if (f->mapped.n > first)
		qsort(f->mapped.p + first, f->mapped.n - first, sizeof(*f->mapped.p), by_code);
}

bool facts_read_mapped(struct process_facts *f, const struct symbol_options *options, struct err *e)
{
	AUTO(mapped_list) struct mapped_list l = { .facts = f };
	if (!target_read_mappings(f->pid, false, add_mapping, &l, e))
		return false;
	for (uint32_t i = 0; i < l.found.n; i++)
		look_into(&f->mapped.p[i], f->pid, &l.found.p[i], options);
	sort_mapped(f);
	return l.found.n > 0;
}
