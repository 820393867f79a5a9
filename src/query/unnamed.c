/* Unnamed frames: in which files, and why. */
#include "query/diagnosis.h"

/*
 * Going backwards through the stacks, a node's rows are complete before they are added to its
 * caller's, so each frame is visited once, however many samples passed through it.
 */
uint64_t *unnamed_by_module(const struct profile *p, const bool *has_row)
{
	const struct samples *s = &p->samples;
	uint64_t *frames = mem_zalloc(p->strings.n, sizeof(*frames)), ignored = 0;
	AUTO_FREE uint64_t *uses = mem_zalloc(p->nodes.n, sizeof(*uses));
	for (uint32_t row = 0; row < s->n; row++) {
		bool is_sum = p->events.p[s->event[row]].has_only_sums;
		uint64_t *of_node = &uses[s->node[row]];
		if (!has_row || has_row[row])
			*of_node = saturating_add(*of_node, is_sum ? 1 : s->count[row], &ignored);
	}
	for (node_id i = p->nodes.n; i-- > 1;) {
		struct node node = p->nodes.p[i];
		const struct frame *f = &p->frames.p[node.frame];
		uses[node.parent] = saturating_add(uses[node.parent], uses[i], &ignored);
		if (frame_lacks_name(f))
			frames[f->module] = saturating_add(frames[f->module], uses[i], &ignored);
	}
	return frames;
}

static void add_rows_by_module(const struct profile *p, struct unnamed_rows *out)
{
	AUTO_FREE uint64_t *frames = unnamed_by_module(p, NULL);
	for (str_id i = 0; i < p->strings.n; i++)
		if (frames[i])
			vec_push(&out->rows, (struct unnamed_row){ .module = profile_str(p, i),
								   .frames = frames[i] });
}

static int compare_rows(const void *a, const void *b)
{
	const struct unnamed_row *x = a, *y = b;
	if (x->frames != y->frames)
		return x->frames > y->frames ? -1 : 1;
	int by_module = str_compare(x->module, y->module);
	return by_module ? by_module : str_compare(x->reason, y->reason);
}

void unnamed_rows_of(const struct profile *p, struct unnamed_rows *out)
{
	*out = (struct unnamed_rows){ .frames = p->ledger.count[LEDGER_FRAMES],
				      .unnamed = p->ledger.count[LEDGER_UNKNOWN_FRAMES],
				      .has_reasons = p->unnamed.n > 0 };
	for (uint32_t i = 0; i < p->unnamed.n; i++) {
		const struct unnamed *u = &p->unnamed.p[i];
		vec_push(&out->rows,
			 (struct unnamed_row){ profile_str(p, u->module), profile_str(p, u->reason),
					       profile_str(p, u->fix), u->frames });
	}
	if (!out->has_reasons && out->unnamed)
		add_rows_by_module(p, out);
	if (out->rows.n)
		qsort(out->rows.p, out->rows.n, sizeof(*out->rows.p), compare_rows);
}

void unnamed_rows_fini(struct unnamed_rows *u)
{
	vec_fini(&u->rows);
}

/* --- shortening paths --- */

static bool is_inside_character(struct str s, size_t at)
{
	return at < s.n && ((unsigned char)s.p[at] & 0xc0) == 0x80;
}

void add_short_path(struct buf *out, struct str path, size_t most)
{
	static const char dots[] = "...";
	size_t kept = most > strlen(dots) ? most - strlen(dots) : 0;
	size_t front = kept / 3, back = path.n - (kept - front);
	if (path.n <= most) {
		buf_add(out, path);
		return;
	}
	while (front && is_inside_character(path, front))
		front--;
	while (is_inside_character(path, back))
		back++;
	buf_add(out, str_first(path, front));
	buf_add(out, STR("..."));
	buf_add(out, str_from_byte(path, back));
}

void add_short_words(struct buf *out, struct str text, size_t most)
{
	while (text.n) {
		ptrdiff_t blank = str_find_char(text, ' ');
		size_t n = blank < 0 ? text.n : (size_t)blank;
		add_short_path(out, str_first(text, n), most);
		if (blank >= 0)
			buf_add_char(out, ' ');
		text = str_from_byte(text, n + 1);
	}
}

/* Cuts at the end of a word. */
static void add_start(struct buf *out, struct str text, size_t most)
{
	ptrdiff_t blank = str_find_last_char(str_first(text, most), ' ');
	if (text.n <= most)
		buf_add(out, text);
	else if (blank > 0)
		buf_addf(out, "%.*s ...", (int)blank, text.p);
	else
		add_short_path(out, text, most);
}

void unnamed_row_add_brief(struct buf *out, const struct unnamed_row *row)
{
	enum { MOST_MODULE = 60, MOST_WORD = 60, MOST_REASON = 100 };
	struct str module = str_basename(row->module);
	AUTO(buf) struct buf reason = { 0 };
	add_short_path(out, module.n ? module : STR("unknown files"), MOST_MODULE);
	if (!row->reason.n)
		return;
	add_short_words(&reason, row->reason, MOST_WORD);
	buf_add(out, STR(" ("));
	add_start(out, buf_str(&reason), MOST_REASON);
	buf_add_char(out, ')');
}
