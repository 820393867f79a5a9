/* Declared by glibc only. Part of every file of the engine, so that its calls have the right types. */
#pragma once
#include <stddef.h>

void qsort_r(void *array, size_t n, size_t size,
	     int (*compare)(const void *a, const void *b, void *context), void *context);
