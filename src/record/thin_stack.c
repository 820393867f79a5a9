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

static uint32_t words_of_frame(uint64_t word)
{
	return word & WALKER_IS_REPEATED ? 1 : word & WALKER_HAS_SLOTS ? WALKER_FRAME_WORDS : 2;
}

uint32_t written_frame(const char *words, uint32_t at, uint32_t *next)
{
	uint64_t word = written_word(words, at);
	*next = at + words_of_frame(word);
	return word & WALKER_IS_REPEATED ? word >> 32 & (WALKER_ROOM_WORDS - 1) : at;
}

/* One that stands for another must come behind it, and that one must stand for itself. */
static bool is_frame(const struct written *w, uint32_t at, uint32_t *next)
{
	uint32_t same = written_frame(w->words, at, next);
	if (!(written_word(w->words, at) & WALKER_IS_REPEATED))
		return *next <= w->head.words;
	uint64_t word = same < at ? written_word(w->words, same) : WALKER_IS_REPEATED;
	return !(word & WALKER_IS_REPEATED) && same + words_of_frame(word) <= at;
}

/* How many words the frames take; UINT32_MAX: more than there are. */
static uint32_t frame_words(const struct written *w)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < w->head.frames; i++)
		if (at >= w->head.words || !is_frame(w, at, &at))
			return UINT32_MAX;
	return at;
}

bool written_decode(struct str bytes, struct written *out)
{
	struct walker_head *h = &out->head;
	if (bytes.n < sizeof(*h))
		return false;
	memcpy(h, bytes.p, sizeof(*h));
	out->words = bytes.p + sizeof(*h);
	if (h->is_sample > 1 || h->frames > WALKER_FRAMES || h->pieces > THIN_PIECES ||
	    h->words > WALKER_ROOM_WORDS || h->words > (bytes.n - sizeof(*h)) / sizeof(uint64_t))
		return false;
	out->frame_words = frame_words(out);
	if (out->frame_words > h->words || h->chain > h->words - out->frame_words)
		return false;
	out->has_context =
		h->chain && written_word(out->words, out->frame_words) == PERF_CONTEXT_USER;
	return true;
}

/* False: it is another record, or a sample follows it. */
static bool read_thin(const struct v8_walker *w, const struct perf_record *r, struct written *out)
{
	return v8_walker_read(w, r, &out->record) && written_decode(out->record.bytes, out) &&
	       out->head.is_sample;
}

/*
 * What was walked is a chain, as the kernel's is; longer ones are cut where it cuts them, and known to be (walked.c of
 * module perf).
 */
static uint32_t chain_length(const struct written *w)
{
	enum { USUAL_MAX_STACK = 127 };
	uint32_t frames = w->head.frames < USUAL_MAX_STACK ? w->head.frames : USUAL_MAX_STACK;
	return frames + w->head.chain + !w->has_context;
}

size_t thin_sample_bytes(const struct perf_event_attr *attr, const struct written *w)
{
	size_t words = chain_length(w) + WALKER_REGISTERS + w->head.pieces * THIN_WORDS;
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

static char *put_chain(char *to, const struct written *w)
{
	uint32_t n = chain_length(w), at = 0;
	to = put(to, n);
	if (!w->has_context)
		to = put(to, PERF_CONTEXT_USER);
	for (uint32_t i = 0; i < w->head.frames && i + 1 < n; i++) {
		uint64_t pc = written_word(w->words, written_frame(w->words, at, &at));
		to = put(to, pc & ~WALKER_FLAGS);
	}
	memcpy(to, w->words + w->frame_words * sizeof(uint64_t), w->head.chain * sizeof(uint64_t));
	return to + w->head.chain * sizeof(uint64_t);
}

/* A piece, whose bits are at a word, into zeros. Returns where the next one is. */
static uint32_t put_piece(char *to, const struct written *w, uint32_t at)
{
	if (at >= w->head.words)
		return at;
	uint64_t bits = written_word(w->words, at++);
	for (; bits && at < w->head.words; bits &= bits - 1)
		put(to + (size_t)__builtin_ctzll(bits) * sizeof(uint64_t),
		    written_word(w->words, at++));
	return at;
}

void written_top(const struct written *w, uint64_t words[static THIN_WORDS])
{
	memset(words, 0, THIN_WORDS * sizeof(*words));
	if (w->head.pieces)
		put_piece((char *)words, w, w->frame_words + w->head.chain);
}

static char *put_copy(char *to, const struct written *w)
{
	const size_t piece_bytes = THIN_WORDS * sizeof(uint64_t);
	size_t bytes = w->head.pieces * piece_bytes;
	uint32_t at = w->frame_words + w->head.chain;
	to = put(to, bytes);
	memset(to, 0, bytes);
	for (uint32_t i = 0; i < w->head.pieces; i++)
		at = put_piece(to + i * piece_bytes, w, at);
	return put(to + bytes, bytes);
}

char *thin_put_sample(char *to, const struct perf_event_attr *attr, uint64_t id,
		      const struct written *w)
{
	struct sample_begin b = {
		.header = { .type = PERF_RECORD_SAMPLE,
			    .misc = PERF_RECORD_MISC_USER,
			    .size = (uint16_t)thin_sample_bytes(attr, w) },
		.id = id,
		.ip = w->head.registers[WALKER_IP],
		.pid = w->record.pid,
		.tid = w->record.tid,
		.time_ns = w->record.time_ns,
		.cpu = w->record.cpu,
	};
	memcpy(to, &b, sizeof(b));
	to += sizeof(b);
	if (attr->sample_type & PERF_SAMPLE_PERIOD)
		to = put(to, w->head.period);
	to = put_chain(to, w);
	to = put(to, PERF_SAMPLE_REGS_ABI_64);
	memcpy(to, w->head.registers, sizeof(w->head.registers));
	return put_copy(to + sizeof(w->head.registers), w);
}

/* What has frames of JavaScript stays in front of its sample. */
static size_t kept_bytes(const struct written *w, const struct perf_record *r)
{
	return w->head.frames ? r->size : 0;
}

size_t thin_whole_bytes(const void *walker, const char *bytes, size_t n)
{
	const struct v8_walker *w = walker;
	const struct perf_event_attr *attr = &w->collecting->events->attrs.p[0];
	struct perf_records left = perf_records_of(bytes, n);
	struct perf_record r;
	struct written written;
	size_t whole = 0, thin = 0;
	while (w->outputs.n && perf_records_next(&left, &r)) {
		bool is_thin = read_thin(w, &r, &written);
		thin += is_thin;
		whole += is_thin ? kept_bytes(&written, &r) + thin_sample_bytes(attr, &written)
				 : r.size;
	}
	return thin ? whole + left.n : 0;
}

void thin_make_whole(void *walker, const char *bytes, size_t n, char *to)
{
	struct v8_walker *w = walker;
	const struct opened_events *x = w->collecting->events;
	struct perf_records left = perf_records_of(bytes, n);
	struct perf_record r;
	struct written written;
	while (perf_records_next(&left, &r)) {
		bool is_thin = read_thin(w, &r, &written);
		size_t kept = is_thin ? kept_bytes(&written, &r) : r.size;
		memcpy(to, r.bytes, kept);
		to += kept;
		if (is_thin)
			to = thin_put_sample(to, &x->attrs.p[0], x->list.p[0].id, &written);
		w->collecting->thinned += is_thin;
	}
	memcpy(to, left.p, left.n);
}
