/* What a format gives to source.c. */
#pragma once
#include "naming/naming.h"
#include "source/formats_int.h"
#include "source/source.h"

/* A stack beyond this many frames is cut and counted. */
enum { MAX_STACK_FRAMES = 1 << 20 };

/* The first bytes are there for this purpose: no other format begins so. */
enum { PROBE_MAGIC = 1000 };

/*
 * A format is read in one of two ways. Lines are fed to it (begin, feed, end). A format that must see its input as one whole pulls it from the reader (read).
 */
struct source_format {
	const char *title; /* for messages */
	/*
	 * Reads everything. What is wrong is in p's ledger: source_damage for what ends the reading,
	 * source_bad_record for what is left out.
	 */
	void (*read)(struct reader *r, const struct source_options *options, struct profile *p);
	/*
	 * A longer line is skipped and counted: no tool writes such lines, and a stream must stay
	 * bounded.
	 */
	size_t max_line_bytes;
	/*
	 * How sure the first bytes make us, 0 to 100, or PROBE_MAGIC. `head` is cut at a line end where it has one.
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

#define DECLARE_FORMAT(format, name) extern const struct source_format format;
SOURCE_FORMATS(DECLARE_FORMAT)
/* As stackcollapse-perf.pl reads: by --compat, never by name or content. */
extern const struct source_format perf_script_compat_format;

struct source_row {
	const struct source_format *format;
	const char *name; /* for --input */
};
/* Ends in a row of zeros; the first of equals wins. */
extern const struct source_row source_formats[];

/* One sentence on what the bytes look like and what to do with them. */
void source_explain(struct str head, struct buf *out);

/* s with '?' for what a terminal might take as a command. */
void source_add_printable(struct buf *out, struct str s);

/*
 * Counts a record that contradicts the rest of its file and remembers the first: `sample 12 has
 * location 7, which is not there`.
 */
void source_bad_record(struct profile *p, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * The reading ended early: `NAME: TITLE: what at byte OFFSET; N samples were read`. title NULL, offset 0: without.
 */
void source_damage(struct profile *p, struct reader *r, const char *title, const char *what,
		   uint64_t offset);
/* The same, for formats that do not see the reader. */
void source_damage_text(struct profile *p, struct str sentence);
/* The same for the fault of j, when it has one. */
void source_json_damage(struct profile *p, struct reader *r, const char *title,
			const struct json *j);

/*
 * The keys of the object that head begins with, as far as they are in it, each after a space; of an
 * array, the keys of its first object behind a '['. Empty when head is no JSON. For probes.
 */
void source_json_keys(struct str head, struct buf *keys);
bool source_has_key(const struct buf *keys, const char *key);
/* True for the keys of a profile of the Firefox Profiler, which is not read. */
bool source_json_is_firefox(const struct buf *keys);

/* Counts a line that could not be understood and remembers the first. */
void source_bad_line(struct profile *p, struct str line, uint64_t offset);
