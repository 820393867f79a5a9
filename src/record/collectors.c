#include "record/collectors.h"

#include "record/drain.h"

#define COLLECTOR_ROW(name) &name##_collector,
static const struct collector *const collectors[] = { COLLECTORS(COLLECTOR_ROW) };
enum { COUNT = sizeof(collectors) / sizeof(*collectors) };
_Static_assert((int)COUNT <= (int)MAX_COLLECTORS, "a slot for each");

/* All active collectors that have this function. */
#define EACH_WITH(c, i, function)                                                                  \
	for (unsigned i = 0; i < COUNT; i++)                                                       \
		if ((c)->state[i] && collectors[i]->function)

/* --- life cycle --- */

void collecting_init(struct collecting *c, const struct record_options *options,
		     struct opened_events *events)
{
	c->options = options;
	c->events = events;
	c->start_ns = UINT64_MAX;
	known_processes_init(&c->processes);
	for (unsigned i = 0; i < COUNT; i++)
		c->state[i] = collectors[i]->begin(c, i);
}

static void drop_row(struct collecting *c, struct known_process *p)
{
	EACH_WITH (c, i, fresh_went) {
		collectors[i]->fresh_went(c->state[i], p);
	}
}

static void drop_gone(struct collecting *c)
{
	struct known_process *gone;
	while ((gone = known_processes_take_gone(&c->processes))) {
		drop_row(c, gone);
		free(gone);
	}
}

void collecting_fini(struct collecting *c)
{
	drop_gone(c);
	for (uint32_t i = 0; i < c->processes.list.n; i++)
		drop_row(c, c->processes.list.p[i]);
	EACH_WITH (c, i, free) {
		collectors[i]->free(c->state[i]);
	}
	known_processes_fini(&c->processes);
}

void collectors_ask(struct collecting *c)
{
	EACH_WITH (c, i, ask) {
		collectors[i]->ask(c->state[i]);
	}
}

void collectors_start(struct collecting *c)
{
	EACH_WITH (c, i, start) {
		collectors[i]->start(c->state[i]);
	}
}

void collectors_came(struct collecting *c, struct known_process *p)
{
	EACH_WITH (c, i, came) {
		collectors[i]->came(c->state[i], p);
	}
}

void collectors_went(struct collecting *c, struct known_process *p)
{
	EACH_WITH (c, i, went) {
		collectors[i]->went(c->state[i], p);
	}
}

void collectors_record(struct collecting *c, const struct perf_record *r)
{
	EACH_WITH (c, i, record) {
		collectors[i]->record(c->state[i], r);
	}
}

bool collectors_look(struct collecting *c, uint64_t now_ns)
{
	bool has_names = false;
	EACH_WITH (c, i, look) {
		has_names |= collectors[i]->look(c->state[i], now_ns);
	}
	return has_names;
}

void collectors_stop(struct collecting *c, uint64_t now_ns, bool is_part)
{
	EACH_WITH (c, i, stop) {
		collectors[i]->stop(c->state[i], now_ns, is_part);
	}
}

void collectors_end(struct collecting *c)
{
	EACH_WITH (c, i, end) {
		collectors[i]->end(c->state[i]);
	}
}

void collectors_describe(struct collecting *c, struct profile *p, bool is_part)
{
	EACH_WITH (c, i, describe) {
		collectors[i]->describe(c->state[i], p, is_part);
	}
}

void collectors_next(struct collecting *c, uint64_t now_ns)
{
	EACH_WITH (c, i, next) {
		collectors[i]->next(c->state[i], now_ns);
	}
}

/* --- BPF programs --- */

void collectors_attach(struct collecting *c, int fd, int cpu, int ring_fd)
{
	EACH_WITH (c, i, kernel) {
		collectors[i]->kernel->attach(c->state[i], fd, cpu, ring_fd);
	}
}

void collectors_detach(struct collecting *c)
{
	EACH_WITH (c, i, kernel) {
		collectors[i]->kernel->detach(c->state[i]);
	}
}

void collectors_leave_out(struct collecting *c, int32_t pid)
{
	EACH_WITH (c, i, kernel) {
		collectors[i]->kernel->leave_out(c->state[i], pid);
	}
}

uint64_t collectors_lost(const struct collecting *c)
{
	uint64_t lost = 0;
	EACH_WITH (c, i, kernel) {
		lost += collectors[i]->kernel->lost(c->state[i]);
	}
	return lost;
}

bool collectors_wrote(const struct collecting *c, const struct perf_record *r)
{
	EACH_WITH (c, i, kernel) {
		if (collectors[i]->kernel->wrote(c->state[i], r))
			return true;
	}
	return false;
}

