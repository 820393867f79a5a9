/* All that is needed to draw a flame graph: everything has been decided; what remains is formatting. */
#pragma once
#include "query/query.h"
#include "sink/name_attributes.h"

struct picture_style {
	const char *title, *subtitle; /* subtitle may be NULL */
	const char *notes;	      /* a comment in the file; NULL if none */
	const char *count_name, *name_type;
	const char *font_type; /* letters, digits, blanks and commas only, as it goes into CSS */
	double font_size;
	double font_width;   /* of an average character, relative to font_size */
	double frame_height; /* px */
	uint32_t width;	     /* px; the width of the window if is_fluid */
	bool is_fluid;
	bool is_inverted; /* root at the top */
	double factor;	  /* displayed counts are values times this */
	struct backdrop backdrop;
};

/* px, as in flamegraph.pl, so that frames are in the same places. */
enum { PICTURE_SIDE_PAD = 10, PICTURE_FRAME_GAP = 1, PICTURE_LEGEND_ROW = 20 };

struct picture {
	const struct tree *tree;
	const struct layout *layout;
	const struct picture_style *style;
	uint64_t total;		      /* the value of the full width */
	double min_value;	      /* narrower frames were left out */
	double count_ns;	      /* what a count stands for; 0: not a duration, or not known */
	const struct colour *colours; /* by box */
	const struct colour *outlines; /* by box, black if none; may be NULL */
	const struct legend *legend;
	struct str ledger;			  /* one line: what the picture is made of */
	const struct name_attributes *attributes; /* may be NULL */
	const struct comparison *comparison;	  /* for a diff, otherwise NULL */
	bool shows_own_delta;			  /* titles show the frame's self change */
	bool negates;				  /* ... with the sign reversed */
	bool cuts_names; /* names are cut at the end, as in flamegraph.pl */
};

/* writer_commit reports errors. */
void sink_svg(const struct picture *p, struct writer *out);
