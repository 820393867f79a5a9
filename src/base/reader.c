#include "base/reader_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RAW_BYTES = 256 << 10, FILL_BYTES = 1 << 20, HEAD_BYTES = 4 };

struct reader {
	char *name;
	int fd;
	bool is_at_end;
	uint64_t consumed; /* bytes dropped so far */
	struct str window;
	char damage[256];

	char *map; /* a mapped plain file, or NULL */
	size_t map_bytes;

	struct decoder *decoder;
	struct buf raw; /* read, not yet decoded; without a decoder unused */
	size_t raw_taken;
	struct buf text; /* the window of a stream lives in here */

	uint64_t limit; /* in bytes; 0: none */
	struct budget *budget;

	struct str memory; /* what is still to come of bytes in memory */
	size_t memory_step;
};

const char *reader_name(const struct reader *r)
{
	return r->name;
}

struct str reader_window(const struct reader *r)
{
	return r->window;
}

uint64_t reader_offset(const struct reader *r)
{
	return r->consumed;
}

bool reader_is_whole(const struct reader *r)
{
	return r->is_at_end;
}

const char *reader_compression(const struct reader *r)
{
	return r->decoder ? decoder_name(r->decoder) : NULL;
}

uint64_t reader_changed_unix_ns(const struct reader *r)
{
	struct stat status;
	if (r->fd < 0 || fstat(r->fd, &status) != 0 || !S_ISREG(status.st_mode))
		return 0;
	return (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
}

void reader_consume(struct reader *r, size_t n)
{
	if (n > r->window.n)
		n = r->window.n;
	r->window = str_from_byte(r->window, n);
	r->consumed += n;
}

void reader_let_go(struct reader *r, const char *until)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	if (!r->map || until < r->map || until > r->map + r->map_bytes)
		return;
	madvise(r->map, (size_t)(until - r->map) & ~(page - 1), MADV_DONTNEED);
}

static void set_damage(struct reader *r, const char *what, const char *why)
{
	if (!r->damage[0])
		snprintf(r->damage, sizeof(r->damage), "%s: %s", what, why);
	r->is_at_end = true;
}

const char *reader_damage(struct reader *r)
{
	struct stat status;
	bool is_shorter =
		r->map && fstat(r->fd, &status) == 0 && (uint64_t)status.st_size < r->map_bytes;
	if (is_shorter || (r->map && map_guard_was_cut(r->map)))
		set_damage(r, "the file", "was truncated while plume was reading it");
	return r->damage[0] ? r->damage : NULL;
}

void reader_spend(struct reader *r, struct budget *b)
{
	r->budget = b;
}

uid_t reader_owner(const struct reader *r)
{
	struct stat status;
	return r->fd >= 0 && fstat(r->fd, &status) == 0 ? status.st_uid : (uid_t)-1;
}

uint64_t reader_file_bytes(const struct reader *r)
{
	struct stat status;
	bool is_file = r->fd >= 0 && fstat(r->fd, &status) == 0 && S_ISREG(status.st_mode);
	return is_file && status.st_size > 0 ? (uint64_t)status.st_size : 0;
}

static bool spend(struct reader *r, size_t bytes)
{
	if (budget_work(r->budget, bytes))
		return true;
	set_damage(r, "the file", "exceeds plume's size limit for such files");
	return false;
}

static bool read_memory(struct reader *r, struct buf *into)
{
	struct str next = str_first(r->memory, r->memory_step);
	if (!next.n || !spend(r, next.n))
		return false;
	buf_add(into, next);
	r->memory = str_from_byte(r->memory, next.n);
	return true;
}

/* Appends what one read(2) gives; false at the end or on an error. */
static bool read_some(struct reader *r, struct buf *into, size_t room)
{
	if (r->memory_step)
		return read_memory(r, into);
	char *p = buf_reserve(into, room);
	ssize_t n;
	do
		n = read(r->fd, p, room);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		set_damage(r, "read error", strerror(errno));
	if (n <= 0 || !spend(r, (size_t)n))
		return false;
	into->n += (size_t)n;
	return true;
}

/* Compressed bytes for the decoder; false when there are no more. */
static bool refill_raw(struct reader *r)
{
	if (r->raw_taken < r->raw.n)
		return true;
	r->raw.n = r->raw_taken = 0;
	return read_some(r, &r->raw, RAW_BYTES);
}

static bool fill_decoded(struct reader *r)
{
	size_t before = r->text.n;
	while (r->text.n == before) {
		const char *why = "";
		if (!refill_raw(r)) {
			if (!decoder_at_boundary(r->decoder))
				set_damage(r, decoder_name(r->decoder),
					   "the compressed data ends early");
			return false;
		}
		struct str in = str_from_byte(buf_str(&r->raw), r->raw_taken);
		struct str rest = in;
		enum decode_state state =
			decoder_run(r->decoder, &rest, &r->text, FILL_BYTES, &why);
		r->raw_taken += in.n - rest.n;
		if (!spend(r, r->text.n - before))
			return r->text.n > before;
		if (state == DECODE_BROKEN) {
			set_damage(r, decoder_name(r->decoder), why);
			return r->text.n > before;
		}
	}
	return true;
}

/* Moves what is left of the window to the front of the buffer. */
static void compact(struct reader *r)
{
	if (r->window.n && r->window.p != r->text.p)
		memmove(r->text.p, r->window.p, r->window.n);
	r->text.n = r->window.n;
}

