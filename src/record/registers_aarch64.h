/* arch/arm64/include/uapi/asm/perf_regs.h */
#pragma once
#define USER_REGISTERS 0x1ffffffffull
enum { REGISTER_FP = 29, REGISTER_SP = 31, REGISTER_PC = 32 };
