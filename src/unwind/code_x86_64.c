/* Effects of x86-64 instructions on the stack (Intel's manual, volume 2), as compilers use them. */
#include "unwind/code_int.h"

enum { RBP = 6, RSP = 7, WORD = 8, HARDWARE_RSP = 4, HARDWARE_RBP = 5 };

/* DWARF's number of the registers that calls keep, by their number in instructions; 0 for others. */
static const uint8_t dwarf_of[16] = {
	[3] = 3, [5] = RBP, [12] = 12, [13] = 13, [14] = 14, [15] = 15
};

struct bytes {
	struct str code;
	uint8_t rex, opcode, modrm;
	size_t operands; /* where what follows ModRM is */
	bool is_plain;	 /* one opcode byte, and no prefix but REX and 66 */
};

static uint8_t byte_at(struct str code, size_t i)
{
	return i < code.n ? (uint8_t)code.p[i] : 0;
}

static struct bytes split(struct str code)
{
	size_t at = 0;
	struct bytes b = { .code = code, .is_plain = true };
	while (byte_at(code, at) == 0x66 || byte_at(code, at) == 0x2e)
		at++;
	if ((byte_at(code, at) & 0xf0) == 0x40)
		b.rex = byte_at(code, at++);
	b.opcode = byte_at(code, at++);
	b.is_plain = b.opcode != 0x0f && b.opcode != 0x62 && b.opcode != 0xc4 && b.opcode != 0xc5 &&
		     b.opcode != 0xf2 && b.opcode != 0xf3 && b.opcode != 0x64 && b.opcode != 0x65;
	b.modrm = byte_at(code, at);
	b.operands = at + 1;
	return b;
}

static int32_t number_at(const struct bytes *b, size_t at, unsigned n)
{
	int32_t value = 0;
	if (n == 1)
		return (int8_t)byte_at(b->code, at);
	if (at + sizeof(value) <= b->code.n)
		memcpy(&value, b->code.p + at, sizeof(value));
	return value;
}

static unsigned register_in_reg(const struct bytes *b)
{
	return (b->modrm >> 3 & 7) | (b->rex & 4) << 1;
}

static unsigned register_in_rm(const struct bytes *b)
{
	return (b->modrm & 7) | (unsigned)(b->rex & 1) << 3;
}

static bool is_register(const struct bytes *b)
{
	return b->modrm >> 6 == 3;
}

/* --- the stack pointer --- */

/* No function has that much on its stack. */
static void move(struct code_state *s, int64_t bytes)
{
	enum { MAX_DEPTH = 1 << 26 };
	int64_t depth = s->depth + bytes;
	s->has_depth &= depth >= 0 && depth <= MAX_DEPTH;
	s->depth = s->has_depth ? (int32_t)depth : 0;
	/* What was saved above is where it was; below there is nothing any more. */
	for (unsigned reg = 0; s->has_depth && reg < CODE_REGISTERS; reg++)
		if (s->is_saved >> reg & 1 && s->saved_depth[reg] > s->depth)
			s->is_saved &= (uint16_t) ~(1u << reg);
}

static void push(struct code_state *s, unsigned hardware, uint64_t kept)
{
	unsigned reg = hardware < 16 ? dwarf_of[hardware] : 0;
	move(s, WORD);
	if (reg && kept >> reg & 1 && s->has_depth && !(s->is_saved >> reg & 1)) {
		s->is_saved |= (uint16_t)(1u << reg);
		s->saved_depth[reg] = s->depth;
	}
}

static void pop(struct code_state *s, unsigned hardware)
{
	move(s, -WORD);
	if (hardware == HARDWARE_RSP)
		s->has_depth = false;
	if (hardware == HARDWARE_RBP)
		s->has_frame = false;
}

/* %rsp becomes what %rbp is, and so many bytes more. */
static void move_to_frame(struct code_state *s, int32_t more)
{
	s->has_depth = s->has_frame;
	s->depth = s->frame_depth;
	move(s, -(int64_t)more);
}

/* `mov %rsp,%rbp`: only what pushed the caller's first makes a frame of it. */
static void begin_frame(struct code_state *s)
{
	s->has_frame = s->has_depth && s->is_saved >> RBP & 1;
	s->frame_depth = s->depth;
}

/* --- instructions --- */

/* add, or, adc, sbb, and, sub, xor, cmp with a number. */
static void change_by_number(struct code_state *s, const struct bytes *b)
{
	int32_t value = number_at(b, b->operands, b->opcode == 0x83 ? 1 : 4);
	unsigned what = b->modrm >> 3 & 7;
	if (what == 7)
		return;
	if (what == 0)
		move(s, -(int64_t)value);
	else if (what == 5)
		move(s, value);
	else
		s->has_depth = false;
}

/* `lea N(%rsp),%rsp` and `lea N(%rbp),%rsp`. */
static void load_address(struct code_state *s, const struct bytes *b)
{
	unsigned mod = b->modrm >> 6, base = b->modrm & 7, size = mod == 1 ? 1 : 4;
	bool is_stack = base == 4 && byte_at(b->code, b->operands) == 0x24 && !(b->rex & 1);
	if (is_stack && mod != 3)
		move(s, mod ? -(int64_t)number_at(b, b->operands + 1, size) : 0);
	else if (base == HARDWARE_RBP && (mod == 1 || mod == 2) && !(b->rex & 1))
		move_to_frame(s, number_at(b, b->operands, size));
	else
		s->has_depth = false;
}

