#include "record/kernel_text_int.h"

#include <fcntl.h>
#include <unistd.h>

enum { MAX_TEXT_BYTES = 4096 };

bool kernel_text_read(const char *path, struct buf *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	text->n = 0;
	if (fd < 0)
		return false;
	ssize_t n = read(fd, buf_reserve(text, MAX_TEXT_BYTES), MAX_TEXT_BYTES);
	close(fd);
	if (n < 0)
		return false;
	struct str trimmed = str_trim((struct str){ text->p, (size_t)n });
	memmove(text->p, trimmed.p, trimmed.n);
	text->n = trimmed.n;
	return true;
}

int64_t kernel_number_read(const char *path, int64_t otherwise)
{
	AUTO(buf) struct buf text = { 0 };
	int32_t value;
	if (!kernel_text_read(path, &text) || !str_to_i32(buf_str(&text), &value))
		return otherwise;
	return value;
}
