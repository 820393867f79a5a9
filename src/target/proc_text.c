/* What /proc says of a process (man 5 proc). */
#include "target/proc_int.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool proc_text_read(int32_t pid, const char *name, size_t most_bytes, struct buf *text)
{
	enum { STEP = 4096 };
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	int fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return false;
	ssize_t n;
	while (text->n < most_bytes && (n = read(fd, buf_reserve(text, STEP), STEP)) > 0)
		text->n += (size_t)n;
	close(fd);
	return true;
}

struct str proc_text_field(struct str status, struct str key)
{
	while (status.n) {
		ptrdiff_t end = str_find_char(status, '\n');
		struct str line = str_first(status, end < 0 ? status.n : (size_t)end);
		if (str_starts(line, key) && line.n > key.n && line.p[key.n] == ':')
			return str_trim(str_from_byte(line, key.n + 1));
		status = str_from_byte(status, line.n + 1);
	}
	return STR("");
}

struct str proc_text_word(struct str line, unsigned number)
{
	for (;; number--) {
		size_t n = 0;
		line = str_trim(line);
		while (n < line.n && !is_space(line.p[n]))
			n++;
		if (!number || !line.n)
			return str_first(line, n);
		line = str_from_byte(line, n);
	}
}

static uint64_t number_of(struct str text)
{
	uint64_t value = 0;
	return str_to_u64(text, &value) ? value : 0;
}

static uint64_t mask_of(struct str text)
{
	char digits[32];
	snprintf(digits, sizeof(digits), "%.*s", STR_ARG(text));
	return strtoull(digits, NULL, 16);
}

bool proc_status_read(int32_t pid, struct proc_status *s)
{
	enum { MOST_BYTES = 64 << 10, EFFECTIVE = 1 };
	AUTO(buf) struct buf text = { 0 };
	if (!proc_text_read(pid, "status", MOST_BYTES, &text))
		return false;
	struct str status = buf_str(&text);
	struct str state = proc_text_field(status, STR("State"));
	*s = (struct proc_status){
		.uid = (uint32_t)number_of(
			proc_text_word(proc_text_field(status, STR("Uid")), EFFECTIVE)),
		.gid = (uint32_t)number_of(
			proc_text_word(proc_text_field(status, STR("Gid")), EFFECTIVE)),
		.threads = (uint32_t)number_of(proc_text_field(status, STR("Threads"))),
		.state = state.n ? state.p[0] : 'X',
		.caught_signals = mask_of(proc_text_field(status, STR("SigCgt"))),
	};
	return state.n > 0;
}
