/* Samples: their addresses become locations, and their stacks nodes in a tree of locations. */
#include "perf/perf_int.h"

/* --- locations --- */

void locations_fini(struct locations *l)
{
	vec_fini(&l->list);
	index_map_fini(&l->map);
}

/* ip is 0 in keys unless it distinguishes locations. */
struct location_key {
	uint64_t address, ip;
	uint32_t mapped, code, is_call, unused;
};

static bool location_equal(const void *list, uint32_t i, const void *key)
{
	const struct location *a = &((const struct location *)list)[i];
	const struct location_key *k = key;
	return a->address == k->address && a->mapped == k->mapped && a->code == k->code &&
	       a->is_call == k->is_call && (!k->ip || a->ip == k->ip);
}

location_id locations_get(struct locations *l, const struct location *location)
{
	struct location_key key = { location->address, l->by_ip ? location->ip : 0,
				    location->mapped,  location->code,
				    location->is_call, 0 };
	uint32_t hash = hash_bytes(&key, sizeof(key));
	uint32_t i = index_map_find(&l->map, hash, location_equal, l->list.p, &key);
	if (i != INDEX_NONE)
		return i;
	index_map_add(&l->map, hash, l->list.n);
	vec_push(&l->list, *location);
	return l->list.n - 1;
}

/* --- addresses --- */

/* For unmapped addresses: code generated before the recording started, or no code at all. */
static mapped_id nowhere(struct perf_session *s, struct perf_process *process)
{
	if (process->nowhere == INDEX_NONE) {
		struct mapped m = { .kind = MAPPED_JIT, .pid = process->pid, .is_nowhere = true };
		process->nowhere = mapped_table_get(&s->mapped, &m);
	}
	return process->nowhere;
}

/* Finds code that was in a jitdump at that time. */
static bool find_in_jitdump(const struct perf_session *s, const struct perf_process *process,
			    struct location *l, uint64_t time_ns)
{
	uint32_t code = perf_session_jit_code(s, process, l->address, time_ns);
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
		if (!is_file)
			l.code = process->map_state & INT32_MAX;
	}
	return locations_get(&s->locations, &l);
}

static struct recent_location *recent_slot(struct perf_session *s, uint64_t ip, bool is_call)
{
	uint64_t hash = (ip * 2 + is_call) * 0x9E3779B97F4A7C15ull;
	return &s->recent[hash >> 48 & (RECENT_LOCATIONS - 1)];
}

