/*
 * What doctor says of a file, of this machine or of a process, on a screen and for programs. Everything is
 * decided; only bytes are left to write.
 */
#pragma once
#include "sink/report.h"

enum doctor_subject { DOCTOR_FILE, DOCTOR_MACHINE, DOCTOR_PROCESS };

/* A line above the findings. */
struct doctor_fact {
	const char *key;
	struct str text;
};

/* A program or library that a process has mapped. */
struct doctor_mapped {
	struct str path;
	const char *frame_pointers; /* kept, omitted, unknown */
	bool has_tables;	    /* to unwind without them */
	const char *names;	    /* all, exported, none */
	bool has_lines;		    /* DWARF: lines and inlined functions */
	struct str why, fix;	    /* of names that are missing */
};

/* A number of the layout that a runtime keeps its objects in. */
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
	const struct profile *profile; /* of a file; NULL: there was nothing to be read */
	struct str error;	       /* then why, also of a process; else empty */
	struct recording recording;
	struct unnamed_rows unnamed;
	struct diagnosis diagnosis;    /* its arena has the texts of the two below */
	VEC(struct doctor_fact) facts; /* not of files: profiles have their own */
	VEC(struct doctor_mapped) mapped;
	VEC(struct doctor_constant) constants;
	bool is_verbose; /* reasons and fixes of what is well, too */
	uint32_t limit;	 /* files with frames without a name that are shown; 0: all */
};
void doctor_report_fini(struct doctor_report *r);

/* One without error, or with a profile. Errors surface in writer_commit. */
void sink_doctor_text(const struct doctor_report *r, const struct report_style *s,
		      struct writer *out);
/* One object for all of them: doc/formats/doctor-json.md. */
void sink_doctor_json(const struct doctor_report *reports, uint32_t n, struct writer *out);
