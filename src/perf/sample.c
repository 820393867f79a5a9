/* Samples: their addresses become locations, their stacks nodes of a tree of locations. */
#include "perf/perf_int.h"

#include <time.h>

/* --- addresses --- */

/* No mapping is known there: code that the process made before it was recorded, or no code at all. */
static mapped_id nowhere(struct perf_session *s, struct perf_process *process)
{
	if (process->nowhere == INDEX_NONE) {
		struct mapped m = { .kind = MAPPED_JIT, .pid = process->pid, .is_nowhere = true };
		process->nowhere = mapped_table_get(&s->mapped, &m);
	}
	return process->nowhere;
}

/* Code that a jitdump file knows of at that time. */
static bool find_in_jitdump(const struct perf_session *s, const struct perf_process *process,
			    struct location *l, uint64_t time_ns)
{
	const struct jitdump *j =
		process->jitdump == INDEX_NONE ? NULL : s->mapped.list.p[process->jitdump].jitdump;
	/* Its times are of CLOCK_MONOTONIC; of other clocks the last code at the address is taken. */
	bool is_same_clock = s->events.list.n && s->events.list.p[0].clock == CLOCK_MONOTONIC;
	uint32_t code =
		j ? jitdump_find(j, l->address, is_same_clock ? time_ns : UINT64_MAX) : INDEX_NONE;
	if (code == INDEX_NONE)
		return false;
	l->mapped = process->jitdump;
	l->code = code & INT32_MAX;
	return true;
}

static const struct mapping_row *find_row(const struct perf_session *s,
					  const struct perf_process *process, uint64_t address)
{
	const struct address_space *spaces = s->processes.spaces.p;
	const struct mapping_row *row = address_space_find(&spaces[process->space], address);
	if (!row && process->old_space != INDEX_NONE)
		row = address_space_find(&spaces[process->old_space], address);
	return row;
}

static location_id locate_slowly(struct perf_session *s, struct perf_process *process, uint64_t ip,
				 bool is_call, uint64_t time_ns)
{
	struct location l = { .address = ip - (is_call && ip), .ip = ip, .is_call = is_call };
	const struct mapping_row *row = find_row(s, process, l.address);
	bool is_file = row && s->mapped.list.p[row->mapped].kind != MAPPED_JIT;
	if (is_file || !find_in_jitdump(s, process, &l, time_ns)) {
		l.mapped = row ? row->mapped : nowhere(s, process);
		if (row)
			l.address = l.address - row->start + row->file_offset;
	}
	return locations_get(&s->locations, &l);
}

static struct recent_location *recent_slot(struct perf_session *s, uint64_t ip, bool is_call)
{
	uint64_t hash = (ip * 2 + is_call) * 0x9E3779B97F4A7C15ull;
	return &s->recent[hash >> 48 & (RECENT_LOCATIONS - 1)];
}

location_id perf_session_locate(struct perf_session *s, struct perf_process *process, uint64_t ip,
				bool is_call, uint64_t time_ns)
{
	/* The lowest bit of version is is_call: an address may be both. */
	uint32_t version = s->processes.spaces.p[process->space].version << 1 | is_call;
	struct recent_location *recent = recent_slot(s, ip, is_call);
	if (recent->ip == ip && recent->version == version)
		return recent->location;
	location_id id = locate_slowly(s, process, ip, is_call, time_ns);
	/* What jitdump says, and the program before exec, hold for this moment only. */
	if (process->jitdump == INDEX_NONE && process->old_space == INDEX_NONE)
		*recent = (struct recent_location){ ip, version, id };
	return id;
}

static location_id locate_kernel(struct perf_session *s, uint64_t ip, bool is_call)
{
	uint32_t version = s->processes.kernel.version << 1 | is_call;
	struct recent_location *recent = recent_slot(s, ip, is_call);
	if (recent->ip == ip && recent->version == version)
		return recent->location;
	struct location l = { .mapped = s->kernel_id,
			      .address = ip - (is_call && ip),
			      .ip = ip,
			      .is_call = is_call };
	const struct mapping_row *code = address_space_find(&s->processes.kernel, l.address);
	if (code)
		l.mapped = code->mapped;
	location_id id = locations_get(&s->locations, &l);
	*recent = (struct recent_location){ ip, version, id };
	return id;
}

