/*
 * The user-space registers in each sample, which are all that the unwinder may need. A mask of perf's register
 * numbers, and the positions of some of them in mask order. Also used by the walker's BPF program.
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
