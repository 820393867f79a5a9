/*
 * Tables of source positions. An entry has two numbers, an offset in the code or bytecode and a
 * position, each as the difference to the previous entry. Numbers are LEB128.
 */
#include "v8/v8_int.h"

enum { MAX_TABLE_BYTES = 1 << 20 };

static uint64_t take_offset(const struct v8_layout *l, struct cursor *c)
{
	if (l->has_unsigned_offsets)
		return cursor_uleb(c) >> 2; /* whether it is a statement, and one to break at */
	int64_t value = unzigzag(cursor_uleb(c));
	return (uint64_t)(value < 0 ? -(value + 1) : value); /* below 0: no statement */
}

bool v8_position_table_read(struct v8_process *p, uint64_t table, struct buf *out)
{
	uint32_t n;
	out->n = 0;
	if (!v8_is_pointer(table) || !v8_array_length(&p->heap, table, MAX_TABLE_BYTES, &n) || !n ||
	    !v8_read(&p->heap, table, v8_get(p->layout, V8_ARRAY_DATA), buf_reserve(out, n), n))
		return false;
	out->n = n;
	return true;
}

bool v8_position_next(const struct v8_layout *l, struct cursor *table, struct v8_position *at)
{
	if (!cursor_left(table))
		return false;
	uint64_t difference = take_offset(l, table);
	int64_t step = unzigzag(cursor_uleb(table));
	if (table->is_short)
		return false;
	at->offset += (int64_t)(difference & INT32_MAX);
	at->position += (uint64_t)step;
	return true;
}

bool v8_position_in(const struct v8_layout *l, struct str table, int64_t offset, uint64_t *position)
{
	struct v8_position at = V8_POSITION_START;
	struct cursor rest = cursor_over(table);
	bool is_found = false;
	while (v8_position_next(l, &rest, &at) && at.offset <= offset) {
		*position = at.position;
		is_found = true;
	}
	return is_found;
}

bool v8_position_find(struct v8_process *p, uint64_t table, int64_t offset, uint64_t *position)
{
	return v8_position_table_read(p, table, &p->scratch) &&
	       v8_position_in(p->layout, buf_str(&p->scratch), offset, position);
}

/* --- baseline code --- */

uint64_t v8_bytecode_array_of(struct v8_process *p, uint64_t word)
{
	const struct v8_layout *l = p->layout;
	enum { BYTECODE_OF_INTERPRETER_DATA = 8 };
	int32_t type = v8_is_pointer(word) ? v8_type_of(&p->heap, word) : V8_NO_TYPE;
	if (type != V8_NO_TYPE && type == v8_get(l, V8_TYPE_INTERPRETER_DATA) &&
	    v8_read_word(&p->heap, word, BYTECODE_OF_INTERPRETER_DATA, &word))
		type = v8_is_pointer(word) ? v8_type_of(&p->heap, word) : V8_NO_TYPE;
	return type != V8_NO_TYPE && type == v8_get(l, V8_TYPE_BYTECODE_ARRAY) ? word : 0;
}

/* A walk over bytecodes, which differ in length; prefixes make operands of the next one wider. */
struct bytecodes {
	struct str bytes, sizes;
	size_t at;
};

enum { PREFIXES = 4, SCALES = 3 };

/* Returns where the one at hand begins, and goes on behind it. False: it is the last. */
static bool next_bytecode(struct bytecodes *b, int64_t *begin)
{
	size_t count = b->sizes.n / SCALES, scale = 0;
	*begin = (int64_t)b->at;
	if (b->at < b->bytes.n && (uint8_t)b->bytes.p[b->at] < PREFIXES)
		scale = 1 + (size_t)((uint8_t)b->bytes.p[b->at++] &
				     1); /* Wide, ExtraWide; so in debuggers */
	if (b->at >= b->bytes.n || (uint8_t)b->bytes.p[b->at] >= count)
		return false;
	uint8_t size = (uint8_t)b->sizes.p[scale * count + (uint8_t)b->bytes.p[b->at]];
	b->at += size;
	return size > 0;
}

static bool read_bytecodes(struct v8_process *p, uint64_t array, struct buf *out)
{
	uint32_t n;
	out->n = 0;
	if (!v8_array_length(&p->heap, array, MAX_TABLE_BYTES, &n) || !n ||
	    !v8_read(&p->heap, array, v8_get(p->layout, V8_BYTECODE_DATA), buf_reserve(out, n), n))
		return false;
	out->n = n;
	return true;
}

uint64_t v8_bytecode_array_of_function(struct v8_process *p, uint64_t shared)
{
	uint64_t data, array;
	if (!v8_read_word(&p->heap, shared, v8_get(p->layout, V8_SFI_DATA), &data))
		return 0;
	array = v8_bytecode_array_of(p, data);
	/* Baseline code has it where other code has its deoptimization data; what 9.4 has in between, too. */
	if (!array && v8_is_pointer(data) &&
	    v8_read_word(&p->heap, data, v8_get(p->layout, V8_CODE_DEOPT_DATA), &data))
		array = v8_bytecode_array_of(p, data);
	return array;
}

/* Where the loop begins that the bytecode at `end` leads back to; behind its opcode is how far. */
static int64_t loop_begin(const struct bytecodes *b, size_t end)
{
	uint8_t first = (uint8_t)b->bytes.p[end];
	size_t scale = first < PREFIXES ? (size_t)2 << (first & 1) : 1;
	size_t opcode = end + (scale > 1);
	int64_t back = 0;
	if (opcode + 1 + scale > b->bytes.n)
		return (int64_t)end;
	for (size_t i = scale; i > 0; i--)
		back = back << 8 | (uint8_t)b->bytes.p[opcode + i];
	return (int64_t)opcode - back;
}

bool v8_bytecode_loops(struct v8_process *p, uint64_t array, v8_on_loop *on, void *context)
{
	AUTO(buf) struct buf bytes = { 0 };
	int64_t begin;
	if (!p->layout->bytecode_sizes.n || !read_bytecodes(p, array, &bytes))
		return false;
	struct bytecodes b = { .bytes = buf_str(&bytes),
			       .sizes = buf_str(&p->layout->bytecode_sizes) };
	while (b.at < b.bytes.n && next_bytecode(&b, &begin)) {
		size_t opcode = (size_t)begin + ((uint8_t)bytes.p[begin] < PREFIXES);
		if ((uint8_t)bytes.p[opcode] == p->layout->jump_loop)
			on(context, loop_begin(&b, (size_t)begin), begin);
	}
	return true;
}

bool v8_bytecode_of_baseline(struct v8_process *p, const struct code *code, uint64_t pc,
			     int64_t *offset)
{
	uint64_t array = v8_bytecode_array_of(p, code->deopt_data);
	uint64_t wanted = pc - code->start;
	AUTO(buf) struct buf bytes = { 0 };
	if (!array || !p->layout->bytecode_sizes.n || !read_bytecodes(p, array, &bytes) ||
	    !v8_position_table_read(p, code->positions, &p->scratch))
		return false;
	struct bytecodes b = { .bytes = buf_str(&bytes),
			       .sizes = buf_str(&p->layout->bytecode_sizes) };
	struct cursor rest = cursor_over(buf_str(&p->scratch));
	uint64_t end = cursor_uleb(&rest);
	*offset = -1; /* the function's entry */
	while (end < wanted && !rest.is_short) {
		if (!next_bytecode(&b, offset))
			return false;
		end += cursor_uleb(&rest);
	}
	return !rest.is_short;
}
