/*
 * .plume files that are cut, changed or made to lie: what stands before the damage is read, and the
 * fault names its block.
 */
#include "random.h"
#include "store/store_int.h"
#include "store_profile.h"

#include <zstd.h>

/* --- files of known blocks --- */

/* Where each block ends, and how many rows stand before that. */
struct layout {
	VEC(size_t) ends; /* [0]: of the head */
	VEC(uint32_t) rows;
};

static void layout_fini(struct layout *l)
{
	vec_fini(&l->ends);
	vec_fini(&l->rows);
}

/* A file of a few small blocks. */
static void write_blocks(struct buf *bytes, struct layout *l)
{
	char path[32];
	struct err e = { 0 };
	struct profile *p = everything();
	struct samples all = p->samples;
	int fd = nameless_file(path);
	struct writer *out = writer_open_live(path, &e);
	struct store_writer *w = store_writer_new(out);
	vec_push(&l->ends, (size_t)STORE_HEAD_BYTES);
	vec_push(&l->rows, 0);
	for (p->samples.n = 0; p->samples.n < all.n;) {
		p->samples.n += 28;
		str_id_of(p, p->samples.n == 28 ? "a" : "b");
		store_writer_append(w, p);
		read_all(fd, bytes);
		vec_push(&l->ends, bytes->n);
		vec_push(&l->rows, p->samples.n);
	}
	store_writer_end(w, p);
	tap_ok(writer_commit(out, &e), "a file of four blocks is written");
	store_writer_free(w);
	writer_free(out);
	read_all(fd, bytes);
	vec_push(&l->ends, bytes->n);
	vec_push(&l->rows, p->samples.n);
	close(fd);
	profile_unref(p);
}

/* How many blocks end at or before the byte. */
static uint32_t blocks_before(const struct layout *l, size_t byte)
{
	uint32_t n = 0;
	while (n + 1 < l->ends.n && l->ends.p[n + 1] <= byte)
		n++;
	return n;
}

static bool cut_is_right(struct str bytes, const struct layout *l, size_t cut)
{
	struct profile *p = profile_new(COLUMNS_ALL);
	AUTO_FREE char *copy = mem_alloc(cut + 1, 1);
	struct store_reader *r = store_reader_new(p, true);
	uint32_t blocks = blocks_before(l, cut);
	memcpy(copy, bytes.p, cut);
	size_t done = store_reader_feed(r, (struct str){ copy, cut }, 0);
	bool ok = store_reader_state(r) == (cut == bytes.n ? STORE_ENDED : STORE_OPEN) &&
		  store_reader_blocks(r) == blocks && p->samples.n == l->rows.p[blocks] &&
		  done == (cut < STORE_HEAD_BYTES ? 0 : l->ends.p[blocks]);
	/* What is missing may come later. */
	done += store_reader_feed(r, str_from_byte(bytes, done), done);
	ok = ok && store_reader_state(r) == STORE_ENDED && done == bytes.n;
	store_reader_free(r);
	profile_unref(p);
	return ok;
}

static void check_cuts(struct str bytes, const struct layout *l)
{
	size_t right = 0;
	for (size_t cut = 0; cut <= bytes.n; cut++)
		right += cut_is_right(bytes, l, cut);
	tap_num_eq(right, bytes.n + 1, "cut at every byte: exactly the whole blocks are read");
}

