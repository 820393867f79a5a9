/* Any bytes as a program with V8 in it: what is known of it must be good for any heap. */
#include "fuzz.h"

#include "../unit/v8_heap.h"

/* Words that lead to each other, and to all that a layout may ask for. */
static bool read_words(struct memory *m, uint64_t address, void *to, size_t n)
{
	uint64_t words[64];
	(void)m;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = (HEAP_BASE + 64 * i) | (i % 5 != 0);
	for (size_t i = 0; i < n; i++)
		((char *)to)[i] = ((const char *)words)[(address + i) % sizeof(words)];
	return true;
}

static void use(const struct v8_layout *l)
{
	struct memory memory = { .read = read_words };
	struct v8_names names = { 0 };
	struct v8_counts counts = { 0 };
	struct v8_frame frames[4];
	uint64_t stack[32];
	for (size_t i = 0; i < ARRAY_SIZE(stack); i++)
		stack[i] = (HEAP_BASE + 64 * i) | 1;
	struct v8_registers r = { .pc = HEAP_CODE + 100, .sp = 0x1000, .fp = 0x1000 + 64 };
	r.top = (struct str){ (const char *)stack, sizeof(stack) };
	struct v8_raw_frame raw[4];
	struct bytes_process of;
	bytes_process_init(&of, &memory);
	struct v8_process *p = v8_process_new(&of.process, l, &names);
	vec_push(&p->mappings, ((struct code_mapping){ .at.end = UINT64_MAX, .is_jit = true }));
	uint32_t n = v8_frames_of_copy(l, &r, r.top, raw, ARRAY_SIZE(raw));
	v8_name_frames(p, &r, raw, n, frames, ARRAY_SIZE(frames), &counts);
	v8_process_free(p);
	v8_names_fini(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct v8_layout l = { 0 };
	struct err e = { 0 };
	struct elf *elf = elf_of_memory((struct str){ (const char *)data, size }, "fuzz", &e);
	if (elf && v8_is_inside(elf)) {
		bool ok = v8_layout_read(elf, &l, &e);
		if (ok == (e.text[0] != 0))
			abort();
		if (ok)
			use(&l);
		v8_layout_fini(&l);
	}
	elf_free(elf);
	return 0;
}
