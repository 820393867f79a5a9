/* x86-64: registers by DWARF number (System V ABI, AMD64 supplement, figure 3.36). */
#include "unwind/unwind_int.h"

enum {
	RAX,
	RDX,
	RCX,
	RBX,
	RSI,
	RDI,
	RBP,
	RSP,
	R8,
	R9,
	R10,
	R11,
	R12,
	R13,
	R14,
	R15,
	RIP,
	REGISTERS,
	NOT_FOLLOWED = UINT8_MAX
};

/* In the order of enum perf_event_x86_regs. */
static const uint8_t of_perf[] = {
	RAX,	      RBX,	    RCX,	  RDX,		RSI,	      RDI,
	RBP,	      RSP,	    RIP,	  NOT_FOLLOWED, NOT_FOLLOWED, NOT_FOLLOWED,
	NOT_FOLLOWED, NOT_FOLLOWED, NOT_FOLLOWED, NOT_FOLLOWED, R8,	      R9,
	R10,	      R11,	    R12,	  R13,		R14,	      R15,
};

const struct unwind_machine unwind_x86_64 = {
	.elf_machine = EM_X86_64,
	.registers = REGISTERS,
	.stack_pointer = RSP,
	.frame_pointer = RBP,
	.program_counter = RIP,
	.callee_saved = 1u << RBX | 1u << RBP | 1u << R12 | 1u << R13 | 1u << R14 | 1u << R15,
	/* call pushes the return address, push %rbp the frame pointer; then mov %rsp,%rbp */
	.saved_frame_pointer = 0,
	.saved_return_address = 8,
	.caller_stack_pointer = 16,
	.of_perf = of_perf,
	.perf_registers = sizeof(of_perf),
	.go_saves_frame_pointer = go_saves_frame_pointer_x86_64,
};
