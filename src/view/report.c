/* What a report shows, fitted to the available lines. */
#include "view/view_int.h"

#define REPORT(field) offsetof(struct view_request, report.field)

static const char *const orders[] = { "self", "total", NULL };
static const struct option report_options[] = {
	{ "callers", 0, OPTION_TEXT, REPORT(callers), "FN", "show who calls function FN" },
	{ "callees", 0, OPTION_TEXT, REPORT(callees), "FN", "show what function FN calls" },
	{ "by", 0, OPTION_CHOICE, REPORT(by), "KEY",
	  "show how much each thread, pid, comm, cpu, module, event, kind, container or category "
	  "took; module, kind and category are those of the leaf frame",
	  report_key_names },
	{ "sort", 0, OPTION_CHOICE, REPORT(order), "WHAT",
	  "sort functions by self (their own share, the default) or total (including callees)",
	  orders },
	{ "limit", 0, OPTION_TEXT, REPORT(limit_text), "N",
	  "show N functions or groups (default: as many as fit; 0: all)" },
	{ "lines", 0, OPTION_NUMBER, REPORT(lines), "N",
	  "fit the whole report into N lines (default: the terminal's height; 40 for files and "
	  "pipes)" },
	{ "width", 0, OPTION_TEXT, REPORT(width_text), "N",
	  "fit lines to N columns (default: the terminal's width; 0 for files and pipes: full "
	  "names and a fixed column order)" },
	{ "json", 0, OPTION_FLAG, REPORT(is_json), NULL, "print JSON, with all functions" },
};
const struct option_set report_option_set = OPTION_SET("Report", report_options);

bool report_options_settle(struct report_options *o, struct err *e)
{
	enum { USUAL_LINES = 40 };
	uint64_t limit = 0, width = o->style.columns;
	if (o->by != GROUP_KEYS && (o->callers || o->callees))
		return err_usage(e, "--by cannot be combined with --callers or --callees");
	if (o->callers && o->callees && strcmp(o->callers, o->callees) != 0)
		return err_usage(e, "--callers and --callees must name the same function");
	if ((o->callers && !*o->callers) || (o->callees && !*o->callees))
		return err_usage(e, "--callers and --callees need a function's name");
	if ((o->width_text && !option_parse_number("width", o->width_text, REPORT_MIN_WIDTH,
						   REPORT_MAX_WIDTH, &width, e)) ||
	    (o->limit_text &&
	     !option_parse_number("limit", o->limit_text, 1, UINT32_MAX, &limit, e)))
		return false;
	o->style.columns = (unsigned)width;
	o->has_limit = o->limit_text != NULL;
	o->limit = (uint32_t)limit;
	o->has_lines = o->lines != 0;
	if (!o->lines)
		o->lines = USUAL_LINES;
	return true;
}

/* A report under construction, and what it is made of. */
struct making {
	const struct report_options *options;
	const struct view *view;
	struct view_notes *notes; /* during construction */
	struct report report;
	struct report_functions functions, your_functions;
	struct tree *your_tree; /* NULL if the report has no separate table for it */
	struct report_groups groups;
	struct report_units units;
	struct report_subject subject;
	struct tree *calls[REPORT_MAX_PATHS], *folded[REPORT_MAX_PATHS];
	struct buf name;
};

void making_free(struct making *m)
{
	if (!m)
		return;
	report_functions_fini(&m->functions);
	report_functions_fini(&m->your_functions);
	tree_free(m->your_tree);
	report_groups_fini(&m->groups);
	report_units_fini(&m->units);
	for (unsigned i = 0; i < m->report.path_count; i++)
		paths_fini(&m->report.paths[i].paths);
	for (unsigned i = 0; i < REPORT_MAX_PATHS; i++) {
		tree_free(m->folded[i]);
		tree_free(m->calls[i]);
	}
	buf_fini(&m->name);
	free(m);
}

/* --lines is a strict limit, unless --limit asks for more rows. */
static bool is_exact(const struct making *m)
{
	return m->options->has_lines && !m->options->has_limit && !m->options->is_json;
}

static uint32_t lines_left(const struct making *m, uint32_t lines, uint32_t used)
{
	uint32_t least = is_exact(m) ? 1 : 3;
	return lines > used + least ? lines - used : least;
}

static uint32_t ledger_lines(const struct making *m)
{
	AUTO(buf) struct buf ledger = { 0 };
	return report_add_ledger(&ledger, &m->report, &m->options->style);
}

/* beside: lines of the report without its parts, which together need at least `rows`. */
static bool check_lines(const struct making *m, uint32_t beside, uint32_t rows, struct err *e)
{
	uint32_t least = beside + rows;
	if (!is_exact(m) || m->options->lines >= least)
		return true;
	return err_usage(e, "--lines %u: this report needs at least %u lines", m->options->lines,
			 least);
}