static location_id locate_guest(struct perf_session *s, uint64_t ip)
{
	struct mapped m = { .kind = MAPPED_GUEST, .path = STR("[guest]") };
	mapped_id id = mapped_table_get(&s->mapped, &m);
	return locations_get(&s->locations,
			     &(struct location){ .mapped = id, .address = ip, .ip = ip });
}

/* --- stacks --- */

enum stack_part { PART_USER, PART_KERNEL, PART_GUEST };

static enum stack_part part_of_mode(uint16_t misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
	case PERF_RECORD_MISC_HYPERVISOR:
		return PART_KERNEL;
	case PERF_RECORD_MISC_GUEST_KERNEL:
	case PERF_RECORD_MISC_GUEST_USER:
		return PART_GUEST;
	default:
		return PART_USER;
	}
}

static void push_address(struct perf_session *s, struct perf_process *process, enum stack_part part,
			 uint64_t ip, bool is_call, uint64_t time_ns)
{
	location_id id = part == PART_KERNEL ? locate_kernel(s, ip, is_call)
			 : part == PART_GUEST
				 ? locate_guest(s, ip)
				 : perf_session_locate(s, process, ip, is_call, time_ns);
	vec_push(&s->stack, id);
}

struct chain_facts {
	uint32_t addresses;
	bool has_user;
	bool is_deferred;
	uint64_t cookie;
};

/* Stacks of code without frame pointers hold any number; these few are the kernel's. */
static bool is_context(uint64_t ip)
{
	return ip == PERF_CONTEXT_KERNEL || ip == PERF_CONTEXT_USER || ip == PERF_CONTEXT_HV ||
	       ip == CONTEXT_USER_DEFERRED || ip == PERF_CONTEXT_GUEST ||
	       ip == PERF_CONTEXT_GUEST_KERNEL || ip == PERF_CONTEXT_GUEST_USER;
}

/* The addresses of a call chain, which names its parts by numbers that are no addresses. */
static struct chain_facts push_chain(struct perf_session *s, struct perf_process *process,
				     const struct perf_record *r, const struct perf_sample *sample)
{
	struct chain_facts facts = { 0 };
	struct cursor c = sample->chain;
	enum stack_part part = part_of_mode(r->misc);
	bool is_call = false; /* the first address of each part was interrupted: it is exact */
	while (cursor_left(&c) >= 8) {
		uint64_t ip = cursor_u64(&c);
		if (!is_context(ip)) {
			push_address(s, process, part, ip, is_call, sample->ids.time_ns);
			facts.addresses++;
			facts.has_user |= part == PART_USER;
			is_call = true;
			continue;
		}
		is_call = false;
		if (ip == CONTEXT_USER_DEFERRED) {
			facts.is_deferred = true;
			facts.cookie = cursor_u64(&c);
		}
		part = ip == PERF_CONTEXT_KERNEL || ip == PERF_CONTEXT_HV ? PART_KERNEL
		       : ip == PERF_CONTEXT_USER			  ? PART_USER
									  : PART_GUEST;
	}
	return facts;
}

static node_id node_of_stack(struct perf_session *s)
{
	node_id node = NODE_ROOT;
	for (uint32_t i = s->stack.n; i-- > 0;)
		node = profile_add_node(s->raw, node, s->stack.p[i]);
	return node;
}

void perf_session_note_cut(struct perf_session *s)
{
	if (s->is_cut)
		return;
	s->is_cut = true;
	s->p->ledger.count[LEDGER_TRUNCATED]++;
	if (s->stack.n)
		vec_push(&s->cut_at, s->stack.p[s->stack.n - 1]);
}

/* The kernel's own limit is kernel.perf_event_max_stack, which recordings do not say. */
enum { USUAL_MAX_STACK = 127 };

