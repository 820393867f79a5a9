/*
 * The profile: every source produces one, and every view is a query on one.
 *
 * Records refer to each other by 32-bit ids into dense arrays, not by pointers. Strings, frames,
 * stack nodes, threads and events are interned: each is stored once. One thread builds a profile
 * and then seals it; from there on it is immutable and may be shared.
 */
#pragma once
#include "base/base.h"

typedef uint32_t str_id; /* 0 is the empty string: "not known" */
typedef uint32_t frame_id;
typedef uint32_t node_id;   /* NODE_ROOT is the empty stack */
typedef uint32_t thread_id; /* 0 is "not known" */
typedef uint32_t event_id;
typedef uint32_t label_id;
typedef uint32_t label_set; /* LABELS_NONE is "no labels" */

enum { NODE_ROOT = 0, STR_NONE = 0, THREAD_NONE = 0, LABELS_NONE = 0 };

/* What a frame is. frame_kind_name gives the names for users and for --where kind=. */
enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL,
	FRAME_JIT,
	FRAME_INTERPRETED,
	FRAME_BUILTIN,
	FRAME_GC,
	FRAME_WASM,
	FRAME_UNKNOWN, /* no name was found for the address */
	FRAME_KIND_COUNT
};
const char *frame_kind_name(enum frame_kind kind);
/*
 * The kind of a function in V8's own profiles, for their reader and writer. Functions without a
 * source belong to the engine, except for some states that V8 has names for.
 */
enum frame_kind frame_kind_of_v8(struct str name, struct str url, bool has_script);
/* The kind of a function, by the file it comes from. */
enum frame_kind frame_kind_of_module(struct str module, bool has_name);
/* True for `[libc.so.6]`, which is how frames without a name are shown, or `[unknown]` without a module. */
bool frame_name_stands_for_module(struct str name, struct str module);

enum frame_flag {
	FRAME_INLINED = 1 << 0,
	FRAME_WAKER = 1 << 1,
	FRAME_MARKED =
		1 << 2, /* the input itself carried a mark such as _[k]: it is always shown */
	FRAME_FOLDED = 1 << 3, /* stands for several frames: [runtime] */
};

struct frame {
	str_id name;
	str_id module; /* path of the file it comes from, or [kernel.kallsyms] etc. */
	/* The source line of the code: of the call, or of the sample. 0: not known. */
	str_id file;
	uint32_t line, column;
	/* Where the function begins; all three are 0 if not known. */
	str_id function_file;
	uint32_t function_line, function_column;
	/* For a function without a name: its start in the module, as objdump shows it; 0: not known. */
	uint32_t start;
	uint8_t kind;	/* enum frame_kind */
	char tier;	/* V8: '~' '^' '+' '*', else 0 */
	uint16_t flags; /* enum frame_flag */
};

/* Kernel frames are recognised by their addresses, so they stay FRAME_KERNEL without a name. */
static inline bool frame_lacks_name(const struct frame *f)
{
	return f->kind == FRAME_UNKNOWN || (f->kind == FRAME_KERNEL && f->name == STR_NONE);
}

/* Moves the frame to where its function begins, so that it no longer depends on the address. */
static inline void frame_set_function_place(struct frame *f)
{
	if (!f->function_file && !f->function_line)
		return;
	f->file = f->function_file;
	f->line = f->function_line;
	f->column = f->function_column;
}

struct changed_frame {
	frame_id frame, as;
	uint64_t unnamed;
};

/* A stack is one node: its leaf frame and, through the parents, its callers. */
struct node {
	node_id parent;
	frame_id frame;
};

enum { PID_UNKNOWN = INT32_MIN };

struct thread {
	int32_t pid, tid; /* PID_UNKNOWN if not recorded or not requested */
	str_id comm;
	str_id container;
};

struct event {
	str_id name;
	str_id unit;	     /* of its weights: samples, ns, ... */
	bool counts_periods; /* its natural weight is the sum of periods, not the sample count */
	bool has_only_sums;  /* the input had sums, not samples, so they are the only weight */
	uint8_t decimals;    /* weights are in units of 10^-decimals */
};

/*
 * What is known about a sample beyond its columns: the request it served, the size of its
 * allocation. A label holds a text, or a number with a unit.
 */
struct label {
	int64_t number;
	str_id key;
	str_id text; /* unless is_number */
	str_id unit; /* of the number; STR_NONE if none */
	uint32_t is_number;
};

/* A set of labels is a linked list: its last label and the set without it. */
struct label_link {
	label_set rest;
	label_id label;
};

/* Something that happened: an event loop turn, a garbage collection, the end of a process. */
struct mark {
	uint64_t time_ns, duration_ns; /* duration 0: an instant */
	thread_id thread;
	str_id kind, text;
};

/* A fact about the recording as a whole: `command`, `host`, `rate`, and whatever a format has. */
struct fact {
	str_id key, text;
};

