/*
 * Frames that a recorder found out itself while the sample was fresh: functions of code that was made at run
 * time, which nothing tells later. They are merged into the stack by their addresses.
 */
#include "perf/perf_int.h"

/* The same address may be there many times: the frame pointer tells them apart, where both know it. */
static bool is_at(const struct stack_address *a, const struct perf_found_frame *f)
{
	return a->part == PART_USER && a->ip == f->ip &&
	       (!a->frame_pointer || !f->frame_pointer || a->frame_pointer == f->frame_pointer);
}

static uint32_t find_frame(const struct stack *st, uint32_t from, const struct perf_found_frame *f)
{
	for (uint32_t i = from; i < st->list.n; i++)
		if (is_at(&st->list.p[i], f))
			return i;
	return UINT32_MAX;
}

static bool is_jit(const struct perf_session *s, const struct perf_process *process,
		   const struct stack_address *a)
{
	const struct address_space *space = &s->processes.spaces.p[process->space];
	const struct mapping_row *row = address_space_find(space, a->ip - a->is_call);
	return !row || s->mapped.list.p[row->mapped].kind == MAPPED_JIT;
}

static void insert(struct stack *st, uint32_t at, struct stack_address a)
{
	vec_push(&st->list, a);
	memmove(st->list.p + at + 1, st->list.p + at, (st->list.n - 1 - at) * sizeof(a));
	st->list.p[at] = a;
}

/*
 * One that frame pointers skip: a walk by tables may have it, then it is the first address in between that
 * is of such code; else it is put there. Returns what comes behind it.
 */
static uint32_t put_missing(struct perf_session *s, const struct perf_process *process,
			    const struct perf_found_frame *f, uint32_t at, uint32_t until)
{
	struct stack *st = &s->stack;
	for (uint32_t i = at; i < until; i++)
		if (st->list.p[i].ip == f->ip || is_jit(s, process, &st->list.p[i])) {
			st->list.p[i].found = f->code + 1;
			return i + 1;
		}
	insert(st, at,
	       (struct stack_address){
		       .ip = f->ip, .part = PART_USER, .is_call = true, .found = f->code + 1 });
	return at + 1;
}

void perf_session_put_found(struct perf_session *s, struct perf_process *process,
			    const struct perf_found *found)
{
	const struct perf_found_frame *frames = found ? found->frames : NULL;
	struct stack *st = &s->stack;
	uint32_t n = found ? found->n : 0;
	uint32_t at = st->user_first;
	process->has_found |= n > 0;
	for (uint32_t i = 0; i < n && at <= st->list.n; i++) {
		if (!frames[i].is_missing) {
			uint32_t k = find_frame(st, at, &frames[i]);
			if (k != UINT32_MAX) {
				st->list.p[k].found = frames[i].code + 1;
				at = k + 1;
			}
			continue;
		}
		/* Behind the one before; the function that ran is in front of its caller. */
		if (at == st->user_first && at < st->list.n)
			at++;
		uint32_t next = i + 1 < n ? find_frame(st, at, &frames[i + 1]) : UINT32_MAX;
		at = put_missing(s, process, &frames[i], at, next != UINT32_MAX ? next : at);
	}
}

location_id perf_session_locate_found(struct perf_session *s, int32_t pid, uint32_t found,
				      uint64_t ip)
{
	if (!s->options.source_maps)
		pid = 0; /* the same function is the same, whoever runs it */
	if (!s->has_found || s->found_pid != pid) {
		struct mapped m = { .kind = MAPPED_FOUND, .path = STR("[JIT] V8"), .pid = pid };
		s->found_id = mapped_table_get(&s->mapped, &m);
		s->found_pid = pid;
		s->has_found = true;
	}
	return locations_get(
		&s->locations,
		&(struct location){ .mapped = s->found_id, .address = found - 1, .ip = ip });
}
