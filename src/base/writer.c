#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER_BYTES = 1 << 20 };

struct writer {
	char *name;	 /* for messages */
	char *path;	 /* where a file ends up; NULL when written directly */
	char *temporary; /* its name until then; NULL while it has none */
	int fd;
	int error; /* errno of the first failed write */
	uint64_t written;
	bool is_patient;
	struct buf buffer;
	z_stream *gzip; /* NULL: bytes are written as they are */
};

/* How many of them were written. */
static size_t write_out(struct writer *w, struct str s)
{
	size_t done = 0;
	while (done < s.n && !w->error) {
		ssize_t n = write(w->fd, s.p + done, s.n - done);
		if (n < 0 && errno != EINTR)
			w->error = errno;
		if (n > 0)
			done += (size_t)n;
	}
	w->written += done;
	return done;
}

static void write_gzip(struct writer *w, struct str s, bool is_last)
{
	char out[64 << 10];
	do {
		/* avail_in is 32 bits. */
		struct str part = str_first(s, 1 << 30);
		s = str_from_byte(s, part.n);
		w->gzip->next_in = (Bytef *)part.p;
		w->gzip->avail_in = (uInt)part.n;
		do {
			w->gzip->next_out = (Bytef *)out;
			w->gzip->avail_out = sizeof(out);
			deflate(w->gzip, is_last && !s.n ? Z_FINISH : Z_NO_FLUSH);
			write_out(w, (struct str){ out, sizeof(out) - w->gzip->avail_out });
		} while (w->gzip->avail_out == 0);
	} while (s.n);
}

static size_t put(struct writer *w, struct str s)
{
	if (!w->gzip)
		return write_out(w, s);
	write_gzip(w, s, false);
	return s.n;
}

static void write_buffer(struct writer *w)
{
	size_t done = put(w, buf_str(&w->buffer));
	size_t left = w->is_patient ? w->buffer.n - done : 0;
	if (left)
		memmove(w->buffer.p, w->buffer.p + done, left);
	w->buffer.n = left;
}

void writer_flush(struct writer *w)
{
	if (!w->is_patient)
		write_buffer(w);
}

void writer_set_patient(struct writer *w)
{
	w->is_patient = true;
}

bool writer_write_waiting(struct writer *w)
{
	w->error = 0;
	write_buffer(w);
	return !w->error;
}

size_t writer_waiting_bytes(const struct writer *w)
{
	return w->buffer.n;
}

void writer_write_at(struct writer *w, uint64_t offset, struct str s)
{
	while (s.n && !w->error) {
		ssize_t n = pwrite(w->fd, s.p, s.n, (off_t)offset);
		if (n < 0 && errno != EINTR)
			w->error = errno;
		if (n > 0) {
			offset += (uint64_t)n;
			s = str_from_byte(s, (size_t)n);
		}
	}
}

void writer_set_gzip(struct writer *w)
{
	enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8 };
	w->gzip = mem_zalloc(1, sizeof(*w->gzip));
	if (deflateInit2(w->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) == Z_OK)
		return;
	w->error = ENOMEM;
	free(w->gzip);
	w->gzip = NULL;
}

void writer_add(struct writer *w, struct str s)
{
	if (s.n > w->buffer.capacity - w->buffer.n && !w->is_patient) {
		writer_flush(w);
		if (s.n >= w->buffer.capacity) {
			put(w, s);
			return;
		}
	}
	buf_add(&w->buffer, s);
}

bool writer_is_healthy(const struct writer *w)
{
	return w->error == 0;
}

int writer_error(const struct writer *w)
{
	return w->error;
}

static char *folder_of(const char *path)
{
	struct str whole = str_from(path);
	ptrdiff_t slash = str_find_last_char(whole, '/');
	struct buf folder = { 0 };
	if (slash < 0)
		buf_add(&folder, STR("."));
	else
		buf_add(&folder, str_first(whole, slash ? (size_t)slash : 1));
	buf_c_string(&folder);
	return folder.p;
}

/*
 * A file without a name where the file system can do that, so that not even kill -9 leaves a trace.
 */
static bool open_temporary(struct writer *w)
{
	AUTO_FREE char *folder = folder_of(w->path);
	/* It gets its name by way of /proc, which a bare chroot does not have. */
	if (access("/proc/self/fd", X_OK) == 0)
		w->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	if (w->fd >= 0)
		return true;
	AUTO(buf) struct buf name = { 0 };
	buf_addf(&name, "%s/.plume-XXXXXX", folder);
	w->temporary = mem_strdup(buf_c_string(&name));
	w->fd = mkostemp(w->temporary, O_CLOEXEC);
	if (w->fd < 0) {
		free(w->temporary);
		w->temporary = NULL;
		return false;
	}
	mode_t mask = umask(0);
	umask(mask);
	return fchmod(w->fd, 0666 & ~mask) == 0;
}

