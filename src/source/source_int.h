/* The interface between a format and source.c. */
#pragma once
#include "naming/naming.h"
#include "source/formats_int.h"
#include "source/source.h"

/* Deeper stacks are cut and counted. */
enum { MAX_STACK_FRAMES = 1 << 20 };

/* A magic number: no other format begins like this. */
enum { PROBE_MAGIC = 1000 };

/*
 * A format is read in one of two ways. Either lines are fed to it (begin, feed, end), or, if it must see its input as
 * a whole, it pulls it from the reader (read).
 *
 * Frames come from naming_add_frame. For each sample a format adds to p->ledger.count: LEDGER_SAMPLES,
 * LEDGER_NO_STACK if it has no frame, LEDGER_NO_TIME if it has no time, LEDGER_FRAMES by its frames, and
 * LEDGER_UNKNOWN_FRAMES by those of kind FRAME_UNKNOWN. What it leaves out has a line of its own (enum ledger_line).
 */
struct source_format {
	const char *title; /* for messages */
	/*
	 * Reads everything. Reports problems in p's ledger: source_damage for what ends the
	 * reading, source_bad_record for what is left out.
	 */
	void (*read)(struct reader *r, const struct source_options *options, struct profile *p);
	/*
	 * Longer lines are skipped and counted: no tool writes such lines, and a stream must use
	 * bounded memory. source.c does so while a line is still growing, feed if it gets all of it.
	 */
	size_t max_line_bytes;
	/*
	 * How certain the first bytes make us, 0 to 100, or PROBE_MAGIC. `head` is cut at a line end if it has one.
	 */
	unsigned (*probe)(struct str head);
	/* Starts reading into p. first: the start of the input, as far as it is available. */
	void *(*begin)(struct profile *p, const struct source_options *options, struct str first);
	/*
	 * Reads from text, which starts at byte `offset` of the input, and returns how many bytes were consumed.
	 * Whole lines only, unless is_last. The rest is passed again, with more after it. Where cut allows it,
	 * another thread's state starts in the middle and never sees the first line.
	 */
	size_t (*feed)(void *state, struct str text, uint64_t offset, bool is_last);
	/*
	 * Ends and frees state. was_cut: the input broke off, so an open record is incomplete: it
	 * is counted, not shown.
	 */
	void (*end)(void *state, bool was_cut);
	/*
	 * A place at or after p where another reader may begin, or NULL. The function is NULL if
	 * the format cannot be split.
	 */
	const char *(*cut)(const char *p, const char *end);
};

#define DECLARE_FORMAT(format, name) extern const struct source_format format;
SOURCE_FORMATS(DECLARE_FORMAT)
/* Reads like stackcollapse-perf.pl: selected by --compat, never by name or content. */
extern const struct source_format perf_script_compat_format;

struct source_row {
	const struct source_format *format;
	const char *name; /* for --input */
};
/* Ends with an empty row; if several match equally well, the first wins. */
extern const struct source_row source_formats[];

/* One sentence on what the bytes look like and what to do with them. */
void source_explain(struct str head, struct buf *out);

/* s with '?' in place of terminal control characters. */
void source_add_printable(struct buf *out, struct str s);

/*
 * Counts a record that contradicts the rest of its file and remembers the first one: `sample 12 has
 * location 7, which is not there`.
 */
void source_bad_record(struct profile *p, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Reports that reading ended early: `NAME: TITLE: what at byte OFFSET; N samples were read`. title
 * NULL or offset 0 omit that part.
 */
void source_damage(struct profile *p, struct reader *r, const char *title, const char *what,
		   uint64_t offset);
/* The same, for formats without access to the reader. */
void source_damage_text(struct profile *p, struct str sentence);
/* The same for the fault of j, if it has one. */
void source_json_damage(struct profile *p, struct reader *r, const char *title,
			const struct json *j);

/*
 * The keys of the object at the start of head, as far as they are in it, each after a space; for an
 * array, the keys of its first object after a '['. Empty if head is not JSON. For probes.
 */
void source_json_keys(struct str head, struct buf *keys);
bool source_has_key(const struct buf *keys, const char *key);
/* True for the keys of a Firefox Profiler profile, which plume does not read. */
bool source_json_is_firefox(const struct buf *keys);

/* Counts a line that was not understood and remembers the first one. */
void source_bad_line(struct profile *p, struct str line, uint64_t offset);
