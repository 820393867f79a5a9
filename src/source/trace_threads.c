/* The threads, processes and profiles of a trace, by the ids that events have. */
#include "source/trace_int.h"

static bool id_equal(struct trace_id a, struct trace_id b)
{
	return a.number == b.number && a.text == b.text;
}

struct id_pair {
	struct trace_id a, b;
};

static uint32_t hash_ids(struct id_pair ids)
{
	uint32_t a = hash_pair((uint32_t)ids.a.number, (uint32_t)(ids.a.number >> 32) ^ ids.a.text);
	uint32_t b = hash_pair((uint32_t)ids.b.number, (uint32_t)(ids.b.number >> 32) ^ ids.b.text);
	return hash_pair(a, b);
}

static bool thread_equal(const void *array, uint32_t i, const void *key)
{
	const struct trace_thread *t = (const struct trace_thread *)array + i;
	const struct id_pair *ids = key;
	return id_equal(t->pid, ids->a) && id_equal(t->tid, ids->b);
}

static bool process_equal(const void *array, uint32_t i, const void *key)
{
	return id_equal(((const struct trace_process *)array)[i].pid,
			((const struct id_pair *)key)->a);
}

static bool profile_equal(const void *array, uint32_t i, const void *key)
{
	const struct trace_profile *p = (const struct trace_profile *)array + i;
	const struct id_pair *ids = key;
	return id_equal(p->pid, ids->a) && id_equal(p->id, ids->b);
}

uint32_t trace_find_process(struct trace *t, struct trace_id pid)
{
	struct id_pair ids = { pid, { 0 } };
	uint32_t hash = hash_ids(ids);
	uint32_t i = index_map_place(&t->process_map, hash, process_equal, t->processes.p, &ids,
				     t->processes.n);
	if (i == t->processes.n)
		vec_push(&t->processes, (struct trace_process){ .pid = pid });
	return i;
}

uint32_t trace_find_thread(struct trace *t, struct trace_id pid, struct trace_id tid)
{
	struct id_pair ids = { pid, tid };
	if (t->last_thread < t->threads.n && thread_equal(t->threads.p, t->last_thread, &ids))
		return t->last_thread;
	uint32_t hash = hash_ids(ids);
	uint32_t i = index_map_place(&t->thread_map, hash, thread_equal, t->threads.p, &ids,
				     t->threads.n);
	if (i == t->threads.n)
		vec_push(&t->threads, (struct trace_thread){ .pid = pid,
							     .tid = tid,
							     .process = trace_find_process(t, pid),
							     .profiled_until_ns = INT64_MIN });
	t->last_thread = i;
	return i;
}

uint32_t trace_find_profile(struct trace *t, struct trace_id pid, struct trace_id id,
			    uint32_t thread)
{
	struct id_pair ids = { pid, id };
	uint32_t hash = hash_ids(ids);
	uint32_t i = index_map_find(&t->profile_map, hash, profile_equal, t->profiles.p, &ids);
	if (i != INDEX_NONE)
		return i;
	index_map_add(&t->profile_map, hash, t->profiles.n);
	vec_push(&t->profiles, (struct trace_profile){ .pid = pid, .id = id, .thread = thread });
	v8_profile_init(&t->profiles.p[t->profiles.n - 1].v, &t->texts);
	return t->profiles.n - 1;
}

static int32_t number_of(struct trace_id id)
{
	bool fits = !id.text && id.number > INT32_MIN && id.number <= INT32_MAX;
	return fits ? (int32_t)id.number : PID_UNKNOWN;
}

/* The thread's own name, its process's, or what stands for its number. */
static text_id comm_of(const struct trace *t, const struct trace_thread *thread)
{
	text_id process = t->processes.p[thread->process].name;
	if (thread->name)
		return thread->name;
	if (thread->tid.text)
		return thread->tid.text;
	return process ? process : thread->pid.text;
}

void trace_add_threads(struct trace *t)
{
	for (uint32_t i = 0; i < t->threads.n; i++) {
		struct trace_thread *thread = &t->threads.p[i];
		struct str comm = texts_get(&t->texts, comm_of(t, thread));
		thread->id = profile_add_thread(
			t->p, (struct thread){ number_of(thread->pid), number_of(thread->tid),
					       profile_add_str(t->p, comm), 0 });
	}
}
