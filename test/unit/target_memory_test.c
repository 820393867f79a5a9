/* Reads of another process's memory are bounded, and say how far they came. */
#include "tap.h"

#include "target/target.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* Three pages, of which the last cannot be read. */
static char *pages(void)
{
	char *p = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || mprotect(p + 2 * PAGE, PAGE, PROT_NONE) != 0)
		abort();
	memset(p, 'a', PAGE);
	memset(p + PAGE, 'b', PAGE);
	return p;
}

static uint64_t address_of(const char *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void test_process(void)
{
	struct living_process m;
	AUTO_FREE char *got = mem_zalloc(3 * PAGE, 1);
	char *p = pages();
	living_process_init(&m, getpid());
	tap_ok(memory_read(&m.memory, address_of(p) + PAGE - 2, got, 4) &&
		       memcmp(got, "aabb", 4) == 0,
	       "a read goes over pages");
	tap_ok(!memory_read(&m.memory, address_of(p) + 2 * PAGE - 2, got, 4),
	       "a read is all or nothing");
	tap_num_eq(memory_read_some(&m.memory, address_of(p) + 10, got, 3 * PAGE - 10),
		   2 * PAGE - 10, "some is what comes before the page that cannot be read");
	tap_ok(got[0] == 'a' && got[2 * PAGE - 11] == 'b', "and is what is there");
	tap_num_eq(memory_read_some(&m.memory, address_of(p) + 2 * PAGE, got, PAGE), 0,
		   "of a page that cannot be read it is nothing");
	tap_num_eq(memory_read_some(&m.memory, address_of(p), got, 2 * PAGE), 2 * PAGE,
		   "of pages that can, all");
	munmap(p, 3 * PAGE);
}

static void test_bounds(void)
{
	struct living_process m;
	char got[16];
	living_process_init(&m, getpid());
	tap_ok(!memory_read(&m.memory, UINT64_MAX - 3, got, 8), "no read goes around the end");
	tap_ok(!memory_read(&m.memory, address_of(got), got, (size_t)1 << 40),
	       "no read is larger than what is looked at");
	tap_ok(!memory_read(&m.memory, 0, got, 8), "nothing is at 0");
	tap_num_eq(m.memory.reads, 3, "reads are counted");
	tap_num_eq(m.memory.failed, 3, "those that failed, too");
}

static void test_limit(void)
{
	struct living_process m;
	AUTO_FREE char *got = mem_zalloc(3 * PAGE, 1);
	char *p = pages();
	living_process_init(&m, getpid());
	m.memory.limit = 4;
	tap_ok(memory_read(&m.memory, address_of(p), got, 2 * PAGE),
	       "within the limit pages count");
	tap_ok(memory_read(&m.memory, address_of(p), got, 8), "and reads");
	tap_ok(!memory_read(&m.memory, address_of(p), got, 8), "beyond it nothing is read");
	m.memory.limit = 0;
	tap_ok(memory_read(&m.memory, address_of(p), got, 8), "until there is none");
	munmap(p, 3 * PAGE);
}

/* Its pid is no process's until it is waited for and reused. */
static void test_gone(void)
{
	struct living_process m;
	char got[8];
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	living_process_init(&m, pid);
	waitpid(pid, NULL, 0);
	tap_ok(!memory_read(&m.memory, address_of(got), got, sizeof(got)) &&
		       m.memory.error == ESRCH,
	       "of a process that ended nothing is read");
}

static void test_kept(void)
{
	enum { OF_A = 100, OF_B = PAGE + 7 };
	struct living_process living;
	char got[PAGE], *p = pages();
	living_process_init(&living, getpid());
	struct kept_memory *kept = kept_memory_new(&living.process);
	struct memory *m = living.process.memory;
	tap_ok(memory_read(m, address_of(p) + OF_A, got, 200) && got[199] == 'a',
	       "kept memory of a process that lives is what is there");
	tap_ok(memory_read(m, address_of(p) + PAGE - 1, got, 2), "... over pages");
	tap_ok(memory_read(m, address_of(p) + OF_B, got, 3 * sizeof(uint64_t)), "... again");
	tap_ok(memory_read(m, address_of(p), got, PAGE), "... large parts of it as well");
	memset(p, 'c', PAGE);
	tap_ok(memory_read(m, address_of(p) + OF_A, got, 1) && got[0] == 'a',
	       "... as it was, in the same look");
	kept_memory_look(kept);
	tap_ok(memory_read(m, address_of(p) + OF_A, got, 1) && got[0] == 'c',
	       "... as it is now, in the next");
	kept_memory_end(kept);
	memset(p, 'd', 2 * PAGE);
	/* What was read the second time are 64 bytes, in which the first one is. */
	tap_ok(memory_read(m, address_of(p) + OF_A, got, 200) && got[0] == 'c' && got[27] == 'c' &&
		       got[28] == 'a' && got[199] == 'a',
	       "when it has ended it is what was read last");
	tap_ok(memory_read(m, address_of(p) + PAGE - 1, got, 2) && memcmp(got, "ab", 2) == 0,
	       "... over pages");
	tap_ok(memory_read(m, address_of(p) + OF_B + 5, got, 9), "... parts of it as well");
	tap_ok(!memory_read(m, address_of(p) + 56, got, 8), "nothing else");
	tap_ok(!memory_read(m, address_of(p) + PAGE + 60, got, 8), "... not half of it");
	tap_ok(!memory_read(m, address_of(p), got, PAGE), "... no large parts");
	kept_memory_free(kept);
	munmap(p, 3 * PAGE);
}

/* Nobody said that it ended: that it cannot be read any more does. */
static void test_kept_gone(void)
{
	struct living_process living;
	static char word[8] = "stays", far[PAGE];
	char got[8];
	int go[2];
	if (pipe(go) != 0)
		abort();
	pid_t pid = fork();
	if (pid == 0) {
		close(go[1]);
		ssize_t ignored = read(go[0], got, 1);
		(void)ignored;
		_exit(0);
	}
	living_process_init(&living, pid);
	struct kept_memory *kept = kept_memory_new(&living.process);
	struct memory *m = living.process.memory;
	bool is_read = memory_read(m, address_of(word), got, sizeof(got));
	close(go[0]);
	close(go[1]);
	waitpid(pid, NULL, 0);
	memset(got, 0, sizeof(got));
	tap_ok(is_read && memory_read(m, address_of(word), got, sizeof(got)) &&
		       !strcmp(got, "stays"),
	       "kept memory of a process that is gone is what it was");
	tap_ok(!memory_read(m, address_of(far) + PAGE / 2, got, sizeof(got)),
	       "... as far as it was read");
	kept_memory_free(kept);
}

int main(void)
{
	test_process();
	test_bounds();
	test_limit();
	test_gone();
	test_kept();
	test_kept_gone();
	return tap_done();
}