static bool flip_is_seen(struct str bytes, const struct layout *l, size_t at)
{
	struct profile *p = profile_new(COLUMNS_ALL);
	AUTO(buf) struct buf changed = { 0 };
	uint32_t before = at < STORE_HEAD_BYTES ? 0 : blocks_before(l, at);
	size_t start = at < STORE_HEAD_BYTES ? 0 : l->ends.p[before];
	buf_add(&changed, bytes);
	changed.p[at] ^= (char)(1 << at % 8);
	struct store_reader *r = read_store(buf_str(&changed), p);
	enum store_state state = store_reader_state(r);
	/* A length that grew beyond the file looks like a block still to come. */
	bool ok = p->samples.n == l->rows.p[before] && store_reader_blocks(r) == before &&
		  (state == STORE_OPEN ||
		   (state == STORE_BROKEN && store_reader_fault_offset(r) == start &&
		    store_reader_fault(r)[0]));
	bool is_minor_version = at == 10 || at == 11;
	if (is_minor_version)
		ok = state == STORE_ENDED && p->samples.n == l->rows.p[l->rows.n - 1];
	if (!ok)
		printf("# byte %zu: state %u, %u samples, %s\n", at, state, p->samples.n,
		       store_reader_fault(r));
	store_reader_free(r);
	profile_unref(p);
	return ok;
}

static void check_flips(struct str bytes, const struct layout *l)
{
	size_t seen = 0;
	for (size_t at = 0; at < bytes.n; at++)
		seen += flip_is_seen(bytes, l, at);
	tap_num_eq(seen, bytes.n,
		   "a bit flipped in every byte is seen, and what is before it read");
}

/* --- blocks made by hand --- */

static void put_raw_block(struct buf *file, struct store_block_head h, struct str stored)
{
	h.magic = htole32(STORE_BLOCK_MAGIC);
	h.stored_bytes = htole32((uint32_t)stored.n);
	h.checksum = htole64(store_checksum(&h, stored));
	buf_add(file, (struct str){ (const char *)&h, sizeof(h) });
	buf_add(file, stored);
}

static void put_block(struct buf *file, uint64_t number, enum store_block_kind kind, struct str raw)
{
	struct store_block_head h = { .kind = (uint8_t)kind,
				      .raw_bytes = htole32((uint32_t)raw.n),
				      .number = htole64(number) };
	put_raw_block(file, h, raw);
}

static void put_head(struct buf *file, uint16_t major, uint16_t minor)
{
	struct store_head h = { .major = htole16(major), .minor = htole16(minor) };
	memcpy(h.magic, store_magic.p, sizeof(h.magic));
	file->n = 0;
	buf_add(file, (struct str){ (const char *)&h, sizeof(h) });
}

#define PART(tag, ...)                                                                             \
	put_part(raw, tag, (const uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }))

static void put_part(struct buf *raw, unsigned tag, const uint8_t *bytes, size_t n)
{
	buf_add_varint(raw, tag);
	buf_add_varint(raw, n);
	buf_add(raw, (struct str){ (const char *)bytes, n });
}

