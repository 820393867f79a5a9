/*
 * A folder with one file per period, bounded in number, age and bytes, whatever happens: plume is killed,
 * the clock steps, the disk is full, others put files there. Only plain files named by the same stem and
 * pattern are ever removed.
 */
#pragma once
#include "base/base.h"

#include <time.h>

struct rotation_options {
	const char *folder; /* made when it is not there, with those above it */
	/* Files are STEM-2026-11-15T210500.250Z.plume: names sort by when they were made. */
	const char *stem;
	uint64_t every_ns, keep_ns;
	uint64_t max_bytes; /* of all files; 0: no bound but age and number */
	/* NULL: the machine's. Asked for CLOCK_REALTIME and CLOCK_BOOTTIME. */
	uint64_t (*now_ns)(clockid_t clock);
};
struct rotation;
/* o and its texts are the caller's and stay. NULL: e. */
struct rotation *rotation_new(const struct rotation_options *o, struct err *e);
void rotation_free(struct rotation *r);
/*
 * The path of a period that begins now. No file has it. Where the clock went back, it is that of the last
 * one and a millisecond, so that names still sort in the order they were made. Good until the next call.
 */
const char *rotation_next(struct rotation *r);
/*
 * Removes the oldest files until age, number (keep / every, and one) and bytes are in bounds, and empty
 * ones that a killed plume left. The file that is being written, the last of rotation_next, is never
 * removed, and counts before it is made. Steps of the clock while this runs make no file older.
 */
void rotation_prune(struct rotation *r);
/* So many bytes are about to be written: the oldest files go if that would be too much. */
void rotation_expect(struct rotation *r, uint64_t bytes);
/* The disk is full: gives up the oldest file that is not being written. False: there is none. */
bool rotation_make_room(struct rotation *r);
uint64_t rotation_removed(const struct rotation *r); /* files, so far */
