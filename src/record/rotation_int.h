/* Names of files that are made one after the other. */
#pragma once
#include "record/rotation.h"

/* The last millisecond that a name can tell: of the year 9999. */
#define ROTATION_LAST_MS 253402300799999ull

/* STEM-2026-11-15T210500.250Z.plume; time_ms: since 1970, at most ROTATION_LAST_MS. */
void rotation_name_add(struct buf *name, struct str stem, uint64_t time_ms);
/* False: another's file. */
bool rotation_name_read(struct str name, struct str stem, uint64_t *time_ms);
