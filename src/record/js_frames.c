/*
 * Finds the JavaScript frames of samples on arrival: functions move and die with the next garbage
 * collection, so the drain thread reads V8's heap within milliseconds. The results travel with the
 * records until their turn, which may be seconds later if naming takes long.
 */
#include "record/follow.h"
#include "record/js_processes_int.h"

struct js_frames {
	struct collecting *collecting;
	unsigned number; /* of this collector */

	/* Drain thread only. */
	struct v8_frame frames[WALKER_FRAMES];
	struct v8_raw_frame raw[WALKER_FRAMES];
	struct js_processes processes;

	pthread_mutex_t lock;		       /* for what both threads use: */
	struct v8_names names;		       /* current names */
	struct v8_names old_names;	       /* the names before the last renewal */
	uint64_t renewed_chunk;		       /* the first chunk with current names */
	bool is_renewed_next;		       /* nothing refers to the old ones any longer */
	struct v8_counts counts;	       /* so far */
	uint64_t walked_stacks, copied_stacks; /* that contain JavaScript */

	/* Recorder's thread only. */
	VEC(struct perf_found_name) answer;
	struct buf text;
};

static void *js_begin(struct collecting *c, unsigned number)
{
	struct js_frames *j = mem_zalloc(1, sizeof(*j));
	j->collecting = c;
	j->number = number;
	js_processes_init(&j->processes, c, number, &j->names);
	pthread_mutex_init(&j->lock, NULL);
	return j;
}

static void js_free(void *state)
{
	struct js_frames *j = state;
	js_processes_fini(&j->processes);
	pthread_mutex_destroy(&j->lock);
	vec_fini(&j->answer);
	v8_names_fini(&j->names);
	v8_names_fini(&j->old_names);
	buf_fini(&j->text);
	free(j);
}

/* Inspects running processes before their first sample, so that the walker has them by then. */
static void js_start(void *state)
{
	struct js_frames *j = state;
	js_processes_expect(&j->processes);
}

/* --- generations of names --- */

/*
 * Programs create functions forever, so names are renewed with each period. Those of the previous period stay for
 * records that wait. A code is a place plus the parity of the generation of its names.
 */
static uint32_t code_of(v8_place_id place, uint32_t generation)
{
	return place << 1 | (generation & 1);
}

static const struct v8_names *names_of(const struct js_frames *j, uint32_t code)
{
	return (code & 1) == (j->names.generation & 1) ? &j->names : &j->old_names;
}

static void js_next(void *state, uint64_t now_ns)
{
	struct js_frames *j = state;
	(void)now_ns;
	pthread_mutex_lock(&j->lock);
	/* Chunks arrive in order, so none with older names will follow. */
	if (j->renewed_chunk <= j->collecting->taken_chunk && !j->is_renewed_next) {
		v8_names_clear(&j->old_names);
		j->is_renewed_next = true;
	}
	pthread_mutex_unlock(&j->lock);
}

/* All stacks of a chunk use names of the same generation. */
static void js_fresh_begin(void *state)
{
	struct js_frames *j = state;
	pthread_mutex_lock(&j->lock);
	if (j->is_renewed_next) {
		struct v8_names empty = j->old_names;
		j->old_names = j->names;
		j->names = empty;
		j->names.generation = j->old_names.generation + 1;
		j->renewed_chunk = j->collecting->fresh_chunk;
		j->is_renewed_next = false;
	}
	pthread_mutex_unlock(&j->lock);
	js_processes_begin_look(&j->processes);
}

/* --- samples --- */

static void add_frames(const struct js_frames *j, struct fresh_sample *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		fresh_sample_add(s, j->number,
				 (struct perf_found_frame){
					 .ip = j->frames[i].pc,
					 .frame_pointer = j->frames[i].fp,
					 .code = code_of(j->frames[i].place, j->names.generation),
					 .is_missing = j->frames[i].is_missing });
}

/* Links in a copy may be stale: keeps only frames that the stack itself has. Returns their number. */
static uint32_t drop_missing(struct v8_frame *frames, uint32_t n)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!frames[i].is_missing)
			frames[kept++] = frames[i];
	return kept;
}

/* Uses the copy if the kernel did not walk the stack. */
static void on_stack(struct js_frames *j, struct js_process *p, struct fresh_sample *s)
{
	const struct v8_walked *w = s->walked;
	bool has_state = fresh_sample_has_state(s);
	if (!w && !has_state)
		return;
	struct str stack = s->state.stack;
	struct v8_registers r =
		w ? w->registers : v8_registers_of_perf(s->state.mask, s->state.registers, stack);
	uint32_t n =
		w ? w->n : v8_frames_of_copy(&p->file->layout, &r, stack, j->raw, WALKER_FRAMES);
	pthread_mutex_lock(&j->lock);
	n = v8_name_frames(p->v8, &r, w ? w->frames : j->raw, n, j->frames, WALKER_FRAMES,
			   &j->counts);
	if (!n && has_state) {
		n = v8_links_of_copy(p->v8, &r, stack, j->raw, WALKER_FRAMES);
		n = v8_name_frames(p->v8, &r, j->raw, n, j->frames, WALKER_FRAMES, &j->counts);
		n = drop_missing(j->frames, n);
	}
	*(w ? &j->walked_stacks : &j->copied_stacks) += n > 0;
	pthread_mutex_unlock(&j->lock);
	js_processes_count(&j->processes, p, n > 0);
	add_frames(j, s, n);
}

static void js_fresh_sample(void *state, struct fresh_sample *s)
{
	struct js_frames *j = state;
	struct process_mapping moved;
	struct js_process *p = js_processes_of_sample(&j->processes, s->process, s->ids.time_ns);
	if (!p)
		return;
	j->collecting->is_urgent = true;
	on_stack(j, p, s);
	while (v8_next_moved(p->v8, &moved))
		synthesize_moved(p->pid, &moved, fresh_sample_records(s));
}

