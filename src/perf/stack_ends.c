/*
 * Completes the ends of stacks, and adds what a recorder found out about frames. A chain has 127 addresses and a copy
 * a limited number of bytes; neither may reach the start of the thread, and the C library has no frame pointers
 * there. In the order of calls in sample.c: frames walked by the recorder, the start of the thread, functions found
 * by the recorder, and a frame that marks a gap.
 */
#include "perf/perf_int.h"
#include "unwind/unwind.h"

/*
 * --- walked ---
 *
 * Stacks deeper than both the kernel's chains and the copies: a recorder that walks stacks itself,
 * by frame pointers like the chain, knows how they continue.
 */

/* Whether the stack ends like the chain, which is the start of the walk. */
static bool ends_as_chain(const struct stack *st, const struct perf_walked *w, uint32_t chained)
{
	enum { SURE_RUN = 16 };
	uint32_t n = st->list.n - st->user_first, run = 0;
	while (run < n && run < chained && run < SURE_RUN &&
	       st->list.p[st->list.n - 1 - run].ip == w->frames[chained - 1 - run].ip)
		run++;
	return run == SURE_RUN;
}

uint32_t perf_walked_behind(const struct perf_walked *w, uint64_t frame_pointer)
{
	for (uint32_t i = 0; frame_pointer && i < w->n; i++)
		if (w->frames[i].frame_pointer == frame_pointer)
			return i + 1;
	return w->n;
}

/*
 * The index of the walked frame after the stack's last address; w->n if none. A recursive function
 * has the same addresses at any depth, so only the register tells where a copy ended.
 */
static uint32_t next_walked(const struct stack *st, const struct perf_walked *w)
{
	uint32_t chained =
		st->chain_addresses > st->user_first ? st->chain_addresses - st->user_first : 0;
	if (st->is_chain_last)
		return chained < w->n && ends_as_chain(st, w, chained) ? chained : w->n;
	return perf_walked_behind(w, st->list.n ? st->list.p[st->list.n - 1].frame_pointer : 0);
}

/*
 * Tables may continue where frame pointers end, but not for long: only the C library at the start
 * of threads lacks them.
 */
static bool has_last(const struct stack *st, const struct perf_walked *w)
{
	uint32_t n = st->list.n - st->user_first;
	for (uint32_t i = 0; w->n && i < n && i <= 1 + STACK_ROOT_BEHIND; i++)
		if (st->list.p[st->list.n - 1 - i].ip == w->frames[w->n - 1].ip)
			return true;
	return false;
}

void perf_session_add_walked(struct perf_session *s, const struct perf_process *process,
			     const struct perf_walked *w, uint32_t next)
{
	struct stack *st = &s->stack;
	uint32_t before = st->list.n, n = w->n - next;
	for (uint32_t i = next; i < w->n; i++)
		vec_push(&st->list,
			 (struct stack_address){ .ip = w->frames[i].ip,
						 .part = PART_USER,
						 .is_call = true,
						 .frame_pointer = w->frames[i].frame_pointer });
	uint32_t plausible = perf_stack_plausible(s, process, st->list.p + before, n);
	st->list.n = before + plausible;
	st->is_cut = w->has_more && plausible == n;
}

void perf_session_put_walked(struct perf_session *s, const struct perf_process *process,
			     const struct perf_found *found)
{
	struct stack *st = &s->stack;
	if (!st->is_cut || !found || !found->walked.n)
		return;
	const struct perf_walked *w = &found->walked;
	uint32_t next = next_walked(st, w);
	if (next < w->n)
		perf_session_add_walked(s, process, w, next);
	else
		st->is_cut = w->has_more || !has_last(st, w);
}

/*
 * --- roots ---
 *
 * Unwinding by tables ends at the first instruction of a thread, a chain ends before it, which
 * would make two towers for one program. So plume remembers what walks found after their last
 * addresses, and where a chain ends at one of these, it is completed likewise. With small copies,
 * no walk may come that far: then the process's stack is read, once.
 */

static struct stack_root *find_root(struct stack_roots *roots, uint64_t from)
{
	for (uint32_t i = 0; i < roots->n; i++)
		if (roots->list[i].from == from)
			return &roots->list[i];
	return NULL;
}

