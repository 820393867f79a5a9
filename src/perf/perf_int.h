/* Shared by the files of this module: stacks, locations, the session, names. */
#pragma once
#include "perf/process_int.h"
#include "perf/record_int.h"

/* --- stacks (stack.c, stack_ends.c) --- */

enum stack_part { PART_USER, PART_KERNEL, PART_GUEST, PART_GAP };

struct stack_address {
	uint64_t ip;
	enum stack_part part;
	bool is_call;	/* ip is a return address, which may already be in the next function */
	uint32_t found; /* 1 + the recorder's number of the frame; 0 if none */
	uint64_t frame_pointer; /* 0 if not known */
};

/* The addresses of a sample's stack, leaf first, and how they were found. */
struct unwound_stack;
struct stack {
	VEC(struct stack_address) list;
	VEC(uint32_t) locations;       /* location_id of each, filled in last */
	struct unwound_stack *unwound; /* NULL until first needed */
	uint32_t chain_addresses;      /* of the kernel's call chain, unmodified */
	uint32_t user_first;	       /* where the user part begins */
	bool is_rooted;		       /* the unwinder knows that it is complete */
	bool is_cut;	    /* the unwinder knows that it continues where the recorder stopped */
	bool is_chain_last; /* its last address is that of the kernel's chain */
	bool is_deferred;   /* the user part comes later, with this cookie */
	uint64_t cookie;
};

/* The result of unwinding a copy of the stack. */
enum { STACK_MAX_UNWOUND = 1024 };
struct unwound_stack {
	uint64_t addresses[STACK_MAX_UNWOUND], is_return[STACK_MAX_UNWOUND / 64];
	uint64_t frame_pointers[STACK_MAX_UNWOUND]; /* 0 if not known */
	uint32_t n;
	bool is_rooted, is_cut;
};

/* --- locations (location.c) --- */

typedef uint32_t location_id;

/* An address, relative to what it is in. */
struct location {
	mapped_id mapped;
	uint32_t code : 31; /* jitdump: the index of the code; else 0 */
	uint32_t is_call : 1;
	uint64_t address; /* offset in a file, or address; for calls, one byte before the return */
	uint64_t ip;	  /* in the first sample */
};

struct locations {
	VEC(struct location) list;
	struct index_map map;
	bool by_ip; /* addresses are shown, so those of different processes differ */
};

void locations_fini(struct locations *l);
location_id locations_get(struct locations *l, const struct location *location);

/* --- the session (session.c) --- */

struct cgroup {
	uint64_t id;
	str_id path;
};

/* An address that was looked up recently. */
struct recent_location {
	uint64_t ip;
	uint32_t version; /* of the address space; 0 if the slot is empty */
	location_id location;
};
enum { RECENT_LOCATIONS = 1 << 16 };

/* A sample whose user stack comes later. */
struct deferred_sample {
	uint64_t cookie;
	int32_t pid, tid;
	struct sample sample;
	uint32_t first, n; /* its kernel stack, in deferred_locations */
};

/* A kernel module. */
struct kernel_module {
	uint64_t start, end;
	struct str name;
};

struct build_id_row {
	struct str path;
	struct str build_id;
};

/* A frame in the profile that waits for its name (names_late.c). */
struct late_name {
	mapped_id jitdump;
	frame_id frame, unnamed; /* the current frame, and the one to use if the name never comes */
	uint64_t address;
};

/* A frame that the recorder named, and where the process's own map would name it. */
struct witness {
	location_id found, told, told_later;
	uint64_t samples;
};
enum { MAX_CONTRADICTION_BYTES = 16 << 10 };

struct perf_session {
	struct profile *p;
	/* Stacks of locations and sample rows before naming: frames are location ids. */
	struct profile *raw;
	struct perf_options options;
	uint16_t machine; /* ELF machine (EM_) of the recorded machine */
	struct perf_events events;
	struct perf_order order;
	struct mapped_table mapped;
	struct run_paths run_paths;
	struct perf_processes processes;
	struct locations locations;
	struct recent_location *recent;

	struct perf_data_writer *writer; /* NULL if records are not written */

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
		int32_t pid; /* 0 for all */
	} found;	     /* the mapping that functions found by a recorder are in */
	struct {
		VEC(struct cgroup) list;
		struct index_map map; /* by id */
	} cgroups;
	struct stack stack; /* of the current sample */
	struct perf_counts counts;
	struct {
		VEC(location_id) rooted; /* known to be complete */
		VEC(location_id) cut;	 /* one each */
	} ends;				 /* outermost frames of stacks */
	struct {
		VEC(struct deferred_sample) list;
		VEC(location_id) locations;
	} deferred;
	bool is_unfinished; /* perf did not write the end of the file */
	uint64_t first_ns, last_ns;
	uint64_t aux_records;
	struct {
		uint64_t in_rings, by_events; /* two counts of the same losses */
		uint64_t in_ledger;	      /* part of them that some profile already counts */
	} lost;
	struct {
		VEC(struct witness) list; /* since the last flush */
		struct index_map map;
		struct buf contradictions;
	} witnesses;
	VEC(struct late_name) late;
	struct location_names *names; /* of the locations so far; NULL if there are none yet */
	uint64_t other_abi; /* samples with registers of a machine that plume cannot unwind here */
};

