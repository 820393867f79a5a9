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

static struct links links_of(const struct report_paths *p, uint32_t from, uint32_t n, bool is_first,
			     const struct report_style *s)
{
	struct links c = { mem_alloc(n, sizeof(struct fit_link)), 0 };
	struct str loop = s->is_unicode ? STR("\xe2\x86\xba") : STR("@");
	bool is_start = is_first && s->columns;
	for (uint32_t i = 0; i < n; i++) {
		const struct tree_label *l = &p->tree->labels.p[p->paths.labels.p[from + i]];
		if (is_start && i + 1 < n && is_startup(tree_label_bare(l)))
			continue;
		is_start = is_start && l->is_process;
		c.p[c.n++] = (struct fit_link){ l->name, l->is_recursive ? loop : STR("") };
	}
	return c;
}

static void add_links(struct buf *out, const struct links *links, const struct report_style *s,
		      size_t columns)
{
	if (s->columns) {
		fit_add_chain(out, links->p, links->n, columns, s->is_unicode);
		return;
	}
	for (uint32_t i = 0; i < links->n; i++) {
		buf_add(out, i ? STR(" > ") : STR(""));
		fit_add_safe(out, links->p[i].name);
		buf_add(out, links->p[i].mark);
	}
}

/* Where the line leads no further and there is room: what most of the rest is. */
static void add_hottest(struct buf *out, const struct report *r, const struct report_paths *p,
			const struct path_line *line, const struct report_style *s, size_t columns)
{
	enum { LEAST_ROOM = 16, LEAST_PERCENT = 1 };
	AUTO(buf) struct buf name = { 0 };
	if (line->hottest == INDEX_NONE || columns < LEAST_ROOM ||
	    report_percent(line->further, r->summary.total) < LEAST_PERCENT)
		return;
	struct str dots = s->is_unicode ? STR(" \xe2\x80\xa6 ") : STR(" .. ");
	fit_add_brief(&name, p->tree->labels.p[line->hottest].name);
	if (utf8_count(buf_str(&name)) + 9 > columns)
		return;
	report_ink(out, s, INK_DIM);
	buf_add(out, dots);
	buf_add(out, buf_str(&name));
	buf_addf(out, " %.1f", report_percent(line->hottest_weight, r->summary.total));
	report_ink(out, s, INK_PLAIN);
}

static void add_line(struct buf *out, const struct report *r, const struct report_paths *p,
		     uint32_t i, const struct report_style *s)
{
	enum { NUMBERS = 14, LEAST = 10 };
	const struct path_line *line = &p->paths.lines.p[i];
	report_add_share(out, s, line->total, r->summary.total);
	buf_add(out, s->columns ? STR("  ") : STR(" "));
	report_add_share(out, s, line->self, r->summary.total);
	buf_add(out, s->columns ? STR("  ") : STR(" "));
	size_t used = NUMBERS;
	if (s->columns)
		used += add_branches(out, &p->paths, i, s);
	else
		for (uint32_t d = 0; d < line->depth; d++)
			buf_add(out, STR("  "));
	size_t start = out->n;
	AUTO(links)
	struct links links = links_of(p, line->chain, line->chain_count, line->depth == 0, s);
	add_links(out, &links, s, s->columns > used + LEAST ? s->columns - used : LEAST);
	used += utf8_count(str_from_byte(buf_str(out), start));
	if (s->columns > used)
		add_hottest(out, r, p, line, s, s->columns - used);
	buf_add_char(out, '\n');
}

static void add_heading(struct buf *out, const struct report_paths *p, const struct report_style *s)
{
	const char *what = strcmp(p->key, "paths") == 0 ? "path" : p->key;
	size_t start = out->n;
	report_ink(out, s, INK_DIM);
	size_t invisible = out->n - start;
	if (s->columns)
		buf_addf(out, "%5s  %5s  %s", "total", "self", what);
	else
		buf_addf(out, "# total%% self%% %s", what);
	if (p->paths.trunk_count) {
		AUTO(links) struct links links = links_of(p, 0, p->paths.trunk_count, true, s);
		buf_add(out, strcmp(p->key, "paths") == 0 ? STR(", all below ") : STR(" of "));
		size_t used = utf8_count(str_from_byte(buf_str(out), start + invisible));
		add_links(out, &links, s, s->columns > used + 10 ? s->columns - used : 10);
	}
	report_ink(out, s, INK_PLAIN);
	buf_add_char(out, '\n');
}

/* What has no line of its own and is too much to be passed over. */
static void add_others(struct buf *out, const struct report *r, const struct report_paths *p,
		       const struct report_style *s)
{
	const struct paths *paths = &p->paths;
	if (!paths->others)
		return;
	report_add_share(out, s, paths->others_total, r->summary.total);
	buf_add(out, s->columns ? STR("         ") : STR("   0.00 "));
	buf_add_grouped(out, paths->others);
	buf_add(out, STR(" others, none above "));
	report_add_percent(out, paths->largest_other, r->summary.total);
	buf_add_char(out, '\n');
}

static void add_left_out(struct buf *out, const struct paths *p)
{
	if (!p->left_out_stacks) {
		buf_add(out, STR("no path is left out"));
		return;
	}
	buf_add_grouped(out, p->left_out_stacks);
	buf_add(out, p->left_out_stacks == 1 ? STR(" smaller path is left out")
					     : STR(" smaller paths are not shown"));
}

/* Samples in = samples told. */
static void add_account(struct buf *out, const struct report_paths *r, const struct report_style *s)
{
	const struct paths *p = &r->paths;
	AUTO(buf) struct buf text = { 0 };
	uint64_t overflows = 0;
	buf_add(&text, STR("these paths hold "));
	report_add_percent(&text, saturating_add(p->ends, p->further, &overflows), p->total);
	buf_add(&text, STR(" of the samples: "));
	report_add_percent(&text, p->ends, p->total);
	buf_add(&text, STR(" end in a function shown, "));
	report_add_percent(&text, p->further, p->total);
	buf_add(&text, STR(" further down; "));
	add_left_out(&text, p);
	report_ink(out, s, INK_DIM);
	/* Broken once, between words. */
	size_t at = text.n;
	if (s->columns && text.n > s->columns)
		for (at = s->columns; at && text.p[at] != ' ';)
			at--;
	buf_add(out, str_first(buf_str(&text), at));
	if (at < text.n) {
		buf_add_char(out, '\n');
		buf_add(out, str_from_byte(buf_str(&text), at + 1));
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
	add_others(out, r, p, s);
	add_account(out, p, s);
}
