/*
 * Runs a command and writes the CPU time it used (user and system, with its children), in ms, to FILE: what a program cost
 * that somebody else records.
 *   used FILE COMMAND ARGS...
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double ms(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	if (argc < 3)
		return 2;
	pid_t pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
		return 1;
	FILE *out = fopen(argv[1], "w");
	if (!out || fprintf(out, "%.3f\n", ms(usage.ru_utime) + ms(usage.ru_stime)) < 0 ||
	    fclose(out))
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
