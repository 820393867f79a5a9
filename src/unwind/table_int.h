/* A table under construction. */
#pragma once
#include "unwind/unwind_int.h"

struct table_rows {
	VEC(uint32_t) starts; /* the last one ends the table */
	VEC(uint32_t) rules;
	struct rule_pool pool;
};

/* Needs at least one row. Fills in the rest of head. */
void table_write_image(const struct table_rows *rows, struct table_head *head, struct buf *image);
/* Stores the checksum of an image in its head. */
void table_sign(struct buf *image);

/* If the cache exceeds most_bytes, removes the least recently used tables until kept_bytes are left. */
void table_cache_prune(const char *path, uint64_t most_bytes, uint64_t kept_bytes);
