/* Shared by plume's own JSON formats; src/source/json_parts.h reads it. */
#pragma once
#include "sink/profile_format.h"

/* comm, pid, tid and container of a thread, as members; none for THREAD_NONE. */
void json_add_thread(struct json_out *j, const struct profile *p, thread_id thread);
/* The nonzero counts of a ledger, as members. */
void json_add_counts(struct json_out *j, const struct ledger *l);
/* Those of facts, modules, unnamed frames, marks and ledger that exist, as members. */
void json_add_parts(struct json_out *j, const struct profile *p);
/* `"unnamed":[{"module":...,"frames":...},...]`. */
void json_add_unnamed(struct json_out *j, const struct unnamed_rows *u);
/* A label set as `[["key","text"],["key",12,"unit"]]`. */
void json_add_labels(struct json_out *j, const struct profile *p, label_set set);

/* A column of numbers; src/source/json_column.h reads it. */
struct json_column {
	const char *key;
	uint64_t (*value)(const void *context, uint32_t i);
	uint64_t usual; /* omitted if all values equal this */
	bool is_signed; /* values are int64_t */
	bool is_first;	/* always an array, which gives the table's length */
	bool has_null;	/* usual is written as null */
	bool is_always; /* written even if all values are usual */
};
/* `"key":[1,2]`, or one number if all are equal. */
void json_add_column(struct json_out *j, const struct json_column *c, const void *context,
		     uint32_t n);
