#pragma once
#include "api/api.h"
#include "view/view.h"

/* --- files.c: the files, and the profile that a request is about --- */

struct api_entry {
	struct api_file file; /* its texts are in `text` */
	struct arena text;
	uint64_t revision; /* changes whenever the profile does */
};

/* The profile of the files of a request: one file's, or several merged. */
struct shown {
	struct profile *profile;
	struct buf name; /* of the file; empty if there are several */
	struct buf key;	 /* which files, in which revision: equal keys, equal profiles */
	uint64_t first_ns, last_ns;
	uint64_t used; /* the request that asked for it last */
	bool has_times;
	uint32_t files;
};

/* For messages; NULL unless it is one file. */
const char *shown_name(const struct shown *s);
struct api_entry *files_find(struct api *a, struct str id);
/*
 * The profile of the files with these ids, or of those shown at first. NULL: the answer has the
 * error. Stays valid until the next call of api_set_file.
 */
struct shown *files_shown(struct api *a, const struct text_list *ids, struct api_answer *answer);
void files_answer(struct api *a, struct api_answer *answer);

/* --- cache.c: prepared queries --- */

struct cached {
	struct buf key;
	struct prepared *prepared;
	struct profile *profile; /* a reference */
	uint64_t used;		 /* the time of its last use, in requests */
	uint64_t id;		 /* of its labels; never reused */
};
enum { CACHE_PREPARED = 12, CACHE_SHOWN = 4 };
/* words: the query in a canonical form, without its times. Returns NULL and sets e like prepared_new. */
const struct cached *cache_get(struct api *a, const struct shown *s, const struct query *q,
			       struct str words, struct err *e);

struct api {
	struct api_host host;
	VEC(struct api_entry *) files;
	uint64_t revision, requests, next_id;
	struct shown shown[CACHE_SHOWN]; /* more than one request needs at a time */
	struct cached cached[CACHE_PREPARED];
};

/* --- request.c: the parameters of a URL --- */

struct parameter {
	struct str name;
	const char *value; /* NULL: a flag */
};

struct side_request {
	struct view_request view; /* selections of this side, transforms of both */
	struct text_list files;
	struct buf words; /* all of it but times, in a canonical form */
};

struct api_request {
	struct api *api;
	VEC(struct parameter) parameters; /* decoded, in their order */
	struct arena text;
	struct regex_budget budget; /* of all expressions of the request */
	struct side_request side, base;
	bool has_base, wants_json;
};

bool request_parse(struct api_request *r, struct str query, struct err *e);
void api_request_fini(struct api_request *r);
/* The value of a parameter that is not an option; NULL if it is missing. */
const char *request_text(const struct api_request *r, const char *name);
bool request_has(const struct api_request *r, const char *name);
/* A number from least to most; `usual` if it is missing. Returns false and sets e if it is out of range. */
bool request_number(const struct api_request *r, const char *name, double least, double most,
		    double usual, double *value, struct err *e);
/* --- answer.c: the format of answers --- */

/* Sets the status and the error sentence; returns false. */
bool answer_error(struct api_answer *answer, unsigned status, const char *sentence);
/* The same, with the status for this kind of error. */
bool answer_err(struct api_answer *answer, const struct err *e);

/* A binary answer: the header is written first, then columns are added, then it is ended. */
struct columns {
	struct api_answer *answer;
	struct json_out header;
	bool is_json;
	struct {
		const char *name;
		const uint64_t *wide;
		const uint32_t *narrow;
		const uint8_t *bytes;
		uint32_t n;
	} list[8];
	unsigned n;
};
/* Opens the header's object. */
void columns_begin(struct columns *c, struct api_answer *answer, bool is_json);
/* Values are borrowed until columns_end. */
void columns_add_u64(struct columns *c, const char *name, const uint64_t *values, uint32_t n);
void columns_add_u32(struct columns *c, const char *name, const uint32_t *values, uint32_t n);
void columns_add_u8(struct columns *c, const char *name, const uint8_t *values, uint32_t n);
void columns_end(struct columns *c);

/* --- the answers --- */

/* Fills the answer, or sets its error. Listed in api.c. */
typedef void answer_function(struct api_request *r, struct api_answer *answer);
answer_function ledger_answer, heatmap_answer, tree_answer, diff_answer, table_answer,
	source_answer, export_answer;
/* What `plume diff --json` prints. */
answer_function diff_json;

/* The profile, its prepared query and the ranges of one side. Returns false if the answer has an error. */
struct prepared_side {
	const struct shown *shown;
	const struct cached *cached;
	struct time_ranges ranges;
	bool has_ranges;
};
/* The tree of its samples. */
struct tree *side_tree(const struct prepared_side *p, struct query_ledger *ledger);
bool side_prepare(struct api_request *r, struct side_request *side, struct prepared_side *out,
		  struct api_answer *answer);
void prepared_side_fini(struct prepared_side *p);

/* The labels' columns, for the header of a tree. */
void add_labels(struct json_out *j, const struct tree *t);
void add_unit(struct json_out *j, const struct profile *p, const struct query_ledger *l,
	      const struct tree *t);
/* The time one unit stands for, if the event is a clock; 0 if unknown. */
uint64_t ns_of_unit(const struct profile *p, const struct query_ledger *l);
void add_counts(struct json_out *j, const struct query_ledger *l);
/* Marks the labels whose name or shown name matches. Returns false and sets e. */
bool labels_match(const struct tree *t, const struct api_request *r, const char *pattern,
		  bool *is_match, struct err *e);
