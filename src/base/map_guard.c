/*
 * A file that is truncated while it is mapped raises SIGBUS on the next touch of a lost page. The handler puts zero
 * pages there, so that the parser runs to its end and the reader can say in words what happened. This needs state
 * that a signal handler can see: the one table in the program that changes after start-up.
 */
#include "base/reader_int.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_GUARDS = 4096 };

static struct guard {
	atomic_bool is_taken;
	_Atomic(uintptr_t) start; /* 0: not in force */
	_Atomic(uintptr_t) end;
	atomic_bool was_cut;
} guards[MAX_GUARDS];

static struct guard *guard_of(uintptr_t address)
{
	for (size_t i = 0; i < MAX_GUARDS; i++) {
		uintptr_t start = atomic_load(&guards[i].start);
		if (start && address >= start && address < atomic_load(&guards[i].end))
			return &guards[i];
	}
	return NULL;
}

static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
	(void)context;
	uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1);
	struct guard *g = guard_of((uintptr_t)info->si_addr);
	if (g) {
		size_t rest = atomic_load(&g->end) - page;
		void *zeros = mmap((void *)page, rest, PROT_READ,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		if (zeros != MAP_FAILED) {
			atomic_store(&g->was_cut, true);
			return;
		}
	}
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

bool map_guard_add(const void *start, size_t size_bytes)
{
	struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };
	for (size_t i = 0; i < MAX_GUARDS; i++) {
		bool expected = false;
		if (!atomic_compare_exchange_strong(&guards[i].is_taken, &expected, true))
			continue;
		atomic_store(&guards[i].was_cut, false);
		atomic_store(&guards[i].end, (uintptr_t)start + size_bytes);
		atomic_store(&guards[i].start, (uintptr_t)start);
		return sigaction(SIGBUS, &action, NULL) == 0;
	}
	return false;
}

void map_guard_remove(const void *start)
{
	struct guard *g = guard_of((uintptr_t)start);
	if (!g)
		return;
	atomic_store(&g->start, 0);
	atomic_store(&g->is_taken, false);
}

bool map_guard_was_cut(const void *start)
{
	struct guard *g = guard_of((uintptr_t)start);
	return g && atomic_load(&g->was_cut);
}
