/*
 * A call tree whose split of time is known: seventy and thirty burn 7 to 3, in turns so short that other
 * programs on the machine take from both alike, and of random lengths, so that no rate of sampling can beat in time
 * with them. Goes through libc's qsort (a caller without a name of ours), the PLT and the kernel, too.
 *   perf_data_work MILLISECONDS of CPU time
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) void burn(unsigned long rounds)
{
	KEEP_FRAME; /* gcc leaves it out of functions that call none */
	for (unsigned long i = 0; i < rounds; i++)
		sink += i ^ (sink << 1);
}

__attribute__((noinline)) void seventy(unsigned long unit)
{
	burn(7 * unit);
	sink++;
}

__attribute__((noinline)) void thirty(unsigned long unit)
{
	burn(3 * unit);
	sink++;
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

__attribute__((noinline)) void sorts(void)
{
	static int numbers[2000];
	for (unsigned i = 0; i < 2000; i++)
		numbers[i] = (int)(i * 2654435761u);
	qsort(numbers, 2000, sizeof numbers[0], compare);
	sink += (unsigned long)numbers[7];
}

__attribute__((noinline)) void asks_the_kernel(void)
{
	int zero = open("/dev/zero", O_RDONLY);
	char page[4096];
	for (int i = 0; i < 20; i++)
		sink += (unsigned long)read(zero, page, sizeof page);
	void *memory =
		mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(memory, 1, 1 << 16);
	munmap(memory, 1 << 16);
	close(zero);
}

/* 10,000 on average. */
static unsigned long some_rounds(void)
{
	return 5000 + (unsigned long)rand() % 10001;
}

static long cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	long end = cpu_ms() + (argc > 1 ? atol(argv[1]) : 100);
	while (cpu_ms() < end) {
		seventy(some_rounds());
		thirty(some_rounds());
		sorts();
		asks_the_kernel();
	}
	return 0;
}
