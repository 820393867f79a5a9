/* What the weights of a report count, by event: bytes and objects do not add up. */
#include "query/query.h"

static struct str unit_of_event(const struct profile *p, const struct event *e)
{
	struct str name = profile_str(p, e->name), unit = profile_str(p, e->unit);
	if (str_starts(name, STR("cpu-clock")) || str_starts(name, STR("task-clock")))
		return STR("ns");
	if (unit.n && (e->has_only_sums || !str_eq(unit, STR("samples"))))
		return unit;
	return e->has_only_sums ? STR("samples") : name.n ? name : STR("events");
}

/* Same rule as in query_tree: clocks and other events together count samples, unless requested otherwise. */
static bool mixes_clocks(const struct profile *p, const struct query_ledger *l)
{
	bool has_clocks = false, has_others = false;
	for (event_id i = 0; i < p->events.n; i++) {
		has_clocks |= !p->events.p[i].counts_periods;
		has_others |= p->events.p[i].counts_periods;
	}
	return l->event == INDEX_NONE && has_clocks && has_others;
}

static bool is_in_periods(const struct event *e, enum query_weight weight, bool mixes)
{
	if (e->has_only_sums || weight == QUERY_WEIGHT_PERIOD)
		return true;
	return weight == QUERY_WEIGHT_AUTO && e->counts_periods && !mixes;
}

struct seen {
	bool *is_there, *is_shown; /* by event */
};

static void look_at_rows(const struct profile *p, const struct tree *t, struct seen *seen)
{
	for (uint32_t row = 0; row < p->samples.n; row++) {
		event_id event = p->samples.event[row];
		seen->is_there[event] = true;
		seen->is_shown[event] |= t->rows->label[row] != INDEX_NONE;
	}
}

static void add_unit(struct report_units *u, struct str unit)
{
	for (uint32_t i = 0; i < u->n; i++)
		if (str_eq(u->list[i], unit))
			return;
	if (u->n < REPORT_MOST_UNITS)
		u->list[u->n++] = unit;
}

/* Counts names, because an event may occur once per cpu or process. */
static uint32_t count_left_out(const struct profile *p, const struct seen *seen)
{
	AUTO_FREE bool *is_counted = mem_zalloc(p->strings.n, 1);
	uint32_t n = 0;
	for (event_id i = 0; i < p->events.n; i++)
		if (seen->is_shown[i])
			is_counted[p->events.p[i].name] = true;
	for (event_id i = 0; i < p->events.n; i++) {
		bool *is_known = &is_counted[p->events.p[i].name];
		n += seen->is_there[i] && !*is_known;
		*is_known |= seen->is_there[i];
	}
	return n;
}

void report_units(const struct profile *p, const struct tree *t, const struct query_ledger *ledger,
		  unsigned weight, struct report_units *out)
{
	AUTO_FREE bool *flags = mem_zalloc(p->events.n, 2);
	struct seen seen = { flags, flags + p->events.n };
	bool mixes = mixes_clocks(p, ledger);
	*out = (struct report_units){ .has_only_sums = true };
	out->of_event = mem_zalloc(p->events.n, sizeof(*out->of_event));
	look_at_rows(p, t, &seen);
	for (event_id i = 0; i < p->events.n; i++) {
		const struct event *e = &p->events.p[i];
		out->of_event[i] =
			is_in_periods(e, weight, mixes) ? unit_of_event(p, e) : STR("samples");
		if (!seen.is_shown[i])
			continue;
		out->events++;
		out->has_only_sums &= e->has_only_sums;
		add_unit(out, out->of_event[i]);
	}
	out->all = out->n == 1 ? out->list[0] : STR("events");
	out->left_out = ledger->other_events ? count_left_out(p, &seen) : 0;
}

void report_units_fini(struct report_units *u)
{
	free(u->of_event);
}
