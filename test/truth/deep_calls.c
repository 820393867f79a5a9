/*
 * Two functions that call each other, as often as the first argument says, down to one that burns. Built with frame
 * pointers and without. Goes on until it is ended.
 */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long sink;

unsigned long even(long depth);
unsigned long odd(long depth);

__attribute__((noinline, noclone)) static unsigned long burns(void)
{
	for (unsigned long i = 0; i < 300000; i++)
		sink += i ^ (sink << 1);
	return sink;
}

__attribute__((noinline, noclone)) unsigned long even(long depth)
{
	volatile long here = depth;
	return (depth ? odd(depth - 1) : burns()) + (unsigned long)here;
}

__attribute__((noinline, noclone)) unsigned long odd(long depth)
{
	volatile long here[3] = { depth, depth, depth };
	return (depth ? even(depth - 1) : burns()) + (unsigned long)here[depth % 3];
}

int main(int argc, char **argv)
{
	long depth = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	puts("ready");
	fflush(stdout);
	for (;;)
		sink += even(depth);
}
