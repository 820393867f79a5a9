/*
 * Value types of pprof as events. A type is an event of its own, unless it counts the samples of the
 * next one: `samples` and `cpu` of Go, `cycles:samples` and `cycles` of plume.
 */
#include "source/pprof_int.h"

struct pprof_type pprof_type_read(struct protobuf m)
{
	struct pprof_type type = { .offset = (uint32_t)protobuf_offset(&m) };
	while (protobuf_next(&m)) {
		if (m.type == PROTOBUF_VARINT && m.field == PPROF_TYPE_NAME)
			type.name = m.number;
		else if (m.type == PROTOBUF_VARINT && m.field == PPROF_TYPE_UNIT)
			type.unit = m.number;
	}
	return type;
}

/* `name` without `tail`, or nothing when it does not end so. */
static struct str without_tail(struct str name, struct str tail)
{
	return str_ends(name, tail) ? str_first(name, name.n - tail.n) : (struct str){ NULL, 0 };
}

static bool is_count_of_any(struct str name)
{
	return str_eq(name, STR(PPROF_COUNT_NAME)) || str_eq(name, STR("sample"));
}

/* perf_data_converter has cycles_sample and cycles_event for the event cycles. */
static bool is_converters_pair(struct str name, struct str next, struct str *event)
{
	struct str bare = without_tail(name, STR("_sample"));
	if (!bare.n || !str_eq(bare, without_tail(next, STR("_event"))))
		return false;
	*event = bare;
	return true;
}

/* Whether type i counts the samples of the next one. The name of the event is in *event. */
static bool is_count(const struct pprof_types *types, const struct pprof_tables *t, uint32_t i,
		     struct str *event)
{
	struct str unit, next, name;
	pprof_text(t, types->types.p[i].name, &name);
	*event = name;
	if (i + 1 >= types->types.n)
		return false;
	pprof_text(t, types->types.p[i].unit, &unit);
	pprof_text(t, types->types.p[i + 1].name, &next);
	if (!str_eq(unit, STR("count")) || !next.n)
		return false;
	if (is_converters_pair(name, next, event))
		return true;
	struct str bare = without_tail(name, STR(PPROF_COUNT_TAIL));
	bool is_its_count = bare.n && str_eq(bare, next);
	if (!is_its_count && (!is_count_of_any(name) || str_ends(next, STR(PPROF_COUNT_TAIL))))
		return false;
	*event = next;
	return true;
}

/* `/100 count` is how our writer says that values are in hundredths. */
static struct str take_decimals(struct str unit, uint8_t *decimals)
{
	enum { MAX_DECIMALS = 18 };
	size_t i = 2;
	*decimals = 0;
	if (!str_starts(unit, STR("/1")))
		return unit;
	while (i < unit.n && unit.p[i] == '0')
		i++;
	if (i == unit.n || unit.p[i] != ' ' || i - 2 > MAX_DECIMALS)
		return unit;
	*decimals = (uint8_t)(i - 2);
	return str_from_byte(unit, i + 1);
}

static struct str unit_of(struct str unit)
{
	if (str_eq(unit, STR("nanoseconds")))
		return STR("ns");
	return unit.n == 0 || str_eq(unit, STR("count")) ? STR("samples") : unit;
}

static bool has_other_event(const struct profile *p, const struct pprof_types *types,
			    const struct event *e)
{
	for (uint32_t i = 0; i < p->events.n; i++)
		if (p->events.p[i].name == e->name) {
			if (p->events.p[i].unit != e->unit)
				return true;
			for (uint32_t k = 0; k < types->events.n; k++)
				if (types->events.p[k].id == i)
					return true;
		}
	return false;
}

/* Events are told apart by name: two types of one name need another. */
static void make_name_unique(struct profile *p, const struct pprof_types *types, struct event *e)
{
	AUTO(buf) struct buf name = { 0 };
	buf_add(&name, profile_str(p, e->name));
	buf_add_char(&name, '/');
	buf_add(&name, profile_str(p, e->unit));
	size_t n = name.n;
	for (unsigned attempt = 2; has_other_event(p, types, e); attempt++) {
		e->name = profile_add_str(p, buf_str(&name));
		name.n = n;
		buf_addf(&name, "#%u", attempt);
	}
}

