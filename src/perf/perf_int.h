/* What the files of this module share: stacks, locations, the session, names. */
#pragma once
#include "perf/process_int.h"
#include "perf/record_int.h"

/* --- stacks (stack.c, stack_ends.c) --- */

enum stack_part { PART_USER, PART_KERNEL, PART_GUEST, PART_GAP };

struct stack_address {
	uint64_t ip;
	enum stack_part part;
	bool is_call; /* ip is where a call returns to, which may be in the next function already */
	uint32_t found;		/* 1 + the recorder's number of what is there; 0: none */
	uint64_t frame_pointer; /* 0: not known */
};

/* The addresses of a sample's stack, leaf first, and how they were found. */
struct unwound_stack;
struct stack {
	VEC(struct stack_address) list;
	VEC(uint32_t) locations;       /* location_id of each, at the end */
	struct unwound_stack *unwound; /* NULL until one is needed */
	uint32_t chain_addresses; /* of the kernel's call chain, before anything was done to it */
	uint32_t user_first;	  /* where the user's part begins */
	bool is_rooted;		  /* the unwinder knows that it is whole */
	bool is_cut;		  /* ... that it goes on where the recorder did not */
	bool is_chain_last;	  /* its last address is that of the kernel's chain */
	bool is_deferred;	  /* the user's part comes later, with this cookie */
	uint64_t cookie;
};

/* What a walk up a copy of the stack found. */
enum { STACK_MAX_UNWOUND = 1024 };
struct unwound_stack {
	uint64_t addresses[STACK_MAX_UNWOUND], is_return[STACK_MAX_UNWOUND / 64];
	uint64_t frame_pointers[STACK_MAX_UNWOUND]; /* 0: not known */
	uint32_t n;
	bool is_rooted, is_cut;
};

/* --- locations (location.c) --- */

typedef uint32_t location_id;

/* An address, told by what it is in. */
struct location {
	mapped_id mapped;
	uint32_t code : 31; /* jitdump: which piece of code; else 0 */
	uint32_t is_call : 1;
	uint64_t address; /* offset in a file, or address; of calls one byte before the return */
	uint64_t ip;	  /* as the first sample had it */
};

struct locations {
	VEC(struct location) list;
	struct index_map map;
	bool by_ip; /* addresses are shown: those of different processes are different */
};

void locations_fini(struct locations *l);
location_id locations_get(struct locations *l, const struct location *location);

/* --- the session (session.c) --- */

struct cgroup {
	uint64_t id;
	str_id path;
};

/* An address that was looked up a moment ago. */
struct recent_location {
	uint64_t ip;
	uint32_t version; /* of the address space; 0: there is none here */
	location_id location;
};
enum { RECENT_LOCATIONS = 1 << 16 };

/* A sample whose user stack comes later. */
struct deferred_sample {
	uint64_t cookie;
	int32_t pid, tid;
	struct sample sample;
	uint32_t first, n; /* locations of its kernel stack, in deferred_locations */
};

/* A module of the kernel. */
struct kernel_module {
	uint64_t start, end;
	struct str name;
};

struct build_id_row {
	struct str path;
	struct str build_id;
};

/* A frame of the profile that waits for its name (names_late.c). */
struct late_name {
	mapped_id jitdump;
	frame_id frame, unnamed; /* what it is now, and what if the name never comes */
	uint64_t address;
};

/* A frame that the recorder named, and where the process's own map would have its name. */
struct witness {
	location_id found, told, told_later;
	uint64_t samples;
};
enum { MAX_CONTRADICTION_BYTES = 16 << 10 };

struct perf_session {
	struct profile *p;
	/* Stacks of locations and rows of samples, before there are names: frames are location ids. */
	struct profile *raw;
	struct perf_options options;
	uint16_t machine; /* EM_ of the recorded machine */
	struct perf_events events;
	struct perf_order order;
	struct mapped_table mapped;
	struct run_paths run_paths;
	struct perf_processes processes;
	struct locations locations;
	struct recent_location *recent;

	struct perf_data_writer *writer; /* NULL: records are not written */

	struct arena text;
	struct {
		VEC(struct build_id_row) list;
		struct index_map map; /* by path */
	} build_ids;
	struct kernel_id kernel;
	struct str host;
	mapped_id kernel_id;
	VEC(struct kernel_module) kernel_modules;
	struct {
		bool is_known;
		mapped_id id;
		int32_t pid; /* 0: of all */
	} found;	     /* what functions that a recorder found are in */
	struct {
		VEC(struct cgroup) list;
		struct index_map map; /* by id */
	} cgroups;
	struct stack stack; /* of the sample at hand */
	struct perf_counts counts;
	struct {
		VEC(location_id) rooted; /* that are known to be whole */
		VEC(location_id) cut;	 /* one for each */
	} ends;				 /* outermost frames of stacks */
	struct {
		VEC(struct deferred_sample) list;
		VEC(location_id) locations;
	} deferred;
	bool is_unfinished; /* perf did not write what comes last */
	uint64_t first_ns, last_ns;
	uint64_t aux_records;
	struct {
		uint64_t in_rings, by_events; /* two counts of the same */
		uint64_t in_ledger;	      /* of them, counted in some profile */
	} lost;
	struct {
		VEC(struct witness) list; /* since the last flush */
		struct index_map map;
		struct buf contradictions;
	} witnesses;
	VEC(struct late_name) late;
	struct location_names *names; /* of the locations so far; NULL: none yet */
	uint64_t other_abi; /* samples with registers of a machine that is not unwound here */
};

