/*
 * Translations tell the interpreter's frames that an exit of compiled code stands for: operations with
 * numbers, of which only those that begin a frame matter here, and how many numbers the others have. From
 * 11.3 on a run of operations may be told as being the same as in an earlier translation.
 */
#include "v8/inlined.h"

enum { MAX_OPERATIONS = 1 << 14 };

struct operation {
	uint32_t opcode;
	struct str operands;
	size_t begin;
};

struct translation {
	const struct v8_translations *format;
	struct str bytes;
	size_t at, earlier;
	uint32_t matching; /* so many more are as the earlier ones */
	uint32_t since;	   /* operations since `earlier` was right */
};

static bool next_number(struct str *rest, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; rest->n && shift < 35; shift += 7) {
		uint8_t byte = (uint8_t)*rest->p;
		*rest = str_from_byte(*rest, 1);
		*value |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			return true;
	}
	return false;
}

/* The sign is the lowest bit. */
static int64_t signed_of(uint64_t bits)
{
	return bits & 1 ? -(int64_t)(bits >> 1) : (int64_t)(bits >> 1);
}

/* Whether it is another one's repetition is the caller's to see. */
static bool read_operation(const struct translation *t, size_t *at, struct operation *o)
{
	struct str rest = str_from_byte(t->bytes, *at);
	uint64_t value;
	*o = (struct operation){ .begin = *at };
	if (!rest.n)
		return false;
	if (t->format->has_numbers) {
		if (!next_number(&rest, &value))
			return false;
		o->opcode = (uint32_t)(value >> 1);
	} else {
		o->opcode = (uint8_t)*rest.p;
		rest = str_from_byte(rest, 1);
	}
	size_t count = strlen(t->format->operands);
	o->operands = rest;
	for (int i = o->opcode < count ? t->format->operands[o->opcode] - '0' : 0; i > 0; i--)
		if (!next_number(&rest, &value))
			return false;
	*at = t->bytes.n - rest.n;
	return o->opcode < count || t->format->match;
}

/* How many are the same as in the earlier translation; short numbers are behind the opcodes. */
static uint32_t matches(const struct translation *t, const struct operation *o)
{
	uint32_t count = (uint32_t)strlen(t->format->operands);
	struct str rest = o->operands;
	uint64_t value;
	if (!t->format->match || (o->opcode != t->format->match && o->opcode < count))
		return 0;
	if (o->opcode >= count)
		return o->opcode - count;
	return next_number(&rest, &value) ? (uint32_t)value : 0;
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
	uint64_t first, second, third;
	if (!next_operation(t, &o) || !is_one_of(t->format->begin, o.opcode) ||
	    !next_number(&o.operands, &first) || !next_number(&o.operands, &second) ||
	    !next_number(&o.operands, &third))
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
	uint64_t bytecode, literal, count = at < bytes.n ? begin(&t) : 0;
	if (count > max)
		return 0;
	for (unsigned i = 0; n < count && i < MAX_OPERATIONS && next_operation(&t, &o); i++) {
		if (is_one_of(format->begin, o.opcode))
			return n;
		if (!is_one_of(format->frame, o.opcode))
			continue;
		if (!next_number(&o.operands, &bytecode) || !next_number(&o.operands, &literal))
			return 0;
		frames[n++] = (struct exit_frame){ .literal = (int32_t)signed_of(literal),
						   .bytecode = signed_of(bytecode) };
	}
	return n;
}
