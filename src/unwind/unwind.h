/*
 * Stacks from a copy of registers and stack memory: for each binary a compact table made from its
 * .eh_frame or .debug_frame, and frame pointers where there is none (code of JIT compilers).
 * What knows registers is in files named for the architecture.
 */
#pragma once
#include "elf/elf.h"

/* --- tables --- */

struct unwind_table;

/* NULL when elf has no unwind information, or of a machine that is not known here: e. */
struct unwind_table *unwind_table_new(struct elf *elf, struct err *e);
/*
 * The same, from the cache on disk where it is in there, and put into it where not. cache_dir NULL: the
 * user's own (XDG_CACHE_HOME or ~/.cache, plume/unwind). Any trouble with the cache is passed over.
 */
struct unwind_table *unwind_table_cached(struct elf *elf, const char *cache_dir, struct err *e);
void unwind_table_free(struct unwind_table *t);
/* .eh_frame without a file, as JIT compilers hand it out: where it would be in memory, and the code that it is of. */
struct unwind_eh_frame {
	struct str bytes;
	uint64_t address;
	uint64_t code_start, code_end; /* what is said of other code is left out */
	struct budget *budget;	       /* for what is made of it; may be NULL */
};
/* NULL: it says nothing of the code. */
struct unwind_table *unwind_table_of_eh_frame(uint16_t machine, const struct unwind_eh_frame *f);

/* --- code --- */

/*
 * Instructions of a file's functions, for those that no table knows: how they move the stack pointer says where their
 * caller is. NULL: of a machine that is not known here. elf must outlive it. Nothing is read before it is needed.
 */
struct unwind_code;
struct unwind_code *unwind_code_new(struct elf *elf);
void unwind_code_free(struct unwind_code *c);

/* --- code that is a copy of other code (copied_x86_64.c) --- */

/* Where the return address is in frames of a function, in words from the stack pointer up. */
enum { UNWIND_COPIED_WORDS = 16 };
struct unwind_copied {
	uint32_t depths;    /* bit per word: at any of its instructions */
	uint8_t call_depth; /* while it waits for what it calls */
};

/* code: the whole function. False: it does more than move the stack pointer, call once and return. */
bool unwind_copied_read(uint16_t machine, struct str code, struct unwind_copied *copied);
/* Whether the instruction that ends at code.p + at is a call. */
bool unwind_is_behind_call(struct str code, uint64_t at);

/* --- stacks --- */

/* Registers by DWARF number; the number of the return address stands for the pc. */
enum { UNWIND_REGISTERS = 33 };
struct unwind_registers {
	uint64_t value[UNWIND_REGISTERS];
	uint64_t is_known; /* bit per register */
};

/*
 * From those of a sample: mask is the event's sample_regs_user, values one for each bit of it. False: the
 * machine is not known, or pc and stack pointer are not among them.
 */
bool unwind_registers_of_perf(uint16_t machine, uint64_t mask, const uint64_t *values,
			      struct unwind_registers *registers);
/* Those at a place, as far as they are known; frame_pointer NULL: it is not. */
void unwind_registers_at(uint16_t machine, uint64_t pc, uint64_t stack_pointer,
			 const uint64_t *frame_pointer, struct unwind_registers *registers);
/* Of a machine that is known. */
uint64_t unwind_stack_pointer(uint16_t machine, const struct unwind_registers *registers);

/* A copy of the stack from the stack pointer up. */
struct unwind_memory {
	uint64_t address;
	struct str bytes;
};

/* What is at an address of the process. */
struct unwind_place {
	const struct unwind_table *table; /* NULL: none, go by what follows, or by frame pointers */
	uint64_t bias;			  /* address in the process - address in the file */
	uint64_t start, end;		  /* of the mapping that this is true for, in the process */
	bool is_code;			  /* something executable is mapped there */
	struct unwind_code *code; /* for what is not in the table; NULL: go by frame pointers */
	struct str bytes;	  /* what its file has from start on; empty: not known */
	/* The code may be copies of this, by which frames are found that return into known code. */
	const struct unwind_copied *copied;
};

typedef void unwind_find(void *context, uint64_t address, struct unwind_place *place);

enum unwind_end {
	UNWIND_ROOTED,	  /* the outermost frame says that it is */
	UNWIND_TRUNCATED, /* the copy of the stack ends */
	UNWIND_LOST,	  /* no rule, or a rule that leads nowhere */
	UNWIND_FULL,	  /* more frames than there is room for */
};

struct unwinder {
	uint16_t machine; /* EM_X86_64 */
	unwind_find *find;
	void *context;
	uint64_t *
		frame_pointers; /* gets each frame's, 0: not known; has room for max; NULL: not wanted */
};

/*
 * Fills addresses, innermost first: the first is the pc as it is, and so is one that was interrupted by
 * a signal, and the code that returns from a signal's handler, which nobody called; the others are return
 * addresses, with bit i % 64 of is_return[i / 64] set. Returns their number. is_return has room for max
 * bits, rounded up to words; it need not be cleared before.
 */
uint32_t unwind_stack(const struct unwinder *u, const struct unwind_registers *registers,
		      const struct unwind_memory *memory, uint64_t *addresses, uint64_t *is_return,
		      uint32_t max, enum unwind_end *end);
