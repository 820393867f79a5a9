/* Two trees as one, and what of their difference is noise. */
#include "folded_tree.h"
#include "random.h"
#include "tap.h"

#include <math.h>

static struct tree *pair_of(const char *before, const char *after)
{
	struct tree *b = tree_of_folded(str_from(before)), *a = tree_of_folded(str_from(after));
	struct tree *pair = tree_pair(b, a);
	tree_free(b);
	tree_free(a);
	return pair;
}

static void print_pair(const struct tree *t, struct buf *out)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct str name = tree_label_of(t, i)->name;
		buf_addf(out, "%s%.*s@%u %llu/%llu %llu/%llu", i ? ", " : "", STR_ARG(name),
			 t->depth[i], (unsigned long long)t->self[0][i],
			 (unsigned long long)t->self[1][i], (unsigned long long)t->total[0][i],
			 (unsigned long long)t->total[1][i]);
	}
}

static void check_pair(const char *before, const char *after, const char *want, const char *what)
{
	struct tree *t = pair_of(before, after);
	AUTO(buf) struct buf got = { 0 };
	print_pair(t, &got);
	tap_str_eq(buf_str(&got), str_from(want), "%s", what);
	tap_ok(t->value_count == 2 && t->end[0] == t->n, "%s: a tree of two values", what);
	tree_free(t);
}

/* --- on random trees: the pair is the tree of both columns of a differential file --- */

static void random_sides(struct buf *before, struct buf *after, struct buf *both)
{
	static const char *const names[] = { "f", "f.x", "g", "h", "i;j", "k_[k]" };
	bool seen[216] = { false };
	for (uint32_t n = 1 + random_below(30); n; n--) {
		uint32_t id = random_below(216), b = random_below(9), a = random_below(9);
		AUTO(buf) struct buf stack = { 0 };
		if (seen[id])
			continue;
		seen[id] = true;
		buf_addf(&stack, "%s;%s;%s", names[id % 6], names[id / 6 % 6], names[id / 36]);
		buf_addf(before, "%s %u\n", buf_c_string(&stack), b);
		buf_addf(after, "%s %u\n", buf_c_string(&stack), a);
		buf_addf(both, "%s %u %u\n", buf_c_string(&stack), b, a);
	}
}

static void check_random_pairs(void)
{
	unsigned bad = 0;
	for (unsigned round = 0; round < 500; round++) {
		AUTO(buf) struct buf before = { 0 };
		AUTO(buf) struct buf after = { 0 };
		AUTO(buf) struct buf both = { 0 };
		AUTO(buf) struct buf want = { 0 };
		AUTO(buf) struct buf got = { 0 };
		struct query q = { 0 };
		random_sides(&before, &after, &both);
		struct tree *t = pair_of(buf_c_string(&before), buf_c_string(&after));
		struct tree *column = tree_of_query(buf_str(&both), true, &q);
		print_pair(column, &want);
		print_pair(t, &got);
		bad += !str_eq(buf_str(&want), buf_str(&got));
		tree_free(t);
		tree_free(column);
	}
	tap_num_eq(bad, 0, "random sides: their pair is the tree of a file with both counts");
}

/* --- noise --- */

static struct comparison compare(enum diff_scale by, uint64_t before, uint64_t after)
{
	return (struct comparison){ .scaled_by = by,
				    .scale = by == SCALE_NONE ? 1 : (double)after / (double)before,
				    .total = { before, after },
				    .samples = { (double)before, (double)after } };
}

/* The smallest AFTER that is more than noise for a BEFORE, out of 1,000 and 1,000. */
static uint64_t least_growth(enum diff_scale by, uint64_t before)
{
	struct comparison c = compare(by, 1000, 1000);
	uint64_t after = before;
	while (comparison_is_noise(&c, before, after))
		after++;
	return after;
}