void perf_session_init(struct perf_session *s, const struct perf_options *options,
		       struct profile *p);
void perf_session_fini(struct perf_session *s);
/* A record whose turn it is. */
void perf_session_deliver(void *session, const struct perf_record *r);
/* A record as it comes: put in order, or acted on at once. */
void perf_session_queue(struct perf_session *s, const struct perf_record *r);
/* All records came: names are given, and everything goes into the profile. */
void perf_session_end(struct perf_session *s);
/* session_facts.c */
void perf_session_add_facts(struct perf_session *s);
void perf_session_add_notes(struct perf_session *s);
/* What the kernel lost since the last call goes into the ledger. */
void perf_session_note_lost(struct perf_session *s);
void perf_session_bad_record(struct perf_session *s, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* sample.c: decodes and adds. */
void perf_session_sample(struct perf_session *s, const struct perf_record *r);
void perf_session_deferred(struct perf_session *s, const struct perf_record *r);
void perf_session_end_deferred(struct perf_session *s);
/* stack.c: fills s->stack. */
void perf_session_stack(struct perf_session *s, const struct perf_event *event,
			const struct perf_record *r, const struct perf_sample *sample,
			struct perf_process *process);
/* The same for a user's part that came later. */
void perf_session_stack_of_chain(struct perf_session *s, struct cursor chain, uint16_t misc);
enum stack_part stack_part_of_mode(uint16_t misc);
/* Behind the walk's first addresses, so many, comes chain[from]. */
struct stack_meeting {
	uint32_t walked, from;
	bool is_before; /* they met before the walk's end: the chain is right if all of it is in code */
};
/* Where the chain goes on from what a walk found. False: they have nothing in common. */
bool perf_stack_meet(const struct unwound_stack *u, const struct stack_address *chain, uint32_t n,
		     struct stack_meeting *at);
/* How many addresses are in code: behind them, the chain followed something else. */
uint32_t perf_stack_plausible(const struct perf_session *s, const struct perf_process *process,
			      const struct stack_address *chain, uint32_t n);
/* stack_ends.c: which of the frames that a recorder walked comes behind the one with this frame pointer; w->n: none. */
uint32_t perf_walked_behind(const struct perf_walked *w, uint64_t frame_pointer);
/* ... s->stack goes on with its frames from next on. */
void perf_session_add_walked(struct perf_session *s, const struct perf_process *process,
			     const struct perf_walked *w, uint32_t next);
/* ... where s->stack was cut. */
void perf_session_put_walked(struct perf_session *s, const struct perf_process *process,
			     const struct perf_found *found);
/* ... a stack that ends in front of a thread's start goes on as others of the process do. */
void perf_session_put_root(struct perf_session *s, const struct perf_process *process);
/* ... n addresses, the leaf first, up to the root. */
void stack_roots_learn(struct stack_roots *roots, const struct stack_address *stack, uint32_t n);
/* ... NULL: not known; from now on it is looked for. *is_new: so far it was not. */
const struct stack_root *stack_roots_find(struct stack_roots *roots, uint64_t last, bool *is_new);
/* stack.c: the user's part of a stack from a copy. False: it is of another machine. */
bool perf_session_unwind(struct perf_session *s, const struct perf_sample *sample,
			 const struct perf_process *process, struct unwound_stack *out);
/* ... where its stack's top is; 0: not known. */
uint64_t perf_session_stack_pointer(const struct perf_session *s, const struct perf_sample *sample);
/* jit_unwind.c: the piece of code of the process's jitdump that was there at that time; INDEX_NONE: none. */
uint32_t perf_session_jit_code(const struct perf_session *s, const struct perf_process *process,
			       uint64_t address, uint64_t time_ns);
struct unwind_place;
/* ... how it is unwound. False: the jitdump has nothing of that kind. */
bool perf_session_jit_place(struct perf_session *s, const struct perf_process *process,
			    uint64_t address, uint64_t time_ns, struct unwind_place *place);
struct unwind_memory;
/* ... from a place in memory that holds where a call returns to. The first address is that. */
void perf_session_unwind_from(struct perf_session *s, const struct perf_process *process,
			      const struct unwind_memory *memory, size_t at,
			      struct unwound_stack *out);
/* stack_ends.c: a stack that was cut is told so by a frame, with what its thread begins with in front of that. */
void perf_session_put_gap(struct perf_session *s, const struct perf_sample *sample,
			  const struct perf_process *process);
/* copied.c: what code without a file may be copies of; NULL: nothing that is known. */
const struct unwind_copied *perf_session_copied(struct perf_session *s,
						struct address_space *space);
/* stack_ends.c: what the recorder found of the sample at hand is merged into s->stack. */
void perf_session_put_found(struct perf_session *s, struct perf_process *process,
			    const struct perf_found *found);
/* witness.c */
void perf_session_add_witness(struct perf_session *s, const struct perf_process *process,
			      location_id found, location_id told);
void perf_session_compare_witnesses(struct location_names *n);
location_id perf_session_locate_found(struct perf_session *s, int32_t pid, uint32_t found,
				      uint64_t ip);
/* other_records.c: what is no sample. */
void perf_session_other(struct perf_session *s, const struct perf_record *r);
/* Reads them again: they have grown. Numbers of their pieces of code stay. */
void perf_session_read_jitdumps(struct perf_session *s);
struct cgroup *perf_cgroup_find(const struct perf_session *s, uint64_t id);
struct str perf_session_build_id(const struct perf_session *s, struct str path);
/* run_path.c: a link to a file that the process was started by; empty: none. Good as long as the session. */
struct str perf_run_path(struct perf_session *s, int32_t pid, struct str file);
void perf_session_add_build_id(struct perf_session *s, struct str path, struct str build_id);
/* The process if it lives still. */
struct recorded_process perf_session_process(const struct perf_session *s, int32_t pid);
/* Whether the recording is of this machine: what lives here may be what was recorded. */
bool perf_session_is_of_here(const struct perf_session *s);
/* Sections that say something about the recording (tools/perf/Documentation/perf.data-file-format.txt). */
enum perf_feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_CLOCKID = 23,
	FEATURE_CLOCK_DATA = 29,
};
/* feature.c: one of them. */
void perf_feature_read(struct perf_session *s, unsigned feature, struct cursor c);
void perf_build_id_read(struct perf_session *s, struct cursor c, uint16_t misc);
/*
 * names.c: frames for all locations that have none, and with them everything that came since the last
 * call goes into the profile.
 */
