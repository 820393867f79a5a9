/* A text read by one format, and the rows that came of it as text: `EVENT comm;root;leaf COUNT PERIOD @TIME`. */
#pragma once
#include "source/source_int.h"
#include "tap.h"

/* step 0: the text at once; else so many bytes at a time. */
static inline struct profile *profile_of_text(const struct source_format *format, struct str text,
					      size_t step, unsigned columns)
{
	struct source_options options = { 0 };
	struct profile *p = profile_new(columns);
	struct reader *r = reader_of_memory(text, step);
	format->read(r, &options, p);
	reader_free(r);
	return p;
}

static inline void add_stack(struct buf *out, const struct profile *p, node_id node)
{
	if (node == NODE_ROOT)
		return;
	add_stack(out, p, p->nodes.p[node].parent);
	buf_add_char(out, ';');
	buf_add(out, profile_str(p, p->frames.p[p->nodes.p[node].frame].name));
}

static inline void add_rows(struct buf *out, const struct profile *p)
{
	const struct samples *s = &p->samples;
	for (uint32_t i = 0; i < s->n; i++) {
		buf_add(out, profile_str(p, p->events.p[s->event[i]].name));
		buf_add_char(out, ' ');
		buf_add(out, profile_str(p, p->threads.p[s->thread[i]].comm));
		add_stack(out, p, s->node[i]);
		buf_addf(out, " %llu %llu", (unsigned long long)s->count[i],
			 (unsigned long long)s->period[i]);
		if (s->time_ns)
			buf_addf(out, " @%llu", (unsigned long long)s->time_ns[i]);
		buf_add_char(out, '\n');
	}
}

/* The rows are as wanted, in one piece and byte by byte. Returns the profile of the first. */
static inline struct profile *check_rows(const struct source_format *format, const char *text,
					 unsigned columns, const char *want, const char *name)
{
	struct profile *first = NULL;
	for (size_t step = 0; step < 2; step++) {
		AUTO(buf) struct buf got = { 0 };
		struct profile *p = profile_of_text(format, str_from(text), step, columns);
		add_rows(&got, p);
		tap_str_eq(buf_str(&got), str_from(want), "%s%s", name,
			   step ? ", byte by byte" : "");
		if (first)
			profile_unref(p);
		else
			first = p;
	}
	return first;
}

/*
 * The text cut at every byte: damage with that place, unless is_whole says that the text may end there.
 */
static inline void check_cuts(const struct source_format *format, struct str text,
			      bool (*is_whole)(struct str), const char *name)
{
	size_t silent = 0, misplaced = 0;
	for (size_t n = 1; n < text.n; n++) {
		struct profile *p = profile_of_text(format, str_first(text, n), 0, 0);
		bool is_damaged = p->ledger.count[LEDGER_INPUT_DAMAGED] > 0;
		silent += is_damaged == is_whole(str_first(text, n));
		misplaced += is_damaged &&
			     str_find(profile_str(p, p->ledger.damage), STR("at byte ")) < 0;
		profile_unref(p);
	}
	tap_num_eq(silent, 0, "%s cut at every byte: damage is said, and only damage", name);
	tap_num_eq(misplaced, 0, "%s cut at every byte: with its place", name);
}
