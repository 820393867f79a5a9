/* Text from anywhere as text in XML and JSON: never markup, never ill-formed. */
#pragma once
#include "base/base.h"

/*
 * & < > " become entities; what XML cannot hold (control characters, broken UTF-8) and what turns
 * the direction of text around becomes U+FFFD.
 * In HTML it reads the same.
 */
void xml_add(struct buf *out, struct str s);
/*
 * A JSON string with its quotes that needs no escaping in XML: & < > are written as \u0026 and so
 * on.
 */
void xml_add_json_string(struct buf *out, struct str s);
