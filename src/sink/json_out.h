/*
 * JSON on its way out: commas are set by themselves, and what has been made goes to the writer in
 * pieces, so that a file of any size takes the same memory.
 */
#pragma once
#include "base/base.h"

struct json_out {
	struct writer *out;
	struct buf text;
	bool needs_comma;
};

/* Hands the rest to the writer, too. */
void json_out_fini(struct json_out *j);

/* `{` or `[`, and the end of it. */
void json_out_open(struct json_out *j, char bracket);
void json_out_close(struct json_out *j, char bracket);
void json_out_key(struct json_out *j, const char *key);

void json_out_string(struct json_out *j, struct str s);
void json_out_u64(struct json_out *j, uint64_t value);
/* In units of 10^-decimals. */
void json_out_decimal(struct json_out *j, uint64_t value, unsigned decimals);
void json_out_bool(struct json_out *j, bool value);
void json_out_null(struct json_out *j);
/* A number; INDEX_NONE is null, or -1. */
void json_out_index(struct json_out *j, uint32_t index);
void json_out_index_or_minus(struct json_out *j, uint32_t index);
