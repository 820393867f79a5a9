/* What addresses are in: files, JIT code, the kernel. */
#include "debug_info/debug_info.h"
#include "perf/process_int.h"

void mapped_close(struct mapped *m)
{
	debug_info_free(m->debug);
	unwind_table_free(m->unwind);
	unwind_code_free(m->code);
	mapped_forget_jit_tables(m);
	jitdump_free(m->jitdump);
	budget_end(&m->jitdump_budget);
	binary_free(m->binary);
	m->debug = NULL;
	m->unwind = NULL;
	m->code = NULL;
	m->jitdump = NULL;
	m->binary = NULL;
	m->is_debug_open = m->is_unwind_open = m->is_code_open = false;
}

void mapped_table_fini(struct mapped_table *t)
{
	for (uint32_t i = 0; i < t->list.n; i++)
		mapped_close(&t->list.p[i]);
	vec_fini(&t->list);
	index_map_fini(&t->map);
	arena_fini(&t->text);
}

static bool is_per_process(enum mapped_kind kind)
{
	return kind == MAPPED_JIT || kind == MAPPED_JITDUMP || kind == MAPPED_FOUND;
}

static bool mapped_equal(const void *list, uint32_t i, const void *key)
{
	const struct mapped *a = &((const struct mapped *)list)[i], *b = key;
	return a->kind == b->kind && a->inode == b->inode && a->is_nowhere == b->is_nowhere &&
	       (!is_per_process(a->kind) || a->pid == b->pid) && str_eq(a->path, b->path) &&
	       str_eq(a->run_path, b->run_path) && str_eq(a->build_id, b->build_id);
}

static uint32_t hash_mapped(const struct mapped *m)
{
	return hash_str(m->path) ^
	       hash_pair(m->kind, is_per_process(m->kind) ? (uint32_t)m->pid : 0);
}

mapped_id mapped_table_get(struct mapped_table *t, const struct mapped *m)
{
	uint32_t hash = hash_mapped(m);
	uint32_t i = index_map_find(&t->map, hash, mapped_equal, t->list.p, m);
	if (i != INDEX_NONE)
		return i;
	struct mapped added = *m;
	added.path = arena_copy(&t->text, m->path);
	added.run_path = arena_copy(&t->text, m->run_path);
	added.build_id = arena_copy(&t->text, m->build_id);
	index_map_add(&t->map, hash, t->list.n);
	vec_push(&t->list, added);
	return t->list.n - 1;
}

struct binary_id mapped_binary_id(const struct mapped *m)
{
	return (struct binary_id){ .path = m->path,
				   .build_id = m->build_id,
				   .has_inode = m->has_inode,
				   .device_major = m->device_major,
				   .device_minor = m->device_minor,
				   .inode = m->inode };
}

static struct binary *open_binary(const struct mapped_table *t, const struct mapped *m)
{
	struct binary_id id = mapped_binary_id(m);
	struct str image;
	if (m->kind == MAPPED_VDSO && t->options->names.is_of_this_machine && vdso_image(&image))
		return binary_of_memory(&id, image, &t->options->names);
	return binary_new(&id, &t->options->names);
}

struct binary *mapped_binary(struct mapped_table *t, mapped_id id)
{
	struct mapped *m = &t->list.p[id];
	if (m->kind != MAPPED_FILE && m->kind != MAPPED_VDSO)
		return NULL;
	m->last_use = t->round;
	if (!m->binary) {
		m->binary = open_binary(t, m);
		if (m->pid > 0)
			binary_add_process(m->binary, m->pid);
	}
	return m->binary;
}

const struct unwind_table *mapped_unwind(struct mapped_table *t, mapped_id id)
{
	struct mapped *m = &t->list.p[id];
	struct binary *b = m->is_unwind_open ? NULL : mapped_binary(t, id);
	m->is_unwind_open = true;
	struct elf *code = b ? binary_code(b) : NULL;
	struct err e = { 0 };
	if (code)
		m->unwind = unwind_table_cached(code, t->options->unwind_cache, &e);
	if (code)
		budgets_note(t->options->names.budgets, m->path, &code->budget);
	return m->unwind;
}

