/* What addresses are in: files, code made at run time, the kernel. */
#include "perf/perf_int.h"
#include "unwind/unwind.h"

void mapped_close(struct mapped *m)
{
	debug_info_free(m->debug);
	unwind_table_free(m->unwind);
	jitdump_free(m->jitdump);
	binary_free(m->binary);
	m->debug = NULL;
	m->unwind = NULL;
	m->jitdump = NULL;
	m->binary = NULL;
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
	return kind == MAPPED_JIT || kind == MAPPED_JITDUMP;
}

static bool mapped_equal(const void *list, uint32_t i, const void *key)
{
	const struct mapped *a = &((const struct mapped *)list)[i], *b = key;
	return a->kind == b->kind && a->inode == b->inode && a->is_nowhere == b->is_nowhere &&
	       (!is_per_process(a->kind) || a->pid == b->pid) && str_eq(a->path, b->path) &&
	       str_eq(a->build_id, b->build_id);
}

mapped_id mapped_table_get(struct mapped_table *t, const struct mapped *m)
{
	uint32_t hash = hash_str(m->path) ^
			hash_pair(m->kind, is_per_process(m->kind) ? (uint32_t)m->pid : 0);
	uint32_t i = index_map_find(&t->map, hash, mapped_equal, t->list.p, m);
	if (i != INDEX_NONE)
		return i;
	struct mapped added = *m;
	added.path = arena_copy(&t->text, m->path);
	added.build_id = arena_copy(&t->text, m->build_id);
	index_map_add(&t->map, hash, t->list.n);
	vec_push(&t->list, added);
	return t->list.n - 1;
}

static struct binary *open_binary(const struct mapped_table *t, const struct mapped *m)
{
	struct binary_id id = { .path = m->path,
				.build_id = m->build_id,
				.has_inode = m->has_inode,
				.device_major = m->device_major,
				.device_minor = m->device_minor,
				.inode = m->inode };
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
	return m->unwind;
}