/* Lines of paths besides the paths themselves: a blank line, the heading, the account. */
static uint32_t paths_lines(const struct making *m)
{
	enum { ACCOUNT_COLUMNS = 160 };
	unsigned columns = m->options->style.columns;
	return 2 + (columns ? (ACCOUNT_COLUMNS + columns - 1) / columns : 1);
}

/* Folds recursion; the caller keeps t. */
static void add_paths(struct making *m, enum report_direction direction, const struct tree *t,
		      uint32_t lines)
{
	unsigned i = m->report.path_count++;
	struct report_paths *p = &m->report.paths[i];
	/* Less would be printed as 0.0 %. */
	uint64_t least = m->report.summary.total / 2000;
	enum { MOST_LINES = 1000 }; /* nobody reads more, and choosing each one considers all */
	lines = lines < MOST_LINES ? lines : MOST_LINES;
	struct paths_query q = { .max_lines = lines, .least = least, .least_held = 0.5 };
	q.aim = direction == PATHS_TO_CALLERS ? PATHS_FROM_START : PATHS_TO_ENDS;
	m->folded[i] = tree_without_loops(t);
	p->direction = direction;
	p->tree = m->folded[i];
	paths_of_tree(p->tree, &q, &p->paths);
}

/* How many of n rows a table shows if `fitting` of them fit; 0: all. */
static uint32_t limit_of(const struct making *m, uint32_t fitting)
{
	return m->options->has_limit ? m->options->limit : m->options->is_json ? 0 : fitting;
}

/* Fills a table that has room for `fitting` lines; returns the number of rows it shows. */
static uint32_t make_table(struct making *m, struct report_table *table,
			   const struct report_functions *functions, uint32_t fitting)
{
	fitting = m->options->limit ? m->options->limit : fitting;
	table->functions = functions;
	table->order = m->options->order;
	table->limit = limit_of(m, fitting);
	return fitting < functions->rows.n ? fitting : functions->rows.n;
}

/* Functions get at most two fifths of the screen, your own at most half of that; paths get the rest. */
static bool make_overview(struct making *m, struct err *e)
{
	struct report *report = &m->report;
	unsigned tables = m->your_tree ? 2 : 1;
	uint32_t beside = ledger_lines(m) + tables * REPORT_TABLE_LINES + paths_lines(m);
	uint32_t room = lines_left(m, m->options->lines, beside), taken = 0;
	uint32_t fitting = room * 2 / 5 / tables;
	fitting += fitting == 0; /* 0 would mean all */
	if (!check_lines(m, beside, tables + 1, e))
		return false;
	if (m->your_tree) {
		report->your_code =
			(struct report_table){ .tree = m->your_tree, .is_your_code = true };
		report_functions(report->profile, m->your_tree, m->options->order,
				 &m->your_functions);
		report->your_code.yours =
			report_functions_yours_first(m->your_tree, &m->your_functions);
		taken += make_table(m, &report->your_code, &m->your_functions, fitting);
	}
	report->all = (struct report_table){ .tree = report->tree,
					     .is_your_code = m->view->query.your_code };
	report_functions(report->profile, report->tree, m->options->order, &m->functions);
	if (report->all.is_your_code)
		report->all.yours = report_functions_yours_first(report->tree, &m->functions);
	taken += make_table(m, &report->all, &m->functions, fitting);
	add_paths(m, PATHS_OF_ALL, report->tree, lines_left(m, room, taken));
	return true;
}

static bool make_groups(struct making *m, struct err *e)
{
	struct report *report = &m->report;
	uint32_t beside = ledger_lines(m) + REPORT_TABLE_LINES + 1; /* the last shows the rest */
	if (!check_lines(m, beside, 1, e))
		return false;
	enum report_key key = m->options->by;
	report_groups(report->profile, report->tree, key, &m->groups);
	if (key == GROUP_EVENT && m->units.n > 1)
		report_groups_by_unit(&m->groups, &m->units);
	report->groups = &m->groups;
	report->group_key = report_key_names[key];
	report->group_limit = limit_of(m, lines_left(m, m->options->lines, beside));
	return true;
}

static void add_names(struct buf *out, const struct tree *t, const uint32_t *labels, uint32_t n)
{
	enum { MOST_COLUMNS = 60 };
	for (uint32_t i = 0; i < n; i++) {
		buf_add(out, i ? STR(", ") : STR(""));
		fit_add_name(out, fit_known(tree_label_listed(&t->labels.p[labels[i]])),
			     MOST_COLUMNS, true);
	}
}

static bool say_no_function(const struct tree *t, const char *text, struct err *e)
{
	enum { MOST = 5 };
	uint32_t labels[MOST];
	AUTO(buf) struct buf names = { 0 };
	uint32_t n = report_nearest(t, str_from(text), labels, MOST);
	add_names(&names, t, labels, n);
	if (n)
		return err_set(e, "no function is named %s; similar names: %s", text,
			       buf_c_string(&names));
	return err_set(e, "no function is named %s or anything similar", text);
}