/* Only one collector can expand samples: all collectors share them. */
size_t collectors_whole_bytes(const struct collecting *c, const char *bytes, size_t n)
{
	size_t whole = 0;
	EACH_WITH (c, i, kernel) {
		if (!whole && collectors[i]->kernel->whole_bytes)
			whole = collectors[i]->kernel->whole_bytes(c->state[i], bytes, n);
	}
	return whole;
}

void collectors_make_whole(struct collecting *c, const char *bytes, size_t n, char *to)
{
	EACH_WITH (c, i, kernel) {
		if (collectors[i]->kernel->make_whole) {
			collectors[i]->kernel->make_whole(c->state[i], bytes, n, to);
			return;
		}
	}
}

/* --- fresh records --- */

bool fresh_sample_has_state(struct fresh_sample *s)
{
	struct perf_sample fields;
	if (s->has_state == STATE_UNREAD)
		s->has_state = perf_sample_read(s->collecting->formats, s->record, &fields) &&
					       perf_user_state_read(&fields, &s->state)
				       ? STATE_READ
				       : STATE_NONE;
	return s->has_state == STATE_READ;
}

/* The code includes the collector's number. */
void fresh_sample_add(struct fresh_sample *s, unsigned collector, struct perf_found_frame frame)
{
	frame.code = frame.code * MAX_COLLECTORS + collector;
	vec_push(&s->found->frames, frame);
}

uint32_t collectors_name(void *collecting, uint32_t code, const struct perf_found_name **names)
{
	const struct collecting *c = collecting;
	unsigned i = code % MAX_COLLECTORS;
	return collectors[i]->name_frames(c->state[i], code / MAX_COLLECTORS, names);
}

void fresh_sample_add_walked(struct fresh_sample *s, struct perf_walked_frame frame)
{
	vec_push(&s->found->walked, frame);
}

struct buf *fresh_sample_records(struct fresh_sample *s)
{
	return &s->found->records;
}

static void look_at_sample(struct collecting *c, const struct perf_record *r, uint32_t at,
			   struct found_stacks *found)
{
	struct fresh_sample s = {
		.record = r, .ids = perf_record_ids(c->formats, r), .collecting = c, .found = found
	};
	struct found_stack stack = { at, found->frames.n, found->walked.n, { 0 } };
	if (s.ids.pid <= 0)
		return;
	s.process = c->is_filtered ? known_processes_find(&c->processes, s.ids.pid)
				   : known_processes_get(&c->processes, s.ids.pid);
	if (!s.process || (c->is_filtered && !s.process->is_wanted_fresh))
		return;
	EACH_WITH (c, i, fresh_sample) {
		collectors[i]->fresh_sample(c->state[i], &s);
	}
	stack.found.n = found->frames.n - stack.first;
	stack.found.walked.n = found->walked.n - stack.first_walked;
	stack.found.walked.has_more = s.has_more_walked;
	if (stack.found.n || stack.found.walked.n)
		vec_push(&found->list, stack);
}

/* Children of selected processes are selected. */
static void inherit(struct collecting *c, const struct perf_record *r)
{
	struct perf_task task;
	if (!c->is_filtered || !perf_task_read(c->formats, r, &task) || task.pid == task.parent)
		return;
	const struct known_process *parent = known_processes_find(&c->processes, task.parent);
	bool is_wanted = parent && parent->is_wanted_fresh;
	struct known_process *child = is_wanted ? known_processes_get(&c->processes, task.pid)
						: known_processes_find(&c->processes, task.pid);
	if (child)
		child->is_wanted_fresh = is_wanted;
}

static void look_at_record(struct collecting *c, const struct perf_record *r)
{
	if (r->type == PERF_RECORD_FORK)
		inherit(c, r);
	EACH_WITH (c, i, fresh_record) {
		collectors[i]->fresh_record(c->state[i], r);
	}
}

/* The arrays no longer move. */
static void set_pointers(struct found_stacks *found)
{
	for (uint32_t i = 0; i < found->list.n; i++) {
		struct found_stack *s = &found->list.p[i];
		s->found.frames = found->frames.p + s->first;
		s->found.walked.frames = found->walked.p + s->first_walked;
	}
}

void collectors_look_fresh(struct collecting *c, struct chunk *chunk)
{
	struct perf_records left = perf_records_of(chunk->bytes, chunk->n);
	struct perf_record r;
	chunk->number = ++c->fresh_chunk;
	drop_gone(c);
	EACH_WITH (c, i, fresh_begin) {
		collectors[i]->fresh_begin(c->state[i]);
	}
	while (perf_records_next(&left, &r)) {
		if (r.type == PERF_RECORD_SAMPLE && !collectors_wrote(c, &r))
			look_at_sample(c, &r, (uint32_t)(r.bytes - chunk->bytes), &chunk->found);
		else
			look_at_record(c, &r);
	}
	set_pointers(&chunk->found);
}
