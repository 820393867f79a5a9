/* What doctor reports about this machine and about processes, in words. */
#pragma once
#include "record/record.h"
#include "sink/sink.h"
#include "v8/v8.h"

/* What hides the kernel's symbols; empty if they have names. */
struct kernel_name_trouble {
	struct buf why, fix;
};

/* walker: what recorder_tries_walker said; without a text it can be loaded. */
void doctor_tell_machine(const struct permission *p, const struct kernel_name_trouble *names,
			 const struct err *walker, struct doctor_report *r);
/* Whether a process's JavaScript can be named from outside, without flags. */
struct javascript_facts {
	bool is_readable;
	uint32_t major, minor; /* of its V8 */
	struct err e;	       /* why not; empty if it is not Node.js */
};
void javascript_facts_read(const struct process_facts *f, struct javascript_facts *js);

void doctor_tell_process(const struct process_facts *f, const struct javascript_facts *js,
			 const struct permission *p, struct doctor_report *r);

/* The part of doctor_tell_process about JIT compilers and interpreters. */
void doctor_tell_runtime(const struct process_facts *f, const struct javascript_facts *js,
			 struct doctor_report *r);

/* --- helpers for findings --- */

/* `834 kB` */
void doctor_add_bytes(struct buf *out, uint64_t n);

/* Copies text and empties it. */
void doctor_add_fact(struct doctor_report *r, const char *key, struct buf *text);
/* A finding whose texts need no numbers; why and fix may be NULL. */
void doctor_add_finding(struct doctor_report *r, enum finding_mark mark, const char *key,
			const char *what, const char *why, const char *fix);
