/* Processes and threads as of the current record. */
#include "perf/process_int.h"

/* The kernel's default limit per process is 65,530. */
enum { MAX_ROWS_OF_SPACE = 1 << 17, MAX_ROWS = 1 << 22 };

void perf_processes_init(struct perf_processes *s, struct profile *p)
{
	*s = (struct perf_processes){ .p = p,
				      .last_process = INDEX_NONE,
				      .last_thread = INDEX_NONE,
				      .kernel = { .version = 1 },
				      .last_version = 1 };
}

void perf_processes_fini(struct perf_processes *s)
{
	for (uint32_t i = 0; i < s->spaces.n; i++)
		free(s->spaces.p[i].memory);
	vec_fini(&s->spaces);
	free(s->kernel.memory);
	vec_fini(&s->free_spaces);
	vec_fini(&s->list);
	vec_fini(&s->threads);
	index_map_fini(&s->process_map);
	index_map_fini(&s->thread_map);
}

/* --- address spaces --- */

static uint32_t space_new(struct perf_processes *s)
{
	uint32_t i = s->spaces.n;
	if (s->free_spaces.n) {
		i = s->free_spaces.p[--s->free_spaces.n];
	} else {
		vec_push(&s->spaces, (struct address_space){ 0 });
	}
	s->spaces.p[i].references = 1;
	s->spaces.p[i].version = ++s->last_version;
	return i;
}

static void space_release(struct perf_processes *s, uint32_t space)
{
	if (--s->spaces.p[space].references > 0)
		return;
	s->total_rows -= s->spaces.p[space].rows.n;
	free(s->spaces.p[space].memory);
	s->spaces.p[space] = (struct address_space){ 0 };
	vec_push(&s->free_spaces, space);
}

/* Allocates more memory, with the rows in its middle and those from `first` on shifted by `more`. */
static void grow(struct address_space *a, uint32_t first, uint32_t more)
{
	enum { LEAST = 16 };
	uint32_t n = a->rows.n + more, capacity = 2 * n + LEAST;
	struct mapping_row *memory = mem_alloc(capacity, sizeof(*memory));
	struct mapping_row *p = memory + (capacity - n) / 2;
	if (first)
		memcpy(p, a->rows.p, first * sizeof(*p));
	if (a->rows.n > first)
		memcpy(p + first + more, a->rows.p + first, (a->rows.n - first) * sizeof(*p));
	free(a->memory);
	a->memory = memory;
	a->capacity = capacity;
	a->rows.p = p;
}

/* Makes room for `more` rows before `first`, moving the shorter side. */
static void open_gap(struct address_space *a, uint32_t first, uint32_t more)
{
	uint32_t before = (uint32_t)(a->rows.p - a->memory), behind = a->rows.n - first;
	uint32_t after = a->capacity - before - a->rows.n;
	if (more <= before && (first <= behind || more > after)) {
		memmove(a->rows.p - more, a->rows.p, first * sizeof(*a->rows.p));
		a->rows.p -= more;
	} else if (more <= after) {
		memmove(a->rows.p + first + more, a->rows.p + first, behind * sizeof(*a->rows.p));
	} else {
		grow(a, first, more);
	}
	a->rows.n += more;
}

static void close_gap(struct address_space *a, uint32_t first, uint32_t less)
{
	uint32_t behind = a->rows.n - first - less;
	if (first < behind) {
		memmove(a->rows.p + less, a->rows.p, first * sizeof(*a->rows.p));
		a->rows.p += less;
	} else {
		memmove(a->rows.p + first, a->rows.p + first + less, behind * sizeof(*a->rows.p));
	}
	a->rows.n -= less;
}

/* Replaces the `old` rows from `first` on with n others. */
static void replace_rows(struct perf_processes *s, struct address_space *a, uint32_t first,
			 uint32_t old, const struct mapping_row *rows, uint32_t n)
{
	if (n > old)
		open_gap(a, first, n - old);
	else if (n < old)
		close_gap(a, first, old - n);
	if (n)
		memcpy(a->rows.p + first, rows, n * sizeof(*rows));
	s->total_rows += n;
	s->total_rows -= old;
}

/* A space with the same rows that no other process shares. */
static struct address_space *own_space(struct perf_processes *s, struct perf_process *process)
{
	uint32_t old = process->space;
	if (s->spaces.p[old].references > 1) {
		process->space = space_new(s);
		struct address_space *from = &s->spaces.p[old], *to = &s->spaces.p[process->space];
		if (s->total_rows + from->rows.n <= MAX_ROWS)
			replace_rows(s, to, 0, 0, from->rows.p, from->rows.n);
		space_release(s, old);
	}
	return &s->spaces.p[process->space];
}

