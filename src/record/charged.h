/* CPU time that the kernel charged to what is recorded, beside what the samples stand for. */
#pragma once
#include "record/record_int.h"

struct charge;
struct charge_options {
	const struct record_options *options;
	const struct follow *follow;
	bool lacks_kernel;
};
/* What o points to stays. Of what nothing can be said for sure (-a, no clock among the events, -i), nothing is read. */
struct charge *charge_new(const struct charge_options *o);
void charge_free(struct charge *c);
/* From here on it counts. */
void charge_begin(struct charge *c, uint64_t now_ns);
/* Reads it, now and then; is_last: in any case. */
void charge_look(struct charge *c, uint64_t now_ns, bool is_last);

struct charge_sum {
	uint64_t charged_ns, sampled_ns;
	uint64_t error_ns;  /* so much may be missing by chance, or because times are rounded */
	bool is_user;	    /* without what the kernel did for it, which has no samples */
	uint64_t kernel_ns; /* if is_user: that; at least */
};
/* When a process began, as /proc has it: in ticks. False: it is gone. */
bool process_start_ticks(int32_t pid, uint64_t *ticks);
/* Which of the events is the clock; samples: of that one. */
uint32_t charge_event(const struct charge *c);
/* is_part: one of several files. False: not known. */
bool charge_sum(const struct charge *c, uint64_t samples, bool is_part, struct charge_sum *out);
