/*
 * plume's commands, many of them in one process: a suite that cuts a file at every byte need not start a
 * program for each cut.
 *
 * Standard input has a command a line, words separated by tabs: `fold\t-q\tcut.json`. What it prints goes to the
 * files `out` and `err` of the current folder; then its exit code is a line on standard output. A command that
 * crashes ends the process, as does one that uses 10 s of CPU time or waits for a minute. Leaks are found at the end.
 */
#include "cmd/cmd.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

enum { WORDS_MAX = 64, CPU_SECONDS_MAX = 10, SECONDS_MAX = 60 };

static bool redirect(const char *path, int fd)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool ok = file >= 0 && dup2(file, fd) == fd;
	close(file);
	return ok;
}

/* SIGPROF and SIGALRM end the process. 0 and 0: never. */
static void end_after(long cpu_seconds, unsigned seconds)
{
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = cpu_seconds }, NULL);
	alarm(seconds);
}

static int run(char *line)
{
	char *words[WORDS_MAX];
	size_t n = 0;
	line[strcspn(line, "\n")] = 0;
	for (char *word; n < WORDS_MAX && (word = strsep(&line, "\t"));)
		words[n++] = word;
	const struct command *command = command_by_name(words[0]);
	if (!command || !redirect("out", STDOUT_FILENO) || !redirect("err", STDERR_FILENO))
		return -1;
	end_after(CPU_SECONDS_MAX, SECONDS_MAX);
	int code = command->run(command, words + 1, n - 1);
	end_after(0, 0);
	fflush(NULL);
	return code;
}

int main(void)
{
	char line[65536];
	int answers = dup(STDOUT_FILENO);
	int said = dup(STDERR_FILENO);
	if (answers < 0 || said < 0)
		return 1;
	while (fgets(line, sizeof(line), stdin))
		dprintf(answers, "%d\n", run(line));
	dup2(said, STDERR_FILENO); /* for the sanitizer's last words */
	return 0;
}
