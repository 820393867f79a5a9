#include "store/reader_int.h"

#include <stdarg.h>

struct store_reader *store_reader_new(struct profile *p, bool keeps_lines)
{
	struct store_reader *r = mem_zalloc(1, sizeof(*r));
	r->p = p;
	r->keeps_lines = keeps_lines;
	r->zstd = ZSTD_createDCtx();
	vec_push(&r->strings, STR_NONE);
	vec_push(&r->nodes, NODE_ROOT);
	vec_push(&r->threads, THREAD_NONE);
	vec_push(&r->label_sets, LABELS_NONE);
	vec_push(&r->stacks, (struct stack_facts){ 0 });
	return r;
}

void store_reader_free(struct store_reader *r)
{
	if (!r)
		return;
	ZSTD_freeDCtx(r->zstd);
	buf_fini(&r->raw);
	for (unsigned c = 0; c < STORE_COLUMNS; c++)
		free(r->columns[c]);
	for (unsigned c = 0; c < STORE_FRAME_COLUMN_COUNT; c++)
		free(r->frame_columns[c]);
	vec_fini(&r->strings);
	vec_fini(&r->frames);
	vec_fini(&r->nodes);
	vec_fini(&r->threads);
	vec_fini(&r->events);
	vec_fini(&r->label_sets);
	vec_fini(&r->labels);
	vec_fini(&r->stacks);
	vec_fini(&r->has_only_sums);
	vec_fini(&r->decimals);
	vec_fini(&r->ledger);
	free(r);
}

enum store_state store_reader_state(const struct store_reader *r)
{
	return r->state;
}

const char *store_reader_fault(const struct store_reader *r)
{
	return r->fault;
}

uint64_t store_reader_fault_offset(const struct store_reader *r)
{
	return r->fault_offset;
}

uint64_t store_reader_blocks(const struct store_reader *r)
{
	return r->blocks;
}

uint64_t store_reader_unknown_parts(const struct store_reader *r)
{
	return r->unknown_parts;
}

bool store_reader_lacks_lines(const struct store_reader *r)
{
	return r->minor < STORE_MINOR_WITH_LINES && r->has_lines;
}

void store_set_fault(struct store_reader *r, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (r->state != STORE_BROKEN)
		vsnprintf(r->fault, sizeof(r->fault), format, args);
	va_end(args);
	r->state = STORE_BROKEN;
}

static bool read_part(struct store_reader *r, uint64_t tag, struct cursor *c)
{
	if (tag == STORE_SAMPLES)
		return store_read_samples(r, c);
	if (tag == STORE_FLAGS) {
		r->p->is_differential |= (cursor_varint(c) & STORE_IS_DIFFERENTIAL) != 0;
		return !c->is_short || fail(r, "the flags are not a number");
	}
	if (tag >= STORE_STRINGS && tag < STORE_PARTS)
		return store_read_table(r, (enum store_part)tag, c);
	r->unknown_parts++;
	c->p = c->end;
	return true;
}

static bool read_parts(struct store_reader *r, struct str raw)
{
	struct cursor c = cursor_over(raw);
	while (cursor_left(&c)) {
		uint64_t tag = cursor_varint(&c), bytes = cursor_varint(&c);
		if (c.is_short || bytes > cursor_left(&c))
			return fail(r, "a part of %llu bytes extends beyond its block",
				    (unsigned long long)bytes);
		struct cursor part = { c.p, c.p + bytes, false };
		if (!read_part(r, tag, &part))
			return false;
		if (cursor_left(&part))
			return fail(r, "a part with tag %llu has %zu bytes too many",
				    (unsigned long long)tag, cursor_left(&part));
		c.p += bytes;
	}
	return true;
}

static bool read_end(struct store_reader *r, struct str raw)
{
	struct cursor c = cursor_over(raw);
	uint64_t rows = cursor_varint(&c);
	if (c.is_short || cursor_left(&c))
		return fail(r, "the end mark is not a number");
	if (rows != r->rows)
		return fail(r, "the end mark counts %llu rows of samples, but the file has %llu",
			    (unsigned long long)rows, (unsigned long long)r->rows);
	r->state = STORE_ENDED;
	return true;
}

