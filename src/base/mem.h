/* Heap memory. Running out of it ends the program in one place, so callers never handle NULL. */
#pragma once
#include <stddef.h>

/* Like malloc, calloc and realloc with an overflow check on n * size; never return NULL. */
void *mem_alloc(size_t n, size_t size);
void *mem_zalloc(size_t n, size_t size);
void *mem_realloc(void *p, size_t n, size_t size);
char *mem_strdup(const char *s);

/* For the cleanup attribute: `AUTO_FREE char *path = ...;` frees path when it leaves scope. */
void mem_free_pointer(void *pointer_to_pointer);
#define AUTO_FREE __attribute__((cleanup(mem_free_pointer)))
/* `AUTO(buf) struct buf b = {0};` calls buf_fini(&b) when b leaves scope. */
#define AUTO(type) __attribute__((cleanup(type##_fini)))
