#pragma once
#include "query/query_int.h"

/* A finding while it is made: its texts are copied into the diagnosis. */
struct finding_text {
	struct buf what, why, fix;
};
void finding_text_fini(struct finding_text *t);
/* `1,234` */
void finding_add_count(struct buf *out, uint64_t n, const char *one, const char *many);
/* Takes the texts, which are empty then. */
void diagnosis_add(struct diagnosis *d, struct finding f, struct finding_text *t);
/* A finding without a reason or a fix. */
void diagnosis_add_plain(struct diagnosis *d, const char *key, enum finding_mark mark,
			 struct str what);

/* The note of a reader that the recorder was killed or still runs; empty: it ended. */
struct str unfinished_note(const struct profile *p);
/* There are no samples, and there might be more to the recording than the file has. */
bool is_cut_before_samples(const struct profile *p);

/* Whether any sample has more than the function that ran; what was inlined into it is no caller. */
bool has_callers(const struct profile *p);

/* How stacks were recorded. */
enum stack_source { STACKS_UNKNOWN, STACKS_FRAME_POINTERS, STACKS_COPIED, STACKS_LBR };
enum stack_source stack_source_of(const struct profile *p);
