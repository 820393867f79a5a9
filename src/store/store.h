/*
 * .plume: a profile on disk that keeps everything. Blocks are appended during a recording, each
 * self-contained and with a checksum, so a file cut short by a crash is readable up to its last
 * complete block, and a growing file can be followed. doc/formats/plume.md describes the bytes.
 */
#pragma once
#include "model/model.h"

enum { STORE_MAJOR = 1, STORE_MINOR = 2 };

/* The first bytes of every file. */
extern const struct str store_magic;

/* Whether a file with these last bytes is complete: at least STORE_TAIL_BYTES of them, or the whole file. */
enum { STORE_TAIL_BYTES = 64 };
bool store_tail_is_end(struct str tail);

/* Whether a file of this size holds nothing but a header. */
bool store_is_empty(uint64_t size_bytes);

/* --- writing --- */

struct store_writer;

/* Writes the header. The caller keeps the writer. */
struct store_writer *store_writer_new(struct writer *out);
void store_writer_free(struct store_writer *w);
/*
 * For a copy inside something that is compressed as a whole, such as a page. Its blocks are not
 * compressed, and it records how the profile was read (damage, notes), so that requests get the same
 * answers. Only store_writer_end may follow.
 */
void store_writer_set_copy(struct store_writer *w);
/*
 * Appends blocks with everything p has gained since the last call, and flushes them. p may still be
 * growing, but only by rows at its end: it has COLUMN_ORDER, or is written in one go.
 */
void store_writer_append(struct store_writer *w, const struct profile *p);
/* Appends the rest and the end mark. */
void store_writer_end(struct store_writer *w, const struct profile *p);

/* --- reading --- */

enum store_state {
	STORE_OPEN,   /* more blocks may follow */
	STORE_ENDED,  /* the end mark was read */
	STORE_BROKEN, /* store_reader_fault says what is wrong, and nothing more is read */
};

struct store_reader;

/*
 * Reads into p, which may already hold other profiles. Without keeps_lines each function is one
 * frame, at the place where it begins.
 */
struct store_reader *store_reader_new(struct profile *p, bool keeps_lines);
void store_reader_free(struct store_reader *r);
/*
 * Reads the complete blocks at the start of bytes, which begin at byte `offset` of the file;
 * returns how many bytes were consumed. The rest is passed again, with more after it.
 */
size_t store_reader_feed(struct store_reader *r, struct str bytes, uint64_t offset);
enum store_state store_reader_state(const struct store_reader *r);
/* What is wrong and where, if the state is STORE_BROKEN. */
const char *store_reader_fault(const struct store_reader *r);
uint64_t store_reader_fault_offset(const struct store_reader *r);
/* The number of complete blocks read. */
uint64_t store_reader_blocks(const struct store_reader *r);
/* The number of parts, written by a newer plume, that this one does not know. */
uint64_t store_reader_unknown_parts(const struct store_reader *r);
/* The file has a version that kept one line per function, and it has such lines. */
bool store_reader_lacks_lines(const struct store_reader *r);
