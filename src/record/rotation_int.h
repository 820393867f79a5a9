/* Names of rotated files. */
#pragma once
#include "record/rotation.h"

/* The last millisecond that a name can express, in the year 9999. */
#define ROTATION_LAST_MS 253402300799999ull

/* STEM-2026-11-15T210500.250Z.plume; time_ms is since 1970, at most ROTATION_LAST_MS. */
void rotation_name_add(struct buf *name, struct str stem, uint64_t time_ms);
/* Returns false if the file is not one of ours. */
bool rotation_name_read(struct str name, struct str stem, uint64_t *time_ms);
