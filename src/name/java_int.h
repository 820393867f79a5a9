/* Function names as written by the Java virtual machine. */
#pragma once
#include "base/base.h"

/*
 * Appends `com.foo.Bar.baz` for `Lcom/foo/Bar;::baz` (perf-map-agent) and `com.foo.Bar.baz(int)` for
 * `Lcom/foo/Bar;::baz(I)V` or `Lcom/foo/Bar;baz(I)V` (perf's JVMTI agent). Returns false for other names.
 */
bool java_name_add(struct str name, struct buf *out);
