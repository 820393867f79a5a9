/*
 * Samples with thin copies of stacks (thin_stack.bpf.h), made whole again: as the kernel would have written
 * them, but for words that no address looks like, which are zero.
 */
#include "record/v8_walker_int.h"

#include <asm/perf_regs.h>

uint32_t thin_pieces_of(const struct opened_events *x)
{
	const struct perf_event_attr *attr = &x->attrs.p[0];
	const uint64_t stacks =
		PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	const uint32_t piece_bytes = THIN_WORDS * sizeof(uint64_t);
	/* Of several events it would not be known whose sample it is. */
	bool can = x->attrs.n == 1 && attr->type != PERF_TYPE_TRACEPOINT &&
		   (attr->sample_type & stacks) == stacks;
	return can && attr->sample_stack_user <= THIN_PIECES * piece_bytes
		       ? attr->sample_stack_user / piece_bytes
		       : 0;
}

/* What is between header and chain of a sample, as attributes_complete asks for it. */
struct sample_begin {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, unused;
};

static uint64_t word_at(const char *words, size_t i)
{
	uint64_t word;
	memcpy(&word, words + i * sizeof(word), sizeof(word));
	return word;
}

bool thin_decode(struct str bytes, struct thin *out)
{
	struct thin_head *h = &out->head;
	if (bytes.n < sizeof(*h))
		return false;
	memcpy(h, bytes.p, sizeof(*h));
	out->words = bytes.p + sizeof(*h);
	if (h->mark != THIN_MARK || h->pieces > THIN_PIECES || h->chain > h->words ||
	    h->words > THIN_ROOM_WORDS || h->words > (bytes.n - sizeof(*h)) / sizeof(uint64_t))
		return false;
	out->has_context = h->chain && word_at(out->words, 0) == PERF_CONTEXT_USER;
	return true;
}

/* False: it is another record. */
static bool read_thin(const struct v8_walker *w, const char *bytes, struct thin *out)
{
	return v8_walker_read(w, bytes, &out->record) && thin_decode(out->record.bytes, out);
}

size_t thin_sample_bytes(const struct perf_event_attr *attr, const struct thin *t)
{
	size_t words =
		t->head.chain + !t->has_context + THIN_REGISTERS + t->head.pieces * THIN_WORDS;
	words +=
		4; /* lengths of chain and copy, how much of the copy is there, the registers' kind */
	words += (attr->sample_type & PERF_SAMPLE_PERIOD) != 0;
	return sizeof(struct sample_begin) + words * sizeof(uint64_t);
}

static char *put(char *to, uint64_t word)
{
	memcpy(to, &word, sizeof(word));
	return to + sizeof(word);
}

static char *put_chain(char *to, const struct thin *t)
{
	to = put(to, t->head.chain + !t->has_context);
	if (!t->has_context)
		to = put(to, PERF_CONTEXT_USER);
	memcpy(to, t->words, t->head.chain * sizeof(uint64_t));
	return to + t->head.chain * sizeof(uint64_t);
}

static char *put_copy(char *to, const struct thin *t)
{
	size_t bytes = (size_t)t->head.pieces * THIN_WORDS * sizeof(uint64_t);
	uint32_t at = t->head.chain;
	to = put(to, bytes);
	memset(to, 0, bytes);
	for (uint32_t i = 0; i < t->head.pieces && at < t->head.words; i++) {
		uint64_t bits = word_at(t->words, at++);
		for (; bits && at < t->head.words; bits &= bits - 1) {
			size_t k = i * THIN_WORDS + (size_t)__builtin_ctzll(bits);
			put(to + k * sizeof(uint64_t), word_at(t->words, at++));
		}
	}
	return put(to + bytes, bytes);
}

char *thin_put_sample(char *to, const struct perf_event_attr *attr, uint64_t id,
		      const struct thin *t)
{
	enum { IP_AT = 8 };
	struct sample_begin b = {
		.header = { .type = PERF_RECORD_SAMPLE,
			    .misc = PERF_RECORD_MISC_USER,
			    .size = (uint16_t)thin_sample_bytes(attr, t) },
		.id = id,
		.ip = t->head.registers[IP_AT],
		.pid = t->record.pid,
		.tid = t->record.tid,
		.time_ns = t->record.time_ns,
		.cpu = t->record.cpu,
	};
	memcpy(to, &b, sizeof(b));
	to += sizeof(b);
	if (attr->sample_type & PERF_SAMPLE_PERIOD)
		to = put(to, t->head.period);
	to = put_chain(to, t);
	to = put(to, PERF_SAMPLE_REGS_ABI_64);
	memcpy(to, t->head.registers, sizeof(t->head.registers));
	return put_copy(to + sizeof(t->head.registers), t);
}

static bool next_record(const char *bytes, size_t n, struct perf_event_header *h)
{
	if (n < sizeof(*h))
		return false;
	memcpy(h, bytes, sizeof(*h));
	return h->size >= sizeof(*h) && h->size <= n;
}

size_t thin_whole_bytes(const struct opened_events *x, const char *bytes, size_t n)
{
	struct perf_event_header h;
	struct thin t;
	size_t whole = 0, thin = 0;
	if (!x->walker)
		return 0;
	for (; next_record(bytes, n, &h); bytes += h.size, n -= h.size) {
		bool is_thin = read_thin(x->walker, bytes, &t);
		thin += is_thin;
		whole += is_thin ? thin_sample_bytes(&x->attrs.p[0], &t) : h.size;
	}
	return thin ? whole + n : 0;
}

void thin_make_whole(struct opened_events *x, const char *bytes, size_t n, char *to)
{
	struct perf_event_header h;
	struct thin t;
	for (; next_record(bytes, n, &h); bytes += h.size, n -= h.size) {
		if (read_thin(x->walker, bytes, &t)) {
			x->thin_samples++;
			to = thin_put_sample(to, &x->attrs.p[0], x->list.p[0].id, &t);
			continue;
		}
		memcpy(to, bytes, h.size);
		to += h.size;
	}
	memcpy(to, bytes, n);
}
