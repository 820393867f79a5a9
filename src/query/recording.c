/* Describes a recording: the machine, the recorder, the events, its duration and size. */
#include "query/diagnosis_int.h"

/* perf.data has a fact for each event, `cycles, 99 Hz`: splits it into the name and the rest. */
static bool split_event_fact(const struct profile *p, const struct fact *f, struct str *name,
			     struct str *about)
{
	struct str text = profile_str(p, f->text);
	ptrdiff_t comma = str_find_last_char(text, ',');
	if (!str_eq(profile_str(p, f->key), STR("event")) || comma < 0)
		return false;
	*name = str_first(text, (size_t)comma);
	*about = str_trim(str_from_byte(text, (size_t)comma + 1));
	return true;
}

static struct recorded_event *event_named(struct recording *r, struct str name)
{
	for (uint32_t i = 0; i < r->events.n; i++)
		if (str_eq(r->events.p[i].name, name))
			return &r->events.p[i];
	return NULL;
}

/* perf adds its own event only to learn about new processes. */
static bool is_for_tracking(struct str name)
{
	return str_starts(name, STR("dummy"));
}

static void add_events(const struct profile *p, struct recording *out)
{
	struct str name, about;
	for (uint32_t i = 0; i < p->events.n; i++)
		vec_push(&out->events,
			 (struct recorded_event){ .name = profile_str(p, p->events.p[i].name),
						  .has_only_sums = p->events.p[i].has_only_sums });
	for (uint32_t row = 0; row < p->samples.n; row++)
		ledger_add(&out->events.p[p->samples.event[row]].samples, p->samples.count[row]);
	for (uint32_t i = 0; i < p->facts.n; i++) {
		if (!split_event_fact(p, &p->facts.p[i], &name, &about))
			continue;
		struct recorded_event *event = event_named(out, name);
		if (event)
			event->about = about;
		else if (!is_for_tracking(name))
			vec_push(&out->events,
				 (struct recorded_event){ .name = name, .about = about });
	}
}

static const char *const first_facts[] = { "host",    "kernel", "arch",	     "cpu",
					   "cpus",    "memory", "recorder",  "command",
					   "started", "rate",	"call graph" };

static bool is_told_elsewhere(struct str key)
{
	if (str_eq(key, STR("event")) || str_eq(key, STR("when recorded")) ||
	    str_eq(key, STR("note")))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(first_facts); i++)
		if (str_eq(key, str_from(first_facts[i])))
			return true;
	return false;
}

static void add_facts(const struct profile *p, struct recording *out)
{
	for (size_t k = 0; k < ARRAY_SIZE(first_facts); k++)
		for (uint32_t i = 0; i < p->facts.n; i++)
			if (str_eq(profile_str(p, p->facts.p[i].key), str_from(first_facts[k])))
				vec_push(&out->facts, p->facts.p[i]);
	for (uint32_t i = 0; i < p->facts.n; i++)
		if (!is_told_elsewhere(profile_str(p, p->facts.p[i].key)))
			vec_push(&out->facts, p->facts.p[i]);
}

static void add_extent(const struct profile *p, struct recording *out)
{
	struct query q = { .all_events = true, .keeps_rows = true };
	struct query_ledger ledger;
	struct err e = { 0 };
	struct tree *t = p->samples.n ? query_tree(p, &q, &ledger, &e) : NULL;
	if (!t)
		return;
	struct report_summary s = report_summary(p, t);
	out->has_times = s.has_times;
	out->first_ns = s.first_ns;
	out->last_ns = s.last_ns;
	out->processes = s.processes;
	out->threads = s.threads;
	out->cpus = s.cpus;
	tree_free(t);
}

void recording_of(const struct profile *p, struct recording *out)
{
	*out = (struct recording){ .samples = p->ledger.count[LEDGER_SAMPLES] };
	add_events(p, out);
	add_facts(p, out);
	add_extent(p, out);
}

/* Empty if there are several. */
static struct str only_fact(const struct profile *p, const char *key)
{
	struct str found = STR("");
	for (uint32_t i = 0; i < p->facts.n; i++) {
		if (!str_eq(profile_str(p, p->facts.p[i].key), str_from(key)))
			continue;
		if (found.n)
			return STR("");
		found = profile_str(p, p->facts.p[i].text);
	}
	return found;
}

static uint64_t duration_of(const struct profile *p)
{
	uint64_t sum = 0, ns, overflows = 0;
	for (uint32_t i = 0; i < p->facts.n; i++)
		if (str_eq(profile_str(p, p->facts.p[i].key), STR("duration_ns")) &&
		    str_to_u64(profile_str(p, p->facts.p[i].text), &ns))
			sum = saturating_add(sum, ns, &overflows);
	return sum ? sum : p->sampled_ns;
}

static struct str rate_of(const struct profile *p, event_id event)
{
	struct str name, about, rate = STR("");
	for (uint32_t i = 0; i < p->facts.n; i++) {
		if (!split_event_fact(p, &p->facts.p[i], &name, &about) ||
		    !str_eq(name, profile_str(p, p->events.p[event].name)))
			continue;
		if (rate.n)
			return STR("");
		rate = about;
	}
	return rate;
}

struct recording_brief recording_brief_of(const struct profile *p, event_id event)
{
	struct recording_brief b = { .duration_ns = duration_of(p) };
	b.host = only_fact(p, "host");
	b.target = only_fact(p, "target");
	if (!str_to_u64(only_fact(p, "started_unix_ns"), &b.started_unix_ns))
		b.started_unix_ns = 0;
	if (event < p->events.n)
		b.rate = rate_of(p, event);
	return b;
}

void recording_fini(struct recording *r)
{
	vec_fini(&r->events);
	vec_fini(&r->facts);
}
