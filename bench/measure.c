/*
 * Runs a command some times and prints the best of each: `cpu_ms wall_ms peak_kib`. CPU time is the
 * child's own (user and system), which other load on the machine changes little; wall time is not
 * worth much on a shared one. Children that a command leaves behind count, too: perf script ended by timeout
 * leaves those that look functions up.
 *   measure RUNS OUTPUT COMMAND ARGS...     standard output goes to OUTPUT, made anew each time
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double wall_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double ms(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

static void become(const char *output, char **command)
{
	int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666),
	    err = open("/dev/null", O_WRONLY);
	if (out < 0 || err < 0)
		_exit(126);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	execvp(command[0], command);
	_exit(127);
}

/* Adds what orphans used, which came to this process when their parents ended. */
static void add_orphans(double *used, long *peak)
{
	struct rusage usage;
	while (wait4(-1, NULL, 0, &usage) > 0) {
		*used += ms(usage.ru_utime) + ms(usage.ru_stime);
		*peak = usage.ru_maxrss > *peak ? usage.ru_maxrss : *peak;
	}
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	int runs = (int)strtol(argv[1], NULL, 10);
	double cpu = 1e18, wall = 1e18;
	long peak = 0;
	for (int i = 0; i < runs; i++) {
		struct rusage usage;
		int status;
		double start = wall_ms();
		pid_t pid = fork();
		if (pid == 0)
			become(argv[2], argv + 3);
		if (pid < 0 || wait4(pid, &status, 0, &usage) < 0 || !WIFEXITED(status) ||
		    WEXITSTATUS(status) > 0)
			return 1;
		double took = wall_ms() - start, used = ms(usage.ru_utime) + ms(usage.ru_stime);
		add_orphans(&used, &usage.ru_maxrss);
		wall = took < wall ? took : wall;
		cpu = used < cpu ? used : cpu;
		peak = usage.ru_maxrss > peak ? usage.ru_maxrss : peak;
	}
	printf("%.1f %.1f %ld\n", cpu, wall, peak);
	return 0;
}