/* If text matched several functions, or only part of a name, says which ones were taken. */
static void say_taken(const struct making *m, const char *text, const bool *is_wanted,
		      enum name_match match)
{
	enum { MOST = 5 };
	const struct tree *t = m->report.tree;
	uint32_t labels[MOST], n = 0;
	AUTO(buf) struct buf names = { 0 };
	for (uint32_t i = 0; i < m->functions.rows.n && n < MOST; i++)
		if (is_wanted[m->functions.rows.p[i].label])
			labels[n++] = m->functions.rows.p[i].label;
	add_names(&names, t, labels, n);
	if (n < m->subject.functions)
		buf_addf(&names, " and %u more", m->subject.functions - n);
	notes_add(m->notes, "no function is named %s; using %s: %s", text,
		  m->subject.functions == 1 ? "the one that contains it"
		  : match == MATCH_WORD	    ? "those that contain it as a word"
					    : "those that contain it",
		  buf_c_string(&names));
}

static void describe_subject(struct making *m, const char *text, const bool *is_wanted,
			     enum name_match match)
{
	uint64_t overflows = 0;
	uint32_t last = 0;
	for (uint32_t i = 0; i < m->functions.rows.n; i++) {
		const struct report_function *f = &m->functions.rows.p[i];
		if (!is_wanted[f->label])
			continue;
		last = f->label;
		m->subject.functions++;
		m->subject.self = saturating_add(m->subject.self, f->self, &overflows);
	}
	if (m->subject.functions == 1)
		buf_add(&m->name, tree_label_listed(&m->report.tree->labels.p[last]));
	else
		buf_add(&m->name, str_from(text));
	m->subject.name = buf_str(&m->name);
	m->report.subject = &m->subject;
	if (match != MATCH_EXACT)
		say_taken(m, text, is_wanted, match);
}

static bool make_calls(struct making *m, struct err *e)
{
	const struct report_options *o = m->options;
	const char *text = o->callers ? o->callers : o->callees;
	const struct tree *t = m->report.tree;
	AUTO_FREE bool *is_wanted = mem_zalloc(t->labels.n, 1);
	enum { SUBJECT_LINES = 3 };
	enum name_match match = report_find(t, str_from(text), is_wanted);
	if (match == MATCH_NONE)
		return say_no_function(t, text, e);
	report_functions(m->report.profile, t, ORDER_BY_TOTAL, &m->functions);
	describe_subject(m, text, is_wanted, match);
	unsigned views = (o->callers != NULL) + (o->callees != NULL);
	uint32_t beside = ledger_lines(m) + SUBJECT_LINES;
	if (!check_lines(m, beside, views * (paths_lines(m) + 1), e))
		return false;
	uint32_t room = lines_left(m, m->options->lines, beside) / views;
	uint32_t lines = lines_left(m, room, paths_lines(m));
	if (o->callers) {
		m->calls[0] = tree_callers(t, is_wanted, m->subject.name);
		add_paths(m, PATHS_TO_CALLERS, m->calls[0], lines);
	}
	if (o->callees) {
		m->calls[1] = tree_callees(t, is_wanted, m->subject.name);
		add_paths(m, PATHS_TO_CALLEES, m->calls[1], lines);
	}
	m->subject.total = m->report.paths[0].paths.total;
	return true;
}

/* If script functions are mixed with those of their runtime, they come first in their own table. */
static bool make_your_tree(struct making *m, struct err *e)
{
	const struct profile *p = m->view->in.profile;
	struct query query = m->view->query; /* shares the request's lists */
	struct query_ledger ledger;
	if (query.your_code || query.names != NAMES_SHOWN || !profile_has_scripts(p))
		return true;
	query.your_code = true;
	m->your_tree = query_tree(p, &query, &ledger, e);
	return m->your_tree != NULL;
}

static bool make(struct making *m, struct err *e)
{
	const struct report_options *o = m->options;
	const struct view *v = m->view;
	const struct profile *p = v->in.profile;
	m->report.file = str_from(v->in.file ? v->in.file : "");
	m->report.profile = p;
	m->report.tree = v->tree;
	m->report.ledger = &v->ledger;
	report_units(p, v->tree, &v->ledger, v->query.weight, &m->units);
	m->report.units = &m->units;
	m->report.summary = report_summary(p, v->tree);
	if (o->callers || o->callees)
		return make_calls(m, e);
	return o->by != GROUP_KEYS ? make_groups(m, e) : make_overview(m, e);
}

struct making *making_new(const struct view *v, struct view_notes *notes, struct err *e)
{
	struct making *m = mem_zalloc(1, sizeof(*m));
	*m = (struct making){ .options = &v->request->report, .view = v, .notes = notes };
	if (make_your_tree(m, e) && make(m, e))
		return m;
	making_free(m);
	return NULL;
}

void making_write(const struct making *m, struct writer *out)
{
	if (m->options->is_json)
		sink_report_json(&m->report, out);
	else
		sink_report_text(&m->report, &m->options->style, out);
}
