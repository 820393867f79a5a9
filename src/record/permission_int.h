/* What to say when something is not allowed, given what is known of the machine. */
#pragma once
#include "record/permission.h"

void permission_explain_by(const struct permission *p, const struct open_attempt *a, struct err *e);
