/* Explains a refusal, given the facts about the machine. */
#pragma once
#include "record/permission.h"

void permission_explain_by(const struct permission *p, const struct open_attempt *a, struct err *e);
