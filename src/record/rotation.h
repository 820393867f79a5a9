/*
 * A folder with one file per period, bounded in number, age and bytes, whatever happens: plume is killed,
 * the clock steps, the disk is full, others put files there. Only files named by the same stem and
 * pattern are ever removed.
 */
#pragma once
#include "base/base.h"

struct rotation_options {
	const char *folder; /* made when it is not there */
	const char *
		stem; /* files are STEM-2026-11-15T210500Z.plume; of equal ones -1, -2 ... behind */
	uint64_t every_ns, keep_ns;
	uint64_t max_bytes; /* of all files; 0: no bound but age and number */
};
struct rotation;
struct rotation *rotation_new(const struct rotation_options *o, struct err *e);
void rotation_free(struct rotation *r);
/*
 * The path of a period that begins now (CLOCK_REALTIME; steps of the clock do no harm: names stay unique
 * and sort in the order they were made). Good until the next call.
 */
const char *rotation_next(struct rotation *r);
/*
 * Removes the oldest files until age, number (keep / every, and one) and bytes are in bounds. The file
 * that is being written is never removed.
 */
void rotation_prune(struct rotation *r);
/* The disk is full: gives up the oldest file that is not being written. False: there is none. */
bool rotation_make_room(struct rotation *r);
uint64_t rotation_removed(const struct rotation *r); /* files, so far */
