/*
 * .plume files: the bytes as a file, and, to get behind the checksum, as the content of a block that
 * follows a good one. What was read is written and read again.
 */
#include "source_fuzz.h"
#include "store/store_int.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static struct profile *read_file(struct str bytes, size_t step, unsigned columns)
{
	struct source_options options = { 0 };
	struct profile *p = profile_new(columns);
	struct reader *r = reader_of_memory(bytes, step);
	plume_format.read(r, &options, p);
	reader_free(r);
	return p;
}

static void write_again(const struct profile *p, struct buf *out)
{
	char path[32];
	struct err e = { 0 };
	int fd = memfd_create("again", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct writer *file = writer_open_live(path, &e);
	if (!file)
		abort();
	struct store_writer *w = store_writer_new(file);
	store_writer_end(w, p);
	if (!writer_commit(file, &e))
		abort();
	store_writer_free(w);
	writer_free(file);
	for (ssize_t n; (n = read(fd, buf_reserve(out, 65536), 65536)) > 0;)
		out->n += (size_t)n;
	close(fd);
}

/* Rows without frames say nothing, and are not written. */
static uint32_t unnamed_rows(const struct profile *p)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->unnamed.n; i++)
		n += p->unnamed.p[i].frames > 0;
	return n;
}

static void check_same(const struct profile *a, const struct profile *b)
{
	static const enum ledger_line lines[] = { LEDGER_SAMPLES, LEDGER_NO_STACK };
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (a->ledger.count[lines[i]] != b->ledger.count[lines[i]])
			abort();
	if (unnamed_rows(a) != unnamed_rows(b))
		abort();
	if (a->samples.n != b->samples.n || a->is_differential != b->is_differential)
		abort();
}

static void check_file(struct str bytes, unsigned columns)
{
	AUTO(buf) struct buf again = { 0 };
	struct profile *whole = read_file(bytes, 0, columns);
	struct profile *pieces = read_file(bytes, bytes.n / 7 + 1, columns);
	check_same(whole, pieces);
	profile_unref(pieces);
	if (!whole->samples.n) {
		profile_unref(whole);
		return;
	}
	write_again(whole, &again);
	struct profile *back = read_file(buf_str(&again), 0, columns);
	if (back->samples.n != whole->samples.n || back->nodes.n != whole->nodes.n ||
	    back->frames.n != whole->frames.n || back->marks.n != whole->marks.n ||
	    back->ledger.count[LEDGER_INPUT_DAMAGED])
		abort();
	if (!whole->is_differential && query_all(whole) != query_all(back))
		abort();
	profile_unref(whole);
	profile_unref(back);
}

static void add_block(struct buf *file, uint64_t number, struct str content)
{
	struct store_block_head h = { .magic = htole32(STORE_BLOCK_MAGIC),
				      .stored_bytes = htole32((uint32_t)content.n),
				      .raw_bytes = htole32((uint32_t)content.n),
				      .number = htole64(number) };
	h.checksum = htole64(store_checksum(&h, content));
	buf_add(file, (struct str){ (const char *)&h, sizeof(h) });
	buf_add(file, content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Strings, frames, stacks, a thread, an event and a label for the second block to refer to. */
	static const struct str base = STR("\1\5\2\1\1ab\2\x11\2\2\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3"
					   "\5\2\1\1\0\1\4\5\1\2\2\1\0\5\5"
					   "\1\1\0\0\2\7\6\1\1\1\0\2\5\x08\3\1\1\0");
	struct str bytes = { (const char *)data, size };
	AUTO(buf) struct buf file = { 0 };
	struct store_head head = { .major = htole16(STORE_MAJOR) };
	plume_format.probe(bytes);
	if (str_starts(bytes, store_magic)) {
		check_file(bytes, COLUMN_PID | COLUMN_TID);
		return 0;
	}
	memcpy(head.magic, store_magic.p, sizeof(head.magic));
	buf_add(&file, (struct str){ (const char *)&head, sizeof(head) });
	add_block(&file, 0, base);
	add_block(&file, 1, bytes);
	check_file(buf_str(&file), size % 2 ? COLUMNS_ALL : COLUMN_PID | COLUMN_TID);
	return 0;
}