/* Learns the address `behind` places before the last one, and what follows it. */
static void learn_root(struct stack_roots *roots, const struct stack_address *last, uint8_t behind)
{
	struct stack_root root = { .from = last[-(int)behind].ip, .n = behind };
	for (uint8_t i = 0; i < behind; i++)
		root.behind[i] = last[1 + (int)i - (int)behind].ip;
	struct stack_root *asked = find_root(roots, root.from);
	if (asked && !asked->n)
		*asked = root;
	else if (asked)
		asked->is_ambiguous |= memcmp(asked->behind, root.behind, sizeof(root.behind)) != 0;
}

void stack_roots_learn(struct stack_roots *roots, const struct stack_address *stack, uint32_t n)
{
	for (uint8_t behind = 1; roots->n && behind <= STACK_ROOT_BEHIND && behind + 1u < n;
	     behind++)
		learn_root(roots, stack + n - 1, behind);
}

/* Makes room for one more, by evicting those that were requested in vain. Returns NULL if there is no room. */
static struct stack_root *make_room(struct stack_roots *roots)
{
	if (roots->n < ARRAY_SIZE(roots->list))
		return &roots->list[roots->n++];
	for (uint32_t i = 0; i < ARRAY_SIZE(roots->list); i++) {
		struct stack_root *root = &roots->list[roots->next++ % ARRAY_SIZE(roots->list)];
		if (!root->n)
			return root;
	}
	return NULL;
}

const struct stack_root *stack_roots_find(struct stack_roots *roots, uint64_t last, bool *is_new)
{
	struct stack_root *root = find_root(roots, last);
	*is_new = !root;
	if (root)
		return root->n && !root->is_ambiguous ? root : NULL;
	root = make_room(roots);
	if (root)
		*root = (struct stack_root){ .from = last };
	return NULL;
}

/* Learns what unwound_stack has after its first address, if it reaches the root. Returns false if it does not. */
static bool learn_unwound(struct stack_roots *roots, const struct unwound_stack *u, uint64_t from)
{
	struct stack_root *root = find_root(roots, from);
	if (!root || !u->is_rooted || u->n < 2 || u->n > 1 + STACK_ROOT_BEHIND)
		return false;
	root->n = (uint8_t)(u->n - 1);
	memcpy(root->behind, u->addresses + 1, root->n * sizeof(*root->behind));
	return true;
}

/*
 * Searches the first thread's stack from its oldest words on. Where a word is that address, the
 * stack continues as tables say.
 */
static void ask_process(struct perf_session *s, const struct perf_process *process,
			struct stack_roots *roots, uint64_t from)
{
	enum { BYTES = 2048, MAX_ASKED = 8 };
	char bytes[BYTES];
	struct processes *processes = s->options.names.processes;
	struct unwind_memory memory = { 0 };
	if (!processes || roots->asked++ >= MAX_ASKED)
		return;
	memory.bytes.p = bytes;
	memory.bytes.n =
		processes_stack_begin(processes, process->pid, 0, &memory.address, bytes, BYTES);
	if (!s->stack.unwound)
		s->stack.unwound = mem_alloc(1, sizeof(*s->stack.unwound));
	for (size_t at = memory.bytes.n / 8 * 8; at >= 8;) {
		uint64_t word;
		at -= 8;
		memcpy(&word, bytes + at, sizeof(word));
		if (word != from)
			continue;
		perf_session_unwind_from(s, process, &memory, at, s->stack.unwound);
		if (learn_unwound(roots, s->stack.unwound, from))
			return;
	}
}

void perf_session_put_root(struct perf_session *s, const struct perf_process *process)
{
	struct stack *st = &s->stack;
	struct stack_roots *roots = &s->processes.spaces.p[process->space].roots;
	uint32_t n = st->list.n > st->user_first ? st->list.n - st->user_first : 0;
	if (!n || st->is_cut || st->list.p[st->list.n - 1].part != PART_USER)
		return;
	if (st->is_rooted) {
		stack_roots_learn(roots, st->list.p + st->user_first, n);
		return;
	}
	bool is_new;
	uint64_t last = st->list.p[st->list.n - 1].ip;
	const struct stack_root *root = stack_roots_find(roots, last, &is_new);
	if (is_new) {
		ask_process(s, process, roots, last);
		root = stack_roots_find(roots, last, &is_new);
	}
	for (uint8_t i = 0; root && i < root->n; i++)
		vec_push(&st->list, (struct stack_address){ root->behind[i], PART_USER, true });
	st->is_rooted = root != NULL;
}

/*
 * --- found ---
 *
 * Functions in JIT code that a recorder found while the sample was fresh. They are merged into the
 * stack by their addresses.
 */

