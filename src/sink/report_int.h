#pragma once
#include "sink/fit_text.h"
#include "sink/report.h"

static inline double report_percent(uint64_t value, uint64_t total)
{
	return total ? 100.0 * (double)value / (double)total : 0;
}

static inline bool report_is_damaged(const struct report *r)
{
	return ledger_is_damaged(&r->profile->ledger) || r->ledger->overflows;
}

/* Groups are events whose weights cannot be compared, so shares are relative to events with the same unit. */
static inline bool report_is_by_unit(const struct report *r)
{
	return r->groups && str_eq(str_from(r->group_key), STR("event")) && r->units->n > 1;
}

/* Colours, if enabled. */
enum ink { INK_PLAIN, INK_BOLD, INK_DIM, INK_HOT, INK_WARM, INK_GOOD };
void report_ink(struct buf *out, const struct report_style *s, enum ink ink);
/* ` 12.3`, coloured by size; 0 is blank on a terminal. */
void report_add_share(struct buf *out, const struct report_style *s, uint64_t value,
		      uint64_t total);
/* In output for programs, lines that are not table rows begin with #. */
void report_begin_remark(struct buf *out, const struct report_style *s);
/* Appends blanks until out is `columns` wide, counted from byte `from`. */
void report_pad(struct buf *out, size_t from, size_t columns);
/* `12.5`, or with thousands separators; in the tree's units. */
void report_add_value(struct buf *out, const struct tree *t, uint64_t value);

/* `12.3 s`, `45.6 ms`. */
void report_add_seconds(struct buf *out, uint64_t ns);
/* A word for programs: blanks become underscores, and an empty text becomes a dash. */
void report_add_word(struct buf *out, struct str text);

/* report_functions.c */
extern const char *const report_tier_names[TREE_TIER_COUNT]; /* V8's compilers */
/* The tier in which the function ran most; TREE_TIER_COUNT if not known. */
unsigned report_tier_of(const struct report_function *f);
void report_add_functions(struct buf *out, const struct report_table *t,
			  const struct report_style *s);
/* report_paths.c */
void report_add_paths(struct buf *out, const struct report *r, const struct report_paths *p,
		      const struct report_style *s);