static void check_noise(void)
{
	/* From the formulas of plume-diff(1). */
	tap_num_eq(least_growth(SCALE_BY_TOTAL, 0), 6, "new: from 6 samples on");
	tap_num_eq(least_growth(SCALE_BY_TOTAL, 10), 22,
		   "from 10 of 1,000: 22 are more than noise");
	tap_num_eq(least_growth(SCALE_BY_TOTAL, 100), 129, "from 100: 129");
	tap_num_eq(least_growth(SCALE_BY_TOTAL, 500), 545, "from 500: 545");
	tap_num_eq(least_growth(SCALE_NONE, 0), 6, "counts: new from 6 on");
	tap_num_eq(least_growth(SCALE_NONE, 10), 23, "counts: from 10, 23 are more than noise");
	tap_num_eq(least_growth(SCALE_NONE, 100), 131, "counts: from 100, 131");
	struct comparison c = compare(SCALE_BY_TOTAL, 1000, 10);
	tap_ok(comparison_is_noise(&c, 1000, 10), "all of both sides did not change");
	tap_ok(comparison_is_noise(&c, 0, 0), "nothing of both sides did not change");
	c = compare(SCALE_BY_TOTAL, 1000, 1000);
	c.samples[BEFORE] = c.samples[AFTER] = 10;
	tap_ok(comparison_is_noise(&c, 200, 600),
	       "weights of few samples: 2 and 6 of 10 are noise");
	c.samples[BEFORE] = c.samples[AFTER] = 1000;
	tap_ok(!comparison_is_noise(&c, 200, 600), "... of many they are not");
	c = compare(SCALE_NONE, 100, 0);
	tap_ok(!comparison_is_noise(&c, 5, 0), "against a side without samples all is a change");
}

static double random_normal(void)
{
	double sum = 0;
	for (unsigned i = 0; i < 12; i++)
		sum += random_below(1 << 20) / (double)(1 << 20);
	return sum - 6;
}

/* Samplings of the same thing: at most about one in twenty may seem to have changed. */
static void check_level(enum diff_scale by, double share, const char *what)
{
	enum { SAMPLES = 5000, ROUNDS = 4000 };
	double mean = SAMPLES * share, deviation = sqrt(SAMPLES * share * (1 - share));
	struct comparison c = compare(by, SAMPLES, SAMPLES);
	unsigned changed = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		double before = fmax(0, round(mean + deviation * random_normal()));
		double after = fmax(0, round(mean + deviation * random_normal()));
		changed += !comparison_is_noise(&c, (uint64_t)before, (uint64_t)after);
	}
	tap_ok(changed > ROUNDS / 100 && changed < ROUNDS * 6 / 100,
	       "%s: %u of %d samplings of the same seem to have changed", what, changed, ROUNDS);
}

static void check_changes(void)
{
	struct comparison c = compare(SCALE_BY_TOTAL, 200, 100);
	tap_ok(comparison_change(&c, 40, 30) == 10, "30 of 100 after 40 of 200: 10 more");
	tap_ok(comparison_points(&c, 40, 30) == 10, "... 10 points");
	c = compare(SCALE_NONE, 200, 100);
	tap_ok(comparison_change(&c, 40, 30) == -10, "as counts: 10 less");
	c = (struct comparison){ .scale = 1, .total = { 50, 0 } };
	tap_ok(comparison_points(&c, 5, 0) == -10, "without an AFTER: points of BEFORE");
}

/* --- scale --- */

static struct comparison scaled(const struct tree *t, enum diff_scale by)
{
	struct comparison c = { .total = { t->total[0][0], t->total[1][0] },
				.samples = { (double)t->total[0][0], (double)t->total[1][0] } };
	comparison_set_scale(&c, t, by);
	return c;
}

static void check_scale(const char *before, const char *after, enum diff_scale by,
			enum diff_scale want, double scale, const char *what)
{
	struct tree *t = pair_of(before, after);
	struct comparison c = scaled(t, by);
	tap_ok(c.scaled_by == want && fabs(c.scale - scale) < 1e-9, "%s: by %d, %.9g", what,
	       c.scaled_by, c.scale);
	tree_free(t);
}