/* Two strings, two frames, two stacks, a thread, an event, a label and its set, two samples. */
static void put_base(struct buf *file)
{
	AUTO(buf) struct buf base = { 0 };
	struct buf *raw = &base;
	PART(STORE_STRINGS, 2, 1, 1, 'a', 'b');
	PART(STORE_FRAMES, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	PART(STORE_NODES, 2, 1, 1, 0, 1);
	PART(STORE_THREADS, 1, 2, 2, 1, 0);
	PART(STORE_EVENTS, 1, 1, 0, 0, 2);
	PART(STORE_LABELS, 1, 1, 1, 0, 2, 5);
	PART(STORE_LABEL_SETS, 1, 1, 0);
	PART(STORE_SAMPLES, 2, 0, 1, 1, 2, 1, 0, 1, 2, 0, 0, 3, 0, 1, 4, 0, 7);
	put_head(file, STORE_MAJOR, STORE_MINOR);
	put_block(file, 0, STORE_BLOCK_DATA, buf_str(&base));
}

static void check_base(void)
{
	AUTO(buf) struct buf file = { 0 };
	struct profile *p = profile_new(COLUMNS_ALL);
	put_base(&file);
	put_block(&file, 1, STORE_BLOCK_END, STR("\2"));
	struct store_reader *r = read_store(buf_str(&file), p);
	tap_num_eq(store_reader_state(r), STORE_ENDED, "a file made by hand is read");
	tap_ok(p->samples.n == 2 && p->samples.cpu[0] == -1 && p->samples.period[1] == 7 &&
		       p->threads.p[p->samples.thread[0]].tid == 2 &&
		       p->ledger.count[LEDGER_NO_TIME] == 2 &&
		       str_eq(profile_str(p, p->frames.p[1].name), STR("b")),
	       "... as it was meant");
	store_reader_free(r);
	profile_unref(p);
}

/* A file whose second block is as given is refused there, for the reason given. */
static void refused(const struct buf *file, size_t start, uint32_t rows, const char *reason,
		    const char *name)
{
	struct profile *p = profile_new(COLUMNS_ALL);
	struct store_reader *r = read_store(buf_str(file), p);
	bool ok = store_reader_state(r) == STORE_BROKEN && store_reader_fault_offset(r) == start &&
		  p->samples.n == rows && strstr(store_reader_fault(r), reason) != NULL;
	tap_ok(ok, "%s", name);
	if (!ok)
		printf("# state %u at %llu (block at %zu), %u samples: '%s', not '%s'\n",
		       store_reader_state(r), (unsigned long long)store_reader_fault_offset(r),
		       start, p->samples.n, store_reader_fault(r), reason);
	store_reader_free(r);
	profile_unref(p);
}

struct content {
	const char *name, *reason;
	struct str bytes; /* of the block */
};

static const struct content contents[] = {
	{ "a part without its length", "beyond its block", STR("\1") },
	{ "a part beyond its block", "beyond its block", STR("\1\x05\1\1") },
	{ "a part of 2^63 bytes", "beyond its block",
	  STR("\1\x80\x80\x80\x80\x80\x80\x80\x80\x80\1") },
	{ "a varint of 11 bytes", "beyond its block",
	  STR("\1\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\0") },
	{ "a varint of 65 bits", "beyond its block",
	  STR("\x7f\x80\x80\x80\x80\x80\x80\x80\x80\x80\2") },
	{ "an empty part of strings", "more than its bytes", STR("\1\0") },
	{ "more strings than bytes", "more than its bytes", STR("\1\2\x7f\0") },
	{ "2^32 strings", "more than its bytes", STR("\1\7\x80\x80\x80\x80\x10\0\0") },
	{ "a string beyond its part", "beyond its part", STR("\1\3\1\5x") },
	{ "strings that leave bytes over", "too many", STR("\1\4\1\1xy") },
	{ "a frame of a string that is not there", "string 5", STR("\2\x09\1\x06\0\3\0\0\0\0\0") },
	{ "a frame of a string before the first", "string 18446744073709551615",
	  STR("\2\x09\1\5\0\0\0\0\0\0\0") },
	{ "a frame of a module that is not there", "string 3", STR("\2\x09\1\0\3\0\0\0\0\0\0") },
	{ "a line of 2^32", "line", STR("\2\x0d\1\0\0\0\x80\x80\x80\x80\x10\0\0\0\0") },
	{ "a tier of 256", "tier", STR("\2\x0a\1\0\0\0\0\0\0\x80\2\0") },
	{ "flags of 2^16", "flags", STR("\2\x0b\1\0\0\0\0\0\0\0\x80\x80\4") },
	{ "a table that ends in its last column", "table", STR("\2\x08\1\0\0\0\0\0\0\0") },
	{ "a table whose last row is cut", "table ends", STR("\2\x09\1\0\0\0\0\0\0\0\x80") },
	{ "a stack at distance 0", "does not come before it", STR("\3\3\1\0\0") },
	{ "a stack before the empty one", "does not come before it", STR("\3\3\1\4\0") },
	{ "a stack of a frame that is not there", "frame 2", STR("\3\3\1\1\2") },
	{ "a pid of 2^31", "32 bits", STR("\4\x09\1\x80\x80\x80\x80\x10\0\0\0\0") },
	{ "a tid of 2^31", "32 bits", STR("\4\x09\1\0\x80\x80\x80\x80\x10\0\0") },
	{ "a comm that is not there", "string 9", STR("\4\5\1\0\0\x09\0") },
	{ "a container that is not there", "string 9", STR("\4\5\1\0\0\0\x09") },
	{ "an event of a name that is not there", "string 3", STR("\5\5\1\3\0\0\0") },
	{ "an event of 10 decimals", "decimals", STR("\5\5\1\1\0\0\x0a") },
	{ "decimals of an event that is not there", "event 1", STR("\6\2\1\3") },
	{ "decimals without a number", "decimals", STR("\6\1\0") },
	{ "decimals that get fewer", "decimals", STR("\6\2\0\1") },
	{ "decimals of 10", "decimals", STR("\6\2\0\x0a") },
	{ "a label of a key that is not there", "string 3", STR("\7\6\1\3\0\0\0\0") },
	{ "a label of a text that is not there", "string 3", STR("\7\6\1\0\0\3\0\0") },
	{ "a label of a unit that is not there", "string 3", STR("\7\6\1\0\1\0\3\0") },
	{ "a set of labels at distance 0", "label set", STR("\x08\3\1\0\0") },
	{ "a set of labels at distance 3", "label set", STR("\x08\3\1\3\0") },
	{ "a set of a label that is not there", "label set", STR("\x08\3\1\1\1") },
	{ "a mark on a thread that is not there", "thread 2", STR("\x0a\6\1\0\0\2\0\0") },
	{ "a mark of a kind that is not there", "string 3", STR("\x0a\6\1\0\0\0\3\0") },
	{ "a fact of a text that is not there", "string 3", STR("\x0b\3\1\0\3") },
	{ "a module of a path that is not there", "string 3", STR("\x0c\3\1\3\0") },
	{ "a ledger that ends in a name", "ledger", STR("\x0d\3\5xy") },
	{ "a ledger that ends without a number", "ledger", STR("\x0d\3\2xy") },
	{ "flags without a number", "flags", STR("\x0e\0") },
	{ "flags that leave bytes over", "too many", STR("\x0e\2\1\1") },
	{ "unnamed frames of a file that is not there", "string 3", STR("\x0f\5\1\3\0\0\1") },
	{ "unnamed frames for a reason that is not there", "string 3", STR("\x0f\5\1\0\3\0\1") },
	{ "unnamed frames with a fix that is not there", "string 3", STR("\x0f\5\1\0\0\3\1") },
	{ "more rows of unnamed frames than bytes", "more than its bytes",
	  STR("\x0f\5\2\0\0\0\1") },
	{ "unnamed frames without a number", "table ends", STR("\x0f\5\1\0\0\0\x80") },
	{ "columns of no frames", "columns of 0 frames", STR("\x10\1\0") },
	{ "columns of 2^20 + 1 frames", "columns of 1048577", STR("\x10\3\x81\x80\x40") },
	{ "a column of frames twice", "twice", STR("\x10\7\1\0\1\0\0\1\0") },
	{ "column 64 of frames", "too large", STR("\x10\4\1\x40\1\0") },
	{ "a column of frames in way 3", "3, which this version", STR("\x10\4\1\0\3\0") },
	{ "a column of frames that ends early", "ends early", STR("\x10\4\2\0\1\0") },
	{ "a function's file that is not there", "string 3",
	  STR("\x10\4\1\0\1\3\2\x09\1\0\0\0\0\0\0\0\0") },
	{ "a function's line of 2^32", "line 4294967296",
	  STR("\x10\x08\1\1\1\x80\x80\x80\x80\x10\2\x09\1\0\0\0\0\0\0\0\0") },
	{ "a function's column of 2^32", "column 4294967296",
	  STR("\x10\x08\1\2\1\x80\x80\x80\x80\x10\2\x09\1\0\0\0\0\0\0\0\0") },
	{ "columns of more frames than follow", "columns of 2 frames come before 1",
	  STR("\x10\4\2\0\0\0\2\x09\1\0\0\0\0\0\0\0\0") },
	{ "no samples", "0 samples", STR("\x09\x10\0\0\0\1\1\0\1\2\0\0\3\0\1\4\0\7") },
	{ "2^20 + 1 samples", "1048577 samples",
	  STR("\x09\x12\x81\x80\x40\0\0\1\1\0\1\2\0\0\3\0\1\4\0\7") },
	{ "a stack that is not there", "stack 3", STR("\x09\x10\1\0\0\3\1\0\1\2\0\0\3\0\1\4\0\7") },
	{ "a thread that is not there", "thread 2",
	  STR("\x09\x10\1\0\0\1\1\0\2\2\0\0\3\0\1\4\0\7") },
	{ "an event that is not there", "event 1",
	  STR("\x09\x10\1\0\0\1\1\0\1\2\0\1\3\0\1\4\0\7") },
	{ "labels that are not there", "label set 2",
	  STR("\x09\x13\1\0\0\1\1\0\1\2\0\0\3\0\1\4\0\7\7\0\2") },
	{ "a cpu of 2^31", "cpu",
	  STR("\x09\x17\1\0\0\1\1\0\1\2\0\0\3\0\1\4\0\7\6\0\x80\x80\x80\x80\x10") },
	{ "a column twice", "twice", STR("\x09\x13\1\0\0\1\1\0\1\2\0\0\3\0\1\4\0\7\4\0\7") },
	{ "a column missing", "column 4 is missing", STR("\x09\x0d\1\0\0\1\1\0\1\2\0\0\3\0\1") },
	{ "a column that is not known", "column 8",
	  STR("\x09\x13\1\0\0\1\1\0\1\2\0\0\3\0\1\4\0\7\x08\0\2") },
	{ "a column written in way 3", "3, which this version",
	  STR("\x09\x10\1\0\3\1\1\0\1\2\0\0\3\0\1\4\0\7") },
	{ "a column that ends early", "ends early",
	  STR("\x09\x10\2\0\0\1\1\0\1\2\0\0\3\0\1\4\1\7") },
	{ "a difference that leads below 0", "stack 18446744073709551615",
	  STR("\x09\x10\1\0\2\1\1\0\1\2\0\0\3\0\1\4\0\7") },
};

static void check_contents(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(contents); i++) {
		AUTO(buf) struct buf file = { 0 };
		put_base(&file);
		size_t start = file.n;
		put_block(&file, 1, STORE_BLOCK_DATA, contents[i].bytes);
		put_block(&file, 2, STORE_BLOCK_END, STR("\2"));
		refused(&file, start, 2, contents[i].reason, contents[i].name);
	}
}

