/* The start of a recording: what is opened, and what its session may access. */
#include "record/recorder_int.h"

/* --- beginning --- */

static void add_event(struct recorder *r, uint32_t i)
{
	perf_events_add(perf_session_events(r->session), &r->events.attrs.p[i],
			r->options.events->list.p[i].name);
}

/* The user named the targets, so their files get ample budgets. */
static bool is_of_one(const struct record_options *o)
{
	return (o->command && !o->is_command_timer) || o->wish->pids.n || o->wish->tids.n;
}

static void begin_session(struct recorder *r)
{
	r->source_maps = recorder_source_maps(r);
	r->options.names.processes = held_files_processes(r->held);
	r->options.names.is_of_this_machine = true;
	r->budgets = budgets_new(is_of_one(&r->options), r->options.caller);
	r->options.names.budgets = r->budgets;
	r->live = (struct perf_live){ .context = &r->collecting, .name_found = collectors_name };
	struct perf_options options = { .names = r->options.names,
					.keep_addresses = r->options.keep_addresses,
					.source_maps = r->source_maps,
					.live = &r->live };
	r->session = perf_session_new(&options, r->p);
	for (uint32_t i = 0; i < r->events.attrs.n; i++)
		add_event(r, i);
	r->collecting.session = r->session;
	r->collecting.formats = perf_session_events(r->session);
	r->follow.collecting = &r->collecting;
	r->follow.drain = &r->drain;
}

static void note_events(struct recorder *r)
{
	for (uint32_t i = 0; i < r->events.list.n; i++)
		perf_events_add_id(perf_session_events(r->session), r->events.list.p[i].id,
				   r->events.list.p[i].event);
}

static void write_to(struct recorder *r, struct perf_data_writer *w)
{
	AUTO_FREE uint64_t *ids = mem_alloc(r->events.list.n + 1, sizeof(*ids));
	for (uint32_t i = 0; i < r->events.attrs.n; i++) {
		uint32_t n = 0;
		for (uint32_t k = 0; k < r->events.list.n; k++)
			if (r->events.list.p[k].event == i)
				ids[n++] = r->events.list.p[k].id;
		perf_data_writer_add_event(w, &r->events.attrs.p[i],
					   r->options.events->list.p[i].name, ids, n);
	}
	perf_session_write_to(r->session, w);
}

/* Reads what the buffers hold now. */
static void take_rings(struct recorder *r, struct buf *out)
{
	for (uint32_t i = 0; i < r->events.rings.n; i++)
		drain_read_ring(&r->collecting, &r->events.rings.p[i], out);
}

/* Whether records include the creation of a thread. */
static bool tells_of_fork(const struct recorder *r, struct str records, int32_t tid)
{
	struct perf_records left = perf_records_of(records.p, records.n);
	struct perf_record record;
	struct perf_task task;
	while (perf_records_next(&left, &record))
		if (record.type == PERF_RECORD_FORK &&
		    perf_task_read(r->collecting.formats, &record, &task) && task.tid == tid)
			return true;
	return false;
}

static bool is_open(const struct recorder *r, int32_t tid)
{
	for (uint32_t i = 0; i < r->events.tids.n; i++)
		if (r->events.tids.p[i] == tid)
			return true;
	return false;
}

/*
 * Opens threads that appeared while others were being opened and whose creator was not open yet.
 * Children of open threads inherit their events, as their fork records show.
 */
static bool open_late_threads_of(struct recorder *r, int32_t pid, struct buf *early, struct err *e)
{
	AUTO(buf) struct buf tids = { 0 };
	if (!target_threads(pid, &tids))
		return true;
	take_rings(r, early);
	for (size_t k = 0; k + sizeof(int32_t) <= tids.n; k += sizeof(int32_t)) {
		int32_t tid;
		memcpy(&tid, tids.p + k, sizeof(tid));
		if (!is_open(r, tid) && !tells_of_fork(r, buf_str(early), tid) &&
		    !open_events_of_thread(&r->events, &r->options, tid, e))
			return false;
	}
	return true;
}

/* Repeats until there are none: threads opened now may have created others meanwhile. */
static bool open_late_threads(struct recorder *r, struct buf *early, struct err *e)
{
	enum { MAX_TRIES = 8 };
	const struct target_choice *choice = r->options.choice;
	uint32_t before = 0;
	if (r->events.is_per_cpu || r->events.tids.n == 0 || r->options.no_inherit)
		return true;
	for (int i = 0; i < MAX_TRIES && r->events.tids.n > before; i++) {
		before = r->events.tids.n;
		for (uint32_t k = 0; k < choice->pids.n; k++)
			if (!open_late_threads_of(r, choice->pids.p[k], early, e))
				return false;
	}
	return true;
}

static void remark_on_kernel(struct recorder *r)
{
	if (r->events.lacks_kernel)
		buf_addf(&r->remarks,
			 "kernel functions are not recorded, because this user is "
			 "not allowed to sample them: run plume with sudo, or allow it with sudo "
			 "sysctl kernel.perf_event_paranoid=1\n");
}

bool recorder_open(struct recorder *r, struct err *e)
{
	const struct record_options *o = &r->options;
	AUTO(buf) struct buf early = { 0 };
	if (o->command && !command_prepare(&r->command, o->command, e))
		return false;
	int32_t target = o->is_command_timer ? 0 : r->command.pid;
	if (!open_events(&r->events, o, target, &r->remarks, e))
		return false;
	r->held = r->collecting.held = held_files_new(0);
	begin_session(r);
	if (!open_late_threads(r, &early, e) || !drain_start(&r->drain, &r->events, e))
		return false;
	remark_on_kernel(r);
	note_events(r);
	if (o->data)
		write_to(r, o->data);
	follow_begin(&r->follow, target);
	collectors_start(&r->collecting);
	drain_look_fresh(&r->drain, &r->collecting);
	follow_bytes(&r->follow, buf_str(&early));
	return true;
}
