/*
 * JavaScript frames of samples, found as soon as they come: functions move and die with the next garbage
 * collection, so V8's heap is read within milliseconds, by the thread that empties the buffers. What was
 * found goes with the records until their turn, which may be seconds later when names take long.
 */
#include "record/js_processes_int.h"

#include <asm/perf_regs.h>
#include <stdatomic.h>

struct js_frames {
	struct perf_session
		*session; /* whose events samples are of; nothing else of it is touched */
	bool wants_lines;

	/* Of the thread that empties the buffers. */
	struct v8_walker *walker; /* NULL: there is none */
	struct v8_walked walked;  /* the stack at hand */
	struct v8_frame frames[WALKER_FRAMES];
	struct v8_raw_frame links[WALKER_FRAMES];
	struct js_processes processes;
	atomic_bool has_any;

	pthread_mutex_t lock;		       /* for what both threads use: */
	bool is_filtered;		       /* only some processes are wanted */
	VEC(int32_t) wanted;		       /* ... that were not told to the first thread yet */
	struct v8_names names;		       /* that what is found now refers to */
	struct v8_names old_names;	       /* ... what was found before they were renewed */
	bool is_renewed_next;		       /* nothing refers to the old ones any more */
	struct v8_counts counts;	       /* so far */
	uint64_t walked_stacks, copied_stacks; /* with frames of JavaScript */

	/* Of the other one. */
	uint32_t taken; /* the generation of names that the last stacks refer to */
	/* Two rounds, as of records: what came before the last one has had its turn. */
	struct found_round {
		struct js_found found;
		struct index_map map; /* of its stacks */
	} rounds[2];
	VEC(struct perf_found_name) answer;
	struct buf text;
};

struct js_frames *js_frames_new(struct perf_session *session, struct v8_walker *walker,
				bool wants_lines)
{
	struct js_frames *j = mem_zalloc(1, sizeof(*j));
	j->session = session;
	j->wants_lines = wants_lines;
	j->walker = walker;
	js_processes_init(&j->processes, walker, &j->names);
	pthread_mutex_init(&j->lock, NULL);
	return j;
}

void js_found_fini(struct js_found *f)
{
	vec_fini(&f->stacks);
	vec_fini(&f->frames);
	vec_fini(&f->walked);
	buf_fini(&f->moved);
}

void js_frames_free(struct js_frames *j)
{
	if (!j)
		return;
	js_processes_fini(&j->processes);
	for (unsigned i = 0; i < ARRAY_SIZE(j->rounds); i++) {
		js_found_fini(&j->rounds[i].found);
		index_map_fini(&j->rounds[i].map);
	}
	pthread_mutex_destroy(&j->lock);
	vec_fini(&j->wanted);
	vec_fini(&j->answer);
	v8_names_fini(&j->names);
	v8_names_fini(&j->old_names);
	buf_fini(&j->text);
	free(j);
}

bool js_frames_has_any(const struct js_frames *j)
{
	return j->has_any;
}

/* --- whose samples are wanted --- */

void js_frames_want(struct js_frames *j, int32_t pid)
{
	pthread_mutex_lock(&j->lock);
	j->is_filtered = true;
	if (pid)
		vec_push(&j->wanted, pid);
	pthread_mutex_unlock(&j->lock);
}

void js_frames_expect(struct js_frames *j, const int32_t *pids, uint32_t n)
{
	js_processes_expect(&j->processes, pids, n);
}

static bool take_wanted(struct js_frames *j)
{
	pthread_mutex_lock(&j->lock);
	for (uint32_t i = 0; i < j->wanted.n; i++)
		js_processes_get(&j->processes, j->wanted.p[i])->is_wanted = true;
	j->wanted.n = 0;
	bool is_filtered = j->is_filtered;
	pthread_mutex_unlock(&j->lock);
	return is_filtered;
}

/* Children of those that are wanted are, too. */
static void on_fork(struct js_frames *j, const char *body)
{
	struct {
		int32_t pid, parent;
	} r;
	memcpy(&r, body, sizeof(r));
	if (r.pid == r.parent)
		return;
	bool is_wanted = js_processes_get(&j->processes, r.parent)->is_wanted;
	js_processes_forget(&j->processes, r.pid);
	js_processes_get(&j->processes, r.pid)->is_wanted = is_wanted;
}