/* A file that is made whole and put in place at the end; one that is replaced keeps its mode. */
static bool open_file(struct writer *w, const char *path, const struct stat *old)
{
	w->path = old ? realpath(path, NULL) : mem_strdup(path);
	if (!w->path || (old && access(path, W_OK) < 0))
		return false;
	return open_temporary(w) && (!old || fchmod(w->fd, old->st_mode & 07777) == 0);
}

static bool is_dangling_link(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && stat(path, &status) < 0;
}

static bool open_output(struct writer *w, const char *path, struct err *e)
{
	struct stat status;
	bool is_stdout = strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
	bool exists = stat(path, &status) == 0;
	bool is_descriptor = str_starts(str_from(path), STR("/dev/fd/")) ||
			     str_starts(str_from(path), STR("/proc/"));
	w->name = mem_strdup(is_stdout ? "standard output" : path);
	if (is_stdout)
		w->fd = dup(STDOUT_FILENO);
	else if (exists && S_ISDIR(status.st_mode))
		return err_set(e, "%s: is a folder; name a file in it", path);
	else if (is_dangling_link(path))
		w->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	else if (exists && (!S_ISREG(status.st_mode) || is_descriptor))
		w->fd = open(path, O_WRONLY | O_CLOEXEC);
	else if (!open_file(w, path, exists ? &status : NULL))
		return err_set(e, "%s: cannot write: %s", path, strerror(errno));
	return w->fd >= 0 || err_set(e, "%s: cannot write: %s", w->name, strerror(errno));
}

struct writer *writer_open(const char *path, struct err *e)
{
	struct writer *w = mem_zalloc(1, sizeof(*w));
	w->fd = -1;
	if (!open_output(w, path, e)) {
		writer_free(w);
		return NULL;
	}
	buf_reserve(&w->buffer, BUFFER_BYTES);
	return w;
}

struct writer *writer_open_live(const char *path, struct err *e)
{
	struct writer *w = mem_zalloc(1, sizeof(*w));
	w->name = mem_strdup(path);
	w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (w->fd < 0) {
		int error = errno;
		err_set(e, "%s: cannot write: %s", path, strerror(error));
		writer_free(w);
		errno = error;
		return NULL;
	}
	buf_reserve(&w->buffer, BUFFER_BYTES);
	return w;
}

/* Gives a nameless file a temporary name: link(2) cannot replace a file, rename(2) can. */
static bool name_file(struct writer *w)
{
	AUTO(buf) struct buf name = { 0 };
	char source[64];
	AUTO_FREE char *folder = folder_of(w->path);
	snprintf(source, sizeof(source), "/proc/self/fd/%d", w->fd);
	for (unsigned attempt = 0; attempt < 100; attempt++) {
		name.n = 0;
		buf_addf(&name, "%s/.plume-%d-%u", folder, (int)getpid(), attempt);
		if (linkat(AT_FDCWD, source, AT_FDCWD, buf_c_string(&name), AT_SYMLINK_FOLLOW) ==
		    0) {
			w->temporary = mem_strdup(name.p);
			return true;
		}
		if (errno != EEXIST)
			return false;
	}
	return false;
}

static bool place_file(struct writer *w)
{
	if (!w->temporary && !name_file(w))
		return false;
	if (rename(w->temporary, w->path) < 0)
		return false;
	free(w->temporary);
	w->temporary = NULL;
	return true;
}

bool writer_commit(struct writer *w, struct err *e)
{
	write_buffer(w);
	if (w->gzip)
		write_gzip(w, STR(""), true);
	int error = w->error;
	if (!error && w->path && !place_file(w))
		error = errno;
	if (!error && close(w->fd) < 0)
		error = errno;
	else if (error)
		close(w->fd);
	w->fd = -1;
	if (error == EPIPE)
		return err_set(e, "%s: its reader closed the pipe after %llu bytes", w->name,
			       (unsigned long long)w->written);
	if (error)
		return err_set(e, "%s: %s after %llu bytes%s", w->name, strerror(error),
			       (unsigned long long)w->written,
			       w->path ? "; no file was written" : "");
	return true;
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	if (w->temporary)
		unlink(w->temporary);
	if (w->gzip)
		deflateEnd(w->gzip);
	free(w->gzip);
	buf_fini(&w->buffer);
	free(w->temporary);
	free(w->path);
	free(w->name);
	free(w);
}
