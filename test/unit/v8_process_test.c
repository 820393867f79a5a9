/*
 * Code of a process that has ended is known where any address of it was looked up before; of one that lives what
 * it has mapped is looked at now and then.
 */
#include "tap.h"

#include "v8_heap.h"

enum { CODE_BYTES = 300 };

static uint64_t make_code(struct heap *h, uint64_t shared)
{
	struct fake_position list[] = { { 0, heap_position(5, 0), true } };
	uint64_t deopt_data =
		heap_deopt_data(h, shared, heap_array(h, NULL, 0), heap_bytes(h, "", 0));
	return heap_code(h, &(struct fake_code){ .kind = KIND_TURBOFAN,
						 .deopt_data = deopt_data,
						 .positions = heap_positions(h, list, 1),
						 .size_bytes = CODE_BYTES });
}

static uint64_t told_at(struct heap *h, uint64_t pc)
{
	struct code code;
	return v8_code_find(h->process, pc, &code) ? code.start : 0;
}

static void check_ended(unsigned version)
{
	struct heap h;
	heap_init(&h, version);
	uint64_t ends[] = { smi(9), smi(19) };
	uint64_t script =
		heap_script(&h, &(struct fake_script){ .name = heap_string(&h, "a.js"),
						       .line_ends = heap_array(&h, ends, 2),
						       .id = 1 });
	uint64_t f = heap_named(&h, "f", script, 0), g = heap_named(&h, "g", script, 10);
	h.code_used = 256;
	uint64_t f_code = make_code(&h, f), g_code = make_code(&h, g), last = make_code(&h, f);
	unsigned major = h.layout.major, minor = h.layout.minor;
	tap_ok(v8_place_of_pc(h.process, f_code + 20, false, f) != V8_NONE &&
		       v8_place_of_pc(h.process, f_code + 90, false, f) != V8_NONE &&
		       v8_place_of_pc(h.process, last + 20, false, f) != V8_NONE,
	       "%u.%u: two of three are looked up while it lives", major, minor);
	v8_process_end(h.process);
	memset(h.bytes + (HEAP_CODE - HEAP_BASE), 0, h.code_used);
	tap_num_eq(told_at(&h, f_code), f_code, "%u.%u: the first byte of one is known", major,
		   minor);
	tap_num_eq(told_at(&h, f_code + 50), f_code, "... and others");
	tap_num_eq(told_at(&h, f_code + CODE_BYTES), f_code, "... where its last call returns to");
	tap_num_eq(told_at(&h, last + 50), last, "... so is the last");
	tap_num_eq(told_at(&h, g_code + 50), 0, "... not that which was never looked up");
	tap_num_eq(told_at(&h, f_code - 100), 0, "... nor what is before");
	tap_num_eq(told_at(&h, last + CODE_BYTES + 1), 0, "... and behind");
	heap_fini(&h);
}

/* Thousands of stacks later other code may be there. */
static void test_old(void)
{
	struct heap h;
	heap_init(&h, V8_12_4);
	uint64_t f = heap_named(&h, "f", smi(0), 0);
	h.code_used = 256;
	uint64_t code = make_code(&h, f);
	v8_place_of_pc(h.process, code + 20, false, f);
	h.process->looks += 10000;
	v8_process_end(h.process);
	tap_num_eq(told_at(&h, code + 20), 0, "code that was not seen for long is not believed");
	heap_fini(&h);
}

/* It is not asked what it has mapped either: its number may be another one's. */
static void test_mappings(void)
{
	struct heap h;
	heap_init(&h, V8_12_4);
	h.of.mappings[0] = (struct process_mapping){ 0x1000, 0x2000, .protection = PROT_EXEC };
	h.of.n = 1;
	h.process->mappings.n--;
	v8_process_end(h.process);
	uint32_t known = h.process->mappings.n;
	v8_pc_kind(h.process, HEAP_BUILTINS + (1ull << 40));
	tap_num_eq(h.process->mappings.n, known, "what it had mapped stays as it was");
	heap_fini(&h);
}

static void test_pauses(void)
{
	enum { MS = 1000000 };
	uint64_t pause_ns = v8_look_pause_ns(0, 0, true);
	tap_num_eq(pause_ns, 20 * MS, "mappings are looked at again after 20 ms");
	pause_ns = v8_look_pause_ns(pause_ns, 0, false);
	tap_num_eq(pause_ns, 40 * MS, "... where that was of no use after 40");
	for (unsigned i = 0; i < 100; i++)
		pause_ns = v8_look_pause_ns(pause_ns, 0, false);
	tap_num_eq(pause_ns, 1000 * MS, "... and at last once a second");
	tap_num_eq(v8_look_pause_ns(pause_ns, 0, true), 20 * MS, "... until something is new");
	tap_num_eq(v8_look_pause_ns(0, 10 * MS, true), 160 * MS, "... never most of the time");
}

int main(void)
{
	static const unsigned versions[] = { V8_9_4, V8_11_3, V8_14_6 };
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		check_ended(versions[i]);
	test_old();
	test_mappings();
	test_pauses();
	return tap_done();
}
