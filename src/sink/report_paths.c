/* Paths as a tree of lines. */
#include "sink/report_int.h"

/* The next line of the same depth under the same parent? */
static bool has_sibling_below(const struct paths *p, uint32_t i, uint32_t depth)
{
	for (uint32_t k = i + 1; k < p->lines.n && p->lines.p[k].depth >= depth; k++)
		if (p->lines.p[k].depth == depth)
			return true;
	return false;
}

static size_t add_branches(struct buf *out, const struct paths *p, uint32_t i,
			   const struct report_style *s)
{
	uint32_t depth = p->lines.p[i].depth;
	const char *on = s->is_unicode ? "\xe2\x94\x82" : "|";
	const char *fork = s->is_unicode ? "\xe2\x94\x9c" : "+";
	const char *last = s->is_unicode ? "\xe2\x94\x94" : "`";
	if (!depth)
		return 0;
	report_ink(out, s, INK_DIM);
	for (uint32_t d = 1; d < depth; d++)
		buf_add(out, has_sibling_below(p, i, d) ? str_from(on) : STR(" "));
	buf_add(out, str_from(has_sibling_below(p, i, depth) ? fork : last));
	report_ink(out, s, INK_PLAIN);
	return depth;
}

/* Every stack begins with some of these; they tell nothing. */
static bool is_startup(struct str name)
{
	static const struct str names[] = {
		STR("_start"),
		STR("__libc_start_main"),
		STR("__libc_start_main@@GLIBC_2.34"),
		STR("__libc_start_main_impl"),
		STR("__libc_start_call_main"),
		STR("start_thread"),
		STR("clone"),
		STR("__clone"),
		STR("clone3"),
		STR("__clone3"),
		STR("ret_from_fork"),
		STR("ret_from_fork_asm"),
		STR("secondary_startup_64_no_verify"),
		STR("start_secondary"),
		STR("runtime.goexit"),
		STR("[unknown]"),
	};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(name, names[i]))
			return true;
	return false;
}

/* Names of labels; on a screen without those at the start that tell nothing. */
struct links {
	struct fit_link *p;
	uint32_t n;
};

static void links_fini(struct links *l)
{
	free(l->p);
}

/* Start-up is at the end of a way up, and at the start of others. */
static bool is_passed_over(const struct report_paths *p, const struct tree_label *l, bool is_first,
			   bool is_last)
{
	if (!is_startup(tree_label_bare(l)))
		return false;
	return p->direction == PATHS_TO_CALLERS ? !is_first && !is_last : is_first && !is_last;
}

/* People look for their own functions. */
static unsigned rank_of(const struct tree_label *l)
{
	enum category c = category_of_label(l);
	return c == CATEGORY_APP ? 2 : c == CATEGORY_DEPENDENCY ? 1 : 0;
}

static struct links links_of(const struct report_paths *p, uint32_t from, uint32_t n, bool is_first,
			     const struct report_style *s)
{
	struct links c = { mem_alloc(n, sizeof(struct fit_link)), 0 };
	struct str loop = s->is_unicode ? STR("\xe2\x86\xba") : STR("@");
	for (uint32_t i = 0; i < n; i++) {
		const struct tree_label *l = &p->tree->labels.p[p->paths.labels.p[from + i]];
		if (s->columns && is_passed_over(p, l, is_first, i + 1 == n))
			continue;
		is_first = is_first && l->is_process;
		c.p[c.n++] = (struct fit_link){ tree_label_listed(l),
						l->is_recursive ? loop : STR(""), rank_of(l) };
	}
	return c;
}

static void add_links(struct buf *out, const struct report_paths *p, const struct links *links,
		      const struct report_style *s, size_t columns)
{
	bool is_up = p->direction == PATHS_TO_CALLERS;
	struct str arrow = is_up ? STR(" < ") : STR(" > ");
	if (s->columns) {
		struct fit_chain chain = { links->p, links->n, arrow, is_up, s->is_unicode };
		fit_add_chain(out, &chain, columns);
		return;
	}
	for (uint32_t i = 0; i < links->n; i++) {
		buf_add(out, i ? arrow : STR(""));
		fit_add_safe(out, fit_known(links->p[i].name));
		buf_add(out, links->p[i].mark);
	}
}

/* --- lines --- */

/* Where the line leads no further and there is room: what most of the rest is. */
static void add_hottest(struct buf *out, const struct report *r, const struct report_paths *p,
			const struct path_line *line, const struct report_style *s, size_t columns)
{
	enum { LEAST_PERCENT = 1, BESIDE_NAME = 9 };
	AUTO(buf) struct buf name = { 0 };
	if (line->hottest == INDEX_NONE || p->direction == PATHS_TO_CALLERS ||
	    report_percent(line->further, r->summary.total) < LEAST_PERCENT)
		return;
	fit_add_brief(&name, tree_label_listed(&p->tree->labels.p[line->hottest]));
	if (utf8_count(buf_str(&name)) + BESIDE_NAME > columns)
		return;
	report_ink(out, s, INK_DIM);
	buf_add(out, s->is_unicode ? STR(" \xe2\x80\xa6 ") : STR(" .. "));
	buf_add(out, buf_str(&name));
	buf_addf(out, " %.1f", report_percent(line->hottest_weight, r->summary.total));
	report_ink(out, s, INK_PLAIN);
}

