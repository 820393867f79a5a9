/* Files that a process has mapped: what they contain for stacks and names. */
#include "target/facts_int.h"

enum { MAX_MAPPED = 256 };

/* A file's mappings are neighbours; most have one that is executable. */
struct mapped_list {
	struct process_facts *facts;
	VEC(struct process_mapping) found; /* paths are those of facts->mapped */
};

static void mapped_list_fini(struct mapped_list *l)
{
	vec_fini(&l->found);
}

static char *text_copy(struct str s)
{
	char *copy = mem_alloc(s.n + 1, 1);
	memcpy(copy, s.p, s.n);
	copy[s.n] = 0;
	return copy;
}

static void add_mapping(void *context, const struct process_mapping *m)
{
	struct mapped_list *l = context;
	struct process_facts *f = l->facts;
	struct str path = process_plain_path(m->path);
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
		if (process_mappings_share_file(&l->found.p[i], m)) {
			f->mapped.p[i].code_bytes += m->end - m->start;
			return;
		}
	if (l->found.n == MAX_MAPPED) {
		f->more_mapped++;
		return;
	}
	struct process_mapping copy = *m;
	vec_push(&f->mapped,
		 (struct mapped_file){ .path = text_copy(path), .code_bytes = m->end - m->start });
	copy.path = str_from(f->mapped.p[f->mapped.n - 1].path);
	vec_push(&l->found, copy);
}

/* The file of one mapping, also when it was deleted or replaced since. */
struct one_file {
	struct processes processes; /* first */
	struct process *process;
	const struct process_mapping *mapping;
};

static int open_mapped(struct processes *p, int32_t pid, const struct binary_id *id)
{
	const struct one_file *one = (const struct one_file *)p;
	(void)pid;
	(void)id;
	return one->process->ops->open_mapped(one->process, one->mapping);
}

static bool has_section(struct elf *elf, struct str name)
{
	return elf && elf_section_bytes(elf, elf_find_section(elf, name)).n;
}

static void look_into(struct mapped_file *file, const struct process_facts *f, struct process *p,
		      const struct process_mapping *m, const struct symbol_options *options)
{
	static const struct processes_ops ops = { .open_mapped = open_mapped };
	struct one_file one = { { &ops }, p, m };
	struct symbol_options own = *options;
	own.is_of_this_machine = true;
	own.processes = &one.processes;
	struct binary_id id = { .path = m->path,
				.has_inode = m->inode != 0,
				.device_major = m->device_major,
				.device_minor = m->device_minor,
				.inode = m->inode };
	struct binary *b = binary_new(&id, &own);
	binary_add_process(b, f->pid);
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

bool facts_read_mapped(struct process_facts *f, struct process *p,
		       const struct symbol_options *options, struct err *e)
{
	AUTO(mapped_list) struct mapped_list l = { .facts = f };
	if (!p->ops->visit_mappings(p, false, add_mapping, &l, e))
		return false;
	for (uint32_t i = 0; i < l.found.n; i++)
		look_into(&f->mapped.p[i], f, p, &l.found.p[i], options);
	sort_mapped(f);
	return l.found.n > 0;
}
