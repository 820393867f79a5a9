#include "query/palette.h"
#include "query/category.h"

#include <math.h>

const char *const palette_names[] = { "auto",	"kind",	  "tier",  "hot",  "mem",  "io",
				      "wakeup", "chain",  "java",  "js",   "perl", "python",
				      "rust",	"red",	  "green", "blue", "aqua", "yellow",
				      "purple", "orange", NULL };

/* --- shades: three numbers from 0 to 1 for a name --- */

struct shade {
	double v1, v2, v3;
};

/* One step of drand48, on which Perl's rand is based. */
static double next_random(uint64_t *state)
{
	*state = (*state * 0x5DEECE66Du + 0xB) & ((1ull << 48) - 1);
	return (double)*state / (double)(1ull << 48);
}

/* flamegraph.pl seeds Perl's generator with the sum of the name's characters. */
static double shade_of_sum(struct str name)
{
	uint32_t sum = 0;
	for (size_t at = 0; at < name.n;)
		sum += utf8_next(name, &at);
	uint64_t state = ((uint64_t)sum << 16) + 0x330E;
	return next_random(&state);
}

enum { HASHED_CHARACTERS = 3 };

/* flamegraph.pl's namehash: the first characters weigh most. */
static double hash_of_characters(const uint32_t *characters, size_t n)
{
	double vector = 0, weight = 1, max = 1;
	for (size_t i = 0; i < n && i < HASHED_CHARACTERS; i++) {
		unsigned mod = 10 + (unsigned)i;
		vector += (double)(characters[i] % mod) / (double)(mod - 1) * weight;
		max += weight;
		weight *= 0.70;
	}
	return 1 - vector / max;
}

/* `module`function`: drops everything before the backquote, if there is at least one character. */
static struct str without_module(struct str name)
{
	size_t first = 0;
	if (name.n)
		utf8_next(name, &first);
	struct str rest = str_from_byte(name, first);
	ptrdiff_t quote = str_find_char(rest, '`');
	return quote < 0 ? name : str_from_byte(rest, (size_t)quote + 1);
}

static double hash_from_start(struct str name)
{
	uint32_t characters[HASHED_CHARACTERS];
	size_t n = 0;
	name = without_module(name);
	for (size_t at = 0; at < name.n && n < HASHED_CHARACTERS;)
		characters[n++] = utf8_next(name, &at);
	return hash_of_characters(characters, n);
}

/* The same for the reversed name, from which a module is cut just as blindly. */
static double hash_from_end(struct str name)
{
	AUTO(buf) struct buf reversed = { 0 };
	size_t end = name.n;
	while (end) {
		size_t start = end - 1;
		while (start && ((unsigned char)name.p[start] & 0xc0) == 0x80 && end - start < 4)
			start--;
		buf_add(&reversed, (struct str){ name.p + start, end - start });
		end = start;
	}
	return hash_from_start(buf_str(&reversed));
}

static struct shade shade_of(struct painter *p, struct str name)
{
	struct shade s;
	switch (p->shade_by) {
	case SHADE_BY_HASH:
		s.v1 = hash_from_start(name);
		s.v2 = s.v3 = hash_from_end(name);
		return s;
	case SHADE_BY_CHANCE:
		s.v1 = next_random(&p->chance);
		s.v2 = next_random(&p->chance);
		s.v3 = next_random(&p->chance);
		return s;
	case SHADE_BY_NAME:
		break;
	}
	s.v1 = s.v2 = s.v3 = shade_of_sum(name);
	return s;
}

/* --- ramps: a shade to a colour --- */

/* Each channel is base + int(range * v), where v is one of the three. */
struct ramp {
	struct {
		uint8_t base, range, v;
	} channel[3];
};