static uint64_t power_of_ten(unsigned n)
{
	uint64_t power = 1;
	while (n--)
		power *= 10;
	return power;
}

static void add_event(struct pprof_types *types, struct pprof_tables *t, struct event e,
		      struct pprof_event row)
{
	unsigned decimals = e.decimals;
	make_name_unique(t->p, types, &e);
	row.id = profile_add_event(t->p, e);
	profile_set_decimals(t->p, row.id, decimals);
	row.unit = power_of_ten(decimals);
	row.scale = power_of_ten(t->p->events.p[row.id].decimals - decimals);
	vec_push(&types->events, row);
}

static bool is_default(const struct pprof_types *types, const struct pprof_tables *t, uint32_t i)
{
	struct str wanted, name;
	pprof_text(t, types->default_type, &wanted);
	pprof_text(t, types->types.p[i].name, &name);
	return wanted.n && str_eq(name, wanted);
}

/* The name of an event whose own is not there: cut off, or empty. */
static str_id name_by_number(struct profile *p, uint32_t i)
{
	char name[32];
	int n = snprintf(name, sizeof(name), "value-%u", i + 1);
	return profile_add_str(p, (struct str){ name, (size_t)n });
}

/*
 * The event of type i, or of i and i + 1 when i is its count. What its natural weight is, the file
 * may say by its default; clocks count samples, as they do everywhere else.
 */
static void add_type(struct pprof_types *types, struct pprof_tables *t, uint32_t i, bool has_count,
		     struct str name)
{
	uint32_t value_at = i + has_count;
	struct str unit;
	if (types->clock_name.n && str_eq(name, STR(PPROF_CPU_NAME)))
		name = types->clock_name;
	struct event e = { .has_only_sums = !has_count, .counts_periods = true };
	pprof_text(t, types->types.p[value_at].unit, &unit);
	unit = unit_of(take_decimals(unit, &e.decimals));
	if (has_count && is_default(types, t, i))
		e.counts_periods = false;
	else if (has_count && !is_default(types, t, value_at))
		e.counts_periods = !event_samples_time(name);
	if (!e.counts_periods && event_samples_time(name))
		unit = STR("samples"); /* of its natural weight, as perf script's have it */
	e.name = name.n ? profile_add_str(t->p, name) : name_by_number(t->p, value_at);
	e.unit = profile_add_str(t->p, unit);
	add_event(types, t, e,
		  (struct pprof_event){ .value_at = value_at,
					.count_at = has_count ? i : INDEX_NONE });
}

/* The type that other tools show when nothing else is asked for: the default, or else the last. */
static uint32_t shown_type(const struct pprof_types *types, const struct pprof_tables *t)
{
	for (uint32_t i = 0; i < types->types.n; i++)
		if (is_default(types, t, i))
			return i;
	return types->types.n - 1;
}

static void check_types(const struct pprof_types *types, const struct pprof_tables *t)
{
	struct str text;
	for (uint32_t i = 0; i < types->types.n; i++)
		if (!pprof_text(t, types->types.p[i].name, &text) ||
		    !pprof_text(t, types->types.p[i].unit, &text))
			source_bad_record(t->p, types->types.p[i].offset,
					  "value type %u refers to a string that does not exist",
					  i + 1);
}

/* The first event of a profile is the one that is shown. */
void pprof_types_end(struct pprof_types *types, struct pprof_tables *t)
{
	uint32_t shown = shown_type(types, t);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0, step; i < types->types.n; i += step) {
			struct str name;
			bool has_count = is_count(types, t, i, &name);
			bool is_shown = shown == i || (has_count && shown == i + 1);
			step = 1 + has_count;
			if (is_shown == (pass == 0))
				add_type(types, t, i, has_count, name);
		}
	}
	check_types(types, t);
}
