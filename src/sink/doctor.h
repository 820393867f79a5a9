/*
 * What doctor reports about a file, this machine or a process, for a screen and for programs.
 * Everything has been decided; what remains is formatting.
 */
#pragma once
#include "sink/report.h"

enum doctor_subject { DOCTOR_FILE, DOCTOR_MACHINE, DOCTOR_PROCESS };

/* A line above the findings. */
struct doctor_fact {
	const char *key;
	struct str text;
};

/* A program or library mapped by a process. */
struct doctor_mapped {
	struct str path;
	const char *frame_pointers; /* kept, omitted, unknown */
	bool has_tables;	    /* can be unwound without them */
	const char *names;	    /* all, exported, none */
	bool has_lines;		    /* DWARF: lines and inlined functions */
	struct str why, fix;	    /* of missing names */
};

/* A constant of the object layout in a runtime. */
struct doctor_constant {
	struct str group, name;
	const char *origin; /* exported, inferred, tabled, not there */
	bool is_known;
	int32_t value;
};

struct doctor_report {
	enum doctor_subject subject;
	struct str file;	       /* its heading: a file's name, or what the subject is */
	int32_t pid;		       /* of a process */
	const struct profile *profile; /* of a file; NULL if nothing could be read */
	struct str error; /* the reason for that, also for a process; otherwise empty */
	struct recording recording;
	struct unnamed_rows unnamed;
	struct diagnosis diagnosis;    /* its arena owns the texts of the two below */
	VEC(struct doctor_fact) facts; /* not for files: profiles have their own */
	VEC(struct doctor_mapped) mapped;
	VEC(struct doctor_constant) constants;
	bool is_verbose; /* also show reasons and fixes for what is fine */
	uint32_t limit;	 /* how many files with unnamed frames to show; 0: all */
};
void doctor_report_fini(struct doctor_report *r);

/* For a report that has no error, or has a profile. writer_commit reports errors. */
void sink_doctor_text(const struct doctor_report *r, const struct report_style *s,
		      struct writer *out);
/* One JSON object for all of them: doc/formats/doctor-json.md. */
void sink_doctor_json(const struct doctor_report *reports, uint32_t n, struct writer *out);
