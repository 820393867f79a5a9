/*
 * Where a symbol without a size ends. Assembly often has only labels, and a stripped library has
 * only the ones it exports, so the next symbol may be hundreds of functions away. perf extends the
 * symbol that far. plume ends it with its function, as far as the file tells.
 */
#include "instruction/instruction.h"
#include "symbol/table_int.h"

enum {
	MAX_FUNCTION_BYTES = 64 << 10, /* of one that is read through */
	MAX_READ_BYTES = 8 << 20,      /* of all of them together */
	MAX_SHORT_JUMP = 127,
	MAX_BRANCH = 4 << 10, /* further ahead is another function */
};

/* By .eh_frame: its entry's end, or the next entry. *is_sure: it has an entry. */
static uint64_t end_by_frames(const struct function_ranges *f, uint64_t start, uint64_t end,
			      bool *is_sure)
{
	struct function_range range;
	uint32_t i = function_ranges_find(f, start);
	uint32_t next = i == INDEX_NONE ? 0 : i + 1;
	*is_sure = i != INDEX_NONE && function_ranges_get(f, i, &range) && start < range.end;
	if (*is_sure && range.end < end)
		end = range.end;
	if (next < f->n && function_ranges_start(f, next) < end)
		end = function_ranges_start(f, next);
	return end;
}

/*
 * By its instructions: behind one that does not go on, when nothing before it branches further. A short
 * jump ahead stays inside; a long one calls another function last.
 */
static uint64_t length_by_flow(struct str code)
{
	struct instruction in;
	uint64_t furthest = 0;
	for (uint32_t at = 0; at < code.n; at += in.size_bytes) {
		if (!instruction_read(code, at, &in))
			return at;
		uint64_t next = at + in.size_bytes;
		int64_t ahead = in.target - (int64_t)next;
		bool is_inside = (in.kind == BRANCHES && ahead <= MAX_BRANCH) ||
				 (in.kind == JUMPS && ahead <= MAX_SHORT_JUMP);
		if (is_inside && in.target > (int64_t)furthest)
			furthest = (uint64_t)in.target;
		bool goes_on = in.kind == GOES_ON || in.kind == CALLS || in.kind == BRANCHES;
		if (!goes_on && next > furthest)
			return next;
	}
	return code.n;
}

static uint64_t end_by_flow(struct symbol_table *t, uint64_t start, uint64_t end)
{
	const struct elf *elf = t->code_file;
	uint64_t offset, length = end - start;
	if (length > MAX_FUNCTION_BYTES)
		length = MAX_FUNCTION_BYTES;
	if (elf->machine != EM_X86_64 || t->read_bytes > MAX_READ_BYTES ||
	    !elf_offset_of_address(elf, start, &offset))
		return end;
	t->read_bytes += length;
	return start + length_by_flow(str_first(str_from_byte(elf->bytes, offset), length));
}

uint64_t symbol_extent_end(struct symbol_table *t, uint64_t start, uint64_t end)
{
	bool is_sure;
	if (!t->code_file || end <= start)
		return end;
	end = end_by_frames(&t->functions, start, end, &is_sure);
	/* A full table has the next function, too, whatever it is written in. */
	return is_sure || !t->is_stripped || end <= start ? end : end_by_flow(t, start, end);
}