static location_id locate_user(struct perf_session *s, struct perf_process *process, uint64_t ip,
			       bool is_call, uint64_t time_ns)
{
	/* The lowest bit of version is is_call: an address may be both. */
	uint32_t version = s->processes.spaces.p[process->space].version << 1 | is_call;
	struct recent_location *recent = recent_slot(s, ip, is_call);
	if (recent->ip == ip && recent->version == version)
		return recent->location;
	location_id id = locate_slowly(s, process, ip, is_call, time_ns);
	/* Results from a jitdump or from the space before exec are valid only for this moment. */
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

static location_id locate_gap(struct perf_session *s)
{
	struct mapped m = { .kind = MAPPED_GAP, .path = STR("[frames not recorded]") };
	mapped_id id = mapped_table_get(&s->mapped, &m);
	return locations_get(&s->locations, &(struct location){ .mapped = id });
}

/* --- stacks --- */

/* The state of the process's JIT map at that time decides whose code an address is. */
static void set_map_state(struct perf_session *s, struct perf_process *process, uint64_t time_ns)
{
	uint32_t state = processes_map_state(s->options.names.processes, process->jit_pid, time_ns);
	if (state == process->map_state)
		return;
	process->map_state = state;
	s->processes.spaces.p[process->space].version = ++s->processes.last_version;
}

static void locate_stack(struct perf_session *s, struct perf_process *process, uint64_t time_ns)
{
	set_map_state(s, process, time_ns);
	s->stack.locations.n = 0;
	for (uint32_t i = 0; i < s->stack.list.n; i++) {
		const struct stack_address *a = &s->stack.list.p[i];
		location_id id =
			a->found ? perf_session_locate_found(s, process->pid, a->found, a->ip)
			: a->part == PART_KERNEL ? locate_kernel(s, a->ip, a->is_call)
			: a->part == PART_GUEST	 ? locate_guest(s, a->ip)
			: a->part == PART_GAP	 ? locate_gap(s)
					      : locate_user(s, process, a->ip, a->is_call, time_ns);
		vec_push(&s->stack.locations, id);
		if (a->found && process->map_state)
			perf_session_add_witness(
				s, process, id,
				locate_user(s, process, a->ip, a->is_call, time_ns));
	}
}

static node_id node_of_stack(struct perf_session *s)
{
	node_id node = NODE_ROOT;
	for (uint32_t i = s->stack.locations.n; i-- > 0;)
		node = profile_add_node(s->raw, node, s->stack.locations.p[i]);
	return node;
}

/* Stores what the unwinder knows about the end of the stack, beyond the name of its outermost frame. */
static void note_end(struct perf_session *s)
{
	location_id outermost = 0;
	if (s->stack.locations.n)
		outermost = s->stack.locations.p[s->stack.locations.n - 1];
	if (s->stack.is_cut) {
		s->p->ledger.count[LEDGER_TRUNCATED]++;
		if (s->stack.locations.n)
			vec_push(&s->ends.cut, outermost);
	} else if (s->stack.is_rooted && s->stack.locations.n) {
		vec_push(&s->ends.rooted, outermost);
	}
}

/* --- samples --- */

static str_id container_of(struct perf_session *s, struct perf_process *process, uint64_t cgroup)
{
	const struct cgroup *c = cgroup ? perf_cgroup_find(s, cgroup) : NULL;
	if (c || !s->options.names.processes)
		return c ? c->path : STR_NONE;
	if (!process->is_container_known) {
		AUTO(buf) struct buf name = { 0 };
		processes_container(s->options.names.processes, process->pid, &name);
		process->container = profile_add_str(s->p, buf_str(&name));
		process->is_container_known = true;
	}
	return process->container;
}

static void add_row(struct perf_session *s, struct sample *row)
{
	row->node = node_of_stack(s);
	s->p->ledger.count[LEDGER_NO_STACK] += s->stack.locations.n == 0;
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

/* A thread has at most one, which ends when the thread leaves the kernel. */
enum { MAX_DEFERRED = 1 << 10 };

/* Keeps the kernel part until the user part arrives. */
static void defer(struct perf_session *s, const struct perf_sample *sample,
		  const struct sample *row, uint64_t cookie)
{
	if (s->deferred.list.n == MAX_DEFERRED)
		perf_session_end_deferred(s);
	uint32_t n = s->stack.locations.n;
	struct deferred_sample d = { cookie, sample->ids.pid,	      sample->ids.tid,
				     *row,   s->deferred.locations.n, n };
	for (uint32_t i = 0; i < n; i++)
		vec_push(&s->deferred.locations, s->stack.locations.p[i]);
	vec_push(&s->deferred.list, d);
}

static void end_sample(struct perf_session *s, struct perf_event *event,
		       const struct perf_sample *sample, struct sample *row)
{
	event->samples++;
	s->counts.samples++;
	s->p->ledger.count[LEDGER_SAMPLES]++;
	if (s->stack.is_deferred)
		defer(s, sample, row, s->stack.cookie);
	else
		add_row(s, row);
}

/* One event of a group was sampled and all were read: every event with a count gets a sample here. */
static void add_group(struct perf_session *s, const struct perf_event *leader,
		      const struct perf_sample *sample, struct sample row)
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
		end_sample(s, event, sample, &row);
	}
}

static uint64_t context_of_part(enum stack_part part)
{
	return part == PART_KERNEL ? PERF_CONTEXT_KERNEL
	       : part == PART_USER ? PERF_CONTEXT_USER
				   : PERF_CONTEXT_GUEST;
}

static void write_sample(struct perf_session *s, const struct perf_record *r,
			 const struct perf_sample *sample)
{
	enum { MAX_CHAIN = STACK_MAX_UNWOUND + 256 };
	uint64_t chain[MAX_CHAIN];
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->stack.list.n && n + 2 < MAX_CHAIN; i++) {
		const struct stack_address *a = &s->stack.list.p[i];
		if (a->part == PART_GAP)
			break; /* chains cannot express it */
		if (!i || a->part != s->stack.list.p[i - 1].part)
			chain[n++] = context_of_part(a->part);
		chain[n++] = a->ip;
	}
	perf_data_write_sample(s->writer, sample->ids.id, sample, r->misc, chain, n);
}

/* A thread that is exiting has lost its id, and its name with it: perf shows `:-1`. Its process is still known. */
static void name_ending_thread(struct perf_session *s, int32_t pid)
{
	enum { NO_ID = -1 };
	str_id comm = perf_thread_get(&s->processes, pid, pid)->comm;
	struct perf_thread *thread = perf_thread_get(&s->processes, pid, NO_ID);
	if (thread->comm != comm) {
		thread->comm = comm;
		thread->row = THREAD_NONE;
	}
}