/* --- names for a while --- */

/*
 * Programs make functions for ever. So names are begun anew with each period, but not those of the period
 * before: records that wait refer to them. A code is a place and whether its names' generation is odd.
 */
static uint32_t code_of(v8_place_id place, uint32_t generation)
{
	return place << 1 | (generation & 1);
}

static const struct v8_names *names_of(const struct js_frames *j, uint32_t code)
{
	return (code & 1) == (j->names.generation & 1) ? &j->names : &j->old_names;
}

void js_frames_end_period(struct js_frames *j)
{
	pthread_mutex_lock(&j->lock);
	/* Stacks come in the order in which they were found: none of an older generation will. */
	if (j->taken == j->names.generation && !j->is_renewed_next) {
		v8_names_clear(&j->old_names);
		j->is_renewed_next = true;
	}
	pthread_mutex_unlock(&j->lock);
}

/* By the thread that finds stacks, between two looks: those of one look are of one generation. */
static uint32_t renew_names(struct js_frames *j)
{
	pthread_mutex_lock(&j->lock);
	if (j->is_renewed_next) {
		struct v8_names empty = j->old_names;
		j->old_names = j->names;
		j->names = empty;
		j->names.generation = j->old_names.generation + 1;
		j->is_renewed_next = false;
	}
	uint32_t generation = j->names.generation;
	pthread_mutex_unlock(&j->lock);
	return generation;
}

/* --- samples --- */

static uint32_t hash_of(int32_t tid, uint64_t time_ns)
{
	return hash_pair((uint32_t)time_ns ^ (uint32_t)(time_ns >> 32) * 31, (uint32_t)tid);
}

/* What every sample begins with, as attributes_complete asks for it. */
struct sample_ids {
	uint64_t identifier, ip;
	int32_t pid, tid;
	uint64_t time_ns;
};

/* walked: NULL: it was not. */
static void keep(struct js_found *found, const struct sample_ids *ids,
		 const struct v8_frame *frames, uint32_t n, const struct v8_walked *walked)
{
	struct found_stack stack = { .tid = ids->tid,
				     .time_ns = ids->time_ns,
				     .first = found->frames.n,
				     .n = n,
				     .first_walked = found->walked.n,
				     .walked = walked ? walked->n : 0,
				     .has_more = walked && walked->has_more };
	for (uint32_t i = 0; i < n; i++)
		vec_push(&found->frames,
			 (struct perf_found_frame){
				 .ip = frames[i].pc,
				 .frame_pointer = frames[i].fp,
				 .code = code_of(frames[i].place, found->generation),
				 .is_missing = frames[i].is_missing });
	for (uint32_t i = 0; i < stack.walked; i++)
		vec_push(&found->walked,
			 (struct perf_walked_frame){ walked->frames[i].pc, walked->frames[i].fp });
	vec_push(&found->stacks, stack);
}

static struct v8_registers registers_of(const struct perf_user_state *state)
{
	return (struct v8_registers){ .pc = state->registers[PERF_REG_X86_IP],
				      .sp = state->registers[PERF_REG_X86_SP],
				      .fp = state->registers[PERF_REG_X86_BP],
				      .di = state->registers[PERF_REG_X86_DI],
				      .cx = state->registers[PERF_REG_X86_CX],
				      .r9 = state->registers[PERF_REG_X86_R9],
				      .top = state->stack };
}

/* What the kernel walked, if it is of this very sample. state: NULL: the sample has no registers. */
static const struct v8_walked *walked_of(struct js_frames *j, const struct sample_ids *ids,
					 const struct perf_user_state *state)
{
	struct v8_walked *w = &j->walked;
	if (!j->walker || !v8_walker_find(j->walker, ids->tid, ids->time_ns, w))
		return NULL;
	bool is_same = !state || (state->registers[PERF_REG_X86_IP] == w->registers.pc &&
				  state->registers[PERF_REG_X86_SP] == w->registers.sp &&
				  state->registers[PERF_REG_X86_BP] == w->registers.fp);
	return is_same ? w : NULL;
}

/* Links in a copy may be old: of those, only what the stack itself has is there. Returns how many are left. */
static uint32_t drop_missing(struct v8_frame *frames, uint32_t n)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!frames[i].is_missing)
			frames[kept++] = frames[i];
	return kept;
}

