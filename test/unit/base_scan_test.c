/*
 * Searching against naive versions. The texts touch pages that cannot be accessed, behind their end
 * or before their start, so that a byte read outside ends the test with SIGSEGV.
 */
#include "base/base.h"
#include "random.h"
#include "tap.h"

#include <sys/mman.h>
#include <unistd.h>

enum { LONGEST = 200, ROUNDS = 20000 };

/* One accessible page between two that are not. */
static char *guarded_page(size_t page_bytes)
{
	char *p = mmap(NULL, 3 * page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || mprotect(p + page_bytes, page_bytes, PROT_READ | PROT_WRITE) < 0)
		return NULL;
	return p + page_bytes;
}

static const char *naive_blank_line(const char *p, const char *end)
{
	for (; end - p >= 2; p++)
		if (p[0] == '\n' && p[1] == '\n')
			return p;
	return NULL;
}

static size_t naive_head(const char *a, const char *b, size_t limit)
{
	size_t n = 0;
	while (n < limit && a[n] == b[n])
		n++;
	return n;
}

static size_t naive_tail(const char *a_end, const char *b_end, size_t limit)
{
	size_t n = 0;
	while (n < limit && *(a_end - n - 1) == *(b_end - n - 1))
		n++;
	return n;
}

/*
 * A blank line at each place of each length, with a newline behind the end that must not be seen.
 */
static void check_blank_line_everywhere(char *start, const char *page_end)
{
	bool ok = true, ok_inside = true;
	for (size_t n = 0; n <= LONGEST; n++) {
		char *text = (char *)page_end - n;
		for (size_t at = 0; at + 1 < n; at++) {
			memset(text, 'x', n);
			text[at] = text[at + 1] = '\n';
			ok &= scan_blank_line(text, page_end) == text + at;
		}
		memset(text, 'x', n);
		ok &= scan_blank_line(text, page_end) == NULL;
		memset(start, 'x', n + 2);
		start[n] = start[n + 1] = '\n';
		ok_inside &= scan_blank_line(start, start + n) == NULL;
		ok_inside &= scan_blank_line(start, start + n + 1) == NULL;
		ok_inside &= scan_blank_line(start, start + n + 2) == start + n;
	}
	tap_ok(ok, "a blank line is found at each place of each length");
	tap_ok(ok_inside, "a blank line that reaches over the end is none");
}

static void check_blank_line_random(const char *page_end)
{
	bool ok = true;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		size_t n = random_below(LONGEST + 1);
		uint32_t rarity = 2 + random_below(60);
		char *text = (char *)page_end - n;
		for (size_t i = 0; i < n; i++)
			text[i] = random_below(rarity) ? (char)random_below(256) : '\n';
		ok &= scan_blank_line(text, page_end) == naive_blank_line(text, page_end);
	}
	tap_ok(ok, "blank lines in random bytes at the end of a page");
}

/* Two equal texts with one difference, at each place of each length, at the given two ends. */
static bool heads_agree(char *a, char *b, size_t n)
{
	memset(a, 'x', n);
	memset(b, 'x', n);
	bool ok = scan_common_head(a, b, n) == n;
	for (size_t at = 0; at < n; at++) {
		b[at] = (char)0xf8; /* 'x' with the high bit */
		ok &= scan_common_head(a, b, n) == at;
		ok &= scan_common_head(b, a, n) == at;
		b[at] = 'x';
	}
	return ok;
}

static bool tails_agree(char *a, char *b, size_t n)
{
	memset(a, 'x', n);
	memset(b, 'x', n);
	bool ok = scan_common_tail(a + n, b + n, n) == n;
	for (size_t at = 0; at < n; at++) {
		b[at] = (char)0xf8;
		ok &= scan_common_tail(a + n, b + n, n) == n - 1 - at;
		ok &= scan_common_tail(b + n, a + n, n) == n - 1 - at;
		b[at] = 'x';
	}
	return ok;
}

static void check_common_everywhere(char *first, char *second, size_t page_bytes)
{
	bool head_end = true, head_start = true, tail_end = true, tail_start = true;
	for (size_t n = 0; n <= LONGEST; n++) {
		char *a = first + page_bytes - n, *b = second + page_bytes - n;
		head_end &= heads_agree(a, b, n);
		tail_end &= tails_agree(a, b, n);
		head_start &= heads_agree(first, second + n % 17, n);
		tail_start &= tails_agree(first, second, n);
	}
	tap_ok(head_end, "common head up to the end of a page");
	tap_ok(head_start, "common head at different alignments");
	tap_ok(tail_start, "common tail down to the start of a page");
	tap_ok(tail_end, "common tail at the end of a page");
}

/* The limit holds even when the texts go on being equal. */
static void check_limit(char *first, char *second)
{
	bool ok = true;
	memset(first, 'y', 2 * LONGEST);
	memset(second, 'y', 2 * LONGEST);
	for (size_t limit = 0; limit <= LONGEST; limit++) {
		ok &= scan_common_head(first, second, limit) == limit;
		ok &= scan_common_tail(first + 2 * LONGEST, second + 2 * LONGEST, limit) == limit;
	}
	tap_ok(ok, "no more bytes are shared than the limit");
}

static void check_common_random(char *first, char *second, size_t page_bytes)
{
	bool head = true, tail = true;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		size_t n = random_below(LONGEST + 1);
		char *a = first + page_bytes - n, *b = second + page_bytes - n;
		for (size_t i = 0; i < n; i++)
			a[i] = first[i] = (char)random_below(256);
		memcpy(b, a, n);
		memcpy(second, first, n);
		for (uint32_t changes = random_below(4); n && changes; changes--) {
			b[random_below((uint32_t)n)] ^= (char)(1 << random_below(8));
			second[random_below((uint32_t)n)] ^= (char)(1 << random_below(8));
		}
		head &= scan_common_head(a, b, n) == naive_head(a, b, n);
		tail &= scan_common_tail(first + n, second + n, n) ==
			naive_tail(first + n, second + n, n);
	}
	tap_ok(head, "common head of random bytes");
	tap_ok(tail, "common tail of random bytes");
}

int main(void)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *first = guarded_page(page_bytes), *second = guarded_page(page_bytes);
	tap_ok(first && second, "pages between inaccessible ones");
	if (!first || !second)
		return tap_done();
	check_blank_line_everywhere(first, first + page_bytes);
	check_blank_line_random(first + page_bytes);
	check_common_everywhere(first, second, page_bytes);
	check_limit(first, second);
	check_common_random(first, second, page_bytes);
	return tap_done();
}
