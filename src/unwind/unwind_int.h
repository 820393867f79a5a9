/* Shared by the files of this module. */
#pragma once
#include "debug_info/debug_info.h"
#include "unwind/unwind.h"

/* --- machines --- */

struct unwind_machine {
	uint16_t elf_machine; /* EM_ */
	uint8_t registers;    /* registers with a lower DWARF number are tracked */
	uint8_t stack_pointer, frame_pointer, program_counter;
	uint64_t callee_saved; /* bit per register: preserved across calls */
	/*
	 * Frame layout of code without a table: offsets from the frame pointer to the saved one,
	 * and to the return address; and the caller's stack pointer.
	 */
	int8_t saved_frame_pointer, saved_return_address, caller_stack_pointer;
	/* perf's register numbers (asm/perf_regs.h) as DWARF numbers; UINT8_MAX if not tracked */
	const uint8_t *of_perf;
	uint8_t perf_registers;
	/*
	 * From which instruction on a Go function has saved the frame pointer below its return address: its frame of
	 * size_bytes exists from `at` on, an offset in its code. UINT64_MAX if it does not save it.
	 */
	uint64_t (*go_saves_frame_pointer)(struct str code, uint64_t at, uint32_t size_bytes);
};

extern const struct unwind_machine unwind_x86_64;
/* Returns NULL if the machine is not supported. */
const struct unwind_machine *unwind_machine_of(uint16_t elf_machine);

/* --- call frame information in a file (DWARF 5, 6.4; LSB, 10.6) --- */

struct cfi_section {
	struct elf *elf;
	struct str bytes;
	uint64_t address;
	uint64_t text_address, data_address; /* the bases for DW_EH_PE_textrel and _datarel */
	bool is_eh_frame;
};

struct cfi_cie {
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_register;
	uint8_t pointer_encoding, address_bytes, segment_bytes;
	bool has_augmentation, is_signal;
	struct str program;
};

struct cfi_fde {
	uint64_t start, end; /* link-time addresses */
	size_t cie;	     /* offset of its CIE in the section */
	struct str program;
};

/* The position in a walk through a section. Neighbours mostly share a CIE, so the last one is cached. */
struct cfi_list {
	const struct cfi_section *section;
	size_t at, cie_at;
	bool has_cie, is_good;
	struct cfi_cie cie;
};

/* Returns false at the end of what can be read. has_fde: the entry is valid, fde is filled in. */
bool cfi_next(struct cfi_list *list, bool *has_fde, struct cfi_fde *fde);
bool cfi_read_cie(const struct cfi_section *s, size_t at, struct cfi_cie *cie);
/* For DW_CFA_set_loc; the cursor is inside s->bytes. */
bool cfi_read_pointer(const struct cfi_section *s, struct cursor *c, uint8_t encoding,
		      uint64_t *value);

/* --- rules --- */

enum cfa_kind {
	CFA_NONE,	/* nothing is known here */
	CFA_REGISTER,	/* register + value */
	CFA_EXPRESSION, /* value: offset in the expressions */
};

enum saved_kind {
	SAVED_UNDEFINED,
	SAVED_SAME,
	SAVED_AT_OFFSET, /* in memory, at CFA + value */
	SAVED_IS_OFFSET, /* CFA + value itself */
	SAVED_IN_REGISTER,
	SAVED_AT_EXPRESSION,
	SAVED_IS_EXPRESSION,
};

/*
 * A rule is a row of words, stored once however many rows of the table use it:
 *	word 0: enum cfa_kind, its register, number of saved registers, return register, flags
 *	word 1: offset or expression of the CFA
 *	then a word for each saved register: register, enum saved_kind, value
 */
enum {
	RULE_REGISTER_BITS = 6,
	RULE_IS_ROOT = 1,   /* its return address is undefined: the outermost frame */
	RULE_IS_SIGNAL = 2, /* the caller did not make a call but was interrupted */
	SAVED_VALUE_BITS = 32 - RULE_REGISTER_BITS - 3,
	RULE_MAX_WORDS = 2 + UNWIND_REGISTERS,
	RULE_NONE = 0, /* word of the empty rule */
};

struct rule_head {
	uint8_t cfa_kind, cfa_register;
	uint8_t saved;
	uint8_t return_register : RULE_REGISTER_BITS, flags : 2;
};
_Static_assert(sizeof(struct rule_head) == sizeof(uint32_t), "a word");

struct saved_word {
	uint32_t reg : RULE_REGISTER_BITS, kind : 3;
	int32_t value : SAVED_VALUE_BITS;
};
_Static_assert(sizeof(struct saved_word) == sizeof(uint32_t), "a word");

/* Rules under construction. */
struct rule_pool {
	VEC(uint32_t) words;
	VEC(uint8_t) expressions; /* each: two bytes of length, then the expression */
	struct index_map by_words, by_expression;
};

