/*
 * V8's .cpuprofile: what `node --cpu-prof`, Chrome's DevTools and the Profiler domain of the inspector
 * write. doc/formats/cpuprofile.md describes it.
 */
#include "source/v8_profile_int.h"

struct cpuprofile {
	struct v8_profile v;
	struct texts texts;
	struct profile *p;
	bool is_old; /* `head`, and times of the whole in seconds */
	/* The two times were read before `head` was: as if they were in us. */
	bool start_is_us, end_is_us;
};

/* --- keys --- */

static bool read_time(const struct cpuprofile *c, struct json *j, int64_t *ns, bool *is_us)
{
	*is_us = !c->is_old;
	return json_number(j, c->is_old ? 9 : 3, ns);
}

static void us_to_seconds(int64_t *ns)
{
	if (__builtin_mul_overflow(*ns, 1000000, ns))
		*ns = INT64_MAX;
}

/* A number for each sample. */
#define read_column(column, j)                                                                     \
	do {                                                                                       \
		int64_t number;                                                                    \
		if (json_array(j))                                                                 \
			while (json_element(j) &&                                                  \
			       json_has_room((j), (column)->n, V8_MAX_SAMPLES, "weights"))         \
				vec_push((column), json_number((j), 0, &number) && number >= 0     \
							   ? (uint64_t)number                      \
							   : 0);                                   \
	} while (0)

static bool read_is(struct json *j, struct str word)
{
	struct str text;
	return json_string(j, &text) && str_eq(text, word);
}

static void read_weight(struct v8_profile *v, struct json *j)
{
	struct str text;
	if (!json_string(j, &text))
		return;
	v->counts_samples = str_eq(text, STR("samples"));
	v->has_only_sums = str_eq(text, STR("sums"));
}

static void read_decimals(struct v8_profile *v, struct json *j)
{
	enum { MAX_DECIMALS = 9 };
	int64_t decimals;
	if (json_number(j, 0, &decimals) && decimals >= 0 && decimals <= MAX_DECIMALS)
		v->decimals = (uint8_t)decimals;
}

/* What plume adds, so that its own files read back as they were. */
static void read_own(struct v8_profile *v, struct json *j)
{
	struct str key;
	bool has_times;
	if (!json_object(j))
		return;
	while (json_key(j, &key))
		if (str_eq(key, STR("event")))
			v8_read_text(v, j, &v->event);
		else if (str_eq(key, STR("unit")))
			v8_read_text(v, j, &v->unit);
		else if (str_eq(key, STR("weight")))
			read_weight(v, j);
		else if (str_eq(key, STR("length")))
			v->lasts_count = read_is(j, STR("count"));
		else if (str_eq(key, STR("lengthNs")))
			json_number(j, 0, &v->ns_of_unit);
		else if (str_eq(key, STR("times")))
			v->has_no_times = json_bool(j, &has_times) && !has_times;
		else if (str_eq(key, STR("decimals")))
			read_decimals(v, j);
		else if (str_eq(key, STR("counts")))
			read_column(&v->counts, j);
		else if (str_eq(key, STR("periods")))
			read_column(&v->periods, j);
		else
			json_skip(j);
}

static void read_keys(struct cpuprofile *c, struct json *j, unsigned wrappers);

/* The inspector's answer has the profile in `profile`, and the message that brings it in `result`. */
static bool read_wrapped(struct cpuprofile *c, struct json *j, struct str key, unsigned wrappers)
{
	enum { MAX_WRAPPERS = 2 };
	if ((!str_eq(key, STR("profile")) && !str_eq(key, STR("result"))) ||
	    wrappers == MAX_WRAPPERS)
		return false;
	read_keys(c, j, wrappers + 1);
	return true;
}

static void read_keys(struct cpuprofile *c, struct json *j, unsigned wrappers)
{
	struct v8_profile *v = &c->v;
	struct str key;
	if (!json_object(j))
		return;
	while (json_key(j, &key))
		if (str_eq(key, STR("nodes"))) {
			v8_read_nodes(v, j, c->p);
		} else if (str_eq(key, STR("head"))) {
			c->is_old = true;
			v8_read_node(v, j, c->p);
		} else if (str_eq(key, STR("samples"))) {
			v8_read_samples(v, j);
		} else if (str_eq(key, STR("timeDeltas"))) {
			v8_read_times(v, j, c->p);
		} else if (str_eq(key, STR("timestamps"))) {
			v->times_are_points |= !v->times_ns.n;
			v8_read_times(v, j, c->p);
		} else if (str_eq(key, STR("startTime"))) {
			v->has_start = read_time(c, j, &v->start_ns, &c->start_is_us);
		} else if (str_eq(key, STR("endTime"))) {
			v->has_end = read_time(c, j, &v->end_ns, &c->end_is_us);
		} else if (str_eq(key, STR("plume"))) {
			read_own(v, j);
		} else if (!read_wrapped(c, j, key, wrappers)) {
			json_skip(j);
		}
}

/* --- the whole --- */

static void finish(struct cpuprofile *c, const struct json *j)
{
	struct v8_profile *v = &c->v;
	if (c->is_old && c->start_is_us)
		us_to_seconds(&v->start_ns);
	if (c->is_old && c->end_is_us)
		us_to_seconds(&v->end_ns);
	v8_profile_finish(v, c->p,
			  &(struct v8_finish){ .thread = THREAD_NONE,
					       .event = STR("cpu"),
					       .is_cut = json_fault(j) != NULL });
}

static void cpuprofile_read(struct reader *r, const struct source_options *options,
			    struct profile *p)
{
	struct cpuprofile c = { .p = p };
	struct json *j = json_new(r);
	json_limit_rows(j, options->max_rows);
	texts_add(&c.texts, STR(""));
	v8_profile_init(&c.v, &c.texts);
	read_keys(&c, j, 0);
	json_at_end(j);
	finish(&c, j);
	source_json_damage(p, r, "V8 CPU profile", j);
	v8_profile_fini(&c.v);
	texts_fini(&c.texts);
	json_free(j);
}

/* Nodes come first in every writer's files, and they are too many to see another key behind them. */
static unsigned cpuprofile_probe(struct str head)
{
	AUTO(buf) struct buf keys = { 0 };
	source_json_keys(head, &keys);
	bool has_function = str_find(head, STR("\"functionName\"")) >= 0;
	if (source_has_key(&keys, "nodes") && has_function)
		return 95;
	if (source_has_key(&keys, "head") && has_function)
		return 90;
	if (source_has_key(&keys, "samples") && source_has_key(&keys, "timeDeltas"))
		return 85;
	if ((source_has_key(&keys, "profile") || source_has_key(&keys, "result")) &&
	    str_find(head, STR("\"callFrame\"")) >= 0)
		return 80;
	if (source_has_key(&keys, "startTime") && source_has_key(&keys, "endTime") && has_function)
		return 60;
	return 0;
}

const struct source_format cpuprofile_format = {
	.title = "V8 CPU profile",
	.read = cpuprofile_read,
	.probe = cpuprofile_probe,
};
