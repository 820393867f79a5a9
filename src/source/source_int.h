/* What a format gives to source.c. */
#pragma once
#include "source/source.h"

/* A stack beyond this many frames is cut and counted. */
enum { MAX_STACK_FRAMES = 1 << 20 };

struct source_format {
	const char *name;  /* for --input */
	const char *title; /* for messages */
	/*
	 * A longer line is skipped and counted: no tool writes such lines, and a stream must stay
	 * bounded.
	 */
	size_t max_line_bytes;
	/*
	 * How sure the first bytes make us, 0 to 100. `head` is cut at a line end where it has one.
	 */
	unsigned (*probe)(struct str head);
	/* Starts reading into p. first: the input from its start, as far as it is at hand. */
	void *(*begin)(struct profile *p, const struct source_options *options, struct str first);
	/*
	 * Reads from text, which starts at byte `offset` of the input, and returns how many bytes
	 * are done with. Whole lines only, unless is_last. The rest comes again, with more behind
	 * it.
	 */
	size_t (*feed)(void *state, struct str text, uint64_t offset, bool is_last);
	/*
	 * Ends and frees state. was_cut: the input broke off, so what is open is incomplete: it is
	 * counted, not shown.
	 */
	void (*end)(void *state, bool was_cut);
	/*
	 * A place at or after p where another reader may begin, or NULL. NULL: the format cannot be
	 * cut.
	 */
	const char *(*cut)(const char *p, const char *end);
};

extern const struct source_format perf_script_format;
extern const struct source_format perf_script_compat_format;
extern const struct source_format folded_format;
extern const struct source_format folded_diff_format;

/* Ends in NULL; the first of equals wins. */
extern const struct source_format *const source_formats[];

/* One sentence on what the bytes look like and what to do with them. */
void source_explain(struct str head, const char *name, struct buf *out);

/* s with '?' for what a terminal might take as a command. */
void source_add_printable(struct buf *out, struct str s);

/* Counts a line that could not be understood and remembers the first. */
void source_bad_line(struct profile *p, struct str line, uint64_t offset);
