#include "view/hot_functions.h"

void hot_functions_fini(struct hot_functions *h)
{
	vec_fini(&h->list);
	index_map_fini(&h->map);
	vec_fini(&h->of_frame);
}

static void begin(struct hot_functions *h, const struct profile *p, event_id event)
{
	h->list.n = h->of_frame.n = h->rows = 0;
	h->total = h->idle = 0;
	index_map_clear(&h->map);
	h->profile = p;
	h->event = event;
}

/* Samples of different events cannot be added up. Prefers an event that samples time. */
static event_id event_to_count(const struct profile *p)
{
	for (event_id i = 0; i < p->events.n; i++)
		if (event_samples_time(profile_str(p, p->events.p[i].name)))
			return i;
	return 0;
}

/* --- functions --- */

static bool is_function(const void *array, uint32_t index, const void *key)
{
	const struct hot_function *f = (const struct hot_function *)array + index, *wanted = key;
	return f->name == wanted->name && f->module == wanted->module;
}

/* Frames of a function differ by line; here they are merged. */
static uint32_t function_of(struct hot_functions *h, uint32_t row, frame_id frame)
{
	const struct profile *p = h->profile;
	while (h->of_frame.n <= frame)
		vec_push(&h->of_frame, INDEX_NONE);
	if (h->of_frame.p[frame] != INDEX_NONE)
		return h->of_frame.p[frame];
	struct hot_function f = { p->frames.p[frame].name, p->frames.p[frame].module, 0, false };
	uint32_t hash = hash_pair(f.name, f.module);
	uint32_t i = index_map_find(&h->map, hash, is_function, h->list.p, &f);
	if (i == INDEX_NONE) {
		f.is_idle = row_is_idle(p, row);
		i = h->list.n;
		index_map_add(&h->map, hash, i);
		vec_push(&h->list, f);
	}
	h->of_frame.p[frame] = i;
	return i;
}

static void count_row(struct hot_functions *h, uint32_t row)
{
	const struct samples *s = &h->profile->samples;
	if (s->event[row] != h->event)
		return;
	if (s->node[row] == NODE_ROOT) { /* no stack, but still time */
		h->total += s->count[row];
		return;
	}
	uint32_t i = function_of(h, row, h->profile->nodes.p[s->node[row]].frame);
	struct hot_function *f = &h->list.p[i];
	f->self += s->count[row];
	*(f->is_idle ? &h->idle : &h->total) += s->count[row];
}

void hot_functions_update(struct hot_functions *h, const struct profile *p)
{
	event_id event = event_to_count(p);
	/* Rows shared by equal samples can change without our noticing. */
	bool has_row_each = p->columns & (COLUMN_TIME | COLUMN_CPU | COLUMN_ORDER);
	if (p != h->profile || event != h->event || p->samples.n < h->rows || !has_row_each)
		begin(h, p, event);
	for (; h->rows < p->samples.n; h->rows++)
		count_row(h, h->rows);
}

uint32_t hot_functions_top(const struct hot_functions *h, uint32_t *top, uint32_t n)
{
	uint32_t found = 0;
	for (uint32_t i = 0; n && i < h->list.n; i++) {
		const struct hot_function *list = h->list.p;
		if (list[i].is_idle || (found == n && list[i].self <= list[top[n - 1]].self))
			continue;
		uint32_t at = found < n ? found++ : n - 1;
		for (; at && list[top[at - 1]].self < list[i].self; at--)
			top[at] = top[at - 1];
		top[at] = i;
	}
	return found;
}
