/* The duration of a sample, for formats that have times but no weights. */
#pragma once
#include "model/model.h"

/* The rows of one event: `rows` are indices, in time order if the profile has times. */
struct event_rows {
	const struct profile *p;
	event_id event;
	const uint32_t *rows;
	uint32_t n;
};

/* True if the event's periods are ns: by its unit, or because it is one of perf's clocks. */
bool sample_lasts_period(const struct event_rows *r);
/*
 * The usual duration: the median period if periods are ns, otherwise the median interval between
 * samples of a thread. 0 if there is none.
 */
uint64_t sample_usual_ns(const struct event_rows *r);
/* What each sample of an event stands for, ns; 0 if they differ or it is not known. */
double sample_each_ns(const struct profile *p, event_id event);
