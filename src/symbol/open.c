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
static int open_loosely(const char *root, const char *path, int flags)
{
	AUTO(buf) struct buf whole = { 0 };
	buf_addf(&whole, "%s/%s", root, path);
	return open(buf_c_string(&whole), flags);
}

static int open_below(const char *root, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)flags, .resolve = RESOLVE_IN_ROOT };
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
		return open_loosely(root, path, flags);
	return fd;
}

static int open_somewhere(const char *root, const char *path, int flags)
{
	return root ? open_below(root, path, flags) : open(path, flags);
}

int open_plain_file(const char *root, const char *path)
{
	struct stat status;
	/* O_PATH finds a file without opening it. */
	int found = open_somewhere(root, path, O_PATH | O_CLOEXEC);
	if (found < 0)
		return -1;
	bool is_known = fstat(found, &status) == 0;
	close_quietly(found);
	if (is_known && !S_ISREG(status.st_mode))
		errno = ENOEXEC;
	if (!is_known || !S_ISREG(status.st_mode))
		return -1;
	/* Should another one have taken its place by now, it is not waited for. */
	return open_somewhere(root, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}