bool reader_fill(struct reader *r)
{
	if (r->is_at_end)
		return false;
	if (r->limit && r->consumed + r->window.n > r->limit) {
		set_damage(r, "the file", "exceeds plume's size limit for such files");
		return false;
	}
	compact(r);
	bool has_more = r->decoder ? fill_decoded(r) : read_some(r, &r->text, FILL_BYTES);
	if (!has_more)
		r->is_at_end = true;
	r->window = buf_str(&r->text);
	return has_more;
}

/* Goes on behind the window, and `n` bytes more, where the input is a file. */
static bool seek_over(struct reader *r, uint64_t n)
{
	struct stat status;
	if (r->decoder || r->memory_step || r->is_at_end || fstat(r->fd, &status) != 0 ||
	    !S_ISREG(status.st_mode))
		return false;
	off_t at = lseek(r->fd, 0, SEEK_CUR);
	if (at < 0 || n > (uint64_t)status.st_size || (uint64_t)at > (uint64_t)status.st_size - n ||
	    lseek(r->fd, (off_t)n, SEEK_CUR) < 0)
		return false;
	r->consumed += n;
	return true;
}

bool reader_skip(struct reader *r, uint64_t n)
{
	while (n) {
		size_t part = n < r->window.n ? (size_t)n : r->window.n;
		reader_consume(r, part);
		n -= part;
		if (n && seek_over(r, n))
			return true;
		if (n && !reader_fill(r))
			return false;
	}
	return true;
}

void reader_limit(struct reader *r, uint64_t bytes)
{
	r->limit = bytes;
}

bool reader_wait(struct reader *r, int milliseconds)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	if (r->is_at_end || r->memory_step || r->raw_taken < r->raw.n)
		return true;
	return poll(&p, 1, milliseconds) != 0;
}

bool reader_fill_all(struct reader *r, size_t limit)
{
	while (r->window.n <= limit && reader_fill(r))
		;
	return r->window.n <= limit;
}

/* True when the file could be mapped; a file that cannot be is read as a stream. */
static bool map_file(struct reader *r, const struct stat *status)
{
	if (!S_ISREG(status->st_mode) || status->st_size <= 0 || lseek(r->fd, 0, SEEK_CUR) != 0)
		return false;
	void *map = mmap(NULL, (size_t)status->st_size, PROT_READ, MAP_PRIVATE, r->fd, 0);
	if (map == MAP_FAILED)
		return false;
	if (!map_guard_add(map, (size_t)status->st_size)) {
		munmap(map, (size_t)status->st_size);
		return false;
	}
	madvise(map, (size_t)status->st_size, MADV_SEQUENTIAL);
	r->map = map;
	r->map_bytes = (size_t)status->st_size;
	r->window = (struct str){ map, r->map_bytes };
	r->is_at_end = true;
	return true;
}

static void unmap(struct reader *r)
{
	if (!r->map)
		return;
	map_guard_remove(r->map);
	munmap(r->map, r->map_bytes);
	r->map = NULL;
}

/* How a stream is compressed is known only once its first bytes are here. */
static void begin_stream(struct reader *r)
{
	while (r->text.n < HEAD_BYTES && read_some(r, &r->text, FILL_BYTES))
		;
	r->decoder = decoder_for(buf_str(&r->text));
	if (r->decoder) {
		buf_add(&r->raw, buf_str(&r->text));
		r->text.n = 0;
	}
	r->window = buf_str(&r->text);
}

static bool open_fd(struct reader *r, const char *path, struct err *e)
{
	struct stat status;
	bool is_stdin = strcmp(path, "-") == 0;
	r->name = mem_strdup(is_stdin ? "standard input" : path);
	r->fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	if (r->fd < 0 || fstat(r->fd, &status) < 0)
		return err_set(e, "%s: %s", r->name, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return err_set(e, "%s: is a folder, not a profile", r->name);
	char head[HEAD_BYTES];
	off_t start = S_ISREG(status.st_mode) ? lseek(r->fd, 0, SEEK_CUR)
					      : -1; /* stdin may be further on */
	ssize_t n = start >= 0 ? pread(r->fd, head, sizeof(head), start) : 0;
	if (n < 0)
		return err_set(e, "%s: %s", r->name, strerror(errno));
	r->decoder = decoder_for((struct str){ head, (size_t)n });
	if (!r->decoder && !map_file(r, &status))
		begin_stream(r);
	return true;
}

struct reader *reader_open(const char *path, struct err *e)
{
	struct reader *r = mem_zalloc(1, sizeof(*r));
	r->fd = -1;
	if (open_fd(r, path, e))
		return r;
	reader_free(r);
	return NULL;
}

struct reader *reader_of_fd(int fd, const char *name)
{
	struct reader *r = mem_zalloc(1, sizeof(*r));
	r->fd = fd;
	r->name = mem_strdup(name);
	begin_stream(r);
	return r;
}

struct reader *reader_of_memory(struct str bytes, size_t step)
{
	struct reader *r = mem_zalloc(1, sizeof(*r));
	r->fd = -1;
	r->name = mem_strdup("memory");
	r->memory_step = step;
	if (step) {
		r->memory = bytes;
	} else {
		r->window = bytes;
		r->is_at_end = true;
	}
	return r;
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	unmap(r);
	if (r->fd >= 0)
		close(r->fd);
	decoder_free(r->decoder);
	buf_fini(&r->raw);
	buf_fini(&r->text);
	free(r->name);
	free(r);
}
