#pragma once
#include "sink/doctor.h"
#include "sink/report_int.h"

/* doctor_constants.c: adds nothing if there are none. */
void doctor_add_constants(struct buf *out, const struct doctor_report *r,
			  const struct report_style *s);
