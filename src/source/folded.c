/*
 * Folded stacks: `root;caller;leaf 12`. The last number is the count; a differential line has two. Sorted files,
 * which most are, repeat the front of the line before: only what differs is looked up.
 */
#include "name/name.h"
#include "source/counts.h"
#include "source/source_int.h"

enum { MAX_LINE_BYTES = 64 << 20 };

/* A frame of the last line, from the root: where it ends in the text, and the stack up to it. */
struct step {
	size_t bytes;
	node_id node;
	uint32_t unknown; /* frames up to here that have no name */
};

struct known_name {
	struct str text;
	frame_id frame;
};

struct folded {
	struct profile *p;
	bool is_diff;
	bool keeps_names;
	event_id events[2];
	uint64_t overflows; /* of the ledger's count, which is not worth a word */
	struct index_map name_map;
	VEC(struct known_name) names;
	struct arena name_text;
	struct buf scratch;

	const char *last; /* the stack of the last line; valid inside one call of feed */
	size_t last_bytes;
	size_t common; /* bytes that the line at hand begins with as it does */
	VEC(struct step) steps;
};

static event_id add_event(struct profile *p, struct str name)
{
	struct event e = { .name = profile_add_str(p, name),
			   .counts_periods = true,
			   .has_only_sums = true };
	e.unit = profile_add_str(p, STR("samples"));
	return profile_add_event(p, e);
}

static struct folded *begin(struct profile *p, const struct source_options *options, bool is_diff)
{
	struct folded *f = mem_zalloc(1, sizeof(*f));
	f->p = p;
	f->is_diff = is_diff;
	f->keeps_names = options && options->keep_names;
	f->events[0] = add_event(p, is_diff ? STR("before") : STR("samples"));
	f->events[1] = is_diff ? add_event(p, STR("after")) : f->events[0];
	p->is_differential |= is_diff;
	return f;
}

static void *folded_begin(struct profile *p, const struct source_options *options, struct str first)
{
	(void)first;
	return begin(p, options, false);
}

static void *folded_diff_begin(struct profile *p, const struct source_options *options,
			       struct str first)
{
	(void)first;
	return begin(p, options, true);
}

/* --- counts --- */

/*
 * Cuts the last number off s. False when s does not end in white space and a number. keeps_blanks:
 * of several blanks before it one is cut, as flamegraph.pl does.
 */
static bool take_count(struct str *s, struct source_count *c, bool keeps_blanks)
{
	struct str text = *s;
	while (text.n && is_space(text.p[text.n - 1]))
		text.n--;
	size_t n = text.n;
	while (n && !is_space(text.p[n - 1]))
		n--;
	if (n == 0 || !source_count_parse(str_from_byte(text, n), c))
		return false;
	n--;
	while (n && is_space(text.p[n - 1]) && !keeps_blanks)
		n--;
	*s = str_first(text, n);
	return true;
}

static void add_weight(struct folded *f, node_id node, event_id event, struct source_count c)
{
	profile_add_sample(f->p, &(struct sample){ .node = node,
						   .thread = THREAD_NONE,
						   .event = event,
						   .cpu = -1,
						   .count = c.whole,
						   .period = source_count_scaled(f->p, event, c) });
}

/* --- frames --- */

static frame_id frame_of(struct folded *f, struct str text)
{
	struct frame frame = { .kind = FRAME_USER };
	size_t mark_at;
	struct str name = naming_take_mark(text, &frame);
	f->scratch.n = 0;
	if (f->keeps_names)
		buf_add(&f->scratch, name);
	else
		name_tidy(name, &f->scratch);
	name = buf_str(&f->scratch);
	frame.name = profile_add_str(f->p, name);
	frame.tier = (char)name_v8_tier(name, &mark_at);
	if (str_eq(name, STR("[unknown]"))) {
		frame.kind = FRAME_UNKNOWN;
	}
	return profile_add_frame(f->p, &frame);
}

static bool name_equal(const void *names, uint32_t i, const void *key)
{
	return str_eq(((const struct known_name *)names)[i].text, *(const struct str *)key);
}

static frame_id find_frame(struct folded *f, struct str text)
{
	uint32_t hash = hash_str(text);
	uint32_t i = index_map_find(&f->name_map, hash, name_equal, f->names.p, &text);
	if (i != INDEX_NONE)
		return f->names.p[i].frame;
	index_map_add(&f->name_map, hash, f->names.n);
	vec_push(&f->names,
		 (struct known_name){ arena_copy(&f->name_text, text), frame_of(f, text) });
	return f->names.p[f->names.n - 1].frame;
}

/* Frames that the stack shares with the one before: whole frames only, so up to a ';' or the end in both. */
static uint32_t shared_steps(const struct folded *f, struct str stack)
{
	size_t common = f->common < stack.n ? f->common : stack.n;
	uint32_t n = f->last ? f->steps.n : 0;
	while (n) {
		size_t bytes = f->steps.p[n - 1].bytes;
		if (bytes < common ||
		    (bytes == common && (bytes == stack.n || stack.p[bytes] == ';') &&
		     (bytes == f->last_bytes || f->last[bytes] == ';')))
			break;
		n--;
	}
	return n;
}