static const struct ramp ramps[PALETTE_COUNT] = {
	[PALETTE_HOT] = { { { 205, 50, 3 }, { 0, 230, 1 }, { 0, 55, 2 } } },
	[PALETTE_MEM] = { { { 0, 0, 1 }, { 190, 50, 2 }, { 0, 210, 1 } } },
	[PALETTE_IO] = { { { 80, 60, 1 }, { 80, 60, 1 }, { 190, 55, 2 } } },
	[PALETTE_RED] = { { { 200, 55, 1 }, { 50, 80, 1 }, { 50, 80, 1 } } },
	[PALETTE_GREEN] = { { { 50, 60, 1 }, { 200, 55, 1 }, { 50, 60, 1 } } },
	[PALETTE_BLUE] = { { { 80, 60, 1 }, { 80, 60, 1 }, { 205, 50, 1 } } },
	[PALETTE_YELLOW] = { { { 175, 55, 1 }, { 175, 55, 1 }, { 50, 20, 1 } } },
	[PALETTE_PURPLE] = { { { 190, 65, 1 }, { 80, 60, 1 }, { 190, 65, 1 } } },
	[PALETTE_AQUA] = { { { 50, 60, 1 }, { 165, 55, 1 }, { 165, 55, 1 } } },
	[PALETTE_ORANGE] = { { { 190, 65, 1 }, { 90, 65, 1 }, { 0, 0, 1 } } },
};

static struct colour on_ramp(enum palette palette, struct shade s)
{
	const double v[] = { 0, s.v1, s.v2, s.v3 };
	uint8_t out[3];
	for (unsigned i = 0; i < 3; i++)
		out[i] = (uint8_t)(ramps[palette].channel[i].base +
				   (int)(ramps[palette].channel[i].range *
					 v[ramps[palette].channel[i].v]));
	return (struct colour){ out[0], out[1], out[2] };
}

/* --- palettes of several ramps: rules on the name --- */

/* The mark at the end of a name, literal or from the profile: 'k', 'j', 'i', 'w' or 0. */
static char mark_of(const struct painter *p, const struct tree_label *l)
{
	if (l->mark_bytes)
		return l->name.p[l->name.n - 2];
	if (p->by_marks_only)
		return 0;
	return l->kind == FRAME_KERNEL ? 'k' : l->kind == FRAME_JIT ? 'j' : 0;
}

static bool has(struct str s, const char *needle)
{
	return str_find(s, str_from(needle)) >= 0;
}

static bool begins_with_any(struct str s, const struct str *prefixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_starts(s, prefixes[i]))
			return true;
	return false;
}

static enum palette java_ramp(struct str name, char mark)
{
	static const struct str packages[] = { STR("java/"), STR("javax/"), STR("jdk/"),
					       STR("net/"),  STR("org/"),   STR("com/"),
					       STR("io/"),   STR("sun/") };
	struct str path = name.n && name.p[0] == 'L' ? str_from_byte(name, 1) : name;
	if (mark == 'j')
		return PALETTE_GREEN;
	if (mark == 'i')
		return PALETTE_AQUA;
	if (begins_with_any(path, packages, ARRAY_SIZE(packages)) || has(name, ":::"))
		return PALETTE_GREEN;
	if (has(name, "::"))
		return PALETTE_YELLOW;
	return mark == 'k' ? PALETTE_ORANGE : PALETTE_RED;
}

static bool has_js_path(struct str name)
{
	ptrdiff_t slash = str_find_char(name, '/');
	return slash >= 0 && has(str_from_byte(name, (size_t)slash + 1), ".js");
}

static enum palette js_ramp(struct str name, char mark)
{
	if (mark == 'j')
		return has(name, "/") ? PALETTE_GREEN : PALETTE_AQUA;
	if (has(name, "::"))
		return PALETTE_YELLOW;
	if (has_js_path(name))
		return PALETTE_GREEN;
	if (has(name, ":"))
		return PALETTE_AQUA;
	if (str_eq(name, STR(" ")))
		return PALETTE_GREEN;
	return mark == 'k' || has(name, "_[k]") ? PALETTE_ORANGE : PALETTE_RED;
}

static enum palette perl_ramp(struct str name, char mark)
{
	if (has(name, "::"))
		return PALETTE_YELLOW;
	if (has(name, "Perl") || has(name, ".pl"))
		return PALETTE_GREEN;
	return mark == 'k' ? PALETTE_ORANGE : PALETTE_RED;
}

