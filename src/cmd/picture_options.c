#include "cmd/picture_options.h"

#include <unistd.h>

#define PICTURE(field) offsetof(struct picture_options, field)

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

enum {
	DEFAULT_WIDTH = 1200,
	MIN_WIDTH = 40,
	MAX_WIDTH = 1000000,
	MAX_FRAME_HEIGHT = 1000,
	MAX_FONT_SIZE = 1000,
};

void picture_options_defaults(struct picture_options *o)
{
	*o = (struct picture_options){
		.height = "16",
		.min_width = "0.1",
		.font_type = "Verdana",
		.font_size = 12,
		.font_width = 0.59,
		.name_type = "Function:",
		.factor = 1,
	};
}

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

bool read_text_file(const char *path, struct buf *out, struct err *e)
{
	enum { MAX_BYTES = 64 << 20 };
	struct reader *r = reader_open(path, e);
	if (!r)
		return false;
	while (!reader_is_whole(r) && reader_window(r).n <= MAX_BYTES && reader_fill(r)) {
	}
	bool ok = reader_window(r).n <= MAX_BYTES;
	if (ok)
		buf_add(out, reader_window(r));
	else
		err_set(e, "%s: larger than 64 MB", path);
	reader_free(r);
	return ok;
}

static bool read_attributes(struct picture_setup *s, const char *path, struct err *e)
{
	if (!path)
		return true;
	if (!read_text_file(path, &s->attributes_text, e))
		return false;
	s->attributes = name_attributes_parse(buf_str(&s->attributes_text), path, e);
	return s->attributes != NULL;
}

bool picture_setup_init(struct picture_setup *s, const struct picture_options *o,
			enum palette palette, const char *title, struct err *e)
{
	uint64_t width = DEFAULT_WIDTH, height;
	*s = (struct picture_setup){ 0 };
	if ((o->width && !pixels_parse("width", o->width, MIN_WIDTH, MAX_WIDTH, &width, e)) ||
	    !pixels_parse("height", o->height, 2, MAX_FRAME_HEIGHT, &height, e) ||
	    !min_width_parse(s, o->min_width, e) || !check_sizes(o, e) || !check_texts(o, e) ||
	    !backdrop_parse(o->backdrop, palette, &s->style.backdrop, e) ||
	    !read_attributes(s, o->attributes_path, e))
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

void picture_setup_fini(struct picture_setup *s)
{
	buf_fini(&s->attributes_text);
	name_attributes_free(s->attributes);
}

double picture_min_value(const struct picture_setup *s, const struct tree *t, uint64_t total)
{
	double unit = (double)tree_unit(t);
	double whole = (double)total / unit;
	double px_per_value = (s->style.width - 2.0 * PICTURE_SIDE_PAD) / whole;
	double least = s->min_px ? s->min_px / px_per_value : whole * s->min_percent / 100;
	return least * unit;
}

double picture_min_share(const struct picture_setup *s)
{
	double share = s->min_px ? s->min_px / (s->style.width - 2.0 * PICTURE_SIDE_PAD)
				 : s->min_percent / 100;
	return share * 0.999;
}

/* --- where output goes --- */

static struct str stem_of(const char *path)
{
	static const char *const endings[] = { ".gz",	".zst",	   ".txt",   ".perf",
					       ".data", ".folded", ".script" };
	struct str stem = str_basename(str_from(path));
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		if (str_ends(stem, str_from(endings[i])) && stem.n > strlen(endings[i])) {
			stem.n -= strlen(endings[i]);
			i = (size_t)-1; /* x.perf.gz has two */
		}
	return stem;
}

struct picture_path picture_path_new(const char *asked, const struct text_list *files,
				     const char *otherwise, const char *ending)
{
	if (asked || !isatty(STDOUT_FILENO))
		return (struct picture_path){ mem_strdup(asked ? asked : "-"), false };
	AUTO(buf) struct buf path = { 0 };
	bool has_name = files->n && strcmp(files->p[0], "-") != 0;
	struct str stem = has_name ? stem_of(files->p[0]) : str_from(otherwise);
	for (unsigned i = 1; i < 1000; i++) {
		path.n = 0;
		buf_add(&path, stem);
		if (i > 1)
			buf_addf(&path, "-%u", i);
		buf_add(&path, str_from(ending));
		if (access(buf_c_string(&path), F_OK) != 0)
			break;
	}
	return (struct picture_path){ mem_strdup(buf_c_string(&path)), true };
}

void picture_path_fini(struct picture_path *p)
{
	free(p->path);
}
