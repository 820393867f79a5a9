/* A .plume file that is still being written. */
#include "source/source_int.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct followed {
	char *path;
	int fd;
	struct profile *p;
	struct store_reader *reader;
	struct buf bytes; /* read, not yet done with */
	uint64_t offset;  /* of them in the file */
	bool needs_lines;
};

struct followed *source_follow(const char *path, unsigned columns, bool needs_lines, struct err *e)
{
	struct followed *f = mem_zalloc(1, sizeof(*f));
	f->path = mem_strdup(path);
	f->needs_lines = needs_lines;
	f->p = profile_new(columns);
	f->reader = store_reader_new(f->p, needs_lines);
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (f->fd >= 0)
		return f;
	err_set(e, "%s: %s", path, strerror(errno));
	followed_free(f);
	return NULL;
}

void followed_free(struct followed *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	store_reader_free(f->reader);
	profile_unref(f->p);
	buf_fini(&f->bytes);
	free(f->path);
	free(f);
}

struct profile *followed_profile(const struct followed *f)
{
	return f->p;
}

/* Appends what the file has gained, up to a piece; false when that is nothing. */
static bool read_more(struct followed *f)
{
	enum { PIECE = 1 << 20 };
	ssize_t n = read(f->fd, buf_reserve(&f->bytes, PIECE), PIECE);
	if (n <= 0)
		return false;
	f->bytes.n += (size_t)n;
	return true;
}

bool followed_poll(struct followed *f, struct err *e)
{
	while (store_reader_state(f->reader) == STORE_OPEN && read_more(f)) {
		size_t done = store_reader_feed(f->reader, buf_str(&f->bytes), f->offset);
		memmove(f->bytes.p, f->bytes.p + done, f->bytes.n - done);
		f->bytes.n -= done;
		f->offset += done;
	}
	if (store_reader_state(f->reader) == STORE_BROKEN)
		return err_set(e, "%s: cannot follow the recording: %s, at byte %llu", f->path,
			       store_reader_fault(f->reader),
			       (unsigned long long)store_reader_fault_offset(f->reader));
	if (f->needs_lines && store_reader_lacks_lines(f->reader))
		return err_set(
			e, "%s: an older plume is writing it and stores only one line per function",
			f->path);
	return store_reader_state(f->reader) == STORE_OPEN;
}
