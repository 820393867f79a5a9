/* A walk by tables that ended early goes on by the kernel's chain of frame pointers. */
#include "perf/perf_int.h"
#include "tap.h"

enum { MAX = 64 };

static struct unwound_stack walk;
static struct stack_address chain[MAX];

/* Addresses are single letters: the leaf first. */
static uint32_t set(const char *walked, const char *chained)
{
	walk.n = (uint32_t)strlen(walked);
	for (uint32_t i = 0; i < walk.n; i++)
		walk.addresses[i] = (uint64_t)walked[i];
	uint32_t n = (uint32_t)strlen(chained);
	for (uint32_t i = 0; i < n; i++)
		chain[i] = (struct stack_address){ (uint64_t)chained[i], PART_USER, i > 0 };
	return n;
}

static void expect(const char *walked, const char *chained, const char *joined, const char *name)
{
	uint32_t n = set(walked, chained), last = 0, from = 0;
	char text[2 * MAX + 1] = "";
	size_t at = 0;
	if (perf_stack_meet(&walk, chain, n, &last, &from)) {
		for (uint32_t i = 0; i <= last; i++)
			text[at++] = (char)walk.addresses[i];
		for (uint32_t i = from; i < n; i++)
			text[at++] = (char)chain[i].ip;
	}
	text[at] = 0;
	tap_str_eq(str_from(text), str_from(joined), "%s", name);
}

int main(void)
{
	expect("lcba", "lbaxyz", "lcbaxyz", "a caller that the chain skipped stays");
	expect("lab", "labxyz", "labxyz", "the chain goes on where the copy ended");
	expect("lab", "lpq", "", "a chain that went astray at once has nothing to add");
	expect("lab", "lab", "", "a chain that ends there, too");
	expect("lab?", "labxyz", "labxyz", "a last address that is no caller is dropped");
	expect("lrrr", "lrrrrrrm", "lrrrrrrm", "a function that calls itself keeps its depth");
	expect("lfrrr", "lrrrrm", "lfrrrrm", "... also behind a caller that the chain skipped");
	expect("lrsrs", "lrsrsrsm", "lrsrsrsm", "two that call each other");
	expect("l?", "labc", "labc", "a walk that came to nothing behind the leaf");
	expect("", "labc", "", "a walk that found nothing");
	expect("lab", "", "", "no chain");
	return tap_done();
}
