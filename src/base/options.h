/*
 * Command-line options, declared once: the same table drives parsing, --help, shell completions and
 * the test that the manual lists every option.
 *
 *	struct fold_options { bool pid; const char *output; };
 *	static const struct option fold_table[] = {
 *		{ "pid", 0, OPTION_FLAG, offsetof(struct fold_options, pid), .help = "..." },
 *		{ "output", 'o', OPTION_FILE, offsetof(...), "FILE", "..." },
 *	};
 *	static const struct option_set fold_set = OPTION_SET("Options", fold_table);
 */
#pragma once
#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Texts in the order they were given; each is owned by the list. */
struct text_list {
	char **p;
	uint32_t n, capacity;
};
void text_list_add(struct text_list *list, struct str text);
void text_list_fini(struct text_list *list);
/* The first text that occurs more than once in the list, or NULL. */
const char *text_list_find_twice(const struct text_list *list);

enum option_type {
	OPTION_FLAG,   /* bool */
	OPTION_TEXT,   /* const char *: the last one given, borrowed from argv */
	OPTION_FILE,   /* the same; completed as a file name */
	OPTION_LIST,   /* struct text_list: each one given */
	OPTION_NUMBER, /* uint32_t */
	OPTION_REAL,   /* double, finite and not negative */
	OPTION_CHOICE, /* unsigned: index into choices */
};

struct option {
	const char *name; /* without the dashes */
	char letter;	  /* 0 if it has none */
	enum option_type type;
	size_t offset;		    /* of the field in the struct that the set is bound to */
	const char *value;	    /* the placeholder in help: FILE, RE, N */
	const char *help;	    /* one sentence fragment, lower case, no full stop */
	const char *const *choices; /* NULL-terminated */
	const char *prefix;	    /* OPTION_LIST: prepended to the value, e.g. "event=" */
};

struct option_set {
	const char *title; /* heading in --help; NULL: continues the previous set */
	const struct option *options;
	size_t n;
};
/* clang-format off */
#define OPTION_SET(title, table) { (title), (table), ARRAY_SIZE(table) }
/* clang-format on */

/* A set and the struct that receives its values. */
struct option_binding {
	const struct option_set *set;
	void *target;
};

/*
 * Parses words[0..n). Long options by unambiguous prefix, `--name=value`, `--name value`, `-o value`, `-ovalue`,
 * `-ab`; options may follow files; everything after `--` is a file. e is a usage error that names the option.
 */
bool options_parse(char **words, size_t n, const struct option_binding *bindings,
		   size_t binding_count, struct text_list *files, struct err *e);
/*
 * Sets one option, like `--name=value`, for requests that do not come as words, such as the parameters of a URL. name
 * is the full name. A flag takes NULL as its value. The value is borrowed.
 */
bool options_set(const struct option_binding *bindings, size_t binding_count, struct str name,
		 const char *value, struct err *e);
/* A whole number from least to most, or 0 if not given: for options whose text shows whether they were given. */
bool option_parse_number(const char *name, const char *text, uint64_t least, uint64_t most,
			 uint64_t *value, struct err *e);

/* Appends the options of a set as indented, aligned lines that fit `width` columns. */
void options_help(const struct option_set *set, unsigned width, struct buf *out);