static void js_fresh_record(void *state, const struct perf_record *r)
{
	struct js_frames *j = state;
	const struct perf_events *formats = j->collecting->formats;
	struct perf_task task;
	struct perf_comm comm;
	struct perf_mapping m;
	if (r->type == PERF_RECORD_FORK && perf_task_read(formats, r, &task) &&
	    task.pid != task.parent)
		js_processes_forget(&j->processes, task.pid);
	else if (r->type == PERF_RECORD_EXIT && perf_task_read(formats, r, &task) &&
		 task.pid == task.tid)
		js_processes_end(&j->processes, task.pid, UINT64_MAX);
	else if (r->type == PERF_RECORD_COMM && perf_comm_read(formats, r, &comm) && comm.is_exec)
		js_processes_end(&j->processes, comm.pid, perf_record_ids(formats, r).time_ns);
	/* Node.js may be a library that is mapped some time after the program starts. */
	else if (r->type == PERF_RECORD_MMAP2 && perf_mapping_read(formats, r, &m) &&
		 runtime_is_library(RUNTIME_NODE, m.mapping.path))
		js_processes_forget(&j->processes, m.pid);
}

static void js_fresh_went(void *state, struct known_process *p)
{
	struct js_frames *j = state;
	js_processes_drop(&j->processes, p);
}

/* --- names --- */

static void add_name(struct js_frames *j, const struct v8_names *names,
		     const struct v8_place *place, bool is_inlined)
{
	const struct v8_function *f = &names->functions.p[place->function];
	struct perf_found_name name = { .module = STR("[JIT] V8"), .file = f->file };
	size_t start = j->text.n;
	v8_function_describe(f, place->tier, &j->text);
	name.name = (struct str){ (const char *)start, j->text.n - start }; /* fixed up later */
	bool has_line = j->collecting->options->names.wants_lines && place->line;
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

static uint32_t js_name(void *state, uint32_t code, const struct perf_found_name **names)
{
	struct js_frames *j = state;
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

/* --- results --- */

static void add_share(struct buf *out, const char *what, uint64_t part, uint64_t all)
{
	if (!part)
		return;
	buf_addf(out, ", %s ", what);
	buf_add_percent(out, part, all);
}

static void add_count(struct buf *out, const char *before, uint64_t n, const char *behind)
{
	buf_addf(out, "%s", before);
	buf_add_grouped(out, n);
	buf_addf(out, "%s", behind);
}

static void describe_frames(struct js_frames *j, struct buf *out)
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

static void add_number(struct profile *p, struct str key, uint64_t value)
{
	AUTO(buf) struct buf text = { 0 };
	buf_add_u64(&text, value);
	profile_add_fact(p, key, buf_str(&text));
}

/* Reports what the program's own map contradicts, with the first examples. */
static void add_contradictions(const struct js_frames *j, struct profile *p, struct perf_counts c)
{
	AUTO(buf) struct buf text = { 0 };
	struct str first = perf_session_contradictions(j->collecting->session);
	ptrdiff_t end = str_find_char(first, '\n');
	buf_add_grouped(&text, c.contradicted);
	buf_add(&text, STR(" of "));
	buf_add_grouped(&text, c.witnessed);
	buf_addf(&text, " JavaScript frames %s named differently in the program's own map: %.*s",
		 c.contradicted == 1 ? "is" : "are",
		 STR_ARG(str_first(first, end < 0 ? 0 : (size_t)end)));
	profile_add_note(p, buf_str(&text));
}

/* How functions were named, and what the process's own map says, if it has one. */
static void add_fact(struct js_frames *j, struct profile *p)
{
	AUTO(buf) struct buf text = { 0 };
	struct perf_counts c = perf_session_counts(j->collecting->session);
	describe_frames(j, &text);
	if (c.witnessed) {
		buf_addf(&text, "; of ");
		buf_add_counted(&text, c.witnessed, "frame", "frames");
		buf_addf(&text, ", the program's own map agrees on ");
		buf_add_percent(&text, c.witnessed - c.contradicted, c.witnessed);
	}
	if (text.n)
		profile_add_fact(p, STR("javascript"), buf_str(&text));
	if (!c.witnessed)
		return;
	add_number(p, STR("js_witnessed"), c.witnessed);
	add_number(p, STR("js_contradicted"), c.contradicted);
	if (c.contradicted)
		add_contradictions(j, p, c);
}

/* Copies are limited in size, and functions move before they are read. */
static void add_walker_note(struct js_frames *j, struct profile *p)
{
	AUTO(buf) struct buf text = { 0 };
	const struct err *why = v8_walker_trouble(j->collecting->walker);
	pthread_mutex_lock(&j->lock);
	bool has_copied = j->copied_stacks;
	pthread_mutex_unlock(&j->lock);
	if (!why || !has_copied)
		return;
	buf_addf(&text,
		 "JavaScript stacks are read from copies of the stack, so deep ones are cut: %s",
		 why->text);
	profile_add_note(p, buf_str(&text));
}

static void js_describe(void *state, struct profile *p, bool is_part)
{
	struct js_frames *j = state;
	(void)is_part;
	add_fact(j, p);
	add_walker_note(j, p);
	js_processes_add_notes(&j->processes, p);
}

const struct collector js_collector = {
	.begin = js_begin,
	.start = js_start,
	.describe = js_describe,
	.next = js_next,
	.free = js_free,
	.name_frames = js_name,
	.fresh_begin = js_fresh_begin,
	.fresh_record = js_fresh_record,
	.fresh_sample = js_fresh_sample,
	.fresh_went = js_fresh_went,
};
