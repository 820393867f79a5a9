/*
 * A short function that a program copies to generate code at run time. CPython's trampolines are
 * copies of _Py_trampoline_func_start (Python/asm_trampoline.S):
 *
 *	sub $8, %rsp;  call *%rcx;  add $8, %rsp;  ret
 *
 * Neither the function nor its copies have a table or a frame pointer. Its instructions tell how
 * far the return address is from the stack pointer.
 */
#include "unwind/unwind_int.h"

#include <elf.h>

enum { WORD_BYTES = 8, MAX_DEPTH = UNWIND_COPIED_WORDS * WORD_BYTES };

/* --- instructions (Intel SDM, volume 2) --- */

enum effect_kind { IS_OTHER, KEEPS_STACK, MOVES_STACK, DOES_CALL, DOES_RETURN };

struct effect {
	enum effect_kind kind;
	int32_t grows; /* by how many bytes the stack does */
	size_t n;
};

static bool begins(struct str code, const char *bytes, size_t n)
{
	return code.n >= n && memcmp(code.p, bytes, n) == 0;
}

/* `call *%reg`: its length, or 0. */
static size_t call_by_register(struct str code)
{
	size_t prefix = begins(code, "\x41", 1);
	struct str rest = str_from_byte(code, prefix);
	return rest.n >= 2 && (uint8_t)rest.p[0] == 0xff && ((uint8_t)rest.p[1] & 0xf8) == 0xd0
		       ? prefix + 2
		       : 0;
}

static struct effect effect_of(struct str code)
{
	size_t call = call_by_register(code);
	if (call)
		return (struct effect){ DOES_CALL, 0, call };
	if (begins(code, "\xf3\x0f\x1e\xfa", 4)) /* endbr64 */
		return (struct effect){ KEEPS_STACK, 0, 4 };
	if (begins(code, "\x48\x83\xec", 3) && code.n > 3) /* sub $imm8, %rsp */
		return (struct effect){ MOVES_STACK, (int8_t)code.p[3], 4 };
	if (begins(code, "\x48\x83\xc4", 3) && code.n > 3) /* add $imm8, %rsp */
		return (struct effect){ MOVES_STACK, -(int8_t)code.p[3], 4 };
	if (begins(code, "\xc3", 1))
		return (struct effect){ DOES_RETURN, 0, 1 };
	return (struct effect){ .kind = IS_OTHER };
}

/* --- the function --- */

bool unwind_copied_read(uint16_t machine, struct str code, struct unwind_copied *copied)
{
	int32_t depth = 0; /* from the stack pointer to the return address */
	bool has_call = false;
	*copied = (struct unwind_copied){ 0 };
	if (machine != EM_X86_64)
		return false;
	while (code.n) {
		struct effect next = effect_of(code);
		if (next.kind == IS_OTHER || next.n > code.n)
			return false;
		copied->depths |= 1u << depth / WORD_BYTES;
		if (next.kind == DOES_RETURN)
			return has_call && depth == 0;
		depth += next.grows;
		if (depth < 0 || depth >= MAX_DEPTH || depth % WORD_BYTES)
			return false;
		code = str_from_byte(code, next.n);
		if (next.kind != DOES_CALL)
			continue;
		if (has_call) /* which of them a return address belongs to is not known */
			return false;
		has_call = true;
		copied->call_depth = (uint8_t)(depth / WORD_BYTES);
	}
	return false;
}

/* --- return addresses --- */

/* Bytes of `call *`: modrm, with what its SIB and displacement add. 0: it is another instruction. */
static size_t indirect_call_bytes(const uint8_t *p)
{
	uint8_t mode = p[1] >> 6, operand = p[1] & 7;
	if (p[0] != 0xff || (p[1] >> 3 & 7) != 2)
		return 0;
	bool has_sib = mode != 3 && operand == 4;
	size_t n = 2 + has_sib;
	if (mode == 1)
		return n + 1;
	bool is_far = mode == 2 || (mode == 0 && (operand == 5 || (has_sib && (p[2] & 7) == 5)));
	return n + (is_far ? 4 : 0);
}

bool unwind_is_behind_call(struct str code, size_t at)
{
	enum { DIRECT_BYTES = 5, MAX_INDIRECT_BYTES = 7, MIN_INDIRECT_BYTES = 2 };
	if (at > code.n)
		return false;
	const uint8_t *end = (const uint8_t *)code.p + at;
	if (at >= DIRECT_BYTES && end[-DIRECT_BYTES] == 0xe8)
		return true;
	for (size_t n = MIN_INDIRECT_BYTES; n <= MAX_INDIRECT_BYTES && n <= at; n++) {
		uint8_t start[3] = { end[-(ptrdiff_t)n], end[1 - (ptrdiff_t)n],
				     n > 2 ? end[2 - (ptrdiff_t)n] : 0 };
		if (indirect_call_bytes(start) == n)
			return true;
	}
	return false;
}
