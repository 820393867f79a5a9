/*
 * Four ways to spend time: arithmetic below a chain of calls, libc's qsort that calls back, libc's memset, and the
 * kernel. See turns.h. Built with and without frame pointers, and against musl.
 */
#define _GNU_SOURCE
#include "turns.h"

#include <fcntl.h>
#include <string.h>

#define OWN_FRAME __attribute__((noinline, noclone))

#ifdef __GLIBC__
enum { SORTED = 3800 };
#else
enum { SORTED = 400 }; /* musl's qsort takes longer */
#endif

static volatile unsigned long sink;

OWN_FRAME static void add(unsigned long rounds)
{
	unsigned long sum = sink;
	for (unsigned long i = 0; i < rounds; i++) {
		sum += i ^ (sum << 1);
		__asm__ volatile("" : "+r"(sum));
	}
	sink = sum;
}

/* The locals, and what is done after the call, keep it a call. */
OWN_FRAME static void descend(int depth, unsigned long rounds)
{
	volatile char local[48];
	local[depth % 48] = (char)depth;
	if (depth)
		descend(depth - 1, rounds);
	else
		add(rounds);
	sink += (unsigned long)local[depth % 48];
}

OWN_FRAME static void sums(unsigned long rounds)
{
	descend(20, rounds);
	sink++;
}

OWN_FRAME static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

OWN_FRAME static void sorts(unsigned long rounds)
{
	static int numbers[8192];
	size_t count = rounds < 8192 ? rounds : 8192;
	for (unsigned i = 0; i < count; i++)
		numbers[i] = (int)((i + sink) * 2654435761u);
	qsort(numbers, count, sizeof numbers[0], compare);
	sink += (unsigned long)numbers[7];
}

OWN_FRAME static void fills(unsigned long rounds)
{
	static char page[1 << 16];
	for (unsigned long i = 0; i < rounds; i++) {
		memset(page, (int)i, sizeof page - (sink & 1));
		sink += (unsigned long)page[i & 0xffff];
	}
}

OWN_FRAME static void reads(unsigned long rounds)
{
	static char page[1 << 16];
	static int zero = -1;
	if (zero < 0)
		zero = open("/dev/zero", O_RDONLY);
	for (unsigned long i = 0; i < rounds; i++)
		sink += (unsigned long)read(zero, page, sizeof page);
}

int main(int argc, char **argv)
{
	struct part parts[] = {
		{ "sums", 10, 200000, sums, 0 },
		{ "sorts", 5, SORTED, sorts, 0 },
		{ "fills", 3, 250, fills, 0 },
		{ "reads", 2, 110, reads, 0 },
	};
	return take_turns(parts, sizeof parts / sizeof parts[0], argc, argv);
}