static enum palette python_ramp(struct str name, char mark)
{
	static const struct str library[] = { STR("<frozen"), STR("<built-in"), STR("<method") };
	if (mark == 'k')
		return PALETTE_ORANGE;
	if (has(name, "site-packages/") || has(name, "dist-packages/"))
		return PALETTE_AQUA;
	if (has(name, "/lib/python") || begins_with_any(name, library, ARRAY_SIZE(library)))
		return PALETTE_YELLOW;
	return has(name, ".py") ? PALETTE_GREEN : PALETTE_RED;
}

static enum palette rust_ramp(struct str name, char mark)
{
	static const struct str library[] = { STR("core::"),  STR("std::"),  STR("alloc::"),
					      STR("<core::"), STR("<std::"), STR("<alloc::") };
	if (mark == 'k')
		return PALETTE_RED;
	if (begins_with_any(name, library, ARRAY_SIZE(library)))
		return PALETTE_ORANGE;
	return has(name, "::") ? PALETTE_AQUA : PALETTE_YELLOW;
}

static enum palette ramp_of(const struct painter *p, const struct tree_label *l)
{
	struct str name = l->name;
	char mark = mark_of(p, l);
	switch (p->palette) {
	case PALETTE_JAVA:
		return java_ramp(name, mark);
	case PALETTE_JS:
		return js_ramp(name, mark);
	case PALETTE_PERL:
		return perl_ramp(name, mark);
	case PALETTE_PYTHON:
		return python_ramp(name, mark);
	case PALETTE_RUST:
		return rust_ramp(name, mark);
	case PALETTE_WAKEUP:
		return PALETTE_AQUA;
	case PALETTE_CHAIN:
		return has(name, "_[w]") || mark == 'w' ? PALETTE_AQUA : PALETTE_BLUE;
	default:
		return p->palette;
	}
}

/* --- kind and tier: what the profile knows --- */

/* Distinguished by hue, and in greyscale mostly by lightness; black text has a contrast above 4.5 on each. */
static const struct colour of_category[CATEGORY_COUNT] = {
	[CATEGORY_PROCESS] = { 214, 207, 199 },	  [CATEGORY_APP] = { 247, 157, 61 },
	[CATEGORY_DEPENDENCY] = { 240, 203, 88 }, [CATEGORY_RUNTIME] = { 146, 201, 122 },
	[CATEGORY_BUILTIN] = { 94, 184, 170 },	  [CATEGORY_GC] = { 226, 118, 160 },
	[CATEGORY_NATIVE] = { 240, 219, 178 },	  [CATEGORY_KERNEL] = { 126, 166, 224 },
	[CATEGORY_UNKNOWN] = { 189, 189, 189 },	  [CATEGORY_REGEXP] = { 176, 125, 205 },
};

enum { TIER_COUNT = 5 };
static const struct {
	char tier;
	struct colour colour;
	const char *text;
} of_tier[TIER_COUNT] = {
	{ '~', { 232, 110, 92 }, "~ interpreter (Ignition)" },
	{ '^', { 244, 178, 84 }, "^ baseline (Sparkplug)" },
	{ '+', { 198, 214, 98 }, "+ Maglev" },
	{ '*', { 104, 190, 130 }, "* optimized (TurboFan)" },
	{ 0, { 205, 205, 205 }, "not JavaScript" },
};

static unsigned tier_index(char tier)
{
	unsigned i = 0;
	while (of_tier[i].tier != tier && i < TIER_COUNT - 1)
		i++;
	return i;
}

static uint8_t toward_white(uint8_t channel, double share)
{
	return (uint8_t)(channel + (255 - channel) * share);
}

/* Varies neighbours of one kind slightly, so that their borders are visible. */
static struct colour lighter(struct colour c, double share)
{
	return (struct colour){ toward_white(c.r, share), toward_white(c.g, share),
				toward_white(c.b, share) };
}

struct colour paint_label(struct painter *p, const struct tree_label *label, bool is_root)
{
	struct str name = is_root ? STR("") : label->name;
	struct tree_label nameless = { .name = name };
	struct shade s = shade_of(p, name);
	if (p->palette == PALETTE_KIND)
		return lighter(of_category[category_of_label(label)], 0.3 * s.v1);
	if (p->palette == PALETTE_TIER)
		return lighter(of_tier[tier_index(label->tier)].colour, 0.3 * s.v1);
	return on_ramp(ramp_of(p, is_root ? &nameless : label), s);
}

