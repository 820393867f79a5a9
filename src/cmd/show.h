/* Writes a view of a profile to a file, with its messages on standard error. */
#pragma once
#include "cmd/read_profiles.h"

/*
 * Computes what r asks of p, writes it to path ("-": standard output), and prints its messages.
 * Returns the exit code; on failure the caller prints e.
 */
int show_profile(const struct profile_request *r, struct profile *p, const char *path,
		 struct err *e);
/* The same for the files of r. source: NULL to read them as r's options say. */
int show_files(const struct profile_request *r, const struct source_options *source,
	       const char *path, struct err *e);
/* Prints sentences unless the user wants quiet, and counts if the user wants them. */
void say_view_notes(const struct common_options *o, const struct view_notes *notes);
int exit_code_of(const struct view_notes *notes);

/* --- pictures --- */

/* By its extension. */
bool path_is_picture(const char *path);

/* The files named by picture options: their content becomes part of a request. */
struct picture_files {
	struct buf attributes_text;
	struct name_attributes *attributes;
	struct palette_map *kept;
};
bool picture_files_read(struct picture_files *f, struct picture_options *o, struct err *e);
/* Writes the colours, including those of a picture just drawn; does nothing without --cp. */
bool picture_files_write(const struct picture_files *f, struct err *e);
void picture_files_fini(struct picture_files *f);

/*
 * Where a picture goes: to `asked`; to standard output if that is not a terminal; otherwise to a new file named after
 * the first input, or `otherwise` if there is none. is_named: plume chose the name, so it must be printed.
 */
struct picture_path {
	char *path;
	bool is_named;
};
struct picture_path picture_path_new(const char *asked, const struct text_list *files,
				     const char *otherwise, const char *ending);
void picture_path_fini(struct picture_path *p);
