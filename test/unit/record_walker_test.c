/* What the program in the kernel writes, whole and damaged. */
#include "record/v8_walker_int.h"
#include "tap.h"

enum { DEPTH = 3 };

static void make_record(struct buf *out)
{
	struct walker_head head = { .frames = DEPTH, .pc = 0x1000, .sp = 0x2000, .fp = 0x2010 };
	head.di = 4;
	head.cx = 5;
	head.r9 = 6;
	head.top[0] = 0xabcd;
	buf_add(out, (struct str){ (const char *)&head, sizeof(head) });
	for (uint64_t i = 0; i < DEPTH; i++) {
		struct walker_frame f = { .pc = 0x1000 + i,
					  .context = 0x5001,
					  .function = 0x6001 + i * 8,
					  .bytecode_array = 0x7001,
					  .bytecode_offset = i << 32 };
		if (i == 1)
			f.pc |= WALKER_IS_SHARED;
		buf_add(out, (struct str){ (const char *)&f, sizeof(f) });
	}
	buf_add(out, (struct str){ "\0\0\0\0", 4 }); /* as the kernel pads */
}

static void check_whole(struct str bytes)
{
	struct v8_walked w;
	tap_ok(v8_walker_decode(bytes, &w), "a record is decoded");
	const struct v8_registers *r = &w.registers;
	tap_ok(r->pc == 0x1000 && r->sp == 0x2000 && r->fp == 0x2010, "pc, sp, fp");
	tap_ok(r->di == 4 && r->cx == 5 && r->r9 == 6, "di, cx, r9");
	uint64_t top = 0;
	memcpy(&top, r->top.p, sizeof(top));
	tap_ok(r->top.n == WALKER_TOP_WORDS * sizeof(top) && top == 0xabcd, "the top of the stack");
	tap_ok(w.n == DEPTH && !w.has_more, "all its frames");
	tap_ok(w.frames[1].pc == 0x1001 && w.frames[1].is_shared && w.frames[1].function == 0x6009,
	       "a SharedFunctionInfo is told from a JSFunction, and its pc is clean");
	tap_ok(w.frames[2].pc == 0x1002 && !w.frames[2].is_shared &&
		       w.frames[2].bytecode_offset == 2ull << 32 && w.frames[2].context == 0x5001 &&
		       w.frames[2].bytecode_array == 0x7001,
	       "a frame's words");
}

static void check_damaged(struct buf *record)
{
	struct v8_walked w;
	size_t whole = record->n - 4;
	bool any = false;
	for (size_t n = 0; n < whole; n++)
		any |= v8_walker_decode((struct str){ record->p, n }, &w);
	tap_ok(!any, "a record that is cut anywhere is refused");
	for (uint32_t frames = DEPTH + 1; frames; frames <<= 1) {
		memcpy(record->p, &frames, sizeof(frames));
		any |= v8_walker_decode(buf_str(record), &w);
	}
	tap_ok(!any, "a record with fewer frames than it says is refused");
}

int main(void)
{
	AUTO(buf) struct buf record = { 0 };
	make_record(&record);
	check_whole(buf_str(&record));
	check_damaged(&record);
	return tap_done();
}
