/*
 * Names for people: the function first, then where it begins, as short as possible. `JS:*parse
 * /srv/app/lib/a.js:12:3` becomes `parse lib/a.js:12`. Short names are only for display; functions
 * are never merged because their short names are equal. CPython's
 * `py::encode:/usr/lib/python3.12/json/encoder.py` becomes `encode json/encoder.py`.
 */
#pragma once
#include "model/model.h"

/* The parts of a name that says where its function begins. */
struct name_parts {
	struct str function; /* empty if it has no name of its own */
	struct str file;
	uint32_t line, column; /* 0 if not known */
};

/*
 * Returns false for names that do not end in a place. file: the file according to the frame; if
 * empty, the last word of the name is the file.
 */
bool name_parts_of(struct str name, struct str file, struct name_parts *out);
/*
 * The offset of `/srv/a.js:1:2` in `f /srv/a.js:1:2`, or of `lib/t.py` in `f lib/t.py`; -1 if the
 * name does not end in a place.
 */
ptrdiff_t name_place_at(struct str name);

/* Whether the name comes from CPython's -X perf, `py::FUNCTION:FILE`; sets *file to FILE. */
bool name_is_python(struct str name, struct str *file);

/* Whether the file is part of Python itself: in its standard library, or frozen into it. */
bool path_is_python_library(struct str file);
/* Below node_modules/, site-packages/ or dist-packages/. */
bool path_is_package(struct str file);

/* The common prefix of all the program's files, with its last '/'; ignores packages and the runtime. */
struct str program_folder(const struct profile *p);
/* `lib/a.js`, relative to its package or to the program's folder; otherwise the end of a URL or path. */
struct str short_path(struct str file, struct str folder);

/* What must be known about all functions to name one. */
struct naming_context {
	struct str folder;	       /* the program's folder */
	struct same_lines *same_lines; /* which functions need their column; NULL if none */
};

/* Fills the parts of a label that are for people, from its name. file: the frame's. */
void label_set_shown(struct tree_label *l, struct arena *text, struct str file,
		     const struct naming_context *context);
/* Copies its texts into the arena. */
void label_copy_text(struct tree_label *l, struct arena *text);
/* Appends `parse lib/a.js:12`. */
void label_add_brief(struct buf *out, const struct tree_label *l);
