/*
 * Records of the BPF program (v8_walker.bpf.c): decoded and kept for the sample that follows, or
 * expanded into the sample that they replace, as the kernel would have written it, except that
 * words that cannot be addresses are zero (thin_stack.bpf.h).
 */
#include "record/v8_walker_int.h"

static struct walker_output *find_output(const struct v8_walker *w, const struct perf_record *r)
{
	uint64_t id = perf_record_ids(w->formats, r).id;
	for (uint32_t i = 0; i < w->outputs.n; i++)
		if (w->outputs.p[i].id == id)
			return &w->outputs.p[i];
	return NULL;
}

/* Before Linux 6.0, LOST records carry the id of the event that writes next, which may be ours: they are not. */
bool v8_walker_wrote(const void *state, const struct perf_record *r)
{
	return r->type == PERF_RECORD_SAMPLE && find_output(state, r);
}

static bool read_output(const struct v8_walker *w, const struct perf_record *r,
			struct walker_output_record *out)
{
	struct perf_sample s;
	if (!v8_walker_wrote(w, r) || !perf_sample_read(w->formats, r, &s))
		return false;
	*out = (struct walker_output_record){ .pid = (uint32_t)s.ids.pid,
					      .tid = (uint32_t)s.ids.tid,
					      .cpu = (uint32_t)s.ids.cpu,
					      .time_ns = s.ids.time_ns,
					      .bytes = s.raw };
	return true;
}

/* From the header to the chain of a sample, as requested by attributes_complete. */
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

/* A repeated frame must come after the one it refers to, which must be complete itself. */
static bool is_frame(const struct written *w, uint32_t at, uint32_t *next)
{
	uint32_t same = written_frame(w->words, at, next);
	if (!(written_word(w->words, at) & WALKER_IS_REPEATED))
		return *next <= w->head.words;
	uint64_t word = same < at ? written_word(w->words, same) : WALKER_IS_REPEATED;
	return !(word & WALKER_IS_REPEATED) && same + words_of_frame(word) <= at;
}

/* The number of words of all frames, or UINT32_MAX if there are not enough. */
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

/* Returns false if it is another record, or if a sample follows it. */
static bool read_thin(const struct v8_walker *w, const struct perf_record *r, struct written *out)
{
	return read_output(w, r, &out->record) && written_decode(out->record.bytes, out) &&
	       out->head.is_sample;
}

/*
 * Walked frames become a chain like the kernel's. Longer ones are truncated at the kernel's limit,
 * so that they are recognized as truncated (stack_ends.c of module perf).
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
	words += 4; /* sizes of chain and copy, used size of the copy, the registers' ABI */
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

/* Expands a piece, which starts with its bitmap, into zeroed memory. Returns the index of the next one. */
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
		.ip = w->head.registers[REGISTER_PC],
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

/* A record with JavaScript frames is kept before its sample. */
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

/* --- walked stacks, for the sample that follows --- */

/* Keeps the stack for the sample that follows. */
void v8_walker_fresh_record(void *state, const struct perf_record *r)
{
	struct v8_walker *w = state;
	struct walker_output_record written;
	if (!read_output(w, r, &written))
		return;
	struct walker_output *o = find_output(w, r);
	o->tid = (int32_t)written.tid;
	o->time_ns = written.time_ns;
	o->bytes.n = 0;
	buf_add(&o->bytes, written.bytes);
}

/* before is the fp of the previous frame. Returns the index of the next one. */
static uint32_t read_frame(const char *words, uint32_t at, uint64_t before, struct v8_raw_frame *f)
{
	uint32_t next, i = written_frame(words, at, &next);
	uint64_t pc = written_word(words, i), fp = written_word(words, i + 1);
	if (i != at)
		fp = before + (written_word(words, at) & UINT32_MAX) * sizeof(uint64_t);
	*f = (struct v8_raw_frame){ .pc = pc & ~WALKER_FLAGS, .fp = fp };
	if (!(pc & WALKER_HAS_SLOTS))
		return next;
	f->is_shared = pc & WALKER_IS_SHARED;
	f->context = written_word(words, i + 2);
	f->function = written_word(words, i + 3);
	f->bytecode_array = written_word(words, i + 4);
	f->bytecode_offset = written_word(words, i + 5);
	return next;
}

bool v8_walker_decode(struct str bytes, struct v8_walked *out)
{
	struct written w;
	if (!written_decode(bytes, &w) || !w.head.frames)
		return false;
	written_top(&w, out->top);
	out->registers =
		v8_registers_of_perf(USER_REGISTERS, w.head.registers,
				     (struct str){ (const char *)out->top, sizeof(out->top) });
	out->n = w.head.frames;
	out->has_more = w.head.has_more;
	for (uint32_t i = 0, at = 0; i < w.head.frames; i++)
		at = read_frame(w.words, at, i ? out->frames[i - 1].fp : 0, &out->frames[i]);
	return true;
}

/* Takes the stack kept for a sample. Returns false if there is none. */
static bool find_walked(struct v8_walker *w, const struct perf_ids *ids)
{
	/* Which of the two gets its timestamp first depends on the kernel; both belong to one interrupt. */
	enum { SAME_NS = 10000000 };
	for (uint32_t i = 0; i < w->outputs.n; i++) {
		struct walker_output *o = &w->outputs.p[i];
		if (o->tid != ids->tid)
			continue;
		o->tid = 0;
		if (o->time_ns + SAME_NS > ids->time_ns && ids->time_ns + SAME_NS > o->time_ns)
			return v8_walker_decode(buf_str(&o->bytes), &w->walked);
	}
	return false;
}

/* Whether it belongs to this very sample, if that has registers to compare. */
static bool is_same(const struct v8_registers *walked, struct fresh_sample *s)
{
	if (!fresh_sample_has_state(s))
		return true;
	struct v8_registers r =
		v8_registers_of_perf(s->state.mask, s->state.registers, s->state.stack);
	return r.pc == walked->pc && r.sp == walked->sp && r.fp == walked->fp;
}

void v8_walker_fresh_sample(void *state, struct fresh_sample *s)
{
	struct v8_walker *w = state;
	if (!find_walked(w, &s->ids) || !is_same(&w->walked.registers, s))
		return;
	s->walked = &w->walked;
	s->has_more_walked = w->walked.has_more;
	for (uint32_t i = 0; i < w->walked.n; i++)
		fresh_sample_add_walked(s, (struct perf_walked_frame){ w->walked.frames[i].pc,
								       w->walked.frames[i].fp });
}