void rule_pool_init(struct rule_pool *pool);
void rule_pool_fini(struct rule_pool *pool);
/* The position of the rule; RULE_NONE if the pool is full. */
uint32_t rule_pool_add(struct rule_pool *pool, const uint32_t *words, uint32_t n);
/* Returns false if it is too long or the pool is full. */
bool rule_pool_add_expression(struct rule_pool *pool, struct str bytes, int32_t *where);

/* --- CIE and FDE programs --- */

struct cfi_state {
	uint8_t cfa_kind, cfa_register;
	int64_t cfa_value;
	uint64_t is_set; /* bit per register that has its own rule */
	struct {
		uint8_t kind;
		int32_t value;
	} saved[UNWIND_REGISTERS];
};

typedef void cfi_emit(void *context, uint64_t start, uint32_t rule);

struct cfi_program {
	const struct unwind_machine *machine;
	const struct cfi_section *section;
	const struct cfi_cie *cie;
	struct rule_pool *pool;
	const struct cfi_state *initial; /* after the CIE's program; NULL while it runs */
	cfi_emit *emit;
	void *context;
};

/* Runs the CIE's program. Returns false if it is malformed or not supported. */
bool cfi_run_cie(const struct cfi_program *program, struct cfi_state *state);
/*
 * Runs the program of fde; emit gets the start of each range, ascending, inside [fde->start,
 * fde->end). From the first instruction that is malformed or not supported, it gets RULE_NONE.
 */
void cfi_run_fde(const struct cfi_program *program, const struct cfi_fde *fde);

/* --- Go: go.c --- */

/*
 * The rules of a Go function, like those that cfi_run_fde makes from an FDE, but from the frame
 * sizes in Go's own table. `end`: where the next function begins.
 */
struct go_rules {
	const struct unwind_machine *machine;
	struct elf *elf;
	struct go_table *table;
	struct rule_pool *pool;
	cfi_emit *emit;
	void *context;
};
void go_rules_run(const struct go_rules *g, const struct go_function *f, uint64_t end);
uint64_t go_saves_frame_pointer_x86_64(struct str code, uint64_t at, uint32_t size_bytes);

/* --- tables --- */

/* A table is one block of bytes, in memory and on disk: this header, then these arrays in order. */
struct table_head {
	char magic[8];
	uint64_t checksum; /* of everything after it */
	uint64_t base;	   /* the base of the starts of rows */
	uint64_t origin;   /* identifies the sections it was made from */
	uint32_t machine;
	uint32_t bucket_shift, buckets;
	uint32_t rows, words, expression_bytes;
	uint32_t build_id_bytes;
	uint8_t build_id[68];
};
_Static_assert(sizeof(struct table_head) == 128, "no holes: all of it is under the checksum");

/* In names and headers: a different one means a different format. */
#define TABLE_MAGIC "plumeUW2"

struct unwind_table {
	const struct unwind_machine *machine;
	uint64_t base;
	uint32_t bucket_shift, buckets, rows, words, expression_bytes;
	const uint32_t *first_of_bucket; /* buckets + 1 */
	const uint32_t *starts;
	const uint32_t *rules; /* word of each row's rule */
	const uint32_t *rule_words;
	const uint8_t *expressions;

	struct buf image;	/* either this */
	struct mapping mapping; /* or this */
};

/* The row's rule, checked against the pool; NULL if nothing is known about address. */
const uint32_t *table_find(const struct unwind_table *t, uint64_t address);
/* The bytes of an expression; empty if there is none at that position. */
struct str table_expression(const struct unwind_table *t, int32_t where);
/* Fills t with the arrays of image, which it borrows. Returns false if it is not a table, or a damaged one. */
bool table_of_image(struct unwind_table *t, struct str image);
/* A number that identifies the sections elf's table is made from. 0 if it has none. */
uint64_t table_origin(struct elf *elf);

/* --- expressions --- */

struct expression_context {
	const struct unwind_registers *registers;
	const struct unwind_memory *memory;
	uint64_t bias; /* for DW_OP_addr */
	uint64_t cfa;
	bool has_cfa;	/* push cfa before evaluating */
	bool is_beyond; /* set if it needed memory beyond the copy */
};

bool expression_evaluate(struct expression_context *context, struct str bytes, uint64_t *value);

/* --- memory --- */

/* Reads n <= 8 bytes at address. */
static inline bool memory_read(const struct unwind_memory *m, uint64_t address, unsigned n,
			       uint64_t *value)
{
	uint64_t at = address - m->address;
	if (address < m->address || at > m->bytes.n || m->bytes.n - at < n)
		return false;
	*value = 0;
	memcpy(value, m->bytes.p + at, n);
	return true;
}

/* Whether a read failed because the copy is too short. */
static inline bool memory_is_beyond(const struct unwind_memory *m, uint64_t address)
{
	return address >= m->address;
}
