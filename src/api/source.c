/* api/source: the file that a function is in, and the time of its lines. */
#include "api/api_int.h"

/* A file and its lines with samples or calls. */
struct lines {
	const struct profile *p;
	str_id file, module;
	uint32_t function_line, most; /* the largest line with a sample */
	uint64_t *self, *total;	      /* by line */
};

static void lines_fini(struct lines *l)
{
	free(l->self);
	free(l->total);
}

static str_id file_of(const struct frame *f)
{
	return f->function_file ? f->function_file : f->file;
}

/* The heaviest place of the label's frames, because a merged function may be in several files. */
static bool find_file(struct lines *l, const struct tree *t, uint32_t label,
		      const uint64_t *weights)
{
	const struct profile *p = l->p;
	AUTO_FREE uint64_t *of_frame = mem_zalloc((size_t)p->frames.n + 1, sizeof(*of_frame));
	uint64_t best = 0;
	for (node_id i = 1; i < p->nodes.n; i++)
		of_frame[p->nodes.p[i].frame] += weights[i] + 1;
	for (frame_id f = 0; f < p->frames.n; f++) {
		const struct frame *frame = &p->frames.p[f];
		if (t->rows->of_frame[f] != label || !file_of(frame) || of_frame[f] <= best)
			continue;
		best = of_frame[f];
		l->file = file_of(frame);
		l->module = frame->module;
		l->function_line = frame->function_line ? frame->function_line : frame->line;
	}
	return l->file != STR_NONE;
}

static void find_most(struct lines *l)
{
	enum { MOST_LINES = 1 << 22 };
	for (frame_id f = 0; f < l->p->frames.n; f++) {
		const struct frame *frame = &l->p->frames.p[f];
		if (frame->file == l->file && frame->line > l->most && frame->line < MOST_LINES)
			l->most = frame->line;
	}
	l->self = mem_zalloc((size_t)l->most + 1, sizeof(*l->self));
	l->total = mem_zalloc((size_t)l->most + 1, sizeof(*l->total));
}

static uint32_t line_of(const struct lines *l, node_id node)
{
	const struct frame *f = &l->p->frames.p[l->p->nodes.p[node].frame];
	return f->file == l->file && f->line <= l->most ? f->line : 0;
}

/*
 * A line counts once per stack. last: by line, the last stack that counted it.
 */
static void add_stack(struct lines *l, node_id stack, uint64_t weight, node_id *last)
{
	uint32_t leaf = line_of(l, stack);
	uint64_t ignored = 0;
	if (leaf)
		l->self[leaf] = saturating_add(l->self[leaf], weight, &ignored);
	for (node_id i = stack; i != NODE_ROOT; i = l->p->nodes.p[i].parent) {
		uint32_t line = line_of(l, i);
		if (!line || last[line] == stack)
			continue;
		last[line] = stack;
		l->total[line] = saturating_add(l->total[line], weight, &ignored);
	}
}

static void add_stacks(struct lines *l, const uint64_t *weights)
{
	AUTO_FREE node_id *last = mem_zalloc((size_t)l->most + 1, sizeof(*last));
	for (node_id i = 1; i < l->p->nodes.n; i++)
		if (weights[i])
			add_stack(l, i, weights[i], last);
}

static void add_places(struct json_out *j, const struct lines *l)
{
	json_out_open(j, "places", '[');
	for (uint32_t line = 1; line <= l->most; line++) {
		if (!l->total[line])
			continue;
		json_out_open(j, NULL, '{');
		json_out_u64(j, "line", line);
		json_out_u64(j, "self", l->self[line]);
		json_out_u64(j, "total", l->total[line]);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

static void add_text(struct json_out *j, const struct api *a, const struct lines *l)
{
	AUTO(buf) struct buf text = { 0 };
	struct err e = { 0 };
	const char *origin = "";
	struct str file = profile_str(l->p, l->file), line;
	if (!a->host.source_text)
		err_set(&e, "source text is not available here");
	else
		a->host.source_text(a->host.context, l->p, file, profile_str(l->p, l->module),
				    &text, &origin, &e);
	json_out_string(j, "file", file);
	json_out_string(j, "origin", str_from(e.kind ? "" : origin));
	json_out_string(j, "reason", str_from(e.text));
	json_out_u64(j, "first", 1);
	json_out_open(j, "text", '[');
	struct str rest = e.kind ? STR("") : buf_str(&text);
	while (str_take_line(&rest, &line))
		json_out_string(j, NULL, line);
	json_out_close(j, ']');
}

static uint32_t label_named(const struct tree *t, const char *name)
{
	for (uint32_t i = 0; i < t->labels.n; i++)
		if (str_eq(t->labels.p[i].name, str_from(name)))
			return i;
	return INDEX_NONE;
}

static void write_source(const struct api_request *r, const struct prepared_side *side,
			 uint32_t label, struct api_answer *answer)
{
	struct json_out j = { .strings = JSON_SHOWN };
	AUTO(lines) struct lines l = { .p = side->shown->profile };
	const struct prepared *q = side->cached->prepared;
	AUTO_FREE uint64_t *weights =
		prepared_stack_weights(q, side->has_ranges ? &side->ranges : NULL);
	if (!find_file(&l, prepared_whole(q), label, weights)) {
		answer_error(answer, 404,
			     "the profile does not say which file this function is in");
		return;
	}
	find_most(&l);
	add_stacks(&l, weights);
	json_out_open(&j, NULL, '{');
	add_text(&j, r->api, &l);
	add_places(&j, &l);
	json_out_u64(&j, "function_line", l.function_line);
	add_unit(&j, l.p, prepared_ledger(q), prepared_whole(q));
	json_out_close(&j, '}');
	buf_add(&answer->body, buf_str(&j.text));
	buf_fini(&j.text);
}

void source_answer(struct api_request *r, struct api_answer *answer)
{
	AUTO(prepared_side) struct prepared_side side = { 0 };
	const char *name = request_text(r, "function");
	if (!side_prepare(r, &r->side, &side, answer))
		return;
	uint32_t label =
		name ? label_named(prepared_whole(side.cached->prepared), name) : INDEX_NONE;
	if (label == INDEX_NONE)
		answer_error(answer, 404, "no function with this name in the selection");
	else
		write_source(r, &side, label, answer);
}