/* What the lines before it leave out. */
static void add_rest(struct buf *out, const struct report *r, const struct report_paths *p,
		     const struct path_line *line, const struct report_style *s, size_t columns)
{
	size_t start = out->n;
	buf_add_char(out, '(');
	buf_add_grouped(out, line->stacks);
	buf_add(out, p->direction == PATHS_TO_CALLERS ? STR(" other paths") : STR(" others"));
	if (line->hottest != INDEX_NONE && p->direction != PATHS_TO_CALLERS) {
		buf_add(out, STR(", most in "));
		size_t used = out->n - start + 7;
		struct str name = tree_label_listed(&p->tree->labels.p[line->hottest]);
		fit_add_name(out, name,
			     !s->columns	  ? SIZE_MAX
			     : columns > used + 8 ? columns - used
						  : 8,
			     s->is_unicode);
		buf_addf(out, s->columns ? " %.1f" : " %.2f",
			 report_percent(line->hottest_weight, r->summary.total));
	}
	buf_add(out, STR(")\n"));
}

/* The columns before a path. How wide they are on a screen. */
static size_t add_numbers(struct buf *out, const struct report *r, const struct report_paths *p,
			  const struct report_style *s, uint64_t total, uint64_t self)
{
	struct str gap = s->columns ? STR("  ") : STR(" ");
	report_add_share(out, s, total, r->summary.total);
	buf_add(out, gap);
	if (p->direction == PATHS_TO_CALLERS)
		return 7;
	report_add_share(out, s, self, r->summary.total);
	buf_add(out, gap);
	return 14;
}

/* Columns that the path of a line has. */
static size_t room_of(const struct report_paths *p, const struct path_line *line,
		      const struct report_style *s)
{
	enum { LEAST = 10 };
	size_t used = (p->direction == PATHS_TO_CALLERS ? 7 : 14) + (size_t)line->depth;
	return s->columns > used + LEAST ? s->columns - used : LEAST;
}

static void add_chain(struct buf *out, const struct report_paths *p, const struct path_line *line,
		      const struct report_style *s, size_t columns)
{
	AUTO(links)
	struct links links = links_of(p, line->chain, line->chain_count, line->depth == 0, s);
	add_links(out, p, &links, s, columns);
}

/* ` {..int..}`: of the first name in which two lines differ, what is the first line's own. */
static void add_difference(struct buf *out, const struct report_paths *p,
			   const struct path_line *line, const struct path_line *other,
			   const struct report_style *s)
{
	const struct tree_label *labels = p->tree->labels.p;
	const uint32_t *chains = p->paths.labels.p;
	for (uint32_t i = 0; i < line->chain_count && i < other->chain_count; i++) {
		struct str a = tree_label_listed(&labels[chains[line->chain + i]]);
		struct str b = tree_label_listed(&labels[chains[other->chain + i]]);
		if (str_eq(a, b))
			continue;
		fit_add_own(out, a, fit_common(a, b), room_of(p, line, s) / 2, s->is_unicode);
		return;
	}
}

/*
 * What tells line i from the first one that looks like it and is below the same line. Lines are
 * few, and so are those below one.
 */
static void add_difference_to_others(struct buf *out, const struct report_paths *p, uint32_t i,
				     const struct report_style *s, struct str text)
{
	enum { FARTHEST = 100 };
	const struct path_line *lines = p->paths.lines.p, *line = &lines[i];
	AUTO(buf) struct buf other = { 0 };
	uint32_t first = i;
	while (first && i - first < FARTHEST && lines[first - 1].depth >= line->depth)
		first--;
	for (uint32_t k = first; k < p->paths.lines.n && k < first + 2 * FARTHEST; k++) {
		if (lines[k].depth < line->depth)
			return;
		if (k == i || lines[k].depth != line->depth || lines[k].is_rest)
			continue;
		other.n = 0;
		add_chain(&other, p, &lines[k], s, room_of(p, line, s));
		if (!str_eq(buf_str(&other), text))
			continue;
		add_difference(out, p, line, &lines[k], s);
		return;
	}
}

/* How many columns it took. */
static size_t add_path(struct buf *out, const struct report_paths *p, uint32_t i,
		       const struct report_style *s)
{
	const struct path_line *line = &p->paths.lines.p[i];
	AUTO(buf) struct buf own = { 0 };
	AUTO(buf) struct buf path = { 0 };
	size_t room = room_of(p, line, s);
	add_chain(&path, p, line, s, room);
	if (s->columns)
		add_difference_to_others(&own, p, i, s, buf_str(&path));
	if (own.n) {
		path.n = 0;
		add_chain(&path, p, line, s, room - utf8_count(buf_str(&own)));
	}
	buf_add(out, buf_str(&path));
	buf_add(out, buf_str(&own));
	return utf8_count(buf_str(&path)) + utf8_count(buf_str(&own));
}

