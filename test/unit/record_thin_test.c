/* Thin copies of stacks: whole samples are made of them, as the kernel would have written them. */
#include "record/v8_walker_int.h"
#include "tap.h"

enum { PIECES = 2, CHAIN = 3 };

static void add_word(struct buf *out, uint64_t word)
{
	buf_add(out, (struct str){ (const char *)&word, sizeof(word) });
}

/* Of the first piece the words 0, 5 and 63 are there, of the second none. */
static void make_record(struct buf *out)
{
	struct walker_head head = { .is_sample = 1,
				    .pieces = PIECES,
				    .chain = CHAIN,
				    .words = CHAIN + 1 + 3 + 1,
				    .period = 200040 };
	for (uint64_t i = 0; i < WALKER_REGISTERS; i++)
		head.registers[i] = 0x100 + i;
	buf_add(out, (struct str){ (const char *)&head, sizeof(head) });
	add_word(out, PERF_CONTEXT_USER);
	add_word(out, 0x401000);
	add_word(out, 0x402000);
	add_word(out, 1ull << 0 | 1ull << 5 | 1ull << 63);
	add_word(out, 0xa0);
	add_word(out, 0xa5);
	add_word(out, 0xb3);
	add_word(out, 0);
	buf_add(out, (struct str){ "\0\0\0\0", 4 }); /* as the kernel pads */
}

static struct perf_event_attr attr_of(bool has_period)
{
	return (struct perf_event_attr){
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
			       (has_period ? PERF_SAMPLE_PERIOD : 0),
	};
}

static uint64_t word_at(const struct buf *b, size_t i)
{
	uint64_t word = 0;
	memcpy(&word, b->p + i * sizeof(word), sizeof(word));
	return word;
}

static void make_sample(struct str record, bool has_period, struct buf *out)
{
	struct written t = { .record = { .pid = 7, .tid = 8, .cpu = 1, .time_ns = 999 } };
	struct perf_event_attr attr = attr_of(has_period);
	tap_ok(written_decode(record, &t), "a record is decoded");
	size_t n = thin_sample_bytes(&attr, &t);
	char *p = buf_reserve(out, n);
	char *end = thin_put_sample(p, &attr, 42, &t);
	out->n = n;
	tap_ok(end == p + n, "the sample is as large as was said");
}

static void check_copy(const struct buf *sample, size_t at)
{
	size_t words = PIECES * THIN_WORDS, others = 0;
	tap_ok(word_at(sample, at) == words * 8, "the copy's size");
	tap_ok(word_at(sample, at + 1) == 0xa0 && word_at(sample, at + 6) == 0xa5 &&
		       word_at(sample, at + 64) == 0xb3,
	       "words that were kept are in their places");
	for (size_t i = 0; i < words; i++)
		others += word_at(sample, at + 1 + i) != 0;
	tap_ok(others == 3, "the others are zero");
	tap_ok(word_at(sample, at + 1 + words) == words * 8, "all of it is there");
	tap_ok(sample->n == (at + 2 + words) * 8, "nothing is behind it");
}

static void check_whole(struct str record, bool has_period)
{
	AUTO(buf) struct buf sample = { 0 };
	struct perf_event_header h;
	make_sample(record, has_period, &sample);
	memcpy(&h, sample.p, sizeof(h));
	tap_ok(h.type == PERF_RECORD_SAMPLE && h.misc == PERF_RECORD_MISC_USER &&
		       h.size == sample.n,
	       "its header");
	tap_ok(word_at(&sample, 1) == 42 && word_at(&sample, 2) == 0x108, "id, ip");
	tap_ok(word_at(&sample, 3) == (8ull << 32 | 7) && word_at(&sample, 4) == 999 &&
		       word_at(&sample, 5) == 1,
	       "pid, tid, time, cpu");
	size_t at = 6;
	if (has_period)
		tap_ok(word_at(&sample, at++) == 200040, "period");
	tap_ok(word_at(&sample, at) == CHAIN && word_at(&sample, at + 1) == PERF_CONTEXT_USER &&
		       word_at(&sample, at + 3) == 0x402000,
	       "chain");
	at += 1 + CHAIN;
	tap_ok(word_at(&sample, at) == PERF_SAMPLE_REGS_ABI_64 &&
		       word_at(&sample, at + 1) == 0x100 &&
		       word_at(&sample, at + WALKER_REGISTERS) == 0x100 + WALKER_REGISTERS - 1,
	       "registers");
	check_copy(&sample, at + 1 + WALKER_REGISTERS);
}

/* A kernel that leaves the mark out of the chain. */
static void check_unmarked(const struct buf *record)
{
	AUTO(buf) struct buf changed = { 0 }, sample = { 0 };
	const uint64_t address = 0x400000;
	buf_add(&changed, buf_str(record));
	memcpy(changed.p + sizeof(struct walker_head), &address, sizeof(address));
	make_sample(buf_str(&changed), false, &sample);
	tap_ok(word_at(&sample, 6) == CHAIN + 1 && word_at(&sample, 7) == PERF_CONTEXT_USER &&
		       word_at(&sample, 8) == address,
	       "a chain without the mark gets one");
}

static void check_damaged(const struct buf *record)
{
	AUTO(buf) struct buf changed = { 0 };
	struct written t = { 0 };
	bool any = false;
	for (size_t n = 0; n + 4 < record->n; n++)
		any |= written_decode((struct str){ record->p, n }, &t);
	tap_ok(!any, "a record that is cut anywhere is refused");
	for (size_t i = 0; i < 6; i++) { /* is_sample, frames, has_more, chain, pieces, words */
		changed.n = 0;
		buf_add(&changed, buf_str(record));
		changed.p[i * 4 + 2] = 0x7f;
		any |= i != 2 && written_decode(buf_str(&changed), &t);
	}
	tap_ok(!any, "so is one with sizes that cannot be");
	/* More bits than words: what is there is taken. */
	changed.n = 0;
	buf_add(&changed, buf_str(record));
	memset(changed.p + sizeof(struct walker_head) + CHAIN * 8, 0xff, 8);
	AUTO(buf) struct buf sample = { 0 };
	make_sample(buf_str(&changed), true, &sample);
}

int main(void)
{
	AUTO(buf) struct buf record = { 0 };
	make_record(&record);
	check_whole(buf_str(&record), true);
	check_whole(buf_str(&record), false);
	check_unmarked(&record);
	check_damaged(&record);
	return tap_done();
}