/* Many parts of equal rows fit in few bytes: the limit is the block's. */
static void check_row_limit(void)
{
	AUTO(buf) struct buf file = { 0 }, content = { 0 };
	struct str half = STR("\x09\x12\x80\x80\x20\0\0\1\1\0\1\2\0\0\3\0\1\4\0\7"); /* 2^19 */
	put_base(&file);
	size_t start = file.n;
	for (unsigned i = 0; i < 3; i++)
		buf_add(&content, half);
	put_block(&file, 1, STORE_BLOCK_DATA, buf_str(&content));
	refused(&file, start, 2 + (1 << 20), "524288 samples", "2^20 rows in a block, and no more");
}

/* A small file of many blocks, each within its limit. */
static void check_row_bomb(void)
{
	AUTO(buf) struct buf file = { 0 };
	struct profile *p = profile_new(0);
	struct store_reader *r = store_reader_new(p, true);
	struct str half = STR("\x09\x12\x80\x80\x20\0\0\1\1\0\1\2\0\0\3\0\1\4\0\7"); /* 2^19 */
	put_base(&file);
	for (unsigned i = 1; i < 64; i++)
		put_block(&file, i, STORE_BLOCK_DATA, half);
	store_reader_feed(r, buf_str(&file), 0);
	tap_ok(store_reader_state(r) == STORE_BROKEN &&
		       strstr(store_reader_fault(r), "more than a file of its size can hold"),
	       "%zu bytes that claim 33 million samples: %s", file.n, store_reader_fault(r));
	tap_num_eq(p->ledger.count[LEDGER_SAMPLES] >> 19, 32, "the first 2^24 are read");
	store_reader_free(r);
	profile_unref(p);
}

