/* Colours: FlameGraph's to the digit, kept ones, legends, backgrounds. */
#include "folded_tree.h"
#include "tap.h"

static struct tree_label label_of(const char *name)
{
	struct tree_label l = { .name = str_from(name) };
	if (str_ends(l.name, STR("]")))
		l.mark_bytes = 4;
	return l;
}

/* Printed by flamegraph.pl for these names. */
static const struct {
	enum palette palette;
	enum shade_by shade_by;
	const char *name;
	struct colour colour;
} known[] = {
	{ PALETTE_HOT, SHADE_BY_NAME, "", { 213, 39, 9 } },
	{ PALETTE_HOT, SHADE_BY_NAME, "main", { 243, 179, 42 } },
	{ PALETTE_HOT, SHADE_BY_NAME, "a", { 236, 146, 35 } },
	{ PALETTE_HOT, SHADE_BY_NAME, "na\xc3\xafve", { 217, 58, 13 } },
	{ PALETTE_HOT, SHADE_BY_NAME, "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", { 253, 223, 53 } },
	{ PALETTE_HOT, SHADE_BY_NAME, "vfs_read_[k]", { 230, 118, 28 } },
	{ PALETTE_HOT, SHADE_BY_HASH, "", { 255, 230, 55 } },
	{ PALETTE_HOT, SHADE_BY_HASH, "main", { 247, 83, 46 } },
	{ PALETTE_HOT, SHADE_BY_HASH, "a", { 235, 140, 33 } },
	{ PALETTE_HOT, SHADE_BY_HASH, "mod`fun", { 253, 172, 53 } },
	{ PALETTE_HOT, SHADE_BY_HASH, "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", { 237, 178, 35 } },
	{ PALETTE_MEM, SHADE_BY_NAME, "main", { 0, 228, 163 } },
	{ PALETTE_IO, SHADE_BY_NAME, "main", { 126, 126, 232 } },
	{ PALETTE_RED, SHADE_BY_NAME, "main", { 242, 112, 112 } },
	{ PALETTE_GREEN, SHADE_BY_NAME, "main", { 96, 242, 96 } },
	{ PALETTE_BLUE, SHADE_BY_NAME, "main", { 126, 126, 243 } },
	{ PALETTE_AQUA, SHADE_BY_NAME, "main", { 96, 207, 207 } },
	{ PALETTE_YELLOW, SHADE_BY_NAME, "main", { 217, 217, 65 } },
	{ PALETTE_ORANGE, SHADE_BY_NAME, "main", { 240, 140, 0 } },
	{ PALETTE_PURPLE, SHADE_BY_HASH, "main", { 213, 101, 213 } },
	{ PALETTE_WAKEUP, SHADE_BY_NAME, "main", { 96, 207, 207 } },
	{ PALETTE_JAVA, SHADE_BY_NAME, "main", { 242, 112, 112 } },
	{ PALETTE_JAVA, SHADE_BY_NAME, "inl_[i]", { 99, 210, 210 } },
	{ PALETTE_JAVA, SHADE_BY_NAME, "vfs_read_[k]", { 223, 123, 0 } },
	{ PALETTE_JAVA, SHADE_BY_NAME, "java/lang/String.hashCode", { 69, 217, 69 } },
	{ PALETTE_JAVA, SHADE_BY_NAME, "std::sort", { 202, 202, 60 } },
	{ PALETTE_JS, SHADE_BY_NAME, "run /a/b.js_[j]", { 74, 222, 74 } },
	{ PALETTE_JS, SHADE_BY_NAME, "Builtin:Call", { 89, 201, 201 } },
	{ PALETTE_JS, SHADE_BY_NAME, "inl_[i]", { 245, 116, 116 } },
	{ PALETTE_PERL, SHADE_BY_NAME, "x.pl", { 68, 216, 68 } },
	{ PALETTE_PERL, SHADE_BY_NAME, "vfs_read_[k]", { 223, 123, 0 } },
};

static bool is_colour(struct colour a, struct colour b)
{
	return a.r == b.r && a.g == b.g && a.b == b.b;
}

static void check_known(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct painter p = { .palette = known[i].palette,
				     .shade_by = known[i].shade_by,
				     .by_marks_only = true };
		struct tree_label l = label_of(known[i].name);
		struct colour c = paint_label(&p, &l, false);
		tap_ok(is_colour(c, known[i].colour), "%s%s of '%s' is rgb(%u,%u,%u), got %u,%u,%u",
		       palette_names[p.palette], p.shade_by == SHADE_BY_HASH ? " by hash" : "",
		       known[i].name, known[i].colour.r, known[i].colour.g, known[i].colour.b, c.r,
		       c.g, c.b);
	}
}

