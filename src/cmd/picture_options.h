/*
 * What flame and diff have in common: how a picture looks, where it goes, what its ledger line
 * says.
 */
#pragma once
#include "cmd/profile_options.h"
#include "sink/sink.h"

/* flamegraph.pl's options, with its names. Fill with picture_options_defaults before parsing. */
struct picture_options {
	const char *title, *subtitle, *notes, *encoding;
	const char *width, *height;
	const char *min_width; /* px, or with a '%' of the whole */
	const char *font_type;
	double font_size, font_width;
	const char *count_name, *name_type;
	const char *attributes_path;
	const char *backdrop;
	double factor;
	bool is_inverted, negates;
};
extern const struct option_set picture_option_set;

void picture_options_defaults(struct picture_options *o);

/* Everything a picture is drawn from that comes from options, not from the profile. */
struct picture_setup {
	struct picture_style style;
	double min_px, min_percent; /* one of them is 0 */
	struct buf attributes_text;
	struct name_attributes *attributes;
};

/* False and e when an option has no meaning. title: what to use when none was given. */
bool picture_setup_init(struct picture_setup *s, const struct picture_options *o,
			enum palette palette, const char *title, struct err *e);
void picture_setup_fini(struct picture_setup *s);
/* The narrowest value that is drawn, where the whole width stands for total. */
double picture_min_value(const struct picture_setup *s, const struct tree *t, uint64_t total);

/* A share of the total below which nothing is drawn, for struct query: a little less than that. */
double picture_min_share(const struct picture_setup *s);

/* What the picture is made of, in one line. */
void picture_ledger(const struct profile *p, const struct query_ledger *l, const struct tree *t,
		    const struct layout *layout, struct buf *out);
/* The parts of it that say what is not in the picture, each after a dot. */
void picture_ledger_missing(const struct profile *p, const struct query_ledger *l, struct buf *out);
/* ` . 12 text`; nothing for 0. */
void picture_ledger_part(uint64_t count, const char *text, struct buf *out);
/* "samples", or what else the values count. */
const char *picture_count_name(const struct profile *p, const struct query_ledger *l,
			       struct buf *scratch);

/* A small file as a whole, up to 64 MB. */
bool read_text_file(const char *path, struct buf *out, struct err *e);

/* --- where output goes --- */

/*
 * Where a picture goes: to `asked`; to standard output when that is not a terminal; else to a new
 * file named after the first input, or `otherwise` when there is none. is_named: plume chose it,
 * and the path must be printed.
 */
struct picture_path {
	char *path;
	bool is_named;
};
struct picture_path picture_path_new(const char *asked, const struct text_list *files,
				     const char *otherwise, const char *ending);
void picture_path_fini(struct picture_path *p);