static void note_truncation(struct perf_session *s, const struct perf_event *event,
			    const struct chain_facts *facts)
{
	uint32_t max = event->max_stack ? event->max_stack : USUAL_MAX_STACK;
	if (facts->addresses >= max)
		perf_session_note_cut(s);
}

/* --- samples --- */

static str_id container_of(const struct perf_session *s, uint64_t cgroup)
{
	const struct cgroup *c = cgroup ? perf_cgroup_find(s, cgroup) : NULL;
	return c ? c->path : STR_NONE;
}

static void add_row(struct perf_session *s, struct sample *row)
{
	row->node = node_of_stack(s);
	s->p->ledger.count[LEDGER_NO_STACK] += s->stack.n == 0;
	profile_add_sample(s->raw, row);
}

static void note_time(struct perf_session *s, uint64_t time_ns)
{
	if (!time_ns) {
		s->p->ledger.count[LEDGER_NO_TIME]++;
		return;
	}
	if (!s->first_ns || time_ns < s->first_ns)
		s->first_ns = time_ns;
	if (time_ns > s->last_ns)
		s->last_ns = time_ns;
}

/* A thread has one at a time, and it comes when the thread leaves the kernel. */
enum { MAX_DEFERRED = 1 << 10 };

/* Keeps the kernel's part until the user's comes. */
static void defer(struct perf_session *s, const struct perf_sample *sample,
		  const struct sample *row, uint64_t cookie)
{
	if (s->deferred.n == MAX_DEFERRED)
		perf_session_end_deferred(s);
	struct deferred_sample d = { cookie, sample->ids.pid,	      sample->ids.tid,
				     *row,   s->deferred_locations.n, s->stack.n };
	for (uint32_t i = 0; i < s->stack.n; i++)
		vec_push(&s->deferred_locations, s->stack.p[i]);
	vec_push(&s->deferred, d);
}

static void push_stack(struct perf_session *s, const struct perf_event *event,
		       const struct perf_record *r, const struct perf_sample *sample,
		       struct chain_facts *facts)
{
	struct perf_process *process = perf_process_get(&s->processes, sample->ids.pid);
	if (part_of_mode(r->misc) == PART_USER)
		perf_process_forget_old(&s->processes, process);
	if (sample->has_chain)
		*facts = push_chain(s, process, r, sample);
	if (!facts->has_user && sample->has_user_registers && sample->user_stack.n)
		perf_session_unwind(s, event, sample, process);
	if (!s->stack.n && event->sample_type & PERF_SAMPLE_IP && !sample->has_chain)
		push_address(s, process, part_of_mode(r->misc), sample->ip, false,
			     sample->ids.time_ns);
	note_truncation(s, event, facts);
}

static void end_sample(struct perf_session *s, struct perf_event *event,
		       const struct perf_sample *sample, struct sample *row,
		       const struct chain_facts *facts)
{
	event->samples++;
	s->p->ledger.count[LEDGER_SAMPLES]++;
	if (facts->is_deferred)
		defer(s, sample, row, facts->cookie);
	else
		add_row(s, row);
}

/* One event of a group sampled, and all were read: each that counted something has a sample here. */
static void add_group(struct perf_session *s, const struct perf_event *leader,
		      const struct perf_sample *sample, struct sample row,
		      const struct chain_facts *facts)
{
	struct cursor c = sample->group;
	while (cursor_left(&c)) {
		uint64_t counted = cursor_u64(&c);
		struct event_of_id *id = perf_events_find_id(&s->events, cursor_u64(&c));
		if (leader->read_format & FORMAT_LOST)
			cursor_u64(&c);
		if (!id || counted == id->counted)
			continue;
		struct perf_event *event = &s->events.list.p[id->event];
		row.event = id->event;
		row.period = counted - id->counted;
		id->counted = counted;
		end_sample(s, event, sample, &row, facts);
	}
}

