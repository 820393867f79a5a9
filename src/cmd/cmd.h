/* Subcommands. Only this folder prints, and only main exits. */
#pragma once
#include "base/base.h"

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_WRONG_USAGE = 2,
	EXIT_DAMAGED = 3,
	EXIT_BY_SIGNAL = 256, /* plus the signal's number: main then kills itself with it */
};

struct command {
	const char *name;
	const char *arguments;		      /* shown after the name in usage: [options] FILE... */
	const char *summary;		      /* one line */
	const char *text;		      /* a paragraph and examples for --help */
	const struct option_set *const *sets; /* NULL-terminated */
	const char *const *words; /* the choices for its arguments, if limited; NULL-terminated */
	bool takes_command;	  /* its argument is a command name */
	/* Its first argument is one of these; NULL-terminated. Their names begin with its own. */
	const struct command *const *subcommands;
	int (*run)(const struct command *self, char **words, size_t n);
};

/* NULL-terminated. */
extern const struct command *const commands[];
const struct command *command_by_name(const char *name);
/* `unknown command 'recrod'; did you mean 'record'?` */
void command_explain_unknown(const char *name, struct err *e);
/* Finds a subcommand by the last word of its name; NULL if there is none. */
const struct command *command_subcommand(const struct command *c, const char *word);
/* The last word of its name. */
const char *command_last_word(const struct command *c);

/* In the order of `plume help`. */
#define COMMANDS(X)                                                                                \
	X(record)                                                                                  \
	X(scope)                                                                                   \
	X(fold)                                                                                    \
	X(flame)                                                                                   \
	X(diff)                                                                                    \
	X(report)                                                                                  \
	X(convert)                                                                                 \
	X(doctor)                                                                                  \
	X(js)                                                                                      \
	X(completion)                                                                              \
	X(help)

#define DECLARE_COMMAND(name) extern const struct command name##_command;
COMMANDS(DECLARE_COMMAND)

/* --- messages --- */

/*
 * Prints `plume: ...` on standard error. Names of processes and files in it may contain anything;
 * control characters are replaced.
 */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints e, with a pointer to the command's help if it is a usage error; returns the exit code. */
int say_error(const struct command *self, const struct err *e);
/* Writes text to standard output; returns the exit code. */
int print_out(struct str text);
/* The width of the terminal on a file descriptor, or `otherwise`. */
unsigned terminal_width(int fd, unsigned otherwise);

/* What `plume help NAME` prints. */
void command_help(const struct command *c, struct buf *out);
/* Prints that; returns the exit code. */
int print_help(const struct command *c);

/* --- shared options --- */

struct common_options {
	bool help, quiet, verbose;
};
extern const struct option_set common_option_set;
