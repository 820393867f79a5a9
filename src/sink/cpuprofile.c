/*
 * V8's .cpuprofile: one timeline of one event. A sample lasts as long as its weight says, so that what
 * DevTools adds up is what plume would show; where the samples leave time between them, nothing ran.
 * doc/formats/cpuprofile.md says what plume adds to the format.
 */
#include "sink/cpuprofile_int.h"
#include "sink/sample_length.h"

enum { NS_OF_SAMPLE = 1000000, NS_OF_UNIT = 1000 };

/* A sample of the output. */
struct placed {
	uint64_t time_ns;
	uint32_t node; /* of the output */
	uint32_t row;  /* INDEX_NONE: a gap */
};

struct cpuprofile {
	const struct profile *p;
	const struct event *event;
	event_id event_id;
	struct out_tree tree;
	struct json_out out;
	bool has_times;
	/* How long a sample lasts: its count or its period, in units of so many ns. */
	bool lasts_count, lasts_ns;
	uint64_t ns_of_unit;
	VEC(uint32_t) rows; /* of the event, in order of time */
	VEC(struct placed) samples;
	uint64_t end_ns;
	bool has_overlaps;
};

/* --- rows --- */

static int compare_times(const void *a, const void *b, void *times)
{
	const uint64_t *time_ns = times;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	if (time_ns[x] != time_ns[y])
		return time_ns[x] < time_ns[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The first event that has rows, and its rows. */
static void choose_rows(struct cpuprofile *c)
{
	const struct samples *s = &c->p->samples;
	c->event_id = s->n ? s->event[0] : 0;
	for (uint32_t i = 0; i < s->n; i++)
		c->event_id = s->event[i] < c->event_id ? s->event[i] : c->event_id;
	c->event = &c->p->events.p[c->event_id];
	for (uint32_t i = 0; i < s->n; i++)
		if (s->event[i] == c->event_id)
			vec_push(&c->rows, i);
	c->has_times = profile_has_times(c->p);
	if (c->has_times)
		qsort_r(c->rows.p, c->rows.n, sizeof(*c->rows.p), compare_times, s->time_ns);
}

/* --- how long a sample lasts --- */

static void choose_length(struct cpuprofile *c)
{
	const struct event_rows rows = { c->p, c->event_id, c->rows.p, c->rows.n };
	bool is_samples = str_eq(profile_str(c->p, c->event->unit), STR("samples"));
	c->lasts_ns = sample_lasts_period(&rows);
	c->lasts_count = !c->event->counts_periods && !c->lasts_ns;
	if (c->lasts_ns)
		c->ns_of_unit = 1;
	else if (c->lasts_count || is_samples || c->event->decimals > 3)
		c->ns_of_unit = NS_OF_SAMPLE;
	else
		c->ns_of_unit = NS_OF_UNIT;
	for (unsigned d = 0; d < c->event->decimals && c->ns_of_unit > 1; d++)
		c->ns_of_unit /= 10;
	if (c->lasts_count && c->has_times) {
		uint64_t interval = sample_usual_ns(&rows);
		c->ns_of_unit = interval ? interval : c->ns_of_unit;
	}
}

static uint64_t length_ns(const struct cpuprofile *c, uint32_t row)
{
	const struct samples *s = &c->p->samples;
	uint64_t ns;
	if (__builtin_mul_overflow(c->lasts_count ? s->count[row] : s->period[row], c->ns_of_unit,
				   &ns))
		return INT64_MAX;
	return ns;
}

/* --- the timeline --- */

/* From when on a gap is one: samples of a clock are a little late now and then. */
static uint64_t smallest_gap_ns(const struct cpuprofile *c, uint64_t length)
{
	return c->lasts_count ? length : 1;
}

static void place_row(struct cpuprofile *c, uint32_t row)
{
	const struct samples *s = &c->p->samples;
	uint64_t length = length_ns(c, row);
	uint32_t node = out_tree_stack(&c->tree, s->thread[row], s->node[row]);
	if (c->has_times && s->time_ns[row] > c->end_ns) {
		uint64_t gap = s->time_ns[row] - c->end_ns;
		if (gap >= smallest_gap_ns(c, length)) {
			vec_push(&c->samples,
				 (struct placed){ c->end_ns, out_tree_gap(&c->tree), INDEX_NONE });
			c->end_ns = s->time_ns[row];
		}
	} else if (c->has_times && c->end_ns - s->time_ns[row] > length) {
		c->has_overlaps = true;
	}
	vec_push(&c->samples, (struct placed){ c->end_ns, node, row });
	c->tree.nodes.p[node].hits += s->count[row];
	if (__builtin_add_overflow(c->end_ns, length, &c->end_ns))
		c->end_ns = UINT64_MAX;
}

static void place_rows(struct cpuprofile *c)
{
	if (c->has_times && c->rows.n)
		c->end_ns = c->p->samples.time_ns[c->rows.p[0]];
	for (uint32_t i = 0; i < c->rows.n; i++)
		place_row(c, c->rows.p[i]);
}

/* --- writing --- */

enum { US_DECIMALS = 3 };

static void write_samples(struct cpuprofile *c)
{
	uint64_t start = c->samples.n ? c->samples.p[0].time_ns : 0, before = start;
	json_out_line(&c->out);
	json_out_decimal(&c->out, "startTime", start, US_DECIMALS);
	json_out_decimal(&c->out, "endTime", c->end_ns, US_DECIMALS);
	json_out_line(&c->out);
	json_out_open(&c->out, "samples", '[');
	for (uint32_t i = 0; i < c->samples.n; i++)
		json_out_u64(&c->out, NULL, c->samples.p[i].node + 1);
	json_out_close(&c->out, ']');
	json_out_line(&c->out);
	json_out_open(&c->out, "timeDeltas", '[');
	for (uint32_t i = 0; i < c->samples.n; i++) {
		json_out_decimal(&c->out, NULL, c->samples.p[i].time_ns - before, US_DECIMALS);
		before = c->samples.p[i].time_ns;
	}
	json_out_close(&c->out, ']');
}

/* `"counts":[...]`: what the length of a sample does not say. */
static void write_column(struct cpuprofile *c, const char *name, const uint64_t *column)
{
	json_out_line(&c->out);
	json_out_open(&c->out, name, '[');
	for (uint32_t i = 0; i < c->samples.n; i++) {
		uint32_t row = c->samples.p[i].row;
		json_out_u64(&c->out, NULL, row == INDEX_NONE ? 0 : column[row]);
	}
	json_out_close(&c->out, ']');
}

/* A sample that lasts its period has one more number, its count, and the other way round. */
static bool needs_column(const struct cpuprofile *c)
{
	const struct samples *s = &c->p->samples;
	for (uint32_t i = 0; i < c->rows.n && !c->event->has_only_sums; i++) {
		uint32_t row = c->rows.p[i];
		if (c->lasts_count ? s->period[row] != s->count[row] : s->count[row] != 1)
			return true;
	}
	return false;
}

static void write_own(struct cpuprofile *c)
{
	const struct event *e = c->event;
	bool needs = needs_column(c);
	const char *weight = e->has_only_sums ? "sums" : e->counts_periods ? "periods" : "samples";
	struct str name = profile_str(c->p, e->name);
	if (str_eq(name, STR("cpu")) && c->lasts_ns && e->counts_periods && c->has_times &&
	    !e->has_only_sums && !needs)
		return;
	struct json_out *j = &c->out;
	json_out_line(j);
	json_out_open(j, "plume", '{');
	json_out_string(j, "event", name);
	json_out_string(j, "unit", profile_str(c->p, e->unit));
	json_out_string(j, "weight", str_from(weight));
	json_out_string(j, "length", c->lasts_count ? STR("count") : STR("period"));
	json_out_u64(j, "lengthNs", c->ns_of_unit);
	json_out_u64(j, "decimals", e->decimals);
	if (!c->has_times)
		json_out_bool(j, "times", false);
	if (needs)
		write_column(c, c->lasts_count ? "periods" : "counts",
			     c->lasts_count ? c->p->samples.period : c->p->samples.count);
	json_out_close(j, '}');
}

/* --- what could not be kept --- */

static void add_notes(const struct cpuprofile *c, struct buf *notes)
{
	const struct profile *p = c->p;
	struct str name = profile_str(p, c->event->name);
	bool has_others = false;
	for (event_id i = 0; i < p->events.n; i++) {
		if (i == c->event_id)
			continue;
		buf_addf(notes,
			 has_others ? ", %.*s" : ".cpuprofile files hold one event; left out: %.*s",
			 STR_ARG(profile_str(p, p->events.p[i].name)));
		has_others = true;
	}
	if (has_others)
		buf_addf(notes, "; written: %.*s (--where event=NAME chooses another)\n",
			 STR_ARG(name));
	if (!c->lasts_ns) {
		buf_addf(notes, ".cpuprofile files hold times: each %s of %.*s is written as ",
			 c->lasts_count ? "sample" : "unit", STR_ARG(name));
		buf_add_decimal(notes, c->ns_of_unit, 3);
		buf_addf(notes, " us\n");
	}
	if (c->has_overlaps && p->threads.n > 2)
		buf_addf(notes, ".cpuprofile files have one timeline: samples that threads took at "
				"the same time follow one another\n");
}

static void write_cpuprofile(const struct profile *p, const struct profile_format_options *o,
			     struct writer *out, struct buf *notes)
{
	(void)o;
	struct cpuprofile c = { .p = p, .out = { .out = out, .strings = JSON_BYTES } };
	if (!p->events.n)
		return;
	out_tree_init(&c.tree, p);
	choose_rows(&c);
	choose_length(&c);
	place_rows(&c);
	json_out_open(&c.out, NULL, '{');
	out_tree_write(&c.tree, &c.out);
	write_samples(&c);
	write_own(&c);
	json_out_close(&c.out, '}');
	json_out_end(&c.out);
	add_notes(&c, notes);
	out_tree_fini(&c.tree);
	vec_fini(&c.rows);
	vec_fini(&c.samples);
}

const struct profile_format cpuprofile_sink = {
	.name = "cpuprofile",
	.title = "V8 CPU profile",
	.endings = { ".cpuprofile" },
	.columns = COLUMN_TIME | COLUMN_PID | COLUMN_TID,
	.columns_of_each = COLUMN_TIME | COLUMN_PID | COLUMN_TID,
	.write = write_cpuprofile,
};
