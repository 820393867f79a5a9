/*
 * Replacements for libraries and files: regular expressions are the browser's, output
 * stays in memory, and nothing is compressed.
 */
#include "base/base.h"

#include <time.h>
#include <zstd.h>

/* --- regular expressions: imported from the page --- */

__attribute__((import_module("page"), import_name("regex_new"))) int page_regex_new(const char *p,
										    uint32_t n);
__attribute__((import_module("page"), import_name("regex_free"))) void page_regex_free(int id);
__attribute__((import_module("page"), import_name("regex_match"))) int page_regex_match(
	int id, const char *p, uint32_t n);

/* Why regex_new failed: writes at most `room` bytes, returns how many. */
__attribute__((import_module("page"), import_name("regex_reason"))) uint32_t page_regex_reason(
	char *to, uint32_t room);

struct regex {
	int id;
};

struct regex *regex_new(struct str pattern, struct err *e)
{
	int id = page_regex_new(pattern.p, (uint32_t)pattern.n);
	if (id < 0) {
		char why[200];
		int n = (int)page_regex_reason(why, sizeof(why));
		err_usage(e, "invalid regular expression '%.*s': %.*s", STR_ARG(pattern), n, why);
		return NULL;
	}
	struct regex *re = mem_alloc(1, sizeof(*re));
	re->id = id;
	return re;
}

void regex_free(struct regex *re)
{
	if (re)
		page_regex_free(re->id);
	free(re);
}

/* The page's worker is stopped when it takes too long. */
void regex_set_budget(struct regex *re, struct regex_budget *budget)
{
	(void)re, (void)budget;
}

enum regex_result regex_match(struct regex *re, struct str subject)
{
	return (enum regex_result)page_regex_match(re->id, subject.p, (uint32_t)subject.n);
}

/* --- output --- */

struct writer {
	struct buf *to;
};

struct writer *writer_to_memory(struct buf *to)
{
	struct writer *w = mem_alloc(1, sizeof(*w));
	w->to = to;
	return w;
}

void writer_free(struct writer *w)
{
	free(w);
}

void writer_add(struct writer *w, struct str s)
{
	buf_add(w->to, s);
}

void writer_flush(struct writer *w)
{
	(void)w;
}

/* Readers of these formats also accept them uncompressed. */
void writer_set_gzip(struct writer *w)
{
	(void)w;
}

bool writer_is_healthy(const struct writer *w)
{
	return w != NULL;
}

bool writer_commit(struct writer *w, struct err *e)
{
	(void)e;
	return w != NULL;
}

/* --- zstd: a .plume in a page is not compressed, the page as a whole is --- */

ZSTD_DCtx *ZSTD_createDCtx(void)
{
	return NULL;
}

size_t ZSTD_freeDCtx(ZSTD_DCtx *context)
{
	(void)context;
	return 0;
}

size_t ZSTD_decompressDCtx(ZSTD_DCtx *context, void *to, size_t room, const void *from, size_t n)
{
	(void)context, (void)to, (void)room, (void)from, (void)n;
	return (size_t)-1;
}

ZSTD_CCtx *ZSTD_createCCtx(void)
{
	return NULL;
}

size_t ZSTD_freeCCtx(ZSTD_CCtx *context)
{
	(void)context;
	return 0;
}

size_t ZSTD_compressBound(size_t n)
{
	return n;
}

size_t ZSTD_compressCCtx(ZSTD_CCtx *context, void *to, size_t room, const void *from, size_t n,
			 int level)
{
	(void)context, (void)to, (void)room, (void)from, (void)n, (void)level;
	return (size_t)-1;
}

unsigned ZSTD_isError(size_t code)
{
	return code == (size_t)-1;
}

const char *ZSTD_getErrorName(size_t code)
{
	(void)code;
	return "compressed data cannot be read in a page";
}

/* --- the time of day where the reader is; the C library here knows no time zones --- */

__attribute__((import_module("page"), import_name("utc_offset"))) double page_utc_offset(
	double unix_s);

struct tm *localtime_r(const time_t *restrict when, struct tm *restrict out)
{
	time_t local = *when + (time_t)page_utc_offset((double)*when);
	return gmtime_r(&local, out);
}

/* --- qsort_r, which this C library lacks: a heap sort, so that no order of the input is slow --- */

typedef int compare_function(const void *a, const void *b, void *context);

static void swap_bytes(char *a, char *b, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char c = a[i];
		a[i] = b[i];
		b[i] = c;
	}
}

static void sift_down(char *p, size_t at, size_t n, size_t size, compare_function *compare,
		      void *context)
{
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && compare(p + child * size, p + (child + 1) * size, context) < 0)
			child++;
		if (compare(p + at * size, p + child * size, context) >= 0)
			return;
		swap_bytes(p + at * size, p + child * size, size);
	}
}

void qsort_r(void *array, size_t n, size_t size, compare_function *compare, void *context)
{
	char *p = array;
	for (size_t i = n / 2; i-- > 0;)
		sift_down(p, i, n, size, compare, context);
	for (size_t last = n; last-- > 1;) {
		swap_bytes(p, p + last * size, size);
		sift_down(p, 0, last, size, compare, context);
	}
}