static void check_scales(void)
{
	const char *before = "a 100\nb 200\nc 300\nd 50\n", *after = "a 200\nb 400\nc 600\nd 900\n";
	check_scale(before, after, SCALE_BY_REST, SCALE_BY_REST, 2,
		    "three functions doubled, one is slower");
	check_scale(after, before, SCALE_BY_REST, SCALE_BY_REST, 0.5, "... and back");
	check_scale("a 200\nb 400\nc 600\nd 1300\n", before, SCALE_BY_REST, SCALE_BY_TOTAL,
		    650.0 / 2500, "what did not change is not half of BEFORE: by total");
	check_scale(before, after, SCALE_BY_TOTAL, SCALE_BY_TOTAL, 2100.0 / 650, "by total");
	check_scale(before, after, SCALE_NONE, SCALE_NONE, 1, "not at all");
	check_scale(before, before, SCALE_BY_REST, SCALE_BY_TOTAL, 1, "nothing changed: by total");
	check_scale("a 100\nb 200\nc 9\n", "a 200\nb 400\nc 300\n", SCALE_BY_REST, SCALE_BY_TOTAL,
		    900.0 / 309, "two functions are too few to be a rest");
	check_scale("a 100\nb 100\nc 100\nd 100\n", "a 100\nb 900\nc 30\nd 300\n", SCALE_BY_REST,
		    SCALE_BY_TOTAL, 1330.0 / 400, "all changed: by total");
	check_scale("a 5\n", "b 0\n", SCALE_BY_TOTAL, SCALE_BY_TOTAL, 1, "an AFTER of zeros");
}

/* --- what grew --- */

enum { POPULATION = 100 };

/* So many samples of functions of which few are large; the first may have a larger share. */
static struct tree *sampling(unsigned samples, unsigned more)
{
	static const unsigned weights = POPULATION * (POPULATION + 1) / 2;
	unsigned counts[POPULATION] = { 0 };
	AUTO(buf) struct buf text = { 0 };
	for (unsigned i = 0; i < samples; i++) {
		unsigned at = random_below(weights + more), function = 0;
		for (unsigned sum = POPULATION + more; at >= sum; sum += POPULATION - function)
			function++;
		counts[function]++;
	}
	for (unsigned i = 0; i < POPULATION; i++)
		buf_addf(&text, "main;f%u %u\n", i, counts[i]);
	return tree_of_folded(buf_str(&text));
}

struct trial {
	enum diff_scale by;
	double percent;
	unsigned more; /* what the first function has more of, in AFTER */
};

struct verdicts {
	unsigned found, found_first, found_alone; /* comparisons; alone: by comparison_is_noise */
};

static bool finds_alone(const struct tree *t, const struct comparison *c, double percent)
{
	for (uint32_t i = 1; i < t->n; i++) {
		uint64_t before = t->self[BEFORE][i], after = t->self[AFTER][i];
		if (comparison_points(c, before, after) > percent &&
		    !comparison_is_noise(c, before, after))
			return true;
	}
	return false;
}

static struct verdicts verdicts_of(const struct trial *trial, unsigned rounds)
{
	enum { SAMPLES = 2000 };
	struct verdicts v = { 0 };
	for (unsigned i = 0; i < rounds; i++) {
		struct tree *before = sampling(SAMPLES, 0);
		struct tree *after = sampling(SAMPLES, trial->more);
		struct tree *t = tree_pair(before, after);
		struct comparison c = scaled(t, trial->by);
		struct grown_view view = { t, &c };
		AUTO(grown_list) struct grown_list grown = { 0 };
		grown_find(&view, 1, trial->percent, &grown);
		v.found += grown.rows.n > 0;
		v.found_first += grown.rows.n && str_eq(grown.rows.p[0].label->name, STR("f0"));
		v.found_alone += finds_alone(t, &c, trial->percent);
		tree_free(t);
		tree_free(before);
		tree_free(after);
	}
	return v;
}

static void check_grown(void)
{
	enum { ROUNDS = 400 };
	static const enum diff_scale scales[] = { SCALE_BY_REST, SCALE_BY_TOTAL, SCALE_NONE };
	static const double limits[] = { 0, 0.5, 1 };
	for (size_t s = 0; s < ARRAY_SIZE(scales); s++)
		for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
			struct trial null = { scales[s], limits[i], 0 };
			struct verdicts v = verdicts_of(&null, ROUNDS);
			tap_ok(v.found < ROUNDS * 7 / 100,
			       "nothing changed, scale %d: %u of %d comparisons find growth above "
			       "%g %%",
			       scales[s], v.found, ROUNDS, limits[i]);
			tap_ok(limits[i] >= 1 || v.found_alone > ROUNDS / 5,
			       "... %u if functions are judged one by one", v.found_alone);
		}
	/* From 2 % to 5 %. */
	struct trial slower = { SCALE_BY_REST, 1, 160 };
	struct verdicts v = verdicts_of(&slower, ROUNDS);
	tap_ok(v.found_first > ROUNDS * 9 / 10, "a slower function is found in %u of %d",
	       v.found_first, ROUNDS);
}