bool paint_separator(struct str name, struct colour *c)
{
	uint8_t grey = str_eq(name, STR("--")) ? 160 : str_eq(name, STR("-")) ? 200 : 0;
	*c = (struct colour){ grey, grey, grey };
	return grey;
}

/* WCAG 2: relative luminance from gamma-encoded channels; black on it has (Y + 0.05) / 0.05. */
static double linear(uint8_t channel)
{
	double c = channel / 255.0;
	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

bool colour_is_dark(struct colour c)
{
	double luminance = 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
	return luminance < 0.175;
}

struct colour paint_delta(double delta, double largest)
{
	if (delta == 0)
		return (struct colour){ 255, 255, 255 };
	uint8_t rest = (uint8_t)(210 * (largest - __builtin_fabs(delta)) / largest);
	return delta > 0 ? (struct colour){ 255, rest, rest } : (struct colour){ rest, rest, 255 };
}

static struct colour between(struct colour a, struct colour b, double share)
{
	return (struct colour){ (uint8_t)(a.r + (b.r - a.r) * share),
				(uint8_t)(a.g + (b.g - a.g) * share),
				(uint8_t)(a.b + (b.b - a.b) * share) };
}

struct colour paint_change(double strength, bool is_growth)
{
	const struct colour weak[] = { { 198, 219, 239 }, { 253, 221, 178 } };
	const struct colour strong[] = { { 66, 146, 214 }, { 236, 102, 18 } };
	return between(weak[is_growth], strong[is_growth], strength);
}

struct colour paint_no_change(void)
{
	return (struct colour){ 217, 217, 217 };
}

/* --- legends --- */

void legend_fini(struct legend *l)
{
	vec_fini(&l->entries);
}

static void add_entry(struct legend *l, const char *text, struct colour c)
{
	vec_push(&l->entries, (struct legend_entry){ .text = text, .colour = c });
}

struct ramp_meaning {
	enum palette palette, ramp;
	const char *text;
};

static const struct ramp_meaning meanings[] = {
	{ PALETTE_JAVA, PALETTE_GREEN, "Java" },
	{ PALETTE_JAVA, PALETTE_AQUA, "inlined" },
	{ PALETTE_JAVA, PALETTE_YELLOW, "C++" },
	{ PALETTE_JAVA, PALETTE_ORANGE, "kernel" },
	{ PALETTE_JAVA, PALETTE_RED, "system" },
	{ PALETTE_JS, PALETTE_GREEN, "JavaScript" },
	{ PALETTE_JS, PALETTE_AQUA, "built-in" },
	{ PALETTE_JS, PALETTE_YELLOW, "C++" },
	{ PALETTE_JS, PALETTE_ORANGE, "kernel" },
	{ PALETTE_JS, PALETTE_RED, "system" },
	{ PALETTE_PERL, PALETTE_GREEN, "Perl" },
	{ PALETTE_PERL, PALETTE_YELLOW, "C++" },
	{ PALETTE_PERL, PALETTE_ORANGE, "kernel" },
	{ PALETTE_PERL, PALETTE_RED, "system" },
	{ PALETTE_PYTHON, PALETTE_GREEN, "Python" },
	{ PALETTE_PYTHON, PALETTE_AQUA, "installed packages" },
	{ PALETTE_PYTHON, PALETTE_YELLOW, "standard library" },
	{ PALETTE_PYTHON, PALETTE_ORANGE, "kernel" },
	{ PALETTE_PYTHON, PALETTE_RED, "system" },
	{ PALETTE_RUST, PALETTE_AQUA, "Rust crates" },
	{ PALETTE_RUST, PALETTE_ORANGE, "Rust standard library" },
	{ PALETTE_RUST, PALETTE_YELLOW, "other" },
	{ PALETTE_RUST, PALETTE_RED, "kernel" },
	{ PALETTE_CHAIN, PALETTE_BLUE, "off CPU" },
	{ PALETTE_CHAIN, PALETTE_AQUA, "waker" },
};

/* Bit i: some label of the tree, other than the root's, has meaning i. */
static uint64_t meanings_in(const struct painter *p, const struct tree *t, const bool *is_shown)
{
	uint64_t seen = 0;
	struct colour ignored;
	for (uint32_t i = 0; i < t->labels.n; i++) {
		const struct tree_label *l = &t->labels.p[i];
		if (!is_shown[i])
			continue;
		if (p->palette == PALETTE_KIND)
			seen |= 1ull << category_of_label(l);
		else if (p->palette == PALETTE_TIER)
			seen |= 1ull << tier_index(l->tier);
		else if (!l->is_process && !paint_separator(l->name, &ignored))
			seen |= 1ull << ramp_of(p, l);
	}
	return seen;
}

void legend_of_labels(struct legend *l, const struct painter *p, const struct tree *t,
		      const bool *is_shown)
{
	const double middle = 0.15;
	uint64_t seen = meanings_in(p, t, is_shown);
	if (p->palette == PALETTE_KIND)
		for (enum category c = CATEGORY_APP; c < CATEGORY_COUNT; c++)
			if (seen & 1ull << c)
				add_entry(l, category_text(c), lighter(of_category[c], middle));
	if (p->palette == PALETTE_TIER)
		for (unsigned i = 0; i < TIER_COUNT; i++)
			if (seen & 1ull << i)
				add_entry(l, of_tier[i].text, lighter(of_tier[i].colour, middle));
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (meanings[i].palette == p->palette && seen & 1ull << meanings[i].ramp)
			add_entry(l, meanings[i].text,
				  on_ramp(meanings[i].ramp, (struct shade){ 0.5, 0.5, 0.5 }));
}

/* --- backgrounds --- */

static unsigned hex_digit(char c)
{
	return is_digit(c) ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
}

static bool colour_parse(struct str text, struct colour *c)
{
	if (text.n != 7 || text.p[0] != '#')
		return false;
	for (size_t i = 1; i < 7; i++)
		if (!is_hex(text.p[i]))
			return false;
	*c = (struct colour){ (uint8_t)(hex_digit(text.p[1]) << 4 | hex_digit(text.p[2])),
			      (uint8_t)(hex_digit(text.p[3]) << 4 | hex_digit(text.p[4])),
			      (uint8_t)(hex_digit(text.p[5]) << 4 | hex_digit(text.p[6])) };
	return true;
}

static const char *backdrop_of(enum palette p)
{
	switch (p) {
	case PALETTE_MEM:
		return "green";
	case PALETTE_IO:
	case PALETTE_WAKEUP:
	case PALETTE_CHAIN:
		return "blue";
	case PALETTE_KIND:
	case PALETTE_TIER:
		return "white";
	default:
		return p >= PALETTE_RED ? "grey" : "yellow";
	}
}

bool backdrop_parse(const char *text, enum palette palette, struct backdrop *b, struct err *e)
{
	static const struct {
		const char *name;
		struct backdrop backdrop;
	} known[] = {
		{ "yellow", { { 0xee, 0xee, 0xee }, { 0xee, 0xee, 0xb0 } } },
		{ "blue", { { 0xee, 0xee, 0xee }, { 0xe0, 0xe0, 0xff } } },
		{ "green", { { 0xee, 0xf2, 0xee }, { 0xe0, 0xff, 0xe0 } } },
		{ "grey", { { 0xf8, 0xf8, 0xf8 }, { 0xe8, 0xe8, 0xe8 } } },
		{ "white", { { 0xff, 0xff, 0xff }, { 0xf6, 0xf5, 0xf2 } } },
	};
	const char *name = text ? text : backdrop_of(palette);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(name, known[i].name) == 0) {
			*b = known[i].backdrop;
			return true;
		}
	if (!colour_parse(str_from(name), &b->top))
		return err_usage(e,
				 "--bgcolors %s: must be yellow, blue, green, grey, white or a "
				 "colour such as #f8f8f8",
				 name);
	b->bottom = b->top;
	return true;
}
