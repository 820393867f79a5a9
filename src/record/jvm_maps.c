/*
 * JVMs do not keep a map of their compiled code on disk; from version 17 on they write one when
 * asked. They are asked when they are first seen, every few seconds, and at the end; young ones,
 * which compile the most and may exit before the end, more often.
 */
#include "record/collector.h"

#include <poll.h>

#define ASK_EVERY_NS  5000000000ull
#define SECOND_NS     1000000000ull
#define COMMAND	      "Compiler.perfmap"
#define STARTS_NS     (10 * SECOND_NS) /* from loading its library to answering */
#define LOOK_NS	      (SECOND_NS / 4)
#define LAST_CALLS_NS (3 * SECOND_NS) /* for all of them together */
enum { MAX_FAILURES = 2 };

struct asked_jvm {
	int32_t pid;
	struct jvm_call *call; /* NULL if none is in progress */
	struct jvm_map *map;   /* to be removed at the end; NULL if it is not ours */
	uint64_t born_ns;      /* 0 if before the recording */
	uint64_t last_ns;
	uint32_t answers, failures;
	uint32_t told_answers; /* reported in notes of earlier profiles */
	struct err error;
	bool lacks_frame_pointers;
	bool is_gone; /* its row was removed */
};

/* A process that may become a JVM. */
struct starting_jvm {
	int32_t pid;
	uint64_t next_ns, until_ns;
};

struct jvm_maps {
	struct collecting *collecting;
	unsigned number; /* of the slot with a struct asked_jvm */
	VEC(struct asked_jvm *) list;
	VEC(struct starting_jvm) starting;
	VEC(int32_t)
	came, mapped; /* since the last pass: new processes, and those that mapped libjvm */
};

static void *jvm_begin(struct collecting *c, unsigned number)
{
	if (c->options->no_attach)
		return NULL;
	struct jvm_maps *j = mem_zalloc(1, sizeof(*j));
	j->collecting = c;
	j->number = number;
	return j;
}

/* A perf.data file has only addresses: its readers need the map. */
static void forget(struct jvm_maps *j, struct asked_jvm *a)
{
	struct known_process *row = known_processes_find(&j->collecting->processes, a->pid);
	if (row && row->slot[j->number] == a)
		row->slot[j->number] = NULL;
	jvm_call_free(a->call);
	if (j->collecting->options->data)
		jvm_map_free(a->map);
	else
		jvm_map_remove(a->map);
	free(a);
}

static void jvm_free(void *state)
{
	struct jvm_maps *j = state;
	for (uint32_t i = 0; i < j->list.n; i++)
		forget(j, j->list.p[i]);
	vec_fini(&j->list);
	vec_fini(&j->starting);
	vec_fini(&j->came);
	vec_fini(&j->mapped);
	free(j);
}

static bool may_ask(const struct asked_jvm *a)
{
	return !a->is_gone && a->failures < MAX_FAILURES;
}

/* Whether it is a JVM, which is then tracked. */
static bool take_up(struct jvm_maps *j, int32_t pid, uint64_t born_ns)
{
	struct known_process *row = known_processes_find(&j->collecting->processes, pid);
	if (row && row->slot[j->number])
		return true;
	if (!row || !jvm_is_one(pid))
		return false;
	struct runtime runtime;
	struct living_process living;
	struct asked_jvm *a = mem_zalloc(1, sizeof(*a));
	living_process_init(&living, pid);
	runtime_of_process(&living.process, &runtime);
	a->pid = pid;
	a->born_ns = born_ns;
	a->lacks_frame_pointers = !runtime.keeps_frame_pointers;
	runtime_fini(&runtime);
	row->slot[j->number] = a;
	vec_push(&j->list, a);
	return true;
}

/* Its notes are still to be written, but its PID may be another process's. */
static void jvm_went(void *state, struct known_process *p)
{
	struct jvm_maps *j = state;
	struct asked_jvm *a = p->slot[j->number];
	if (a)
		a->is_gone = true;
	p->slot[j->number] = NULL;
}

static void jvm_came(void *state, struct known_process *p)
{
	struct jvm_maps *j = state;
	vec_push(&j->came, p->pid);
}

