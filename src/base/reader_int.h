/* Decompression for the reader: compressed bytes in, text out. */
#pragma once
#include "base/base.h"

enum decode_state { DECODE_MORE, DECODE_END, DECODE_BROKEN };

struct decoder;

/* Picks one by the first bytes of the input; NULL if they match no known compression. */
struct decoder *decoder_for(struct str head);
const char *decoder_name(const struct decoder *d);
void decoder_free(struct decoder *d);
/*
 * Takes bytes from *in (advancing it) and appends at most `room` bytes to out. DECODE_END: the data
 * is complete and *in holds what follows it. DECODE_BROKEN: *why says what is wrong.
 */
enum decode_state decoder_run(struct decoder *d, struct str *in, struct buf *out, size_t room,
			      const char **why);
/* True between two members: the input may end here without damage. */
bool decoder_at_boundary(const struct decoder *d);

/* Another program may truncate a mapped file; guarded ranges then read as zeros instead of raising SIGBUS. */
bool map_guard_add(const void *start, size_t size_bytes);
void map_guard_remove(const void *start);
/* True if a page of the range was lost since it was guarded. */
bool map_guard_was_cut(const void *start);
