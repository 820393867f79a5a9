/* Two profiles as one tree: what changed, and whether the change exceeds sampling noise. */
#pragma once
#include "query/layout.h"
#include "query/palette.h"

/*
 * The tree of both, with two values: before and after. Labels are matched by name and kind; a
 * function that only one side has is 0 on the other.
 */
struct tree *tree_pair(const struct tree *before, const struct tree *after);

enum { BEFORE, AFTER, SIDES };

/* How BEFORE is scaled so that the sides can be compared. */
enum diff_scale {
	SCALE_BY_REST,	/* unchanged code gets equal values, if it can be found; else as BY_TOTAL */
	SCALE_BY_TOTAL, /* totals become equal: shares are compared */
	SCALE_NONE,	/* counts are compared as they are */
};

struct comparison {
	enum diff_scale scaled_by; /* BY_REST only if the unchanged part was found */
	bool by_self;		   /* judge a frame by its self value, not by its total */
	uint64_t total[SIDES];
	double samples[SIDES]; /* how many samples the totals come from */
	double scale;	       /* of BEFORE's values */
	double rest[SIDES];    /* BY_REST: the unchanged share of each side */
};

/*
 * Sets scale and scaled_by. Shares add up to 1, so if one function grows the shares of all others
 * shrink, while those of its callers stay; the reader wants to see that function and its callers.
 * So look for a factor at which most of the program, function by function, is unchanged.
 */
void comparison_set_scale(struct comparison *c, const struct tree *pair, enum diff_scale by);

/* AFTER minus scaled BEFORE: in values, and in percent of AFTER's total. */
double comparison_change(const struct comparison *c, uint64_t before, uint64_t after);
double comparison_points(const struct comparison *c, uint64_t before, uint64_t after);
/*
 * True if two samplings of the same thing would differ by as much at least one time in twenty, by
 * the binomial distribution.
 */
bool comparison_is_noise(const struct comparison *c, uint64_t before, uint64_t after);
/*
 * How many standard errors a change of `points` percent of AFTER is, for a function with these
 * values on both sides together. 0 if the continuity correction leaves nothing.
 */
double comparison_deviation(const struct comparison *c, uint64_t before, uint64_t after,
			    double points);

/* The value that a node is judged by. */
static inline uint64_t comparison_value(const struct comparison *c, const struct tree *t,
					unsigned side, uint32_t node)
{
	return c->by_self ? t->self[side][node] : t->total[side][node];
}

/* What determines the widths in a differential picture. */
enum diff_width { WIDTH_UNION, WIDTH_AFTER, WIDTH_BEFORE };

/*
 * Columns by node for layout_query. Union: the larger side of each stack, with BEFORE scaled, so
 * that stacks that disappeared are visible. They have their own units, finer than the tree's,
 * because a scaled count is not a whole number.
 */
struct diff_widths {
	uint64_t *self, *total;
	uint32_t absent; /* nodes without a width because only the other side has them */
};
struct diff_widths diff_widths_of(const struct tree *pair, const struct comparison *c,
				  enum diff_width by);
void diff_widths_fini(struct diff_widths *w);

/*
 * The colour of each box: grey if the change is within noise, otherwise stronger the closer it is
 * to the largest change. The caller frees it.
 */
struct colour *diff_colours(const struct tree *pair, const struct comparison *c,
			    const struct layout *l, bool negates);
/*
 * If frames are judged by their self value: outlines for boxes that changed only through what they call, if a box on
 * top of them has a colour of the same direction; black: no outline. Otherwise NULL. The caller frees it.
 */
struct colour *diff_outlines(const struct tree *pair, const struct comparison *c,
			     const struct layout *l, bool negates);
void legend_of_diff(struct legend *l, const struct comparison *c);

/* The time of each function on both sides; recursion counts once. */
struct function {
	uint32_t label;
	uint64_t self[TREE_MAX_VALUES], total[TREE_MAX_VALUES];
};
struct functions {
	VEC(struct function) rows; /* by label; labels without a node are left out */
};
void functions_of_tree(const struct tree *t, struct functions *out);
void functions_fini(struct functions *f);

/* Functions whose self time grew, in one or two views of the same samples. */
struct grown {
	const struct tree_label *label; /* of the view's tree */
	double points;			/* percent of AFTER */
	unsigned view;
};
struct grown_list {
	VEC(struct grown) rows; /* largest growth first; each function once */
};
struct grown_view {
	const struct tree *pair;
	const struct comparison *comparison;
};
/*
 * Finds functions that grew by more than `percent` of AFTER and by more than chance explains. Among many functions
 * some grow that much by chance, so this is stricter than comparison_is_noise: if nothing changed, at most one
 * comparison in twenty finds anything, however many functions there are.
 */
void grown_find(const struct grown_view *views, unsigned n, double percent, struct grown_list *out);
void grown_list_fini(struct grown_list *l);