/* More about a file that frames come from. */
struct module {
	str_id path;	 /* as in struct frame */
	str_id build_id; /* hexadecimal */
};

/* Unnamed frames by file: why they have no name, and what would help. */
struct unnamed {
	str_id module;
	str_id reason; /* part of a sentence: `it is stripped` */
	str_id fix;    /* an instruction; STR_NONE if nothing helps */
	uint64_t frames;
};

/* True for events that sample time: cycles, cpu-clock, task-clock, as perf spells them. */
bool event_samples_time(struct str name);
/* True for those whose periods are ns: cpu-clock, task-clock. */
bool event_counts_ns(struct str name);
/* True for `sched:sched_switch`, but not for modifiers as in `cycles:ppp`. */
bool event_is_tracepoint(struct str name);

/* The columns that a reader is asked to keep besides stack, event and comm. */
enum profile_column {
	COLUMN_TIME = 1 << 0,
	COLUMN_CPU = 1 << 1,
	COLUMN_PID = 1 << 2,
	COLUMN_TID = 1 << 3,
	COLUMN_ORDER = 1 << 4, /* one row per sample, in the order of the input */
	COLUMN_LABELS = 1 << 5,
	COLUMNS_ALL = (1 << 6) - 1,
};

/* A sample as it is added. */
struct sample {
	node_id node;
	thread_id thread;
	event_id event;
	int32_t cpu; /* -1: not known */
	label_set labels;
	uint64_t time_ns;
	uint64_t count;	 /* samples: 1, or more if the input has sums */
	uint64_t period; /* what the event counted during them */
};

/*
 * Sample columns, all of length n. Without COLUMN_TIME, COLUMN_CPU and COLUMN_ORDER, equal (node,
 * thread, event, labels) share a row, so memory grows with distinct stacks; with any of them each
 * sample has its own row, and time_ns and cpu are present.
 */
struct samples {
	uint32_t n, capacity;
	node_id *node;
	thread_id *thread;
	event_id *event;
	uint64_t *count;
	uint64_t *period;
	uint64_t *time_ns; /* NULL without COLUMN_TIME */
	int32_t *cpu;	   /* NULL without COLUMN_CPU */
	label_set *labels; /* NULL without COLUMN_LABELS */
};

/* Accounts for everything in the input: whatever does not fit in a row is counted here. */
enum ledger_line {
	LEDGER_SAMPLES,	       /* samples in the input */
	LEDGER_NO_STACK,       /* ... without a single frame */
	LEDGER_NO_TIME,	       /* ... without a time although it was requested */
	LEDGER_FRAMES,	       /* frames of all samples */
	LEDGER_UNKNOWN_FRAMES, /* ... without a name */
	LEDGER_LOST, /* samples that the kernel could not write, so they are not in the input */
	LEDGER_THROTTLED, /* times the kernel stopped sampling because it took too long */
	LEDGER_TRUNCATED, /* samples whose stack the recorder cut: its limit, or a copy too small */
	LEDGER_UNROOTED,  /* samples whose stack does not reach the start of its thread */
	LEDGER_NO_INLINES,    /* addresses whose inlined functions took too long to look up */
	LEDGER_OTHER_EVENTS,  /* samples that --compat skips while reading */
	LEDGER_OTHER_RECORDS, /* records that are not samples: forks, mappings, ... */
	LEDGER_BAD_LINES,     /* lines or records that could not be understood */
	LEDGER_BAD_RECORDS,   /* parts of a file whose records contradict it */
	LEDGER_NEGATIVE,      /* weights below 0, taken as 0 */
	LEDGER_UNCLOSED,      /* calls without a return; they end with the last event */
	LEDGER_LONG_LINES,    /* lines beyond the limit, skipped */
	LEDGER_CUT_STACKS,    /* stacks cut at the frame limit */
	LEDGER_CUT_SAMPLES,   /* samples left out because the input ended inside them */
	LEDGER_OVERFLOWS,     /* sums clamped to the largest value */
	LEDGER_ROUNDED,	      /* weights with more decimals than plume keeps */
	LEDGER_INPUT_DAMAGED, /* inputs that ended early or could not be read */
	LEDGER_LINES
};
/* "samples", "lines not understood", ...: the key in files and JSON, which never changes. */
const char *ledger_line_name(enum ledger_line line);
/* The same, for people. */
const char *ledger_line_text(enum ledger_line line);
/* True if it makes a result incomplete (exit 3). */
bool ledger_line_is_damage(enum ledger_line line);
/* True for what happened while recording; it stays true wherever the samples are kept. */
bool ledger_line_is_of_recording(enum ledger_line line);
/* The line with that name, or LEDGER_LINES. */
enum ledger_line ledger_line_by_name(struct str name);

