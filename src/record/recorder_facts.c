/* The facts in a profile about how it was recorded. */
#include "naming/naming.h"
#include "record/recorder_int.h"

#include <sys/utsname.h>

static void add_number(struct profile *p, struct str key, uint64_t value)
{
	AUTO(buf) struct buf text = { 0 };
	buf_add_u64(&text, value);
	profile_add_fact(p, key, buf_str(&text));
}

static void add_thinned(struct buf *out, uint64_t copies)
{
	buf_add(out, STR("; "));
	buf_add_counted(out, copies, "stack copy was", "stack copies were");
	buf_add(out, STR(" shortened in the kernel"));
}

static void add_stacks_fact(const struct recorder *r)
{
	AUTO(buf) struct buf text = { 0 };
	struct perf_counts c = perf_session_counts(r->session), before = r->period_counts;
	c.by_table -= before.by_table;
	c.by_both -= before.by_both;
	c.by_frame_pointer -= before.by_frame_pointer;
	buf_addf(&text, "from copies of the stack ");
	buf_add_percent(&text, c.by_table, c.by_table + c.by_both + c.by_frame_pointer);
	buf_addf(&text, ", from copies and then frame pointers ");
	buf_add_percent(&text, c.by_both, c.by_table + c.by_both + c.by_frame_pointer);
	buf_addf(&text, ", from frame pointers ");
	buf_add_percent(&text, c.by_frame_pointer, c.by_table + c.by_both + c.by_frame_pointer);
	if (r->collecting.thinned)
		add_thinned(&text, r->collecting.thinned);
	if (c.by_table + c.by_both + c.by_frame_pointer)
		profile_add_fact(r->p, STR("user stacks"), buf_str(&text));
}

static bool is_user_only(const struct recorder *r)
{
	return r->options.user_only || r->options.events->list.p[0].attr.exclude_kernel;
}

void recorder_begin_facts(struct recorder *r, uint64_t start_ns, uint64_t start_unix_ns)
{
	struct utsname here;
	struct profile *p = r->p;
	r->period_start_ns = start_ns;
	r->period_counts = perf_session_counts(r->session);
	if (r->options.command_line)
		profile_add_fact(p, STR("command"), str_from(r->options.command_line));
	profile_add_fact(p, STR("target"), str_from(r->options.choice->title));
	if (uname(&here) == 0) {
		profile_add_fact(p, STR("host"), str_from(here.nodename));
		profile_add_fact(p, STR("kernel"), str_from(here.release));
		profile_add_fact(p, STR("arch"), str_from(here.machine));
	}
	add_number(p, STR("cpus"), r->events.cpus.n);
	if (r->events.lacks_kernel)
		profile_add_fact(p, STR("sampled"), STR("user space only, not permitted more"));
	else if (is_user_only(r))
		profile_add_fact(p, STR("sampled"), STR("user space only"));
	profile_add_fact(p, STR("plume"), STR(PLUME_VERSION));
	add_number(p, STR("started_unix_ns"), start_unix_ns);
}

void recorder_end_facts(struct recorder *r, uint64_t end_ns, bool is_part)
{
	if (end_ns > r->period_start_ns)
		add_number(r->p, STR("duration_ns"), end_ns - r->period_start_ns);
	add_stacks_fact(r);
	collectors_describe(&r->collecting, r->p, is_part);
	if (r->source_maps)
		naming_add_source_map_facts(r->source_maps, r->p);
}
