/* arch/x86/include/uapi/asm/perf_regs.h; all but the segments and those of vectors. */
#pragma once
#define USER_REGISTERS 0xff0fffull
enum { REGISTER_FP = 6, REGISTER_SP = 7, REGISTER_PC = 8 };
