/* Any bytes as a map of a JIT compiler: whole and in pieces, the same names. */
#include "fuzz.h"
#include "jit/jit.h"

enum { ADDRESSES = 96 };

static void look(struct str map, size_t step, const uint64_t *addresses, struct buf *seen)
{
	struct perf_map_names names;
	struct reader *r = reader_of_memory(map, step);
	perf_map_read(r, addresses, ADDRESSES, &names);
	if (names.bad_rows > names.rows || names.n != ADDRESSES)
		abort();
	for (uint32_t i = 0; i < ADDRESSES; i++) {
		const struct perf_map_name *name = &names.names[i];
		if (name->name.n && name->start > addresses[i])
			abort();
		buf_add(seen, name->name);
		buf_addf(seen, "|%llx\n", (unsigned long long)name->start);
	}
	buf_addf(seen, "%llu %llu %llu %d", (unsigned long long)names.rows,
		 (unsigned long long)names.bad_rows, (unsigned long long)names.found,
		 names.ends_in_half_line);
	perf_map_names_fini(&names);
	reader_free(r);
}

/* As of sizes that the file once had: at size 0 all is later, at its end nothing. */
static void look_as_of(struct str map, size_t step, const uint64_t *addresses, struct buf *seen)
{
	struct perf_map_wanted wanted[3 * ADDRESSES];
	struct perf_map_names names;
	for (uint32_t i = 0; i < ARRAY_SIZE(wanted); i++)
		wanted[i] = (struct perf_map_wanted){ addresses[i / 3], i % 3 * (map.n / 2 + 1) };
	struct reader *r = reader_of_memory(map, step);
	perf_map_read_as_of(r, wanted, ARRAY_SIZE(wanted), &names);
	for (uint32_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		/* What one limit finds, each finds, if another row. */
		if (!names.names[i].name.n != !names.names[i / 3 * 3].name.n)
			abort();
		buf_add(seen, names.names[i].name);
		if (i % 3 == 2)
			buf_addf(seen, "|%llx\n", (unsigned long long)names.names[i].start);
	}
	perf_map_names_fini(&names);
	reader_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t steps[] = { 1, 7, 64 };
	struct str map = { (const char *)data, size };
	uint64_t addresses[ADDRESSES];
	AUTO(buf) struct buf whole = { 0 };
	for (uint32_t i = 0; i < ADDRESSES; i++)
		addresses[i] = i < 64 ? i : i < 80 ? 0x1000 + 16 * i : UINT64_MAX - ADDRESSES + i;
	look(map, 0, addresses, &whole);
	look_as_of(map, 0, addresses, &whole);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		AUTO(buf) struct buf pieces = { 0 };
		look(map, steps[i], addresses, &pieces);
		look_as_of(map, steps[i], addresses, &pieces);
		if (!str_eq(buf_str(&whole), buf_str(&pieces)))
			abort();
	}
	return 0;
}