struct unwind_code *mapped_code(struct mapped_table *t, mapped_id id)
{
	struct mapped *m = &t->list.p[id];
	struct binary *b = m->is_code_open ? NULL : mapped_binary(t, id);
	struct elf *elf = b ? binary_code(b) : NULL;
	m->is_code_open = true;
	if (elf)
		m->code = unwind_code_new(elf);
	return m->code;
}

/* --- removing unused entries --- */

static void mark_rows(const struct address_space *a, bool *is_needed)
{
	for (uint32_t i = 0; i < a->rows.n; i++)
		is_needed[a->rows.p[i].mapped] = true;
}

static void renumber_rows(struct address_space *a, const mapped_id *new_id)
{
	for (uint32_t i = 0; i < a->rows.n; i++)
		a->rows.p[i].mapped = new_id[a->rows.p[i].mapped];
}

static mapped_id renumbered(mapped_id id, const mapped_id *new_id)
{
	return id == INDEX_NONE ? INDEX_NONE : new_id[id];
}

/* Moves the needed entries to the front. new_id is INDEX_NONE for the others. */
static void compact(struct mapped_table *t, const bool *is_needed, mapped_id *new_id)
{
	uint32_t kept = 0;
	struct arena old = t->text;
	index_map_fini(&t->map);
	t->map = (struct index_map){ 0 };
	t->text = (struct arena){ 0 };
	for (uint32_t i = 0; i < t->list.n; i++) {
		struct mapped m = t->list.p[i];
		new_id[i] = is_needed[i] ? kept : INDEX_NONE;
		if (!is_needed[i]) {
			mapped_close(&m);
			continue;
		}
		m.path = arena_copy(&t->text, m.path);
		m.run_path = arena_copy(&t->text, m.run_path);
		m.build_id = arena_copy(&t->text, m.build_id);
		m.file_build_id = (struct str){ 0 };
		m.is_explained = false;
		m.is_used = false;
		index_map_add(&t->map, hash_mapped(&m), kept);
		t->list.p[kept++] = m;
	}
	t->list.n = kept;
	arena_fini(&old);
}

static void tell_needed(const struct mapped_table *t)
{
	struct processes *processes = t->options->names.processes;
	for (uint32_t i = 0; processes && i < t->list.n; i++) {
		struct binary_id id = mapped_binary_id(&t->list.p[i]);
		if (id.has_inode)
			processes_touch(processes, &id);
	}
}

void mapped_table_forget_unused(struct mapped_table *t, struct perf_processes *processes)
{
	AUTO_FREE bool *is_needed = mem_zalloc(t->list.n + 1, sizeof(*is_needed));
	AUTO_FREE mapped_id *new_id = mem_alloc(t->list.n + 1, sizeof(*new_id));
	is_needed[0] = true; /* the kernel */
	mark_rows(&processes->kernel, is_needed);
	for (uint32_t i = 0; i < processes->spaces.n; i++)
		mark_rows(&processes->spaces.p[i], is_needed);
	for (uint32_t i = 0; i < processes->list.n; i++)
		if (processes->list.p[i].jitdump != INDEX_NONE)
			is_needed[processes->list.p[i].jitdump] = true;
	compact(t, is_needed, new_id);
	renumber_rows(&processes->kernel, new_id);
	for (uint32_t i = 0; i < processes->spaces.n; i++) {
		renumber_rows(&processes->spaces.p[i], new_id);
		processes->spaces.p[i].copied_version = 0;
	}
	for (uint32_t i = 0; i < processes->list.n; i++) {
		struct perf_process *process = &processes->list.p[i];
		process->jitdump = renumbered(process->jitdump, new_id);
		process->nowhere = INDEX_NONE;
	}
	tell_needed(t);
}
