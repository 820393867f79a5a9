/*
 * DWARF expressions (DWARF 5, 2.5) in rules: a stack machine, here with a small stack and a limit
 * on steps, because expressions may jump back.
 */
#include "unwind/unwind_int.h"

#include <dwarf.h>

enum { MAX_DEPTH = 32, MAX_STEPS = 512 };

struct machine {
	struct expression_context *context;
	struct cursor c;
	const char *start;
	uint64_t stack[MAX_DEPTH];
	unsigned depth;
	bool is_bad;
};

static void push(struct machine *m, uint64_t value)
{
	if (m->depth == MAX_DEPTH)
		m->is_bad = true;
	else
		m->stack[m->depth++] = value;
}

static uint64_t pop(struct machine *m)
{
	if (m->depth)
		return m->stack[--m->depth];
	m->is_bad = true;
	return 0;
}

/* The value `back` below the top. */
static uint64_t pick(struct machine *m, unsigned back)
{
	if (back < m->depth)
		return m->stack[m->depth - 1 - back];
	m->is_bad = true;
	return 0;
}

static void push_register(struct machine *m, uint64_t reg, int64_t offset)
{
	const struct unwind_registers *known = m->context->registers;
	if (reg >= UNWIND_REGISTERS || !(known->is_known >> reg & 1))
		m->is_bad = true;
	else
		push(m, known->value[reg] + (uint64_t)offset);
}

static void push_memory(struct machine *m, uint64_t address, unsigned bytes)
{
	uint64_t value;
	if (bytes && bytes <= 8 && memory_read(m->context->memory, address, bytes, &value)) {
		push(m, value);
		return;
	}
	m->is_bad = true;
	if (memory_is_beyond(m->context->memory, address))
		m->context->is_beyond = true;
}

static void jump(struct machine *m, int64_t distance)
{
	int64_t to = m->c.p - m->start + distance;
	if (m->c.is_short || to < 0 || to > m->c.end - m->start)
		m->is_bad = true;
	else
		m->c.p = m->start + to;
}

static uint64_t shift_right_signed(uint64_t a, uint64_t by)
{
	return (uint64_t)((int64_t)a >> (by < 63 ? by : 63));
}

/* Operations on two values; b is the one on top. */
static bool calculate(uint8_t op, uint64_t a, uint64_t b, uint64_t *value)
{
	/* clang-format off */
	switch (op) {
	case DW_OP_and: *value = a & b; return true;
	case DW_OP_or: *value = a | b; return true;
	case DW_OP_xor: *value = a ^ b; return true;
	case DW_OP_plus: *value = a + b; return true;
	case DW_OP_minus: *value = a - b; return true;
	case DW_OP_mul: *value = a * b; return true;
	case DW_OP_shl: *value = b < 64 ? a << b : 0; return true;
	case DW_OP_shr: *value = b < 64 ? a >> b : 0; return true;
	case DW_OP_shra: *value = shift_right_signed(a, b); return true;
	case DW_OP_mod: *value = b ? a % b : 0; return b != 0;
	case DW_OP_div:
		/* The one quotient that does not fit is its own wrapped value. */
		*value = b + 1 == 0 ? -a : b ? (uint64_t)((int64_t)a / (int64_t)b) : 0;
		return b != 0;
	case DW_OP_eq: *value = a == b; return true;
	case DW_OP_ne: *value = a != b; return true;
	case DW_OP_ge: *value = (int64_t)a >= (int64_t)b; return true;
	case DW_OP_gt: *value = (int64_t)a > (int64_t)b; return true;
	case DW_OP_le: *value = (int64_t)a <= (int64_t)b; return true;
	case DW_OP_lt: *value = (int64_t)a < (int64_t)b; return true;
	default: return false;
	}
	/* clang-format on */
}

static void run_calculation(struct machine *m, uint8_t op)
{
	uint64_t value = 0, b = pop(m), a = pop(m);
	if (!calculate(op, a, b, &value))
		m->is_bad = true;
	push(m, value);
}

static void rotate(struct machine *m)
{
	uint64_t first = pop(m), second = pop(m), third = pop(m);
	push(m, first);
	push(m, third);
	push(m, second);
}

static void swap(struct machine *m)
{
	uint64_t first = pop(m), second = pop(m);
	push(m, first);
	push(m, second);
}