/* Any process can map a file with that name, as often as it likes. */
static void jvm_record(void *state, const struct perf_record *r)
{
	enum { MAX_MAPPED = 32 };
	struct jvm_maps *j = state;
	struct perf_mapping m;
	if (r->type != PERF_RECORD_MMAP2 || !perf_mapping_read(j->collecting->formats, r, &m) ||
	    !runtime_is_library(RUNTIME_JVM, m.mapping.path))
		return;
	for (uint32_t i = 0; i < j->mapped.n; i++)
		if (j->mapped.p[i] == m.pid)
			return;
	if (j->mapped.n < MAX_MAPPED)
		vec_push(&j->mapped, m.pid);
}

static void expect(struct jvm_maps *j, int32_t pid, uint64_t now_ns)
{
	enum { MAX_STARTING = 256 };
	for (uint32_t i = 0; i < j->starting.n; i++)
		if (j->starting.p[i].pid == pid)
			return;
	if (j->starting.n < MAX_STARTING)
		vec_push(&j->starting, (struct starting_jvm){ pid, now_ns, now_ns + STARTS_NS });
}

static bool is_wanted(const struct jvm_maps *j, int32_t pid)
{
	struct collecting *c = j->collecting;
	return process_is_wanted(c, known_processes_find(&c->processes, pid));
}

static void look_at_new(struct jvm_maps *j, uint64_t now_ns)
{
	for (uint32_t i = 0; i < j->came.n; i++)
		if (is_wanted(j, j->came.p[i]))
			take_up(j, j->came.p[i], 0);
	for (uint32_t i = 0; i < j->mapped.n; i++)
		if (is_wanted(j, j->mapped.p[i]))
			expect(j, j->mapped.p[i], now_ns);
	j->came.n = j->mapped.n = 0;
}

/* One at a time: a check costs some milliseconds, and a process that maps such a library may never be a JVM. */
static void look_at_starting(struct jvm_maps *j, uint64_t now_ns)
{
	uint32_t i = 0;
	while (i < j->starting.n && now_ns < j->starting.p[i].next_ns)
		i++;
	if (i == j->starting.n)
		return;
	struct starting_jvm s = j->starting.p[i];
	j->starting.n--;
	memmove(j->starting.p + i, j->starting.p + i + 1, (j->starting.n - i) * sizeof(s));
	if (take_up(j, s.pid, s.until_ns - STARTS_NS) || now_ns >= s.until_ns ||
	    !thread_is_there(s.pid))
		return;
	s.next_ns = now_ns + LOOK_NS;
	vec_push(&j->starting, s); /* requeue behind the others */
}

static void jvm_next(void *state, uint64_t now_ns)
{
	struct jvm_maps *j = state;
	uint32_t kept = 0;
	(void)now_ns;
	for (uint32_t i = 0; i < j->list.n; i++) {
		struct asked_jvm *a = j->list.p[i];
		a->told_answers = a->answers;
		if (thread_is_there(a->pid))
			j->list.p[kept++] = a;
		else
			forget(j, a);
	}
	j->list.n = kept;
}

/*
 * Most code is compiled early: the second and third call come sooner, and a young JVM is asked
 * again after each quarter of its life.
 */
static uint64_t pause_ns(const struct asked_jvm *a)
{
	enum { PARTS_OF_LIFE = 4 };
	uint64_t pause = a->answers == 1   ? SECOND_NS
			 : a->answers == 2 ? 2 * SECOND_NS
					   : ASK_EVERY_NS;
	if (!a->born_ns || a->last_ns < a->born_ns)
		return pause;
	uint64_t part = (a->last_ns - a->born_ns) / PARTS_OF_LIFE;
	if (part < LOOK_NS)
		part = LOOK_NS;
	return part < pause ? part : pause;
}

static bool is_time(const struct asked_jvm *a, uint64_t now_ns)
{
	return !a->last_ns || now_ns - a->last_ns >= pause_ns(a);
}