static void check_grown_views(void)
{
	struct tree *all = pair_of("r;f 100\nr;g 100\n", "r;f 200\nr;g 100\n");
	struct tree *yours = pair_of("f 100\nr 100\n", "f 250\nr 100\n");
	struct comparison c[] = { scaled(all, SCALE_NONE), scaled(yours, SCALE_NONE) };
	struct grown_view views[] = { { all, &c[0] }, { yours, &c[1] } };
	AUTO(grown_list) struct grown_list grown = { 0 };
	grown_find(views, 2, 5, &grown);
	tap_num_eq(grown.rows.n, 1, "a function that grew in both views is listed once");
	tap_ok(grown.rows.n && grown.rows.p[0].view == 1, "... with the larger growth");
	tree_free(all);
	tree_free(yours);
}

/* --- widths and functions --- */

static void check_width(const struct tree *t, enum diff_width by, double scale, const char *want)
{
	struct comparison c = { .scale = scale };
	AUTO(diff_widths) struct diff_widths w = diff_widths_of(t, &c, by);
	AUTO(buf) struct buf got = { 0 };
	/* Small counts have the finest unit of width. */
	uint64_t unit = t->total[AFTER][0] < 1000 ? 1 << 20 : 1;
	for (uint32_t i = 0; i < t->n; i++)
		buf_addf(&got, "%llu:%llu ", (unsigned long long)(w.self[i] / unit),
			 (unsigned long long)(w.total[i] / unit));
	tap_str_eq(buf_str(&got), str_from(want), "widths by %d", by);
}

static void check_widths(void)
{
	struct tree *t = pair_of("m;a 40\nm;gone 10\n", "m;a 100\nm;new 20\n");
	check_width(t, WIDTH_UNION, 1, "0:130 0:130 100:100 10:10 20:20 ");
	check_width(t, WIDTH_UNION, 3, "0:170 0:170 120:120 30:30 20:20 ");
	check_width(t, WIDTH_AFTER, 3, "0:120 0:120 100:100 0:0 20:20 ");
	check_width(t, WIDTH_BEFORE, 3, "0:150 0:150 120:120 30:30 0:0 ");
	tree_free(t);
	t = pair_of("a 18446744073709551615\n", "b 18446744073709551615\n");
	check_width(t, WIDTH_UNION, 1,
		    "0:18446744073709551615 18446744073709551615:18446744073709551615 "
		    "18446744073709551615:18446744073709551615 ");
	tree_free(t);
}

static void check_functions(void)
{
	struct tree *t = pair_of("r;f;r;f 3\nf;g 5\n", "r 2\nf;f;h 7\nz 0\n");
	AUTO(functions) struct functions f = { 0 };
	AUTO(buf) struct buf got = { 0 };
	functions_of_tree(t, &f);
	for (uint32_t i = 0; i < f.rows.n; i++) {
		const struct function *row = &f.rows.p[i];
		struct str name = t->labels.p[row->label].name;
		buf_addf(&got, "%.*s %llu/%llu %llu/%llu, ", STR_ARG(name),
			 (unsigned long long)row->self[0], (unsigned long long)row->self[1],
			 (unsigned long long)row->total[0], (unsigned long long)row->total[1]);
	}
	const char *rows[] = { "r 0/2 3/2, ", "f 3/0 8/7, ", "g 5/0 5/0, ", "h 0/7 0/7, " };
	size_t bytes = 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bytes += strlen(rows[i]);
		tap_ok(str_find(buf_str(&got), str_from(rows[i])) >= 0,
		       "functions: %s recursion counts once", rows[i]);
	}
	tap_num_eq(got.n, bytes, "functions: no others, not the root, nothing without a count");
	tree_free(t);
}

