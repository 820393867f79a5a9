/* What a profile format writes, as text. */
#pragma once
#include "sink/profile_format.h"
#include "tap.h"

#include <stdlib.h>
#include <unistd.h>

/* Into out, and what it had to say into notes. */
static inline void write_as(const struct profile_format *format, const struct profile *p,
			    struct buf *out, struct buf *notes)
{
	char path[] = "/tmp/plume-written-XXXXXX";
	struct err e = { 0 };
	int fd = mkstemp(path);
	struct writer *w = fd < 0 ? NULL : writer_open(path, &e);
	if (!w) {
		tap_ok(false, "%s can be written: %s", path, e.text);
		return;
	}
	format->write(p, &(struct profile_format_options){ 0 }, w, notes);
	tap_ok(writer_commit(w, &e), "%s is written: %s", format->name, e.text);
	writer_free(w);
	struct reader *r = reader_open(path, &e);
	if (r && reader_fill_all(r, (size_t)1 << 30))
		buf_add(out, reader_window(r));
	reader_free(r);
	unlink(path);
	close(fd);
}

static inline bool holds(const struct buf *text, const char *part)
{
	return str_find(buf_str(text), str_from(part)) >= 0;
}
