/*
 * What a reader asks for, and what comes out: a sealed profile and a request become folded stacks, a
 * picture, a report, another tool's file or a comparison, with the sentences that belong to it.
 *
 *	struct view_request r;
 *	view_request_init(&r, VIEW_REPORT);
 *	... fill it ...
 *	if (view_request_settle(&r, &e) && (v = view_new(&input, &r, &notes, &e)))
 *		view_write(v, out, &notes);
 *
 * All option sets below are bound to a struct view_request. plume's commands fill it by
 * options_parse, `plume record` fills its fields. A server takes the name=value pairs of a URL:
 *
 *	const struct option_binding b[] = { { &report_option_set, &r }, { &filter_option_set, &r } };
 *	ok = options_set(b, ARRAY_SIZE(b), name, value, &e);
 *
 * Nothing here prints, exits, looks at a terminal or opens a file. What a view has to say is in
 * struct view_notes. Of files that options name, the caller reads those it trusts and hands over what
 * they hold: attributes and kept of struct picture_options. The others have no effect.
 */
#pragma once
#include "query/query.h"
#include "sink/sink.h"
#include "view/hot_functions.h"

enum view_kind {
	VIEW_FOLDED,
	VIEW_PICTURE,
	VIEW_REPORT,
	VIEW_PROFILE, /* another tool's file, or a .plume */
	VIEW_DIFF,    /* of two profiles: view_diff_new */
};

enum picture_format { PICTURE_BY_NAME, PICTURE_SVG, PICTURE_HTML };

/* flamegraph.pl's options, with its names. */
struct picture_options {
	struct picture_style style; /* no title, no name of counts: the view chooses them */
	const char *encoding, *width, *height;
	const char *min_width;	    /* px, or with a '%' of the whole */
	double min_px, min_percent; /* the same as a number; one of them is 0 */
	const char *attributes_path, *backdrop;
	bool negates;

	/* Of one profile only: */
	unsigned format;  /* enum picture_format; BY_NAME is SVG */
	unsigned palette; /* enum palette */
	bool by_hash, by_chance, keeps_palette, is_chart;
	double total; /* the value of the whole width; 0: the sum */

	/* What the caller read, or NULL; it goes on belonging to the caller. */
	const struct name_attributes *attributes; /* of attributes_path */
	struct palette_map *kept; /* of keeps_palette; colours of this picture are added to it */
};

enum { REPORT_MIN_WIDTH = 60, REPORT_MAX_WIDTH = 10000 };

struct report_options {
	const char *callers, *callees;
	const char *width_text, *limit_text;
	uint32_t lines, limit;
	unsigned order; /* enum report_order */
	unsigned by;	/* enum report_key; GROUP_KEYS: not asked for */
	bool is_json;
	bool has_lines, has_limit; /* they were given */
	struct report_style style; /* of the screen; plain text without it */
};

enum diff_format { DIFF_BY_NAME, DIFF_SVG, DIFF_HTML, DIFF_FOLDED, DIFF_TABLE, DIFF_JSON };

struct diff_options {
	unsigned
		format; /* enum diff_format; stacks are named as in folded text where it is FOLDED */
	unsigned width_by; /* enum diff_width */
	unsigned delta;	   /* 0: self, 1: total */
	unsigned scale_by; /* enum diff_scale */
	uint32_t limit;
	bool is_absolute, normalizes, is_json;
	const char *fail_above; /* percent; NULL: nothing fails */
	double fail_percent;	/* the same as a number; below 0: nothing fails */
	struct text_list times; /* one for both sides, or one for each */
};

/* What is written into names, as given. */
struct name_options {
	bool all;     /* mark_kernel and mark_jit */
	bool inlines; /* shown also without a word */
	bool shows_lines, shows_context;
};

struct view_request {
	enum view_kind kind;
	struct query query;
	struct name_options names;
	bool compat;			/* what FlameGraph's scripts give, bugs included */
	struct picture_options picture; /* VIEW_PICTURE, VIEW_DIFF */
	struct report_options report;
	struct diff_options diff;
	const struct profile_format *format; /* VIEW_PROFILE */
	struct profile_format_options format_options;
};

/* Of all views; --time not of a diff, which has its own. */
extern const struct option_set name_option_set;
extern const struct option_set frame_option_set; /* without a title: inlined functions and lines */
extern const struct option_set filter_option_set;
extern const struct option_set time_option_set; /* goes on with filters */
extern const struct option_set transform_option_set;
/* Of pictures and diffs; of pictures alone. */
extern const struct option_set picture_option_set;
extern const struct option_set flame_format_option_set; /* without a title */
extern const struct option_set flame_option_set;	/* goes on with picture_option_set */
extern const struct option_set report_option_set;
extern const struct option_set diff_format_option_set; /* without a title */
extern const struct option_set diff_option_set;
extern const struct option_set format_option_set; /* VIEW_PROFILE; without a title */

void view_request_init(struct view_request *r, enum view_kind kind);
void view_request_fini(struct view_request *r);
/* All options are set: checks them, and works out what follows from them. */
bool view_request_settle(struct view_request *r, struct err *e);
/* Of a request that is settled: the columns (enum profile_column) that the profile must have. */
unsigned view_columns(const struct view_request *r);
/* ... and whether frames must have lines; else a profile goes through profile_without_lines. */
bool view_wants_lines(const struct view_request *r);

/* `1,234`, `samples shown`; or `event`, `cycles`. */
struct ledger_row {
	struct str key, text;
};

/* What a view says beside its bytes. Text may come from the profile: whoever shows it makes it safe. */
struct view_notes {
	struct text_list warnings;     /* sentences, in the order they should be read */
	VEC(struct ledger_row) ledger; /* what became of every sample */
	bool is_damaged;	       /* the input was damaged or incomplete */
	struct arena text;
};
void view_notes_fini(struct view_notes *n);

struct view_input {
	struct profile *profile; /* sealed; the caller's, and outlives the view */
	const char
		*file; /* to be named in sentences; NULL: several, or none that can be read again */
};

/*
 * Adds up what r asks of the profile. NULL and e when r is wrong for it, or when nothing is left to
 * show; e says why. Both arguments must outlive the view.
 */
struct view;
struct view *view_new(const struct view_input *in, const struct view_request *r,
		      struct view_notes *notes, struct err *e);
void view_free(struct view *v);
/* Once. Errors surface in writer_commit. */
void view_write(struct view *v, struct writer *out, struct view_notes *notes);

/* What became of all samples of a profile, without a view of it. */
void view_account(const struct view_input *in, struct view_notes *notes);

/*
 * BEFORE and AFTER, selected and paired. Without a profile for AFTER, both are in that of BEFORE: as
 * two counts of each line, or as two times. notes has no ledger: each side has its own.
 */
struct view_diff;
struct view_diff *view_diff_new(const struct view_input *sides, const struct view_request *r,
				struct view_notes *notes, struct err *e);
void view_diff_free(struct view_diff *d);
/* False and e when this cannot be drawn. style: for the table. */
bool view_diff_write(struct view_diff *d, enum diff_format format, const struct report_style *style,
		     struct writer *out, struct err *e);
/* The ledger of a side that has a profile of its own, and whether it is damaged. */
void view_diff_account(const struct view_diff *d, unsigned side, struct view_notes *notes);
/* True when a function grew by more than --fail-above; notes name them. */
bool view_diff_has_grown(const struct view_diff *d, struct view_notes *notes);
