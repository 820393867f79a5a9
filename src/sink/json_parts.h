/* What our own formats in JSON share; src/source/json_parts.h reads it. */
#pragma once
#include "sink/profile_format.h"

/* Text on its way out: handed to the writer in large pieces. */
struct json_pieces {
	struct buf text;
	struct writer *out;
};
void json_pieces_fini(struct json_pieces *o);
enum { JSON_OUT_PIECE = 256 << 10 };
/* To be called now and then. The last byte stays: whether a comma follows depends on it. */
static inline void json_pieces_flush(struct json_pieces *o)
{
	if (o->text.n < JSON_OUT_PIECE)
		return;
	writer_add(o->out, (struct str){ o->text.p, o->text.n - 1 });
	o->text.p[0] = o->text.p[o->text.n - 1];
	o->text.n = 1;
}

/* `"key":"text"`, with a comma before it unless it is the first of its object. */
void json_add_key(struct buf *out, const char *key);
void json_add_member(struct buf *out, const char *key, struct str text);
void json_add_number_member(struct buf *out, const char *key, uint64_t value);

/* comm, pid, tid and container of a thread as members; none for THREAD_NONE. */
void json_add_thread(struct buf *out, const struct profile *p, thread_id thread);
/* facts, modules, unnamed frames, marks and ledger as members, those that are there. */
void json_add_parts(struct json_pieces *o, const struct profile *p);
/* `"unnamed":[{"module":...,"frames":...},...]`. */
void json_add_unnamed(struct buf *out, const struct unnamed_rows *u);
/* A label set as `[["key","text"],["key",12,"unit"]]`. */
void json_add_labels(struct buf *out, const struct profile *p, label_set set);
/* The name that a frame is shown with: that of its module in brackets where it has none. */
void json_add_shown_name(struct buf *out, const struct profile *p, const struct frame *f);

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
void json_add_column(struct json_pieces *o, const struct json_column *c, const void *context,
		     uint32_t n);
