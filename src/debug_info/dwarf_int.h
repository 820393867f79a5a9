/*
 * DWARF 2 to 5, as far as names, inlined functions and lines need it. Decoded here and not by libdw: no byte is
 * trusted, nothing outside a section is read, all work is counted, and the file may be mapped read-only, truncated
 * while it is read, and have sections compressed with zstd. libdw 0.188 does none of that; the tests compare against
 * it. Section numbers in comments refer to the DWARF 5 standard.
 */
#pragma once
#include "debug_info/lookup.h"

#include <dwarf.h>

/* --- files --- */

enum dwarf_section {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_STR,
	DWARF_LINE_STR,
	DWARF_STR_OFFSETS,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_LINE,
	DWARF_ARANGES,
	DWARF_SECTION_COUNT
};

/* Attributes that are used here; each has a slot in struct dwarf_die. */
enum dwarf_slot {
	SLOT_NONE,
	SLOT_SIBLING,
	SLOT_NAME,
	SLOT_LINKAGE_NAME,
	SLOT_LOW,
	SLOT_HIGH,
	SLOT_RANGES,
	SLOT_ORIGIN,
	SLOT_SPECIFICATION,
	SLOT_CALL_FILE,
	SLOT_CALL_LINE,
	SLOT_CALL_COLUMN,
	SLOT_DECLARED_FILE,
	SLOT_DECLARED_LINE,
	SLOT_LANGUAGE,
	SLOT_STMT_LIST,
	SLOT_COMP_DIR,
	SLOT_STR_OFFSETS_BASE,
	SLOT_ADDR_BASE,
	SLOT_RNGLISTS_BASE,
	SLOT_RANGES_BASE,
	SLOT_DWO_NAME,
	SLOT_DWO_ID,
	SLOT_COUNT
};

struct dwarf_attribute {
	uint8_t slot;
	uint16_t form;
	int64_t constant; /* of DW_FORM_implicit_const */
};

/* A number of bytes, by what it depends on. */
struct dwarf_size {
	uint32_t plain, offsets, addresses;
};

struct dwarf_abbreviation {
	uint64_t code;
	uint32_t first, count; /* in attributes */
	uint16_t tag;
	bool has_children;
	bool has_code; /* may say where code is */
	bool has_fixed_size;
	struct dwarf_size size; /* of all attributes, if fixed */
	/* The attribute that points past the children, counted from 1; 0 if there is none. */
	uint32_t sibling;
	bool has_fixed_sibling;
	struct dwarf_size before_sibling; /* if fixed */
};

struct dwarf_abbreviations {
	uint64_t offset;
	bool is_dense; /* code i is at index i - 1 */
	VEC(struct dwarf_abbreviation) all;
	VEC(struct dwarf_attribute) attributes;
};

struct dwarf_file {
	struct debug_info *info;
	struct elf *elf;
	bool owns_elf;
	uint32_t number;
	struct str sections[DWARF_SECTION_COUNT];
	VEC(char *) unpacked; /* contents of .zdebug_ sections */
	VEC(struct dwarf_abbreviations *) abbreviations;
	struct index_map abbreviations_by_offset;
	VEC(struct dwarf_unit *) units; /* those requested so far */
	struct index_map units_by_offset;
	bool has_unit_offsets;
	VEC(uint64_t) unit_offsets; /* of all units, in order */
};

/* --- units --- */

struct dwarf_span {
	uint64_t low, high;
	uint64_t reach; /* the highest `high` of this one and all before */
	uint32_t of;	/* which function or unit */
};

struct dwarf_spans {
	struct dwarf_span *p;
	uint32_t n, capacity;
};

struct dwarf_function {
	uint64_t die;
	uint32_t first_piece, piece_count;
	bool is_walked;
};

/* A namespace, class or function with children: the entries between start and end are in it. */
struct dwarf_scope {
	uint64_t start, end;
	uint32_t parent, depth; /* parent INDEX_NONE: the unit */
	bool is_function;
};

