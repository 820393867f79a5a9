/* Shared by all commands that read profiles: their options, and reading the files. */
#pragma once
#include "cmd/cmd.h"
#include "source/source.h"
#include "view/view.h"

struct input_options {
	unsigned format; /* index into source_input_names */
	uint32_t threads;
	bool keeps_addresses;
};

/* Where to look for function names. */
struct finding_options {
	const char *symfs, *container_root;
	struct text_list maps;
	bool asks_debuginfod;
	bool source_maps;
};

/* Options of the page of plume scope and of recordings. */
struct page_options {
	const char *port, *listen;
	bool opens;	    /* opens a browser */
	const char *output; /* a file, instead of serving */
	bool with_source;   /* for the file */
};

/*
 * The command-line options shared by all commands that read profiles. It must be the first member
 * of a command's own options struct, as view is here: the option sets of all three are bound to it.
 */
struct profile_request {
	struct view_request view; /* commands with a view init it before parsing */
	struct text_list files;
	struct input_options input;
	struct finding_options finding;
	struct page_options page;
	struct common_options common;
};
void profile_request_fini(struct profile_request *r);

/* Bound to struct profile_request. */
extern const struct option_set input_option_set;
extern const struct option_set address_option_set; /* continues with names */
extern const struct option_set finding_option_set;
/* The last option sets of commands that show a view of one profile. */
#define VIEW_SETS                                                                                  \
	&finding_option_set, &frame_option_set, &filter_option_set, &time_option_set,              \
		&transform_option_set, &input_option_set, &common_option_set, NULL

/* Parses the arguments with a command's option sets, and checks them unless they ask for help. */
bool profile_request_parse(struct profile_request *r, const struct command *self, char **words,
			   size_t n, struct err *e);
/* How to read, according to the options; valid as long as r is. */
struct source_options source_options_of(const struct profile_request *r);
/* The input file, for messages; NULL unless there is exactly one. */
const char *profile_request_file(const struct profile_request *r);

/*
 * Reads all files into one sealed profile. Without files, reads standard input if something is
 * piped into it, otherwise ./perf.data, and says so. Returns NULL and sets e on failure.
 */
struct profile *read_profiles(const struct text_list *files, const struct source_options *options,
			      unsigned columns, struct err *e);
/* Like source_read, with a line on a terminal that counts samples. */
bool read_profile(const char *path, const struct source_options *options, struct profile *p,
		  struct err *e);
/* `perf script | plume fold`: a pipe or a file on stdin is meant to be read; a terminal or /dev/null is not. */
bool stdin_is_piped(void);
/* What to read without files: standard input if it is piped; otherwise ./perf.data, which it announces. */
const char *default_input(void);
