/*
 * Translations list the interpreter frames that an exit of compiled code stands for. They consist of operations with
 * operands. Only operations that begin a frame matter here; of the others, plume needs the number of operands. From
 * 11.3 on, a translation may refer to an earlier one for a run of operations that is the same.
 */
#include "v8/inlined.h"

enum { MAX_OPERATIONS = 1 << 14 };

struct operation {
	uint32_t opcode;
	struct cursor operands;
	size_t begin;
};

struct translation {
	const struct v8_translations *format;
	struct str bytes;
	size_t at, earlier;
	uint32_t matching; /* so many more are as the earlier ones */
	uint32_t since;	   /* operations since `earlier` was right */
};

/* The sign is the lowest bit. */
static int64_t signed_of(uint64_t bits)
{
	return bits & 1 ? -(int64_t)(bits >> 1) : (int64_t)(bits >> 1);
}

/* Whether it is another one's repetition is the caller's to see. */
static bool read_operation(const struct translation *t, size_t *at, struct operation *o)
{
	struct cursor rest = cursor_at(t->bytes, *at);
	*o = (struct operation){ .begin = *at };
	if (t->format->has_numbers)
		o->opcode = (uint32_t)(cursor_uleb(&rest) >> 1);
	else
		o->opcode = cursor_u8(&rest);
	size_t count = strlen(t->format->operands);
	o->operands = rest;
	for (int i = o->opcode < count ? t->format->operands[o->opcode] - '0' : 0; i > 0; i--)
		cursor_uleb(&rest);
	*at = t->bytes.n - cursor_left(&rest);
	return !rest.is_short && (o->opcode < count || t->format->match);
}

/* How many are the same as in the earlier translation; short numbers are behind the opcodes. */
static uint32_t matches(const struct translation *t, const struct operation *o)
{
	uint32_t count = (uint32_t)strlen(t->format->operands);
	struct cursor operands = o->operands;
	if (!t->format->match || (o->opcode != t->format->match && o->opcode < count))
		return 0;
	return o->opcode >= count ? o->opcode - count : (uint32_t)cursor_uleb(&operands);
}

static bool next_operation(struct translation *t, struct operation *o)
{
	if (!t->matching) {
		if (!read_operation(t, &t->at, o))
			return false;
		t->matching = matches(t, o);
		if (!t->matching) {
			t->since++;
			return o->opcode < strlen(t->format->operands);
		}
		for (; t->since; t->since--)
			if (!read_operation(t, &t->earlier, o))
				return false;
	}
	t->matching--;
	return read_operation(t, &t->earlier, o) && !matches(t, o);
}

static bool is_one_of(const uint8_t opcodes[2], uint32_t opcode)
{
	return opcode == opcodes[0] || opcode == opcodes[1];
}

/*
 * The number of frames of JavaScript; 0: none begins here. Up to 10.8 all frames are counted before them;
 * later there is first how far back an earlier translation begins.
 */
static uint64_t begin(struct translation *t)
{
	struct operation o;
	if (!next_operation(t, &o) || !is_one_of(t->format->begin, o.opcode))
		return 0;
	uint64_t first = cursor_uleb(&o.operands), second = cursor_uleb(&o.operands);
	uint64_t third = cursor_uleb(&o.operands);
	if (o.operands.is_short)
		return 0;
	if (!t->format->match)
		return (uint64_t)signed_of(second);
	if (first > o.begin)
		return 0;
	t->earlier = o.begin - first;
	t->since = 1;
	return (uint64_t)signed_of(third);
}

uint32_t translation_frames(const struct v8_translations *format, struct str bytes, uint64_t at,
			    struct exit_frame *frames, uint32_t max)
{
	struct translation t = { .format = format, .bytes = bytes, .at = at };
	struct operation o;
	uint32_t n = 0;
	uint64_t count = at < bytes.n ? begin(&t) : 0;
	if (count > max)
		return 0;
	for (unsigned i = 0; n < count && i < MAX_OPERATIONS && next_operation(&t, &o); i++) {
		if (is_one_of(format->begin, o.opcode))
			return n;
		if (!is_one_of(format->frame, o.opcode))
			continue;
		uint64_t bytecode = cursor_uleb(&o.operands), literal = cursor_uleb(&o.operands);
		if (o.operands.is_short)
			return 0;
		frames[n++] = (struct exit_frame){ .literal = (int32_t)signed_of(literal),
						   .bytecode = signed_of(bytecode) };
	}
	return n;
}
