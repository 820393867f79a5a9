/*
 * Reads a file, a pipe or "-" (standard input); gzip and zstd are recognised by their first bytes.
 *
 * The reader shows a window of bytes that have been read but not yet consumed. A regular file is
 * mapped and its window is the whole file from the start; everything else is a stream whose window
 * grows by reader_fill:
 *
 *	do
 *		reader_consume(r, parse(reader_window(r), reader_is_whole(r)));
 *	while (reader_fill(r));
 *
 * Damage (a truncated gzip, a file that shrinks while mapped) ends the input at that point;
 * everything readable before it has been shown, and reader_damage says what happened.
 */
#pragma once
#include "base/budget.h"
#include "base/err.h"
#include "base/str.h"

struct reader;

/* Returns NULL and sets e if the file cannot be opened. */
struct reader *reader_open(const char *path, struct err *e);
/*
 * Reads bytes in memory, which the caller keeps. step 0: all at once, like a mapped file; otherwise
 * a stream that delivers step bytes at a time.
 */
struct reader *reader_of_memory(struct str bytes, size_t step);
/*
 * Reads an open file as a stream, never mapped, so memory stays bounded and the file may change
 * meanwhile. Takes ownership of fd.
 */
struct reader *reader_of_fd(int fd, const char *name);
void reader_free(struct reader *r);

/* The input's name in messages: its path, or "standard input". */
const char *reader_name(const struct reader *r);
/* True if the window holds all the rest of the input: a mapped file from the start, a stream at its end. */
bool reader_is_whole(const struct reader *r);
struct str reader_window(const struct reader *r);
/* Drops the first n bytes of the window. Pointers into the window stay valid until the next reader_fill. */
void reader_consume(struct reader *r, size_t n);
/*
 * Bytes before `until`, which is in the window, will rarely be needed again, so their memory may be
 * reused. They can still be read, from disk.
 */
void reader_let_go(struct reader *r, const char *until);
/*
 * From here on, charges the bytes read and unpacked to this budget, which outlives r. When it is
 * spent the input ends, and that counts as damage.
 */
void reader_spend(struct reader *r, struct budget *b);
/* The file's owner according to its descriptor; (uid_t)-1 if it is not a file. */
uid_t reader_owner(const struct reader *r);
/* The file's size on disk, compressed; 0 if it is not a file. */
uint64_t reader_file_bytes(const struct reader *r);
/* Drops n bytes, without reading them if it is a file. Returns false if there were fewer. */
bool reader_skip(struct reader *r, uint64_t n);
/* Extends the window. Returns false if there is no more input. */
bool reader_fill(struct reader *r);
/* Waits until reader_fill would not block; returns false after the given number of milliseconds. */
bool reader_wait(struct reader *r, int milliseconds);
/* Fills until the window holds the rest of the input. Returns false if that is more than limit bytes. */
bool reader_fill_all(struct reader *r, size_t limit);
/* Ignores what follows the first `bytes` (decompressed) bytes and treats it as damage; a fill may read beyond. */
void reader_limit(struct reader *r, uint64_t bytes);
/* Offset in the (decompressed) input of the window's first byte. */
uint64_t reader_offset(const struct reader *r);
/* What ended the input early, or NULL. */
const char *reader_damage(struct reader *r);
/* When the file was last written (ns since 1970); 0 if it is not a regular file. */
uint64_t reader_changed_unix_ns(const struct reader *r);
/* "gzip" or "zstd" if the input is compressed, otherwise NULL. */
const char *reader_compression(const struct reader *r);
