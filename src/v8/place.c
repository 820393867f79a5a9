/* Which functions an address is in and where, including the functions that the compiler inlined them into. */
#include "v8/inlined.h"

/* A function and where in it. */
struct step {
	v8_function_id function;
	uint32_t line, column;
};

static bool step_at(struct v8_process *p, uint64_t shared, int32_t offset, struct step *step)
{
	const struct known_function *k = v8_function_get(p, shared);
	if (!k)
		return false;
	*step = (struct step){ .function = k->function };
	if (k->script_slot != V8_NONE && offset >= 0)
		v8_script_line(&p->scripts[k->script_slot], offset, &step->line, &step->column);
	return true;
}

/* Steps are innermost first. */
static v8_place_id add_places(struct v8_process *p, const struct step *steps, uint32_t n, char tier)
{
	v8_place_id caller = V8_NONE;
	for (uint32_t i = n; i-- > 0;)
		caller = v8_names_place(p->names, &(struct v8_place){ .function = steps[i].function,
								      .line = steps[i].line,
								      .column = steps[i].column,
								      .caller = caller,
								      .tier = tier });
	return caller;
}

v8_place_id v8_place_of_function(struct v8_process *p, uint64_t shared, char tier)
{
	struct step step;
	return step_at(p, shared, -1, &step) ? add_places(p, &step, 1, tier) : V8_NONE;
}

v8_place_id v8_place_in_regexp(struct v8_process *p, uint64_t pc)
{
	static const struct v8_function regexp = { .name = STR("RegExp") };
	struct code code;
	if (!v8_code_find(p, pc, &code) || v8_code_tier(p, &code) != TIER_REGEXP)
		return V8_NONE;
	struct step step = { .function = v8_names_function(p->names, &regexp) };
	return add_places(p, &step, 1, 0);
}

v8_place_id v8_place_of_bytecode(struct v8_process *p, uint64_t shared, uint64_t bytecode_array,
				 int64_t offset)
{
	const struct v8_layout *l = p->layout;
	uint64_t table, position;
	struct step step;
	int32_t at = -1;
	if (offset >= 0 && v8_bytecode_array_of(p, bytecode_array) == bytecode_array &&
	    v8_read_word(&p->heap, bytecode_array, v8_get(l, V8_BYTECODE_POSITIONS), &table) &&
	    v8_position_find(p, table, offset, &position))
		at = v8_offset_of(position);
	return step_at(p, shared, at, &step) ? add_places(p, &step, 1, '~') : V8_NONE;
}

/* Where the table of positions has an instruction: that of the call before it, if it is none itself. */
static struct spot told_spot(struct v8_process *p, const struct code *code, int64_t at,
			     const struct inlined_code *in)
{
	uint64_t position;
	if (!v8_position_find(p, code->positions, at, &position))
		return (struct spot){ 0, -1 };
	uint32_t node = v8_inlining_of(position);
	if (node && (!in || node >= in->nodes.n))
		return (struct spot){ 0, -1 };
	return (struct spot){ node, v8_offset_of(position) };
}

/* Optimized code: a place in a function that was put into others, each at a place, too. */
static v8_place_id place_in_optimized(struct v8_process *p, const struct code *code, uint64_t pc,
				      bool is_leaf, uint64_t shared, char tier)
{
	struct step steps[MAX_DEPTH];
	struct deopt_data d;
	struct spot spot;
	uint32_t n = 0;
	int64_t at = (int64_t)(pc - code->start) - !is_leaf;
	if (!deopt_data_read(p, code, &d))
		return v8_place_of_function(p, shared, tier);
	const struct inlined_code *in = inlined_get(p, code);
	if (!in || !inlined_find(in, at, &spot)) {
		spot = told_spot(p, code, at, in);
		if (is_leaf && in) /* which of them is not to be told */
			spot = spot_meet(&in->nodes, spot, (struct spot){ 0, -1 });
	}
	for (; spot.node && n + 1 < MAX_DEPTH; n++) {
		const struct inlined *node = &in->nodes.p[spot.node];
		uint64_t inlined;
		if (!deopt_function(p, &d, node->literal, &inlined) ||
		    !step_at(p, inlined, spot.offset, &steps[n]))
			return v8_place_of_function(p, shared, tier);
		spot = (struct spot){ node->parent, node->call };
	}
	if (!step_at(p, shared, spot.node ? -1 : spot.offset, &steps[n]))
		return V8_NONE;
	return add_places(p, steps, n + 1, tier);
}