static node_id read_stack(struct folded *f, struct str stack)
{
	uint64_t *ledger = f->p->ledger.count;
	f->steps.n = shared_steps(f, stack);
	f->last = stack.p;
	f->last_bytes = stack.n;
	struct step step =
		f->steps.n ? f->steps.p[f->steps.n - 1] : (struct step){ 0, NODE_ROOT, 0 };
	size_t at = f->steps.n ? step.bytes + 1 : 0;
	while (at <= stack.n) {
		if (f->steps.n == MAX_STACK_FRAMES) {
			ledger[LEDGER_CUT_STACKS]++;
			break;
		}
		const char *semicolon =
			at < stack.n ? memchr(stack.p + at, ';', stack.n - at) : NULL;
		step.bytes = semicolon ? (size_t)(semicolon - stack.p) : stack.n;
		frame_id frame = find_frame(f, (struct str){ stack.p + at, step.bytes - at });
		step.node = profile_add_node(f->p, step.node, frame);
		step.unknown += f->p->frames.p[frame].kind == FRAME_UNKNOWN;
		vec_push(&f->steps, step);
		at = step.bytes + 1;
	}
	ledger[LEDGER_FRAMES] += f->steps.n;
	ledger[LEDGER_UNKNOWN_FRAMES] += step.unknown;
	return step.node;
}

/* --- lines --- */

/* `# text`; a root frame may begin with '#', but not with "# ". */
static bool is_remark(struct str line)
{
	return str_starts(line, STR("# ")) || str_eq(str_trim(line), STR("#"));
}

static void on_line(struct folded *f, struct str line, uint64_t offset)
{
	struct source_count counts[2];
	struct str stack = line;
	if (line.n > MAX_LINE_BYTES) {
		f->p->ledger.count[LEDGER_LONG_LINES]++;
		return;
	}
	if (is_remark(line))
		return;
	bool ok = take_count(&stack, &counts[1], f->keeps_names);
	if (ok && f->is_diff)
		ok = take_count(&stack, &counts[0], f->keeps_names);
	if (!ok) {
		if (str_trim(line).n)
			source_bad_line(f->p, line, offset);
		return;
	}
	while (f->keeps_names && stack.n && stack.p[stack.n - 1] == ';')
		stack.n--; /* Perl's split drops empty fields at the end */
	node_id node = read_stack(f, stack);
	f->p->ledger.count[LEDGER_SAMPLES] =
		saturating_add(f->p->ledger.count[LEDGER_SAMPLES], counts[1].whole, &f->overflows);
	f->p->ledger.count[LEDGER_NO_TIME]++;
	if (f->is_diff)
		add_weight(f, node, f->events[0], counts[0]);
	add_weight(f, node, f->events[1], counts[1]);
}

static size_t folded_feed(void *state, struct str text, uint64_t offset, bool is_last)
{
	struct folded *f = state;
	const char *p = text.p, *end = text.p + text.n;
	f->last = NULL;
	while (p < end) {
		size_t left = (size_t)(end - p);
		size_t limit = left < f->last_bytes ? left : f->last_bytes;
		f->common = f->last ? scan_common_head(p, f->last, limit) : 0;
		/* There is no newline in what is known already. */
		const char *newline = memchr(p + f->common, '\n', left - f->common);
		if (!newline && !is_last)
			break;
		const char *line_end = newline ? newline : end;
		on_line(f, (struct str){ p, (size_t)(line_end - p) },
			offset + (uint64_t)(p - text.p));
		p = newline ? newline + 1 : end;
	}
	return (size_t)(p - text.p);
}

static void folded_end(void *state, bool was_cut)
{
	(void)was_cut; /* a line is whole or was not fed at all */
	struct folded *f = state;
	index_map_fini(&f->name_map);
	vec_fini(&f->names);
	vec_fini(&f->steps);
	arena_fini(&f->name_text);
	buf_fini(&f->scratch);
	free(f);
}

static const char *after_newline(const char *p, const char *end)
{
	const char *newline = memchr(p, '\n', (size_t)(end - p));
	return newline ? newline + 1 : NULL;
}

/* --- probe --- */

/* The share of lines that end in `numbers` numbers behind a stack. */
static unsigned probe(struct str head, unsigned numbers)
{
	uint64_t lines = 0, known = 0;
	while (head.n) {
		ptrdiff_t newline = str_find_char(head, '\n');
		struct str line = str_first(head, newline < 0 ? head.n : (size_t)newline);
		struct str stack = line;
		struct source_count c;
		unsigned found = 0;
		head = str_from_byte(head, line.n + 1);
		if (str_trim(line).n == 0 || is_remark(line))
			continue;
		lines++;
		while (found < numbers && take_count(&stack, &c, false))
			found++;
		known += found == numbers && stack.n && memchr(line.p, '\0', line.n) == NULL;
	}
	return lines ? (unsigned)(known * 100 / lines) : 0;
}

static unsigned folded_probe(struct str head)
{
	unsigned share = probe(head, 1);
	return share >= 50 ? share - share / 10 : 0;
}

/* Only when every line has two: a function's name may end in a number now and then. */
static unsigned folded_diff_probe(struct str head)
{
	return probe(head, 2) == 100 ? 95 : 0;
}

const struct source_format folded_format = {
	.title = "folded stacks",
	.max_line_bytes = MAX_LINE_BYTES,
	.probe = folded_probe,
	.begin = folded_begin,
	.feed = folded_feed,
	.end = folded_end,
	.cut = after_newline,
};

const struct source_format folded_diff_format = {
	.title = "differential folded stacks",
	.max_line_bytes = MAX_LINE_BYTES,
	.probe = folded_diff_probe,
	.begin = folded_diff_begin,
	.feed = folded_feed,
	.end = folded_end,
	.cut = after_newline,
};
