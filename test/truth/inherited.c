/*
 * Prints everything that a program inherits and can see, a line for each: two runs of it differ where
 * who started it made a difference..
 *   inherited                prints
 *   inherited FILE           prints to FILE
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;
static FILE *out;

/* --- signals --- */

static void print_signals(void)
{
	/* A sanitizer takes these before main, so plume under one cannot know them; 32 and 33 are libc's. */
	static const int left_out[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };
	sigset_t blocked, pending;
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	sigpending(&pending);
	for (int i = 1; i <= SIGRTMAX; i++) {
		struct sigaction action;
		int is_left_out = sigaction(i, NULL, &action) != 0;
		for (size_t k = 0; k < sizeof(left_out) / sizeof(*left_out); k++)
			is_left_out |= left_out[k] == i;
		if (is_left_out)
			continue;
		fprintf(out, "signal %d: %s%s%s\n", i,
			action.sa_handler == SIG_IGN   ? "ignored"
			: action.sa_handler == SIG_DFL ? "default"
						       : "caught",
			sigismember(&blocked, i) ? ", blocked" : "",
			sigismember(&pending, i) ? ", pending" : "");
	}
}

/* --- descriptors --- */

static void print_descriptors(int own_fd)
{
	for (int fd = 0; fd < 1024; fd++) {
		char path[64], target[4096];
		int flags = fcntl(fd, F_GETFL);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		ssize_t n = readlink(path, target, sizeof(target));
		if (fd != own_fd && flags >= 0 && n >= 0)
			fprintf(out, "descriptor %d: flags %x at %lld, %.*s\n", fd, (unsigned)flags,
				(long long)lseek(fd, 0, SEEK_CUR), (int)n, target);
	}
}

/* --- the rest --- */

static void print_limits(void)
{
	for (int i = 0; i < (int)RLIMIT_NLIMITS; i++) {
		struct rlimit limit;
		if (getrlimit(i, &limit) == 0)
			fprintf(out, "limit %d: %llu %llu\n", i, (unsigned long long)limit.rlim_cur,
				(unsigned long long)limit.rlim_max);
	}
}

static void print_scheduling(void)
{
	cpu_set_t cpus;
	struct sched_param how = { 0 };
	sched_getparam(0, &how);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	fprintf(out, "nice: %d\n", getpriority(PRIO_PROCESS, 0));
	fprintf(out, "policy: %d, priority %d\n", sched_getscheduler(0), how.sched_priority);
	fprintf(out, "cpus: %d\n", CPU_COUNT(&cpus));
	fprintf(out, "io priority: %ld\n", syscall(SYS_ioprio_get, 1, 0));
	fprintf(out, "timer slack: %d\n", prctl(PR_GET_TIMERSLACK));
}

static void print_groups(void)
{
	int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	fprintf(out, "process group: %d\nsession: %d\n", (int)getpgrp(), (int)getsid(0));
	fprintf(out, "terminal: %s, foreground group %d\n", terminal >= 0 ? "yes" : "no",
		terminal >= 0 ? (int)tcgetpgrp(terminal) : 0);
	if (terminal >= 0)
		close(terminal);
}

/* A line of a file in /proc/self that only its first word chooses. */
static void print_status(void)
{
	static const char *const fields[] = { "Uid:",	     "Gid:",	 "Groups:",   "CapInh:",
					      "CapPrm:",     "CapEff:",	 "CapBnd:",   "CapAmb:",
					      "NoNewPrivs:", "Seccomp:", "TracerPid:" };
	char line[4096];
	FILE *status = fopen("/proc/self/status", "re");
	while (status && fgets(line, sizeof(line), status))
		for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
			if (strncmp(line, fields[i], strlen(fields[i])) == 0)
				fprintf(out, "%s", line);
	if (status)
		fclose(status);
	FILE *score = fopen("/proc/self/oom_score_adj", "re");
	if (score && fgets(line, sizeof(line), score))
		fprintf(out, "oom score: %s", line);
	if (score)
		fclose(score);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_environment(void)
{
	size_t n = 0;
	while (environ[n])
		n++;
	qsort(environ, n, sizeof(*environ), by_text);
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "_=", 2) != 0) /* the shell's word for what it started */
			fprintf(out, "environment: %s\n", environ[i]);
}

int main(int argc, char **argv)
{
	char folder[4096];
	mode_t mask = umask(0);
	umask(mask);
	out = argc > 1 ? fopen(argv[1], "we") : stdout;
	if (!out)
		return 1;
	fprintf(out, "umask: %03o\n", (unsigned)mask);
	fprintf(out, "folder: %s\n", getcwd(folder, sizeof(folder)) ? folder : strerror(errno));
	fprintf(out, "personality: %x\n", (unsigned)personality(0xffffffff));
	fprintf(out, "dumpable: %d\n", prctl(PR_GET_DUMPABLE));
	print_signals();
	print_descriptors(argc > 1 ? fileno(out) : -1);
	print_limits();
	print_scheduling();
	print_groups();
	print_status();
	print_environment();
	return fflush(out) == 0 && !ferror(out) ? 0 : 1;
}
