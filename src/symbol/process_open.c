/* Opening files of other processes and containers. */
#include "symbol/process_files_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	/* A fifo must not make us wait, a terminal must not become ours. */
	OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
	FOLDER_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC,
	MAX_RETRIES = 8,
};

/* For kernels before 5.6, and sandboxes that forbid openat2: no links at all. */
static int open_without_links(int root, const char *inside)
{
	int folder = dup(root);
	while (folder >= 0) {
		size_t n = strcspn(inside, "/");
		char part[256];
		const char *rest = inside + n + strspn(inside + n, "/");
		bool is_last = !*rest;
		int next = -1;
		if (n >= sizeof(part) || (n == 2 && memcmp(inside, "..", 2) == 0)) {
			errno = ELOOP;
		} else {
			memcpy(part, inside, n);
			part[n] = 0;
			next = openat(folder, part,
				      (is_last ? (int)OPEN_FLAGS : (int)FOLDER_FLAGS) | O_NOFOLLOW);
		}
		int why = errno;
		close(folder);
		errno = why;
		if (is_last || next < 0)
			return next;
		folder = next;
		inside = rest;
	}
	return -1;
}

static int open_below(int root, const char *inside)
{
	struct open_how how = { .flags = OPEN_FLAGS,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	/* EAGAIN: something was renamed on the way, so that the kernel cannot vouch for it. */
	for (int i = 0; i < MAX_RETRIES; i++) {
		long fd = syscall(SYS_openat2, root, inside, &how, sizeof(how));
		if (fd >= 0)
			return (int)fd;
		if (errno == ENOSYS || errno == EPERM)
			return open_without_links(root, inside);
		if (errno != EAGAIN)
			break;
	}
	return -1;
}

static int open_anywhere(const char *root, const char *inside)
{
	if (!root)
		return open(inside, OPEN_FLAGS);
	int folder = open(root, FOLDER_FLAGS);
	if (folder < 0)
		return -1;
	int fd = open_below(folder, inside + strspn(inside, "/"));
	int why = errno;
	close(folder);
	errno = why;
	return fd;
}

/* What is wrong with an open file, or NULL. */
static const char *trouble_of(int fd, enum open_trust trust)
{
	struct stat status;
	if (fstat(fd, &status) != 0)
		return strerror(errno);
	if (!S_ISREG(status.st_mode))
		return "is not a plain file";
	if (trust == OPEN_CHECKED && geteuid() != 0 && status.st_uid != 0 &&
	    status.st_uid != geteuid())
		return "belongs to another user, who could have written anything into it";
	return NULL;
}

struct reader *safe_open(const char *root, const char *inside, const char *path,
			 enum open_trust trust, struct err *e)
{
	int fd = open_anywhere(root, inside);
	if (fd < 0) {
		int why = errno;
		err_set(e, "%s: %s", path, strerror(why));
		errno = why;
		return NULL;
	}
	const char *trouble = trouble_of(fd, trust);
	if (!trouble)
		return reader_of_fd(fd, path);
	err_set(e, "%s %s", path, trouble);
	close(fd);
	errno = EACCES;
	return NULL;
}

static bool is_folder(const char *path)
{
	int fd = open(path, FOLDER_FLAGS);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool process_root_path(int32_t pid, struct buf *root)
{
	root->n = 0;
	buf_addf(root, "/proc/%d/root", pid);
	if (is_folder(buf_c_string(root)))
		return true;
	/* When the first thread has ended, only the others still have a root. */
	char tasks[64];
	snprintf(tasks, sizeof(tasks), "/proc/%d/task", pid);
	DIR *dir = opendir(tasks);
	bool is_found = false;
	struct dirent *entry;
	while (dir && !is_found && (entry = readdir(dir))) {
		if (!is_digit(entry->d_name[0]))
			continue;
		root->n = 0;
		buf_addf(root, "%s/%s/root", tasks, entry->d_name);
		is_found = is_folder(buf_c_string(root));
	}
	if (dir)
		closedir(dir);
	return is_found;
}
