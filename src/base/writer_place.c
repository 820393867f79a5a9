#include "base/writer_place_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/fsuid.h>
#include <sys/statfs.h>
#include <unistd.h>

enum { MAX_LINKS = 40, FOLDER_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };

/* --- whose is it? --- */

/* Under sudo files are made as the user who typed it, by the file system's user id. */
static uid_t own_uid(void)
{
	return (uid_t)setfsuid((uid_t)-1); /* an invalid id changes nothing */
}

static bool is_ours(const struct stat *status)
{
	return status->st_uid == own_uid();
}

static bool is_trusted(const struct stat *status)
{
	return is_ours(status) || status->st_uid == 0;
}

/* In a sticky folder everybody may make files, and only the owner of one, or of the folder, replaces it. */
static bool check_owner(const struct writer_place *p, const char *path, struct err *e)
{
	const struct stat *s = &p->status;
	struct stat folder;
	if (fstat(p->folder, &folder) != 0 || !(folder.st_mode & S_ISVTX))
		return true;
	if (p->kind == PLACE_OTHERS && own_uid() != 0 && !is_ours(&folder)) {
		errno = EPERM;
		return err_set(e,
			       "%s: belongs to another user (uid %u), so it cannot be replaced: "
			       "choose another name",
			       path, s->st_uid);
	}
	if (p->kind == PLACE_DIRECT && S_ISFIFO(s->st_mode) && !is_trusted(s) &&
	    s->st_uid != folder.st_uid) {
		errno = EPERM;
		return err_set(
			e,
			"%s: is a pipe that belongs to another user (uid %u): choose another name",
			path, s->st_uid);
	}
	return true;
}

/* --- finding it --- */

static bool fail(const char *path, struct err *e)
{
	int error = errno;
	err_set(e, "%s: cannot write: %s", path, strerror(error));
	errno = error;
	return false;
}