static void on_stack(struct js_frames *j, struct js_process *p, const char *bytes,
		     const struct sample_ids *ids, struct js_found *found)
{
	struct v8_raw_frame *raw = j->walked.frames, *links = j->links;
	struct v8_frame *frames = j->frames;
	struct perf_user_state state;
	bool has_state = perf_session_peek(j->session, bytes, &state);
	const struct v8_walked *w = walked_of(j, ids, has_state ? &state : NULL);
	if (!w && !has_state)
		return;
	struct v8_registers r = w ? w->registers : registers_of(&state);
	uint32_t n =
		w ? w->n : v8_frames_of_copy(&p->file->layout, &r, state.stack, raw, WALKER_FRAMES);
	pthread_mutex_lock(&j->lock);
	n = v8_name_frames(p->v8, &r, raw, n, frames, WALKER_FRAMES, &j->counts);
	if (!n && has_state) {
		n = v8_links_of_copy(p->v8, &r, state.stack, links, WALKER_FRAMES);
		n = v8_name_frames(p->v8, &r, links, n, frames, WALKER_FRAMES, &j->counts);
		n = drop_missing(frames, n);
	}
	*(w ? &j->walked_stacks : &j->copied_stacks) += n > 0;
	pthread_mutex_unlock(&j->lock);
	js_processes_count(&j->processes, p, n > 0);
	if (n || w)
		keep(found, ids, frames, n, w);
}

/* A stack without JavaScript, which the kernel walked where it is deep. */
static void keep_deep(struct js_frames *j, const char *bytes, const struct sample_ids *ids,
		      struct js_found *found)
{
	struct perf_user_state state;
	if (!j->walker || !v8_walker_is_kept(j->walker, ids->tid))
		return;
	bool has_state = perf_session_peek(j->session, bytes, &state);
	const struct v8_walked *w = walked_of(j, ids, has_state ? &state : NULL);
	if (w)
		keep(found, ids, NULL, 0, w);
}

static void tell_of_moved(struct js_process *p, struct buf *records)
{
	struct process_mapping moved;
	while (v8_next_moved(p->v8, &moved))
		synthesize_moved(p->pid, &moved, records);
}

static void on_sample(struct js_frames *j, const char *bytes, bool is_filtered,
		      struct js_found *found)
{
	struct perf_event_header h;
	struct sample_ids ids;
	memcpy(&h, bytes, sizeof(h));
	if (h.size < sizeof(h) + sizeof(ids))
		return;
	memcpy(&ids, bytes + sizeof(h), sizeof(ids));
	if (ids.pid <= 0 || (is_filtered && !js_processes_get(&j->processes, ids.pid)->is_wanted))
		return;
	struct js_process *p = js_processes_of_sample(&j->processes, ids.pid, ids.time_ns);
	if (!p) {
		keep_deep(j, bytes, &ids, found);
		return;
	}
	j->has_any = true;
	on_stack(j, p, bytes, &ids, found);
	tell_of_moved(p, &found->moved);
}

/* It is another program now. */
static void on_comm(struct js_frames *j, const struct perf_event_header *h, const char *body)
{
	struct record_trailer trailer;
	int32_t pid;
	size_t n = h->size - sizeof(*h);
	memcpy(&pid, body, sizeof(pid));
	if (!(h->misc & PERF_RECORD_MISC_COMM_EXEC) || n < sizeof(trailer))
		return;
	memcpy(&trailer, body + n - sizeof(trailer), sizeof(trailer));
	js_processes_end(&j->processes, pid, trailer.time_ns);
}

static void on_end(struct js_frames *j, const char *body)
{
	struct {
		int32_t pid, parent, tid;
	} r;
	memcpy(&r, body, sizeof(r));
	if (r.pid == r.tid)
		js_processes_end(&j->processes, r.pid, UINT64_MAX);
}

/* Node.js may be a library that is mapped some time after the program's start. */
static void on_mapping(struct js_frames *j, const struct perf_event_header *h, const char *body)
{
	enum { PATH_AT = 64 }; /* behind pid, tid, address, length, offset, file and protection */
	int32_t pid;
	size_t n = h->size - sizeof(*h);
	if (n <= PATH_AT)
		return;
	struct str path = { body + PATH_AT, strnlen(body + PATH_AT, n - PATH_AT) };
	memcpy(&pid, body, sizeof(pid));
	if (str_starts(str_basename(path), STR("libnode.so")))
		js_processes_forget(&j->processes, pid);
}