/* For a JVM with a call. Returns true if it has just answered. */
static bool go_on_with_call(struct asked_jvm *a, uint64_t now_ns)
{
	enum jvm_call_state state = jvm_call_go_on(a->call, now_ns);
	if (state == JVM_CALL_WAITS)
		return false;
	if (state == JVM_CALL_FAILED) {
		a->failures++;
		a->error = *jvm_call_error(a->call);
	} else {
		a->answers++;
	}
	jvm_call_free(a->call);
	a->call = NULL;
	return state == JVM_CALL_DONE;
}

static void call(struct asked_jvm *a, uint64_t now_ns)
{
	if (!a->last_ns)
		a->map = jvm_map_expect(a->pid);
	a->last_ns = now_ns;
	a->call = jvm_call_new(a->pid, COMMAND, now_ns);
}

/* The same, for a JVM with or without one. */
static bool go_on(struct asked_jvm *a, uint64_t now_ns)
{
	if (!a->call) {
		if (!may_ask(a) || !is_time(a, now_ns))
			return false;
		call(a, now_ns);
	}
	return go_on_with_call(a, now_ns);
}

static bool has_any(const struct jvm_maps *j)
{
	for (uint32_t i = 0; i < j->list.n; i++)
		if (may_ask(j->list.p[i]))
			return true;
	return false;
}

static bool jvm_look(void *state, uint64_t now_ns)
{
	struct jvm_maps *j = state;
	bool has_answer = false;
	look_at_new(j, now_ns);
	look_at_starting(j, now_ns);
	for (uint32_t i = 0; i < j->list.n; i++)
		has_answer |= go_on(j->list.p[i], now_ns);
	j->collecting->has_late_names = has_any(j);
	return has_answer;
}

/* Whether any call is still in progress. */
static bool go_on_with_calls(struct jvm_maps *j, uint64_t now_ns)
{
	bool has_any = false;
	for (uint32_t i = 0; i < j->list.n; i++) {
		struct asked_jvm *a = j->list.p[i];
		if (a->call)
			go_on_with_call(a, now_ns);
		has_any = has_any || a->call;
	}
	return has_any;
}

/* Asks one last time and waits for the answers. */
static void jvm_end(void *state)
{
	enum { STEP_MS = 5 };
	struct jvm_maps *j = state;
	uint64_t begin_ns = clock_monotonic_ns();
	for (uint32_t i = 0; i < j->list.n; i++) {
		struct asked_jvm *a = j->list.p[i];
		jvm_call_free(a->call);
		a->call = NULL;
		if (may_ask(a) && jvm_is_one(a->pid))
			call(a, begin_ns);
	}
	while (go_on_with_calls(j, clock_monotonic_ns()) &&
	       clock_monotonic_ns() - begin_ns < LAST_CALLS_NS)
		poll(NULL, 0, STEP_MS);
	go_on_with_calls(j, UINT64_MAX); /* past their deadline: they report what they waited for */
}

/* Reports which JVMs were asked, and what failed. */
static void jvm_describe(void *state, struct profile *p, bool is_part)
{
	const struct jvm_maps *j = state;
	(void)is_part;
	for (uint32_t i = 0; i < j->list.n; i++) {
		const struct asked_jvm *a = j->list.p[i];
		AUTO(buf) struct buf text = { 0 };
		uint32_t answers = a->answers - a->told_answers;
		if (answers) {
			buf_addf(&text, "asked process %d for its code map (" COMMAND "), %u %s",
				 a->pid, answers, answers == 1 ? "time" : "times");
			profile_add_fact(p, STR("java"), buf_str(&text));
		} else if (a->error.kind && !a->answers) {
			buf_addf(&text, "the JVM of process %d did not write its code map: %s",
				 a->pid, a->error.text);
			profile_add_note(p, buf_str(&text));
		}
		if (!a->lacks_frame_pointers)
			continue;
		text.n = 0;
		buf_addf(&text,
			 "the JVM of process %d keeps no frame pointers, so most Java stacks end "
			 "at their first frame: start it with -XX:+PreserveFramePointer",
			 a->pid);
		profile_add_note(p, buf_str(&text));
	}
}

const struct collector jvm_collector = {
	.begin = jvm_begin,
	.came = jvm_came,
	.went = jvm_went,
	.record = jvm_record,
	.look = jvm_look,
	.end = jvm_end,
	.describe = jvm_describe,
	.next = jvm_next,
	.free = jvm_free,
};
