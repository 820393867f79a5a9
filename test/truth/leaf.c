/*
 * Leaves in assembly that say nothing about the stack, as memcpy of musl: which of their callers has the time? One has
 * a frame, one has none, one is in the middle of a chain. See turns.h.
 */
#define _GNU_SOURCE
#include "turns.h"

#define OWN_FRAME __attribute__((noinline, noclone))

unsigned long bare_leaf(unsigned long rounds);
unsigned long framed_leaf(unsigned long rounds);
unsigned long calls_leaf(unsigned long rounds);

__asm__(".text\n"
	".globl bare_leaf\n.type bare_leaf, @function\n"
	".p2align 4\n"
	"bare_leaf:\n"
	"	xorl %eax, %eax\n"
	"1:	addq %rdi, %rax\n"
	"	rorq $7, %rax\n"
	"	decq %rdi\n"
	"	jnz 1b\n"
	"	ret\n"
	".size bare_leaf, .-bare_leaf\n"
	".globl framed_leaf\n.type framed_leaf, @function\n"
	".p2align 4\n"
	"framed_leaf:\n"
	"	pushq %rbx\n"
	"	pushq %rbp\n"
	"	subq $40, %rsp\n"
	"	movq %rdi, %rbp\n" /* and not a frame pointer */
	"	xorl %ebx, %ebx\n"
	"	testq %rbp, %rbp\n"
	"	jz 3f\n"
	"2:	addq %rbp, %rbx\n"
	"	rorq $7, %rbx\n"
	"	decq %rbp\n"
	"	jnz 2b\n"
	"3:	movq %rbx, %rax\n"
	"	addq $40, %rsp\n"
	"	popq %rbp\n"
	"	popq %rbx\n"
	"	ret\n"
	".size framed_leaf, .-framed_leaf\n"
	".globl calls_leaf\n.type calls_leaf, @function\n"
	".p2align 4\n"
	"calls_leaf:\n"
	"	pushq %r12\n"
	"	leaq -16(%rsp), %rsp\n"
	"	movq %rdi, %r12\n"
	"	call bare_leaf\n"
	"	addq %r12, %rax\n"
	"	leaq 16(%rsp), %rsp\n"
	"	popq %r12\n"
	"	ret\n"
	".size calls_leaf, .-calls_leaf\n");

static volatile unsigned long sink;

OWN_FRAME static void often(unsigned long rounds)
{
	sink += bare_leaf(rounds);
	sink++;
}

OWN_FRAME static void rarely(unsigned long rounds)
{
	sink += bare_leaf(rounds);
	sink += 2;
}

OWN_FRAME static void framed_often(unsigned long rounds)
{
	sink += framed_leaf(rounds);
	sink++;
}

OWN_FRAME static void framed_rarely(unsigned long rounds)
{
	sink += framed_leaf(rounds);
	sink += 2;
}

OWN_FRAME static void chained(unsigned long rounds)
{
	sink += calls_leaf(rounds);
	sink++;
}

int main(int argc, char **argv)
{
	struct part parts[] = {
		{ "often", 7, 200000, often, 0 },
		{ "rarely", 3, 200000, rarely, 0 },
		{ "framed_often", 7, 200000, framed_often, 0 },
		{ "framed_rarely", 3, 200000, framed_rarely, 0 },
		{ "chained", 4, 200000, chained, 0 },
	};
	return take_turns(parts, sizeof parts / sizeof parts[0], argc, argv);
}
