#pragma once
#include "sink/sink.h"
#include "sink/xml.h"

/* px, all within a picture. */
struct measures {
	double width, height;
	double top;	   /* above the frames */
	double rows;	   /* the frames themselves */
	double details;	   /* below them, for details of the frame under the pointer */
	double legend;	   /* below that */
	double frames_end; /* top, rows and details: where flamegraph.pl's picture ends */
	double unit;	   /* values per count */
	double px_per_value;
};

struct frames {
	const struct picture *p;
	struct measures m;
	double y1, y2;	   /* of the current frame */
	uint32_t *name_of; /* of the model, by label: its index among the names */
};

double svg_x(const struct measures *m, uint64_t value);

/* AFTER minus BEFORE of the node's self value. */
static inline double svg_own_delta(const struct tree *t, uint32_t node)
{
	return (double)t->self[1][node] - (double)t->self[0][node];
}

/* svg_diff.c: `name (before 12 samples, 1.20%; after ...)`. */
void svg_add_diff_title(struct buf *out, const struct frames *f, const struct box *b);

/* svg_label.c: the name as drawn in `room_px`; empty if three characters do not fit. */
void svg_fit_label(struct buf *out, const struct tree_label *label,
		   const struct picture_style *style, double room_px);

/* svg_model.c: the numbers behind the frames, for the script. */
void svg_add_model(struct buf *out, struct frames *f);

/* Built from web/flame. */
extern const struct str svg_css, svg_script;
