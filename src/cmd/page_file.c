#include "cmd/page_file.h"

#include "cmd/page_sources.h"

static const struct option page_file_options[] = {
	{ "with-source", 0, OPTION_FLAG, offsetof(struct profile_request, page.with_source), NULL,
	  "include the text of source files in an .html file" },
};
const struct option_set page_file_option_set = OPTION_SET(NULL, page_file_options);

/* --- options --- */

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

static const void *field_of(const struct view_request *r, const struct option *o)
{
	return (const char *)r + o->offset;
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Whether an option differs from its default. */
static bool is_set(const struct option *o, const struct view_request *r,
		   const struct view_request *usual)
{
	const void *is = field_of(r, o), *was = field_of(usual, o);
	switch (o->type) {
	case OPTION_FLAG:
		return *(const bool *)is != *(const bool *)was;
	case OPTION_TEXT:
	case OPTION_FILE:
		return !is_same_text(*(const char *const *)is, *(const char *const *)was);
	case OPTION_LIST:
		return ((const struct text_list *)is)->n > 0;
	case OPTION_REAL:
		return *(const double *)is != *(const double *)was;
	case OPTION_NUMBER:
		return *(const uint32_t *)is != *(const uint32_t *)was;
	case OPTION_CHOICE:
		return *(const unsigned *)is != *(const unsigned *)was;
	}
	return false;
}

static bool check_set(const struct option_set *set, const struct view_request *r, struct err *e)
{
	static const char *const honoured[] = { "title",      "inverted", "format",   "colors",
						"flamechart", "absolute", "scale-by", "delta",
						"fail-above", "time",	  NULL };
	struct view_request usual;
	view_request_init(&usual, r->kind);
	for (size_t i = 0; i < set->n; i++) {
		const struct option *o = &set->options[i];
		if (!is_one_of(o->name, honoured) && is_set(o, r, &usual))
			return err_usage(e,
					 "--%s has no effect on a page; leave it out, or write an "
					 ".svg",
					 o->name);
	}
	return true;
}

/* Options whose value matters. */
static bool check_values(const struct view_request *r, struct err *e)
{
	unsigned palette = r->picture.palette;
	if (palette != PALETTE_AUTO && palette != PALETTE_KIND && palette != PALETTE_TIER)
		return err_usage(e,
				 "--colors %s: a page has only kind and tier; choose one of them, "
				 "or write an .svg",
				 palette_names[palette]);
	if (r->kind == VIEW_DIFF && r->diff.scale_by == SCALE_BY_TOTAL)
		return err_usage(e, "--scale-by total has no effect on a page; leave it out, or "
				    "write an .svg");
	return true;
}

bool page_file_suits(const struct view_request *r, struct err *e)
{
	const struct option_set *const sets[] = { &picture_option_set,
						  r->kind == VIEW_DIFF ? &diff_option_set
								       : &flame_option_set,
						  &flame_format_option_set };
	for (size_t i = 0; i < ARRAY_SIZE(sets) - (r->kind == VIEW_DIFF); i++)
		if (!check_set(sets[i], r, e))
			return false;
	return check_values(r, e) && page_can_be_written(e);
}

/* --- what to show first --- */

static void add_list(struct buf *state, const char *name, const struct text_list *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		page_add_word(state, name, list->p[i]);
}

static void add_flag(struct buf *state, const char *name, bool is_given)
{
	if (is_given)
		page_add_word(state, name, NULL);
}

/* The first and the last time of its samples, ns. */
static void find_span(const struct profile *p, uint64_t *first, uint64_t *last)
{
	const struct samples *s = &p->samples;
	*first = UINT64_MAX;
	*last = 0;
	for (uint32_t i = 0; s->time_ns && i < s->n; i++) {
		*first = s->time_ns[i] < *first ? s->time_ns[i] : *first;
		*last = s->time_ns[i] > *last ? s->time_ns[i] : *last;
	}
}

/* ns as seconds: `12.5`. */
static void add_seconds(struct buf *out, uint64_t ns)
{
	buf_add_decimal(out, ns, 9);
}

/* --time in the page's form: seconds from the first sample. */
static bool add_times(struct buf *state, const char *name, const struct profile *p,
		      const struct text_list *times, struct err *e)
{
	AUTO(time_ranges) struct time_ranges ranges = { 0 };
	uint64_t first, last;
	if (!times->n)
		return true;
	if (!query_time_ranges(p, times, &ranges, e))
		return false;
	find_span(p, &first, &last);
	for (uint32_t i = 0; i < ranges.list.n; i++) {
		struct time_range r = ranges.list.p[i];
		AUTO(buf) struct buf text = { 0 };
		uint64_t until = r.until_ns > last ? last + 1 : r.until_ns;
		add_seconds(&text, r.from_ns > first ? r.from_ns - first : 0);
		buf_add_char(&text, ',');
		add_seconds(&text, until > first ? until - first : 0);
		page_add_word(state, name, buf_c_string(&text));
	}
	return true;
}

/* The selections of one side. prefix: `base.` or empty. */
static void add_selections(struct buf *state, const char *prefix, const struct query *q)
{
	const struct {
		const char *name;
		const struct text_list *list;
	} lists[] = { { "where", &q->where }, { "only", &q->only }, { "without", &q->without } };
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		char name[32];
		snprintf(name, sizeof(name), "%s%s", prefix, lists[i].name);
		add_list(state, name, lists[i].list);
	}
	if (q->no_idle)
		page_add_word(state, *prefix ? "base.no-idle" : "no-idle", NULL);
}

