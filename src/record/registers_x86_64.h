/* arch/x86/include/uapi/asm/perf_regs.h, without segment and vector registers */
#pragma once
#define USER_REGISTERS 0xff0fffull
enum { REGISTER_FP = 6, REGISTER_SP = 7, REGISTER_PC = 8 };
