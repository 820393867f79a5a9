/* What doctor says of a file, on a screen and for programs. Everything is decided; only bytes are left to write. */
#pragma once
#include "sink/report.h"

struct doctor_report {
	struct str file;
	const struct profile *profile; /* NULL: there was nothing to be read, and error says why */
	struct str error;
	struct recording recording;
	struct unnamed_rows unnamed;
	struct diagnosis diagnosis;
	bool is_verbose; /* reasons and fixes of what is well, too */
	uint32_t limit;	 /* files with frames without a name that are shown; 0: all */
};
void doctor_report_fini(struct doctor_report *r);

/* A file that has a profile. Errors surface in writer_commit. */
void sink_doctor_text(const struct doctor_report *r, const struct report_style *s,
		      struct writer *out);
/* One object for all files: doc/formats/doctor-json.md. */
void sink_doctor_json(const struct doctor_report *reports, uint32_t n, struct writer *out);