struct dwarf_unit {
	struct dwarf_file *file;
	uint64_t offset, end, first_die;
	uint16_t version;
	uint8_t kind, address_bytes, offset_bytes;
	struct dwarf_abbreviations *abbreviations;
	/* From its first entry. */
	uint16_t tag;
	uint64_t language;
	uint64_t low;
	uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
	bool has_line_table, has_dwo_id;
	uint64_t line_table, dwo_id;
	struct str comp_dir, dwo_name;
	/* For split DWARF: the unit's other half. */
	struct dwarf_unit *skeleton, *split;
	bool looked_for_split;

	bool is_in_aranges;
	bool has_functions, has_nested_functions;
	struct dwarf_spans spans;
	VEC(struct dwarf_function) functions;
	VEC(struct dwarf_scope) scopes;
	struct dwarf_lines *lines;
};

/* A value as stored in the entry; its meaning depends on its form. */
struct dwarf_value {
	uint64_t u;
	uint16_t form;
};

struct dwarf_die {
	uint64_t offset, next; /* next: the entry after it; its first child, if any */
	const struct dwarf_abbreviation *abbreviation;
	uint32_t present; /* bit per slot */
	struct dwarf_value values[SLOT_COUNT];
};

static inline bool dwarf_has(const struct dwarf_die *die, enum dwarf_slot slot)
{
	return die->present >> slot & 1;
}

/* --- lines --- */

struct dwarf_row {
	uint64_t address;
	uint32_t line;
	uint16_t file, column;
};

/* Rows with ascending addresses. */
struct dwarf_sequence {
	uint32_t first, count;
};

struct dwarf_line_file {
	struct str name;
	uint64_t folder;
	struct str path; /* once requested */
};

struct dwarf_lines {
	struct dwarf_unit *unit;
	struct dwarf_line_program *program; /* NULL: already run, or cannot be run */
	bool counts_from_zero;		    /* folders and files, since DWARF 5 */
	VEC(struct str) folders;
	VEC(struct dwarf_line_file) files;
	VEC(struct dwarf_row) rows;
	VEC(struct dwarf_sequence) sequences;
	struct dwarf_spans spans; /* of sequences */
};

/* The line number program that generates the rows (6.2.4). */
struct dwarf_line_program {
	struct cursor c;
	uint16_t version;
	uint8_t offset_bytes, address_bytes;
	uint8_t least_instruction, line_range, first_special;
	int8_t line_base;
	uint8_t operands[256]; /* for the opcodes below first_special */
};

/* --- debug_info --- */

struct dwarf_range {
	uint64_t low, high;
};

/* An inlined function. */
struct dwarf_inline {
	uint64_t die;
	uint32_t parent; /* what it was inlined into; INDEX_NONE: the function itself */
	uint32_t call_file, call_line, call_column;
	uint32_t name; /* INDEX_NONE until requested */
};

/* From this address up to the next piece, this is the innermost inlined function. */
struct dwarf_piece {
	uint64_t low;
	uint32_t of; /* INDEX_NONE if none */
};

struct dwarf_name {
	uint32_t file;
	uint64_t die;
	struct str text;
	bool is_linkage_name;
	struct str declared_file;
	uint32_t declared_line;
};

struct dwarf_answer {
	uint64_t address;
	const struct debug_frame *frames;
	uint32_t count;
};

struct dwarf_budget {
	uint32_t slice;	    /* work until the clock is read again */
	uint64_t work_left; /* excluding the slice */
	uint64_t allowed;   /* in total */
	uint64_t kept_bytes;
	uint64_t used_ns, since_ns; /* since_ns 0: the clock was not read during this call */
	bool is_spent;
	struct elf *elf; /* whose budget this is part of */
};

struct debug_info {
	struct elf *elf;
	struct go_table *go; /* what a Go program has instead of DWARF, or NULL */
	struct arena arena;
	VEC(struct dwarf_file *) files; /* 0: elf's own */
	struct dwarf_file *alternate;
	bool looked_for_alternate;
	bool skips_lines;
	struct dwarf_budget budget;
	uint64_t code_low, code_high;

