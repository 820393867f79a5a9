/*
 * Any bytes as a jitdump: whole and in pieces, the same code, names and lines. Its unwinding records become tables, which
 * say nothing of other code.
 */
#include "fuzz.h"
#include "jit/jit.h"
#include "unwind/unwind_int.h"

#include <elf.h>

static void add_found(const struct jitdump *j, uint64_t address, uint64_t time, struct buf *seen)
{
	struct str file;
	uint32_t line, code = jitdump_find(j, address, time);
	buf_addf(seen, "\n%llx %u ", (unsigned long long)address, code);
	if (code == INDEX_NONE)
		return;
	if (code >= jitdump_count(j) || jitdump_start(j, code) > address)
		abort();
	buf_add(seen, jitdump_name(j, code));
	if (jitdump_line(j, code, address, &file, &line)) {
		buf_add(seen, file);
		buf_addf(seen, ":%u", line);
	}
}

static void add_table(const struct jitdump *j, uint32_t code, struct budget *budget,
		      struct buf *seen)
{
	struct jitdump_unwinding u;
	if (!jitdump_unwinding(j, code, &u))
		return;
	if (u.id >= jitdump_unwinding_count(j) || u.start + u.bias != jitdump_start(j, code))
		abort();
	struct unwind_table *t = unwind_table_of_eh_frame(
		EM_X86_64, &(struct unwind_eh_frame){ u.eh_frame, u.address, u.start,
						      u.start + u.size_bytes, budget });
	if (t && (table_find(t, u.start - 1) || table_find(t, u.start + u.size_bytes)))
		abort();
	for (uint64_t i = 0; t && i < 64; i++)
		buf_addf(seen, "%d", table_find(t, u.start + i) != NULL);
	unwind_table_free(t);
}

static void look(struct str bytes, size_t step, struct buf *seen)
{
	static const uint64_t addresses[] = { 0, 0x1000, 0x1001, 0x10ff, 0x1100, ~0ull };
	struct err e;
	struct reader *r = reader_of_memory(bytes, step);
	/* Half of the corpora need more: what is kept must be whole all the same. */
	struct budget budget = budget_of_owner(0);
	budget.most_held_bytes = bytes.n % 2 ? 600 : 1 << 20;
	struct jitdump *j = jitdump_read(r, &budget, &e);
	buf_addf(seen, "%s %d", j && jitdump_damage(j) ? jitdump_damage(j) : "",
		 j ? jitdump_pid(j) : -1);
	for (size_t i = 0; j && i < ARRAY_SIZE(addresses); i++) {
		add_found(j, addresses[i], ~0ull, seen);
		add_found(j, addresses[i], 150, seen);
	}
	for (uint32_t i = 0; j && i < jitdump_count(j) && i < 100; i++) {
		add_found(j, jitdump_start(j, i) + i, ~0ull, seen);
		add_table(j, i, &budget, seen);
	}
	jitdump_free(j);
	reader_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t steps[] = { 1, 7, 64 };
	struct str bytes = { (const char *)data, size };
	AUTO(buf) struct buf whole = { 0 };
	look(bytes, 0, &whole);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		AUTO(buf) struct buf pieces = { 0 };
		look(bytes, steps[i], &pieces);
		if (!str_eq(buf_str(&whole), buf_str(&pieces)))
			abort();
	}
	return 0;
}
