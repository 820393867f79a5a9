#include "base/text_file.h"

#include <fcntl.h>
#include <unistd.h>

enum { STEP_BYTES = 4096, MAX_SETTING_BYTES = 4096 };

/* Files of /proc have no size, and end where read(2) says so. */
static bool read_all(int fd, size_t limit, struct buf *text)
{
	ssize_t n = 1;
	while (n > 0 && text->n < limit) {
		size_t room = limit - text->n < STEP_BYTES ? limit - text->n : STEP_BYTES;
		n = read(fd, buf_reserve(text, room), room);
		text->n += n > 0 ? (size_t)n : 0;
	}
	return n >= 0 || text->n;
}

bool text_file_read(const char *path, size_t limit, struct buf *text)
{
	text->n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool ok = fd >= 0 && read_all(fd, limit, text);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool text_file_setting(const char *path, struct buf *text)
{
	if (!text_file_read(path, MAX_SETTING_BYTES, text))
		return false;
	struct str trimmed = str_trim(buf_str(text));
	memmove(text->p, trimmed.p, trimmed.n);
	text->n = trimmed.n;
	return true;
}

int64_t text_file_number(const char *path, int64_t otherwise)
{
	AUTO(buf) struct buf text = { 0 };
	int32_t value;
	bool ok = text_file_setting(path, &text) && str_to_i32(buf_str(&text), &value);
	return ok ? value : otherwise;
}
