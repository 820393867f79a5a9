/*
 * Reading a file, a pipe or "-" (standard input); gzip and zstd are recognised by their first
 * bytes.
 *
 * The reader shows a window of bytes that have been read and not yet consumed. A plain file is
 * mapped and its window is the whole file from the start; everything else is a stream whose window
 * grows by reader_fill:
 *
 *	do
 *		reader_consume(r, parse(reader_window(r), reader_is_whole(r)));
 *	while (reader_fill(r));
 *
 * Damage (a truncated gzip, a file that shrinks while it is mapped) ends the input where it is;
 * what was readable before it has been shown, and reader_damage says what happened.
 */
#pragma once
#include "base/budget.h"
#include "base/err.h"
#include "base/str.h"

struct reader;

/* NULL and e when the file cannot be opened. */
struct reader *reader_open(const char *path, struct err *e);
/*
 * Bytes in memory, which the caller keeps. step 0: whole, as a mapped file; else a stream that comes
 * step bytes at a time.
 */
struct reader *reader_of_memory(struct str bytes, size_t step);
/*
 * An open file as a stream, never mapped, so that memory stays bounded and it may change meanwhile.
 * fd becomes the reader's.
 */
struct reader *reader_of_fd(int fd, const char *name);
void reader_free(struct reader *r);

/* How messages call the input: its path, or "standard input". */
const char *reader_name(const struct reader *r);
/*
 * True when the window holds all that will ever come: a mapped file from the start, a stream at its
 * end.
 */
bool reader_is_whole(const struct reader *r);
struct str reader_window(const struct reader *r);
/*
 * Drops the first n bytes of the window. Pointers into the window stay valid until the next
 * reader_fill.
 */
void reader_consume(struct reader *r, size_t n);
/*
 * Bytes before `until`, which is in the window, will hardly be looked at again: their memory may be
 * used for other things. They can still be read, from the disk.
 */
void reader_let_go(struct reader *r, const char *until);
/*
 * From here on bytes that are read, and those that they unpack to, are work of this budget, which outlives
 * r. When it is spent the input ends, and that is damage.
 */
void reader_spend(struct reader *r, struct budget *b);
/* Who owns the file, as a descriptor has it; (uid_t)-1: it is none. */
uid_t reader_owner(const struct reader *r);
/* How large the file is, packed; 0: it is none. */
uint64_t reader_file_bytes(const struct reader *r);
/* Drops n bytes, of which a file's are not read. False: there were less. */
bool reader_skip(struct reader *r, uint64_t n);
/* Makes the window longer. False when nothing more comes. */
bool reader_fill(struct reader *r);
/* Waits until reader_fill would not; false when that takes longer than so many milliseconds. */
bool reader_wait(struct reader *r, int milliseconds);
/* Fills until the window holds all that will come. False: that is more than limit bytes. */
bool reader_fill_all(struct reader *r, size_t limit);
/* What comes behind so many (decompressed) bytes is not read, and is damage; a fill may go beyond. */
void reader_limit(struct reader *r, uint64_t bytes);
/* Offset in the (decompressed) input of the window's first byte. */
uint64_t reader_offset(const struct reader *r);
/* What cut the input short, or NULL. */
const char *reader_damage(struct reader *r);
/* When the file was last written (ns since 1970); 0: it is no plain file. */
uint64_t reader_changed_unix_ns(const struct reader *r);
/* "gzip" or "zstd" when the input was compressed, else NULL. */
const char *reader_compression(const struct reader *r);
