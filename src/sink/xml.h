/* Text from anywhere as text in XML: never markup, never ill-formed. */
#pragma once
#include "base/base.h"

/*
 * & < > " become entities; what XML cannot hold (control characters, broken UTF-8) and what turns
 * the direction of text around becomes U+FFFD.
 * In HTML it reads the same.
 */
void xml_add(struct buf *out, struct str s);