static void add_transforms(struct buf *state, const struct view_request *r)
{
	const struct query *q = &r->query;
	add_list(state, "root", &q->root);
	add_list(state, "skip-after", &q->skip_after);
	add_list(state, "hide", &q->hide);
	add_list(state, "charge", &q->charge);
	add_list(state, "fold", &q->fold);
	add_flag(state, "your-code", q->your_code);
	add_flag(state, "merge-tiers", q->merge_tiers);
	add_flag(state, "split-tiers", q->split_tiers);
	add_flag(state, "no-inline", q->no_inlines);
	add_flag(state, "collapse-recursion", q->collapse_recursion);
	add_flag(state, "pid", q->show_pid);
	add_flag(state, "tid", q->show_tid);
	add_flag(state, "kernel", q->mark_kernel);
	add_flag(state, "jit", q->mark_jit);
	add_flag(state, "srcline", r->names.shows_lines && !r->names.shows_context);
	add_flag(state, "context", r->names.shows_context);
	if (q->weight != QUERY_WEIGHT_AUTO)
		page_add_word(state, "weight",
			      q->weight == QUERY_WEIGHT_SAMPLES ? "samples" : "period");
}

static void add_look(struct buf *state, const struct view_request *r, bool is_diff)
{
	const struct picture_options *o = &r->picture;
	if (is_diff)
		page_add_word(state, "view", "diff");
	else if (o->is_chart || r->query.reverse)
		page_add_word(state, "view", o->is_chart ? "time" : "callers");
	if (o->palette == PALETTE_KIND || o->palette == PALETTE_TIER)
		page_add_word(state, "colour", palette_names[o->palette]);
	add_flag(state, "icicle", o->style.is_inverted);
	add_flag(state, "absolute",
		 is_diff && (r->diff.is_absolute || r->diff.scale_by == SCALE_NONE));
	if (is_diff && r->diff.delta != 0)
		page_add_word(state, "delta", "total");
}

/* One range applies to both sides; of two, the first is for BEFORE. */
static struct text_list times_of(const struct view_request *r, unsigned side)
{
	struct text_list times = r->kind == VIEW_DIFF ? r->diff.times : r->query.times;
	if (r->kind == VIEW_DIFF && times.n == SIDES)
		times = (struct text_list){ times.p + side, 1, 1 };
	return times;
}

