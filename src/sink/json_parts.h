/* What our own formats in JSON share; src/source/json_parts.h reads it. */
#pragma once
#include "sink/profile_format.h"

/* comm, pid, tid and container of a thread as members; none for THREAD_NONE. */
void json_add_thread(struct json_out *j, const struct profile *p, thread_id thread);
/* The counts of a ledger that are not 0, as members. */
void json_add_counts(struct json_out *j, const struct ledger *l);
/* facts, modules, unnamed frames, marks and ledger as members, those that are there. */
void json_add_parts(struct json_out *j, const struct profile *p);
/* `"unnamed":[{"module":...,"frames":...},...]`. */
void json_add_unnamed(struct json_out *j, const struct unnamed_rows *u);
/* A label set as `[["key","text"],["key",12,"unit"]]`. */
void json_add_labels(struct json_out *j, const struct profile *p, label_set set);

/* A column of numbers; src/source/json_column.h reads it. */
struct json_column {
	const char *key;
	uint64_t (*value)(const void *context, uint32_t i);
	uint64_t usual; /* not written when all are this */
	bool is_signed; /* values are int64_t */
	bool is_first;	/* always an array: its length is that of the table */
	bool has_null;	/* usual is written as null */
	bool is_always; /* written even when all are usual */
};
/* `"key":[1,2]`, or one number when all are the same. */
void json_add_column(struct json_out *j, const struct json_column *c, const void *context,
		     uint32_t n);
