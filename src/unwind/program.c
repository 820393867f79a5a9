/*
 * Call frame instructions (DWARF 5, 6.4.2): a program that says how the rules change from one
 * instruction of the code to the next.
 */
#include "unwind/unwind_int.h"

#include <dwarf.h>

enum {
	OPERAND_MASK = 0x3f, /* of the three instructions that have it in their own byte */
	MAX_REMEMBERED = 32,
	NO_REGISTER = 63,
};

struct run {
	const struct cfi_program *program;
	struct cursor c;
	struct cfi_state state;
	uint64_t address, end;
	uint32_t remembered;
	struct cfi_state stack[MAX_REMEMBERED];
};

/* --- rules of registers --- */

static void set_saved(struct run *r, uint64_t reg, enum saved_kind kind, int64_t value)
{
	int64_t most = 1 << (SAVED_VALUE_BITS - 1);
	if (reg >= r->program->machine->registers)
		return;
	/* What does not fit is not known, which is less, but not wrong. */
	if (value >= most || value < -most) {
		kind = SAVED_UNDEFINED;
		value = 0;
	}
	r->state.is_set |= 1ull << reg;
	r->state.saved[reg].kind = (uint8_t)kind;
	r->state.saved[reg].value = (int32_t)value;
}

static void restore_saved(struct run *r, uint64_t reg)
{
	const struct cfi_state *initial = r->program->initial;
	if (reg >= r->program->machine->registers || !initial)
		return;
	r->state.is_set = (r->state.is_set & ~(1ull << reg)) | (initial->is_set & 1ull << reg);
	r->state.saved[reg] = initial->saved[reg];
}

static int64_t factored(struct run *r, int64_t offset)
{
	return (int64_t)((uint64_t)offset * (uint64_t)r->program->cie->data_factor);
}

static int64_t unsigned_offset(struct run *r)
{
	return factored(r, (int64_t)cursor_uleb(&r->c));
}

static int64_t signed_offset(struct run *r)
{
	return factored(r, cursor_sleb(&r->c));
}

static void save_by_expression(struct run *r, enum saved_kind kind)
{
	int32_t where = 0;
	uint64_t reg = cursor_uleb(&r->c);
	struct str bytes = cursor_bytes(&r->c, cursor_uleb(&r->c));
	if (!rule_pool_add_expression(r->program->pool, bytes, &where))
		kind = SAVED_UNDEFINED;
	set_saved(r, reg, kind, where);
}

static void save_in_register(struct run *r)
{
	uint64_t reg = cursor_uleb(&r->c), in = cursor_uleb(&r->c);
	bool is_followed = in < r->program->machine->registers;
	set_saved(r, reg, is_followed ? SAVED_IN_REGISTER : SAVED_UNDEFINED,
		  is_followed ? (int64_t)in : 0);
}

/* --- the CFA --- */

static void set_cfa(struct run *r, uint64_t reg, int64_t offset)
{
	bool fits = reg < r->program->machine->registers && offset == (int32_t)offset;
	r->state.cfa_kind = fits ? CFA_REGISTER : CFA_NONE;
	r->state.cfa_register = reg < NO_REGISTER ? (uint8_t)reg : NO_REGISTER;
	r->state.cfa_value = offset;
}

/* One half of the rule changes, the other half stays. */
static bool change_cfa(struct run *r, uint64_t reg, int64_t offset)
{
	/* They make no sense after an expression. */
	if (r->state.cfa_kind == CFA_EXPRESSION)
		return false;
	set_cfa(r, reg, offset);
	return true;
}

static void set_cfa_expression(struct run *r)
{
	int32_t where = 0;
	struct str bytes = cursor_bytes(&r->c, cursor_uleb(&r->c));
	bool fits = rule_pool_add_expression(r->program->pool, bytes, &where);
	r->state.cfa_kind = fits ? CFA_EXPRESSION : CFA_NONE;
	r->state.cfa_register = NO_REGISTER;
	r->state.cfa_value = where;
}

/* --- rows --- */

