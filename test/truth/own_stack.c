/*
 * Burns on a stack of its own, of which the last byte is the last one of a page: what follows may not be read. Its first
 * frames stand there, as those of coroutines do. Goes on until it is ended.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

static volatile unsigned long sink;

__attribute__((noinline, noclone)) static void burns_there(void)
{
	for (unsigned long i = 0; i < 1000000; i++)
		sink += i ^ (sink << 1);
}

__attribute__((noinline, noclone)) static void first_there(void)
{
	for (;;) {
		burns_there();
		sink++;
	}
}

int main(void)
{
	enum { STACK_BYTES = 64 << 10 };
	static ucontext_t there, here;
	char *stack = mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED || mprotect(stack + STACK_BYTES, STACK_BYTES, PROT_NONE) != 0)
		return 1;
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK_BYTES;
	there.uc_link = &here;
	makecontext(&there, first_there, 0);
	puts("ready");
	fflush(stdout);
	swapcontext(&here, &there);
	return 0;
}
