/*
 * --only and --without: expressions on a stack's text. There are far fewer stacks than samples, so
 * each is tested once; an expression that can only match inside one name is tested once per frame.
 */
#include "query/query_int.h"

enum verdict { VERDICT_UNKNOWN, VERDICT_NO, VERDICT_YES };

struct expression {
	struct regex *re;
	/* By frame and by node (with its callers), enum verdict; NULL unless it matches inside one name. */
	uint8_t *of_frame, *of_node;
};

struct expressions {
	struct expression *p;
	uint32_t n, capacity;
};

struct stack_texts {
	const struct profile *p;
	bool has_shown; /* also match names as displayed */
	struct labels *labels;
	struct expressions only, without;
	struct pair_map verdicts; /* of (label of the thread, node) */
	struct buf folded, shown;
	bool has_text; /* both are those of the stack being judged */
	struct frame_path path, pending;
};

/* Plain text without ';' cannot match across frames. */
static bool matches_inside_name(struct str pattern)
{
	for (size_t i = 0; i < pattern.n; i++) {
		unsigned char c = (unsigned char)pattern.p[i];
		bool is_escaped = c == '\\' && i + 1 < pattern.n;
		if (is_escaped)
			c = (unsigned char)pattern.p[++i];
		bool is_letter = (c | 32) >= 'a' && (c | 32) <= 'z';
		if (c == ';' || c < ' ')
			return false;
		if (is_escaped ? is_letter || is_digit((char)c)
			       : strchr("\\^$.|?*+()[]{}", c) != NULL)
			return false;
	}
	return pattern.n > 0;
}

static bool compile(struct stack_texts *s, const struct text_list *patterns,
		    struct regex_budget *budget, struct expressions *out, struct err *e)
{
	for (uint32_t i = 0; i < patterns->n; i++) {
		struct str pattern = str_from(patterns->p[i]);
		struct expression x = { .re = regex_new(pattern, e) };
		if (!x.re)
			return false;
		regex_set_budget(x.re, budget);
		if (matches_inside_name(pattern)) {
			x.of_frame = mem_zalloc(s->p->frames.n, 1);
			x.of_node = mem_zalloc(s->p->nodes.n, 1);
		}
		vec_push(out, x);
	}
	return true;
}

struct stack_texts *stack_texts_new(const struct profile *p, const struct query *q,
				    struct labels *labels, struct err *e)
{
	struct stack_texts *s = mem_zalloc(1, sizeof(*s));
	s->p = p;
	s->labels = labels;
	s->has_shown = q->names == NAMES_SHOWN;
	if (compile(s, &q->only, q->budget, &s->only, e) &&
	    compile(s, &q->without, q->budget, &s->without, e))
		return s;
	stack_texts_free(s);
	return NULL;
}

static void expressions_fini(struct expressions *x)
{
	for (uint32_t i = 0; i < x->n; i++) {
		regex_free(x->p[i].re);
		free(x->p[i].of_frame);
		free(x->p[i].of_node);
	}
	vec_fini(x);
}

void stack_texts_free(struct stack_texts *s)
{
	if (!s)
		return;
	expressions_fini(&s->only);
	expressions_fini(&s->without);
	pair_map_fini(&s->verdicts);
	buf_fini(&s->folded);
	buf_fini(&s->shown);
	vec_fini(&s->path);
	vec_fini(&s->pending);
	free(s);
}

static bool matches(const struct expression *x, struct str text, uint64_t *gave_up)
{
	enum regex_result r = regex_match(x->re, text);
	*gave_up += r == REGEX_GAVE_UP;
	return r == REGEX_YES;
}

/* --- inside one name --- */