void perf_session_init(struct perf_session *s, const struct perf_options *options,
		       struct profile *p);
void perf_session_fini(struct perf_session *s);
/* Handles a record when its turn comes. */
void perf_session_deliver(void *session, const struct perf_record *r);
/* Takes a record as it arrives: sorts it in, or handles it at once. */
void perf_session_queue(struct perf_session *s, const struct perf_record *r);
/* All records are in: names everything and adds it to the profile. */
void perf_session_end(struct perf_session *s);
/* session_facts.c */
void perf_session_add_facts(struct perf_session *s);
void perf_session_add_notes(struct perf_session *s);
/* Adds what the kernel lost since the last call to the ledger. */
void perf_session_note_lost(struct perf_session *s);
void perf_session_bad_record(struct perf_session *s, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* sample.c: decodes and adds a sample. */
void perf_session_sample(struct perf_session *s, const struct perf_record *r);
void perf_session_deferred(struct perf_session *s, const struct perf_record *r);
void perf_session_end_deferred(struct perf_session *s);
/* stack.c: fills s->stack. */
void perf_session_stack(struct perf_session *s, const struct perf_event *event,
			const struct perf_record *r, const struct perf_sample *sample,
			struct perf_process *process);
/* The same for a user part that arrived later. */
void perf_session_stack_of_chain(struct perf_session *s, struct cursor chain, uint16_t misc);
enum stack_part stack_part_of_mode(uint16_t misc);
/* After the first `walked` addresses of the walk comes chain[from]. */
struct stack_meeting {
	uint32_t walked, from;
	/* They met before the end of the walk: the chain is right if all of it is in code. */
	bool is_before;
};
/* Finds where the chain continues a walk. Returns false if they have nothing in common. */
bool perf_stack_meet(const struct unwound_stack *u, const struct stack_address *chain, uint32_t n,
		     struct stack_meeting *at);
/* The number of addresses that are in code. After them, the chain followed something other than frames. */
uint32_t perf_stack_plausible(const struct perf_session *s, const struct perf_process *process,
			      const struct stack_address *chain, uint32_t n);
/* stack_ends.c: the index of the walked frame after the one with this frame pointer; w->n if none. */
uint32_t perf_walked_behind(const struct perf_walked *w, uint64_t frame_pointer);
/* ... appends the walked frames from `next` on to s->stack. */
void perf_session_add_walked(struct perf_session *s, const struct perf_process *process,
			     const struct perf_walked *w, uint32_t next);
/* ... does so where s->stack was cut. */
void perf_session_put_walked(struct perf_session *s, const struct perf_process *process,
			     const struct perf_found *found);
/* ... completes a stack that ends just before a thread's start like other stacks of the process. */
void perf_session_put_root(struct perf_session *s, const struct perf_process *process);
/* ... learns from n addresses, leaf first, up to the root. */
void stack_roots_learn(struct stack_roots *roots, const struct stack_address *stack, uint32_t n);
/* ... returns NULL if unknown, and looks for it from now on. *is_new: this is the first request. */
const struct stack_root *stack_roots_find(struct stack_roots *roots, uint64_t last, bool *is_new);
/* stack.c: unwinds the user part of a stack from its copy. Returns false if it is from another machine. */
bool perf_session_unwind(struct perf_session *s, const struct perf_sample *sample,
			 const struct perf_process *process, struct unwound_stack *out);
/* ... the stack pointer of the sample; 0 if unknown. */
uint64_t perf_session_stack_pointer(const struct perf_session *s, const struct perf_sample *sample);
/* jit_unwind.c: the code in the process's jitdump that was at the address at that time, or INDEX_NONE. */
uint32_t perf_session_jit_code(const struct perf_session *s, const struct perf_process *process,
			       uint64_t address, uint64_t time_ns);
struct unwind_place;
/* ... how to unwind it. Returns false if the jitdump has no unwind data. */
bool perf_session_jit_place(struct perf_session *s, const struct perf_process *process,
			    uint64_t address, uint64_t time_ns, struct unwind_place *place);
struct unwind_memory;
/* ... unwinds from a memory address that holds a return address, which becomes the first address. */
void perf_session_unwind_from(struct perf_session *s, const struct perf_process *process,
			      const struct unwind_memory *memory, size_t at,
			      struct unwound_stack *out);
/* stack_ends.c: marks a cut stack with a gap frame, with the start of its thread in front of it. */
void perf_session_put_gap(struct perf_session *s, const struct perf_sample *sample,
			  const struct perf_process *process);
/* copied.c: the file that code in anonymous memory may be copied from; NULL if none is known. */
const struct unwind_copied *perf_session_copied(struct perf_session *s,
						struct address_space *space);
/* stack_ends.c: merges what the recorder found for the current sample into s->stack. */
void perf_session_put_found(struct perf_session *s, struct perf_process *process,
			    const struct perf_found *found);
/* witness.c */
void perf_session_add_witness(struct perf_session *s, const struct perf_process *process,
			      location_id found, location_id told);
void perf_session_compare_witnesses(struct location_names *n);
location_id perf_session_locate_found(struct perf_session *s, int32_t pid, uint32_t found,
				      uint64_t ip);
/* other_records.c: handles records other than samples. */
void perf_session_other(struct perf_session *s, const struct perf_record *r);
/* Rereads jitdumps, which have grown. Indices of their code stay valid. */
void perf_session_read_jitdumps(struct perf_session *s);
struct cgroup *perf_cgroup_find(const struct perf_session *s, uint64_t id);
struct str perf_session_build_id(const struct perf_session *s, struct str path);
/* run_path.c: the symbolic link that the process was started by, or empty. Valid as long as the session. */
struct str perf_run_path(struct perf_session *s, int32_t pid, struct str file);
void perf_session_add_build_id(struct perf_session *s, struct str path, struct str build_id);
/* The process, if it is still alive. */
struct recorded_process perf_session_process(const struct perf_session *s, int32_t pid);
/* Whether this machine was recorded, so that its live processes may be those of the recording. */
bool perf_session_is_of_here(const struct perf_session *s);
/* Feature sections with facts about the recording (tools/perf/Documentation/perf.data-file-format.txt). */
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
/* feature.c: reads one. */
void perf_feature_read(struct perf_session *s, unsigned feature, struct cursor c);
void perf_build_id_read(struct perf_session *s, struct cursor c, uint16_t misc);
/* names.c: creates frames for all new locations and adds what arrived since the last call to the profile. */
void perf_session_name(struct perf_session *s);
/* Frames belong to a profile. With a new profile, all are looked up again. */
void perf_session_forget_names(struct perf_session *s);
void location_names_free(struct location_names *n);
void perf_session_note_unverified(struct perf_session *s);
/* Reports files that were too expensive to read. */
void perf_session_note_budgets(struct perf_session *s);

/* --- names (names.c, names_jit.c) --- */

/* The frames of locations. */
struct location_names {
	struct perf_session *s;
	VEC(frame_id) frames; /* of all locations, outermost first within each */
	uint32_t n;	      /* size of the three arrays below */
	uint32_t *first;      /* by location; INDEX_NONE if not named yet */
	uint8_t *count;
	bool *is_unnamed;
	bool *is_entry;	    /* in the program's entry function */
	VEC(node_id) nodes; /* in the profile, by node of the raw stacks */
	struct kernel_symbols *kernel;
	VEC(struct known_symbol) symbols;
	struct index_map symbol_map;
	struct buf text;
	struct buf unverified; /* files whose names may be from another version */
	uint32_t unverified_count;
};

/* A function that already has a frame: most locations share their function with others. */
struct known_symbol {
	mapped_id mapped;
	uint64_t start;
	uint32_t first;
	uint8_t count;
};

/* Adds the frames of a name to the location; the name may contain inlined functions. */
void location_add_name(struct location_names *n, location_id id, struct str name, struct str module,
		       enum frame_kind kind);
void location_add_unnamed(struct location_names *n, location_id id, struct str module);
/* fill.c: adds all stacks and samples. node_weight: samples by node of the raw stacks. */
void perf_session_fill(struct location_names *n, const uint64_t *node_weight);
/* Names locations in JIT code. */
void names_of_jit(struct location_names *n, mapped_id mapped, const location_id *ids,
		  uint32_t count, struct buf *reason, struct buf *fix, struct buf *module);

/*
 * names_late.c: for a location without a name that the process's jitdump may name later. Returns
 * false if too many wait.
 */
bool late_names_add(struct location_names *n, location_id id, mapped_id jitdump);
/* Tries again after jitdumps were read. */
void late_names_find(struct perf_session *s);
/* Counts those that still have no name as unnamed frames. */
void late_names_end(struct perf_session *s);

/* --- writing (write.c) --- */

/* For records other than samples, in native byte order. */
void perf_data_write_record(struct perf_data_writer *w, const struct perf_record *r);
/* The total of lost samples, after the last record. */
void perf_data_write_lost(struct perf_data_writer *w, uint64_t samples);
/* chain: the complete chain, leaf first, with PERF_CONTEXT_KERNEL and PERF_CONTEXT_USER before their parts. */
void perf_data_write_sample(struct perf_data_writer *w, uint64_t id,
			    const struct perf_sample *sample, uint16_t misc, const uint64_t *chain,
			    uint32_t n);
