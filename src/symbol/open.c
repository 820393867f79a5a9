#include "symbol/open_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_TRIES = 8 };

/* Closes fd and keeps errno. */
static void close_quietly(int fd)
{
	int why = errno;
	close(fd);
	errno = why;
}

/* Kernels before 5.6 and some sandboxes have no openat2: then links may lead out of the root. */
static int find_loosely(const char *root, const char *path)
{
	AUTO(buf) struct buf whole = { 0 };
	buf_addf(&whole, "%s/%s", root, path);
	return open(buf_c_string(&whole), O_PATH | O_CLOEXEC);
}

static int find_below(const char *root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	int fd = -1, root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return -1;
	/* EAGAIN: something was renamed meanwhile, so that the kernel could not be sure. */
	for (int i = 0; i < MAX_TRIES; i++) {
		fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	close_quietly(root_fd);
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return find_loosely(root, path);
	return fd;
}

/* O_PATH finds without opening; what was found is opened through /proc once it is known to be plain. */
static int open_found(int found)
{
	char name[64];
	struct stat status;
	if (fstat(found, &status) != 0)
		return -1;
	if (!S_ISREG(status.st_mode)) {
		errno = ENOEXEC;
		return -1;
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", found);
	return open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int open_plain_file(const char *root, const char *path)
{
	int found = root ? find_below(root, path) : open(path, O_PATH | O_CLOEXEC);
	if (found < 0)
		return -1;
	int fd = open_found(found);
	close_quietly(found);
	return fd;
}
