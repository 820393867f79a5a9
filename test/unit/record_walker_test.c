/* What the program in the kernel writes, whole and damaged. */
#include "record/v8_walker_int.h"
#include "tap.h"

enum { DEPTH = 3, FRAME_WORDS = 2 + 2 * WALKER_FRAME_WORDS };

static void add_word(struct buf *out, uint64_t word)
{
	buf_add(out, (struct str){ (const char *)&word, sizeof(word) });
}

/* A frame without slots, a SharedFunctionInfo, a JSFunction; a piece of the stack with its first and third word. */
static void make_record(struct buf *out, uint32_t is_sample)
{
	struct walker_head head = {
		.is_sample = is_sample, .frames = DEPTH, .pieces = 1, .words = FRAME_WORDS + 3
	};
	head.registers[REGISTER_PC] = 0x1000;
	head.registers[REGISTER_SP] = 0x2000;
	head.registers[REGISTER_FP] = 0x2010;
	head.registers[5] = 4; /* rdi, rcx and r9 of x86-64 */
	head.registers[2] = 5;
	head.registers[13] = 6;
	buf_add(out, (struct str){ (const char *)&head, sizeof(head) });
	add_word(out, 0x1000);
	add_word(out, 0x2010);
	for (uint64_t i = 1; i < DEPTH; i++) {
		add_word(out, (0x1000 + i) | WALKER_HAS_SLOTS | (i == 1 ? WALKER_IS_SHARED : 0));
		add_word(out, 0x2010 + i * 0x100);
		add_word(out, 0x5001);
		add_word(out, 0x6001 + i * 8);
		add_word(out, 0x7001);
		add_word(out, i << 32);
	}
	add_word(out, 5);
	add_word(out, 0xabcd);
	add_word(out, 0xef01);
	buf_add(out, (struct str){ "\0\0\0\0", 4 }); /* as the kernel pads */
}

static void check_whole(struct str bytes)
{
	struct v8_walked w;
	tap_ok(v8_walker_decode(bytes, &w), "a record is decoded");
	const struct v8_registers *r = &w.registers;
	tap_ok(r->pc == 0x1000 && r->sp == 0x2000 && r->fp == 0x2010, "pc, sp, fp");
	tap_ok(r->function == 4 && r->return_address == 5 && r->bytecode_offset == 6,
	       "registers by what V8 uses them for");
	uint64_t top[3] = { 0 };
	memcpy(top, r->top.p, sizeof(top));
	tap_ok(r->top.n == THIN_WORDS * sizeof(*top) && top[0] == 0xabcd && top[1] == 0 &&
		       top[2] == 0xef01,
	       "the top of the stack");
	tap_ok(w.n == DEPTH && !w.has_more, "all its frames");
	tap_ok(w.frames[0].pc == 0x1000 && w.frames[0].fp == 0x2010 && !w.frames[0].context &&
		       !w.frames[0].function,
	       "a frame of other code has its addresses only");
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
	for (uint32_t frames = DEPTH + 2; frames; frames <<= 1) {
		memcpy(record->p + offsetof(struct walker_head, frames), &frames, sizeof(frames));
		any |= v8_walker_decode(buf_str(record), &w);
	}
	tap_ok(!any, "a record with fewer frames than it says is refused");
}

/* What was walked is the sample's chain, without flags; the stack is its copy. */
static void check_sample(const struct buf *record)
{
	AUTO(buf) struct buf sample = { 0 };
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_CALLCHAIN };
	struct written w = { .record = { .pid = 7 } };
	uint64_t chain[DEPTH + 2];
	enum { CHAIN_AT = 48 };
	tap_ok(written_decode(buf_str(record), &w) && w.head.is_sample,
	       "a record that is a sample");
	size_t n = thin_sample_bytes(&attr, &w);
	char *p = buf_reserve(&sample, n);
	tap_ok(thin_put_sample(p, &attr, 1, &w) == p + n, "the sample is as large as was said");
	memcpy(chain, p + CHAIN_AT, sizeof(chain));
	tap_ok(chain[0] == DEPTH + 1 && chain[1] == PERF_CONTEXT_USER && chain[2] == 0x1000 &&
		       chain[3] == 0x1001 && chain[4] == 0x1002,
	       "its chain");
	size_t copy_at = CHAIN_AT + sizeof(chain) + (1 + WALKER_REGISTERS) * 8;
	uint64_t copy[4];
	memcpy(copy, p + copy_at, sizeof(copy));
	tap_ok(copy[0] == THIN_WORDS * 8 && copy[1] == 0xabcd && copy[2] == 0 && copy[3] == 0xef01,
	       "its copy of the stack");
}