struct ledger {
	uint64_t count[LEDGER_LINES];
	/* The first line or record that was not understood: its input offset and its text. */
	uint64_t first_bad_offset;
	str_id first_bad_text;
	str_id first_bad_input;
	str_id damage; /* first reason of LEDGER_INPUT_DAMAGED, or STR_NONE */
};
/* Whether any line that means damage has a count. */
bool ledger_is_damaged(const struct ledger *l);

struct profile {
	unsigned columns; /* the enum profile_column that were requested */
	bool is_sealed;
	bool is_differential; /* event 0 is before, event 1 after */
	uint64_t
		sampled_ns; /* first sample to last; 0: not known. For several recordings the sum */
	unsigned references;

	VEC(struct str) strings;
	VEC(struct frame) frames;
	VEC(struct changed_frame)
	changed; /* in order of the changes, for writers that have already stored these frames */
	VEC(struct node) nodes;
	VEC(struct thread) threads;
	VEC(struct event) events;
	VEC(struct label) labels;
	VEC(struct label_link) label_sets;
	VEC(struct mark) marks;
	VEC(struct fact) facts;
	VEC(struct module) modules;
	VEC(struct unnamed) unnamed;
	VEC(str_id) notes; /* sentences for the user: how the input was read */
	struct samples samples;
	struct ledger ledger;

	/* Only used while building. */
	struct arena text;
	struct index_map string_map, frame_map, thread_map, event_map, sample_map, label_map,
		fact_map, module_map, unnamed_map;
	struct child_map node_map;	/* (parent, frame) to node */
	struct child_map label_set_map; /* (rest, label) to set */
};

/* columns: enum profile_column. */
struct profile *profile_new(unsigned columns);
struct profile *profile_ref(struct profile *p);
void profile_unref(struct profile *p);
/* Allows no more changes; frees the memory that only building needs. */
void profile_seal(struct profile *p);

str_id profile_add_str(struct profile *p, struct str s);
frame_id profile_add_frame(struct profile *p, const struct frame *f);
/* Adds a frame without interning it, for profile_change_frame. */
frame_id profile_add_own_frame(struct profile *p, const struct frame *f);
/*
 * Replaces frame id by `as` everywhere, because its name arrived late. unnamed: how many frames of
 * all samples so far are this one, if it turned out to have no name.
 */
void profile_change_frame(struct profile *p, frame_id id, frame_id as, uint64_t unnamed);
thread_id profile_add_thread(struct profile *p, struct thread t);
/* Events are identified by name; the first one added with a name decides the rest. */
event_id profile_add_event(struct profile *p, struct event e);
/* The set plus one label. Sets are interned if their labels are added in the same order. */
label_set profile_add_label(struct profile *p, label_set rest, struct label label);
void profile_add_mark(struct profile *p, struct mark m);
/* Adding a fact twice has no effect. */
void profile_add_fact(struct profile *p, struct str key, struct str text);
/* Keeps the first row of each path. */
void profile_add_module(struct profile *p, struct module m);
/* Adds to the frames already counted for that module and reason. */
void profile_add_unnamed(struct profile *p, struct unnamed u);
void profile_add_note(struct profile *p, struct str sentence);
/* False if these rows have no times: each time is 0, and the ledger has `missing` samples without a time. */
bool samples_have_times(const struct samples *s, uint32_t from, uint32_t end, uint64_t missing);
/* The same for all rows. Sinks call it, so that they do not write times that are not known. */
bool profile_has_times(const struct profile *p);
/* The text of the first fact with that key; empty if not known. */
struct str profile_fact(const struct profile *p, struct str key);
void profile_add_sample(struct profile *p, const struct sample *s);

/* Appends everything in `from` to p: reading in parts and merging gives the same result as reading the whole. */
void profile_merge(struct profile *p, const struct profile *from);
/*
 * A profile whose frames are where their functions begin, so that each function is one frame whatever its line.
 * Returns p itself if it is already like that, otherwise a sealed copy. The caller unrefs the result.
 */
struct profile *profile_without_lines(struct profile *p);
/* The same for functions without a name: they become one frame per module. */
struct profile *profile_without_starts(struct profile *p);
/* Makes event `id` keep `decimals` decimals and scales up its existing weights. */
void profile_set_decimals(struct profile *p, event_id id, unsigned decimals);

/* The child of `parent` for frame, added if new. The hottest call of every reader. */
static inline node_id profile_add_node(struct profile *p, node_id parent, frame_id frame)
{
	node_id node = child_map_get(&p->node_map, parent, frame);
	if (node == p->nodes.n)
		vec_push(&p->nodes, (struct node){ parent, frame });
	return node;
}

static inline struct str profile_str(const struct profile *p, str_id id)
{
	return p->strings.p[id];
}

/* a + b, clamped to the largest value. */
static inline uint64_t saturating_add(uint64_t a, uint64_t b, uint64_t *overflows)
{
	uint64_t sum;
	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	++*overflows;
	return UINT64_MAX;
}

#include "model/pprof.h"
#include "model/tree.h"
