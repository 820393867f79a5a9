/*
 * Processes that are hard to record. The first word says which:
 *   burn                      uses CPU time in `burn` until it is ended; the same after what follows
 *   renamed                   the same, with another name for its first thread
 *   exec FILE ARGS...         burns 0.2 s and becomes another program
 *   forks N                   N children, one after the other, each of which burns 2 ms in `child`
 *   maps FOLDER N [SECONDS]   maps N files, which it makes in FOLDER, as code
 *   zombie                    has a child that has ended and is never waited for; says its pid
 *   jit fifo|link|huge PATH   runs code without a file, and plants a FIFO, a link to PATH, or a file of 5 GB, as its map
 *   peak FILE COMMAND...      runs a command and writes the most memory it had, in KiB, to FILE
 * They say `ready` when others may look (`zombie`: its pid), and end after 60 s of CPU time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static double used_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void burn(double until_s)
{
	while (used_s() < until_s)
		for (unsigned i = 0; i < 20000; i++)
			sink += i ^ (sink << 1);
}

__attribute__((noinline)) static void child(void)
{
	burn(0.002);
	sink++;
}

static int burn_ready(void)
{
	puts("ready");
	fflush(stdout);
	burn(60);
	return 0;
}

static int become(char **command)
{
	burn(0.2);
	execvp(command[0], command);
	return 127;
}

static int forks(long n)
{
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();
		if (pid < 0)
			return 1;
		if (pid == 0) {
			child();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}

static int maps(const char *folder, long n, double burn_s)
{
	char name[64];
	if (chdir(folder))
		return 1;
	for (long i = 0; i < n; i++) {
		snprintf(name, sizeof name, "%ld.so", i);
		int file = open(name, O_RDWR | O_CREAT, 0600);
		if (file < 0 || ftruncate(file, 4096) ||
		    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED)
			return 1;
		close(file);
	}
	puts("ready");
	fflush(stdout);
	burn(used_s() + burn_s);
	return 0;
}

static int zombie(void)
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	siginfo_t info;
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT); /* it has ended, and stays */
	printf("%d\n", pid);
	fflush(stdout);
	burn(60);
	return 0;
}

static int plant(const char *what, const char *target)
{
	char map[64];
	snprintf(map, sizeof map, "/tmp/perf-%d.map", getpid());
	unlink(map);
	if (!strcmp(what, "fifo"))
		return mkfifo(map, 0600);
	if (!strcmp(what, "link"))
		return symlink(target, map);
	int file = open(map, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	return file < 0 || write(file, target, strlen(target)) < 0 || ftruncate(file, 5LL << 30);
}

/* mov ecx, 100000000 / loop: dec ecx / jnz loop / ret */
static const unsigned char code[] = { 0xb9, 0x00, 0xe1, 0xf5, 0x05, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };

static int jit(const char *what, const char *target)
{
	void *at = (void *)0x10000000, *memory;
	memory = mmap(at, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (memory != at || plant(what, target))
		return 1;
	memcpy(memory, code, sizeof code);
	puts("ready");
	fflush(stdout);
	while (used_s() < 60)
		((void (*)(void))(uintptr_t)memory)();
	return 0;
}

static int peak(const char *file, char **command)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
		return 1;
	FILE *out = fopen(file, "w");
	if (!out || fprintf(out, "%ld\n", usage.ru_maxrss) < 0 || fclose(out))
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "burn"))
		return burn_ready();
	if (!strcmp(what, "renamed") && prctl(PR_SET_NAME, "node-MainThread") == 0)
		return burn_ready();
	if (!strcmp(what, "exec") && argc > 2)
		return become(argv + 2);
	if (!strcmp(what, "forks") && argc > 2)
		return forks(strtol(argv[2], NULL, 10));
	if (!strcmp(what, "maps") && argc > 3)
		return maps(argv[2], strtol(argv[3], NULL, 10),
			    argc > 4 ? strtod(argv[4], NULL) : 60);
	if (!strcmp(what, "zombie"))
		return zombie();
	if (!strcmp(what, "jit") && argc > 3)
		return jit(argv[2], argv[3]);
	if (!strcmp(what, "peak") && argc > 3)
		return peak(argv[2], argv + 3);
	return 2;
}
