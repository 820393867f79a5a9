/* Labels of frames for where no script measures the font: as the viewer shortens them, by usual widths of characters. */
#include "sink/svg_int.h"

/* Of U+0020 to U+007E in Verdana or DejaVu Sans, whichever is wider, in 1/1000 of the font size. */
static const uint16_t ascii_widths[] = {
	352,  401, 460, 838, 636, 1076, 780, 275, 454, 454, 636, 838, 364, 454, 364, 454,
	636,  636, 636, 636, 636, 636,	636, 636, 636, 636, 454, 454, 838, 838, 838, 545,
	1000, 684, 686, 698, 771, 632,	575, 775, 752, 421, 455, 693, 557, 863, 748, 787,
	603,  787, 695, 684, 616, 732,	684, 989, 685, 615, 685, 454, 454, 454, 838, 636,
	636,  613, 635, 550, 635, 615,	352, 635, 634, 278, 344, 592, 278, 974, 634, 612,
	635,  635, 427, 521, 394, 634,	592, 818, 592, 592, 525, 636, 454, 636, 838,
};
_Static_assert(ARRAY_SIZE(ascii_widths) == 95, "one for each character");

enum { NARROW = 680, WIDE = 1000 }; /* Latin, Greek and Cyrillic letters; all others */

static unsigned width_of(uint32_t code)
{
	if (code >= 0x20 && code < 0x7f)
		return ascii_widths[code - 0x20];
	return code < 0x600 ? NARROW : WIDE;
}

/* Whether the text has room, 1/1000 of the font size. */
static bool has_room(struct str text, double room)
{
	double width = 0;
	for (size_t at = 0; at < text.n && width <= room;)
		width += width_of(utf8_next(text, &at));
	return width <= room;
}

/* The longest form that has room: it has `fits` characters or less, and one of `over` is too wide. */
static void add_longest(struct buf *out, struct str name, size_t over, double room)
{
	enum { LEAST = 3 };
	AUTO(buf) struct buf text = { 0 };
	size_t fits = LEAST - 1;
	size_t start = out->n;
	while (over - fits > 1) {
		size_t chars = fits + (over - fits) / 2;
		text.n = 0;
		fit_add_name(&text, name, chars, true);
		if (!has_room(buf_str(&text), room)) {
			over = chars;
			continue;
		}
		fits = chars;
		out->n = start;
		buf_add(out, buf_str(&text));
	}
}

void svg_fit_label(struct buf *out, const struct tree_label *label,
		   const struct picture_style *style, double room_px)
{
	static const double usual_font_width = 0.59; /* what the widths stand for */
	enum { INSET = 3, MOST_CHARS = 1200 };
	AUTO(buf) struct buf brief = { 0 };
	double room = (room_px - 2 * INSET) / style->font_size * 1000 * usual_font_width /
		      style->font_width;
	if (room_px - 2 * INSET < style->font_size)
		return;
	label_add_brief(&brief, label);
	struct str name = buf_str(&brief);
	if (has_room(name, room)) {
		fit_add_safe(out, name);
		return;
	}
	size_t chars = utf8_count(name);
	add_longest(out, name, chars < MOST_CHARS ? chars : MOST_CHARS, room);
}
