#include "base/writer_place_int.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER_BYTES = 1 << 20 };

struct writer {
	char *name; /* for messages */
	bool is_stdout;
	struct writer_place place;
	bool is_placed_at_end; /* it is written under another name, or none */
	char *temporary;       /* that name, in the place's folder */
	int fd;
	struct buf *memory; /* instead of fd; NULL: a file */
	int error;	    /* errno of the first failed write */
	uint64_t written;
	bool is_patient;
	struct buf buffer;
	z_stream *gzip; /* NULL: bytes are written as they are */
};

/* How many of them were written. */
static size_t write_out(struct writer *w, struct str s)
{
	size_t done = 0;
	if (w->memory) {
		buf_add(w->memory, s);
		done = s.n;
	}
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

static bool explain(const struct writer *w, struct err *e)
{
	int error = errno;
	err_set(e, "%s: cannot write: %s", w->name, strerror(error));
	errno = error;
	return false;
}

/*
 * A file that is made whole and put in place at the end. One that is replaced keeps its mode, unless it is
 * another user's, who could have left it there with a mode that lets others read it.
 */
static bool open_file(struct writer *w)
{
	const struct writer_place *p = &w->place;
	if (p->kind != PLACE_FREE && faccessat(p->folder, p->name, W_OK, AT_EACCESS) < 0)
		return false;
	w->fd = writer_place_temporary(p, &w->temporary);
	w->is_placed_at_end = w->fd >= 0;
	return w->fd >= 0 &&
	       (p->kind != PLACE_FILE || fchmod(w->fd, p->status.st_mode & 0777) == 0);
}

static bool open_output(struct writer *w, const char *path, struct err *e)
{
	w->is_stdout = strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
	w->name = mem_strdup(w->is_stdout ? "standard output" : path);
	if (w->is_stdout) {
		w->fd = dup(STDOUT_FILENO);
		return w->fd >= 0 || explain(w, e);
	}
	if (!writer_place_find(&w->place, path, e))
		return false;
	if (w->place.kind != PLACE_DIRECT)
		return open_file(w) || explain(w, e);
	if (S_ISDIR(w->place.status.st_mode))
		return err_set(e, "%s: is a folder; name a file in it", path);
	w->fd = writer_place_open_direct(&w->place);
	return w->fd >= 0 || explain(w, e);
}

static struct writer *writer_alloc(const char *name)
{
	struct writer *w = mem_zalloc(1, sizeof(*w));
	w->fd = w->place.folder = -1;
	w->name = name ? mem_strdup(name) : NULL;
	return w;
}

/* With errno as it was. */
static struct writer *begin_or_free(struct writer *w, bool is_open)
{
	int error = errno;
	if (is_open) {
		buf_reserve(&w->buffer, BUFFER_BYTES);
		return w;
	}
	writer_free(w);
	errno = error;
	return NULL;
}

struct writer *writer_open(const char *path, struct err *e)
{
	struct writer *w = writer_alloc(NULL);
	return begin_or_free(w, open_output(w, path, e));
}

struct writer *writer_open_new(const char *path, struct err *e)
{
	struct writer *w = writer_alloc(path);
	bool is_open = writer_place_find_new(&w->place, path, e) &&
		       ((open_file(w) && fchmod(w->fd, 0600) == 0) || explain(w, e));
	return begin_or_free(w, is_open);
}

struct writer *writer_open_live(const char *path, struct err *e)
{
	struct writer *w = writer_alloc(path);
	bool is_open = writer_place_find(&w->place, path, e);
	if (is_open) {
		w->fd = writer_place_open_live(&w->place);
		is_open = w->fd >= 0 || explain(w, e);
	}
	return begin_or_free(w, is_open);
}

struct writer *writer_to_memory(struct buf *to)
{
	struct writer *w = writer_alloc("memory");
	w->memory = to;
	buf_reserve(&w->buffer, BUFFER_BYTES / 16);
	return w;
}

bool writer_can_open(const char *path, struct err *e)
{
	struct writer_place p;
	bool is_found = writer_place_find(&p, path, e);
	bool is_direct = is_found && p.kind == PLACE_DIRECT && !S_ISDIR(p.status.st_mode);
	writer_place_fini(&p);
	if (!is_found || is_direct)
		return is_found;
	struct writer *w = writer_open(path, e);
	writer_free(w);
	return w;
}

static bool place_file(struct writer *w)
{
	if (!w->temporary)
		w->temporary = writer_place_name_temporary(&w->place, w->fd);
	if (!w->temporary ||
	    renameat(w->place.folder, w->temporary, w->place.folder, w->place.name) < 0)
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
	if (!error && w->is_placed_at_end && !place_file(w))
		error = errno;
	if (w->fd >= 0 && close(w->fd) < 0 && !error)
		error = errno;
	w->fd = -1;
	if (error == EPIPE) {
		err_fill(e, w->is_stdout ? ERR_OUTPUT_CLOSED : ERR_FAILED,
			 "%s: the reader closed the pipe after %llu bytes", w->name,
			 (unsigned long long)w->written);
		return false;
	}
	if (error)
		return err_set(e, "%s: %s after %llu bytes%s", w->name, strerror(error),
			       (unsigned long long)w->written,
			       w->is_placed_at_end ? "; no file was written" : "");
	return true;
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	if (w->temporary)
		unlinkat(w->place.folder, w->temporary, 0);
	if (w->gzip)
		deflateEnd(w->gzip);
	free(w->gzip);
	buf_fini(&w->buffer);
	free(w->temporary);
	writer_place_fini(&w->place);
	free(w->name);
	free(w);
}