/* The block's bytes as they were before compression. */
static bool unpack(struct store_reader *r, const struct store_block_head *h, struct str stored,
		   struct str *raw)
{
	size_t raw_bytes = le32toh(h->raw_bytes);
	*raw = stored;
	if (h->codec == STORE_CODEC_NONE)
		return stored.n == raw_bytes || fail(r, "a block's length is wrong");
	if (h->codec != STORE_CODEC_ZSTD)
		return fail(
			r, "a block uses compression %u, which this version of plume does not know",
			h->codec);
	r->raw.n = 0;
	char *to = buf_reserve(&r->raw, raw_bytes + 1);
	size_t n = ZSTD_decompressDCtx(r->zstd, to, raw_bytes, stored.p, stored.n);
	if (ZSTD_isError(n) || n != raw_bytes)
		return fail(r, "a block cannot be decompressed: %s",
			    ZSTD_isError(n) ? ZSTD_getErrorName(n)
					    : "it is shorter than it claims");
	*raw = (struct str){ to, n };
	return true;
}

static bool check_block_head(struct store_reader *r, const struct store_block_head *h)
{
	if (le32toh(h->magic) != STORE_BLOCK_MAGIC)
		return fail(r, "a block is missing");
	if (le32toh(h->stored_bytes) > STORE_MAX_BLOCK_BYTES ||
	    le32toh(h->raw_bytes) > STORE_MAX_BLOCK_BYTES)
		return fail(r, "a block claims an impossible size: %u bytes, %u unpacked",
			    le32toh(h->stored_bytes), le32toh(h->raw_bytes));
	if (le64toh(h->number) != r->blocks)
		return fail(r, "block %llu is where block %llu should be",
			    (unsigned long long)le64toh(h->number), (unsigned long long)r->blocks);
	return true;
}

/* The block at the start of bytes; returns its length, or 0 when it is not whole or is wrong. */
static size_t read_block(struct store_reader *r, struct str bytes)
{
	struct store_block_head h;
	struct str raw;
	if (bytes.n < sizeof(h))
		return 0;
	memcpy(&h, bytes.p, sizeof(h));
	if (!check_block_head(r, &h))
		return 0;
	size_t stored_bytes = le32toh(h.stored_bytes);
	if (bytes.n - sizeof(h) < stored_bytes)
		return 0;
	r->bytes_at_hand += sizeof(h) + stored_bytes;
	struct str stored = { bytes.p + sizeof(h), stored_bytes };
	if (le64toh(h.checksum) != store_checksum(&h, stored)) {
		store_set_fault(r, "the checksum of a block is wrong");
		return 0;
	}
	if (h.kind > STORE_BLOCK_END) {
		store_set_fault(r, "a block has kind %u, which this version of plume does not know",
				h.kind);
		return 0;
	}
	r->block_rows = 0;
	if (!unpack(r, &h, stored, &raw) ||
	    !(h.kind == STORE_BLOCK_END ? read_end(r, raw) : read_parts(r, raw)))
		return 0;
	r->blocks++;
	return sizeof(h) + stored_bytes;
}

static size_t read_head(struct store_reader *r, struct str bytes)
{
	struct store_head h;
	if (bytes.n < sizeof(h))
		return 0;
	memcpy(&h, bytes.p, sizeof(h));
	if (!str_starts(bytes, store_magic))
		store_set_fault(r, "it does not begin like a .plume file");
	else if (le16toh(h.major) != STORE_MAJOR)
		store_set_fault(r,
				"format version %u.%u, but this plume reads %d.x: use "
				"another version of plume",
				le16toh(h.major), le16toh(h.minor), STORE_MAJOR);
	else if (h.reserved)
		store_set_fault(r, "the file header is damaged");
	r->has_head = true;
	r->minor = le16toh(h.minor);
	return r->state == STORE_BROKEN ? 0 : STORE_HEAD_BYTES;
}

size_t store_reader_feed(struct store_reader *r, struct str bytes, uint64_t offset)
{
	size_t done = 0;
	while (r->state == STORE_OPEN) {
		struct str rest = str_from_byte(bytes, done);
		size_t n = r->has_head ? read_block(r, rest) : read_head(r, rest);
		if (r->state == STORE_BROKEN)
			r->fault_offset = offset + done;
		if (n == 0)
			break;
		done += n;
	}
	/* Nothing behind a fault is read. */
	return r->state == STORE_BROKEN ? bytes.n : done;
}

/* The end mark's content is one varint. */
bool store_tail_is_end(struct str tail)
{
	const size_t head = STORE_BLOCK_HEAD_BYTES;
	for (size_t n = 1; n <= MAX_VARINT_BYTES && tail.n >= head + n; n++) {
		struct store_block_head h;
		memcpy(&h, tail.p + tail.n - head - n, sizeof(h));
		if (h.magic == STORE_BLOCK_MAGIC && h.kind == STORE_BLOCK_END &&
		    h.stored_bytes == n)
			return true;
	}
	return false;
}