static void check_colours(void)
{
	struct tree *t = pair_of("m;a 100\nm;b 100\nm;c 500\nm;d 300\n",
				 "m;a 300\nm;b 30\nm;c 500\nm;d 310\n");
	struct comparison c = scaled(t, SCALE_NONE);
	struct layout_query q = { .self = t->self[1], .total = t->total[1] };
	struct layout l;
	layout_tree(t, &q, &l);
	struct colour none = paint_no_change();
	for (unsigned negates = 0; negates < 2; negates++) {
		AUTO_FREE struct colour *colours = diff_colours(t, &c, &l, negates);
		struct colour of[5];
		for (uint32_t i = 0; i < l.boxes.n; i++)
			if (l.boxes.p[i].depth == 2)
				of[tree_label_of(t, l.boxes.p[i].node)->name.p[0] - 'a'] =
					colours[i];
		tap_ok((of[0].r > of[0].b) != negates && of[0].r != of[0].b, "a grew");
		tap_ok((of[1].b > of[1].r) != negates && of[1].r != of[1].b, "b shrank");
		tap_ok(memcmp(&of[2], &none, sizeof(none)) == 0, "c did not change");
		tap_ok(memcmp(&of[3], &none, sizeof(none)) == 0, "d's change is noise");
	}
	layout_fini(&l);
	tree_free(t);
}

static void check_outlines(void)
{
	/* u and s change by what they call; p of v and many small ones that are noise one by one. */
	struct tree *t =
		pair_of("m;u;a 100\nm;s;b 300\nv;c 60\nv;d 60\nv;e 60\nw;x;y 200\nw;z 400\n",
			"m;u;a 300\nm;s;b 90\nv;c 40\nv;d 40\nv;e 40\nw;x;y 350\nw;z 200\n");
	struct comparison c = scaled(t, SCALE_NONE);
	struct layout_query q = { .self = t->self[1], .total = t->total[1] };
	AUTO(buf) struct buf got = { 0 };
	struct layout l;
	c.by_self = true;
	layout_tree(t, &q, &l);
	AUTO_FREE struct colour *outlines = diff_outlines(t, &c, &l, false);
	struct colour grew = paint_change(1, true);
	for (uint32_t i = 1; i < l.boxes.n; i++) {
		const struct colour *o = &outlines[i];
		struct str name = tree_label_of(t, l.boxes.p[i].node)->name;
		bool is_none = !o->r && !o->g && !o->b, is_growth = o->r == grew.r;
		buf_addf(&got, "%.*s%s ", STR_ARG(name), is_none ? "" : is_growth ? "+" : "-");
	}
	tap_str_eq(buf_str(&got), STR("m s- b u+ a v c d e w x+ y z "),
		   "outlines: callers that changed with what has the same colour on them");
	layout_fini(&l);
	tree_free(t);
}

int main(void)
{
	check_pair("a;b 1\na;c 2\n", "a;b 4\nd 5\n",
		   "all@0 0/0 3/9, a@1 0/0 3/4, b@2 1/4 1/4, c@2 2/0 2/0, d@1 0/5 0/5",
		   "vanished and new paths");
	check_pair("a 1\n", "a;b 2\n", "all@0 0/0 1/2, a@1 1/0 1/2, b@2 0/2 0/2",
		   "one side deeper than the other");
	check_pair("f 1\nf.x 1\n", "f(i) 1\nf;g 1\n",
		   "all@0 0/0 2/2, f@1 1/0 1/1, g@2 0/1 0/1, f(i)@1 0/1 0/1, f.x@1 1/0 1/0",
		   "names that begin with each other");
	check_pair("a 1.5\n", "a 2\n", "all@0 0/0 15/20, a@1 15/20 15/20",
		   "the finer decimals of the two");
	check_random_pairs();
	check_noise();
	check_level(SCALE_BY_TOTAL, 0.2, "shares of a fifth");
	check_level(SCALE_BY_TOTAL, 0.01, "shares of a hundredth");
	check_level(SCALE_NONE, 0.01, "counts of a hundredth");
	check_changes();
	check_scales();
	check_grown();
	check_grown_views();
	check_widths();
	check_functions();
	check_colours();
	check_outlines();
	return tap_done();
}
