/* Two profiles as one tree: what changed, and whether the change is more than sampling noise. */
#pragma once
#include "query/layout.h"
#include "query/palette.h"

/*
 * The tree of both, with two values: before and after. Labels are matched by name and kind; a
 * function that only one side has is there with 0 on the other.
 */
struct tree *tree_pair(const struct tree *before, const struct tree *after);

enum { BEFORE, AFTER, SIDES };

/* What BEFORE is multiplied by, so that the sides can be compared. */
enum diff_scale {
	SCALE_BY_REST, /* so that what did not change is equal, where that is clear; else by total */
	SCALE_BY_TOTAL, /* so that the totals are equal: shares are compared */
	SCALE_NONE,	/* counts are compared as they are */
};

struct comparison {
	enum diff_scale scaled_by; /* BY_REST only when the rest was found */
	bool by_self; /* a frame is judged by its own value, not by that of all on it */
	uint64_t total[SIDES];
	double samples[SIDES]; /* how many samples stand behind the totals */
	double scale;	       /* of BEFORE's values */
	double rest[SIDES];    /* BY_REST: the share of each side that did not change */
};

/*
 * Sets scale and scaled_by. Shares add up to 1, so when one function grows the shares of all others
 * shrink, and those of its callers stay; the reader wants to see the one function and its callers.
 * So look for a factor at which most of the program, function by function, did not change.
 */
void comparison_set_scale(struct comparison *c, const struct tree *pair, enum diff_scale by);

/* AFTER minus the scaled BEFORE: in values, and in percent of AFTER's total. */
double comparison_change(const struct comparison *c, uint64_t before, uint64_t after);
double comparison_points(const struct comparison *c, uint64_t before, uint64_t after);
/*
 * True when two samplings of the same thing would differ as much in one case of twenty or more, by
 * the binomial distribution.
 */
bool comparison_is_noise(const struct comparison *c, uint64_t before, uint64_t after);
/*
 * How many standard errors a change of so many percent of AFTER would be, of a function that has
 * these values on both sides together. 0 where continuity correction leaves nothing.
 */
double comparison_deviation(const struct comparison *c, uint64_t before, uint64_t after,
			    double points);

/* The value of a node that it is judged by. */
static inline uint64_t comparison_value(const struct comparison *c, const struct tree *t,
					unsigned side, uint32_t node)
{
	return c->by_self ? t->self[side][node] : t->total[side][node];
}

/* What the widths of a differential picture are made of. */
enum diff_width { WIDTH_UNION, WIDTH_AFTER, WIDTH_BEFORE };

/*
 * Columns by node for layout_query. Union: the larger side of each stack, with BEFORE scaled, so
 * that what vanished is seen. They are in units of their own, finer than the tree's, as a scaled
 * count is not a whole number.
 */
struct diff_widths {
	uint64_t *self, *total;
	uint32_t absent; /* nodes without a width, as only the other side has them */
};
struct diff_widths diff_widths_of(const struct tree *pair, const struct comparison *c,
				  enum diff_width by);
void diff_widths_fini(struct diff_widths *w);

/*
 * The colour of each box: grey where nothing changed beyond noise, else stronger the larger the
 * change is against the largest one. To be freed.
 */
struct colour *diff_colours(const struct tree *pair, const struct comparison *c,
			    const struct layout *l, bool negates);
/*
 * Where frames are judged by their own value: the outline of boxes that did not change themselves, but with what
 * they call, when a box on them has a colour of the same direction; black: none. Else NULL. To be freed.
 */
struct colour *diff_outlines(const struct tree *pair, const struct comparison *c,
			     const struct layout *l, bool negates);
void legend_of_diff(struct legend *l, const struct comparison *c);

/* What each function took, on all sides; recursion counts once. */
struct function {
	uint32_t label;
	uint64_t self[TREE_MAX_VALUES], total[TREE_MAX_VALUES];
};
struct functions {
	VEC(struct function) rows; /* by label; those that no node has are left out */
};
void functions_of_tree(const struct tree *t, struct functions *out);
void functions_fini(struct functions *f);

/* Functions whose own time grew, in one or two views of the same samples. */
struct grown {
	const struct tree_label *label; /* of the view's tree */
	double points;			/* percent of AFTER */
	unsigned view;
};
struct grown_list {
	VEC(struct grown) rows; /* what grew most first; a function once */
};
struct grown_view {
	const struct tree *pair;
	const struct comparison *comparison;
};
/*
 * What grew by more than `percent` of AFTER, and more than chance explains. Of many functions some
 * would grow so much by chance, so this is stricter than comparison_is_noise: where nothing changed,
 * at most one comparison in twenty finds anything, however many functions there are.
 */
void grown_find(const struct grown_view *views, unsigned n, double percent, struct grown_list *out);
void grown_list_fini(struct grown_list *l);
