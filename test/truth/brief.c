/*
 * Work that is done in turns: some of it by the program itself, some by a thread or a child that ends with its turn, of
 * about 3 ms each. What each of the two used is measured by the clocks of those that did it.
 *   brief threads|children|apart|mostly TRUTH [SECONDS]
 * apart: children, on the first cpu, while the program is on the last one; mostly: threads, and the program itself does
 * a tenth of that. Says `ready`, goes on until it is told to
 * end or has used SECONDS of CPU time (60 when not told), and writes TRUTH.
 */
#define _GNU_SOURCE
#include "turns.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { TURN_NS = 3000000 };

static volatile unsigned long sink;

__attribute__((noinline)) static void burn(uint64_t until_ns)
{
	while (thread_cpu_ns() < until_ns)
		for (unsigned i = 0; i < 5000; i++)
			sink += i ^ (sink << 1);
}

/* Random, so that no clock can beat in time with the turns. */
static uint64_t turn_ns(void)
{
	return TURN_NS / 2 + turns_random() % TURN_NS;
}

__attribute__((noinline)) static void own(uint64_t *used_ns, unsigned part)
{
	uint64_t start = thread_cpu_ns();
	burn(start + turn_ns() / part);
	*used_ns += thread_cpu_ns() - start;
}

struct turn {
	uint64_t ns, used_ns;
	int cpu; /* -1: any */
};

/* All that a thread or child does. */
__attribute__((noinline)) static void *brief(void *closure)
{
	struct turn *t = closure;
	uint64_t start = thread_cpu_ns();
	burn(start + t->ns);
	t->used_ns += thread_cpu_ns() - start;
	return NULL;
}

static int by_thread(struct turn *t)
{
	pthread_t thread;
	return pthread_create(&thread, NULL, brief, t) || pthread_join(thread, NULL);
}

static void stay_on(int cpu)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static int by_child(struct turn *t)
{
	pid_t child = fork();
	if (child == 0) {
		if (t->cpu >= 0)
			stay_on(t->cpu);
		brief(t);
		_exit(0);
	}
	return child < 0 || waitpid(child, NULL, 0) != child;
}

static int set_apart(struct turn *t)
{
	cpu_set_t allowed;
	int last = 0;
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return 1;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &allowed)) {
			t->cpu = t->cpu < 0 ? i : t->cpu;
			last = i;
		}
	stay_on(last);
	return 0;
}

int main(int argc, char **argv)
{
	struct part parts[] = { { .name = "own" }, { .name = "brief" } };
	struct turn *t =
		mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc < 3 || t == MAP_FAILED)
		return 2;
	bool is_mostly = strcmp(argv[1], "mostly") == 0;
	int (*by_other)(struct turn *) =
		is_mostly || strcmp(argv[1], "threads") == 0 ? by_thread : by_child;
	uint64_t limit_ns = (argc > 3 ? strtoull(argv[3], NULL, 10) : 60) * 1000000000u;
	t->cpu = -1;
	signal(SIGTERM, end_turns);
	if ((strcmp(argv[1], "apart") == 0 && set_apart(t)) ||
	    write(STDOUT_FILENO, "ready\n", 6) != 6)
		return 1;
	while (!turns_are_over && parts[0].used_ns + t->used_ns < limit_ns) {
		own(&parts[0].used_ns, is_mostly ? 10 : 1);
		t->ns = turn_ns();
		if (by_other(t))
			return 1;
	}
	parts[1].used_ns = t->used_ns;
	return write_truth(parts, 2, argv[2]);
}
