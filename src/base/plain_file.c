#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_TRIES = 8, FOLDER_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };

/* Closes fd and keeps errno. */
static void close_quietly(int fd)
{
	int why = errno;
	close(fd);
	errno = why;
}

/* For kernels before 5.6, and sandboxes that forbid openat2: no links at all. */
static int open_without_links(int root, const char *path, int flags)
{
	int folder = dup(root);
	path += strspn(path, "/");
	while (folder >= 0) {
		size_t n = strcspn(path, "/");
		char part[256];
		const char *rest = path + n + strspn(path + n, "/");
		bool is_last = !*rest;
		int next = -1;
		if (n >= sizeof(part) || (n == 2 && memcmp(path, "..", 2) == 0)) {
			errno = ELOOP;
		} else {
			memcpy(part, path, n);
			part[n] = 0;
			next = openat(folder, part,
				      (is_last ? flags : (int)FOLDER_FLAGS) | O_NOFOLLOW);
		}
		close_quietly(folder);
		if (is_last || next < 0)
			return next;
		folder = next;
		path = rest;
	}
	return -1;
}

static int open_below(const char *root, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)flags,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int fd = -1, root_fd = open(root, FOLDER_FLAGS);
	if (root_fd < 0)
		return -1;
	/* EAGAIN: something was renamed meanwhile, so that the kernel could not be sure. */
	for (int i = 0; i < MAX_TRIES; i++) {
		fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = open_without_links(root_fd, path, flags);
	close_quietly(root_fd);
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
