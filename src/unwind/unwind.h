/*
 * Unwinds stacks from a copy of registers and stack memory, using for each binary a compact table
 * made from its .eh_frame or .debug_frame, and frame pointers if there is none (JIT code).
 * Register-specific code is in files named after the architecture.
 */
#pragma once
#include "elf/elf.h"

/* --- tables --- */

struct unwind_table;

/* Returns NULL and sets e if elf has no unwind information or an unsupported machine. */
struct unwind_table *unwind_table_new(struct elf *elf, struct err *e);
/*
 * The same, read from the cache on disk, or added to it if missing. cache_dir NULL: the user's own
 * (XDG_CACHE_HOME or ~/.cache, plume/unwind). Cache errors are ignored.
 */
struct unwind_table *unwind_table_cached(struct elf *elf, const char *cache_dir, struct err *e);
void unwind_table_free(struct unwind_table *t);
/* .eh_frame without a file, as JIT compilers provide it: its address in memory, and the code it describes. */
struct unwind_eh_frame {
	struct str bytes;
	uint64_t address;
	uint64_t code_start, code_end; /* entries for other code are ignored */
	struct budget *budget;	       /* for the resulting table; may be NULL */
};
/* Returns NULL if it does not describe the code. */
struct unwind_table *unwind_table_of_eh_frame(uint16_t machine, const struct unwind_eh_frame *f);

/* --- code --- */

/*
 * The instructions of a file's functions, for those that no table covers: their effect on the stack pointer tells
 * where their caller is. Returns NULL for an unsupported machine. elf must outlive it. Reads nothing until needed.
 */
struct unwind_code;
struct unwind_code *unwind_code_new(struct elf *elf);
void unwind_code_free(struct unwind_code *c);

/* --- copied code (copied_x86_64.c) --- */

/* Where the return address is in a function's frames, in words above the stack pointer. */
enum { UNWIND_COPIED_WORDS = 16 };
struct unwind_copied {
	uint32_t depths;    /* bit per word: at any of its instructions */
	uint8_t call_depth; /* while a function it called runs */
};

/* code: the whole function. Returns false if it does more than move the stack pointer, call once and return. */
bool unwind_copied_read(uint16_t machine, struct str code, struct unwind_copied *copied);
/* Whether the instruction that ends at code.p + at is a call. */
bool unwind_is_behind_call(struct str code, uint64_t at);

/* --- stacks --- */

/* Registers by DWARF number; the return address column stands for the pc. */
enum { UNWIND_REGISTERS = 33 };
struct unwind_registers {
	uint64_t value[UNWIND_REGISTERS];
	uint64_t is_known; /* bit per register */
};

/*
 * Converts a sample's registers: mask is the event's sample_regs_user, values has one for each bit
 * of it. Returns false if the machine is unknown, or the pc or stack pointer is missing.
 */
bool unwind_registers_of_perf(uint16_t machine, uint64_t mask, const uint64_t *values,
			      struct unwind_registers *registers);
/* The known registers at a place; frame_pointer is NULL if not known. */
void unwind_registers_at(uint16_t machine, uint64_t pc, uint64_t stack_pointer,
			 const uint64_t *frame_pointer, struct unwind_registers *registers);
/* For a known machine. */
uint64_t unwind_stack_pointer(uint16_t machine, const struct unwind_registers *registers);

/* A copy of the stack, from the stack pointer up. */
struct unwind_memory {
	uint64_t address;
	struct str bytes;
};

/* What is mapped at an address in the process. */
struct unwind_place {
	const struct unwind_table *table; /* NULL: use what follows, or frame pointers */
	uint64_t bias;			  /* address in the process - address in the file */
	uint64_t start, end;		  /* the mapping that this applies to, in the process */
	bool is_code;			  /* something executable is mapped there */
	struct unwind_code *code; /* for what the table does not cover; NULL: use frame pointers */
	struct str bytes;	  /* the content of its file from start on; empty if not known */
	/* The code may be a copy of this one; used to find frames that return into known code. */
	const struct unwind_copied *copied;
};

typedef void unwind_find(void *context, uint64_t address, struct unwind_place *place);

enum unwind_end {
	UNWIND_ROOTED,	  /* the outermost frame is marked as such */
	UNWIND_TRUNCATED, /* the stack copy ends */
	UNWIND_LOST,	  /* no rule, or one that leads nowhere */
	UNWIND_FULL,	  /* more frames than fit */
};

struct unwinder {
	uint16_t machine; /* EM_X86_64 */
	unwind_find *find;
	void *context;
	uint64_t *
		frame_pointers; /* gets each frame's (0: unknown); with room for max; may be NULL */
};

/*
 * Fills addresses, innermost first. The first is the exact pc; so is the pc of a frame that was
 * interrupted by a signal, and the code that returns from a signal handler, which nobody called.
 * The others are return addresses, and have bit i % 64 of is_return[i / 64] set. Returns their
 * number. is_return has room for max bits, rounded up to words, and need not be cleared.
 */
uint32_t unwind_stack(const struct unwinder *u, const struct unwind_registers *registers,
		      const struct unwind_memory *memory, uint64_t *addresses, uint64_t *is_return,
		      uint32_t max, enum unwind_end *end);
