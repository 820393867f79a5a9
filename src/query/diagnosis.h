/* What a profile contains and what it lacks: why, and what would help. Texts belong to the profile or to d. */
#pragma once
#include "query/report.h"

/* --- unnamed frames --- */

/* The unnamed frames of one file, for one reason. */
struct unnamed_row {
	struct str module; /* path; empty if not known */
	struct str reason; /* part of a sentence; empty if the input does not say */
	struct str fix;	   /* empty if nothing is known to help */
	uint64_t frames;
};

struct unnamed_rows {
	VEC(struct unnamed_row) rows; /* most frames first */
	uint64_t frames, unnamed;     /* of all samples; those without a name */
	bool has_reasons;
};

/* By file and reason; if the profile has no reasons, by file as found in its stacks. */
void unnamed_rows_of(const struct profile *p, struct unnamed_rows *out);
void unnamed_rows_fini(struct unnamed_rows *u);
/* Appends `libfoo.so (it is stripped)`: the row without folders, as part of a line. */
void unnamed_row_add_brief(struct buf *out, const struct unnamed_row *row);
/* Counts the unnamed frames in the stacks of the rows selected by `has_row`, by string of p. */
uint64_t *unnamed_by_module(const struct profile *p, const bool *has_row);

/*
 * Paths come from the input and may have any length. Appends at most `most` bytes, dropping the
 * middle, which says least; add_short_words drops the middle of each word.
 */
void add_short_path(struct buf *out, struct str path, size_t most);
void add_short_words(struct buf *out, struct str words, size_t most);

/* --- contents --- */

struct recorded_event {
	struct str name;
	struct str about; /* rate or period, from the recording; may be empty */
	uint64_t samples;
	bool has_only_sums;
};

struct recording {
	uint64_t samples;
	bool has_times;
	uint64_t first_ns, last_ns;
	uint32_t processes, threads, cpus; /* 0 if not recorded */
	VEC(struct recorded_event) events;
	VEC(struct fact) facts; /* first about the machine, then about the recorder, then others */
};

/* p keeps REPORT_COLUMNS if it can. */
void recording_of(const struct profile *p, struct recording *out);
void recording_fini(struct recording *r);

/*
 * For a heading: duration, rate, place and time. 0 or empty if not known, or if the profile's
 * recordings differ; but the duration is their sum.
 */
struct recording_brief {
	uint64_t duration_ns, started_unix_ns;
	struct str rate; /* `99 Hz`, `every 1000` */
	struct str host;
	struct str target; /* `node (pid 16571)` */
};
struct recording_brief recording_brief_of(const struct profile *p, event_id event);

/* CPU time according to the kernel, and according to the samples. */
struct charged {
	uint64_t charged_ns, sampled_ns;
	uint64_t error_ns;  /* how much may be missing by chance, or because times are rounded */
	bool is_user;	    /* excludes kernel time, which has no samples */
	uint64_t kernel_ns; /* if is_user: the kernel time; 0 also if the recording does not say */
	bool is_of_threads; /* each thread was sampled by its own clock */
	bool is_missing;    /* more is missing than by chance, or samples were lost */
};
/* Whether kernel CPU time has no samples. */
bool is_user_only(const struct profile *p);
/* Whether that is more than a twentieth of the CPU time; true if the recording does not say how much it is. */
bool lacks_kernel_time(const struct profile *p);
/* `1.2 s of the 1.3 s of CPU time was in the kernel, which has no samples` */
void kernel_time_add_words(const struct profile *p, struct buf *out);
/* Returns false if the recording does not say. */
bool charged_of(const struct profile *p, struct charged *out);
/* `the samples account for 3.9 s of the 4.0 s of CPU time the kernel charged` */
void charged_add_words(const struct charged *c, struct buf *out);

/* --- findings --- */

/* Whether the input says what happened while recording: perf.data does, text does not. */
bool knows_recording(const struct profile *p);

enum finding_mark { FINDING_BAD, FINDING_WARN, FINDING_INFO, FINDING_OK, FINDING_MARKS };
extern const char *const finding_mark_names[]; /* bad, warn, info, ok */

struct finding {
	enum finding_mark mark;
	const char *key;       /* for other programs: lost, throttled, stacks, ... */
	struct str what;       /* including how much of it there is */
	struct str why;	       /* a sentence; may be empty */
	struct str fix;	       /* what to do; may be empty */
	uint64_t count, total; /* how many of how many are affected; total 0: not a share */
};

struct diagnosis {
	VEC(struct finding) findings;
	struct arena text;
};
void diagnosis_fini(struct diagnosis *d);

/* A finding under construction: its texts are copied into the diagnosis. */
struct finding_text {
	struct buf what, why, fix;
};
void finding_text_fini(struct finding_text *t);
/* `1,234 samples` */
void finding_add_count(struct buf *out, uint64_t n, const char *one, const char *many);
/* Takes the texts and leaves them empty. */
void diagnosis_add(struct diagnosis *d, struct finding f, struct finding_text *t);
/* A finding without a reason or a fix. */
void diagnosis_add_plain(struct diagnosis *d, const char *key, enum finding_mark mark,
			 struct str what);
/* Worst first; stable among findings with the same mark. */
void diagnosis_sort(struct diagnosis *d);

/*
 * What happened while recording, and missing names: lost, throttled, charged, truncated, unrooted,
 * names. Adds each of them, with FINDING_OK if all is well, or nothing if the input does not say.
 */
void diagnose_recording(const struct profile *p, const struct unnamed_rows *unnamed,
			struct diagnosis *d);
/* Adds all findings, worst first. */
void diagnose(const struct profile *p, const struct recording *r,
	      const struct unnamed_rows *unnamed, struct diagnosis *d);
/* Describes a ledger line that means damage, with the first place where it occurred. */
void describe_damage(const struct profile *p, enum ledger_line line, struct buf *out);

/* How often perf script text reports lost events. */
uint64_t lost_marks(const struct profile *p);