void perf_session_name(struct perf_session *s);
/* Frames are of a profile: with another one, all are found anew. */
void perf_session_forget_names(struct perf_session *s);
void location_names_free(struct location_names *n);
void perf_session_note_unverified(struct perf_session *s);
/* Files that would have cost too much to read. */
void perf_session_note_budgets(struct perf_session *s);

/* --- names (names.c, names_jit.c) --- */

/* Frames of locations. */
struct location_names {
	struct perf_session *s;
	VEC(frame_id) frames; /* of all locations, outermost first in each */
	uint32_t n;	      /* locations that the three below have room for */
	uint32_t *first;      /* by location; INDEX_NONE: not named yet */
	uint8_t *count;
	bool *is_unnamed;
	bool *is_entry;	    /* in the function that its program begins with */
	VEC(node_id) nodes; /* of the profile, by node of the raw stacks */
	struct kernel_symbols *kernel;
	VEC(struct known_symbol) symbols;
	struct index_map symbol_map;
	struct buf text;
	struct buf unverified; /* files whose names may be of another version */
	uint32_t unverified_count;
};

/* A function whose frame is made: most locations are in one that another is in, too. */
struct known_symbol {
	mapped_id mapped;
	uint64_t start;
	uint32_t first;
	uint8_t count;
};

/* Gives the location frames that its name stands for, which may hold inlined functions. */
void location_add_name(struct location_names *n, location_id id, struct str name, struct str module,
		       enum frame_kind kind);
void location_add_unnamed(struct location_names *n, location_id id, struct str module);
/* fill.c: all stacks and samples. node_weight: samples by node of the raw stacks. */
void perf_session_fill(struct location_names *n, const uint64_t *node_weight);
/* Locations of the code that a process made at run time. */
void names_of_jit(struct location_names *n, mapped_id mapped, const location_id *ids,
		  uint32_t count, struct buf *reason, struct buf *fix, struct buf *module);

/* names_late.c: the location has no name yet, but its process's jitdump may tell. False: too many wait. */
bool late_names_add(struct location_names *n, location_id id, mapped_id jitdump);
/* Looks for them again; jitdumps have been read. */
void late_names_find(struct perf_session *s);
/* Those that still have none are counted as frames without a name. */
void late_names_end(struct perf_session *s);

/* --- writing (write.c) --- */

/* A record that is no sample, in the machine's own byte order. */
void perf_data_write_record(struct perf_data_writer *w, const struct perf_record *r);
/* Samples lost in all, behind the last record. */
void perf_data_write_lost(struct perf_data_writer *w, uint64_t samples);
/* chain: all of it, leaf first, with PERF_CONTEXT_KERNEL and PERF_CONTEXT_USER before their parts. */
void perf_data_write_sample(struct perf_data_writer *w, uint64_t id,
			    const struct perf_sample *sample, uint16_t misc, const uint64_t *chain,
			    uint32_t n);
