/* What is in a profile and what it lacks: why, and what would help. Texts are the profile's or d's. */
#pragma once
#include "query/report.h"

/* --- frames without a name --- */

/* Those of one file, for one reason. */
struct unnamed_row {
	struct str module; /* path; empty: not known */
	struct str reason; /* part of a sentence; empty: the input does not say */
	struct str fix;	   /* empty: nothing helps, or nothing is known to */
	uint64_t frames;
};

struct unnamed_rows {
	VEC(struct unnamed_row) rows; /* most frames first */
	uint64_t frames, unnamed;     /* of all samples; of them without a name */
	bool has_reasons;
};

/* By file and reason; where the profile has no reasons, by file as its stacks have it. */
void unnamed_rows_of(const struct profile *p, struct unnamed_rows *out);
void unnamed_rows_fini(struct unnamed_rows *u);
/* `libfoo.so (it is stripped)`: of the row, without folders, as a part of a line. */
void unnamed_row_add_brief(struct buf *out, const struct unnamed_row *row);
/* How many frames without a name the stacks of the rows that `has_row` names have, by string of p. */
uint64_t *unnamed_by_module(const struct profile *p, const bool *has_row);

/*
 * Paths come from the input and may be as long as it likes. At most `most` bytes: the middle goes,
 * as it says least; of `words` the middle of each word.
 */
void add_short_path(struct buf *out, struct str path, size_t most);
void add_short_words(struct buf *out, struct str words, size_t most);

/* --- what is in it --- */

struct recorded_event {
	struct str name;
	struct str about; /* rate or period, as the recording has it; may be empty */
	uint64_t samples;
	bool has_only_sums;
};

struct recording {
	uint64_t samples;
	bool has_times;
	uint64_t first_ns, last_ns;
	uint32_t processes, threads, cpus; /* 0: not recorded */
	VEC(struct recorded_event) events;
	VEC(struct fact) facts; /* of the machine first, then of the recorder, then others */
};

/* p keeps REPORT_COLUMNS, where it can. */
void recording_of(const struct profile *p, struct recording *out);
void recording_fini(struct recording *r);

/*
 * For a heading: how long, how often, where and when. What is not known is 0 or empty; so is what is not the same in all
 * the recordings that a profile is made of, but for the duration, which is their sum.
 */
struct recording_brief {
	uint64_t duration_ns, started_unix_ns;
	struct str rate; /* `99 Hz`, `every 1000` */
	struct str host;
	struct str target; /* `node (pid 16571)` */
};
struct recording_brief recording_brief_of(const struct profile *p, event_id event);

/* CPU time by the kernel's account, and by samples. */
struct charged {
	uint64_t charged_ns, sampled_ns;
	uint64_t error_ns;  /* so much may be missing by chance, or because times are rounded */
	bool is_user;	    /* without the kernel's part, which has no samples */
	uint64_t kernel_ns; /* if is_user: that part; 0 also in recordings that do not say */
	bool is_of_threads; /* each was sampled by a clock of its own */
	bool is_missing;    /* more is missing than there is by chance, or was lost */
};
/* Whether the kernel's part of the CPU time has no samples. */
bool is_user_only(const struct profile *p);
/* Whether that is more than a twentieth of the CPU time; without an account, it may be. */
bool lacks_kernel_time(const struct profile *p);
/* `1.2 s of the 1.3 s of CPU time was in the kernel, which has no samples` */
void kernel_time_add_words(const struct profile *p, struct buf *out);
/* False: the recording does not say. */
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
	const char *key;       /* for programs: lost, throttled, stacks, ... */
	struct str what;       /* with how much of it there is */
	struct str why;	       /* a sentence; may be empty */
	struct str fix;	       /* what to do; may be empty */
	uint64_t count, total; /* of what is wrong: so many of so many; total 0: no share */
};

struct diagnosis {
	VEC(struct finding) findings;
	struct arena text;
};
void diagnosis_fini(struct diagnosis *d);

/* A finding while it is made: its texts are copied into the diagnosis. */
struct finding_text {
	struct buf what, why, fix;
};
void finding_text_fini(struct finding_text *t);
/* `1,234 samples` */
void finding_add_count(struct buf *out, uint64_t n, const char *one, const char *many);
/* Takes the texts, which are empty then. */
void diagnosis_add(struct diagnosis *d, struct finding f, struct finding_text *t);
/* A finding without a reason or a fix. */
void diagnosis_add_plain(struct diagnosis *d, const char *key, enum finding_mark mark,
			 struct str what);
/* The worst first; findings of one mark keep their order. */
void diagnosis_sort(struct diagnosis *d);

/*
 * What happened while recording, and names that were not found: lost, throttled, charged, truncated, unrooted,
 * names. Each is there, with FINDING_OK where all is well. Nothing when the input does not say.
 */
void diagnose_recording(const struct profile *p, const struct unnamed_rows *unnamed,
			struct diagnosis *d);
/* All there is to say, the worst first. */
void diagnose(const struct profile *p, const struct recording *r,
	      const struct unnamed_rows *unnamed, struct diagnosis *d);
/* What a line of the ledger that is damage says, with its first place. */
void describe_damage(const struct profile *p, enum ledger_line line, struct buf *out);

/* Times that text of perf script says events were lost. */
uint64_t lost_marks(const struct profile *p);