static v8_place_id place_in_baseline(struct v8_process *p, const struct code *code, uint64_t pc,
				     uint64_t shared)
{
	struct step step;
	uint64_t table, position;
	int64_t offset;
	int32_t at = -1;
	uint64_t array = v8_bytecode_array_of(p, code->deopt_data);
	if (v8_bytecode_of_baseline(p, code, pc, &offset) &&
	    v8_read_word(&p->heap, array, v8_get(p->layout, V8_BYTECODE_POSITIONS), &table) &&
	    v8_position_find(p, table, offset, &position))
		at = v8_offset_of(position);
	return step_at(p, shared, at, &step) ? add_places(p, &step, 1, '^') : V8_NONE;
}

/* Whether baseline code was made of this function: its bytecode is the same. */
static bool is_baseline_of(struct v8_process *p, const struct code *code, uint64_t shared)
{
	enum { CODE_OF_BASELINE_DATA = 8 };
	uint64_t data, inner, array = v8_bytecode_array_of(p, code->deopt_data);
	if (!v8_read_word(&p->heap, shared, v8_get(p->layout, V8_SFI_DATA), &data) ||
	    !v8_is_pointer(data))
		return false;
	if (data == code->object || (array && v8_bytecode_array_of(p, data) == array))
		return true;
	/* Up to 9.x there is an object in between; Code has its bytecode where others have deopt data. */
	if (v8_read_word(&p->heap, data, CODE_OF_BASELINE_DATA, &inner) && inner == code->object)
		return true;
	return array &&
	       v8_read_word(&p->heap, data, v8_get(p->layout, V8_CODE_DEOPT_DATA), &inner) &&
	       v8_bytecode_array_of(p, inner) == array;
}

static bool is_optimized(enum code_tier tier)
{
	return tier == TIER_MAGLEV || tier == TIER_OPTIMIZED;
}

/* What is at an address now. NULL: no code (any more). */
static struct known_pc *get_pc(struct v8_process *p, uint64_t pc, bool is_leaf)
{
	struct known_pc *k = &p->pcs[v8_slot(pc * 2 + is_leaf, KNOWN_PCS)];
	struct deopt_data d;
	if (k->pc == pc && k->is_leaf == is_leaf &&
	    ((p->look && k->look == p->look) || v8_code_is_same(p, &k->code))) {
		k->look = p->look;
		return k;
	}
	*k = (struct known_pc){ .is_leaf = is_leaf, .look = p->look };
	if (!v8_code_find(p, pc, &k->code))
		return NULL;
	k->pc = pc;
	if (is_optimized(v8_code_tier(p, &k->code)) && deopt_data_read(p, &k->code, &d))
		k->told = d.shared;
	return k;
}

uint64_t v8_shared_of_pc(struct v8_process *p, uint64_t pc)
{
	const struct known_pc *k = get_pc(p, pc, false);
	return k ? k->told : 0;
}

static v8_place_id place_in_code(struct v8_process *p, const struct code *code, uint64_t pc,
				 bool is_leaf, uint64_t shared)
{
	switch (v8_code_tier(p, code)) {
	case TIER_BASELINE:
		return place_in_baseline(p, code, pc, shared);
	case TIER_MAGLEV:
		return place_in_optimized(p, code, pc, is_leaf, shared, '+');
	case TIER_OPTIMIZED:
		return place_in_optimized(p, code, pc, is_leaf, shared, '*');
	default:
		return v8_place_of_function(p, shared, 0);
	}
}

v8_place_id v8_place_of_pc(struct v8_process *p, uint64_t pc, bool is_leaf, uint64_t shared)
{
	struct known_pc *k = get_pc(p, pc, is_leaf);
	if (!k || (k->told ? k->told != shared : !is_baseline_of(p, &k->code, shared)))
		return V8_NONE;
	const struct known_function *f = v8_function_get(p, shared);
	if (!f)
		return V8_NONE;
	if (k->shared == shared && k->function == f->function && k->place != V8_NONE)
		return k->place;
	k->shared = shared;
	k->function = f->function;
	k->place = place_in_code(p, &k->code, pc, is_leaf, shared);
	return k->place;
}