static void add_line(struct buf *out, const struct report *r, const struct report_paths *p,
		     uint32_t i, const struct report_style *s)
{
	const struct path_line *line = &p->paths.lines.p[i];
	size_t used = add_numbers(out, r, p, s, line->total, line->self);
	if (s->columns)
		used += add_branches(out, &p->paths, i, s);
	else
		for (uint32_t d = 0; d < line->depth; d++)
			buf_add(out, STR("  "));
	if (line->is_rest) {
		add_rest(out, r, p, line, s, s->columns > used ? s->columns - used : 0);
		return;
	}
	used += add_path(out, p, i, s);
	if (s->columns > used)
		add_hottest(out, r, p, line, s, s->columns - used);
	buf_add_char(out, '\n');
}

/* --- what stands above and below them --- */

static bool has_recursion(const struct report_paths *p)
{
	for (uint32_t i = 0; i < p->paths.labels.n; i++)
		if (p->tree->labels.p[p->paths.labels.p[i]].is_recursive)
			return true;
	return false;
}

static void add_heading(struct buf *out, const struct report_paths *p, const struct report_style *s)
{
	static const char *const names[] = { [PATHS_OF_ALL] = "path",
					     [PATHS_TO_CALLERS] = "callers",
					     [PATHS_TO_CALLEES] = "callees" };
	bool has_self = p->direction != PATHS_TO_CALLERS;
	AUTO(buf) struct buf line = { 0 };
	if (s->columns)
		buf_addf(&line, "total  %s%s", has_self ? " self  " : "", names[p->direction]);
	else
		buf_addf(&line, "# total%%%s %s", has_self ? " self%" : "", names[p->direction]);
	if (has_recursion(p))
		buf_addf(&line, " (%s calls itself)", s->is_unicode ? "\xe2\x86\xba" : "@");
	if (p->paths.trunk_count) {
		AUTO(links) struct links links = links_of(p, 0, p->paths.trunk_count, true, s);
		buf_add(&line, p->direction == PATHS_OF_ALL ? STR(", all below ") : STR(" of "));
		size_t used = utf8_count(buf_str(&line));
		add_links(&line, p, &links, s, s->columns > used + 10 ? s->columns - used : 10);
	}
	report_ink(out, s, INK_DIM);
	buf_add(out, buf_str(&line));
	report_ink(out, s, INK_PLAIN);
	buf_add_char(out, '\n');
}

static void add_left_out(struct buf *out, const struct paths *p, const char *one, const char *many)
{
	if (!p->left_out_stacks) {
		buf_addf(out, "no %s are left out", many);
		return;
	}
	buf_add_grouped(out, p->left_out_stacks);
	if (p->left_out_stacks == 1)
		buf_addf(out, " smaller %s is not shown", one);
	else
		buf_addf(out, " smaller %s are not shown", many);
}

/* Samples in = samples told. */
static void account_of(struct buf *out, const struct report_paths *r)
{
	const struct paths *p = &r->paths;
	buf_add(out, STR("these paths cover "));
	buf_add_percent(out, paths_held(p), p->total);
	buf_add(out,
		r->direction == PATHS_OF_ALL ? STR(" of the samples") : STR(" of its samples"));
	if (r->direction == PATHS_TO_CALLERS) {
		buf_add(out, STR("; "));
		add_left_out(out, p, "path", "paths");
		return;
	}
	buf_add(out, STR(": "));
	buf_add_percent(out, p->ends, p->total);
	buf_add(out, STR(" end in a function shown, "));
	buf_add_percent(out, p->further, p->total);
	buf_add(out, STR(" deeper"));
	if (p->rests) {
		buf_add(out, STR(", "));
		buf_add_percent(out, p->rests, p->total);
		buf_add(out, STR(" in grouped lines"));
	}
	buf_add(out, STR("; "));
	add_left_out(out, p, "path", "paths");
}

/* As many bytes of ASCII text as fit a line, broken between words. */
static size_t first_line(struct str text, size_t columns)
{
	size_t at = columns;
	if (!columns || text.n <= columns)
		return text.n;
	while (at && text.p[at] != ' ')
		at--;
	return at ? at : columns;
}

static void add_account(struct buf *out, const struct report_paths *p, const struct report_style *s)
{
	AUTO(buf) struct buf text = { 0 };
	account_of(&text, p);
	report_ink(out, s, INK_DIM);
	report_begin_remark(out, s);
	for (struct str rest = buf_str(&text); rest.n;) {
		size_t n = first_line(rest, s->columns);
		buf_add(out, str_first(rest, n));
		rest = str_from_byte(rest, n + (n < rest.n && rest.p[n] == ' '));
		if (rest.n)
			buf_add_char(out, '\n');
	}
	report_ink(out, s, INK_PLAIN);
	buf_add_char(out, '\n');
}

void report_add_paths(struct buf *out, const struct report *r, const struct report_paths *p,
		      const struct report_style *s)
{
	add_heading(out, p, s);
	for (uint32_t i = 0; i < p->paths.lines.n; i++)
		add_line(out, r, p, i, s);
	add_account(out, p, s);
}
