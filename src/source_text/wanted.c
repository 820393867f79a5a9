/* What a profile says about a file: which processes ran it, and which still run. */
#include "source_text/source_text_int.h"
#include "process/process.h"
#include "source_map/source_map.h"

static bool module_is(struct str module, struct str wanted)
{
	return !wanted.n || str_eq(module, wanted) || str_eq(str_basename(module), wanted);
}

/* Which frames are in the file, by number. Returns how many. */
static uint32_t find_frames(struct wanted_text *w, struct str module, bool *is_in_file)
{
	const struct profile *p = w->p;
	uint32_t n = 0;
	for (frame_id i = 0; i < p->frames.n; i++) {
		const struct frame *f = &p->frames.p[i];
		is_in_file[i] = (str_eq(profile_str(p, f->file), w->file) ||
				 str_eq(profile_str(p, f->function_file), w->file)) &&
				module_is(profile_str(p, f->module), module);
		n += is_in_file[i];
		w->is_script |= is_in_file[i] &&
				(f->tier || f->kind == FRAME_JIT || f->kind == FRAME_INTERPRETED);
	}
	return n;
}

/* --- processes --- */

struct process_share {
	int32_t pid;
	uint64_t samples;
};

struct shares {
	VEC(struct process_share) list;
	struct index_map by_pid;
};

static void shares_fini(struct shares *s)
{
	vec_fini(&s->list);
	index_map_fini(&s->by_pid);
}

static bool pid_equal(const void *list, uint32_t i, const void *pid)
{
	return ((const struct process_share *)list)[i].pid == *(const int32_t *)pid;
}

static void add_share(struct shares *s, int32_t pid, uint64_t samples)
{
	uint64_t ignored = 0;
	uint32_t hash = hash_pair((uint32_t)pid, 0);
	uint32_t i = index_map_find(&s->by_pid, hash, pid_equal, s->list.p, &pid);
	if (i == INDEX_NONE) {
		i = s->list.n;
		index_map_add(&s->by_pid, hash, i);
		vec_push(&s->list, (struct process_share){ .pid = pid });
	}
	s->list.p[i].samples = saturating_add(s->list.p[i].samples, samples, &ignored);
}

static int by_samples(const void *a, const void *b)
{
	const struct process_share *x = a, *y = b;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* By process: samples with the file in their stacks. */
static void find_shares(struct wanted_text *w, const bool *is_in_file, struct shares *s)
{
	const struct profile *p = w->p;
	AUTO_FREE bool *has_file = mem_zalloc(p->nodes.n, sizeof(*has_file));
	for (node_id i = 1; i < p->nodes.n; i++) /* callers come first */
		has_file[i] = has_file[p->nodes.p[i].parent] || is_in_file[p->nodes.p[i].frame];
	for (uint32_t row = 0; row < p->samples.n; row++) {
		const struct thread *t = &p->threads.p[p->samples.thread[row]];
		if (!has_file[p->samples.node[row]])
			continue;
		if (!w->container.n)
			w->container = profile_str(p, t->container);
		if (t->pid != PID_UNKNOWN && t->pid > 0)
			add_share(s, t->pid, p->samples.count[row]);
	}
	if (s->list.n)
		qsort(s->list.p, s->list.n, sizeof(*s->list.p), by_samples);
}

/* PIDs are reused, so the process must have started before the recording ended. */
static bool is_same_process(const struct wanted_text *w, int32_t pid)
{
	const uint64_t slack_ns = 1000000000u; /* times are rounded to ticks */
	uint64_t started, duration, end, began = process_began_unix_ns(pid);
	if (!began || !str_eq(profile_fact(w->p, STR("host")), str_from(w->finder->host)) ||
	    !str_to_u64(profile_fact(w->p, STR("started_unix_ns")), &started))
		return false;
	if (!str_to_u64(profile_fact(w->p, STR("duration_ns")), &duration))
		return true; /* it is still being recorded */
	return __builtin_add_overflow(started, duration + slack_ns, &end) || began <= end;
}

static void find_processes(struct wanted_text *w, const bool *is_in_file)
{
	AUTO(shares) struct shares s = { 0 };
	find_shares(w, is_in_file, &s);
	for (uint32_t i = 0; i < s.list.n && w->processes < MOST_PROCESSES; i++)
		if (is_same_process(w, s.list.p[i].pid))
			w->pids[w->processes++] = s.list.p[i].pid;
}

bool wanted_text_init(struct wanted_text *w, const struct source_text_finder *f,
		      const struct profile *p, struct str file, struct str module, struct err *e)
{
	AUTO_FREE bool *is_in_file = mem_zalloc(p->frames.n, sizeof(*is_in_file));
	*w = (struct wanted_text){ .finder = f, .p = p, .file = file };
	if (!file.n || !find_frames(w, module, is_in_file))
		return err_set(
			e, "no function of this profile is in %.*s",
			STR_ARG(str_first(file.n ? file : STR("a file without a name"), 300)));
	find_processes(w, is_in_file);
	if (!source_map_script_path(file, &w->path))
		w->path.n = 0;
	return true;
}

void wanted_text_fini(struct wanted_text *w)
{
	buf_fini(&w->path);
}