void js_frames_look(struct js_frames *j, const char *bytes, size_t n, struct js_found *found)
{
	enum { LEAST_BODY = 16 };
	struct perf_event_header h;
	found->stacks.n = found->frames.n = found->walked.n = 0;
	found->moved.n = 0;
	found->generation = renew_names(j);
	bool is_filtered = take_wanted(j);
	js_processes_begin_look(&j->processes);
	for (; n >= sizeof(h); bytes += h.size, n -= h.size) {
		memcpy(&h, bytes, sizeof(h));
		if (h.size < sizeof(h) + LEAST_BODY || h.size > n)
			return;
		const char *body = bytes + sizeof(h);
		if (h.type == PERF_RECORD_SAMPLE && v8_walker_wrote(j->walker, bytes))
			v8_walker_take(j->walker, bytes);
		else if (h.type == PERF_RECORD_SAMPLE)
			on_sample(j, bytes, is_filtered, found);
		else if (h.type == PERF_RECORD_FORK)
			on_fork(j, body);
		else if (h.type == PERF_RECORD_COMM)
			on_comm(j, &h, body);
		else if (h.type == PERF_RECORD_EXIT)
			on_end(j, body);
		else if (h.type == PERF_RECORD_MMAP2)
			on_mapping(j, &h, body);
	}
}

/* --- their turn --- */

struct stack_key {
	int32_t tid;
	uint64_t time_ns;
};

static bool stack_equal(const void *list, uint32_t i, const void *key)
{
	const struct found_stack *a = &((const struct found_stack *)list)[i];
	const struct stack_key *b = key;
	return a->tid == b->tid && a->time_ns == b->time_ns;
}

void js_frames_take(struct js_frames *j, const struct js_found *found)
{
	struct found_round *round = &j->rounds[0];
	uint32_t first = round->found.frames.n, first_walked = round->found.walked.n;
	if (found->moved.n)
		perf_session_add_records(j->session, found->moved.p, found->moved.n, false);
	if (found->stacks.n)
		j->taken = found->generation;
	for (uint32_t i = 0; i < found->frames.n; i++)
		vec_push(&round->found.frames, found->frames.p[i]);
	for (uint32_t i = 0; i < found->walked.n; i++)
		vec_push(&round->found.walked, found->walked.p[i]);
	for (uint32_t i = 0; i < found->stacks.n; i++) {
		struct found_stack s = found->stacks.p[i];
		s.first += first;
		s.first_walked += first_walked;
		index_map_add(&round->map, hash_of(s.tid, s.time_ns), round->found.stacks.n);
		vec_push(&round->found.stacks, s);
	}
}

/* NULL: there is none. */
static const struct found_stack *find_stack(const struct found_round *round, int32_t tid,
					    uint64_t time_ns)
{
	struct stack_key key = { tid, time_ns };
	uint32_t i = index_map_find(&round->map, hash_of(tid, time_ns), stack_equal,
				    round->found.stacks.p, &key);
	return i == INDEX_NONE ? NULL : &round->found.stacks.p[i];
}

uint32_t js_frames_find(struct js_frames *j, int32_t tid, uint64_t time_ns,
			const struct perf_found_frame **frames)
{
	for (unsigned i = 0; i < ARRAY_SIZE(j->rounds); i++) {
		const struct found_stack *s = find_stack(&j->rounds[i], tid, time_ns);
		if (!s)
			continue;
		*frames = j->rounds[i].found.frames.p + s->first;
		return s->n;
	}
	return 0;
}

bool js_frames_walked(struct js_frames *j, int32_t tid, uint64_t time_ns, struct perf_walked *out)
{
	for (unsigned i = 0; i < ARRAY_SIZE(j->rounds); i++) {
		const struct found_round *round = &j->rounds[i];
		const struct found_stack *s = find_stack(round, tid, time_ns);
		if (!s)
			continue;
		*out = (struct perf_walked){ round->found.walked.p + s->first_walked, s->walked,
					     s->has_more };
		return s->walked > 0;
	}
	return false;
}

