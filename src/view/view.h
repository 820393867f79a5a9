/*
 * From a request to a view: a sealed profile and a request become folded stacks, a picture, a
 * report, another tool's file or a comparison, with messages for the user.
 *
 *	struct view_request r;
 *	view_request_init(&r, VIEW_REPORT);
 *	... fill it ...
 *	if (view_request_settle(&r, &e) && (v = view_new(&input, &r, &notes, &e)))
 *		view_write(v, out, &notes);
 *
 * All option sets below are bound to a struct view_request. plume's commands fill it with
 * options_parse; `plume record` fills its fields. A server uses the name=value pairs of a URL:
 *
 *	const struct option_binding b[] = { { &report_option_set, &r }, { &filter_option_set, &r } };
 *	ok = options_set(b, ARRAY_SIZE(b), name, value, &e);
 *
 * Nothing here prints, exits, looks at a terminal or opens a file. A view's messages are in struct
 * view_notes. The caller reads those files named by options that it trusts and passes their content
 * in attributes and kept of struct picture_options. The other files have no effect.
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

/* HTML is a page, which the caller writes. */
enum picture_format { PICTURE_BY_NAME, PICTURE_SVG, PICTURE_HTML };

/* flamegraph.pl's options, under its names. */
struct picture_options {
	struct picture_style style; /* no title and no count name: the view chooses them */
	const char *encoding, *width, *height;
	const char *min_width;	    /* px, or a percentage of the whole with '%' */
	double min_px, min_percent; /* the same as a number; one of the two is 0 */
	const char *attributes_path, *backdrop;
	bool negates;

	/* Only for views of one profile: */
	unsigned format;  /* enum picture_format; BY_NAME is SVG */
	unsigned palette; /* enum palette */
	bool by_hash, by_chance, keeps_palette, is_chart;
	double total; /* the value of the full width; 0: the sum */

	/* What the caller read, or NULL; the caller keeps it. */
	const struct name_attributes *attributes; /* of attributes_path */
	struct palette_map *kept; /* of keeps_palette; the colours of this picture are added */
};

enum { REPORT_MIN_WIDTH = 60, REPORT_MAX_WIDTH = 10000 };

struct report_options {
	const char *callers, *callees;
	const char *width_text, *limit_text;
	uint32_t lines, limit;
	unsigned order; /* enum report_order */
	unsigned by;	/* enum report_key; GROUP_KEYS if not requested */
	bool is_json;
	bool has_lines, has_limit; /* whether they were given */
	struct report_style style; /* of the screen; plain text by default */
};

/* HTML as above. */
enum diff_format { DIFF_BY_NAME, DIFF_SVG, DIFF_HTML, DIFF_FOLDED, DIFF_TABLE, DIFF_JSON };

struct diff_options {
	unsigned
		format; /* enum diff_format; stacks are named as in folded text when it is FOLDED */
	unsigned width_by; /* enum diff_width */
	unsigned delta;	   /* 0: self, 1: total */
	unsigned scale_by; /* enum diff_scale */
	uint32_t limit;
	bool is_absolute, normalizes, is_json;
	const char *fail_above; /* percent; NULL: never fail */
	double fail_percent;	/* the same as a number; below 0: never fail */
	struct text_list times; /* one for both sides, or one for each */
};

/* What is added to names, as given. */
struct name_options {
	bool all;     /* mark_kernel and mark_jit */
	bool inlines; /* shown by default */
	bool shows_lines, shows_context;
};

struct view_request {
	enum view_kind kind;
	struct query query;
	struct name_options names;
	unsigned preset;  /* index into presets; its words are added to the query */
	bool compat;	  /* like FlameGraph's scripts, bugs included */
	bool keeps_whole; /* the whole profile is written too, with all columns and lines */
	struct picture_options picture; /* VIEW_PICTURE, VIEW_DIFF */
	struct report_options report;
	struct diff_options diff;
	const struct profile_format *format; /* VIEW_PROFILE */
	struct profile_format_options format_options;
};

