/*
 * Transforms by category: --charge removes frames, --fold makes one frame of several. In g->path, the numbers after
 * those of the profile's frames are stand-ins for several frames, by category.
 */
#include "query/query_int.h"

static bool parse(const char *option, const struct text_list *texts, unsigned *set, struct err *e)
{
	for (uint32_t i = 0; i < texts->n; i++) {
		struct str rest = str_from(texts->p[i]);
		do {
			ptrdiff_t comma = str_find_char(rest, ',');
			struct str word = comma < 0 ? rest : str_first(rest, (size_t)comma);
			enum category c = category_by_name(word);
			if (c == CATEGORY_COUNT)
				return err_usage(e,
						 "--%s %s: must be one or more of app, dependency, "
						 "runtime, builtin, regexp, gc, native, kernel and "
						 "unknown, separated by commas",
						 option, texts->p[i]);
			*set |= 1u << c;
			rest = str_from_byte(rest, word.n + (comma >= 0));
			if (comma < 0)
				break;
		} while (true);
	}
	return true;
}

bool growth_parse_categories(struct growth *g, struct err *e)
{
	if (g->q->your_code)
		for (enum category c = CATEGORY_APP; c < CATEGORY_COUNT; c++)
			g->charges |= category_is_yours(c) ? 0 : 1u << c;
	return parse("fold", &g->q->fold, &g->folds, e) &&
	       parse("charge", &g->q->charge, &g->charges, e);
}

static enum category category_of(struct growth *g, frame_id frame)
{
	if (!g->categories)
		g->categories = mem_zalloc(g->p->frames.n, 1);
	if (!g->categories[frame]) /* no frame is a process, which is 0 */
		g->categories[frame] = (uint8_t)category_of_frame(g->p, &g->p->frames.p[frame]);
	return (enum category)g->categories[frame];
}

static bool set_has(unsigned set, enum category c)
{
	return set >> c & 1;
}

bool growth_charges(struct growth *g, frame_id frame)
{
	if (!g->charges)
		return false;
	enum category c = category_of(g, frame);
	return set_has(g->charges, c) &&
	       (category_is_yours(c) || !frame_may_be_yours(g->p, &g->p->frames.p[frame]));
}

/* --- stand-ins --- */

frame_id growth_stand_in(struct growth *g, node_id node)
{
	unsigned seen = 0;
	for (; node != NODE_ROOT; node = g->p->nodes.p[node].parent)
		seen |= 1u << category_of(g, g->p->nodes.p[node].frame);
	return g->p->frames.n + category_of_several(seen);
}

bool growth_is_stand_in(const struct growth *g, frame_id frame, enum category *of)
{
	if (frame < g->p->frames.n)
		return false;
	*of = (enum category)(frame - g->p->frames.n);
	return true;
}

uint32_t growth_label_of(struct growth *g, frame_id frame)
{
	enum category of;
	if (!growth_is_stand_in(g, frame, &of))
		return label_of_frame(g->labels, frame);
	const struct stand_in *s = category_stand_in(of);
	return label_of_stand_in(g->labels, s->name, s->kind);
}

/* --- --fold --- */

/* Frames that become one: [begin, end) of the path. */
struct run {
	uint32_t begin, end;
	unsigned seen; /* categories */
};

/* Kernel frames are a run of their own, so that kernel time stays visible. */
static struct run next_run(struct growth *g, uint32_t begin)
{
	struct run run = { begin, begin, 0 };
	bool is_kernel = category_of(g, g->path.p[begin]) == CATEGORY_KERNEL;
	for (; run.end < g->path.n; run.end++) {
		enum category c = category_of(g, g->path.p[run.end]);
		if (!set_has(g->folds, c) || (c == CATEGORY_KERNEL) != is_kernel)
			break;
		run.seen |= 1u << c;
	}
	return run;
}

/*
 * The frame that stands for a run: the first function called, which the caller's author knows, or
 * INDEX_NONE if the run is only glue. Without a caller it is [runtime] or the like. Garbage
 * collection matters more than the function that happened to allocate.
 */
static frame_id frame_of_run(struct growth *g, const struct run *run, bool has_caller)
{
	const struct profile *p = g->p;
	frame_id several = p->frames.n + category_of_several(run->seen);
	if (!has_caller || set_has(run->seen, CATEGORY_GC) || set_has(run->seen, CATEGORY_KERNEL))
		return several;
	for (uint32_t i = run->begin; i < run->end; i++)
		if (!name_is_gateway(profile_str(p, p->frames.p[g->path.p[i]].name)))
			return g->path.p[i];
	return INDEX_NONE;
}

void growth_fold(struct growth *g)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < g->path.n;) {
		struct run run = next_run(g, i);
		frame_id frame = g->path.p[i++];
		if (run.end > run.begin) {
			frame = frame_of_run(g, &run, n > 0);
			i = run.end;
		}
		if (frame != INDEX_NONE)
			g->path.p[n++] = frame;
	}
	g->path.n = n;
}
