/* What is in a profile: the machine, the recorder, the events, how long and how many. */
#include "query/diagnosis_int.h"

uint64_t *samples_by_event(const struct profile *p)
{
	uint64_t *samples = mem_zalloc(p->events.n, sizeof(*samples));
	for (uint32_t row = 0; row < p->samples.n; row++)
		ledger_add(&samples[p->samples.event[row]], p->samples.count[row]);
	return samples;
}

/* The rate of an event is a fact `event`: `cycles: 99 Hz`. */
static struct str about_event(const struct profile *p, struct str name)
{
	for (uint32_t i = 0; i < p->facts.n; i++) {
		struct str text = profile_str(p, p->facts.p[i].text);
		if (str_eq(profile_str(p, p->facts.p[i].key), STR("event")) &&
		    str_starts(text, name) && str_starts(str_from_byte(text, name.n), STR(": ")))
			return str_from_byte(text, name.n + 2);
	}
	return STR("");
}

static const char *const first_facts[] = { "host",    "kernel", "arch",	     "cpu",
					   "cpus",    "memory", "recorder",  "command",
					   "started", "rate",	"call graph" };

static bool is_told_elsewhere(struct str key)
{
	if (str_eq(key, STR("event")) || str_eq(key, STR("when recorded")))
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
	AUTO_FREE uint64_t *samples = samples_by_event(p);
	*out = (struct recording){ .samples = p->ledger.count[LEDGER_SAMPLES] };
	for (uint32_t i = 0; i < p->events.n; i++) {
		struct str name = profile_str(p, p->events.p[i].name);
		vec_push(&out->events,
			 (struct recorded_event){ name, about_event(p, name), samples[i],
						  p->events.p[i].has_only_sums });
	}
	add_facts(p, out);
	add_extent(p, out);
}

void recording_fini(struct recording *r)
{
	vec_fini(&r->events);
	vec_fini(&r->facts);
}