/* A chain of stacks that no reader would make. */
static void check_depth(void)
{
	enum { DEPTH = (1 << 20) + 1 };
	AUTO(buf) struct buf file = { 0 }, content = { 0 }, part = { 0 };
	put_base(&file);
	size_t start = file.n;
	buf_add_varint(&part, DEPTH);
	buf_add_varint(&part, 3); /* on the empty stack, then each on the one before */
	for (unsigned i = 1; i < DEPTH; i++)
		buf_add_varint(&part, 1);
	for (unsigned i = 0; i < DEPTH; i++)
		buf_add_varint(&part, 0);
	put_part(&content, STORE_NODES, (const uint8_t *)part.p, part.n);
	put_block(&file, 1, STORE_BLOCK_DATA, buf_str(&content));
	refused(&file, start, 2, "too deep", "a stack of 2^20 + 1 frames");
}

/* --- heads of blocks that lie, under a right checksum --- */

static void with_head(const char *name, const char *reason, struct store_block_head h,
		      struct str stored)
{
	AUTO(buf) struct buf file = { 0 };
	put_base(&file);
	size_t start = file.n;
	put_raw_block(&file, h, stored);
	refused(&file, start, 2, reason, name);
}

static struct store_block_head block_head(uint8_t codec, uint8_t kind, uint32_t raw_bytes)
{
	return (struct store_block_head){
		.codec = codec, .kind = kind, .raw_bytes = htole32(raw_bytes), .number = htole64(1)
	};
}