/* The state as a rule; RULE_NONE when it does not lead to a caller. */
static uint32_t rule_of_state(const struct run *r)
{
	const struct cfi_state *s = &r->state;
	const struct cfi_cie *cie = r->program->cie;
	uint32_t words[RULE_MAX_WORDS], n = 2;
	uint64_t back = cie->return_register;
	/* A register that lives on where nobody saved it: the return address of arm64's leaves. */
	bool is_set = s->is_set >> back & 1;
	if (s->cfa_kind == CFA_NONE || (!is_set && back == r->program->machine->program_counter))
		return RULE_NONE;
	struct rule_head head = { .cfa_kind = s->cfa_kind,
				  .cfa_register = s->cfa_register,
				  .return_register = (uint8_t)back };
	if (is_set && s->saved[back].kind == SAVED_UNDEFINED)
		head.flags |= RULE_IS_ROOT;
	if (cie->is_signal)
		head.flags |= RULE_IS_SIGNAL;
	for (uint64_t left = s->is_set; left; left &= left - 1) {
		unsigned reg = (unsigned)__builtin_ctzll(left);
		struct saved_word word = { reg, s->saved[reg].kind, s->saved[reg].value };
		memcpy(&words[n++], &word, sizeof(word));
	}
	head.saved = (uint8_t)(n - 2);
	memcpy(&words[0], &head, sizeof(head));
	words[1] = (uint32_t)s->cfa_value;
	return rule_pool_add(r->program->pool, words, n);
}

/* What is known up to `to` is a row. False: the program goes back, or leaves its range. */
static bool advance(struct run *r, uint64_t to)
{
	if (!r->program->emit || to < r->address)
		return false;
	if (to > r->address)
		r->program->emit(r->program->context, r->address, rule_of_state(r));
	r->address = to;
	return to < r->end;
}

static bool advance_by(struct run *r, uint64_t delta)
{
	uint64_t bytes, to;
	if (__builtin_mul_overflow(delta, r->program->cie->code_factor, &bytes) ||
	    __builtin_add_overflow(r->address, bytes, &to))
		to = r->end;
	return advance(r, to);
}

static bool set_location(struct run *r)
{
	const struct cfi_program *p = r->program;
	uint64_t to;
	if (p->section->is_eh_frame) {
		if (!cfi_read_pointer(p->section, &r->c, p->cie->pointer_encoding, &to))
			return false;
	} else {
		to = cursor_unsigned(&r->c, p->cie->address_bytes);
	}
	return !r->c.is_short && advance(r, to);
}

/* --- instructions --- */

static bool remember(struct run *r)
{
	if (r->remembered == MAX_REMEMBERED)
		return false;
	r->stack[r->remembered++] = r->state;
	return true;
}

static bool recall(struct run *r)
{
	if (!r->remembered)
		return false;
	r->state = r->stack[--r->remembered];
	return true;
}

static bool run_location(struct run *r, uint8_t instruction)
{
	static const uint8_t bytes[] = {
		[DW_CFA_advance_loc1] = 1, [DW_CFA_advance_loc2] = 2, [DW_CFA_advance_loc4] = 4
	};
	if (instruction == DW_CFA_set_loc)
		return set_location(r);
	uint64_t delta = cursor_unsigned(&r->c, bytes[instruction]);
	return !r->c.is_short && advance_by(r, delta);
}

static bool run_cfa(struct run *r, uint8_t instruction)
{
	uint64_t reg;
	switch (instruction) {
	case DW_CFA_def_cfa:
		reg = cursor_uleb(&r->c);
		set_cfa(r, reg, (int64_t)cursor_uleb(&r->c));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = cursor_uleb(&r->c);
		set_cfa(r, reg, signed_offset(r));
		return true;
	case DW_CFA_def_cfa_register:
		return change_cfa(r, cursor_uleb(&r->c), r->state.cfa_value);
	case DW_CFA_def_cfa_offset:
		return change_cfa(r, r->state.cfa_register, (int64_t)cursor_uleb(&r->c));
	case DW_CFA_def_cfa_offset_sf:
		return change_cfa(r, r->state.cfa_register, signed_offset(r));
	default:
		set_cfa_expression(r);
		return true;
	}
}

