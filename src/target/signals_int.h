/* More of /proc/PID/status than process_int.h has: what decides whether a JVM may be asked. */
#pragma once
#include "target/process_int.h"

/* What /proc/PID/status says. */
struct signal_status {
	uint32_t uid, gid; /* effective, as seen here */
	uint32_t threads;
	char state; /* R, S, D, T, t, Z, X */
	uint64_t caught_signals;
};
bool signal_status_read(int32_t pid, struct signal_status *s);
