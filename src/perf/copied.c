/*
 * Code that a process may have copied from one of its files. CPython (-X perf, -X perf_jit) copies
 * its trampoline for each Python function; the file with the original exports its address.
 */
#include "perf/perf_int.h"
#include "unwind/unwind.h"

/* A trampoline is 11 to 32 bytes long. Processes with more mappings than this are not searched for it. */
enum { MAX_CODE_BYTES = 64, MAX_ROWS = 4096 };

static bool read_copied(const struct perf_session *s, struct elf *elf, struct unwind_copied *copied)
{
	uint64_t start, end;
	return elf_find_exported(elf, STR("_Py_trampoline_func_start"), &start) &&
	       elf_find_exported(elf, STR("_Py_trampoline_func_end"), &end) &&
	       end - start <= MAX_CODE_BYTES &&
	       unwind_copied_read(s->machine, elf_bytes_between(elf, start, end), copied);
}

static bool has_copied(struct perf_session *s, mapped_id id)
{
	struct mapped *m = &s->mapped.list.p[id];
	if (m->kind != MAPPED_FILE)
		return false;
	if (m->is_copied_open)
		return m->copied.depths != 0;
	m->is_copied_open = true;
	struct binary *b = mapped_binary(&s->mapped, id);
	struct elf *code = b ? binary_code(b) : NULL;
	return code && read_copied(s, code, &m->copied);
}

static mapped_id find_copied(struct perf_session *s, const struct address_space *space)
{
	for (uint32_t i = 0; i < space->rows.n && i < MAX_ROWS; i++)
		if (space->rows.p[i].is_code && has_copied(s, space->rows.p[i].mapped))
			return space->rows.p[i].mapped;
	return INDEX_NONE;
}

const struct unwind_copied *perf_session_copied(struct perf_session *s, struct address_space *space)
{
	if (space->copied_version != space->version) {
		space->copied_version = space->version;
		space->copied = find_copied(s, space);
	}
	return space->copied == INDEX_NONE ? NULL : &s->mapped.list.p[space->copied].copied;
}