/* 2^27 empty strings fit into a few kB. */
static void check_table_bomb(void)
{
	enum { ROWS = STORE_FREE_TABLE_ROWS + (1 << 20) };
	AUTO(buf) struct buf file = { 0 }, part = { 0 }, content = { 0 };
	put_base(&file);
	size_t start = file.n;
	buf_add_varint(&part, ROWS);
	memset(buf_reserve(&part, ROWS), 0, ROWS);
	part.n += ROWS;
	put_part(&content, STORE_STRINGS, (const uint8_t *)part.p, part.n);
	AUTO(buf) struct buf packed = { 0 };
	size_t room = ZSTD_compressBound(content.n);
	packed.n = ZSTD_compress(buf_reserve(&packed, room), room, content.p, content.n, 1);
	struct store_block_head h =
		block_head(STORE_CODEC_ZSTD, STORE_BLOCK_DATA, (uint32_t)content.n);
	put_raw_block(&file, h, buf_str(&packed));
	refused(&file, start, 2, "more than a file of its size can hold",
		"five million empty strings");
}

static void check_heads(void)
{
	struct store_block_head h = block_head(0, 0, 2);
	struct str empty_part = STR("\x7f\0");
	h.number = htole64(2);
	with_head("a block that is missing", "block 2 is where block 1 should be", h, empty_part);
	h.number = 0;
	with_head("a block that comes again", "block 0", h, empty_part);
	with_head("a length that is not the content's", "length", block_head(0, 0, 3), empty_part);
	with_head("a packing that is not known", "2, which this version", block_head(2, 0, 2),
		  empty_part);
	with_head("a kind that is not known", "kind 2", block_head(0, 2, 2), empty_part);
	with_head("2^27 + 1 bytes unpacked", "an impossible size", block_head(1, 0, (1 << 27) + 1),
		  empty_part);
	with_head("an end mark with another number", "3 rows", block_head(0, 1, 1), STR("\3"));
	with_head("an end mark without a number", "not a number", block_head(0, 1, 0), STR(""));
	with_head("an end mark with two numbers", "not a number", block_head(0, 1, 2), STR("\2\2"));
	with_head("what is no zstd frame", "decompressed", block_head(1, 0, 9), STR("no frame"));
}

