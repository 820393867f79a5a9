/* What a profile says of how it was made. */
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
	if (r->events.thin_samples)
		add_thinned(&text, r->events.thin_samples);
	if (c.by_table + c.by_both + c.by_frame_pointer)
		profile_add_fact(r->p, STR("user stacks"), buf_str(&text));
}

/* How functions of JavaScript were named, and what the process itself says of them, if it does. */
static void add_javascript_fact(const struct recorder *r)
{
	AUTO(buf) struct buf text = { 0 };
	struct perf_counts c = perf_session_counts(r->session);
	js_frames_describe(r->js, &text);
	if (c.witnessed) {
		buf_addf(&text, "; of ");
		buf_add_counted(&text, c.witnessed, "frame", "frames");
		buf_addf(&text, ", the program's own map agrees on ");
		buf_add_percent(&text, c.witnessed - c.contradicted, c.witnessed);
	}
	if (text.n)
		profile_add_fact(r->p, STR("javascript"), buf_str(&text));
	if (!c.witnessed)
		return;
	add_number(r->p, STR("js_witnessed"), c.witnessed);
	add_number(r->p, STR("js_contradicted"), c.contradicted);
	if (c.contradicted) {
		text.n = 0;
		struct str first = perf_session_contradictions(r->session);
		ptrdiff_t end = str_find_char(first, '\n');
		buf_add_grouped(&text, c.contradicted);
		buf_add(&text, STR(" of "));
		buf_add_grouped(&text, c.witnessed);
		buf_addf(&text,
			 " JavaScript frames %s named differently in the program's own map: %.*s",
			 c.contradicted == 1 ? "is" : "are",
			 STR_ARG(str_first(first, end < 0 ? 0 : (size_t)end)));
		profile_add_note(r->p, buf_str(&text));
	}
}

/* Copies end where they are full, and functions move before they are looked at. */
static void add_walker_note(const struct recorder *r)
{
	AUTO(buf) struct buf text = { 0 };
	if (r->walker || !js_frames_copied(r->js))
		return;
	buf_addf(&text,
		 "JavaScript stacks are read from copies of the stack, so deep ones are cut: %s",
		 r->no_walker.text);
	profile_add_note(r->p, buf_str(&text));
}

static uint64_t samples_of_event(const struct profile *p, uint32_t event)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < p->samples.n; i++)
		n += p->samples.event[i] == event ? p->samples.count[i] : 0;
	return n;
}

/*
 * Whether samples stand for all the CPU time there was: who reads the profile may not have seen what was said when it
 * was made.
 */
static void add_charge_facts(const struct recorder *r, bool is_part)
{
	AUTO(buf) struct buf text = { 0 };
	struct charge_sum sum;
	bool is_one = is_part || r->period_start_ns != r->start_ns;
	uint64_t samples = samples_of_event(r->p, charge_event(r->charge));
	if (!charge_sum(r->charge, samples, is_one, &sum))
		return;
	uint64_t lost = r->p->ledger.count[LEDGER_LOST];
	uint64_t lost_ns = samples ? sum.sampled_ns / samples * lost : lost ? sum.charged_ns : 0;
	uint64_t error_ns = sum.error_ns + lost_ns;
	buf_addf(&text, "charged %llu sampled %llu error %llu clocks of %s%s",
		 (unsigned long long)sum.charged_ns, (unsigned long long)sum.sampled_ns,
		 (unsigned long long)error_ns, r->events.is_per_cpu ? "cpus" : "threads",
		 sum.is_user ? " user" : "");
	if (sum.is_user)
		buf_addf(&text, " kernel %llu", (unsigned long long)sum.kernel_ns);
	profile_add_fact(r->p, STR("cpu time"), buf_str(&text));
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
	add_charge_facts(r, is_part);
	add_stacks_fact(r);
	add_javascript_fact(r);
	add_walker_note(r);
	js_frames_add_notes(r->js, r->p);
	if (r->source_maps)
		naming_add_source_map_facts(r->source_maps, r->p);
	jvm_maps_add_notes(r->jvms, r->p);
}
