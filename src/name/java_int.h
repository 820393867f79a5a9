/* Names as the Java virtual machine writes them. */
#pragma once
#include "base/base.h"

/*
 * Appends `com.foo.Bar.baz` for `Lcom/foo/Bar;::baz` (perf-map-agent) and `com.foo.Bar.baz(int)` for
 * `Lcom/foo/Bar;::baz(I)V` or `Lcom/foo/Bar;baz(I)V` (perf's JVMTI agent). False: it is no such name.
 */
bool java_name_add(struct str name, struct buf *out);
