/*
 * Threads of the file. The viewer groups threads by pid, wants samples in order of time, one main
 * thread in a process at most, and no two threads with one tid.
 */
#include "sink/firefox_int.h"
#include "sink/sample_length.h"

static struct firefox_track *track_of(struct firefox_tracks *t, struct pair_map *map,
				      event_id event, thread_id thread)
{
	uint32_t *place = pair_map_place(map, event, thread);
	if (*place == INDEX_NONE) {
		*place = t->list.n;
		vec_push(&t->list, (struct firefox_track){ .event = event, .thread = thread });
	}
	return &t->list.p[*place];
}

static int compare_tracks(const void *left, const void *right)
{
	const struct firefox_track *a = left, *b = right;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* Marks belong to the threads of the first event; those of no thread, to the first of them. */
static void find_tracks(struct firefox_tracks *t, struct pair_map *map)
{
	const struct profile *p = t->p;
	t->first_event = p->samples.n ? p->samples.event[0] : 0;
	for (uint32_t row = 0; row < p->samples.n; row++) {
		track_of(t, map, p->samples.event[row], p->samples.thread[row]);
		if (p->samples.event[row] < t->first_event)
			t->first_event = p->samples.event[row];
	}
	for (uint32_t i = 0; i < p->marks.n; i++)
		if (p->marks.p[i].thread != THREAD_NONE)
			track_of(t, map, t->first_event, p->marks.p[i].thread);
	if (t->list.n == 0)
		track_of(t, map, t->first_event, THREAD_NONE);
	qsort(t->list.p, t->list.n, sizeof(*t->list.p), compare_tracks);
	for (uint32_t i = 0; i < t->list.n; i++)
		*pair_map_place(map, t->list.p[i].event, t->list.p[i].thread) = i;
}

/* --- rows in order --- */

static uint32_t mark_track(struct firefox_tracks *t, struct pair_map *map, uint32_t mark)
{
	thread_id thread = t->p->marks.p[mark].thread;
	return thread == THREAD_NONE ? 0 : *pair_map_place(map, t->first_event, thread);
}

/* By track, in the order of the profile. */
static void order_rows(struct firefox_tracks *t, struct pair_map *map)
{
	const struct samples *s = &t->p->samples;
	uint32_t n = 0, marks = 0;
	for (uint32_t row = 0; row < s->n; row++) {
		struct firefox_track *k = track_of(t, map, s->event[row], s->thread[row]);
		uint64_t ignored = 0;
		k->rows++;
		k->weight = saturating_add(k->weight, s->count[row], &ignored);
	}
	for (uint32_t i = 0; i < t->p->marks.n; i++)
		t->list.p[mark_track(t, map, i)].marks++;
	for (uint32_t i = 0; i < t->list.n; i++) {
		t->list.p[i].first = n;
		t->list.p[i].first_mark = marks;
		n += t->list.p[i].rows;
		marks += t->list.p[i].marks;
		t->list.p[i].rows = t->list.p[i].marks = 0;
	}
	t->row_order = mem_alloc(s->n, sizeof(*t->row_order));
	t->mark_order = mem_alloc(t->p->marks.n, sizeof(*t->mark_order));
	for (uint32_t row = 0; row < s->n; row++) {
		struct firefox_track *k = track_of(t, map, s->event[row], s->thread[row]);
		t->row_order[k->first + k->rows++] = row;
	}
	for (uint32_t i = 0; i < t->p->marks.n; i++) {
		struct firefox_track *k = &t->list.p[mark_track(t, map, i)];
		t->mark_order[k->first_mark + k->marks++] = i;
	}
}

static int compare_times(const void *left, const void *right, void *context)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const uint64_t *time_ns = context;
	if (time_ns[a] != time_ns[b])
		return time_ns[a] < time_ns[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void sort_by_time(struct firefox_tracks *t)
{
	uint64_t *time_ns = t->p->samples.time_ns;
	for (uint32_t i = 0; i < t->list.n; i++) {
		uint32_t *order = t->row_order + t->list.p[i].first, n = t->list.p[i].rows;
		uint32_t k = 1;
		while (k < n && time_ns[order[k - 1]] <= time_ns[order[k]])
			k++;
		if (k < n)
			qsort_r(order, n, sizeof(*order), compare_times, time_ns);
	}
}

/* --- times --- */

/*
 * A time of 0 is a sample without one when the reader says that there are such. They stand at the
 * start, where the least can be read into them.
 */
static void find_start(struct firefox_tracks *t)
{
	const struct profile *p = t->p;
	const uint64_t *time_ns = p->samples.time_ns;
	bool zero_is_none = p->ledger.count[LEDGER_NO_TIME] != 0;
	t->has_times = p->samples.n && profile_has_times(p);
	t->start_ns = UINT64_MAX;
	for (uint32_t row = 0; time_ns && row < p->samples.n; row++) {
		bool has_none = time_ns[row] == 0 && zero_is_none;
		t->without_time += has_none;
		if (!has_none && time_ns[row] < t->start_ns)
			t->start_ns = time_ns[row];
	}
	for (uint32_t i = 0; i < p->marks.n; i++)
		if (p->marks.p[i].time_ns < t->start_ns)
			t->start_ns = p->marks.p[i].time_ns;
	if (t->start_ns == UINT64_MAX)
		t->start_ns = 0;
}

/* Of the busiest thread. Without times, samples stand as far apart as this. */
static void find_interval(struct firefox_tracks *t)
{
	const struct firefox_track *busiest = &t->list.p[0];
	for (uint32_t i = 0; i < t->list.n; i++)
		if (t->list.p[i].rows > busiest->rows)
			busiest = &t->list.p[i];
	uint64_t usual_ns = sample_usual_ns(&(struct event_rows){
		t->p, busiest->event, t->row_order + busiest->first, busiest->rows });
	t->interval_ns = t->has_times && usual_ns ? usual_ns : 1000000;
}

uint64_t firefox_time_of(const struct firefox_tracks *t, const struct firefox_track *track,
			 uint32_t i)
{
	if (!t->has_times)
		return i * UINT64_C(1000000);
	uint64_t time_ns = t->p->samples.time_ns[t->row_order[track->first + i]];
	return time_ns > t->start_ns ? time_ns - t->start_ns : 0;
}

/* --- names --- */

static struct str pid_text(struct firefox_tracks *t, const struct firefox_track *k)
{
	AUTO(buf) struct buf text = { 0 };
	const struct thread *thread = &t->p->threads.p[k->thread];
	struct str comm = profile_str(t->p, thread->comm);
	if (k->thread != THREAD_NONE && thread->pid != PID_UNKNOWN)
		buf_addf(&text, "%d", thread->pid);
	else
		buf_add(&text, k->thread != THREAD_NONE && comm.n ? comm : STR("unknown"));
	if (k->event != t->first_event)
		buf_addf(&text, " %.*s", STR_ARG(profile_str(t->p, t->p->events.p[k->event].name)));
	return arena_copy(&t->text, buf_str(&text));
}

/* Texts and the track, or the number of tracks, that they stand for. */
struct text_count {
	struct str text;
	uint32_t value;
};
struct text_counts {
	VEC(struct text_count) list;
	struct index_map map;
};

static bool text_equal(const void *list, uint32_t i, const void *key)
{
	return str_eq(((const struct text_count *)list)[i].text, *(const struct str *)key);
}

static struct text_count *text_count_of(struct text_counts *c, struct str text)
{
	uint32_t hash = hash_str(text);
	uint32_t i = index_map_place(&c->map, hash, text_equal, c->list.p, &text, c->list.n);
	if (i == c->list.n)
		vec_push(&c->list, (struct text_count){ text, INDEX_NONE });
	return &c->list.p[i];
}

static void text_counts_fini(struct text_counts *c)
{
	vec_fini(&c->list);
	index_map_fini(&c->map);
}

/* A thread that took another name, and one of another event, has its number with a number behind it. */
static struct str tid_text(struct firefox_tracks *t, const struct firefox_track *k,
			   struct text_counts *tids)
{
	AUTO(buf) struct buf text = { 0 };
	int32_t tid = k->thread == THREAD_NONE ? PID_UNKNOWN : t->p->threads.p[k->thread].tid;
	if (tid == PID_UNKNOWN)
		return k->pid;
	buf_addf(&text, "%d", tid);
	struct str plain = arena_copy(&t->text, buf_str(&text));
	struct text_count *count = text_count_of(tids, plain);
	if (++count->value == 0)
		return plain;
	buf_addf(&text, ".%u", count->value);
	return arena_copy(&t->text, buf_str(&text));
}

/* The kernel says which thread is the main one by its number; else it is the busiest. */
static bool is_better_main(const struct firefox_tracks *t, const struct firefox_track *a,
			   const struct firefox_track *b)
{
	const struct thread *ta = &t->p->threads.p[a->thread], *tb = &t->p->threads.p[b->thread];
	bool leads_a = ta->pid == ta->tid, leads_b = tb->pid == tb->tid;
	return leads_a != leads_b ? leads_a : a->weight > b->weight;
}

static void name_tracks(struct firefox_tracks *t)
{
	AUTO(text_counts) struct text_counts pids = { 0 }, tids = { 0 };
	for (uint32_t i = 0; i < t->list.n; i++) {
		struct firefox_track *k = &t->list.p[i];
		k->pid = pid_text(t, k);
		k->tid = tid_text(t, k, &tids);
		struct text_count *main = text_count_of(&pids, k->pid);
		if (main->value == INDEX_NONE || is_better_main(t, k, &t->list.p[main->value]))
			main->value = i;
	}
	for (uint32_t i = 0; i < pids.list.n; i++)
		t->list.p[pids.list.p[i].value].is_main = true;
	for (uint32_t i = 0; i < t->list.n; i++)
		t->list.p[i].process = text_count_of(&pids, t->list.p[i].pid)->value;
}

void firefox_tracks_init(struct firefox_tracks *t, const struct profile *p)
{
	struct pair_map map = { 0 };
	*t = (struct firefox_tracks){ .p = p };
	find_start(t);
	find_tracks(t, &map);
	order_rows(t, &map);
	pair_map_fini(&map);
	if (t->has_times)
		sort_by_time(t);
	find_interval(t);
	name_tracks(t);
}

void firefox_tracks_fini(struct firefox_tracks *t)
{
	vec_fini(&t->list);
	free(t->row_order);
	free(t->mark_order);
	arena_fini(&t->text);
}
