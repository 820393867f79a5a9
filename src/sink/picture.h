/* What a flame graph is drawn from: everything is decided, only bytes are left to write. */
#pragma once
#include "query/query.h"
#include "sink/name_attributes.h"

struct picture_style {
	const char *title, *subtitle; /* subtitle may be NULL */
	const char *notes;	      /* a comment in the file; NULL: none */
	const char *count_name, *name_type;
	const char *font_type; /* letters, digits, blanks and commas only: it stands in CSS */
	double font_size;
	double font_width;   /* of a character on average, as a share of font_size */
	double frame_height; /* px */
	uint32_t width;	     /* px; the width of the window when is_fluid */
	bool is_fluid;
	bool is_inverted; /* root at the top */
	double factor;	  /* shown counts are values times this */
	struct backdrop backdrop;
};

/* px; flamegraph.pl's, so that frames stand where it puts them. */
enum { PICTURE_SIDE_PAD = 10, PICTURE_FRAME_GAP = 1, PICTURE_LEGEND_ROW = 20 };

struct picture {
	const struct tree *tree;
	const struct layout *layout;
	const struct picture_style *style;
	uint64_t total;	  /* the value of the whole width */
	double min_value; /* narrower frames were left out */
	double count_ns;  /* what a count stands for; 0: not a length of time, or not known */
	const struct colour *colours;  /* by box */
	const struct colour *outlines; /* by box, black for none; may be NULL */
	const struct legend *legend;
	struct str ledger;			  /* one line: what the picture is made of */
	const struct name_attributes *attributes; /* may be NULL */
	const struct comparison *comparison;	  /* of a diff, else NULL */
	bool shows_own_delta;			  /* titles have the frame's own change */
	bool negates;				  /* ... with the sign turned */
	bool cuts_names;			  /* names lose their end, as with flamegraph.pl */
};

/* Errors surface in writer_commit. */
void sink_svg(const struct picture *p, struct writer *out);
/* The SVG in a page. */
void sink_html(const struct picture *p, struct writer *out);