static void run_constant(struct machine *m, uint8_t op)
{
	struct cursor *c = &m->c;
	/* clang-format off */
	switch (op) {
	case DW_OP_addr: push(m, cursor_unsigned(c, 8) + m->context->bias); break;
	case DW_OP_const1u: push(m, cursor_unsigned(c, 1)); break;
	case DW_OP_const2u: push(m, cursor_unsigned(c, 2)); break;
	case DW_OP_const4u: push(m, cursor_unsigned(c, 4)); break;
	case DW_OP_const8u:
	case DW_OP_const8s: push(m, cursor_unsigned(c, 8)); break;
	case DW_OP_const1s: push(m, (uint64_t)cursor_signed(c, 1)); break;
	case DW_OP_const2s: push(m, (uint64_t)cursor_signed(c, 2)); break;
	case DW_OP_const4s: push(m, (uint64_t)cursor_signed(c, 4)); break;
	case DW_OP_constu: push(m, cursor_uleb(c)); break;
	default: push(m, (uint64_t)cursor_sleb(c)); break; /* DW_OP_consts */
	}
	/* clang-format on */
}

/* What moves values about on the stack, and what takes one. */
static void run_stack(struct machine *m, uint8_t op)
{
	uint64_t value;
	/* clang-format off */
	switch (op) {
	case DW_OP_dup: push(m, pick(m, 0)); break;
	case DW_OP_drop: pop(m); break;
	case DW_OP_over: push(m, pick(m, 1)); break;
	case DW_OP_pick: push(m, pick(m, cursor_u8(&m->c))); break;
	case DW_OP_swap: swap(m); break;
	case DW_OP_rot: rotate(m); break;
	case DW_OP_deref: push_memory(m, pop(m), 8); break;
	case DW_OP_deref_size: value = pop(m); push_memory(m, value, cursor_u8(&m->c)); break;
	case DW_OP_abs: value = pop(m); push(m, (int64_t)value < 0 ? -value : value); break;
	case DW_OP_neg: push(m, -pop(m)); break;
	case DW_OP_not: push(m, ~pop(m)); break;
	case DW_OP_plus_uconst: value = pop(m); push(m, value + cursor_uleb(&m->c)); break;
	case DW_OP_skip: jump(m, cursor_signed(&m->c, 2)); break;
	case DW_OP_call_frame_cfa: push(m, m->context->cfa); m->is_bad |= !m->context->has_cfa; break;
	case DW_OP_nop:
	case DW_OP_stack_value: break;
	default: m->is_bad = true;
	}
	/* clang-format on */
}

static void run_branch(struct machine *m)
{
	int64_t distance = cursor_signed(&m->c, 2);
	if (pop(m))
		jump(m, distance);
}

static void run_operation(struct machine *m, uint8_t op)
{
	uint64_t reg;
	switch (op) {
	case DW_OP_lit0 ... DW_OP_lit31:
		push(m, op - DW_OP_lit0);
		break;
	case DW_OP_reg0 ... DW_OP_reg31:
		push_register(m, op - DW_OP_reg0, 0);
		break;
	case DW_OP_breg0 ... DW_OP_breg31:
		push_register(m, op - DW_OP_breg0, cursor_sleb(&m->c));
		break;
	case DW_OP_bregx:
		reg = cursor_uleb(&m->c);
		push_register(m, reg, cursor_sleb(&m->c));
		break;
	case DW_OP_addr:
	case DW_OP_const1u ... DW_OP_consts:
		run_constant(m, op);
		break;
	case DW_OP_bra:
		run_branch(m);
		break;
	case DW_OP_and:
	case DW_OP_div ... DW_OP_mul:
	case DW_OP_or ... DW_OP_plus:
	case DW_OP_shl ... DW_OP_xor:
	case DW_OP_eq ... DW_OP_ne:
		run_calculation(m, op);
		break;
	default:
		run_stack(m, op);
	}
}

bool expression_evaluate(struct expression_context *context, struct str bytes, uint64_t *value)
{
	struct machine m = { .context = context, .c = cursor_over(bytes) };
	m.start = m.c.p;
	if (context->has_cfa)
		push(&m, context->cfa);
	for (unsigned steps = 0; cursor_left(&m.c); steps++) {
		if (steps == MAX_STEPS)
			return false;
		run_operation(&m, cursor_u8(&m.c));
		if (m.is_bad || m.c.is_short)
			return false;
	}
	*value = pop(&m);
	return !m.is_bad;
}