static void check_rules(void)
{
	struct painter java = { .palette = PALETTE_JAVA }, hot = { .palette = PALETTE_HOT };
	struct tree_label l = label_of("f"), kernel = label_of("f");
	kernel.kind = FRAME_KERNEL;
	tap_ok(!is_colour(paint_label(&java, &l, false), paint_label(&java, &kernel, false)),
	       "what the profile knows of a frame counts as its mark");
	java.by_marks_only = true;
	tap_ok(is_colour(paint_label(&java, &l, false), paint_label(&java, &kernel, false)),
	       "... unless only marks do");
	tap_ok(is_colour(paint_label(&hot, &l, true), known[0].colour),
	       "the root is painted as the nameless frame");
	struct painter chance = { .palette = PALETTE_HOT, .shade_by = SHADE_BY_CHANCE };
	struct colour first = paint_label(&chance, &l, false);
	tap_ok(!is_colour(first, paint_label(&chance, &l, false)),
	       "by chance one name has two colours");
	struct colour c;
	tap_ok(paint_separator(STR("--"), &c) && c.r == 160 && c.g == 160 && c.b == 160,
	       "-- is grey");
	tap_ok(paint_separator(STR("-"), &c) && c.r == 200, "- is a lighter grey");
	tap_ok(!paint_separator(STR("---"), &c) && !paint_separator(STR(""), &c),
	       "no other name is");
	unsigned names = 0;
	while (palette_names[names])
		names++;
	tap_num_eq(names, PALETTE_COUNT, "every palette has a name");
}

static void check_changes(void)
{
	tap_ok(is_colour(paint_delta(0, 5), (struct colour){ 255, 255, 255 }), "no delta is white");
	tap_ok(is_colour(paint_delta(5, 5), (struct colour){ 255, 0, 0 }), "the largest is red");
	tap_ok(is_colour(paint_delta(-5, 5), (struct colour){ 0, 0, 255 }), "... or blue");
	tap_ok(is_colour(paint_delta(1, 3), (struct colour){ 255, 140, 140 }), "a third of it");
	struct colour weak = paint_change(0, true), strong = paint_change(1, true);
	struct colour shrank = paint_change(1, false), none = paint_no_change();
	tap_ok(strong.r > strong.b && weak.r > weak.b, "growth is orange");
	tap_ok(shrank.b > shrank.r, "shrinking is blue");
	tap_ok(none.r == none.g && none.g == none.b, "no change is grey");
	tap_ok(weak.g > strong.g && weak.b > strong.b, "a weak change is paler");
	tap_ok(colour_is_dark((struct colour){ 0, 0, 0 }) &&
		       colour_is_dark((struct colour){ 0, 0, 255 }) &&
		       !colour_is_dark((struct colour){ 255, 255, 255 }) &&
		       !colour_is_dark(strong) && !colour_is_dark(none),
	       "black and blue are dark, white, orange and grey are not");
}

static void check_legend(enum palette palette, const char *text, const char *want)
{
	struct painter p = { .palette = palette, .by_marks_only = true };
	struct tree *t = tree_of_folded(str_from(text));
	AUTO(legend) struct legend l = { 0 };
	AUTO(buf) struct buf got = { 0 };
	bool *is_shown = mem_alloc(t->labels.n, sizeof(*is_shown));
	for (uint32_t i = 0; i < t->labels.n; i++)
		is_shown[i] = i != t->label[0];
	legend_of_labels(&l, &p, t, is_shown);
	for (uint32_t i = 0; i < l.entries.n; i++)
		buf_addf(&got, "%s,", l.entries.p[i].text);
	tap_str_eq(buf_str(&got), str_from(want), "legend of %s", palette_names[palette]);
	free(is_shown);
	tree_free(t);
}

static void check_backdrop(const char *text, enum palette palette, bool is_good, uint8_t blue)
{
	struct backdrop b = { 0 };
	struct err e = { 0 };
	bool ok = backdrop_parse(text, palette, &b, &e);
	tap_ok(ok == is_good && (ok ? b.bottom.b == blue : e.kind == ERR_USAGE), "background %s",
	       text ? text : palette_names[palette]);
}

/* --- kept colours --- */