static bool run_register(struct run *r, uint8_t instruction)
{
	uint64_t reg = cursor_uleb(&r->c);
	switch (instruction) {
	case DW_CFA_offset_extended:
		set_saved(r, reg, SAVED_AT_OFFSET, unsigned_offset(r));
		return true;
	case DW_CFA_offset_extended_sf:
		set_saved(r, reg, SAVED_AT_OFFSET, signed_offset(r));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		set_saved(r, reg, SAVED_AT_OFFSET, (int64_t) - (uint64_t)unsigned_offset(r));
		return true;
	case DW_CFA_val_offset:
		set_saved(r, reg, SAVED_IS_OFFSET, unsigned_offset(r));
		return true;
	case DW_CFA_val_offset_sf:
		set_saved(r, reg, SAVED_IS_OFFSET, signed_offset(r));
		return true;
	case DW_CFA_restore_extended:
		restore_saved(r, reg);
		return true;
	case DW_CFA_undefined:
		set_saved(r, reg, SAVED_UNDEFINED, 0);
		return true;
	default: /* DW_CFA_same_value */
		set_saved(r, reg, SAVED_SAME, 0);
		return true;
	}
}

static bool run_extended(struct run *r, uint8_t instruction)
{
	switch (instruction) {
	case DW_CFA_nop:
	case DW_CFA_GNU_window_save: /* arm64: whether return addresses are signed */
		return true;
	case DW_CFA_set_loc ... DW_CFA_advance_loc4:
		return run_location(r, instruction);
	case DW_CFA_def_cfa ... DW_CFA_def_cfa_expression:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_offset_sf:
		return run_cfa(r, instruction);
	case DW_CFA_remember_state:
		return remember(r);
	case DW_CFA_restore_state:
		return recall(r);
	case DW_CFA_register:
		save_in_register(r);
		return true;
	case DW_CFA_expression:
		save_by_expression(r, SAVED_AT_EXPRESSION);
		return true;
	case DW_CFA_val_expression:
		save_by_expression(r, SAVED_IS_EXPRESSION);
		return true;
	case DW_CFA_GNU_args_size:
		cursor_uleb(&r->c);
		return true;
	case DW_CFA_offset_extended ... DW_CFA_same_value:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
	case DW_CFA_GNU_negative_offset_extended:
		return run_register(r, instruction);
	default:
		return false;
	}
}

/* False: it cannot go on; r->address is where from. */
static bool run_program(struct run *r)
{
	while (cursor_left(&r->c)) {
		uint8_t byte = cursor_u8(&r->c), operand = byte & OPERAND_MASK;
		bool goes_on = true;
		switch (byte & ~OPERAND_MASK) {
		case DW_CFA_advance_loc:
			goes_on = advance_by(r, operand);
			break;
		case DW_CFA_offset:
			set_saved(r, operand, SAVED_AT_OFFSET, unsigned_offset(r));
			break;
		case DW_CFA_restore:
			restore_saved(r, operand);
			break;
		default:
			goes_on = run_extended(r, byte);
		}
		if (!goes_on || r->c.is_short)
			return false;
	}
	return true;
}

static void run_init(struct run *r, const struct cfi_program *program, struct str bytes)
{
	r->program = program;
	r->c = cursor_over(bytes);
	r->remembered = 0;
}

bool cfi_run_cie(const struct cfi_program *program, struct cfi_state *state)
{
	struct run r;
	memset(state, 0, sizeof(*state));
	if (program->cie->return_register >= program->machine->registers)
		return false;
	run_init(&r, program, program->cie->program);
	r.state = *state;
	r.address = r.end = 0;
	bool is_good = run_program(&r);
	*state = r.state;
	return is_good;
}

void cfi_run_fde(const struct cfi_program *program, const struct cfi_fde *fde)
{
	struct run r;
	run_init(&r, program, fde->program);
	r.state = *program->initial;
	r.address = fde->start;
	r.end = fde->end;
	bool is_good = run_program(&r);
	if (r.address < fde->end)
		program->emit(program->context, r.address, is_good ? rule_of_state(&r) : RULE_NONE);
}
