/*
 * Rules for Go functions. They have no .eh_frame. The table of Go's runtime gives, for each instruction, how far the
 * stack pointer is below the return address. Callees preserve no register except the frame pointer.
 */
#include "unwind/unwind_int.h"

enum { WORD = 8 };

struct function_rules {
	const struct go_rules *g;
	uint64_t saved_from; /* the instruction from which on the frame pointer is in its slot */
};

static uint32_t add_saved(uint32_t *words, uint32_t n, unsigned reg, enum saved_kind kind,
			  int32_t value)
{
	struct saved_word word = { reg & 63, kind & 7, value };
	memcpy(&words[n], &word, sizeof(word));
	return n + 1;
}

/* frame_pointer: how the caller's is found. */
static uint32_t rule_of_size(const struct go_rules *g, uint32_t size, enum saved_kind frame_pointer)
{
	const struct unwind_machine *m = g->machine;
	uint32_t words[RULE_MAX_WORDS], n = 2;
	struct rule_head head = { .cfa_kind = CFA_REGISTER,
				  .cfa_register = m->stack_pointer,
				  .return_register = m->program_counter };
	for (uint64_t left = m->callee_saved; left; left &= left - 1) {
		unsigned reg = (unsigned)__builtin_ctzll(left);
		if (reg != m->frame_pointer)
			n = add_saved(words, n, reg, SAVED_UNDEFINED, 0);
	}
	n = add_saved(words, n, m->frame_pointer, frame_pointer, -2 * WORD);
	n = add_saved(words, n, m->program_counter, SAVED_AT_OFFSET, -WORD);
	head.saved = (uint8_t)(n - 2);
	memcpy(&words[0], &head, sizeof(head));
	words[1] = size + WORD;
	return rule_pool_add(g->pool, words, n);
}

static uint32_t root_rule(const struct go_rules *g)
{
	struct rule_head head = { .cfa_kind = CFA_REGISTER,
				  .cfa_register = g->machine->stack_pointer,
				  .return_register = g->machine->program_counter,
				  .flags = RULE_IS_ROOT };
	uint32_t words[2] = { 0, WORD };
	memcpy(&words[0], &head, sizeof(head));
	return rule_pool_add(g->pool, words, ARRAY_SIZE(words));
}

/* The bytes of its code that the file has. */
static struct str code_of(const struct go_rules *g, const struct go_function *f)
{
	uint64_t offset;
	if (!elf_offset_of_address(g->elf, f->start, &offset))
		return STR("");
	return str_first(str_from_byte(g->elf->bytes, offset), f->end - f->start);
}

static void emit_row(struct function_rules *r, const struct go_values *v)
{
	enum { MAX_FRAME = 1 << 28 };
	const struct go_rules *g = r->g;
	uint32_t size = (uint32_t)v->value;
	if (v->value < 0 || size > MAX_FRAME) {
		g->emit(g->context, v->start, RULE_NONE);
		return;
	}
	uint64_t saved_from = size ? r->saved_from : UINT64_MAX;
	if (!size || (saved_from != UINT64_MAX && saved_from > v->start))
		g->emit(g->context, v->start, rule_of_size(g, size, SAVED_SAME));
	else if (saved_from == UINT64_MAX)
		g->emit(g->context, v->start, rule_of_size(g, size, SAVED_UNDEFINED));
	if (saved_from < v->end)
		g->emit(g->context, saved_from > v->start ? saved_from : v->start,
			rule_of_size(g, size, SAVED_AT_OFFSET));
}

static void run_ordinary(const struct go_rules *g, const struct go_function *f, uint64_t end)
{
	struct function_rules r = { g, UINT64_MAX };
	struct str code = code_of(g, f);
	bool had_frame = false;
	struct go_values v;
	uint64_t reached = f->start;
	if (!go_frame_sizes(g->table, f, &v))
		return;
	while (go_values_next(&v) && v.start < end) {
		if (v.end > end)
			v.end = end;
		if (v.value > 0 && !had_frame) {
			uint64_t at = g->machine->go_saves_frame_pointer(code, v.start - f->start,
									 (uint32_t)v.value);
			r.saved_from = at == UINT64_MAX ? at : f->start + at;
			had_frame = true;
		}
		if (v.end > v.start)
			emit_row(&r, &v);
		reached = v.end;
	}
	if (reached < end)
		g->emit(g->context, reached, RULE_NONE);
}

void go_rules_run(const struct go_rules *g, const struct go_function *f, uint64_t end)
{
	switch (go_function_kind(g->table, f)) {
	case GO_OUTERMOST:
		g->emit(g->context, f->start, root_rule(g));
		break;
	case GO_SWITCHES_STACK: /* frame pointers may lead on */
		g->emit(g->context, f->start, RULE_NONE);
		break;
	case GO_ORDINARY:
		run_ordinary(g, f, end);
		break;
	}
}
