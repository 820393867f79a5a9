/* Code of an exited process. It can no longer be searched, but most of it was seen before. */
#include "v8/v8_int.h"

/* What was not seen for so many stacks may have been freed since, and other code be there. */
enum { RECENT_LOOKS = 4096 };

static int by_start(const void *a, const void *b)
{
	const struct code *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

void v8_process_end(struct v8_process *p)
{
	if (p->has_ended)
		return;
	p->has_ended = true;
	for (uint32_t i = 0; i < KNOWN_PCS; i++)
		if (p->pcs[i].pc && p->pcs[i].look + RECENT_LOOKS > p->looks)
			vec_push(&p->last_code, p->pcs[i].code);
	if (p->last_code.n)
		qsort(p->last_code.p, p->last_code.n, sizeof(*p->last_code.p), by_start);
}

bool v8_code_of_ended(const struct v8_process *p, uint64_t pc, struct code *code)
{
	uint32_t low = 0, high = p->last_code.n; /* the first that begins behind pc */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (p->last_code.p[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || pc - p->last_code.p[low - 1].start > p->last_code.p[low - 1].size_bytes)
		return false;
	*code = p->last_code.p[low - 1];
	return true;
}
