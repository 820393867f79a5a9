/* Any bytes as an ELF file with DWARF: whatever is found must be readable, and found again. */
#include "debug_info/debug_info.h"
#include "elf/elf.h"
#include "fuzz.h"

enum { MAX_ADDRESSES = 600 };

static uint64_t sum;

static void read_text(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		sum += (uint8_t)text.p[i];
}

static void look_up(struct debug_info *d, uint64_t address)
{
	const struct debug_frame *frames, *again;
	uint32_t n = debug_info_find(d, address, &frames);
	if (n > DEBUG_MAX_INLINES + 1)
		abort();
	for (uint32_t i = 0; i < n; i++) {
		read_text(frames[i].name);
		read_text(frames[i].file);
		sum += frames[i].line + frames[i].column + frames[i].declared_line;
	}
	if (debug_info_find(d, address, &again) != n || again != frames)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e;
	struct elf *elf = elf_of_memory((struct str){ (const char *)data, size }, "fuzz", &e);
	/* Each other input is one that costs too much at some point. */
	if (elf && size % 2)
		elf->budget.most_held_bytes = elf->budget.most_work_bytes = 8 * size;
	struct debug_info *d = elf ? debug_info_new(elf) : NULL;
	for (uint32_t i = 0; d && i < elf->segments.n; i++) {
		const struct elf_segment *s = &elf->segments.p[i];
		for (uint64_t a = 0; s->is_executable && a < s->memory_bytes; a++) {
			if (a > MAX_ADDRESSES)
				break;
			look_up(d, s->address + a);
		}
	}
	debug_info_free(d);
	elf_free(elf);
	return 0;
}