void perf_session_sample(struct perf_session *s, const struct perf_record *r)
{
	struct perf_sample sample;
	struct perf_event *event = s->events.list.p;
	if (s->events.list.n > 1)
		event = perf_events_find(&s->events, perf_sample_id(event, r, s->is_swapped));
	if (!event) {
		perf_session_bad_record(s, r->offset, "a sample, but no event is described");
		return;
	}
	if (!perf_sample_read(event, r, s->is_swapped, &sample)) {
		perf_session_bad_record(s, r->offset,
					"a sample of %u bytes is shorter than its "
					"fields",
					r->size);
		return;
	}
	struct chain_facts facts = { 0 };
	s->stack.n = 0;
	s->is_cut = false;
	push_stack(s, event, r, &sample, &facts);
	note_time(s, sample.ids.time_ns);
	struct perf_thread *thread = perf_thread_get(&s->processes, sample.ids.pid, sample.ids.tid);
	if (thread->pid != sample.ids.pid) { /* its number was given to another process */
		thread->pid = sample.ids.pid;
		thread->row = THREAD_NONE;
	}
	struct sample row = {
		.thread = perf_thread_row(&s->processes, thread, container_of(s, sample.cgroup)),
		.event = (event_id)(event - s->events.list.p),
		.cpu = sample.ids.cpu,
		.time_ns = sample.ids.time_ns,
		.count = 1,
		.period = sample.has_period ? sample.period
			  : event->is_rate  ? 1
					    : event->period,
	};
	if (cursor_left(&sample.group))
		add_group(s, event, &sample, row, &facts);
	else
		end_sample(s, event, &sample, &row, &facts);
}

/* --- user stacks that come later --- */

static void end_deferred(struct perf_session *s, struct deferred_sample *d, const location_id *user,
			 uint32_t n)
{
	s->stack.n = 0;
	for (uint32_t i = 0; i < d->n; i++)
		vec_push(&s->stack, s->deferred_locations.p[d->first + i]);
	for (uint32_t i = 0; i < n; i++)
		vec_push(&s->stack, user[i]);
	add_row(s, &d->sample);
}

void perf_session_deferred(struct perf_session *s, const struct perf_record *r,
			   const struct perf_ids *ids, const char *body_end)
{
	struct cursor c = { r->bytes + RECORD_HEADER_BYTES, body_end, s->is_swapped, false };
	uint64_t cookie = cursor_u64(&c), n = cursor_u64(&c);
	struct perf_sample part = { .ids = *ids };
	part.chain = (struct cursor){ c.p, c.end, s->is_swapped, false };
	if (c.is_short || n > cursor_left(&c) / 8) {
		perf_session_bad_record(s, r->offset,
					"a user stack that came later has %llu "
					"addresses in %u bytes",
					(unsigned long long)n, r->size);
		return;
	}
	part.chain.end = part.chain.p + n * 8;
	s->stack.n = 0;
	struct perf_record user_mode = *r;
	user_mode.misc = PERF_RECORD_MISC_USER;
	push_chain(s, perf_process_get(&s->processes, ids->pid), &user_mode, &part);
	uint32_t count = s->stack.n, kept = 0;
	AUTO_FREE location_id *user = mem_alloc(count + 1, sizeof(*user));
	if (count)
		memcpy(user, s->stack.p, count * sizeof(*user));
	for (uint32_t i = 0; i < s->deferred.n; i++) {
		struct deferred_sample *d = &s->deferred.p[i];
		if (d->cookie == cookie && d->tid == ids->tid)
			end_deferred(s, d, user, count);
		else
			s->deferred.p[kept++] = *d;
	}
	s->deferred.n = kept;
	if (!kept)
		s->deferred_locations.n = 0;
}

void perf_session_end_deferred(struct perf_session *s)
{
	for (uint32_t i = 0; i < s->deferred.n; i++)
		end_deferred(s, &s->deferred.p[i], NULL, 0);
	s->p->ledger.count[LEDGER_TRUNCATED] += s->deferred.n;
	s->deferred.n = 0;
	s->deferred_locations.n = 0;
}
