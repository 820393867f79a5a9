/* Fixed work in seven functions under two callers, and one beside them; SLOW makes sort slower. */
#include <stdint.h>
#include <stdlib.h>

#ifndef SLOW
#define SLOW 1
#endif
#define NOT_INLINED __attribute__((noinline, noclone))

static volatile uint64_t sink;

/* A function that asks for its frame has one: its caller is seen. */
#define WORKER(name, n)                                                                            \
	static NOT_INLINED void name(uint64_t k)                                                   \
	{                                                                                          \
		sink += (uintptr_t)__builtin_frame_address(0);                                     \
		for (uint64_t i = 0; i < k * (n); i++)                                             \
			sink += i ^ k;                                                             \
	}

WORKER(parse, 30)
WORKER(lex, 20)
WORKER(hash, 25)
WORKER(copy, 15)
WORKER(sort, 40 * SLOW)
WORKER(check, 25)
WORKER(fold, 30)
WORKER(print, 20)

static NOT_INLINED void load(uint64_t k)
{
	lex(k);
	parse(k);
	hash(k);
	copy(k);
	__asm__ volatile("");
}

static NOT_INLINED void run(uint64_t k)
{
	sort(k);
	check(k);
	fold(k);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	uint64_t k = argc > 1 ? strtoull(argv[1], 0, 0) : 100;
	for (int i = 0; i < 2000; i++) {
		load(k);
		run(k);
		print(k);
	}
	return 0;
}
