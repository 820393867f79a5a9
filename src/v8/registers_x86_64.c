/* How V8's code uses registers (src/codegen/x64/register-x64.h of V8). */
#include "v8/v8.h"

/* Numbers of enum perf_event_x86_regs. */
enum { CX = 2, DI = 5, BP = 6, SP = 7, IP = 8, R9 = 17 };

/* 0: it is not among them. */
static uint64_t value_of(uint64_t mask, const uint64_t *values, unsigned number)
{
	uint64_t bit = 1ull << number;
	return mask & bit ? values[__builtin_popcountll(mask & (bit - 1))] : 0;
}

struct v8_registers v8_registers_of_perf(uint64_t mask, const uint64_t *values, struct str top)
{
	return (struct v8_registers){ .pc = value_of(mask, values, IP),
				      .sp = value_of(mask, values, SP),
				      .fp = value_of(mask, values, BP),
				      .function = value_of(mask, values, DI),
				      .return_address = value_of(mask, values, CX),
				      .bytecode_offset = value_of(mask, values, R9),
				      .top = top };
}
