/*
 * Unwinds through code whose jitdump says how it saves registers. A table is created when a stack
 * first passes through a piece of code, and kept until the jitdump is reread.
 */
#include "perf/perf_int.h"
#include "unwind/unwind.h"

#include <time.h>

struct jit_table {
	struct unwind_table *table; /* NULL if not created yet, or if there is none */
	bool is_open;
};

uint32_t perf_session_jit_code(const struct perf_session *s, const struct perf_process *process,
			       uint64_t address, uint64_t time_ns)
{
	const struct jitdump *j =
		process->jitdump == INDEX_NONE ? NULL : s->mapped.list.p[process->jitdump].jitdump;
	/* jitdump times are from CLOCK_MONOTONIC; with other clocks, the latest code at the address is used. */
	bool is_same_clock = s->events.list.n && s->events.list.p[0].clock == CLOCK_MONOTONIC;
	return j ? jitdump_find(j, address, is_same_clock ? time_ns : UINT64_MAX) : INDEX_NONE;
}

void mapped_forget_jit_tables(struct mapped *m)
{
	uint32_t n = m->jit_tables ? jitdump_unwinding_count(m->jitdump) : 0;
	for (uint32_t i = 0; i < n; i++)
		unwind_table_free(m->jit_tables[i].table);
	free(m->jit_tables);
	m->jit_tables = NULL;
}

static const struct unwind_table *table_of(const struct perf_session *s, struct mapped *m,
					   const struct jitdump_unwinding *u)
{
	if (!m->jit_tables)
		m->jit_tables =
			mem_zalloc(jitdump_unwinding_count(m->jitdump), sizeof(*m->jit_tables));
	struct jit_table *t = &m->jit_tables[u->id];
	if (!t->is_open)
		t->table = unwind_table_of_eh_frame(
			s->machine, &(struct unwind_eh_frame){ .bytes = u->eh_frame,
							       .address = u->address,
							       .code_start = u->start,
							       .code_end = u->start + u->size_bytes,
							       .budget = &m->jitdump_budget });
	t->is_open = true;
	return t->table;
}

bool perf_session_jit_place(struct perf_session *s, const struct perf_process *process,
			    uint64_t address, uint64_t time_ns, struct unwind_place *place)
{
	struct jitdump_unwinding u;
	struct mapped *m =
		process->jitdump == INDEX_NONE ? NULL : &s->mapped.list.p[process->jitdump];
	if (!m || !m->jitdump || !jitdump_unwinding_count(m->jitdump))
		return false;
	/* The next address may be in code that has a table. */
	place->start = address;
	place->end = address + 1;
	uint32_t code = perf_session_jit_code(s, process, address, time_ns);
	if (code == INDEX_NONE || !jitdump_unwinding(m->jitdump, code, &u))
		return false;
	place->table = table_of(s, m, &u);
	place->bias = u.bias;
	return place->table != NULL;
}
