/* All code that a process has generated, as of now. */
#pragma once
#include "base/base.h"
#include "v8/layout.h"

struct v8_process;
struct v8_inspection;

enum v8_code_sort {
	V8_CODE_INTERPRETED, /* a copy of the interpreter's entry, for one function */
	V8_CODE_BASELINE,
	V8_CODE_MAGLEV,
	V8_CODE_OPTIMIZED,
	V8_CODE_REGEXP,
	V8_CODE_OTHER,
	V8_CODE_SORTS
};

struct v8_code_row {
	uint64_t start;
	uint32_t size_bytes;
	uint8_t sort;	   /* enum v8_code_sort */
	uint32_t function; /* from the process's names; V8_NONE if not known */
};

struct v8_code_rows {
	VEC(struct v8_code_row) list; /* by address */
	uint64_t count[V8_CODE_SORTS], named[V8_CODE_SORTS];
	uint64_t bytes; /* executable memory that was searched */
	bool is_cut;	/* there was more than the limit */
};
void v8_code_rows_fini(struct v8_code_rows *rows);

/* Optimized code leads to its function; for other code the heap is searched. */
void v8_walk_code(struct v8_inspection *v, struct v8_code_rows *rows);
/* Finds code that knows its function: TurboFan's if any, else Maglev's. Returns false if there is none. */
bool v8_find_optimized(struct v8_process *p, struct v8_code_row *row);

/* `JS:*f /app/a.js:1:2`, `RegExp:`, `Stub:`, as V8 writes them. */
void v8_code_row_describe(const struct v8_process *p, const struct v8_code_row *row,
			  struct buf *out);

/*
 * V8's builtins, at every place they are mapped: calls `on` with the current address. Returns the
 * number of different ones; 0 if the file has no symbols for them.
 */
typedef void v8_on_builtin(void *context, uint64_t start, uint64_t size_bytes, struct str name);
uint64_t v8_visit_builtins(struct v8_inspection *v, v8_on_builtin *on, void *context);
