/* Weights written as text, possibly with decimals. */
#pragma once
#include "model/model.h"

enum { SOURCE_MAX_DECIMALS = 6 };

struct source_count {
	uint64_t value; /* in units of 10^-decimals */
	uint64_t whole; /* the integer part */
	unsigned decimals;
	bool is_rounded, is_too_large;
};

/* `12` or `12.5` or `12.`; trailing zeros of the fraction are ignored. */
bool source_count_parse(struct str s, struct source_count *c);
/*
 * The value in the unit of the event's weights, which gains decimals if needed. The ledger counts what was rounded.
 */
uint64_t source_count_scaled(struct profile *p, event_id event, struct source_count c);
