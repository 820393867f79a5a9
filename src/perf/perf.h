/*
 * perf event records: decoding, ordering, processes and mappings over time, and names for their
 * addresses. Reads perf.data in all its forms and turns it into a profile.
 */
#pragma once
#include "jit/jit.h"
#include "model/model.h"
#include "perf/records.h"
#include "source_map/source_map.h"
#include "symbol/symbol.h"

/* A frame found by the recorder itself. */
struct perf_found_frame {
	uint64_t ip;
	uint64_t frame_pointer; /* 0 if not known */
	uint32_t code;		/* the recorder's own number for it; see perf_live.name_found */
	bool is_missing;	/* may be absent from the stack; belongs after the previous one */
};

/* A stack by frame pointers, leaf first: addresses and the frame pointer at each. */
struct perf_walked_frame {
	uint64_t ip, frame_pointer;
};
struct perf_walked {
	const struct perf_walked_frame *frames;
	uint32_t n;
	bool has_more; /* it continues past them */
};

/* What a recorder found out about a sample on arrival. It travels with the record and lives as long as its bytes. */
struct perf_found {
	const struct perf_found_frame *frames; /* leaf first */
	uint32_t n;
	struct perf_walked walked; /* the user part of the stack */
};

/* A function at a found frame. */
struct perf_found_name {
	struct str name, module, file;
	uint32_t line, column;
	uint32_t function_line, function_column; /* start of the function */
	enum frame_kind kind;
	bool is_inlined;
};

/* Names frames found by the recorder. For processes see names.processes. */
struct perf_live {
	void *context;
	/* The functions at such a frame, outermost first. Returns their number; valid until the next call. */
	uint32_t (*name_found)(void *context, uint32_t code, const struct perf_found_name **names);
};

struct perf_options {
	struct symbol_options names;
	bool keep_addresses;		 /* tell unnamed frames apart by address */
	const struct perf_live *live;	 /* NULL when reading a finished recording */
	struct source_maps *source_maps; /* NULL to name JavaScript as it ran */
	const char *unwind_cache;	 /* folder of unwind tables; NULL for the user's own */
	/* Returns false to stop. May be NULL. */
	bool (*progress)(void *context, const struct profile *p);
	void *progress_context;
	struct progress *counted; /* progress of naming; may be NULL */
};

/* Whether these are the first bytes of perf.data, in either byte order. */
bool perf_is_data(struct str head);
/*
 * Adds the contents of r to p. If reading stops early, *damage says why and *offset where; else
 * *damage is empty. directory is that of a perf.data in directory form, else NULL.
 */
void perf_read(struct reader *r, const char *directory, const struct perf_options *options,
	       struct profile *p, struct buf *damage, uint64_t *offset);

/* --- live recordings --- */

/*
 * Records go in as the kernel delivers them; from time to time they are named and added to the
 * profile. Not thread-safe.
 */
struct perf_session;
/* options and what they point to belong to the caller and must outlive the session. */
struct perf_session *perf_session_new(const struct perf_options *options, struct profile *p);
void perf_session_free(struct perf_session *s);
/* The session's events, to be added before the first record. */
struct perf_events *perf_session_events(struct perf_session *s);
/*
 * Adds a record; records of the same buffer must be in order. A record without a time applies from
 * the start. bytes_stay: the bytes and what was found stay valid until the next round ends or
 * everything is flushed; otherwise they are copied.
 */
void perf_session_add(struct perf_session *s, const struct perf_record *r, bool bytes_stay);
/* Adds records whose bytes do not stay. */
void perf_session_add_records(struct perf_session *s, struct str records);
/* Call each time all buffers have been read once. */
void perf_session_end_round(struct perf_session *s);
/*
 * Names new records and adds them to the profile. is_end: nothing follows, so do the same with
 * records that still wait.
 */
void perf_session_flush(struct perf_session *s, bool is_end);
/*
 * Adds everything from now on to another profile; what is known about processes stays. Call after a
 * flush. The caller owns both profiles.
 */
void perf_session_set_profile(struct perf_session *s, struct profile *p);
/* Totals of samples received and lost. */
struct perf_counts {
	uint64_t samples, lost;
	uint64_t by_table, by_frame_pointer, by_both; /* how user stacks were found */
	uint64_t witnessed;    /* frames named by both the recorder and the process's own map */
	uint64_t contradicted; /* ... with different names */
};
/* The kernel's own count of lost samples, as records that report losses can be lost. */
void perf_session_set_lost(struct perf_session *s, uint64_t samples);
struct perf_counts perf_session_counts(const struct perf_session *s);
/* The first contradictions with a map, one per line: `12 leaves: found A, map has B`. */
struct str perf_session_contradictions(const struct perf_session *s);

/* --- writing perf.data --- */

/*
 * A perf.data file that perf can open. Stacks are written as call chains, however they were found,
 * so samples need neither registers nor stack copies. Readable after a crash up to the last flush.
 */
struct perf_data_writer;
struct perf_data_facts {
	const char *command;		/* words separated by spaces */
	uint64_t wall_ns, monotonic_ns; /* the same moment by CLOCK_REALTIME and CLOCK_MONOTONIC */
};
struct perf_data_writer *perf_data_writer_new(const char *path, const struct perf_data_facts *facts,
					      struct err *e);
/* attr as opened, and the ids of all its descriptors. Call before the first record. */
void perf_data_writer_add_event(struct perf_data_writer *w, const struct perf_event_attr *attr,
				const char *name, const uint64_t *ids, uint32_t n);
/* Also writes to w whatever the session takes in from now on. w stays the caller's. */
void perf_session_write_to(struct perf_session *s, struct perf_data_writer *w);
/* Makes what was written so far readable. Returns false once anything failed; perf_data_writer_end has the error. */
bool perf_data_writer_flush(struct perf_data_writer *w);
/* Writes the end of the file. Returns false and sets e on failure. */
bool perf_data_writer_end(struct perf_data_writer *w, struct err *e);
void perf_data_writer_free(struct perf_data_writer *w);
