/* Parsing of -e. Each kind of event has a file, which decides whether a word belongs to it. */
#pragma once
#include "record/event.h"

/* Where the kernel lists its events; tests pass their own. */
struct event_places {
	const char *pmus;
	const char *tracefs[2]; /* the first one that exists is used */
	/* Opens the event on this process and closes it. Returns 0 or errno. */
	int (*try_open)(const struct perf_event_attr *attr);
};
extern const struct event_places event_kernel_places;

/* One word: `cycles:u`. */
struct event_word {
	struct str text; /* all of it, for messages and names */
	struct str name; /* without modifiers */
	bool only_user, only_kernel;
	unsigned precise; /* number of p's */
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

/* What a kind knows about its event; event_add fills in the rest. */
struct event_kind {
	/* Only type, config, config1, config2 and sample_period, which defaults to that of the wish. */
	struct perf_event_attr attr;
	struct str name;
	char *file, *cpus; /* taken over */
	bool samples_time; /* as in struct record_event */
	bool is_tracepoint;
	/* Occurs at points in time, unlike a clock or a cycle counter: period 1. */
	bool takes_each;
	/* Fires in the kernel, whatever the cause: only the stack shows the user code. */
	bool fires_in_kernel;
	bool is_hardware;
};
/* Returns false and sets e if a modifier makes no sense. */
bool event_add(const struct event_word *w, const struct event_kind *kind,
	       struct record_events *events, struct err *e);

/*
 * Resolves the file of a probe from a path or a short name such as `libc`, `libc.so.6` or `bash`.
 * Tries what the processes have mapped, then programs in PATH, then the dynamic linker's library
 * paths. Returns NULL and sets e if there is none.
 */
char *event_find_file(struct str name, const struct pid_list *pids, struct err *e);
/* Parses a decimal or hex number: 60, 0x3c. */
bool event_number(struct str s, uint64_t *value);

bool record_events_parse_at(const char *text, const struct record_event_wish *wish,
			    const struct event_places *places, struct record_events *events,
			    struct err *e);

/* --- probing --- */

int event_try(const struct perf_event_attr *attr);
/*
 * Returns false and sets e if this machine has no such counter. Permission is checked only when the event is opened.
 */
bool event_is_there(const struct event_word *w, const struct perf_event_attr *attr, struct err *e);
/* Whether a PMU belongs to a processor: `cpu`, `cpu_core`, `armv8_pmuv3_0`. Others count memory, buses or clocks. */
bool event_is_processor(struct str unit);
/* Whether hardware counters can be opened, or could be with more privileges. */
bool event_has_pmu(const struct event_places *places);
/* Adds part of a sentence: `no hardware counters here (...)`. */
void event_explain_no_pmu(struct buf *out);

/* --- hybrid CPUs --- */

enum { EVENT_MAX_UNITS = 8, EVENT_CPUS_BYTES = 256 };
/* The PMU of one kind of core: `cpu_core`, `cpu_atom`. */
struct event_unit {
	uint32_t type;
	char cpus[EVENT_CPUS_BYTES];
};
struct event_units {
	struct event_unit p[EVENT_MAX_UNITS];
	uint32_t n;
};
void event_find_units(const struct event_places *places, struct event_units *units);

/* --- similar names --- */

enum { NEAREST_COUNT = 3, NEAREST_BYTES = 160 };
struct nearest {
	struct str text;
	struct near_name {
		char name[NEAREST_BYTES];
		uint32_t n, distance;
	} best[NEAREST_COUNT]; /* best first */
	uint32_t n;
};
/* Whether text is printable ASCII. Names in a program may be crafted to attack a terminal. */
bool is_plain_text(struct str text);
/* Ignores names that are not plain text. */
void nearest_offer(struct nearest *near, struct str name);
/* Appends `a, b or c`, or nothing if no name is similar. */
void nearest_add_to(const struct nearest *near, struct buf *out);

/* Offer all names of a kind. */
void event_offer_counters(struct nearest *near);
void event_offer_tracepoints(const struct event_places *places, struct nearest *near);
