/*
 * Threads with names, each of which uses its part of a second of CPU time, measured by its own clock.
 *   threads TRUTH SECONDS
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct share {
	const char *name;
	unsigned percent;
	uint64_t limit_ns, used_ns;
	pthread_t thread;
};

static uint64_t thread_cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

__attribute__((noinline)) static unsigned long burn(unsigned long sum)
{
	for (unsigned long i = 0; i < 100000; i++) {
		sum += i ^ (sum << 1);
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

static void *run(void *closure)
{
	struct share *share = closure;
	unsigned long sum = 0;
	pthread_setname_np(pthread_self(), share->name);
	while ((share->used_ns = thread_cpu_ns()) < share->limit_ns)
		sum = burn(sum);
	return (void *)sum;
}

int main(int argc, char **argv)
{
	struct share shares[] = {
		{ .name = "forty", .percent = 40 },  { .name = "thirty", .percent = 30 },
		{ .name = "twenty", .percent = 20 }, { .name = "seven", .percent = 7 },
		{ .name = "three", .percent = 3 },
	};
	if (argc < 3)
		return 2;
	for (unsigned i = 0; i < 5; i++) {
		shares[i].limit_ns = strtoull(argv[2], NULL, 10) * 10000000u * shares[i].percent;
		if (pthread_create(&shares[i].thread, NULL, run, &shares[i]))
			return 1;
	}
	FILE *out = fopen(argv[1], "w");
	for (unsigned i = 0; i < 5 && out; i++) {
		pthread_join(shares[i].thread, NULL);
		fprintf(out, "%s %llu\n", shares[i].name, (unsigned long long)shares[i].used_ns);
	}
	return !out || fclose(out);
}
