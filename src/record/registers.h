/*
 * The registers of user space that each sample holds: all that the unwinder may ask for. A mask by perf's
 * numbers, and where in the order of the mask some of them are. For the kernel's side of the walker, too.
 */
#pragma once
#if defined(__x86_64__) || defined(__bpf__) /* the walker is built for x86-64 only */
#include "record/registers_x86_64.h"
#elif defined(__aarch64__)
#include "record/registers_aarch64.h"
#else
#define USER_REGISTERS 0ull
enum { REGISTER_FP, REGISTER_SP, REGISTER_PC };
#endif
