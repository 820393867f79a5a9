/* Where frames stand: seen as `name depth start+value self`, left before right. */
#include "folded_tree.h"
#include "random.h"
#include "tap.h"

static void print_layout(const struct tree *t, const struct layout *l, struct buf *out)
{
	for (uint32_t i = 0; i < l->boxes.n; i++) {
		const struct box *b = &l->boxes.p[i];
		struct str name = tree_label_of(t, b->node)->name;
		buf_addf(out, "%s%.*s@%u %llu+%llu %llu", i ? ", " : "", STR_ARG(name), b->depth,
			 (unsigned long long)b->start, (unsigned long long)b->value,
			 (unsigned long long)b->self);
	}
}

static struct tree *tree_of_lines(struct str text, bool as_lines)
{
	struct query q = { .as_lines = as_lines };
	return tree_of_query(text, false, &q);
}

static struct layout lay_out(const struct tree *t, double min_value)
{
	unsigned side = t->value_count - 1;
	struct layout_query q = { .self = t->self[side],
				  .total = t->total[side],
				  .min_value = min_value };
	struct layout l;
	layout_tree(t, &q, &l);
	return l;
}

static void check(const char *text, double min_value, bool as_lines, const char *want,
		  const char *what)
{
	struct tree *t = tree_of_lines(str_from(text), as_lines);
	AUTO(buf) struct buf got = { 0 };
	AUTO(layout) struct layout l = lay_out(t, min_value);
	print_layout(t, &l, &got);
	tap_str_eq(buf_str(&got), str_from(want), "%s", what);
	tree_free(t);
}

static void check_narrow(const char *text, double min_value, uint32_t narrow, uint32_t deepest)
{
	struct tree *t = tree_of_folded(str_from(text));
	AUTO(layout) struct layout l = lay_out(t, min_value);
	tap_ok(l.narrow == narrow && l.max_depth == deepest && l.boxes.n + l.narrow == t->n,
	       "below %g: %u frames left out, %u deep", min_value, narrow, deepest);
	tree_free(t);
}

static void check_in_order(void)
{
	struct query by_time = { .in_order = true };
	struct tree *t = tree_of_query(STR("b 1\na;x 2\na;y 1\nb 3\n"), false, &by_time);
	struct layout_query q = { .self = t->self[0], .total = t->total[0] };
	struct layout l;
	AUTO(buf) struct buf got = { 0 };
	layout_tree(t, &q, &l);
	print_layout(t, &l, &got);
	tap_str_eq(buf_str(&got),
		   STR("all@0 0+7 0, b@1 0+1 1, a@1 1+3 0, x@2 1+2 2, y@2 3+1 1, b@1 4+3 3"),
		   "in order: equal stacks apart stay apart");
	layout_fini(&l);
	tree_free(t);
}

static void add_random_stack(struct buf *text)
{
	static const char *const names[] = { "f", "f2", "f.x", "f(int)", "g", "-", "--", "g h" };
	for (uint32_t n = 1 + random_below(4); n; n--) {
		buf_add(text, str_from(names[random_below(ARRAY_SIZE(names))]));
		buf_add(text, n > 1 ? STR(";") : STR(""));
	}
	buf_addf(text, " %u\n", random_below(30));
}

/* Boxes lie in their parents, beside each other, and hold their own part. */
static bool is_sound(const struct tree *t, const struct layout *l, double min_value)
{
	uint64_t end_at[16] = { 0 }, room_to[16] = { 0 };
	for (uint32_t i = 0; i < l->boxes.n; i++) {
		const struct box *b = &l->boxes.p[i];
		if (b->depth != t->depth[b->node] || b->self > b->value ||
		    (i && (double)b->value < min_value))
			return false;
		if (b->depth &&
		    (b->start < end_at[b->depth] || b->start + b->value > room_to[b->depth - 1]))
			return false;
		end_at[b->depth] = b->start + b->value;
		room_to[b->depth] = b->start + b->value;
		end_at[b->depth + 1] = b->start + b->self;
	}
	return true;
}

static void check_random(void)
{
	unsigned bad = 0, lost = 0;
	for (unsigned round = 0; round < 500; round++) {
		AUTO(buf) struct buf text = { 0 };
		double min_value = random_below(3) ? 0 : random_below(40);
		bool as_lines = random_below(2);
		for (uint32_t n = 1 + random_below(40); n; n--)
			add_random_stack(&text);
		struct tree *t = tree_of_lines(buf_str(&text), as_lines);
		AUTO(layout) struct layout l = lay_out(t, min_value);
		bad += !is_sound(t, &l, min_value);
		uint64_t self = 0;
		for (uint32_t i = 0; i < l.boxes.n; i++)
			self += l.boxes.p[i].self;
		lost += min_value == 0 && self != t->total[0][0];
		lost += l.boxes.n + l.narrow != t->n;
		tree_free(t);
	}
	tap_num_eq(bad, 0, "random trees: boxes lie in their parents, beside each other");
	tap_num_eq(lost, 0, "random trees: no frame and no count gets lost");
}

int main(void)
{
	check("a;b 1\na;c 2\nd 3\n", 0, false,
	      "all@0 0+6 0, a@1 0+3 0, b@2 0+1 1, c@2 1+2 2, d@1 3+3 3", "frames side by side");
	check("a 4\na;b 1\n", 0, false, "all@0 0+5 0, a@1 0+5 4, b@2 4+1 1",
	      "a frame's own part is on the left");
	check("f 1\nf.x 2\nf;g 4\n", 0, false, "all@0 0+7 0, f@1 0+5 1, g@2 1+4 4, f.x@1 5+2 2",
	      "one box: f by its own line stands before f.x");
	check("f 1\nf.x 2\nf;g 4\n", 0, true,
	      "all@0 0+7 0, f@1 0+1 1, f.x@1 1+2 2, f@1 3+4 0, g@2 3+4 4",
	      "as lines: f is cut in two by f.x");
	check("f 1\nf;g 4\nfx 2\n", 0, true, "all@0 0+7 0, f@1 0+5 1, g@2 1+4 4, fx@1 5+2 2",
	      "as lines: what sorts behind ';' does not cut");
	check("f.x 2\nf;g 4\n", 0, true, "all@0 0+6 0, f.x@1 0+2 2, f@1 2+4 0, g@2 2+4 4",
	      "without a line of its own f stands at its ';'");
	check("f.x 2\nf;g 4\n", 0, false, "all@0 0+6 0, f.x@1 0+2 2, f@1 2+4 0, g@2 2+4 4",
	      "... one box or not");
	check("b 1\na 0\n", 0, false, "all@0 0+1 0, a@1 0+0 0, b@1 0+1 1",
	      "a frame without a width is there");
	check("b 1\na 0\n", 1, false, "all@0 0+1 0, b@1 0+1 1", "... unless that is too narrow");
	check("a 5\nb 1\nc 5\n", 2, false, "all@0 0+11 0, a@1 0+5 5, c@1 6+5 5",
	      "a narrow frame leaves a gap");
	check("a 0\n", 1, false, "all@0 0+0 0", "the root is always there");
	check_narrow("a;b;c 1\nd 9\n", 2, 3, 1);
	check_narrow("a;b;c 1\nd 9\n", 1, 0, 3);
	check_narrow("a 3\na;b 1\na;b;c 1\n", 2, 1, 2);
	check_narrow("a 1\n", 5, 1, 0);
	check_in_order();
	check_random();
	return tap_done();
}
