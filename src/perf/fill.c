/* After naming, adds everything to the profile: stacks, samples, events, and statistics. */
#include "perf/perf_int.h"

static bool is_thread_start(struct str name)
{
	static const struct str starts[] = {
		STR("_start"),
		STR("__libc_start_main"),
		STR("__libc_start_call_main"),
		STR("start_thread"),
		STR("clone"),
		STR("__clone"),
		STR("_dl_start"),
		STR("runtime.goexit"),
		STR("runtime.mstart"),
		STR("runtime.rt0_go"),
		STR("_rt0_"),
		STR("runtime.mcall"),
		STR("generic_start_main"),
	};
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (str_starts(name, starts[i]))
			return true;
	return false;
}

/* A kernel thread, or a stack that reaches the start of its thread. */
static bool is_rooted(const struct location_names *n, location_id outermost)
{
	const struct profile *p = n->s->p;
	const struct mapped *m = &n->s->mapped.list.p[n->s->locations.list.p[outermost].mapped];
	if (!n->count[outermost] || (m->kind == MAPPED_FILE && !m->is_found))
		return true; /* without its file, it cannot be told */
	if (n->is_entry[outermost])
		return true; /* _start, stripped of its name */
	const struct frame *f = &p->frames.p[n->frames.p[n->first[outermost]]];
	return f->kind == FRAME_KERNEL || is_thread_start(profile_str(p, f->name));
}

/* Adds stacks that are new since the last call. */
static void add_nodes(struct location_names *n)
{
	const struct profile *raw = n->s->raw;
	if (!n->nodes.n)
		vec_push(&n->nodes, NODE_ROOT);
	for (uint32_t i = n->nodes.n; i < raw->nodes.n; i++) {
		location_id id = raw->nodes.p[i].frame;
		node_id node = n->nodes.p[raw->nodes.p[i].parent];
		for (uint32_t k = 0; k < n->count[id]; k++)
			node = profile_add_node(n->s->p, node, n->frames.p[n->first[id] + k]);
		vec_push(&n->nodes, node);
	}
}

static void count_frames(const struct location_names *n, const uint64_t *node_weight)
{
	const struct profile *raw = n->s->raw;
	uint64_t *count = n->s->p->ledger.count;
	for (uint32_t i = 1; i < raw->nodes.n; i++) {
		location_id id = raw->nodes.p[i].frame;
		count[LEDGER_FRAMES] += node_weight[i] * n->count[id];
		if (n->is_unnamed[id])
			count[LEDGER_UNKNOWN_FRAMES] += node_weight[i];
		if (raw->nodes.p[i].parent == NODE_ROOT && !is_rooted(n, id))
			count[LEDGER_UNROOTED] += node_weight[i];
	}
	/* The cause of these is known: they are counted as cut. */
	for (uint32_t i = 0; i < n->s->ends.cut.n; i++)
		if (!is_rooted(n, n->s->ends.cut.p[i]))
			count[LEDGER_UNROOTED]--;
	/* The unwinder knows that these are complete, whatever their names. */
	for (uint32_t i = 0; i < n->s->ends.rooted.n; i++)
		if (!is_rooted(n, n->s->ends.rooted.p[i]))
			count[LEDGER_UNROOTED]--;
}

/* In the order in which they were requested, without events that have no samples. */
static event_id *add_events(struct perf_session *s)
{
	event_id *events = mem_alloc(s->events.list.n + 1, sizeof(*events));
	AUTO(buf) struct buf name = { 0 };
	for (uint32_t i = 0; i < s->events.list.n; i++) {
		name.n = 0;
		perf_event_describe(&s->events.list.p[i], &name);
		struct event row = {
			.name = profile_add_str(s->p, buf_str(&name)),
			.unit = profile_add_str(s->p, STR("samples")),
			.counts_periods = !event_samples_time(buf_str(&name)),
		};
		events[i] = s->events.list.p[i].samples ? profile_add_event(s->p, row) : 0;
	}
	return events;
}

static void add_samples(struct perf_session *s, const node_id *nodes)
{
	AUTO_FREE event_id *events = add_events(s);
	const struct samples *rows = &s->raw->samples;
	for (uint32_t i = 0; i < rows->n; i++)
		profile_add_sample(s->p, &(struct sample){
						 .node = nodes[rows->node[i]],
						 .thread = rows->thread[i],
						 .event = events[rows->event[i]],
						 .cpu = rows->cpu ? rows->cpu[i] : -1,
						 .time_ns = rows->time_ns ? rows->time_ns[i] : 0,
						 .count = rows->count[i],
						 .period = rows->period[i],
					 });
}

static void add_modules(struct perf_session *s)
{
	AUTO(buf) struct buf text = { 0 };
	for (uint32_t i = 0; i < s->mapped.list.n; i++) {
		const struct mapped *m = &s->mapped.list.p[i];
		struct str id = m->build_id.n ? m->build_id : m->file_build_id;
		if (!id.n || !m->is_used)
			continue;
		text.n = 0;
		for (size_t k = 0; k < id.n; k++)
			buf_addf(&text, "%02x", (unsigned char)id.p[k]);
		profile_add_module(s->p,
				   (struct module){ profile_add_str(s->p, mapped_shown_path(m)),
						    profile_add_str(s->p, buf_str(&text)) });
	}
}

void perf_session_fill(struct location_names *n, const uint64_t *node_weight)
{
	add_nodes(n);
	count_frames(n, node_weight);
	add_samples(n->s, n->nodes.p);
	add_modules(n->s);
}
