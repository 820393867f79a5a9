/* Names of functions of scripts, for formats that have fields for the rest of what V8 puts into them. */
#pragma once
#include "model/model.h"

/*
 * `render` for `JS:*render /app/page.js:12:5`, `(anonymous)` for a function without a name; every other name as
 * it is. The frame's file says where the name ends.
 */
struct str js_plain_name(const struct profile *p, const struct frame *f);