/* The links in /proc/PID/fd lead to what is open, and only the kernel can follow them. */
static bool is_proc(int folder)
{
	struct statfs status;
	return fstatfs(folder, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

/* Opens the folder of `path`, as seen from the one before. */
static bool enter_folder(struct writer_place *p, const char *path)
{
	AUTO(buf) struct buf folder = { 0 };
	ptrdiff_t slash = str_find_last_char(str_from(path), '/');
	const char *name = path + slash + 1;
	buf_add(&folder,
		slash < 0 ? STR(".") : str_first(str_from(path), slash ? (size_t)slash : 1));
	int from = p->folder;
	p->folder = openat(from >= 0 ? from : AT_FDCWD, buf_c_string(&folder), FOLDER_FLAGS);
	int error = errno;
	if (from >= 0)
		close(from);
	free(p->name);
	p->name = mem_strdup(*name ? name : ".");
	errno = error;
	return p->folder >= 0;
}

enum look { LOOK_FAILED, LOOK_DONE, LOOK_LINK };

/* What has the name; of a link, where it leads. */
static enum look look_at_name(struct writer_place *p, const char *path, struct buf *target,
			      struct err *e)
{
	enum { STEP = 4096 };
	int fd = openat(p->folder, p->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	p->kind = PLACE_FREE;
	if (fd < 0 && errno == ENOENT)
		return LOOK_DONE;
	if (fd < 0)
		return fail(path, e), LOOK_FAILED;
	bool is_known = fstat(fd, &p->status) == 0;
	target->n = 0;
	ssize_t n = readlinkat(fd, "", buf_reserve(target, STEP), STEP);
	close(fd);
	if (!is_known)
		return fail(path, e), LOOK_FAILED;
	p->kind = S_ISREG(p->status.st_mode) ? is_ours(&p->status) ? PLACE_FILE : PLACE_OTHERS
					     : PLACE_DIRECT;
	if (!S_ISLNK(p->status.st_mode))
		return LOOK_DONE;
	if (!is_trusted(&p->status)) {
		err_set(e,
			"%s: is a link that belongs to another user (uid %u), so plume does not "
			"follow it: name the file itself",
			path, p->status.st_uid);
		errno = ELOOP;
		return LOOK_FAILED;
	}
	if (n <= 0 || n == STEP) {
		errno = ENAMETOOLONG;
		return fail(path, e), LOOK_FAILED;
	}
	target->n = (size_t)n;
	return LOOK_LINK;
}

bool writer_place_find(struct writer_place *p, const char *path, struct err *e)
{
	AUTO(buf) struct buf rest = { 0 }, target = { 0 };
	*p = (struct writer_place){ .folder = -1 };
	buf_add(&rest, str_from(path));
	for (int links = 0; links < MAX_LINKS; links++) {
		if (!enter_folder(p, buf_c_string(&rest)))
			return fail(path, e);
		if (is_proc(p->folder)) {
			p->kind = PLACE_DIRECT;
			return fstatat(p->folder, p->name, &p->status, 0) == 0 || fail(path, e);
		}
		enum look look = look_at_name(p, path, &target, e);
		if (look != LOOK_LINK)
			return look == LOOK_DONE && check_owner(p, path, e);
		rest.n = 0;
		buf_add(&rest, buf_str(&target));
	}
	errno = ELOOP;
	return fail(path, e);
}

bool writer_place_find_new(struct writer_place *p, const char *path, struct err *e)
{
	*p = (struct writer_place){ .folder = -1 };
	return enter_folder(p, path) || fail(path, e);
}

void writer_place_fini(struct writer_place *p)
{
	if (p->folder >= 0)
		close(p->folder);
	free(p->name);
	*p = (struct writer_place){ .folder = -1 };
}

/* --- files --- */

/* Tries names that nobody else has. NULL: errno. */
static char *new_name(bool (*make)(const struct writer_place *, const char *, int *),
		      const struct writer_place *p, int *fd)
{
	enum { TRIES = 100 };
	for (unsigned i = 0; i < TRIES; i++) {
		char name[64];
		snprintf(name, sizeof(name), ".plume-%d-%u", (int)getpid(), i);
		if (make(p, name, fd))
			return mem_strdup(name);
		if (errno != EEXIST)
			return NULL;
	}
	return NULL;
}

static bool make_file(const struct writer_place *p, const char *name, int *fd)
{
	*fd = openat(p->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	return *fd >= 0;
}

static bool make_link(const struct writer_place *p, const char *name, int *fd)
{
	char source[64];
	snprintf(source, sizeof(source), "/proc/self/fd/%d", *fd);
	return linkat(AT_FDCWD, source, p->folder, name, AT_SYMLINK_FOLLOW) == 0;
}

int writer_place_temporary(const struct writer_place *p, char **name)
{
	int fd = -1;
	*name = NULL;
	/* It gets its name by way of /proc, which a bare chroot does not have. */
	if (access("/proc/self/fd", X_OK) == 0)
		fd = openat(p->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	if (fd < 0)
		*name = new_name(make_file, p, &fd);
	return fd;
}

char *writer_place_name_temporary(const struct writer_place *p, int fd)
{
	return new_name(make_link, p, &fd);
}

/* Of the same user, and known by this name only: a hard link in /tmp may be to any of the user's files. */
static int open_own(const struct writer_place *p)
{
	struct stat status;
	int fd = openat(p->folder, p->name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && is_ours(&status) &&
	    status.st_nlink == 1 && ftruncate(fd, 0) == 0)
		return fd;
	close(fd);
	errno = EEXIST; /* it was changed just now */
	return -1;
}

int writer_place_open_live(const struct writer_place *p)
{
	int fd = -1;
	if (p->kind == PLACE_DIRECT)
		return writer_place_open_direct(p);
	if (p->kind == PLACE_FILE && p->status.st_nlink == 1)
		return open_own(p);
	if (p->kind != PLACE_FREE && unlinkat(p->folder, p->name, 0) < 0)
		return -1;
	make_file(p, p->name, &fd);
	return fd;
}

int writer_place_open_direct(const struct writer_place *p)
{
	int no_links = is_proc(p->folder) ? 0 : O_NOFOLLOW;
	return openat(p->folder, p->name, O_WRONLY | O_NOCTTY | O_CLOEXEC | no_links);
}
