/* How a picture looks: the options, and their checks. */
#include "view/view_int.h"

#define PICTURE(field) offsetof(struct view_request, picture.field)

static const struct option picture_options[] = {
	{ "title", 0, OPTION_TEXT, PICTURE(title), "TEXT", "heading" },
	{ "subtitle", 0, OPTION_TEXT, PICTURE(subtitle), "TEXT", "second heading" },
	{ "width", 0, OPTION_TEXT, PICTURE(width), "N",
	  "width in pixels (default: the width of the window)" },
	{ "height", 0, OPTION_TEXT, PICTURE(height), "N",
	  "height of a frame in pixels (default: 16)" },
	{ "minwidth", 0, OPTION_TEXT, PICTURE(min_width), "N",
	  "leave out frames narrower than N pixels, or N% of the total (default: 0.1)" },
	{ "inverted", 0, OPTION_FLAG, PICTURE(is_inverted), NULL,
	  "draw an icicle graph: the root is at the top" },
	{ "negate", 0, OPTION_FLAG, PICTURE(negates), NULL,
	  "swap the hues and signs of a differential graph" },
	{ "bgcolors", 0, OPTION_TEXT, PICTURE(backdrop), "COLOR",
	  "background: yellow, blue, green, grey, white or #rrggbb (default: depends on the "
	  "palette)" },
	{ "fonttype", 0, OPTION_TEXT, PICTURE(font_type), "FONT", "font (default: Verdana)" },
	{ "fontsize", 0, OPTION_REAL, PICTURE(font_size), "N", "font size (default: 12)" },
	{ "fontwidth", 0, OPTION_REAL, PICTURE(font_width), "N",
	  "average width of a character as a share of the font size (default: 0.59)" },
	{ "countname", 0, OPTION_TEXT, PICTURE(count_name), "TEXT",
	  "unit of the counts (default: samples)" },
	{ "nametype", 0, OPTION_TEXT, PICTURE(name_type), "TEXT",
	  "label for names (default: Function:)" },
	{ "nameattr", 0, OPTION_FILE, PICTURE(attributes_path), "FILE",
	  "read titles, links and classes of functions from FILE; each line is NAME TAB KEY=VALUE "
	  "[TAB KEY=VALUE...]" },
	{ "factor", 0, OPTION_REAL, PICTURE(factor), "N", "multiply the counts shown by N" },
	{ "notes", 0, OPTION_TEXT, PICTURE(notes), "TEXT", "add TEXT to the file as a comment" },
	{ "encoding", 0, OPTION_TEXT, PICTURE(encoding), "NAME",
	  "accepted for compatibility with flamegraph.pl; must be UTF-8" },
};
const struct option_set picture_option_set = { "Picture", picture_options,
					       ARRAY_SIZE(picture_options) };

static const char *const formats[] = { "auto", "svg", "html", NULL };

static const struct option flame_format_options[] = {
	{ "format", 0, OPTION_CHOICE, PICTURE(format), "NAME",
	  "svg or html (default: auto, from FILE's extension)", formats },
	{ "compat", 0, OPTION_FLAG, offsetof(struct view_request, compat), NULL,
	  "draw what flamegraph.pl draws from folded stacks, bugs included" },
};
const struct option_set flame_format_option_set = { NULL, flame_format_options,
						    ARRAY_SIZE(flame_format_options) };

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
	{ "total", 0, OPTION_TEXT, PICTURE(total_text), "N",
	  "count that the full width represents (default: the sum of all counts)" },
};
const struct option_set flame_option_set = { NULL, flame_options, ARRAY_SIZE(flame_options) };

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

static bool min_width_parse(struct picture_setup *s, const char *text, struct err *e)
{
	struct str number = str_from(text);
	bool is_percent = str_ends(number, STR("%"));
	char *end;
	double value = strtod(text, &end);
	if (!(is_digit(text[0]) || text[0] == '.') || !(value >= 0 && value <= 1e9) ||
	    end != text + number.n - is_percent)
		return err_usage(
			e, "--minwidth %s: must be pixels such as 0.1, or a share such as 0.5%%",
			text);
	s->min_px = is_percent ? 0 : value;
	s->min_percent = is_percent ? value : 0;
	return true;
}

