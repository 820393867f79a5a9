/* from_memory PROGRAM NAME [ARGUMENT...]: runs a program from a copy of its file in memory, which has no path. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	extern char **environ;
	int in = argc > 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	int copy = memfd_create("copy", MFD_CLOEXEC);
	if (in < 0 || copy < 0)
		return 1;
	while (sendfile(copy, in, NULL, 1 << 20) > 0)
		;
	fexecve(copy, argv + 2, environ);
	perror("fexecve");
	return 1;
}
