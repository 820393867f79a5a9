/*
 * The processed profile of the Firefox Profiler (profiler.firefox.com), version 61: stacks,
 * functions and strings are shared by all threads, as in the model. Later viewers upgrade it while
 * they load it. doc/formats/firefox.md says what goes where.
 */
#include "sink/firefox_int.h"
#include "sink/profile_format.h"

enum {
	FORMAT_VERSION = 61,
	BROWSER_VERSION =
		24,	/* of the format that the browser itself writes; viewers do not use it */
	NS_DECIMALS = 6 /* a nanosecond is 10^-6 of a millisecond */
};

struct firefox {
	const struct profile *p;
	struct json_out j;
	struct firefox_tables tables;
	struct firefox_tracks tracks;
	struct buf *notes;
};

/* --- weights --- */

/* The weights of an event as the viewer can show them. */
struct weights {
	const char *type;
	bool are_periods;
	unsigned decimals;
	uint64_t factor;
};

static struct weights weights_of(const struct profile *p, event_id id)
{
	static const struct {
		struct str unit;
		const char *type;
		unsigned decimals;
		uint64_t factor;
	} units[] = {
		{ STR("ns"), "tracing-ms", 6, 1 },   { STR("nanoseconds"), "tracing-ms", 6, 1 },
		{ STR("us"), "tracing-ms", 3, 1 },   { STR("microseconds"), "tracing-ms", 3, 1 },
		{ STR("ms"), "tracing-ms", 0, 1 },   { STR("milliseconds"), "tracing-ms", 0, 1 },
		{ STR("s"), "tracing-ms", 0, 1000 }, { STR("seconds"), "tracing-ms", 0, 1000 },
		{ STR("bytes"), "bytes", 0, 1 },
	};
	struct weights w = { "samples", false, 0, 1 };
	if (id >= p->events.n || !p->events.p[id].counts_periods)
		return w;
	w.are_periods = true;
	w.decimals = p->events.p[id].decimals;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (str_eq(units[i].unit, profile_str(p, p->events.p[id].unit))) {
			w.type = units[i].type;
			w.decimals += units[i].decimals;
			w.factor = units[i].factor;
		}
	return w;
}

static uint64_t weight_of(const struct profile *p, const struct weights *w, uint32_t row)
{
	uint64_t weight;
	if (!w->are_periods)
		return p->samples.count[row];
	if (__builtin_mul_overflow(p->samples.period[row], w->factor, &weight))
		return UINT64_MAX;
	return weight;
}

/* --- threads --- */

static void write_weights(struct firefox *f, const struct firefox_track *k)
{
	struct json_out *j = &f->j;
	struct weights w = weights_of(f->p, k->event);
	const uint32_t *rows = f->tracks.row_order + k->first;
	bool are_one = !w.decimals;
	for (uint32_t i = 0; are_one && i < k->rows; i++)
		are_one = weight_of(f->p, &w, rows[i]) == 1;
	json_out_string(j, "weightType", str_from(w.type));
	if (are_one) {
		json_out_null(j, "weight");
		return;
	}
	json_out_open(j, "weight", '[');
	for (uint32_t i = 0; i < k->rows; i++)
		json_out_decimal(j, NULL, weight_of(f->p, &w, rows[i]), w.decimals);
	json_out_close(j, ']');
}

static void write_samples(struct firefox *f, const struct firefox_track *k)
{
	struct json_out *j = &f->j;
	const uint32_t *rows = f->tracks.row_order + k->first;
	json_out_open(j, "samples", '{');
	json_out_open(j, "stack", '[');
	for (uint32_t i = 0; i < k->rows; i++) {
		node_id node = f->p->samples.node[rows[i]];
		json_out_index(j, NULL, node == NODE_ROOT ? INDEX_NONE : node - 1);
	}
	json_out_close(j, ']');
	json_out_open(j, "time", '[');
	for (uint32_t i = 0; i < k->rows; i++)
		json_out_decimal(j, NULL, firefox_time_of(&f->tracks, k, i), NS_DECIMALS);
	json_out_close(j, ']');
	write_weights(f, k);
	json_out_u64(j, "length", k->rows);
	json_out_close(j, '}');
}

