/*
 * Writes a file or standard output. A file appears whole or not at all: bytes go to a nameless or temporary file in
 * the same folder, which gets the name only in writer_commit. Errors are kept and reported there.
 *
 * Links are followed if the user or root made them. A file that another user put there is never written to: it is
 * replaced, or refused if it is a link, or a pipe in a folder like /tmp.
 */
#pragma once
#include "base/buf.h"
#include "base/err.h"

struct writer;

/*
 * "-" is standard output. Devices and pipes are written directly. Returns NULL and sets e if the
 * path cannot be written.
 */
struct writer *writer_open(const char *path, struct err *e);
/* For caches: replaces whatever has the name, even a link or a pipe. The mode is 0600. */
struct writer *writer_open_new(const char *path, struct err *e);
/* Appends to `to`, which the caller owns and which is complete after writer_commit. */
struct writer *writer_to_memory(struct buf *to);
/* Whether writer_open would work, as far as plume can tell without changing anything or waiting for a reader. */
bool writer_can_open(const char *path, struct err *e);
/*
 * Writes to the file itself, from its start: the old content is lost at once, and whatever has been
 * flushed survives even kill -9. For recordings. A file that another user owns, or that has other
 * hard links, is replaced by a new one. Returns NULL and sets e and errno on failure.
 */
struct writer *writer_open_live(const char *path, struct err *e);
/*
 * For a live file: from here on, output waits for writer_write_waiting or the commit. Whatever
 * cannot be written keeps waiting, so the file is always a prefix of what was added.
 */
void writer_set_patient(struct writer *w);
/* From here on, bytes are gzipped. Call it before adding any. */
void writer_set_gzip(struct writer *w);
/* Frees it; without a commit, an output file leaves nothing behind. */
void writer_free(struct writer *w);

void writer_add(struct writer *w, struct str s);
/* False once a write has failed, so long work can stop early. writer_commit gives the reason. */
bool writer_is_healthy(const struct writer *w);
/* errno of the write that failed; 0 if none has. */
int writer_error(const struct writer *w);
/* For a patient writer: tries to write, even after an earlier failure. Returns whether everything is written now. */
bool writer_write_waiting(struct writer *w);
size_t writer_waiting_bytes(const struct writer *w);
/* Passes buffered bytes to the kernel. Not for gzip, which would compress worse. */
void writer_flush(struct writer *w);
/*
 * For a live file without gzip: writes at an offset, over flushed bytes or after them. What
 * writer_add adds still goes after what it added before. Does nothing once a write has failed.
 */
void writer_write_at(struct writer *w, uint64_t offset, struct str s);
/*
 * Writes the remaining bytes and gives the file its name. e is ERR_OUTPUT_CLOSED if the reader of stdout closed it.
 */
bool writer_commit(struct writer *w, struct err *e);
