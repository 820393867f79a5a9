/*
 * What is recorded on and on.
 *   work busy                a known function, a third of the time: other tests run beside it
 *   work churn FOLDER        short-lived processes and threads, and now and then a program that is new
 *   work threads N FILE      N threads that end when FILE is there; the first one goes on
 *   work once                ends soon
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sum;

__attribute__((noinline)) static void burn(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		sum += i * i;
}

static void rest(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
	nanosleep(&t, NULL);
}

static void *short_thread(void *unused)
{
	burn(100000);
	return unused;
}

static void copy_file(const char *from, const char *to)
{
	char buffer[64 << 10];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	ssize_t n;
	while ((n = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, (size_t)n) != n)
			exit(1);
	close(in);
	close(out);
}

static void run_child(const char *program)
{
	pid_t child = fork();
	if (child == 0) {
		if (program)
			execl(program, program, "once", (char *)NULL);
		burn(8000000);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void churn(const char *folder)
{
	char path[4096];
	for (unsigned i = 0;; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, short_thread, NULL) == 0)
			pthread_join(thread, NULL);
		run_child(NULL);
		if (i % 16 == 0) {
			snprintf(path, sizeof(path), "%s/fresh-%u", folder, i);
			copy_file("/proc/self/exe", path);
			run_child(path);
			unlink(path);
		}
		rest(10);
	}
}

static void *until_file(void *path)
{
	while (access(path, F_OK) != 0)
		rest(20);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "busy";
	if (strcmp(mode, "once") == 0) {
		burn(1000000);
		return 0;
	}
	if (strcmp(mode, "churn") == 0)
		churn(argv[2]);
	for (int i = 0; strcmp(mode, "threads") == 0 && i < atoi(argv[2]); i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, until_file, argv[3]);
	}
	for (;;) {
		burn(1000000);
		rest(4);
	}
}
