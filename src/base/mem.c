#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void out_of_memory(size_t n, size_t size)
{
	/* No stdio: it may allocate. */
	static const char text[] = "plume: out of memory\n";
	ssize_t ignored = write(STDERR_FILENO, text, sizeof(text) - 1);
	(void)ignored;
	(void)n;
	(void)size;
	abort();
}

static size_t checked_product(size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes))
		out_of_memory(n, size);
	return bytes ? bytes : 1;
}

void *mem_alloc(size_t n, size_t size)
{
	void *p = malloc(checked_product(n, size));
	if (!p)
		out_of_memory(n, size);
	return p;
}

void *mem_zalloc(size_t n, size_t size)
{
	void *p = calloc(1, checked_product(n, size));
	if (!p)
		out_of_memory(n, size);
	return p;
}

void *mem_realloc(void *old, size_t n, size_t size)
{
	void *p = realloc(old, checked_product(n, size));
	if (!p)
		out_of_memory(n, size);
	return p;
}

char *mem_strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	return memcpy(mem_alloc(n, 1), s, n);
}

void mem_free_pointer(void *pointer_to_pointer)
{
	free(*(void **)pointer_to_pointer);
}
