/* How long a sample lasts, for formats that have times and no weights. */
#pragma once
#include "model/model.h"

/* Rows of one event: `rows` are indices, in order of time where the profile has times. */
struct event_rows {
	const struct profile *p;
	event_id event;
	const uint32_t *rows;
	uint32_t n;
};

/* True when the periods of the event are ns: by its unit, or a clock of perf. */
bool sample_lasts_period(const struct event_rows *r);
/*
 * The usual length: the middle one of the periods, where they are ns, else of the times from a sample
 * of a thread to the next. 0: there is none.
 */
uint64_t sample_usual_ns(const struct event_rows *r);
/* What each sample of an event stands for, ns; 0: they differ, or it is not known. */
double sample_each_ns(const struct profile *p, event_id event);
