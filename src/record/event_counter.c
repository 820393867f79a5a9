/* Counters by perf's names (`perf list`): those of the kernel and of the processor. */
#include "record/event_int.h"

struct counter {
	struct str name, alias; /* alias may be empty */
	uint32_t type;
	uint64_t config;
	bool samples_time;
	bool fires_in_kernel;
};

static const struct counter counters[] = {
	{ STR("cpu-clock"), STR(""), PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true },
	{ STR("task-clock"), STR(""), PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true },
	{ STR("page-faults"), STR("faults"), PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ STR("minor-faults"), STR(""), PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ STR("major-faults"), STR(""), PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ STR("context-switches"), STR("cs"), PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
	  .fires_in_kernel = true },
	{ STR("cpu-migrations"), STR("migrations"), PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_CPU_MIGRATIONS, .fires_in_kernel = true },
	{ STR("alignment-faults"), STR(""), PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ STR("emulation-faults"), STR(""), PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ STR("bpf-output"), STR(""), PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT,
	  .fires_in_kernel = true },
	{ STR("cgroup-switches"), STR(""), PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES,
	  .fires_in_kernel = true },
	{ STR("dummy"), STR(""), PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },

	{ STR("cycles"), STR("cpu-cycles"), PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true },
	{ STR("instructions"), STR(""), PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ STR("cache-references"), STR(""), PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ STR("cache-misses"), STR(""), PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ STR("branches"), STR("branch-instructions"), PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ STR("branch-misses"), STR(""), PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ STR("bus-cycles"), STR(""), PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, true },
	{ STR("stalled-cycles-frontend"), STR("idle-cycles-frontend"), PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ STR("stalled-cycles-backend"), STR("idle-cycles-backend"), PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ STR("ref-cycles"), STR(""), PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, true },
};

/* --- caches: `L1-dcache-load-misses` --- */

/* Indexed by the numbers of perf_event_open(2). */
static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
				      "iTLB",	   "branch",	"node" };
static const char *const operations[][2] = { { "loads", "load-misses" },
					     { "stores", "store-misses" },
					     { "prefetches", "prefetch-misses" } };

static size_t cache_counter_count(void)
{
	return ARRAY_SIZE(caches) * ARRAY_SIZE(operations) * 2;
}

static uint64_t cache_counter(size_t i, struct buf *name)
{
	size_t result = i % 2, operation = i / 2 % ARRAY_SIZE(operations);
	size_t cache = i / 2 / ARRAY_SIZE(operations);
	name->n = 0;
	buf_addf(name, "%s-%s", caches[cache], operations[operation][result]);
	return cache | operation << 8 | result << 16;
}

/* --- lookup --- */

static bool is_same(struct str a, struct str b)
{
	return a.n == b.n && a.n && strncasecmp(a.p, b.p, a.n) == 0;
}

/* text stores the name if no table does. */
static bool find_counter(struct str name, struct counter *found, struct buf *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		*found = counters[i];
		if (is_same(name, found->name) || is_same(name, found->alias))
			return true;
	}
	for (size_t i = 0; i < cache_counter_count(); i++) {
		*found = (struct counter){ .type = PERF_TYPE_HW_CACHE,
					   .config = cache_counter(i, text) };
		found->name = buf_str(text);
		if (is_same(name, found->name))
			return true;
	}
	return false;
}

void event_offer_counters(struct nearest *near)
{
	AUTO(buf) struct buf name = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		nearest_offer(near, counters[i].name);
		nearest_offer(near, counters[i].alias);
	}
	for (size_t i = 0; i < cache_counter_count(); i++) {
		cache_counter(i, &name);
		nearest_offer(near, buf_str(&name));
	}
}

/* --- hybrid CPUs --- */

/*
 * A counter's number selects only one kind of core, unless its upper half selects another
 * (PERF_PMU_TYPE_SHIFT in linux/perf_event.h).
 */
static bool add_for_each_kind(const struct event_word *w, const struct event_kind *kind,
			      const struct event_units *units, struct record_events *events,
			      struct err *e)
{
	uint32_t before = events->list.n;
	for (uint32_t i = 0; i < units->n; i++) {
		struct event_kind one = *kind;
		one.attr.config |= (uint64_t)units->p[i].type << 32;
		one.cpus = mem_strdup(units->p[i].cpus);
		event_add(w, &one, events, e);
	}
	bool is_added = events->list.n > before;
	if (is_added) /* some kinds lack some counters */
		*e = (struct err){ 0 };
	return is_added;
}

static enum event_answer add_counter(const struct event_word *w, const struct event_kind *kind,
				     struct record_events *events, struct err *e)
{
	struct event_units units = { 0 };
	if (kind->is_hardware)
		event_find_units(w->places, &units);
	bool ok = units.n > 1 ? add_for_each_kind(w, kind, &units, events, e)
			      : event_add(w, kind, events, e);
	return ok ? EVENT_ADDED : EVENT_WRONG;
}

/* --- parsing --- */

enum event_answer event_read_counter(const struct event_word *w, struct record_events *events,
				     struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	struct counter c;
	ptrdiff_t colon = str_find_char(w->name, ':');
	if (colon > 0 && find_counter(str_first(w->name, (size_t)colon), &c, &text)) {
		err_usage(e,
			  "%.*s: unknown modifier; use u (user code), k (kernel), or p, pp, ppp "
			  "(precise)",
			  STR_ARG(w->text));
		return EVENT_WRONG;
	}
	if (!find_counter(w->name, &c, &text))
		return EVENT_OTHER;
	struct event_kind kind = { .attr = { .type = c.type, .config = c.config },
				   .name = c.name,
				   .samples_time = c.samples_time,
				   .fires_in_kernel = c.fires_in_kernel,
				   .is_hardware = c.type != PERF_TYPE_SOFTWARE };
	kind.takes_each = !c.samples_time && !kind.is_hardware;
	return add_counter(w, &kind, events, e);
}

/* `r01c2`: a raw number of the processor. */
enum event_answer event_read_raw(const struct event_word *w, struct record_events *events,
				 struct err *e)
{
	uint64_t config;
	if (w->name.p[0] != 'r' || !str_hex_to_u64(str_from_byte(w->name, 1), &config))
		return EVENT_OTHER;
	struct event_kind kind = { .attr = { .type = PERF_TYPE_RAW, .config = config },
				   .name = w->name,
				   .is_hardware = true };
	return event_add(w, &kind, events, e) ? EVENT_ADDED : EVENT_WRONG;
}
