/* Functions in compiled code: read once per code object and cached while it stays the same. */
#include "v8/inlined.h"

static void clear(struct inlined_code *in)
{
	vec_fini(&in->nodes);
	vec_fini(&in->spans);
	*in = (struct inlined_code){ 0 };
}

void inlined_forget(struct v8_process *p)
{
	for (uint32_t i = 0; i < KNOWN_INLINED; i++)
		clear(&p->inlined[i]);
	free(p->inlined);
}

/* Parents come first, and there are not too many: else nothing is inlined. */
static void read_nodes(struct v8_process *p, const struct deopt_data *d, inlined_vec *nodes)
{
	vec_push(nodes, (struct inlined){ 0, -1, -1, V8_NONE });
	if (!d->inlined_count || d->inlined_count >= MAX_NODES)
		return;
	AUTO_FREE struct inlined_at *list = mem_alloc(d->inlined_count, sizeof(*list));
	if (!deopt_inlined(p, d, list))
		return;
	for (uint32_t i = 0; i < d->inlined_count; i++) {
		uint32_t parent = v8_inlining_of(list[i].position);
		if (parent > i) {
			nodes->n = 1;
			return;
		}
		vec_push(nodes, (struct inlined){ parent, list[i].literal,
						  v8_offset_of(list[i].position), LOOP_UNKNOWN });
	}
}

static void read_code(struct v8_process *p, const struct code *code, struct inlined_code *in)
{
	struct deopt_data d;
	struct flow flow = { 0 };
	AUTO(buf) struct buf bytes = { 0 };
	uint64_t failures = v8_failures(&p->heap);
	in->code = *code;
	if (!deopt_data_read(p, code, &d))
		return;
	read_nodes(p, &d, &in->nodes);
	d.inlined_count = in->nodes.n - 1;
	/* Maglev does not list what it inlined: only its exits tell. */
	if (d.inlined_count || v8_code_tier(p, code) == TIER_MAGLEV)
		in->is_flow_known =
			flow_read(p, code, &d, &flow, &bytes, &in->nodes) && flow_follow(&flow, in);
	flow_fini(&flow);
	in->is_whole = v8_failures(&p->heap) == failures;
}

const struct inlined_code *inlined_get(struct v8_process *p, const struct code *code)
{
	enum { MAX_TRIES = 3 }; /* what could not be read just now may be there the next time */
	struct inlined_code *in = &p->inlined[v8_slot(code->start, KNOWN_INLINED)];
	bool is_same = v8_code_equal(&in->code, code);
	if (!is_same || (!in->is_whole && in->failures < MAX_TRIES)) {
		uint32_t failures = is_same ? in->failures : 0;
		clear(in);
		read_code(p, code, in);
		in->failures = failures + !in->is_whole;
	}
	return in->nodes.n > 1 || in->is_flow_known ? in : NULL;
}

bool inlined_find(const struct inlined_code *in, int64_t at, struct spot *spot)
{
	uint32_t low = 0, high = in->spans.n;
	if (!in->is_flow_known)
		return false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if ((int64_t)in->spans.p[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	*spot = in->spans.p[low - 1].spot;
	return true;
}