static bool describe(const struct page_file_plan *plan, bool is_diff, struct buf *state,
		     struct err *e)
{
	const struct view_request *r = plan->view;
	const struct profile *before = plan->before ? plan->before : plan->profile;
	struct text_list times[] = { times_of(r, BEFORE), times_of(r, AFTER) };
	if (!add_times(state, "time", plan->profile, &times[AFTER], e))
		return false;
	add_selections(state, "", &r->query);
	if (is_diff) {
		page_add_word(state, plan->before ? "base.file" : "base",
			      plan->before ? "2" : NULL);
		if (!add_times(state, "base.time", before, &times[BEFORE], e))
			return false;
		add_selections(state, "base.", &r->query);
	}
	add_transforms(state, r);
	add_look(state, r, is_diff);
	return true;
}

/* --- writing --- */

/* One side of a profile with two values for each stack, as a profile of its own. */
static struct profile *side_of(const struct profile *from, event_id side)
{
	struct profile *p = profile_new(from->columns);
	profile_merge(p, from);
	p->is_differential = false;
	struct samples *s = &p->samples;
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->event[i] != side)
			continue;
		s->node[n] = s->node[i];
		s->thread[n] = s->thread[i];
		s->event[n] = 0;
		s->count[n] = s->count[i];
		s->period[n] = s->period[i];
		if (s->time_ns)
			s->time_ns[n] = s->time_ns[i];
		if (s->cpu)
			s->cpu[n] = s->cpu[i];
		if (s->labels)
			s->labels[n] = s->labels[i];
		n++;
	}
	s->n = n;
	profile_seal(p);
	return p;
}

static bool write_content(struct page_content *c, bool with_source, const char *path, struct err *e)
{
	AUTO(page_sources) struct page_sources sources = { 0 };
	struct writer *out = page_can_be_written(e) ? writer_open(path, e) : NULL;
	if (!out)
		return false;
	for (uint32_t i = 0; i < c->file_count && with_source; i++)
		page_sources_find(&sources, c->files[i].profile);
	if (sources.left_out)
		say("left out %u of %u source files: not readable or too large", sources.left_out,
		    sources.files);
	c->sources = sources.list.p;
	c->source_count = sources.list.n;
	bool ok = page_write(c, out, e) && writer_commit(out, e);
	writer_free(out);
	return ok;
}

bool page_file_write_all(struct page_file *files, uint32_t n, bool with_source, const char *path,
			 struct err *e)
{
	return write_content(&(struct page_content){ .files = files, .file_count = n }, with_source,
			     path, e);
}

static bool write_plan(const struct page_file_plan *plan, const char *path, struct err *e)
{
	AUTO(buf) struct buf state = { 0 };
	struct page_file files[SIDES] = {
		{ str_from(plan->name), plan->profile, true },
		{ str_from(plan->before_name ? plan->before_name : ""), plan->before, false },
	};
	bool is_diff = plan->before || plan->view->kind == VIEW_DIFF;
	if (!describe(plan, is_diff, &state, e))
		return false;
	return write_content(&(struct page_content){ .title = plan->view->picture.style.title,
						     .state = buf_str(&state),
						     .files = files,
						     .file_count = plan->before ? SIDES : 1 },
			     plan->with_source, path, e);
}

bool page_file_write(const struct page_file_plan *plan, const char *path, struct err *e)
{
	if (!plan->profile->is_differential)
		return write_plan(plan, path, e);
	struct page_file_plan both = *plan;
	struct profile *sides[SIDES] = { side_of(plan->profile, BEFORE),
					 side_of(plan->profile, AFTER) };
	both.profile = sides[AFTER];
	both.before = sides[BEFORE];
	both.name = "after";
	both.before_name = "before";
	bool ok = write_plan(&both, path, e);
	profile_unref(sides[BEFORE]);
	profile_unref(sides[AFTER]);
	return ok;
}
