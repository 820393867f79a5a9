/* Names of script functions, for formats that have fields for the other parts of V8's names. */
#pragma once
#include "model/model.h"

/*
 * `render` for `JS:*render /app/page.js:12:5`, `(anonymous)` for a function without a name; all
 * other names are unchanged. The frame's file tells where the name ends.
 */
struct str js_plain_name(const struct profile *p, const struct frame *f);
