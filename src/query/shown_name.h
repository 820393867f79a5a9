/*
 * Names as people read them: the function first, then where it begins, as short as it can be. `JS:*parse
 * /srv/app/lib/a.js:12:3` is `parse lib/a.js:12`. A short name is for the eye alone; two functions are never one because
 * their short names are equal. CPython's `py::encode:/usr/lib/python3.12/json/encoder.py` is `encode json/encoder.py`.
 */
#pragma once
#include "model/model.h"

/* The parts of a name that says where its function begins. */
struct name_parts {
	struct str function; /* empty: it has no name of its own */
	struct str file;
	uint32_t line, column; /* 0: not known */
};

/*
 * False for names without a place at their end. file: where the frame says that it is; empty: the last word of the name
 * is the file.
 */
bool name_parts_of(struct str name, struct str file, struct name_parts *out);
/* Where `/srv/a.js:1:2` begins in `f /srv/a.js:1:2`, `lib/t.py` in `f lib/t.py`; -1: the name has no such end. */
ptrdiff_t name_place_at(struct str name);

/* Whether CPython's -X perf wrote it, `py::FUNCTION:FILE`; *file is FILE then. */
bool name_is_python(struct str name, struct str *file);

/* Whether it is a part of Python itself: in its standard library, or frozen into it. */
bool path_is_python_library(struct str file);
/* Below node_modules/, site-packages/ or dist-packages/. */
bool path_is_package(struct str file);

/* What all files of the program have in front of them, with its last '/'; packages and the runtime aside. */
struct str program_folder(const struct profile *p);
/* `lib/a.js`, by the package that it is in or the folder of the program; the end of a URL or of a path. */
struct str short_path(struct str file, struct str folder);

/* What is to be known of all functions to name one. */
struct naming_context {
	struct str folder;	       /* of the program */
	struct same_lines *same_lines; /* which functions need their column; NULL: none */
};

/* Fills the parts of a label that are for people; all but text is set. file: of the frame. */
void label_set_shown(struct tree_label *l, struct arena *text, struct str file,
		     const struct naming_context *context);
/* Its texts become the arena's own. */
void label_copy_text(struct tree_label *l, struct arena *text);
/* Appends `parse lib/a.js:12`. */
void label_add_brief(struct buf *out, const struct tree_label *l);