/* The kernel has chains of 127 addresses at most: who goes on behind them expects it. */
static void check_long(void)
{
	AUTO(buf) struct buf record = { 0 };
	AUTO(buf) struct buf sample = { 0 };
	enum { FRAMES = 300, CHAIN_AT = 48 };
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_CALLCHAIN };
	struct walker_head head = { .is_sample = 1, .frames = FRAMES, .words = 2 * FRAMES };
	struct written w = { .record = { .pid = 7 } };
	uint64_t n, last;
	buf_add(&record, (struct str){ (const char *)&head, sizeof(head) });
	for (uint64_t i = 0; i < 2 * FRAMES; i++)
		add_word(&record, 0x1000 + i);
	tap_ok(written_decode(buf_str(&record), &w), "a deep stack is decoded");
	char *p = buf_reserve(&sample, thin_sample_bytes(&attr, &w));
	tap_ok(thin_put_sample(p, &attr, 1, &w) == p + thin_sample_bytes(&attr, &w),
	       "... its sample is as large as was said");
	memcpy(&n, p + CHAIN_AT, sizeof(n));
	memcpy(&last, p + CHAIN_AT + n * sizeof(last), sizeof(last));
	tap_ok(n == 128 && last == 0x1000 + 2 * 126, "... and its chain is cut as the kernel's");
}

/* A frame that is another one again is one word. */
static void check_repeated(void)
{
	AUTO(buf) struct buf record = { 0 };
	struct walker_head head = { .frames = 3, .words = WALKER_FRAME_WORDS + 2 };
	struct v8_walked w;
	buf_add(&record, (struct str){ (const char *)&head, sizeof(head) });
	const uint64_t words[] = {
		0x1000 | WALKER_HAS_SLOTS | WALKER_IS_SHARED,
		0x2010,
		0x5001,
		0x6001,
		0x7001,
		1ull << 32,
		WALKER_IS_REPEATED | 4,
		WALKER_IS_REPEATED | 2,
	};
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		add_word(&record, words[i]);
	tap_ok(v8_walker_decode(buf_str(&record), &w) && w.n == 3, "repeated frames are decoded");
	tap_ok(w.frames[1].fp == 0x2030 && w.frames[2].fp == 0x2040,
	       "... each with a frame pointer of its own");
	tap_ok(w.frames[2].pc == 0x1000 && w.frames[2].is_shared &&
		       w.frames[2].function == 0x6001 && w.frames[2].bytecode_offset == 1ull << 32,
	       "... and with what the first one has");
	/* What it repeats is itself, a repeated one, behind it. */
	const uint64_t bad[] = { 7, 6, 8, WALKER_ROOM_WORDS - 1 };
	bool any = false;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		uint64_t word = WALKER_IS_REPEATED | bad[i] << 32 | 2;
		memcpy(record.p + sizeof(head) + 7 * sizeof(word), &word, sizeof(word));
		any |= v8_walker_decode(buf_str(&record), &w);
	}
	tap_ok(!any, "one that repeats what is no frame is refused");
}

/* Before Linux 6.0 a LOST record has the id of the event that writes next: it must be counted all the same. */
static void check_lost(void)
{
	enum { OUTPUT = 77 };
	struct v8_walker w = { .formats = perf_events_new() };
	struct perf_event_attr attr = { .size = sizeof(attr),
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID,
					.sample_id_all = 1 };
	struct {
		struct perf_event_header h;
		uint64_t id, lost;
		uint32_t pid, tid;
		uint64_t event;
	} r = { .h = { .size = sizeof(r) }, .id = OUTPUT, .lost = 9, .event = OUTPUT };
	struct perf_record record;
	perf_events_add(w.formats, &attr, NULL);
	vec_push(&w.outputs, (struct walker_output){ .id = OUTPUT });
	for (unsigned i = 0; i < 2; i++) {
		uint64_t lost = 0;
		r.h.type = i ? PERF_RECORD_LOST : PERF_RECORD_SAMPLE;
		struct perf_records left = perf_records_of((const char *)&r, sizeof(r));
		tap_ok(perf_records_next(&left, &record), "a record of type %u", r.h.type);
		tap_ok(v8_walker_wrote(&w, &record) == !i, "only a sample is the program's own");
		if (i)
			tap_ok(perf_lost_read(w.formats, &record, &lost) && lost == 9,
			       "what was lost is counted");
	}
	vec_fini(&w.outputs);
	perf_events_free(w.formats);
}

int main(void)
{
	for (uint32_t is_sample = 0; is_sample < 2; is_sample++) {
		AUTO(buf) struct buf record = { 0 };
		make_record(&record, is_sample);
		check_whole(buf_str(&record));
		if (is_sample)
			check_sample(&record);
		check_damaged(&record);
	}
	check_long();
	check_repeated();
	check_lost();
	return tap_done();
}
