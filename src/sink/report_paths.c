/* Paths as a tree of lines. */
#include "sink/report_int.h"

/* What stands before a line: whether lines of each depth go on below it. */
struct branches {
	bool *goes_on; /* by depth */
};

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

static void add_chain(struct buf *out, const struct report_paths *p, const struct path_line *line,
		      const struct report_style *s, size_t columns)
{
	AUTO_FREE struct str *names = mem_alloc(line->chain_count, sizeof(*names));
	for (uint32_t i = 0; i < line->chain_count; i++)
		names[i] = p->tree->labels.p[p->paths.labels.p[line->chain + i]].name;
	if (s->columns) {
		fit_add_chain(out, names, line->chain_count, columns, s->is_unicode);
		return;
	}
	for (uint32_t i = 0; i < line->chain_count; i++) {
		buf_add(out, i ? STR(" > ") : STR(""));
		fit_add_safe(out, names[i]);
	}
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
	add_chain(out, p, line, s, s->columns > used + LEAST ? s->columns - used : LEAST);
	buf_add_char(out, '\n');
}

static void add_heading(struct buf *out, const struct report_paths *p, const struct report_style *s)
{
	const char *what = strcmp(p->key, "callers") == 0   ? "callers"
			   : strcmp(p->key, "callees") == 0 ? "callees"
							    : "path";
	report_ink(out, s, INK_DIM);
	if (s->columns)
		buf_addf(out, "%5s  %5s  %s", "total", "self", what);
	else
		buf_addf(out, "# total%% self%% %s", what);
	report_ink(out, s, INK_PLAIN);
	buf_add_char(out, '\n');
}

static void add_left_out(struct buf *out, const struct paths *p)
{
	if (!p->left_out_stacks) {
		buf_add(out, STR("no path is left out"));
		return;
	}
	buf_add_grouped(out, p->left_out_stacks);
	buf_add(out, p->left_out_stacks == 1 ? STR(" smaller path is not shown")
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
	add_account(out, p, s);
}
