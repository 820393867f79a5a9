/*
 * Colours of frames. FlameGraph's palettes reproduce flamegraph.pl exactly under the same names;
 * `kind` and `tier` show what the profile knows.
 */
#pragma once
#include "model/model.h"

enum palette {
	PALETTE_AUTO, /* kind if the profile knows kinds, otherwise hot */
	PALETTE_KIND,
	PALETTE_TIER,
	PALETTE_HOT,
	PALETTE_MEM,
	PALETTE_IO,
	PALETTE_WAKEUP,
	PALETTE_CHAIN,
	PALETTE_JAVA,
	PALETTE_JS,
	PALETTE_PERL,
	PALETTE_PYTHON,
	PALETTE_RUST,
	PALETTE_RED,
	PALETTE_GREEN,
	PALETTE_BLUE,
	PALETTE_AQUA,
	PALETTE_YELLOW,
	PALETTE_PURPLE,
	PALETTE_ORANGE,
	PALETTE_COUNT
};
/* By enum palette; NULL-terminated. */
extern const char *const palette_names[];

/* What determines a frame's shade within its palette. */
enum shade_by { SHADE_BY_NAME, SHADE_BY_HASH, SHADE_BY_CHANCE };

struct colour {
	uint8_t r, g, b;
};

struct painter {
	enum palette palette;
	enum shade_by shade_by;
	bool by_marks_only; /* use the marks in names (_[k]), not what the profile knows */
	uint64_t chance;    /* state of SHADE_BY_CHANCE */
};

/* Like flamegraph.pl, paints the root as a frame without a name. */
struct colour paint_label(struct painter *p, const struct tree_label *label, bool is_root);
/* True if black text on it would be hard to read. */
bool colour_is_dark(struct colour c);

/* Grey for frames named "--" and "-", which separate parts of a stack. Returns false for other names. */
bool paint_separator(struct str name, struct colour *c);

/* The old differential colours: red above 0, blue below, white for 0, scaled by the largest change. */
struct colour paint_delta(double delta, double largest);
/* Orange for growth, blue for shrinking, grey for no change; strength is from 0 to 1. */
struct colour paint_change(double strength, bool is_growth);
struct colour paint_no_change(void);

/* What colours mean, for a legend; empty for palettes without a meaning. */
struct legend_entry {
	const char *text;
	struct colour colour;
	struct colour outline; /* black if there is none */
};
struct legend {
	VEC(struct legend_entry) entries;
};
/* Covers only the labels for which is_shown, indexed by label, is true. */
void legend_of_labels(struct legend *l, const struct painter *p, const struct tree *t,
		      const bool *is_shown);
void legend_fini(struct legend *l);

/* A picture's background: the two ends of a gradient. */
struct backdrop {
	struct colour top, bottom;
};
/* `yellow`, `blue`, `green`, `grey` or `#rrggbb`; NULL: the palette's own. */
bool backdrop_parse(const char *text, enum palette palette, struct backdrop *b, struct err *e);
