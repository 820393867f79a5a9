/*
 * A folder with one file per period, bounded in number, age and bytes, even if plume is killed, the clock steps, the
 * disk is full, or others put files there. Only regular files that match the stem and pattern are ever removed.
 */
#pragma once
#include "base/base.h"

#include <time.h>

struct rotation_options {
	const char *folder; /* created if missing, with its parents */
	/* Files are STEM-2026-11-15T210500.250Z.plume: names sort by creation time. */
	const char *stem;
	uint64_t every_ns, keep_ns;
	uint64_t max_bytes; /* of all files; 0 for no limit other than age and number */
	/* Called for CLOCK_REALTIME and CLOCK_BOOTTIME. NULL for the machine's clocks. */
	uint64_t (*now_ns)(clockid_t clock);
};
struct rotation;
/* o and its strings belong to the caller and must outlive the rotation. Returns NULL and sets e on failure. */
struct rotation *rotation_new(const struct rotation_options *o, struct err *e);
void rotation_free(struct rotation *r);
/*
 * The path for a period that begins now; no such file exists. If the clock went back, its time is that of the last
 * path plus a millisecond, so names still sort by creation. Valid until the next call.
 */
const char *rotation_next(struct rotation *r);
/*
 * Removes the oldest files until age, number (keep / every, plus one) and bytes are within limits,
 * and empty files left by a killed plume. Never removes the file being written, the last result of
 * rotation_next, which counts even before it exists. Clock steps while this runs do not age files.
 */
void rotation_prune(struct rotation *r);
/* Removes the oldest files if writing `bytes` more would exceed the limit. */
void rotation_expect(struct rotation *r, uint64_t bytes);
/* For a full disk: removes the oldest file that is not being written. Returns false if there is none. */
bool rotation_make_room(struct rotation *r);
uint64_t rotation_removed(const struct rotation *r); /* files, so far */
