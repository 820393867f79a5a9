/* Untrusted text as XML text: never markup, always well-formed. */
#pragma once
#include "base/base.h"

/*
 * & < > " become entities. Whatever XML cannot hold (control characters, broken UTF-8) and
 * bidirectional control characters become U+FFFD. The result reads the same in HTML.
 */
void xml_add(struct buf *out, struct str s);