static bool frame_matches(struct stack_texts *s, const struct expression *x, frame_id frame,
			  uint64_t *gave_up)
{
	uint8_t *verdict = &x->of_frame[frame];
	if (*verdict == VERDICT_UNKNOWN) {
		bool is_match = matches(x, folded_name_of(s->labels, frame), gave_up);
		if (!is_match && s->has_shown) {
			uint32_t label = label_of_frame(s->labels, frame);
			s->shown.n = 0;
			label_add_brief(&s->shown, &labels_tree(s->labels)->labels.p[label]);
			is_match = matches(x, buf_str(&s->shown), gave_up);
		}
		*verdict = is_match ? VERDICT_YES : VERDICT_NO;
	}
	return *verdict == VERDICT_YES;
}

/* Stacks share callers, whose verdict is already known. */
static bool node_matches(struct stack_texts *s, const struct expression *x, node_id node,
			 uint64_t *gave_up)
{
	s->pending.n = 0;
	while (node != NODE_ROOT && x->of_node[node] == VERDICT_UNKNOWN) {
		vec_push(&s->pending, node);
		node = s->p->nodes.p[node].parent;
	}
	bool is_match = node != NODE_ROOT && x->of_node[node] == VERDICT_YES;
	while (s->pending.n) {
		node = s->pending.p[--s->pending.n];
		is_match = is_match || frame_matches(s, x, s->p->nodes.p[node].frame, gave_up);
		x->of_node[node] = is_match ? VERDICT_YES : VERDICT_NO;
	}
	return is_match;
}

/* --- the whole text --- */

/* `comm;root;...;leaf`, as printed by fold, or as displayed. */
static void add_text(struct stack_texts *s, uint32_t thread, bool is_folded, struct buf *out)
{
	out->n = 0;
	if (thread != INDEX_NONE)
		buf_add(out, labels_tree(s->labels)->labels.p[thread].name);
	for (uint32_t i = 0; i < s->path.n; i++) {
		uint32_t label = label_of_frame(s->labels, s->path.p[i]);
		if (out->n)
			buf_add_char(out, ';');
		if (is_folded)
			buf_add(out, folded_name_of(s->labels, s->path.p[i]));
		else
			label_add_brief(out, &labels_tree(s->labels)->labels.p[label]);
	}
}

static bool text_matches(struct stack_texts *s, const struct expression *x, uint32_t thread,
			 node_id node, uint64_t *gave_up)
{
	if (!s->has_text) {
		frame_path_of(s->p, node, &s->path);
		add_text(s, thread, true, &s->folded);
		if (s->has_shown)
			add_text(s, thread, false, &s->shown);
		s->has_text = true;
	}
	return matches(x, buf_str(&s->folded), gave_up) ||
	       (s->has_shown && matches(x, buf_str(&s->shown), gave_up));
}

/* --- stacks --- */

static bool stack_matches(struct stack_texts *s, const struct expression *x, uint32_t thread,
			  node_id node, uint64_t *gave_up)
{
	if (!x->of_frame)
		return text_matches(s, x, thread, node, gave_up);
	if (thread != INDEX_NONE &&
	    matches(x, labels_tree(s->labels)->labels.p[thread].name, gave_up))
		return true;
	return node_matches(s, x, node, gave_up);
}

static bool judge(struct stack_texts *s, uint32_t thread, node_id node, uint64_t *gave_up)
{
	s->has_text = false;
	for (uint32_t i = 0; i < s->only.n; i++)
		if (!stack_matches(s, &s->only.p[i], thread, node, gave_up))
			return false;
	for (uint32_t i = 0; i < s->without.n; i++)
		if (stack_matches(s, &s->without.p[i], thread, node, gave_up))
			return false;
	return true;
}

bool stack_texts_hold(struct stack_texts *s, thread_id thread, node_id node, uint64_t *gave_up)
{
	if (!s->only.n && !s->without.n)
		return true;
	uint32_t label = label_of_thread(s->labels, thread);
	uint32_t *verdict = pair_map_place(&s->verdicts, label, node);
	if (*verdict == INDEX_NONE)
		*verdict = judge(s, label, node, gave_up) ? VERDICT_YES : VERDICT_NO;
	return *verdict == VERDICT_YES;
}
