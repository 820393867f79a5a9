/* The options for the look of a picture, and their checks. */
#include "view/view_int.h"

#define PICTURE(field) offsetof(struct view_request, picture.field)

static const struct option picture_options[] = {
	{ "title", 0, OPTION_TEXT, PICTURE(style.title), "TEXT", "heading" },
	{ "subtitle", 0, OPTION_TEXT, PICTURE(style.subtitle), "TEXT", "second heading" },
	{ "width", 0, OPTION_TEXT, PICTURE(width), "N",
	  "width in pixels (default: the width of the window)" },
	{ "height", 0, OPTION_TEXT, PICTURE(height), "N",
	  "height of a frame in pixels (default: 16)" },
	{ "minwidth", 0, OPTION_TEXT, PICTURE(min_width), "N",
	  "leave out frames narrower than N pixels, or N% of the total (default: 0.1)" },
	{ "inverted", 0, OPTION_FLAG, PICTURE(style.is_inverted), NULL,
	  "draw an icicle graph: the root is at the top" },
	{ "negate", 0, OPTION_FLAG, PICTURE(negates), NULL,
	  "swap the hues and signs of a differential graph" },
	{ "bgcolors", 0, OPTION_TEXT, PICTURE(backdrop), "COLOR",
	  "background: yellow, blue, green, grey, white or #rrggbb (default: depends on the "
	  "palette)" },
	{ "fonttype", 0, OPTION_TEXT, PICTURE(style.font_type), "FONT", "font (default: Verdana)" },
	{ "fontsize", 0, OPTION_REAL, PICTURE(style.font_size), "N", "font size (default: 12)" },
	{ "fontwidth", 0, OPTION_REAL, PICTURE(style.font_width), "N",
	  "average width of a character as a share of the font size (default: 0.59)" },
	{ "countname", 0, OPTION_TEXT, PICTURE(style.count_name), "TEXT",
	  "unit of the counts (default: samples)" },
	{ "nametype", 0, OPTION_TEXT, PICTURE(style.name_type), "TEXT",
	  "label for names (default: Function:)" },
	{ "nameattr", 0, OPTION_FILE, PICTURE(attributes_path), "FILE",
	  "read titles, links and classes of functions from FILE; each line is NAME TAB KEY=VALUE "
	  "[TAB KEY=VALUE...]" },
	{ "factor", 0, OPTION_REAL, PICTURE(style.factor), "N", "multiply the counts shown by N" },
	{ "notes", 0, OPTION_TEXT, PICTURE(style.notes), "TEXT",
	  "add TEXT to the file as a comment" },
	{ "encoding", 0, OPTION_TEXT, PICTURE(encoding), "NAME",
	  "accepted for compatibility with flamegraph.pl; must be UTF-8" },
};
const struct option_set picture_option_set = OPTION_SET("Picture", picture_options);

static const char *const formats[] = { "auto", "svg", "html", NULL };

static const struct option flame_format_options[] = {
	{ "format", 0, OPTION_CHOICE, PICTURE(format), "NAME",
	  "svg, or html, a page that works offline (default: auto, from FILE's extension)",
	  formats },
	{ "compat", 0, OPTION_FLAG, offsetof(struct view_request, compat), NULL,
	  "draw what flamegraph.pl draws from folded stacks, bugs included" },
};
const struct option_set flame_format_option_set = OPTION_SET(NULL, flame_format_options);

static const struct option flame_options[] = {
	{ "colors", 0, OPTION_CHOICE, PICTURE(palette), "PALETTE",
	  "kind (whose code it is), tier (V8's compilers), hot, mem, io, wakeup, chain, java, js, "
	  "perl, python, rust, red, green, blue, aqua, yellow, purple or orange (default: auto, "
	  "which is kind if the profile has kinds, else hot)",
	  palette_names },
	{ "hash", 0, OPTION_FLAG, PICTURE(by_hash), NULL,
	  "choose shades by a hash of the name's first and last letters" },
	{ "random", 0, OPTION_FLAG, PICTURE(by_chance), NULL, "choose random shades" },
	{ "cp", 0, OPTION_FLAG, PICTURE(keeps_palette), NULL,
	  "keep colours consistent across pictures, using ./palette.map" },
	{ "flamechart", 0, OPTION_FLAG, PICTURE(is_chart), NULL,
	  "keep stacks in time order, or in input order, and do not merge identical ones" },
	{ "total", 0, OPTION_REAL, PICTURE(total), "N",
	  "count that the full width represents (default: the sum of all counts)" },
};
const struct option_set flame_option_set = OPTION_SET(NULL, flame_options);

