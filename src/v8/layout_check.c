/*
 * Symbols are a file's own words: anybody can make a program that exports some. Numbers that cannot be are
 * refused before anything is read by them.
 */
#include "v8/layout_int.h"

/* More than all fields of an object that is read at once. */
static const struct {
	uint16_t constant;
	int32_t least, most;
} limits[] = {
	{ V8_MAP_INSTANCE_TYPE, 2, 64 },
	{ V8_JS_FUNCTION_SHARED, 8, 32 },
	{ V8_SFI_DATA, 8, 64 },
	{ V8_SFI_NAME_OR_SCOPE_INFO, 8, 64 },
	{ V8_SFI_SCRIPT, 8, 64 },
	{ V8_SFI_FLAGS, 8, 64 },
	{ V8_SCRIPT_SOURCE, 8, 104 },
	{ V8_SCRIPT_NAME, 8, 104 },
	{ V8_SCRIPT_LINE_OFFSET, 8, 104 },
	{ V8_SCRIPT_COLUMN_OFFSET, 8, 104 },
	{ V8_SCRIPT_LINE_ENDS, 8, 104 },
	{ V8_SCRIPT_ID, 8, 104 },
	{ V8_SCRIPT_EVAL_FROM, 8, 104 },
	{ V8_SCRIPT_EVAL_POSITION, 8, 104 },
	{ V8_CODE_DEOPT_DATA, 8, 88 },
	{ V8_CODE_POSITIONS, 8, 88 },
	{ V8_CODE_SIZE, 8, 88 },
	{ V8_CODE_FLAGS, 8, 88 },
	{ V8_DEOPT_LITERALS, 0, 15 },
	{ V8_DEOPT_SFI, 0, 15 },
	{ V8_DEOPT_INLINING, 0, 15 },
	{ V8_SCOPE_INFO_FIRST_VARS, 0, 16 },
	{ V8_FRAME_CONTEXT, -64, -8 },
	{ V8_FRAME_FUNCTION, -64, -8 },
	{ V8_FRAME_BYTECODE_ARRAY, -64, -8 },
	{ V8_FRAME_BYTECODE_OFFSET, -64, -8 },
};

static bool is_within(const struct v8_layout *l, uint32_t c, int32_t least, int32_t most)
{
	return !l->origin[c] || (l->value[c] >= least && l->value[c] <= most);
}

static bool refuse(const struct v8_layout *l, uint32_t c, struct err *e)
{
	return err_set(e, "it says that its V8 is %u.%u, but %s is %d, which cannot be", l->major,
		       l->minor, v8_constant_name(c), l->value[c]);
}

bool v8_layout_is_possible(const struct v8_layout *l, struct err *e)
{
	enum { LEAST = -64, MOST = UINT16_MAX };
	for (uint32_t c = 0; c < V8_CONSTANT_COUNT; c++)
		if (!is_within(l, c, LEAST, MOST))
			return refuse(l, c, e);
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (!is_within(l, limits[i].constant, limits[i].least, limits[i].most))
			return refuse(l, limits[i].constant, e);
	/* Inside of Code it is behind the head, else a field of it. */
	if (!is_within(l, V8_CODE_START, 8, l->has_code_inside ? 256 : 88))
		return refuse(l, V8_CODE_START, e);
	if (l->origin[V8_DEOPT_INLINING] &&
	    (!is_within(l, V8_DEOPT_SFI, 0, l->value[V8_DEOPT_INLINING]) ||
	     !is_within(l, V8_DEOPT_LITERALS, 0, l->value[V8_DEOPT_INLINING])))
		return refuse(l, V8_DEOPT_INLINING, e);
	return true;
}
