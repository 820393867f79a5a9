#include "model/model.h"

/* `cpu_core/cycles:u/P` and `cycles:ppp` are cycles: without the PMU around the name and the modifiers behind it. */
static struct str bare_event(struct str name)
{
	ptrdiff_t slash = str_find_char(name, '/');
	if (slash >= 0)
		name = str_from_byte(name, (size_t)slash + 1);
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == ':' || name.p[i] == '/' || name.p[i] == ',')
			return str_first(name, i);
	return name;
}

bool event_samples_time(struct str name)
{
	static const struct str clocks[] = {
		STR("cycles"),	 STR("cpu-cycles"), STR("ref-cycles"), STR("bus-cycles"),
		STR("cycles-t"), STR("cycles-ct"),  STR("cpu-clock"),  STR("task-clock"),
	};
	struct str bare = bare_event(name);
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (str_eq(bare, clocks[i]))
			return true;
	return false;
}

bool event_counts_ns(struct str name)
{
	struct str bare = bare_event(name);
	return str_eq(bare, STR("cpu-clock")) || str_eq(bare, STR("task-clock"));
}

bool event_is_tracepoint(struct str name)
{
	ptrdiff_t colon = str_find_char(name, ':');
	if (colon < 0 || str_find_char(name, '/') >= 0)
		return false;
	for (size_t i = (size_t)colon + 1; i < name.n; i++)
		if (!memchr("ukhvHGIpPSDWeb", name.p[i], 14))
			return true;
	return false;
}