static void check_kept(void)
{
	struct err e = { 0 };
	struct colour c;
	AUTO(buf) struct buf text = { 0 };
	struct palette_map *m = palette_map_new();
	tap_ok(palette_map_parse(m, STR(""), &e), "an empty file is a palette");
	tap_ok(palette_map_parse(m,
				 STR("main->rgb(1,2,3)\n->rgb(4,5,6)\na->b->rgb(7,8,9)\n"
				     "x->rgb(1,1,1)->rgb(0,255,10)\nmain->rgb(3,2,1)"),
				 &e),
	       "lines of a palette %s", e.text);
	tap_ok(palette_map_get(m, STR("main"), &c) && c.r == 3 && c.b == 1, "the last one counts");
	tap_ok(palette_map_get(m, STR(""), &c) && c.g == 5, "the root has no name");
	tap_ok(palette_map_get(m, STR("a->b"), &c) && c.b == 9, "a name may hold an arrow");
	tap_ok(palette_map_get(m, STR("x->rgb(1,1,1)"), &c) && c.g == 255, "... or a colour");
	tap_ok(!palette_map_get(m, STR("nosuch"), &c), "a name that is not there");
	palette_map_add(m, STR("\xff\xfe"), (struct colour){ 9, 9, 9 });
	palette_map_print(m, &text);
	tap_str_eq(buf_str(&text),
		   STR("->rgb(4,5,6)\na->b->rgb(7,8,9)\nmain->rgb(3,2,1)\n"
		       "x->rgb(1,1,1)->rgb(0,255,10)\n\xff\xfe->rgb(9,9,9)\n"),
		   "printed by name");
	struct palette_map *again = palette_map_new();
	AUTO(buf) struct buf second = { 0 };
	tap_ok(palette_map_parse(again, buf_str(&text), &e), "what is printed is read");
	palette_map_print(again, &second);
	tap_str_eq(buf_str(&second), buf_str(&text), "... and printed the same");
	palette_map_free(m);
	palette_map_free(again);
	palette_map_free(NULL);
}

static void check_not_kept(struct str text)
{
	struct err e = { 0 };
	struct palette_map *m = palette_map_new();
	tap_ok(!palette_map_parse(m, text, &e) && e.kind == ERR_FAILED && strstr(e.text, "line "),
	       "not a palette: %.*s",
	       STR_ARG(str_from_byte(text, (size_t)(str_find_last_char(text, '\n') + 1))));
	palette_map_free(m);
}

static void check_refused_maps(void)
{
	check_not_kept(STR("\n"));
	check_not_kept(STR("main"));
	check_not_kept(STR("main->red"));
	check_not_kept(STR("main->rgb(1,2)"));
	check_not_kept(STR("main->rgb(1,2,256)"));
	check_not_kept(STR("main->rgb(1,2,-3)"));
	check_not_kept(STR("main->rgb(1,2,3"));
	check_not_kept(STR("main->rgb(1,2,3) "));
	check_not_kept(STR("main->rgb(1, 2,3)"));
	check_not_kept(STR("main->rgb(,,)"));
	check_not_kept(STR("ok->rgb(1,2,3)\nmain->hsl(1,2,3)"));
	check_not_kept(STR("main->rgb(1,2,99999999999999999999)"));
}

int main(void)
{
	check_known();
	check_rules();
	check_changes();
	check_legend(PALETTE_HOT, "a 1\nb_[k] 1\n", "");
	check_legend(PALETTE_RED, "a 1\n", "");
	check_legend(PALETTE_JAVA, "a 1\nb_[k] 1\n--;- 1\n", "kernel,system,");
	check_legend(PALETTE_JS, "a.b/c.js 1\nx:y 1\n", "JavaScript,built-in,");
	check_legend(PALETTE_CHAIN, "a_[w] 1\nb 1\n", "off CPU,waker,");
	check_legend(PALETTE_RUST, "core::x 1\nserde::y 1\n", "Rust crates,Rust standard library,");
	check_legend(PALETTE_TIER, "JS:*f 1\nJS:~f 1\n",
		     "~ interpreter (Ignition),* optimized (TurboFan),");
	check_backdrop(NULL, PALETTE_HOT, true, 0xb0);
	check_backdrop(NULL, PALETTE_MEM, true, 0xe0);
	check_backdrop(NULL, PALETTE_IO, true, 0xff);
	check_backdrop(NULL, PALETTE_ORANGE, true, 0xe8);
	check_backdrop("blue", PALETTE_HOT, true, 0xff);
	check_backdrop("#01aBfE", PALETTE_HOT, true, 0xfe);
	check_backdrop("#01aBf", PALETTE_HOT, false, 0);
	check_backdrop("#01aBfg", PALETTE_HOT, false, 0);
	check_backdrop("", PALETTE_HOT, false, 0);
	check_backdrop("Blue", PALETTE_HOT, false, 0);
	check_kept();
	check_refused_maps();
	return tap_done();
}