/* Between registers, one of which may be %rsp or %rbp. */
static void move_register(struct code_state *s, unsigned to, unsigned from)
{
	if (to == HARDWARE_RBP && from == HARDWARE_RSP)
		begin_frame(s);
	else if (to == HARDWARE_RSP && from == HARDWARE_RBP)
		move_to_frame(s, 0);
	else if (to == HARDWARE_RSP)
		s->has_depth = false;
	else if (to == HARDWARE_RBP)
		s->has_frame = false;
}

/* Arithmetic of two operands whose result goes to one of them: 01 to 3b. */
static bool is_arithmetic(uint8_t opcode)
{
	return opcode < 0x38 && ((opcode & 7) == 1 || (opcode & 7) == 3);
}

static unsigned result_of(const struct bytes *b)
{
	bool goes_to_reg = b->opcode & 2;
	if (!goes_to_reg && !is_register(b))
		return 16;
	return goes_to_reg ? register_in_reg(b) : register_in_rm(b);
}

static void spoil(struct code_state *s, unsigned hardware)
{
	if (hardware == HARDWARE_RSP)
		s->has_depth = false;
	if (hardware == HARDWARE_RBP)
		s->has_frame = false;
}

static void step_modrm(struct code_state *s, const struct bytes *b)
{
	switch (b->opcode) {
	case 0x81:
	case 0x83:
		if (is_register(b) && register_in_rm(b) == HARDWARE_RSP)
			change_by_number(s, b);
		else if (is_register(b) && (b->modrm >> 3 & 7) != 7)
			spoil(s, register_in_rm(b));
		return;
	case 0x89:
		if (is_register(b))
			move_register(s, register_in_rm(b), register_in_reg(b));
		return;
	case 0x8b:
		move_register(s, register_in_reg(b), is_register(b) ? register_in_rm(b) : 16);
		return;
	case 0x8d:
		if (register_in_reg(b) == HARDWARE_RSP)
			load_address(s, b);
		else
			spoil(s, register_in_reg(b));
		return;
	case 0x87:
		spoil(s, register_in_reg(b));
		if (is_register(b))
			spoil(s, register_in_rm(b));
		return;
	default:
		if (is_arithmetic(b->opcode))
			spoil(s, result_of(b));
	}
}

static void leave(struct code_state *s)
{
	move_to_frame(s, 0);
	pop(s, HARDWARE_RBP);
}

void code_step_x86_64(struct str instruction, uint64_t kept, struct code_state *s)
{
	struct bytes b = split(instruction);
	unsigned reg = (b.opcode & 7) | (unsigned)(b.rex & 1) << 3;
	if (!b.is_plain)
		return;
	if (b.opcode >= 0x50 && b.opcode < 0x58)
		push(s, reg, kept);
	else if (b.opcode >= 0x58 && b.opcode < 0x60)
		pop(s, reg);
	else if (b.opcode == 0x68 || b.opcode == 0x6a || b.opcode == 0x9c)
		push(s, 16, kept);
	else if (b.opcode == 0x9d)
		pop(s, 16);
	else if (b.opcode == 0xff && (b.modrm >> 3 & 7) == 6)
		push(s, 16, kept);
	else if (b.opcode == 0x8f)
		pop(s, is_register(&b) ? register_in_rm(&b) : 16);
	else if (b.opcode == 0xc9)
		leave(s);
	else if (b.opcode == 0xc8)
		s->has_depth = s->has_frame = false;
	else if (b.opcode >= 0xb8 && b.opcode < 0xc0)
		spoil(s, reg);
	else
		step_modrm(s, &b);
}

/* --- calls --- */

enum { DIRECT_BYTES = 5, MIN_INDIRECT_BYTES = 2, MAX_INDIRECT_BYTES = 8 };

/* Prefixes, REX, ff, ModRM that says `call`, and what it asks for, of n bytes in all. */
static bool is_indirect_call(struct str code)
{
	size_t at = 0;
	while (at < code.n && (byte_at(code, at) == 0x67 || byte_at(code, at) == 0x3e))
		at++;
	at += (byte_at(code, at) & 0xf0) == 0x40;
	uint8_t modrm = byte_at(code, at + 1), mod = modrm >> 6, base = modrm & 7;
	if (byte_at(code, at) != 0xff || (modrm >> 3 & 7) != 2)
		return false;
	size_t size = at + 2;
	if (mod != 3 && base == 4)
		base = byte_at(code, size++) & 7;
	if (mod == 1)
		size += 1;
	else if (mod == 2 || (mod == 0 && base == 5))
		size += 4;
	return size == code.n;
}

bool code_call_before_x86_64(struct str code, int64_t *target, bool *is_direct)
{
	int32_t distance;
	*is_direct = code.n >= DIRECT_BYTES && byte_at(code, code.n - DIRECT_BYTES) == 0xe8;
	if (*is_direct) {
		memcpy(&distance, code.p + code.n - sizeof(distance), sizeof(distance));
		*target = distance;
		return true;
	}
	for (size_t n = MIN_INDIRECT_BYTES; n <= MAX_INDIRECT_BYTES && n <= code.n; n++)
		if (is_indirect_call(str_from_byte(code, code.n - n)))
			return true;
	return false;
}

bool code_is_stub_x86_64(struct str code)
{
	if (str_starts(code, STR("\xf3\x0f\x1e\xfa"))) /* endbr64 */
		code = str_from_byte(code, 4);
	if (byte_at(code, 0) == 0xf2)
		code = str_from_byte(code, 1);
	return str_starts(code, STR("\xff\x25"));
}