static void check_frames_of_zstd(void)
{
	AUTO_FREE char *zeros = mem_zalloc(1 << 20, 1);
	char packed[4096];
	size_t n = ZSTD_compress(packed, sizeof(packed), zeros, 1 << 20, 19);
	struct str frame = { packed, n };
	with_head("a frame that unpacks to more than it says", "decompressed",
		  block_head(1, 0, 1000), frame);
	with_head("a frame that unpacks to less", "shorter", block_head(1, 0, (1 << 20) + 1),
		  frame);
	with_head("a frame of 1 MB that claims 2^27 bytes", "shorter", block_head(1, 0, 1 << 27),
		  frame);
	with_head("a frame that is cut", "decompressed", block_head(1, 0, 1 << 20),
		  str_first(frame, n - 1));
	with_head("bytes behind a frame", "decompressed", block_head(1, 0, 1 << 20),
		  (struct str){ packed, n + 5 });
	with_head("no frame at all", "shorter", block_head(1, 0, 9), STR(""));
}

/* --- versions --- */

static void check_versions(void)
{
	AUTO(buf) struct buf file = { 0 }, parts = { 0 };
	struct buf *raw = &parts;
	struct profile *p = profile_new(COLUMNS_ALL);
	put_base(&file);
	PART(99, 1, 2, 3);
	PART(STORE_SAMPLES, 1, 0, 0, 1, 1, 0, 1, 2, 0, 0, 3, 0, 1, 4, 0, 7);
	PART(1000, 0);
	put_block(&file, 1, STORE_BLOCK_DATA, buf_str(&parts));
	put_block(&file, 2, STORE_BLOCK_END, STR("\3"));
	file.p[10] = 7;
	struct store_reader *r = read_store(buf_str(&file), p);
	tap_num_eq(store_reader_state(r), STORE_ENDED, "a higher minor version is read");
	tap_num_eq(store_reader_unknown_parts(r), 2, "parts that are not known are counted");
	tap_num_eq(p->samples.n, 3, "... and passed over");
	store_reader_free(r);
	profile_unref(p);
	file.p[8] = 2;
	refused(&file, 0, 0, "version 2.7, but this plume reads 1.x",
		"another major version is refused");
	put_base(&file);
	file.p[0] = 'x';
	refused(&file, 0, 0, "not begin like a .plume file", "other first bytes are refused");
}

static void check_behind_fault(void)
{
	AUTO(buf) struct buf file = { 0 };
	struct profile *p = profile_new(COLUMNS_ALL);
	put_base(&file);
	put_block(&file, 5, STORE_BLOCK_DATA, STR("\x7f\0"));
	struct store_reader *r = read_store(buf_str(&file), p);
	put_base(&file);
	tap_num_eq(store_reader_feed(r, buf_str(&file), 1000), file.n,
		   "bytes behind a fault are done with");
	tap_ok(p->samples.n == 2 && store_reader_fault_offset(r) < 1000, "... and not read");
	store_reader_free(r);
	profile_unref(p);
}

int main(void)
{
	AUTO(buf) struct buf bytes = { 0 };
	AUTO(layout) struct layout l = { 0 };
	write_blocks(&bytes, &l);
	check_cuts(buf_str(&bytes), &l);
	check_flips(buf_str(&bytes), &l);
	check_base();
	check_contents();
	check_row_limit();
	check_depth();
	check_row_bomb();
	check_table_bomb();
	check_heads();
	check_frames_of_zstd();
	check_versions();
	check_behind_fault();
	return tap_done();
}