/* For all views; but a diff has its own --time. */
extern const struct option_set name_option_set;
extern const struct option_set frame_option_set; /* no title: inlined functions and lines */
extern const struct option_set filter_option_set;
extern const struct option_set time_option_set; /* continues with filters */
extern const struct option_set transform_option_set;
/* For pictures and diffs; for pictures only. */
extern const struct option_set picture_option_set;
extern const struct option_set flame_format_option_set; /* no title */
extern const struct option_set flame_option_set;	/* continues with picture_option_set */
extern const struct option_set report_option_set;
extern const struct option_set diff_format_option_set; /* no title */
extern const struct option_set diff_option_set;
extern const struct option_set format_option_set; /* VIEW_PROFILE; no title */

void view_request_init(struct view_request *r, enum view_kind kind);
void view_request_fini(struct view_request *r);
/* Call when all options are set: checks them and derives what follows from them. */
bool view_request_settle(struct view_request *r, struct err *e);
/* For a settled request: the columns (enum profile_column) that the profile must have. */
unsigned view_columns(const struct view_request *r);
/* ... and whether frames must have lines; otherwise use profile_without_lines. */
bool view_wants_lines(const struct view_request *r);
/*
 * The profile for this request's view: with keeps_whole, p may have lines that the view must
 * ignore. The caller unrefs the result.
 */
struct profile *view_profile(const struct view_request *r, struct profile *p);

/* `1,234`, `samples shown`; or `event`, `cycles`. */
struct ledger_row {
	struct str key, text;
};

/* What a view says besides its output. Text may come from the profile: whoever shows it must sanitize it. */
struct view_notes {
	struct text_list warnings;     /* sentences, in reading order */
	VEC(struct ledger_row) ledger; /* what happened to every sample */
	bool is_damaged;	       /* the input was damaged or incomplete */
	struct arena text;
};
void view_notes_fini(struct view_notes *n);

struct view_input {
	struct profile *profile; /* sealed; the caller keeps it, and it outlives the view */
	const char
		*file; /* for messages; NULL if there are several, or none that can be read again */
};

/*
 * Computes what r asks of the profile. Returns NULL and sets e if r does not suit the profile, or
 * if nothing is left to show. Both arguments must outlive the view.
 */
struct view;
struct view *view_new(const struct view_input *in, const struct view_request *r,
		      struct view_notes *notes, struct err *e);
void view_free(struct view *v);
/* Call it once. writer_commit reports errors. */
void view_write(struct view *v, struct writer *out, struct view_notes *notes);
/* Adds view_write's notes about the samples, for a page, which the caller writes. */
void view_tell(const struct view *v, struct view_notes *notes);

/*
 * Whether frame kinds are known: folded stacks do not say which file a function comes from, so they
 * do not say what is in the kernel.
 */
bool view_knows_kinds(const struct profile *p);
/* Accounts for the samples of a tree made without a view, in sentences and counts. */
void view_account_tree(const struct view_input *in, const struct query *q,
		       const struct query_ledger *ledger, const struct tree *tree,
		       struct view_notes *notes);
/* Sets e to the reason why no samples are left; returns false. */
bool view_explain_nothing(const struct profile *p, const struct query *q,
			  const struct query_ledger *ledger, struct err *e);
/* What happened to all samples of a profile, without making a view. */
void view_account(const struct view_input *in, struct view_notes *notes);

/*
 * BEFORE and AFTER, selected and paired. If AFTER has no profile, both are in that of BEFORE: as
 * two counts per line, or as two times. notes has no ledger: each side has its own.
 */
struct view_diff;
struct view_diff *view_diff_new(const struct view_input *sides, const struct view_request *r,
				struct view_notes *notes, struct err *e);
void view_diff_free(struct view_diff *d);
/* Returns false and sets e if this cannot be drawn. style: for the table. */
bool view_diff_write(struct view_diff *d, enum diff_format format, const struct report_style *style,
		     struct writer *out, struct err *e);
/* The ledger of a side with a profile of its own, and whether it is damaged. */
void view_diff_account(const struct view_diff *d, unsigned side, struct view_notes *notes);
/* True if a function grew by more than --fail-above; notes name such functions. */
bool view_diff_has_grown(const struct view_diff *d, struct view_notes *notes);
