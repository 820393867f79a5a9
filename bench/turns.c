/*
 * What recorders cost a program that runs on and on: they record it in turns, for half a second each, in another
 * order each time, and the CPU time that a round of its work takes is compared. The machine's other work comes
 * and goes more slowly than that, so what is measured in one turn is comparable.
 *   turns PID COUNTER TURNS COMMAND...     COUNTER is a file with a double: how many rounds the program has done;
 *                                          an empty COMMAND: nobody records
 * Prints a line for each turn: microseconds of CPU time for a round, of each command.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_COMMANDS = 8 };

static clockid_t used_clock;
static int counter_fd;

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

struct moment {
	double rounds, used_us;
};

/* A round has just ended. The program has gone: nothing to be said any more. */
static struct moment next_round(void)
{
	struct moment m = { 0 };
	struct timespec used;
	double before = -1;
	for (;;) {
		if (pread(counter_fd, &m.rounds, sizeof(m.rounds), 0) != sizeof(m.rounds) ||
		    clock_gettime(used_clock, &used) != 0) {
			fprintf(stderr, "turns: the program has ended\n");
			exit(1);
		}
		if (before >= 0 && m.rounds != before)
			break;
		before = m.rounds;
		nanosleep(&(struct timespec){ 0, 200000 }, NULL);
	}
	m.used_us = (double)used.tv_sec * 1e6 + (double)used.tv_nsec / 1e3;
	return m;
}

static pid_t start(const char *command)
{
	pid_t pid = *command ? fork() : 0;
	if (*command && pid == 0) {
		int none = open("/dev/null", O_RDWR);
		dup2(none, STDOUT_FILENO);
		dup2(none, STDERR_FILENO);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* Microseconds of CPU time for a round, once the recorder has begun. */
static double measure(const char *command)
{
	enum { BEGIN_MS = 350, MEASURED_MS = 500 };
	int status = 0;
	pid_t pid = start(command);
	pause_ms(BEGIN_MS);
	struct moment from = next_round();
	pause_ms(MEASURED_MS);
	struct moment to = next_round();
	if (pid && (waitpid(pid, &status, WNOHANG) != 0 || kill(pid, SIGINT) != 0)) {
		fprintf(stderr, "turns: it did not record: %s\n", command);
		exit(1);
	}
	if (pid)
		waitpid(pid, &status, 0);
	return (to.used_us - from.used_us) / (to.rounds - from.rounds);
}

static void shuffle(int *order, int n)
{
	for (int i = 0; i < n; i++)
		order[i] = i;
	for (int i = n - 1; i > 0; i--) {
		int k = rand() % (i + 1), other = order[i];
		order[i] = order[k];
		order[k] = other;
	}
}

int main(int argc, char **argv)
{
	int n = argc - 4, order[MAX_COMMANDS];
	double took[MAX_COMMANDS];
	if (n < 1 || n > MAX_COMMANDS)
		return 2;
	pid_t program = (pid_t)strtol(argv[1], NULL, 10);
	counter_fd = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (counter_fd < 0 || clock_getcpuclockid(program, &used_clock) != 0) {
		fprintf(stderr, "turns: there is no such program, or no such counter\n");
		return 1;
	}
	for (long turns = strtol(argv[3], NULL, 10); turns > 0; turns--) {
		shuffle(order, n);
		for (int i = 0; i < n; i++)
			took[order[i]] = measure(argv[4 + order[i]]);
		for (int i = 0; i < n; i++)
			printf("%.3f%c", took[i], i + 1 < n ? '\t' : '\n');
		fflush(stdout);
	}
	return 0;
}
