#include "cmd/js_map_file.h"
#include "target/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct map_file {
	int folder;
	char *path; /* for messages */
	char name[32], temporary[64];
};

void map_file_free(struct map_file *f)
{
	if (!f)
		return;
	if (f->folder >= 0)
		close(f->folder);
	free(f->path);
	free(f);
}

/* --- a process that writes it --- */

/* Whether any of its descriptors refers to that file and is open for writing. */
static bool has_open(int32_t pid, const struct stat *file)
{
	char folder[64];
	struct stat target, link;
	struct dirent *entry;
	bool is_open = false;
	snprintf(folder, sizeof(folder), "/proc/%d/fd", pid);
	DIR *dir = opendir(folder);
	while (dir && !is_open && (entry = readdir(dir)))
		is_open = fstatat(dirfd(dir), entry->d_name, &target, 0) == 0 &&
			  target.st_dev == file->st_dev && target.st_ino == file->st_ino &&
			  fstatat(dirfd(dir), entry->d_name, &link, AT_SYMLINK_NOFOLLOW) == 0 &&
			  (link.st_mode & S_IWUSR);
	if (dir)
		closedir(dir);
	return is_open;
}

bool map_file_is_written(int32_t pid, const char *path, struct err *e)
{
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || !has_open(pid, &status))
		return false;
	err_set(e, "%s: pid %d writes this file itself; use -f to replace it", path, pid);
	return true;
}

static bool is_its_own(int32_t pid, int folder, const char *name)
{
	struct runtime runtime;
	struct living_process p;
	struct stat status;
	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
		return false;
	living_process_init(&p, pid);
	runtime_of_process(&p.process, &runtime);
	bool has_flag = runtime.has_map_flag;
	runtime_fini(&runtime);
	return has_flag || has_open(pid, &status);
}

/* --- location --- */

struct map_file *map_file_open(int32_t pid, bool is_forced, struct buf *path, struct err *e)
{
	AUTO(buf) struct buf root = { 0 };
	int32_t inner = process_inner_pid(pid);
	if (!inner || !process_root_path(pid, &root)) {
		err_set(e, "pid %d has exited, or its files are not readable", pid);
		return NULL;
	}
	struct stat here, there;
	bool is_here = stat("/", &here) == 0 && stat(buf_c_string(&root), &there) == 0 &&
		       here.st_dev == there.st_dev && here.st_ino == there.st_ino;
	buf_addf(path, "%s/tmp/perf-%d.map", is_here ? "" : buf_c_string(&root), inner);
	struct map_file *f = mem_zalloc(1, sizeof(*f));
	snprintf(f->name, sizeof(f->name), "perf-%d.map", inner);
	snprintf(f->temporary, sizeof(f->temporary), ".perf-%d.map.%d", inner, getpid());
	f->path = mem_strdup(buf_c_string(path));
	f->folder = process_open_folder(buf_c_string(&root), "tmp");
	if (f->folder < 0)
		err_set(e, "%s: %s; use -o FILE to write elsewhere", f->path, strerror(errno));
	else if (!is_forced && is_its_own(pid, f->folder, f->name))
		err_set(e,
			"%s: pid %d writes this file itself, so perf already has its names; use -f "
			"to replace it, or -o FILE to write elsewhere",
			f->path, pid);
	else
		return f;
	map_file_free(f);
	return NULL;
}

/* --- writing --- */

static bool write_all(int fd, struct str text)
{
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);
		if (n < 0 && errno != EINTR)
			return false;
		text = str_from_byte(text, n > 0 ? (size_t)n : 0);
	}
	return true;
}

bool map_file_write(struct map_file *f, struct str text, struct err *e)
{
	int fd = openat(f->folder, f->temporary,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(e, "%s: %s; use -o FILE to write elsewhere", f->path,
			       strerror(errno));
	bool ok = write_all(fd, text);
	int why = errno;
	if (close(fd) != 0 && ok) {
		ok = false;
		why = errno;
	}
	if (ok && renameat(f->folder, f->temporary, f->folder, f->name) != 0) {
		ok = false;
		why = errno;
	}
	if (ok)
		return true;
	unlinkat(f->folder, f->temporary, 0);
	return err_set(e, "%s: %s; use -o FILE to write elsewhere", f->path, strerror(why));
}
