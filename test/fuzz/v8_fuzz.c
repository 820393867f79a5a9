/*
 * Any bytes as the memory of a process with V8 in it: its heap, its code, a stack and registers. Its stack is
 * named twice, as what is known by then is looked at again.
 *
 * Input: a version; options; pages that cannot be read; the lengths of stack and heap in words; registers;
 * then stack, heap and code. The code's bytes are repeated to fill more pages than are ever searched.
 */
#include "fuzz.h"

#include "v8_fuzz.h"

enum { MAX_FRAMES = 64, MAX_COST = 1 << 15 };

struct fuzz_memory {
	struct memory memory; /* first */
	struct str heap, code;
	uint8_t gone, options;
};

/* A part of a page: bytes of the heap, bytes of the code again and again, or nothing. */
static bool read_part(const struct fuzz_memory *m, uint64_t address, char *to, size_t n)
{
	uint64_t page = address / FUZZ_PAGE, at;
	struct str bytes = m->code;
	if (page % 8 == 7 && m->gone >> (page / 8 % 8) & 1)
		return false;
	if (address >= FUZZ_HEAP && address < FUZZ_HEAP + FUZZ_HEAP_BYTES) {
		at = address - FUZZ_HEAP;
		bytes = m->heap;
	} else if (address >= FUZZ_CODE && address < FUZZ_CODE + FUZZ_CODE_BYTES) {
		at = address - FUZZ_CODE;
		if (m->options & FUZZ_REPEATS && bytes.n)
			at %= (bytes.n + FUZZ_PAGE - 1) / FUZZ_PAGE * FUZZ_PAGE;
	} else {
		return false;
	}
	bytes = str_first(str_from_byte(bytes, at < bytes.n ? at : bytes.n), n);
	memset(to, 0, n);
	if (bytes.n)
		memcpy(to, bytes.p, bytes.n);
	return true;
}

static bool read_bytes(struct memory *memory, uint64_t address, void *to, size_t n)
{
	for (size_t done = 0, step; done < n; done += step) {
		step = FUZZ_PAGE - (address + done) % FUZZ_PAGE;
		if (step > n - done)
			step = n - done;
		if (!read_part((const struct fuzz_memory *)memory, address + done,
			       (char *)to + done, step))
			return false;
	}
	return true;
}

static const struct v8_layout *layout_of(unsigned version)
{
	static struct v8_layout layouts[FAKE_VERSIONS];
	struct err e = { 0 };
	version %= FAKE_VERSIONS;
	if (!layouts[version].major &&
	    !fake_v8_layout(&(struct fake_v8){ .version = version }, &layouts[version], &e))
		abort();
	return &layouts[version];
}

/* All addresses are some mapping's, so that nobody looks for it in /proc. */
static void add_mappings(struct v8_process *p)
{
	const struct code_mapping list[] = {
		{ .at.start = 0, .at.end = FUZZ_CODE },
		{ .at.start = FUZZ_CODE, .at.end = FUZZ_CODE + FUZZ_CODE_BYTES, .is_jit = true },
		{ .at.start = FUZZ_CODE + FUZZ_CODE_BYTES, .at.end = FUZZ_BUILTINS },
		{ .at.start = FUZZ_BUILTINS,
		  .at.end = FUZZ_BUILTINS + FAKE_V8_BLOB_BYTES,
		  .is_of_v8 = true },
		{ .at.start = FUZZ_BUILTINS + FAKE_V8_BLOB_BYTES, .at.end = UINT64_MAX },
	};
	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		vec_push(&p->mappings, list[i]);
}

static void check_frames(const struct v8_names *names, const struct v8_frame *frames, uint32_t n)
{
	AUTO(buf) struct buf text = { 0 };
	for (uint32_t i = 0; i < n; i++) {
		unsigned depth = 0;
		for (v8_place_id id = frames[i].place; id != V8_NONE;
		     id = names->places.p[id].caller, depth++) {
			if (id >= names->places.n ||
			    names->places.p[id].function >= names->functions.n)
				abort();
			v8_function_describe(&names->functions.p[names->places.p[id].function],
					     names->places.p[id].tier, &text);
		}
		if (!depth || depth > 64)
			abort();
	}
}

static void name(struct v8_process *p, const struct v8_registers *r, const struct v8_raw_frame *raw,
		 uint32_t n)
{
	struct v8_frame frames[MAX_FRAMES];
	struct v8_counts counts = { 0 };
	uint64_t before = p->heap.memory->cost;
	uint32_t found = v8_name_frames(p, r, raw, n, frames, MAX_FRAMES, &counts);
	if (found > MAX_FRAMES || p->heap.memory->cost - before > MAX_COST)
		abort();
	check_frames(p->names, frames, found);
}

static void run(const struct v8_layout *l, const struct fuzz_head *head, struct fuzz_memory *m,
		struct str stack)
{
	struct v8_raw_frame raw[MAX_FRAMES];
	struct v8_names names = { 0 };
	struct v8_registers r = { .pc = head->pc,
				  .sp = FUZZ_STACK,
				  .fp = head->fp,
				  .function = head->di,
				  .return_address = head->cx,
				  .bytecode_offset = head->r9,
				  .top = stack };
	struct bytes_process of;
	bytes_process_init(&of, &m->memory);
	struct v8_process *p = v8_process_new(&of.process, l, &names);
	add_mappings(p);
	uint32_t n = v8_frames_of_copy(l, &r, stack, raw, MAX_FRAMES);
	if (n > MAX_FRAMES)
		abort();
	for (uint32_t i = 0; i < n; i++)
		raw[i].is_shared = m->options & FUZZ_SHARED;
	name(p, &r, raw, n);
	if (m->options & FUZZ_FORGETS)
		v8_names_clear(&names);
	if (m->options & FUZZ_ENDS)
		v8_process_end(p);
	name(p, &r, raw, n);
	v8_process_free(p);
	v8_names_fini(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_head head;
	struct str rest = { (const char *)data, size };
	if (size < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	rest = str_from_byte(rest, sizeof(head));
	struct str stack = str_first(rest, head.stack_words * 8u);
	rest = str_from_byte(rest, stack.n);
	struct str heap = str_first(rest, head.heap_words * 8u);
	rest = str_from_byte(rest, heap.n);
	struct fuzz_memory m = { .memory.read = read_bytes,
				 .heap = heap,
				 .code = rest,
				 .gone = head.gone,
				 .options = head.options };
	run(layout_of(head.version), &head, &m, stack);
	return 0;
}
