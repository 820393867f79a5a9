/* V8's x86-64 code in its file: functions that return a constant, and the interpreter's entry. */
#include "v8/layout_int.h"

static bool skip(struct str *code, struct str instruction)
{
	bool is_there = str_starts(*code, instruction);
	if (is_there)
		*code = str_from_byte(*code, instruction.n);
	return is_there;
}

static uint32_t operand(struct str *code)
{
	uint32_t value = 0;
	memcpy(&value, code->p, code->n < sizeof(value) ? code->n : sizeof(value));
	*code = str_from_byte(*code, sizeof(value));
	return value;
}

/* As gcc and clang write it, with and without frame pointers. */
bool v8_answer_of(struct str code, uint64_t pc, struct v8_answer *answer)
{
	const char *start = code.p;
	skip(&code, STR("\xf3\x0f\x1e\xfa")); /* endbr64 */
	skip(&code, STR("\x55\x48\x89\xe5")); /* push rbp; mov rbp, rsp */
	if (skip(&code, STR("\xb8"))) {	      /* mov eax, name */
		answer->address = operand(&code);
		answer->is_behind = false;
		return true;
	}
	bool is_loaded = skip(&code, STR("\x48\x8b\x05")) || /* mov rax, [rip + name] */
			 skip(&code, STR("\x8b\x05"));	     /* mov eax, [rip + name] */
	if (!is_loaded && !skip(&code, STR("\x48\x8d\x05"))) /* lea rax, [rip + name] */
		return false;
	int32_t distance = (int32_t)operand(&code);
	answer->address = pc + (uint64_t)(code.p - start) + (uint64_t)(int64_t)distance;
	answer->is_behind = is_loaded || skip(&code, STR("\x48\x8b\x00")) || /* mov rax, [rax] */
			    skip(&code, STR("\x8b\x00"));		     /* mov eax, [rax] */
	return true;
}

bool v8_is_interpreter_entry(struct str code)
{
	/* push rbp; mov rbp, rsp; push rsi; push rdi */
	return str_find(code, STR("\x55\x48\x89\xe5\x56\x57")) >= 0;
}