/* The first row that ends after address. */
static uint32_t first_behind(const struct address_space *a, uint64_t address)
{
	uint32_t low = 0, high = a->rows.n;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (a->rows.p[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct mapping_row *address_space_find(const struct address_space *a, uint64_t address)
{
	uint32_t i = first_behind(a, address);
	return i < a->rows.n && a->rows.p[i].start <= address ? &a->rows.p[i] : NULL;
}

/* A new mapping replaces what was there, even partly. */
static bool space_map(struct perf_processes *s, struct address_space *a,
		      const struct mapping_row *row)
{
	uint32_t first = first_behind(a, row->start), end = first, n = 0;
	while (end < a->rows.n && a->rows.p[end].start < row->end)
		end++;
	struct mapping_row rows[3];
	if (first < end && a->rows.p[first].start < row->start) {
		rows[n] = a->rows.p[first];
		rows[n++].end = row->start;
	}
	rows[n++] = *row;
	if (first < end && a->rows.p[end - 1].end > row->end) {
		rows[n] = a->rows.p[end - 1];
		rows[n].file_offset += row->end - rows[n].start;
		rows[n++].start = row->end;
	}
	if (n > end - first && (a->rows.n > MAX_ROWS_OF_SPACE || s->total_rows > MAX_ROWS))
		return false;
	replace_rows(s, a, first, end - first, rows, n);
	return true;
}

/* --- processes --- */

static bool process_equal(const void *list, uint32_t i, const void *key)
{
	return ((const struct perf_process *)list)[i].pid == *(const int32_t *)key;
}

struct perf_process *perf_process_get(struct perf_processes *s, int32_t pid)
{
	if (s->last_process != INDEX_NONE && s->list.p[s->last_process].pid == pid)
		return &s->list.p[s->last_process];
	uint32_t hash = hash_pair((uint32_t)pid, 0);
	uint32_t i = index_map_find(&s->process_map, hash, process_equal, s->list.p, &pid);
	if (i == INDEX_NONE) {
		i = s->list.n;
		index_map_add(&s->process_map, hash, i);
		vec_push(&s->list, (struct perf_process){ .pid = pid,
							  .space = space_new(s),
							  .old_space = INDEX_NONE,
							  .nowhere = INDEX_NONE,
							  .jitdump = INDEX_NONE,
							  .jit_pid = pid });
	}
	s->last_process = i;
	return &s->list.p[i];
}

bool perf_process_map(struct perf_processes *s, int32_t pid, const struct mapping_row *row)
{
	if (row->start >= row->end)
		return true;
	struct address_space *a = own_space(s, perf_process_get(s, pid));
	a->version = ++s->last_version;
	return space_map(s, a, row);
}

bool perf_kernel_map(struct perf_processes *s, const struct mapping_row *row)
{
	s->kernel.version = ++s->last_version;
	return row->start >= row->end || space_map(s, &s->kernel, row);
}

void perf_process_fork(struct perf_processes *s, int32_t pid, int32_t parent)
{
	if (pid == parent)
		return;
	struct perf_process from = *perf_process_get(s, parent);
	struct perf_process *process = perf_process_get(s, pid);
	s->spaces.p[from.space].references++;
	space_release(s, process->space);
	perf_process_forget_old(s, process);
	process->space = from.space;
	process->jitdump = from.jitdump;
	process->jit_pid = from.jit_pid;
	process->map_state = from.map_state;
	process->is_container_known = false;
}

void perf_process_forget_old(struct perf_processes *s, struct perf_process *process)
{
	if (process->old_space != INDEX_NONE)
		space_release(s, process->old_space);
	process->old_space = INDEX_NONE;
}

void perf_process_exec(struct perf_processes *s, int32_t pid)
{
	struct perf_process *process = perf_process_get(s, pid);
	perf_process_forget_old(s, process);
	process->old_space = process->space;
	process->space = space_new(s);
	process->jitdump = INDEX_NONE;
	process->jit_pid = pid;
	process->map_state = 0;
}

/* --- threads --- */

static bool thread_equal(const void *list, uint32_t i, const void *key)
{
	return ((const struct perf_thread *)list)[i].tid == *(const int32_t *)key;
}

/* The idle thread of each cpu has no comm and id 0. */
static str_id first_comm(struct perf_processes *s, int32_t tid)
{
	char text[16];
	int n = snprintf(text, sizeof(text), ":%d", tid);
	return profile_add_str(s->p, tid == 0 ? STR("swapper") : (struct str){ text, (size_t)n });
}

struct perf_thread *perf_thread_get(struct perf_processes *s, int32_t pid, int32_t tid)
{
	if (s->last_thread != INDEX_NONE && s->threads.p[s->last_thread].tid == tid)
		return &s->threads.p[s->last_thread];
	uint32_t hash = hash_pair((uint32_t)tid, 1);
	uint32_t i = index_map_find(&s->thread_map, hash, thread_equal, s->threads.p, &tid);
	if (i == INDEX_NONE) {
		i = s->threads.n;
		index_map_add(&s->thread_map, hash, i);
		vec_push(&s->threads, (struct perf_thread){
					      .tid = tid, .pid = pid, .comm = first_comm(s, tid) });
	}
	s->last_thread = i;
	return &s->threads.p[i];
}

thread_id perf_thread_row(struct perf_processes *s, struct perf_thread *t, str_id container)
{
	if (t->row != THREAD_NONE && t->row_container == container)
		return t->row;
	unsigned columns = s->p->columns;
	t->row_container = container;
	t->row = profile_add_thread(
		s->p, (struct thread){
			      .pid = columns & (COLUMN_PID | COLUMN_TID) ? t->pid : PID_UNKNOWN,
			      .tid = columns & COLUMN_TID ? t->tid : PID_UNKNOWN,
			      .comm = t->comm,
			      .container = container,
		      });
	return t->row;
}

/* --- ended processes --- */

static void forget_threads(struct perf_processes *s)
{
	uint32_t kept = 0;
	index_map_fini(&s->thread_map);
	s->thread_map = (struct index_map){ 0 };
	s->last_thread = INDEX_NONE;
	for (uint32_t i = 0; i < s->threads.n; i++) {
		struct perf_thread t = s->threads.p[i];
		if (t.has_ended && t.is_past)
			continue;
		t.is_past = t.has_ended;
		s->threads.p[kept] = t;
		index_map_add(&s->thread_map, hash_pair((uint32_t)s->threads.p[kept].tid, 1), kept);
		kept++;
	}
	s->threads.n = kept;
	s->ended = 0;
}

/* By process: 0 if no thread of it is known, 1 if all are past, 2 if some are not. */
static uint8_t *states_of_processes(struct perf_processes *s)
{
	uint8_t *states = mem_zalloc(s->list.n + 1, sizeof(*states));
	for (uint32_t i = 0; i < s->threads.n; i++) {
		int32_t pid = s->threads.p[i].pid;
		uint32_t at = index_map_find(&s->process_map, hash_pair((uint32_t)pid, 0),
					     process_equal, s->list.p, &pid);
		uint8_t state = s->threads.p[i].has_ended && s->threads.p[i].is_past ? 1 : 2;
		if (at != INDEX_NONE && state > states[at])
			states[at] = state;
	}
	return states;
}

void perf_processes_forget_ended(struct perf_processes *s)
{
	AUTO_FREE uint8_t *states = states_of_processes(s);
	uint32_t kept = 0;
	index_map_fini(&s->process_map);
	s->process_map = (struct index_map){ 0 };
	s->last_process = INDEX_NONE;
	for (uint32_t i = 0; i < s->list.n; i++) {
		struct perf_process *process = &s->list.p[i];
		if (states[i] == 1) {
			perf_process_forget_old(s, process);
			space_release(s, process->space);
			continue;
		}
		index_map_add(&s->process_map, hash_pair((uint32_t)process->pid, 0), kept);
		s->list.p[kept++] = *process;
	}
	s->list.n = kept;
	forget_threads(s);
}

void perf_processes_end_missing(struct perf_processes *s, struct processes *living)
{
	for (uint32_t i = 0; i < s->threads.n; i++) {
		struct perf_thread *t = &s->threads.p[i];
		if (t->has_ended || processes_has_thread(living, t->tid))
			continue;
		t->has_ended = true;
		t->is_past = false;
	}
}

void perf_processes_set_profile(struct perf_processes *s, struct profile *p)
{
	for (uint32_t i = 0; i < s->threads.n; i++) {
		struct perf_thread *t = &s->threads.p[i];
		t->comm = profile_add_str(p, profile_str(s->p, t->comm));
		t->row = THREAD_NONE;
	}
	for (uint32_t i = 0; i < s->list.n; i++)
		s->list.p[i].is_container_known = false;
	s->p = p;
}
