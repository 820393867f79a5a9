#include "process/open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FOLDER_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };

/* What is wrong with an open file, or NULL. */
static const char *trouble_of(int fd, enum open_trust trust)
{
	struct stat status;
	if (fstat(fd, &status) != 0)
		return strerror(errno);
	if (trust == OPEN_CHECKED && geteuid() != 0 && status.st_uid != 0 &&
	    status.st_uid != geteuid())
		return "belongs to another user and is not trusted";
	return NULL;
}

int process_plain_file(const char *root, const char *inside, const char *path,
		       enum open_trust trust, struct err *e)
{
	int fd = open_plain_file(root, inside);
	if (fd < 0) {
		int why = errno;
		err_set(e, "%s: %s", path, why == ENOEXEC ? "not a regular file" : strerror(why));
		errno = why;
		return -1;
	}
	const char *trouble = trouble_of(fd, trust);
	if (!trouble)
		return fd;
	err_set(e, "%s %s", path, trouble);
	close(fd);
	errno = EACCES;
	return -1;
}

struct reader *process_plain_reader(const char *root, const char *inside, const char *path,
				    enum open_trust trust, struct err *e)
{
	int fd = process_plain_file(root, inside, path, trust, e);
	return fd >= 0 ? reader_of_fd(fd, path) : NULL;
}

int process_open_folder(const char *root, const char *inside)
{
	struct open_how how = { .flags = FOLDER_FLAGS,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int top = open(root, FOLDER_FLAGS);
	if (top < 0)
		return -1;
	int folder = (int)syscall(SYS_openat2, top, inside, &how, sizeof(how));
	/* A kernel, sandbox or filter that does not know it. */
	if (folder < 0 && (errno == ENOSYS || errno == EPERM))
		folder = openat(top, inside, FOLDER_FLAGS | O_NOFOLLOW);
	int why = errno;
	close(top);
	errno = why;
	return folder;
}

int process_reopen(int fd)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

struct elf *process_take_elf(int fd, struct str path)
{
	struct err ignored = { 0 };
	AUTO(buf) struct buf name = { 0 };
	buf_add(&name, path);
	struct elf *elf = fd >= 0 ? elf_open_fd(fd, buf_c_string(&name), &ignored) : NULL;
	if (fd >= 0)
		close(fd);
	return elf;
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