static bool check_sizes(const struct picture_options *o, struct err *e)
{
	if (!(o->font_size >= 1 && o->font_size <= MAX_FONT_SIZE))
		return err_usage(e, "--fontsize %g: must be from 1 to %d", o->font_size,
				 MAX_FONT_SIZE);
	if (!(o->font_width >= 0.01 && o->font_width <= 10))
		return err_usage(e, "--fontwidth %g: must be from 0.01 to 10", o->font_width);
	if (!(o->factor > 0 && o->factor <= 1e15))
		return err_usage(e, "--factor %g: must be greater than 0", o->factor);
	return true;
}

static bool check_texts(const struct picture_options *o, struct err *e)
{
	const char *encoding = o->encoding;
	if (encoding && strcasecmp(encoding, "utf-8") != 0 && strcasecmp(encoding, "utf8") != 0)
		return err_usage(e, "--encoding %s: must be UTF-8", encoding);
	static const char in_fonts[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789 ,.-_";
	if (!*o->font_type || o->font_type[strspn(o->font_type, in_fonts)])
		return err_usage(e, "--fonttype: must contain only letters, digits, spaces, "
				    "commas, dots, hyphens and underscores");
	if (o->notes && strpbrk(o->notes, "<>"))
		return err_usage(e, "--notes: must not contain < or >");
	return true;
}

bool picture_setup_init(struct picture_setup *s, const struct picture_options *o,
			enum palette palette, const char *title, struct err *e)
{
	uint64_t width = DEFAULT_WIDTH, height;
	*s = (struct picture_setup){ 0 };
	if ((o->width && !pixels_parse("width", o->width, MIN_WIDTH, MAX_WIDTH, &width, e)) ||
	    !pixels_parse("height", o->height, 2, MAX_FRAME_HEIGHT, &height, e) ||
	    !min_width_parse(s, o->min_width, e) || !check_sizes(o, e) || !check_texts(o, e) ||
	    !backdrop_parse(o->backdrop, palette, &s->style.backdrop, e))
		return false;
	struct backdrop backdrop = s->style.backdrop;
	s->style = (struct picture_style){
		.title = o->title && *o->title ? o->title : title,
		.subtitle = o->subtitle && *o->subtitle ? o->subtitle : NULL,
		.notes = o->notes,
		.count_name = o->count_name,
		.name_type = o->name_type,
		.font_type = o->font_type,
		.font_size = o->font_size,
		.font_width = o->font_width,
		.frame_height = (double)height,
		.width = (uint32_t)width,
		.is_fluid = !o->width,
		.is_inverted = o->is_inverted,
		.factor = o->factor,
		.backdrop = backdrop,
	};
	return true;
}

double picture_min_value(const struct picture_setup *s, const struct tree *t, uint64_t total)
{
	double unit = (double)tree_unit(t);
	double whole = (double)total / unit;
	double px_per_value = (s->style.width - 2.0 * PICTURE_SIDE_PAD) / whole;
	double least = s->min_px ? s->min_px / px_per_value : whole * s->min_percent / 100;
	return least * unit;
}

/* A little less than what min_value will be: the query only saves work. */
static double min_share_of(const struct picture_setup *s)
{
	double share = s->min_px ? s->min_px / (s->style.width - 2.0 * PICTURE_SIDE_PAD)
				 : s->min_percent / 100;
	return share * 0.999;
}

static bool total_parse(struct picture_options *o, struct err *e)
{
	const char *text = o->total_text;
	char *end;
	if (!text)
		return true;
	o->total = strtod(text, &end);
	if ((is_digit(text[0]) || text[0] == '.') && !*end && o->total >= 0 && o->total < 1e18)
		return true;
	return err_usage(e, "--total %s: must be a number", text);
}

bool picture_options_settle(struct picture_options *o, enum palette palette, struct err *e)
{
	struct picture_setup setup;
	if (!picture_setup_init(&setup, o, palette, "", e) || !total_parse(o, e))
		return false;
	o->min_share = min_share_of(&setup);
	return true;
}