	bool has_aranges, has_roots;
	VEC(uint64_t) span_units; /* offsets of the units that spans refer to */
	struct dwarf_spans spans;

	VEC(struct dwarf_inline) inlines;
	VEC(struct dwarf_piece) pieces; /* for one function after another */
	VEC(struct dwarf_name) names;
	struct index_map names_by_die;
	VEC(struct dwarf_answer) answers;
	struct index_map answers_by_address;
};

/* --- budget: lookup.c --- */

/* Adds to the budget because a file of that many bytes is read. */
void dwarf_allow_bytes(struct dwarf_budget *b, uint64_t bytes);
bool dwarf_spend_slice(struct dwarf_budget *b, uint32_t work);
/* Accounts for memory that is kept. Returns false if the budget is spent. */
bool dwarf_keep(struct dwarf_budget *b, uint64_t bytes);

/* Each entry, row, range etc. that is read is one unit of work. Returns false to stop. */
static inline bool dwarf_spend(struct dwarf_budget *b, uint32_t work)
{
	if (work < b->slice) {
		b->slice -= work;
		return true;
	}
	return dwarf_spend_slice(b, work);
}

static inline uint32_t dwarf_hash(uint64_t value, uint32_t file)
{
	return hash_pair((uint32_t)value ^ (file << 28), (uint32_t)(value >> 32));
}

/*
 * Reads the length at the start of a unit (7.4) and limits the cursor to it. Returns false if the
 * unit is longer than what is left.
 */
bool dwarf_unit_length(struct cursor *c, uint8_t *offset_bytes);

/* --- dwarf_file.c, dwarf_open.c --- */

bool dwarf_is_in(const struct elf *elf);
/* Returns NULL if it has no DWARF. A file that is_split has sections of split DWARF. */
struct dwarf_file *dwarf_file_new(struct debug_info *d, struct elf *elf, bool is_split);
void dwarf_file_free(struct dwarf_file *file);
/* The file with shared entries, as made by dwz; NULL if not found. */
struct dwarf_file *dwarf_alternate(struct debug_info *d);
/* The unit that has the entries if u is a skeleton, otherwise u itself; NULL if not found. */
struct dwarf_unit *dwarf_full_unit(struct dwarf_unit *u);

/* --- dwarf_abbreviation.c --- */

/* Returns NULL if there are none that can be read. */
struct dwarf_abbreviations *dwarf_abbreviations_at(struct dwarf_file *file, uint64_t offset);
void dwarf_abbreviations_free(struct dwarf_abbreviations *all);
const struct dwarf_abbreviation *dwarf_abbreviation_find(const struct dwarf_abbreviations *all,
							 uint64_t code);

/* --- dwarf_form.c --- */

/* Both leave the cursor after the entry's attributes. Return false if it is damaged. */
bool dwarf_skip_attributes(const struct dwarf_unit *u, struct cursor *c,
			   const struct dwarf_abbreviation *a);
bool dwarf_read_attributes(const struct dwarf_unit *u, struct cursor *c,
			   const struct dwarf_abbreviation *a, struct dwarf_die *die);
bool dwarf_read_value(const struct dwarf_unit *u, struct cursor *c, uint16_t form,
		      struct dwarf_value *v);
/*
 * Finds the entry after an entry's children; c is at its attributes and does not move. Returns
 * false if the entry does not say, or is wrong.
 */
bool dwarf_find_sibling(struct dwarf_unit *u, const struct cursor *c,
			const struct dwarf_abbreviation *a, uint64_t *at);
/* The meaning of a value. Empty, 0 or false if its form does not have that meaning. */
struct str dwarf_text(const struct dwarf_unit *u, struct dwarf_value v);
bool dwarf_address(const struct dwarf_unit *u, struct dwarf_value v, uint64_t *address);
uint64_t dwarf_constant(struct dwarf_value v);
bool dwarf_is_address(struct dwarf_value v);
/* The entry that an attribute refers to. */
bool dwarf_reference(struct dwarf_unit *u, struct dwarf_value v, struct dwarf_unit **unit,
		     uint64_t *die);