static thread_id thread_row(struct perf_session *s, const struct perf_sample *sample,
			    struct perf_process *process)
{
	str_id container = container_of(s, process, sample->cgroup);
	if (s->options.live && sample->ids.pid > 0 && sample->ids.tid < 0)
		name_ending_thread(s, sample->ids.pid);
	struct perf_thread *thread =
		perf_thread_get(&s->processes, sample->ids.pid, sample->ids.tid);
	if (thread->pid != sample->ids.pid) { /* its id was reused by another process */
		thread->pid = sample->ids.pid;
		thread->row = THREAD_NONE;
	}
	return perf_thread_row(&s->processes, thread, container);
}

static void add_sample(struct perf_session *s, struct perf_event *event,
		       const struct perf_record *r, const struct perf_sample *sample)
{
	struct perf_process *process = perf_process_get(&s->processes, sample->ids.pid);
	if (stack_part_of_mode(r->misc) == PART_USER)
		perf_process_forget_old(&s->processes, process);
	perf_session_stack(s, event, r, sample, process);
	perf_session_put_walked(s, process, sample->found);
	perf_session_put_root(s, process);
	perf_session_put_found(s, process, sample->found);
	perf_session_put_gap(s, sample, process);
	if (s->writer)
		write_sample(s, r, sample);
	locate_stack(s, process, sample->ids.time_ns);
	note_end(s);
	note_time(s, sample->ids.time_ns);
	struct sample row = {
		.thread = thread_row(s, sample, process),
		.event = (event_id)(event - s->events.list.p),
		.cpu = sample->ids.cpu,
		.time_ns = sample->ids.time_ns,
		.count = 1,
		.period = sample->has_period ? sample->period
			  : event->is_rate   ? 1
					     : event->period,
	};
	if (cursor_left(&sample->group))
		add_group(s, event, sample, row);
	else
		end_sample(s, event, sample, &row);
}

void perf_session_sample(struct perf_session *s, const struct perf_record *r)
{
	struct perf_sample sample;
	if (!s->events.list.n)
		perf_session_bad_record(s, r->offset,
					"a sample in a file that describes no events");
	else if (!perf_sample_read(&s->events, r, &sample))
		perf_session_bad_record(s, r->offset,
					"a sample of %u bytes is shorter than its fields", r->size);
	else
		add_sample(s, &s->events.list.p[sample.event], r, &sample);
}

/* --- deferred user stacks --- */

static void end_deferred(struct perf_session *s, struct deferred_sample *d, const location_id *user,
			 uint32_t n)
{
	s->stack.locations.n = 0;
	for (uint32_t i = 0; i < d->n; i++)
		vec_push(&s->stack.locations, s->deferred.locations.p[d->first + i]);
	for (uint32_t i = 0; i < n; i++)
		vec_push(&s->stack.locations, user[i]);
	add_row(s, &d->sample);
}

void perf_session_deferred(struct perf_session *s, const struct perf_record *r)
{
	struct perf_ids ids = perf_record_ids(&s->events, r);
	struct cursor c = perf_record_body(&s->events, r);
	uint64_t cookie = cursor_u64(&c), n = cursor_u64(&c);
	if (c.is_short || n > cursor_left(&c) / 8) {
		perf_session_bad_record(s, r->offset,
					"a deferred user stack claims %llu addresses in %u bytes",
					(unsigned long long)n, r->size);
		return;
	}
	struct cursor chain = { c.p, c.p + n * 8, s->events.is_swapped, false };
	perf_session_stack_of_chain(s, chain, PERF_RECORD_MISC_USER);
	locate_stack(s, perf_process_get(&s->processes, ids.pid), ids.time_ns);
	uint32_t count = s->stack.locations.n, kept = 0;
	AUTO_FREE location_id *user = mem_alloc(count + 1, sizeof(*user));
	if (count)
		memcpy(user, s->stack.locations.p, count * sizeof(*user));
	for (uint32_t i = 0; i < s->deferred.list.n; i++) {
		struct deferred_sample *d = &s->deferred.list.p[i];
		if (d->cookie == cookie && d->tid == ids.tid)
			end_deferred(s, d, user, count);
		else
			s->deferred.list.p[kept++] = *d;
	}
	s->deferred.list.n = kept;
	if (!kept)
		s->deferred.locations.n = 0;
}

void perf_session_end_deferred(struct perf_session *s)
{
	for (uint32_t i = 0; i < s->deferred.list.n; i++)
		end_deferred(s, &s->deferred.list.p[i], NULL, 0);
	s->p->ledger.count[LEDGER_TRUNCATED] += s->deferred.list.n;
	s->deferred.list.n = 0;
	s->deferred.locations.n = 0;
}
