/*
 * Writing a file or standard output. A file appears whole or not at all: bytes go to a nameless or
 * temporary file in the same folder that takes the name only in writer_commit. Errors are kept and
 * reported there.
 *
 * Links are followed where the user or root made them. What another user put under the name is never
 * written to: it is replaced, or refused where it is a link, or a pipe in a folder like /tmp.
 */
#pragma once
#include "base/buf.h"
#include "base/err.h"

struct writer;

/*
 * "-" is standard output. Devices and pipes are written directly. NULL and e when the path cannot be
 * written.
 */
struct writer *writer_open(const char *path, struct err *e);
/* For caches: whatever has the name is replaced, a link and a pipe too. Its mode is 0600. */
struct writer *writer_open_new(const char *path, struct err *e);
/* Whether writer_open would work, as far as can be told without changing anything or waiting for a reader. */
bool writer_can_open(const char *path, struct err *e);
/*
 * Writes to the file itself, from its start: what was there is gone at once, and what has been
 * flushed stays, even after kill -9. For recordings. A file that another user owns, or that has other
 * names, is replaced by a new one. NULL: errno, too, says why.
 */
struct writer *writer_open_live(const char *path, struct err *e);
/*
 * Of a live file: from here on all waits for writer_write_waiting, or the commit. What cannot be written
 * goes on waiting, so that the file is at any time a beginning of what was added.
 */
void writer_set_patient(struct writer *w);
/* From here on, bytes are compressed as gzip. To be called before the first of them. */
void writer_set_gzip(struct writer *w);
/* Frees; without a commit before it, a file output leaves nothing behind. */
void writer_free(struct writer *w);

void writer_add(struct writer *w, struct str s);
/* False once a write has failed: long work may stop early. The reason comes from writer_commit. */
bool writer_is_healthy(const struct writer *w);
/* errno of the write that failed; 0: none has. */
int writer_error(const struct writer *w);
/* Of a patient writer, whatever failed before. Whether all is written now. */
bool writer_write_waiting(struct writer *w);
size_t writer_waiting_bytes(const struct writer *w);
/* Hands what is buffered to the kernel. Not for gzip, which would compress worse. */
void writer_flush(struct writer *w);
/*
 * Of a live file that is not gzip: bytes at a place, over what is flushed or behind it. What writer_add
 * adds still goes behind what it added before. Nothing is written once a write has failed.
 */
void writer_write_at(struct writer *w, uint64_t offset, struct str s);
/* Writes out what is buffered and gives the file its name. e is ERR_OUTPUT_CLOSED where a reader closed stdout. */
bool writer_commit(struct writer *w, struct err *e);
