/* A view of a profile as a file, with what is said of it on standard error. */
#pragma once
#include "cmd/read_profiles.h"

/*
 * Adds up what r asks of p, writes it to path ("-": standard output), and says what is to be said.
 * The exit code; e, where it failed, is for the caller to say.
 */
int show_profile(const struct profile_request *r, struct profile *p, const char *path,
		 struct err *e);
/* The same of r's files. source: NULL, where they are read as r's options say. */
int show_files(const struct profile_request *r, const struct source_options *source,
	       const char *path, struct err *e);
/* Sentences unless the user wants quiet; counts where the user wants them. */
void say_view_notes(const struct common_options *o, const struct view_notes *notes);
int exit_code_of(const struct view_notes *notes);

/* --- pictures --- */

/* By its extension. */
bool path_is_picture(const char *path);

/* The files that options of pictures name: what they hold is part of a request. */
struct picture_files {
	struct buf attributes_text;
	struct name_attributes *attributes;
	struct palette_map *kept;
};
bool picture_files_read(struct picture_files *f, struct picture_options *o, struct err *e);
/* The colours, with those of a picture that was drawn; without --cp nothing. */
bool picture_files_write(const struct picture_files *f, struct err *e);
void picture_files_fini(struct picture_files *f);

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
