/*
 * Records of perf events: decoding, ordering, processes and mappings over time, and names for their
 * addresses. perf.data in all its forms comes in here; what it says becomes a profile.
 */
#pragma once
#include "jit/jit.h"
#include "model/model.h"
#include "perf/records.h"
#include "source_map/source_map.h"
#include "symbol/symbol.h"

/* A frame that a recorder found out by itself. */
struct perf_found_frame {
	uint64_t ip;
	uint64_t frame_pointer; /* 0: not known */
	uint32_t code;	 /* the recorder's own number of what is there; see perf_live.name_found */
	bool is_missing; /* the stack may lack it: it belongs behind the one before */
};

/* A stack by frame pointers, leaf first: addresses, and what the register is there. */
struct perf_walked_frame {
	uint64_t ip, frame_pointer;
};
struct perf_walked {
	const struct perf_walked_frame *frames;
	uint32_t n;
	bool has_more; /* it goes on behind them */
};

/* What a recorder found out about a sample when it came: it travels with the record, and stays as long as its bytes. */
struct perf_found {
	const struct perf_found_frame *frames; /* leaf first */
	uint32_t n;
	struct perf_walked walked; /* the user's part of the stack */
};

/* A function at such a place. */
struct perf_found_name {
	struct str name, module, file;
	uint32_t line, column;
	uint32_t function_line, function_column; /* where the function begins */
	enum frame_kind kind;
	bool is_inlined;
};

/* Who named frames that were found. Of processes: names.processes. */
struct perf_live {
	void *context;
	/* The functions at such a frame, the outermost first. Returns how many; good until the next call. */
	uint32_t (*name_found)(void *context, uint32_t code, const struct perf_found_name **names);
};

struct perf_options {
	struct symbol_options names;
	bool keep_addresses;		 /* tell frames without a name apart by address */
	const struct perf_live *live;	 /* NULL: a recording that was made before */
	struct source_maps *source_maps; /* NULL: JavaScript is named as it ran */
	const char *unwind_cache;	 /* folder of unwind tables; NULL: the user's own */
	bool (*progress)(void *context, const struct profile *p); /* false: stop; may be NULL */
	void *progress_context;
	struct progress *counted; /* how far naming is; may be NULL */
};

/* True for the first bytes of perf.data, of either byte order. */
bool perf_is_data(struct str head);
/*
 * Adds what r holds to p. What ended the reading early is in *damage, with the byte in *offset; it is
 * empty when all was read. directory: of perf.data in its directory form, else NULL.
 */
void perf_read(struct reader *r, const char *directory, const struct perf_options *options,
	       struct profile *p, struct buf *damage, uint64_t *offset);

/* --- recordings in the making --- */

/*
 * Records go in as the kernel gives them; now and then what came in is named and added to the profile.
 * Not for several threads at once.
 */
struct perf_session;
/* options and what they point to are the caller's and stay. */
struct perf_session *perf_session_new(const struct perf_options *options, struct profile *p);
void perf_session_free(struct perf_session *s);
/* Its events: to be added before the first record. */
struct perf_events *perf_session_events(struct perf_session *s);
/*
 * A record, behind those of the same buffer that came before it. Without a time it holds from the start. bytes_stay:
 * they, and what was found, are there until the next round has ended, too, or all was flushed; else they are copied.
 */
void perf_session_add(struct perf_session *s, const struct perf_record *r, bool bytes_stay);
/* Records that do not stay. */
void perf_session_add_records(struct perf_session *s, struct str records);
/* Every buffer was looked at once since the last call. */
void perf_session_end_round(struct perf_session *s);
/* Names what is new and adds it to the profile. is_end: nothing more comes, all that waits as well. */
void perf_session_flush(struct perf_session *s, bool is_end);
/*
 * What comes from here on goes into another profile; what is known of processes stays. Behind a flush.
 * The caller keeps both.
 */
void perf_session_set_profile(struct perf_session *s, struct profile *p);
/* Samples that came in, and were lost, in all. */
struct perf_counts {
	uint64_t samples, lost;
	uint64_t by_table, by_frame_pointer, by_both; /* how user stacks were found */
	uint64_t witnessed; /* frames that the recorder named, and the process's own map as well */
	uint64_t contradicted; /* ... otherwise */
};
/* What the kernel says itself that events lost: its records of it may be lost, too. */
void perf_session_set_lost(struct perf_session *s, uint64_t samples);
struct perf_counts perf_session_counts(const struct perf_session *s);
/* The first of those that a map contradicts, a line each: `12 leaves: found A, map has B`. */
struct str perf_session_contradictions(const struct perf_session *s);

/* --- writing perf.data --- */

/*
 * A perf.data file that perf itself opens. Stacks are written as call chains, however they were found,
 * so samples need neither registers nor copies of the stack. Readable after a crash up to the last flush.
 */
struct perf_data_writer;
struct perf_data_facts {
	const char *command;		/* words with blanks between */
	uint64_t wall_ns, monotonic_ns; /* the same moment, by CLOCK_REALTIME and CLOCK_MONOTONIC */
};
struct perf_data_writer *perf_data_writer_new(const char *path, const struct perf_data_facts *facts,
					      struct err *e);
/* attr as it was opened; ids of all its descriptors. Before the first record. */
void perf_data_writer_add_event(struct perf_data_writer *w, const struct perf_event_attr *attr,
				const char *name, const uint64_t *ids, uint32_t n);
/* From here on what the session takes in is written as well. w stays the caller's. */
void perf_session_write_to(struct perf_session *s, struct perf_data_writer *w);
/* Makes what was written readable. False once something failed: perf_data_writer_end says what. */
bool perf_data_writer_flush(struct perf_data_writer *w);
/* Writes what belongs at the end. False: e. */
bool perf_data_writer_end(struct perf_data_writer *w, struct err *e);
void perf_data_writer_free(struct perf_data_writer *w);