void js_frames_end_round(struct js_frames *j)
{
	struct found_round old = j->rounds[1];
	j->rounds[1] = j->rounds[0];
	j->rounds[0] = old;
	j->rounds[0].found.stacks.n = j->rounds[0].found.frames.n = j->rounds[0].found.walked.n = 0;
	index_map_clear(&j->rounds[0].map);
}

/* --- names --- */

static void add_name(struct js_frames *j, const struct v8_names *names,
		     const struct v8_place *place, bool is_inlined)
{
	const struct v8_function *f = &names->functions.p[place->function];
	struct perf_found_name name = { .module = STR("[JIT] V8"), .file = f->file };
	size_t start = j->text.n;
	v8_function_describe(f, place->tier, &j->text);
	name.name = (struct str){ (const char *)start, j->text.n - start }; /* moved later */
	bool has_line = j->wants_lines && place->line;
	name.line = has_line ? place->line : f->line;
	name.column = has_line ? place->column : f->column;
	name.function_line = f->line;
	name.function_column = f->column;
	name.kind = v8_function_is_wasm(f) ? FRAME_WASM
		    : place->tier == '~'   ? FRAME_INTERPRETED
					   : FRAME_JIT;
	name.is_inlined = is_inlined;
	vec_push(&j->answer, name);
}

uint32_t js_frames_name(struct js_frames *j, uint32_t code, const struct perf_found_name **names)
{
	enum { MAX_DEPTH = 128 };
	v8_place_id chain[MAX_DEPTH];
	uint32_t n = 0;
	j->answer.n = 0;
	j->text.n = 0;
	pthread_mutex_lock(&j->lock);
	const struct v8_names *known = names_of(j, code);
	for (v8_place_id at = code >> 1; at < known->places.n && n < MAX_DEPTH;
	     at = known->places.p[at].caller)
		chain[n++] = at;
	for (uint32_t i = n; i-- > 0;)
		add_name(j, known, &known->places.p[chain[i]], i + 1 < n);
	pthread_mutex_unlock(&j->lock);
	for (uint32_t i = 0; i < j->answer.n; i++)
		j->answer.p[i].name.p = j->text.p + (size_t)j->answer.p[i].name.p;
	*names = j->answer.p;
	return j->answer.n;
}

/* --- how it went --- */

static void add_share(struct buf *out, const char *what, uint64_t part, uint64_t all)
{
	if (!part)
		return;
	buf_addf(out, ", %s ", what);
	buf_add_percent(out, part, all);
}

uint64_t js_frames_copied(struct js_frames *j)
{
	pthread_mutex_lock(&j->lock);
	uint64_t copied = j->copied_stacks;
	pthread_mutex_unlock(&j->lock);
	return copied;
}

void js_frames_add_notes(struct js_frames *j, struct profile *p)
{
	js_processes_add_notes(&j->processes, p);
}

static void add_count(struct buf *out, const char *before, uint64_t n, const char *behind)
{
	buf_addf(out, "%s", before);
	buf_add_grouped(out, n);
	buf_addf(out, "%s", behind);
}

void js_frames_describe(struct js_frames *j, struct buf *out)
{
	pthread_mutex_lock(&j->lock);
	struct v8_counts c = j->counts;
	uint64_t walked = j->walked_stacks, copied = j->copied_stacks;
	pthread_mutex_unlock(&j->lock);
	if (!c.frames && !c.unnamed)
		return;
	uint64_t all = c.frames + c.unnamed;
	buf_add_counted(out, c.frames, "frame", "frames");
	buf_addf(out, " named from V8's heap");
	add_share(out, "interpreted", c.interpreted, all);
	add_share(out, "baseline", c.baseline, all);
	add_share(out, "Maglev", c.maglev, all);
	add_share(out, "TurboFan", c.optimized, all);
	add_share(out, "tier unknown", c.unknown_tier, all);
	add_share(out, "function gone", c.unnamed, all);
	if (c.inlined)
		add_count(out, "; ", c.inlined, " inlined");
	if (c.by_register)
		add_count(out, "; ", c.by_register, " sampled before their frame was set up");
	add_count(out, "; stacks walked in the kernel ", walked, "");
	add_count(out, ", in copies ", copied, "");
}
