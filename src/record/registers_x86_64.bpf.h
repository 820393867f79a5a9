/* What the BPF program knows about x86-64. */
#pragma once
#include <stdint.h>

/*
 * As laid out on the kernel's stack (arch/x86/include/asm/ptrace.h). The verifier rejects the
 * program if this is wrong.
 */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax;
	unsigned long ip, cs, flags, sp, ss;
};

/* Only the member that is needed; CO-RE finds its offset when the program is loaded. */
struct thread_struct {
	unsigned long fsbase; /* thread-local storage */
} __attribute__((preserve_access_index));

/* In the order of USER_REGISTERS. */
static void take_registers(uint64_t *to, const struct pt_regs *r)
{
	to[0] = r->ax, to[1] = r->bx, to[2] = r->cx, to[3] = r->dx, to[4] = r->si, to[5] = r->di;
	to[6] = r->bp, to[7] = r->sp, to[8] = r->ip, to[9] = r->flags, to[10] = r->cs,
	to[11] = r->ss;
	to[12] = r->r8, to[13] = r->r9, to[14] = r->r10, to[15] = r->r11;
	to[16] = r->r12, to[17] = r->r13, to[18] = r->r14, to[19] = r->r15;
}
