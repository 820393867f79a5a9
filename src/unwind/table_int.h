/* A table under construction. */
#pragma once
#include "unwind/unwind_int.h"

struct table_rows {
	VEC(uint32_t) starts; /* the last one ends the table */
	VEC(uint32_t) rules;
	struct rule_pool pool;
};

/* At least one row. Fills what head does not say yet. */
void table_write_image(const struct table_rows *rows, struct table_head *head, struct buf *image);
/* Puts the checksum of an image into its head. */
void table_sign(struct buf *image);

/* Removes what was used longest ago until kept_bytes are left, where there are more than most_bytes. */
void table_cache_prune(const char *path, uint64_t most_bytes, uint64_t kept_bytes);
