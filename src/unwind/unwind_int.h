/* What the files of this module share. */
#pragma once
#include "debug_info/debug_info.h"
#include "unwind/unwind.h"

/* --- machines --- */

struct unwind_machine {
	uint16_t elf_machine; /* EM_ */
	uint8_t registers;    /* those with a DWARF number below this are followed */
	uint8_t stack_pointer, frame_pointer, program_counter;
	uint64_t callee_saved; /* bit per register: a caller finds them as they were */
	/* How frames of code without a table are laid out: from the frame pointer to the next one, and to
	 * the return address; the stack pointer of the caller. */
	int8_t saved_frame_pointer, saved_return_address, caller_stack_pointer;
	/* perf's register numbers (asm/perf_regs.h) as DWARF numbers; UINT8_MAX: not followed */
	const uint8_t *of_perf;
	uint8_t perf_registers;
	/*
	 * From which instruction on a function of Go has saved the frame pointer below its return address: its frame
	 * of size_bytes is there from `at` on, a place in its code. UINT64_MAX: it does not.
	 */
	uint64_t (*go_saves_frame_pointer)(struct str code, uint64_t at, uint32_t size_bytes);
};

extern const struct unwind_machine unwind_x86_64;
/* NULL: not known here. */
const struct unwind_machine *unwind_machine_of(uint16_t elf_machine);

/* --- call frame information, as it is in a file (DWARF 5, 6.4; LSB, 10.6) --- */

struct cfi_section {
	struct elf *elf;
	struct str bytes;
	uint64_t address;
	uint64_t text_address, data_address; /* what DW_EH_PE_textrel and _datarel count from */
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
	uint64_t start, end; /* addresses of the program's own */
	size_t cie;	     /* where its CIE is in the section */
	struct str program;
};

/* Where a look through a section is. Neighbours mostly share a CIE, so the last one is kept. */
struct cfi_list {
	const struct cfi_section *section;
	size_t at, cie_at;
	bool has_cie, is_good;
	struct cfi_cie cie;
};

/* False at the end of what can be read. has_fde: the entry is one that makes sense, and fde is filled. */
bool cfi_next(struct cfi_list *list, bool *has_fde, struct cfi_fde *fde);
bool cfi_read_cie(const struct cfi_section *s, size_t at, struct cfi_cie *cie);
/* For DW_CFA_set_loc; the cursor is inside s->bytes. */
bool cfi_read_pointer(const struct cfi_section *s, struct cursor *c, uint8_t encoding,
		      uint64_t *value);

/* --- rules --- */

enum cfa_kind {
	CFA_NONE,	/* nothing is known here */
	CFA_REGISTER,	/* register + value */
	CFA_EXPRESSION, /* value: where it is among the expressions */
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
 * A rule is a row of words, each kept once however many rows of the table have it:
 *	word 0: enum cfa_kind, its register, number of saved registers, return register, flags
 *	word 1: offset or expression of the CFA
 *	then a word for each saved register: register, enum saved_kind, value
 */
enum {
	RULE_REGISTER_BITS = 6,
	RULE_IS_ROOT = 1,   /* its return address is undefined: the outermost frame */
	RULE_IS_SIGNAL = 2, /* the caller did not call but was interrupted */
	SAVED_VALUE_BITS = 32 - RULE_REGISTER_BITS - 3,
	RULE_MAX_WORDS = 2 + UNWIND_REGISTERS,
	RULE_NONE = 0, /* word of the rule that says nothing */
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
	VEC(uint8_t) expressions; /* each: two bytes of length, then its bytes */
	struct index_map by_words, by_expression;
};

void rule_pool_init(struct rule_pool *pool);
void rule_pool_fini(struct rule_pool *pool);
/* Where the rule is; RULE_NONE when the pool is full. */
uint32_t rule_pool_add(struct rule_pool *pool, const uint32_t *words, uint32_t n);
/* False: too long, or the pool is full. */
bool rule_pool_add_expression(struct rule_pool *pool, struct str bytes, int32_t *where);

/* --- programs of CIE and FDE --- */

struct cfi_state {
	uint8_t cfa_kind, cfa_register;
	int64_t cfa_value;
	uint64_t is_set; /* bit per register with a rule of its own */
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
	const struct cfi_state *initial; /* after the CIE's program; NULL while that one runs */
	cfi_emit *emit;
	void *context;
};

/* Runs the CIE's program. False: it cannot be understood. */
bool cfi_run_cie(const struct cfi_program *program, struct cfi_state *state);
/*
 * Runs fde's; emit gets each range's start, ascending, inside [fde->start, fde->end). From where it
 * cannot be understood RULE_NONE is emitted.
 */
void cfi_run_fde(const struct cfi_program *program, const struct cfi_fde *fde);

/* --- Go: go.c --- */

/*
 * Rules of one of its functions, as cfi_run_fde makes them of an FDE, from the frame sizes in Go's own table. `end`:
 * where the next one begins.
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

/* A table is one block of bytes, in memory and on disk: this, then the arrays in this order. */
struct table_head {
	char magic[8];
	uint64_t checksum; /* of all that follows */
	uint64_t base;	   /* what the starts of rows count from */
	uint64_t origin;   /* of the sections that it was made from */
	uint32_t machine;
	uint32_t bucket_shift, buckets;
	uint32_t rows, words, expression_bytes;
	uint32_t build_id_bytes;
	uint8_t build_id[68];
};
_Static_assert(sizeof(struct table_head) == 128, "no holes: all of it is under the checksum");

/* In names and in heads: another one is another format. */
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

/* The row's rule, checked against the pool; NULL: nothing is known of address. */
const uint32_t *table_find(const struct unwind_table *t, uint64_t address);
/* The bytes of an expression; empty when there is none at that place. */
struct str table_expression(const struct unwind_table *t, int32_t where);
/* What image says, where it is whole; borrowed. False: it is not a table, or a damaged one. */
bool table_of_image(struct unwind_table *t, struct str image);
/* Which sections elf's table is made from, in a number. 0: it has none. */
uint64_t table_origin(struct elf *elf);

/* --- expressions --- */

struct expression_context {
	const struct unwind_registers *registers;
	const struct unwind_memory *memory;
	uint64_t bias; /* for DW_OP_addr */
	uint64_t cfa;
	bool has_cfa;	/* cfa is on the stack when it begins */
	bool is_beyond; /* set: it wanted memory beyond the copy */
};

bool expression_evaluate(struct expression_context *context, struct str bytes, uint64_t *value);

/* --- memory --- */

/* n <= 8 bytes at address. */
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

/* Whether a read failed because the copy ends too early. */
static inline bool memory_is_beyond(const struct unwind_memory *m, uint64_t address)
{
	return address >= m->address;
}