enum {
	DEFAULT_WIDTH = 1200,
	MIN_WIDTH = 40,
	MAX_WIDTH = 1000000,
	MAX_FRAME_HEIGHT = 1000,
	MAX_FONT_SIZE = 1000,
};

static bool pixels_parse(const char *option, const char *text, uint64_t least, uint64_t most,
			 uint64_t *px, struct err *e)
{
	if (str_to_u64(str_from(text), px) && *px >= least && *px <= most)
		return true;
	return err_usage(e, "--%s %s: must be a whole number of pixels from %llu to %llu", option,
			 text, (unsigned long long)least, (unsigned long long)most);
}

static bool min_width_parse(struct picture_options *o, struct err *e)
{
	struct str text = str_from(o->min_width);
	bool is_percent = str_ends(text, STR("%"));
	char *end;
	double value = strtod(text.p, &end);
	if (!(is_digit(text.p[0]) || text.p[0] == '.') || !(value >= 0 && value <= 1e9) ||
	    end != text.p + text.n - is_percent)
		return err_usage(
			e, "--minwidth %s: must be pixels such as 0.1, or a share such as 0.5%%",
			o->min_width);
	o->min_px = is_percent ? 0 : value;
	o->min_percent = is_percent ? value : 0;
	return true;
}

static bool check_numbers(const struct picture_options *o, struct err *e)
{
	const struct picture_style *s = &o->style;
	if (!(s->font_size >= 1 && s->font_size <= MAX_FONT_SIZE))
		return err_usage(e, "--fontsize %g: must be from 1 to %d", s->font_size,
				 MAX_FONT_SIZE);
	if (!(s->font_width >= 0.01 && s->font_width <= 10))
		return err_usage(e, "--fontwidth %g: must be from 0.01 to 10", s->font_width);
	if (!(s->factor > 0 && s->factor <= 1e15))
		return err_usage(e, "--factor %g: must be greater than 0", s->factor);
	return o->total < 1e18 || err_usage(e, "--total %g: must be a number", o->total);
}

static bool check_texts(const struct picture_options *o, struct err *e)
{
	const struct picture_style *s = &o->style;
	const char *encoding = o->encoding;
	if (encoding && strcasecmp(encoding, "utf-8") != 0 && strcasecmp(encoding, "utf8") != 0)
		return err_usage(e, "--encoding %s: must be UTF-8", encoding);
	static const char in_fonts[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789 ,.-_";
	if (!*s->font_type || s->font_type[strspn(s->font_type, in_fonts)])
		return err_usage(e, "--fonttype: must contain only letters, digits, spaces, "
				    "commas, dots, hyphens and underscores");
	if (s->notes && strpbrk(s->notes, "<>"))
		return err_usage(e, "--notes: must not contain < or >");
	return true;
}

bool picture_options_settle(struct picture_options *o, struct err *e)
{
	uint64_t width = DEFAULT_WIDTH, height;
	struct picture_style *s = &o->style;
	if ((o->width && !pixels_parse("width", o->width, MIN_WIDTH, MAX_WIDTH, &width, e)) ||
	    !pixels_parse("height", o->height, 2, MAX_FRAME_HEIGHT, &height, e) ||
	    !min_width_parse(o, e) || !check_numbers(o, e) || !check_texts(o, e) ||
	    !backdrop_parse(o->backdrop, o->palette, &s->backdrop, e))
		return false;
	s->frame_height = (double)height;
	s->width = (uint32_t)width;
	s->is_fluid = !o->width;
	if (s->title && !*s->title)
		s->title = NULL;
	if (s->subtitle && !*s->subtitle)
		s->subtitle = NULL;
	return true;
}

struct picture_style picture_style_of(const struct picture_options *o, enum palette palette,
				      const char *title, const char *count_name)
{
	struct picture_style s = o->style;
	struct err none = { 0 }; /* the background was checked already */
	backdrop_parse(o->backdrop, palette, &s.backdrop, &none);
	s.title = s.title ? s.title : title;
	s.count_name = s.count_name ? s.count_name : count_name;
	return s;
}

static double drawn_px(const struct picture_options *o)
{
	return o->style.width - 2.0 * PICTURE_SIDE_PAD;
}

double picture_min_value(const struct picture_options *o, const struct tree *t, uint64_t total)
{
	double unit = (double)tree_unit(t);
	double whole = (double)total / unit;
	double px_per_value = drawn_px(o) / whole;
	double least = o->min_px ? o->min_px / px_per_value : whole * o->min_percent / 100;
	return least * unit;
}

double picture_min_share(const struct picture_options *o)
{
	return 0.999 * (o->min_px ? o->min_px / drawn_px(o) : o->min_percent / 100);
}
