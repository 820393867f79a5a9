/*
 * jitdump: what JIT compilers write for `perf inject`: code with its name, address, time and lines
 * (tools/perf/Documentation/jitdump-specification.txt of Linux). Read directly; no ELF files are made
 * and the code itself is not kept.
 */
#pragma once
#include "base/base.h"

/* Longer names of functions and files are cut. */
enum { JITDUMP_MAX_NAME_BYTES = 8 << 10 };

struct jitdump;

/*
 * NULL: e. A file that is damaged later on, or for which the budget is not enough, gives what was before;
 * jitdump_damage says so. The budget holds what is kept and must outlive it; it may be NULL.
 */
struct jitdump *jitdump_read(struct reader *r, struct budget *budget, struct err *e);
void jitdump_free(struct jitdump *j);
/* `jit-PID.dump`, and `jit-TID-PID-XXXXXX` as JavaScriptCore (Bun) names them. */
bool jitdump_has_name(struct str path);
/* What ended the reading early, or NULL. */
const char *jitdump_damage(const struct jitdump *j);
/*
 * The piece of code that held address at that time (ns of the clock that the file uses, CLOCK_MONOTONIC),
 * or with UINT64_MAX at the end. INDEX_NONE: none did. A file with times of another clock (the machine's
 * own counter) answers as at the end.
 */
uint32_t jitdump_find(const struct jitdump *j, uint64_t address, uint64_t time_ns);
struct str jitdump_name(const struct jitdump *j, uint32_t code);
uint64_t jitdump_start(const struct jitdump *j, uint32_t code);
/* Source line of an address inside it. False: not known. */
bool jitdump_line(const struct jitdump *j, uint32_t code, uint64_t address, struct str *file,
		  uint32_t *line);
/*
 * How a piece of code saves registers: .eh_frame, as if it were in memory behind the code, at the next multiple of 8
 * (as `perf inject` lays it out).
 */
struct jitdump_unwinding {
	uint32_t id; /* several pieces may share one; below jitdump_unwinding_count */
	struct str eh_frame;
	uint64_t address;	    /* of eh_frame */
	uint64_t start, size_bytes; /* of the code that it was written for */
	uint64_t bias;		    /* from there to where this piece of code is */
};
/* False: the file does not say. */
bool jitdump_unwinding(const struct jitdump *j, uint32_t code, struct jitdump_unwinding *out);
uint32_t jitdump_unwinding_count(const struct jitdump *j);
/* The process that wrote it, as it saw its own pid. */
int32_t jitdump_pid(const struct jitdump *j);
/* How many pieces of code it has; find gives numbers below. */
uint32_t jitdump_count(const struct jitdump *j);
