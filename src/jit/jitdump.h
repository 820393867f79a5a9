/*
 * jitdump: the file JIT compilers write for `perf inject`, with each function's code, name,
 * address, time and lines (tools/perf/Documentation/jitdump-specification.txt in Linux). plume
 * reads it directly; it makes no ELF files and does not keep the code.
 */
#pragma once
#include "base/base.h"

/* Longer names of functions and files are cut. */
enum { JITDUMP_MAX_NAME_BYTES = 8 << 10 };

struct jitdump;

/*
 * Returns NULL and sets e on failure. If the file is damaged later on, or exceeds the budget, keeps what came before;
 * jitdump_damage reports it. The budget holds the memory that is kept and must outlive it; it may be NULL.
 */
struct jitdump *jitdump_read(struct reader *r, struct budget *budget, struct err *e);
void jitdump_free(struct jitdump *j);
/* True for `jit-PID.dump`, and for `jit-TID-PID-XXXXXX` as written by JavaScriptCore (Bun). */
bool jitdump_has_name(struct str path);
/* What ended the reading early, or NULL. */
const char *jitdump_damage(const struct jitdump *j);
/*
 * The code that was at address at that time (ns of the file's clock, CLOCK_MONOTONIC), or at the
 * end if UINT64_MAX. INDEX_NONE if there was none. A file that uses another clock (the machine's
 * own counter) always answers as at the end.
 */
uint32_t jitdump_find(const struct jitdump *j, uint64_t address, uint64_t time_ns);
struct str jitdump_name(const struct jitdump *j, uint32_t code);
uint64_t jitdump_start(const struct jitdump *j, uint32_t code);
/* The source line of an address in it. Returns false if not known. */
bool jitdump_line(const struct jitdump *j, uint32_t code, uint64_t address, struct str *file,
		  uint32_t *line);
/*
 * Unwind information for the code: .eh_frame, as if it were in memory after the code, at the next
 * multiple of 8 (the layout of `perf inject`).
 */
struct jitdump_unwinding {
	uint32_t id; /* code may share one; less than jitdump_unwinding_count */
	struct str eh_frame;
	uint64_t address;	    /* of eh_frame */
	uint64_t start, size_bytes; /* of the code it was written for */
	uint64_t bias;		    /* from there to where this code is */
};
/* Returns false if the file has none. */
bool jitdump_unwinding(const struct jitdump *j, uint32_t code, struct jitdump_unwinding *out);
uint32_t jitdump_unwinding_count(const struct jitdump *j);
/* The process that wrote it, by its own view of its pid. */
int32_t jitdump_pid(const struct jitdump *j);
/* The number of functions in it; find returns indices below. */
uint32_t jitdump_count(const struct jitdump *j);
