/*
 * Thins out copies of stacks in the kernel. Most of what a sample costs a program is the copy of its stack: 8 KB of
 * cache each time. Most words there are zero, text, or numbers that cannot be addresses, and the unwinder needs only
 * addresses. Dropping the rest makes a copy two thirds smaller. It replaces the kernel's sample.
 */
#pragma once

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct thin_settings);
} thinning SEC(".maps");

static const struct thin_settings *thin_settings(void)
{
	uint32_t zero = 0;
	return bpf_map_lookup_elem(&thinning, &zero);
}

enum { PIECE_BYTES = THIN_WORDS * 8 };

/*
 * Where the thread's stack ends, if that is near: where the arguments begin in a program's first thread, or at the
 * thread-local storage that the C library puts there in others. Nothing beyond is a return address.
 */
static uint64_t stack_end(uint64_t sp)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	uint64_t first = task->mm->start_stack, others = task->thread.fsbase;
	uint64_t end = first > sp ? first : ~0ull;
	return others > sp && others < end ? others : end;
}

/* Number of pieces before an address. */
static uint32_t pieces_before(const struct scratch *s, uint64_t end, uint32_t most)
{
	enum { BEHIND = 64 }; /* needed to recognize a root without unwind tables */
	uint64_t bytes = end - s->sp;
	if (bytes >= (uint64_t)most * PIECE_BYTES)
		return most;
	uint32_t pieces = (bytes + BEHIND + PIECE_BYTES - 1) / PIECE_BYTES;
	return pieces < most ? pieces : most;
}

/*
 * Keeps possible addresses and small numbers: 0 < word <= 2^47. Branch-free, as branches would be
 * mispredicted. Returns the number of words after that.
 */
CHECKED_ONCE int thin_piece(struct scratch *s, uint32_t piece, uint32_t n)
{
	uint32_t at = n;
	uint64_t bits = 0;
	if (!s || piece >= THIN_PIECES)
		return 0;
	const uint64_t *words = s->raw + piece * THIN_WORDS;
	n++;
#pragma clang loop unroll(full)
	for (uint32_t i = 0; i < THIN_WORDS; i++) {
		uint64_t word = words[i];
		uint64_t is_kept = (((word - 1) >> 47) - 1) >> 63;
		s->record.words[n & (WALKER_ROOM_WORDS - 1)] = word;
		n += is_kept;
		bits |= is_kept << i;
	}
	s->record.words[at & (WALKER_ROOM_WORDS - 1)] = bits;
	return n;
}

/*
 * Reads piece i of the stack, or the part of it before the next page and zeros after that. Returns
 * 0 if nothing could be read.
 */
static int read_piece(struct scratch *s, uint32_t i, uint32_t at)
{
	enum { PAGE = 4096 };
	if (at >= THIN_PIECES)
		return 0;
	uint64_t *to = s->raw + at * THIN_WORDS, from = s->sp + i * PIECE_BYTES;
	if (bpf_probe_read_user(to, PIECE_BYTES, (void *)from) == 0)
		return 1;
	uint64_t rest = PAGE - (from & (PAGE - 1));
	return rest < PIECE_BYTES && bpf_probe_read_user(to, rest, (void *)from) == 0;
}

/* Reads as much of the top of the stack as possible. */
CHECKED_ONCE int read_raw(struct scratch *s, uint32_t pieces)
{
	uint64_t bytes = (uint64_t)pieces * PIECE_BYTES;
	uint32_t i = 0;
	if (!s || bytes > sizeof(s->raw))
		return 0;
	if (bpf_probe_read_user(s->raw, bytes, (void *)s->sp) == 0) {
		s->raw_words = pieces * THIN_WORDS;
		return 0;
	}
#pragma clang loop unroll(disable)
	for (i = 0; i < THIN_PIECES; i++)
		if (i >= pieces || !read_piece(s, i, i))
			break;
	s->raw_words = i * THIN_WORDS;
	return 0;
}

/*
 * Returns 0 if the result is too large. If nobody else needed raw, it is empty, and each piece is
 * read into the same place: every cache line written here is one that the program loses.
 */
CHECKED_ONCE int thin_pieces(struct scratch *s, uint32_t pieces)
{
	uint32_t i, n, is_raw;
	if (!s)
		return 0;
	n = s->n;
	is_raw = s->raw_words != 0;
	if (is_raw && pieces > s->raw_words / THIN_WORDS)
		pieces = s->raw_words / THIN_WORDS;
#pragma clang loop unroll(disable)
	for (i = 0; i < THIN_PIECES; i++) {
		if (i >= pieces || (!is_raw && !read_piece(s, i, 0)))
			break;
		if (n > WALKER_MOST_WORDS - THIN_WORDS - 1)
			return 0;
		n = thin_piece(s, is_raw ? i : 0, n);
	}
	s->record.head.pieces = i;
	s->n = n;
	return 1;
}

/*
 * Takes the frame pointer chain that the kernel made for this sample. Returns 0 if there is none,
 * -1 if it may be truncated.
 */
static int take_chain(void *context, struct scratch *s, const struct thin_settings *settings)
{
	long bytes = bpf_get_stack(context, s->record.words, THIN_CHAIN_WORDS * sizeof(uint64_t),
				   BPF_F_USER_STACK);
	uint64_t n = (uint64_t)bytes / sizeof(uint64_t);
	if (bytes < 0)
		return 0;
	if (n > settings->max_chain || n >= THIN_CHAIN_WORDS)
		return -1;
	s->record.head.chain = s->n = n;
	return 1;
}

/* Only 64-bit user code. Not system calls, whose chain is not available here. */
static int is_user_code(const struct bpf_perf_event_data *context)
{
	enum { USER_CODE = 0x33 };
	return context->regs.cs == USER_CODE;
}
