/* Text of /proc, which the kernel makes when it is read. */
#pragma once
#include "base/base.h"

/* /proc/PID/NAME, at most so many bytes. False: there is no such process, or it may not be seen. */
bool proc_text_read(int32_t pid, const char *name, size_t most_bytes, struct buf *text);
/* What stands behind `Key:` in status; empty: no such line. */
struct str proc_text_field(struct str status, struct str key);
/* The word of that number in a line, from 0; empty: there are fewer. */
struct str proc_text_word(struct str line, unsigned number);

/* What /proc/PID/status says. */
struct proc_status {
	uint32_t uid, gid; /* effective, as seen here */
	uint32_t threads;
	char state; /* R, S, D, T, t, Z, X */
	uint64_t caught_signals;
};
bool proc_status_read(int32_t pid, struct proc_status *s);