static const struct mark *mark_of(const struct firefox *f, const struct firefox_track *k,
				  uint32_t i)
{
	return &f->p->marks.p[f->tracks.mark_order[k->first_mark + i]];
}

enum mark_column { MARK_NAME, MARK_START, MARK_END, MARK_PHASE, MARK_CATEGORY, MARK_COLUMNS };

/* Phases: 0 is a moment, 1 a time with its end. */
static void write_mark_cell(struct firefox *f, const struct mark *m, enum mark_column column)
{
	struct json_out *j = &f->j;
	uint64_t start_ns = m->time_ns - f->tracks.start_ns;
	bool is_gc = str_eq(profile_str(f->p, m->kind), STR("gc"));
	switch (column) {
	case MARK_NAME:
		json_out_u64(j, NULL, texts_add(&f->tables.strings, profile_str(f->p, m->kind)));
		break;
	case MARK_START:
		json_out_decimal(j, NULL, start_ns, NS_DECIMALS);
		break;
	case MARK_END:
		if (m->duration_ns)
			json_out_decimal(j, NULL, start_ns + m->duration_ns, NS_DECIMALS);
		else
			json_out_null(j, NULL);
		break;
	case MARK_PHASE:
		json_out_u64(j, NULL, m->duration_ns != 0);
		break;
	default:
		json_out_u64(j, NULL, is_gc ? CATEGORY_GC : 0);
	}
}