struct str dwarf_die_text(const struct dwarf_unit *u, const struct dwarf_die *die,
			  enum dwarf_slot slot);
uint64_t dwarf_die_constant(const struct dwarf_die *die, enum dwarf_slot slot);
/* Looks up an address by its index in .debug_addr. */
bool dwarf_indexed_address(const struct dwarf_unit *u, uint64_t index, uint64_t *address);

/* --- dwarf_unit.c --- */

/* The unit whose header is at an offset; NULL if none there can be read. Owned by file. */
struct dwarf_unit *dwarf_unit_at(struct dwarf_file *file, uint64_t offset);
/* The unit that contains an entry. */
struct dwarf_unit *dwarf_unit_of_die(struct dwarf_file *file, uint64_t die);
/* Fills file->unit_offsets. */
void dwarf_list_units(struct dwarf_file *file);
void dwarf_unit_free(struct dwarf_unit *u);
bool dwarf_read_die(const struct dwarf_unit *u, uint64_t offset, struct dwarf_die *die);

/* --- dwarf_range.c --- */

typedef void dwarf_range_fn(void *to, struct dwarf_range range);
/* Calls add for each range of code that an entry covers; returns false if it covers none. */
bool dwarf_each_range(struct dwarf_unit *u, const struct dwarf_die *die, dwarf_range_fn *add,
		      void *to);
/* Orders by low; with equal ones the largest, then the first, goes first. */
int dwarf_spans_nest(const void *a, const void *b);
/* Sorts spans, so that dwarf_spans_find finds the smallest one that begins last. */
void dwarf_spans_sort(struct dwarf_spans *spans);
/* The span's index, or INDEX_NONE. */
uint32_t dwarf_spans_find(struct debug_info *d, const struct dwarf_spans *spans, uint64_t address);

/* --- dwarf_scope.c --- */

struct dwarf_parent {
	uint64_t die;
	bool is_function;
};
/* The scope that an entry is declared in; returns false if it is the unit itself. */
bool dwarf_find_parent(struct dwarf_unit *u, uint64_t die, struct dwarf_parent *parent);

/* --- dwarf_index.c, dwarf_function.c, dwarf_inline.c, dwarf_name.c, dwarf_line*.c --- */

/* The unit with the code at an address, or NULL. */
struct dwarf_unit *dwarf_unit_of_address(struct debug_info *d, uint64_t address);
void dwarf_find_functions(struct dwarf_unit *u, bool with_nested);
/* True for namespaces, classes and functions. */
bool dwarf_is_scope(uint16_t tag);
/* Index in u->functions, or INDEX_NONE. Valid until dwarf_find_functions is called. */
uint32_t dwarf_function_at(struct dwarf_unit *u, uint64_t address);
/*
 * Fills chain with the indices in info->inlines of the functions inlined at an address, outermost
 * first. chain has room for DEBUG_MAX_INLINES; returns how many.
 */
uint32_t dwarf_inlines_at(struct dwarf_unit *u, uint32_t function, uint64_t address,
			  uint32_t *chain);
/* Index in info->names. */
uint32_t dwarf_name_of(struct dwarf_unit *u, uint64_t die);
/* Its folders and files; rows are made at the first lookup. */
struct dwarf_lines *dwarf_lines_of(struct dwarf_unit *u);
/* Reads folders and files; returns false if they are damaged. */
bool dwarf_read_line_header(struct dwarf_lines *lines, struct dwarf_line_program *program);
void dwarf_lines_free(struct dwarf_lines *lines);
/* Returns NULL if no line is known. */
const struct dwarf_row *dwarf_lines_find(struct dwarf_lines *lines, uint64_t address);
struct str dwarf_line_file_path(struct dwarf_lines *lines, uint32_t file);
