/* Frames without a name: in which files, and why. */
#include "query/diagnosis.h"

/*
 * Backwards through the stacks a node's rows are complete before they are added to its caller's, so
 * each frame is looked at once, however many samples came through it.
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

void unnamed_row_add_brief(struct buf *out, const struct unnamed_row *row)
{
	struct str module = str_basename(row->module);
	ptrdiff_t colon = str_find(row->reason, STR(": "));
	buf_add(out, module.n ? module : STR("files that are not known"));
	if (row->reason.n)
		buf_addf(
			out, " (%.*s)",
			STR_ARG(str_first(row->reason, colon < 0 ? row->reason.n : (size_t)colon)));
}
