#pragma once
#include "query/query.h"

/* --- selection.c: which rows --- */

struct selection;
struct labels;

struct selection *selection_new(const struct profile *p, const struct query *q,
				struct labels *labels, struct err *e);
void selection_free(struct selection *s);
/* True when the row is shown; else counts in the ledger why not. */
bool selection_has(struct selection *s, uint32_t row, struct query_ledger *ledger);
/* The event shown, or INDEX_NONE for several. */
event_id selection_event(const struct selection *s);

/* Expressions of one option. */
struct regex_list {
	struct regex **p;
	uint32_t n, capacity;
};
bool regex_list_compile(struct regex_list *list, const struct text_list *patterns, struct err *e);
void regex_list_fini(struct regex_list *list);
/* gave_up is counted up when an expression reaches its limit. */
bool regex_list_any(const struct regex_list *list, struct str subject, uint64_t *gave_up);
bool regex_list_all(const struct regex_list *list, struct str subject, uint64_t *gave_up);

/* --- labels.c: names as they are shown --- */

struct labels *labels_new(const struct profile *p, const struct query *q, struct tree *tree);
void labels_free(struct labels *l);
/* Index into tree->labels. */
uint32_t label_of_frame(struct labels *l, frame_id frame);
/* INDEX_NONE when nothing is known of the thread. */
uint32_t label_of_thread(struct labels *l, thread_id thread);
uint32_t label_of_text(struct labels *l, struct str text);
const struct tree *labels_tree(const struct labels *l);

/* The frames of a stack, root first, into out (cleared before). */
struct frame_path {
	frame_id *p;
	uint32_t n, capacity;
};
void frame_path_of(const struct profile *p, node_id node, struct frame_path *out);
