/* The words of -e: one file for each kind of event, which looks whether a word is one of its own. */
#pragma once
#include "record/event.h"

/* Where the kernel shows what there is; tests bring places of their own. */
struct event_places {
	const char *pmus;
	const char *tracefs[2]; /* the first one that there is */
	/* Opens it on this process and closes it: 0, or errno. */
	int (*try_open)(const struct perf_event_attr *attr);
};
extern const struct event_places event_kernel_places;

/* One word: `cycles:u`. */
struct event_word {
	struct str text; /* whole, for messages and names */
	struct str name; /* without modifiers */
	bool only_user, only_kernel;
	unsigned precise; /* how many p */
	const struct record_event_wish *wish;
	const struct event_places *places;
};

enum event_answer {
	EVENT_OTHER, /* the word is of another kind */
	EVENT_ADDED,
	EVENT_WRONG, /* e says what is wrong */
};
typedef enum event_answer event_reader(const struct event_word *w, struct record_events *events,
				       struct err *e);
event_reader event_read_counter, event_read_raw, event_read_pmu, event_read_tracepoint,
	event_read_uprobe;

/* What a kind knows of its event; event_add does what does not depend on the kind. */
struct event_kind {
	struct perf_event_attr
		attr; /* type, config, config1, config2; sample_period: else by wish */
	struct str name;
	char *file, *cpus; /* taken */
	bool samples_time; /* as in struct record_event */
	bool is_tracepoint;
	bool takes_each; /* something that happens, rather than something that runs: period 1 */
	bool fires_in_kernel; /* whoever caused it: what user code runs is said by its stack only */
	bool is_hardware;
};
/* False: e, when a modifier has no meaning. */
bool event_add(const struct event_word *w, const struct event_kind *kind,
	       struct record_events *events, struct err *e);

/*
 * The path of a probe's file by a path or a short name, `libc`, `libc.so.6`, `bash`: what the processes have
 * mapped, else a program on the PATH, else a library where the dynamic linker looks. NULL: e.
 */
char *event_find_file(struct str name, const struct pid_list *pids, struct err *e);
/* A number in either notation: 60, 0x3c. */
bool event_number(struct str s, uint64_t *value);

bool record_events_parse_at(const char *text, const struct record_event_wish *wish,
			    const struct event_places *places, struct record_events *events,
			    struct err *e);

/* --- trying --- */

int event_try(const struct perf_event_attr *attr);
/*
 * False: e, when this machine does not have such a counter. Whether the user may have it is seen when it
 * is opened.
 */
bool event_is_there(const struct event_word *w, const struct perf_event_attr *attr, struct err *e);
/* Whether a unit is a processor: `cpu`, `cpu_core`, `armv8_pmuv3_0`; others are memory, buses, clocks. */
bool event_is_processor(struct str unit);
/* Hardware counters can be opened, or would be if this user were allowed to. */
bool event_has_pmu(const struct event_places *places);
/* Part of a sentence: `no hardware counters here (...)`. */
void event_explain_no_pmu(struct buf *out);

/* --- processors of several kinds --- */

enum { EVENT_MAX_UNITS = 8, EVENT_CPUS_BYTES = 256 };
/* The counters of one kind of processors: `cpu_core`, `cpu_atom`. */
struct event_unit {
	uint32_t type;
	char cpus[EVENT_CPUS_BYTES];
};
struct event_units {
	struct event_unit p[EVENT_MAX_UNITS];
	uint32_t n;
};
void event_find_units(const struct event_places *places, struct event_units *units);

/* --- names that come near --- */

enum { NEAREST_COUNT = 3, NEAREST_BYTES = 160 };
struct nearest {
	struct str text;
	struct near_name {
		char name[NEAREST_BYTES];
		uint32_t n, distance;
	} best[NEAREST_COUNT]; /* best first */
	uint32_t n;
};
/* ASCII that a terminal shows as it is: names in a program may be made up to do harm. */
bool is_plain_text(struct str text);
/* Names that are no plain text are passed over. */
void nearest_offer(struct nearest *near, struct str name);
/* `a, b or c`; nothing when none comes near. */
void nearest_add_to(const struct nearest *near, struct buf *out);

/* All names that a kind has. */
void event_offer_counters(struct nearest *near);
void event_offer_tracepoints(const struct event_places *places, struct nearest *near);