static void write_marks(struct firefox *f, const struct firefox_track *k)
{
	static const char *const names[MARK_COLUMNS] = { "name", "startTime", "endTime", "phase",
							 "category" };
	struct json_out *j = &f->j;
	json_out_open(j, "markers", '{');
	for (unsigned c = 0; c < MARK_COLUMNS; c++) {
		json_out_open(j, names[c], '[');
		for (uint32_t i = 0; i < k->marks; i++)
			write_mark_cell(f, mark_of(f, k, i), (enum mark_column)c);
		json_out_close(j, ']');
	}
	json_out_open(j, "data", '[');
	for (uint32_t i = 0; i < k->marks; i++) {
		json_out_open(j, NULL, '{');
		json_out_string(j, "type", STR("mark"));
		json_out_string(j, "text", profile_str(f->p, mark_of(f, k, i)->text));
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
	json_out_u64(j, "length", k->marks);
	json_out_close(j, '}');
}

static struct str name_of(const struct firefox *f, const struct firefox_track *k)
{
	const struct thread *t = &f->p->threads.p[k->thread];
	struct str comm = profile_str(f->p, t->comm);
	if (k->thread == THREAD_NONE || (!comm.n && t->tid == PID_UNKNOWN))
		return STR("all");
	return comm.n ? comm : k->tid;
}

/* tids are numbers where they can be. */
static void write_tid(struct json_out *j, struct str tid)
{
	uint64_t number;
	if (str_to_u64(tid, &number))
		json_out_u64(j, "tid", number);
	else
		json_out_string(j, "tid", tid);
}

static void write_thread_names(struct firefox *f, const struct firefox_track *k)
{
	struct json_out *j = &f->j;
	AUTO(buf) struct buf name = { 0 }, process = { 0 };
	buf_add(&name, name_of(f, k));
	buf_add(&process, name_of(f, &f->tracks.list.p[k->process]));
	if (k->event != f->tracks.first_event) {
		struct str event = profile_str(f->p, f->p->events.p[k->event].name);
		buf_addf(&name, " (%.*s)", STR_ARG(event));
		buf_addf(&process, " (%.*s)", STR_ARG(event));
	}
	json_out_string(j, "name", buf_str(&name));
	json_out_string(j, "processName", buf_str(&process));
	json_out_string(j, "pid", k->pid);
	write_tid(j, k->tid);
	json_out_bool(j, "isMainThread", k->is_main);
	json_out_string(j, "processType", STR("default"));
}

static void write_thread(struct firefox *f, const struct firefox_track *k)
{
	struct json_out *j = &f->j;
	json_out_open(j, NULL, '{');
	write_thread_names(f, k);
	json_out_u64(j, "processStartupTime", 0);
	json_out_null(j, "processShutdownTime");
	json_out_u64(j, "registerTime", 0);
	json_out_null(j, "unregisterTime");
	json_out_open(j, "pausedRanges", '[');
	json_out_close(j, ']');
	if (k->marks)
		json_out_bool(j, "showMarkersInTimeline", true);
	write_samples(f, k);
	write_marks(f, k);
	json_out_close(j, '}');
}

/* --- about the recording --- */

static void write_extra_entry(struct json_out *j, struct str label, struct str value)
{
	json_out_open(j, NULL, '{');
	json_out_string(j, "label", label);
	json_out_string(j, "format", STR("string"));
	json_out_string(j, "value", value);
	json_out_close(j, '}');
}

/* What is known of the recording, and what became of its samples, is in the viewer's details. */
static void write_extra(struct firefox *f)
{
	const struct profile *p = f->p;
	struct json_out *j = &f->j;
	json_out_open(j, "extra", '[');
	json_out_open(j, NULL, '{');
	json_out_string(j, "label", STR("plume"));
	json_out_open(j, "entries", '[');
	for (uint32_t i = 0; i < p->facts.n; i++)
		write_extra_entry(j, profile_str(p, p->facts.p[i].key),
				  profile_str(p, p->facts.p[i].text));
	for (unsigned i = 0; i < LEDGER_LINES; i++) {
		AUTO(buf) struct buf count = { 0 };
		buf_add_grouped(&count, p->ledger.count[i]);
		if (p->ledger.count[i])
			write_extra_entry(j, str_from(ledger_line_name((enum ledger_line)i)),
					  buf_str(&count));
	}
	json_out_close(j, ']');
	json_out_close(j, '}');
	json_out_close(j, ']');
}

/* A mark's text is all that there is to show. */
static void write_mark_schema(struct json_out *j)
{
	json_out_open(j, "markerSchema", '[');
	json_out_open(j, NULL, '{');
	json_out_string(j, "name", STR("mark"));
	json_out_string(j, "tooltipLabel", STR("{marker.name}"));
	json_out_string(j, "tableLabel", STR("{marker.data.text}"));
	json_out_string(j, "chartLabel", STR("{marker.data.text}"));
	json_out_open(j, "display", '[');
	json_out_string(j, NULL, STR("marker-chart"));
	json_out_string(j, NULL, STR("marker-table"));
	json_out_string(j, NULL, STR("timeline-overview"));
	json_out_close(j, ']');
	json_out_open(j, "fields", '[');
	json_out_open(j, NULL, '{');
	json_out_string(j, "key", STR("text"));
	json_out_string(j, "label", STR("Text"));
	json_out_string(j, "format", STR("string"));
	json_out_close(j, '}');
	json_out_close(j, ']');
	json_out_close(j, '}');
	json_out_close(j, ']');
}

static uint32_t busiest_track(const struct firefox *f)
{
	uint32_t best = 0;
	for (uint32_t i = 1;
	     i < f->tracks.list.n && f->tracks.list.p[i].event == f->tracks.first_event; i++)
		if (f->tracks.list.p[i].weight > f->tracks.list.p[best].weight)
			best = i;
	return best;
}

/* The threads of the first event are shown, those of others wait in the viewer's list. */
static void write_choice(struct firefox *f)
{
	struct json_out *j = &f->j;
	json_out_open(j, "initialSelectedThreads", '[');
	json_out_u64(j, NULL, busiest_track(f));
	json_out_close(j, ']');
	if (f->tracks.list.p[f->tracks.list.n - 1].event == f->tracks.first_event)
		return;
	json_out_open(j, "initialVisibleThreads", '[');
	for (uint32_t i = 0; i < f->tracks.list.n; i++)
		if (f->tracks.list.p[i].event == f->tracks.first_event)
			json_out_u64(j, NULL, i);
	json_out_close(j, ']');
}

static void write_units(struct json_out *j)
{
	json_out_open(j, "sampleUnits", '{');
	json_out_string(j, "time", STR("ms"));
	json_out_string(j, "eventDelay", STR("ms"));
	json_out_string(j, "threadCPUDelta", STR("ns"));
	json_out_close(j, '}');
}

static void write_meta(struct firefox *f)
{
	struct json_out *j = &f->j;
	struct str command = profile_fact(f->p, STR("command"));
	json_out_open(j, "meta", '{');
	json_out_u64(j, "version", BROWSER_VERSION);
	json_out_u64(j, "preprocessedProfileVersion", FORMAT_VERSION);
	json_out_string(j, "product", command.n ? command : STR("plume"));
	json_out_string(j, "importedFrom", STR("plume"));
	json_out_decimal(j, "interval", f->tracks.interval_ns, NS_DECIMALS);
	json_out_u64(j, "startTime", 0);
	json_out_u64(j, "processType", 0);
	json_out_u64(j, "stackwalk", 1);
	json_out_bool(j, "debug", false);
	json_out_bool(j, "symbolicated", true);
	json_out_bool(j, "symbolicationNotSupported", true);
	json_out_bool(j, "sourceCodeIsNotOnSearchfox", true);
	bool has_script = false;
	for (uint32_t i = 0; i < f->tables.funcs.n; i++)
		has_script |= f->tables.funcs.p[i].is_script;
	json_out_bool(j, "usesOnlyOneStackType", !has_script);
	write_units(j);
	firefox_write_categories(j);
	write_mark_schema(j);
	write_choice(f);
	write_extra(f);
	json_out_close(j, '}');
}

/* --- the file --- */

static void add_notes(struct firefox *f)
{
	const struct profile *p = f->p;
	if (!f->tracks.has_times)
		buf_addf(f->notes,
			 "firefox: the profile has no timestamps: samples are placed 1 ms apart\n");
	else if (f->tracks.without_time)
		buf_addf(f->notes,
			 "firefox: %llu samples without a timestamp are placed at the start\n",
			 (unsigned long long)f->tracks.without_time);
	if (p->events.n > 1) {
		buf_addf(f->notes, "firefox: the viewer shows the threads of event %.*s;",
			 STR_ARG(profile_str(p, p->events.p[0].name)));
		for (uint32_t i = 1; i < p->events.n; i++)
			buf_addf(f->notes, "%s %.*s", i > 1 ? "," : " those of",
				 STR_ARG(profile_str(p, p->events.p[i].name)));
		buf_addf(f->notes, " are in its list of tracks\n");
	}
	if (p->label_sets.n > 1)
		buf_addf(f->notes, "firefox: labels of samples were left out\n");
}

static void write_firefox(const struct profile *p, const struct profile_format_options *o,
			  struct writer *out, struct buf *notes)
{
	struct firefox f = { .p = p, .j = { .out = out }, .notes = notes };
	struct json_out *j = &f.j;
	(void)o;
	firefox_tables_init(&f.tables, p);
	firefox_tracks_init(&f.tracks, p);
	json_out_open(j, NULL, '{');
	write_meta(&f);
	firefox_write_libraries(&f.tables, j);
	json_out_open(j, "threads", '[');
	for (uint32_t i = 0; i < f.tracks.list.n; i++)
		write_thread(&f, &f.tracks.list.p[i]);
	json_out_close(j, ']');
	firefox_write_shared(&f.tables, j);
	json_out_close(j, '}');
	json_out_end(j);
	add_notes(&f);
	firefox_tracks_fini(&f.tracks);
	firefox_tables_fini(&f.tables);
}

const struct profile_format firefox_sink = {
	.name = "firefox",
	.title = "Firefox profile",
	.endings = { ".firefox.json" },
	.keeps_lines = true,
	.columns = COLUMN_TIME | COLUMN_PID | COLUMN_TID,
	.columns_of_each = COLUMN_TIME | COLUMN_PID | COLUMN_TID,
	.write = write_firefox,
};