/* The same address may occur many times: the frame pointer tells them apart, if both have it. */
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
 * A frame that frame pointers skip. Unwinding by tables may have it, as the first address in
 * between that is in such code; otherwise it is inserted. Returns the index after it.
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
		/* After the previous one, except for the function that ran, which is before its caller. */
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
		pid = 0; /* a function is the same in every process */
	if (!s->found.is_known || s->found.pid != pid) {
		struct mapped m = { .kind = MAPPED_FOUND, .path = STR("[JIT] V8"), .pid = pid };
		s->found.id = mapped_table_get(&s->mapped, &m);
		s->found.pid = pid;
		s->found.is_known = true;
	}
	return locations_get(
		&s->locations,
		&(struct location){ .mapped = s->found.id, .address = found - 1, .ip = ip });
}

/*
 * --- gap ---
 *
 * For cut stacks: the frames near the leaf are known, and those at the start of the thread do not
 * change during its life, so plume looks them up in its memory, once. A frame between them marks
 * the gap. Otherwise every function in which a stack was cut would start its own tower.
 */

static bool is_code(const struct perf_session *s, const struct perf_process *process, uint64_t word)
{
	const struct address_space *space = &s->processes.spaces.p[process->space];
	const struct mapping_row *row = word ? address_space_find(space, word - 1) : NULL;
	return row && row->is_code;
}

/* Whether the call at this place of the stack is one frame further from the thread's start than the known ones. */
static bool is_next(struct perf_session *s, const struct perf_process *process,
		    const struct unwind_memory *memory, size_t at, const struct thread_start *known)
{
	struct unwound_stack *u = s->stack.unwound;
	perf_session_unwind_from(s, process, memory, at, u);
	return u->is_rooted && u->n == known->n + 1u &&
	       memcmp(u->addresses + 1, known->addresses, known->n * sizeof(*known->addresses)) ==
		       0;
}

/*
 * Stacks also contain words left by earlier calls: the next frame is accepted only if it is the
 * only candidate. Returns the word; 0 if there are none or several.
 */
static uint64_t find_next(struct perf_session *s, const struct perf_process *process,
			  const struct unwind_memory *memory, const struct thread_start *known)
{
	uint64_t found = 0, word;
	for (size_t at = memory->bytes.n / 8 * 8; at >= 8;) {
		at -= 8;
		memcpy(&word, memory->bytes.p + at, sizeof(word));
		if (!is_code(s, process, word) || !is_next(s, process, memory, at, known))
			continue;
		if (found)
			return 0;
		found = word;
	}
	return found;
}

/* most is a number of frames. */
static void ask_thread(struct perf_session *s, const struct perf_process *process, uint64_t sp,
		       uint32_t most, struct thread_start *start)
{
	enum { BYTES = 8192 };
	char bytes[BYTES];
	struct unwind_memory memory = { 0 };
	uint64_t word;
	memory.bytes.p = bytes;
	memory.bytes.n = processes_stack_begin(s->options.names.processes, process->pid, sp,
					       &memory.address, bytes, sizeof(bytes));
	if (!s->stack.unwound)
		s->stack.unwound = mem_alloc(1, sizeof(*s->stack.unwound));
	while (memory.bytes.n && start->n < most &&
	       (word = find_next(s, process, &memory, start)) != 0) {
		memmove(start->addresses + 1, start->addresses,
			start->n * sizeof(*start->addresses));
		start->addresses[0] = word;
		start->n++;
	}
}

void perf_session_put_gap(struct perf_session *s, const struct perf_sample *sample,
			  const struct perf_process *process)
{
	struct stack *st = &s->stack;
	if (!st->is_cut || !s->options.names.processes || st->list.n == st->user_first)
		return;
	struct thread_start *start =
		&perf_thread_get(&s->processes, sample->ids.pid, sample->ids.tid)->start;
	if (!start->is_asked || start->space != process->space) {
		*start = (struct thread_start){ .is_asked = true, .space = process->space };
		/* The C library has one more frame before main than before a thread's function. */
		bool is_first = sample->ids.pid == sample->ids.tid;
		ask_thread(s, process, perf_session_stack_pointer(s, sample),
			   THREAD_START_FRAMES - !is_first, start);
	}
	vec_push(&st->list, (struct stack_address){ .part = PART_GAP });
	for (uint8_t i = 0; i < start->n; i++)
		vec_push(&st->list, (struct stack_address){ start->addresses[i], PART_USER, true });
}
