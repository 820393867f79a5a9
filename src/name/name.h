/*
 * Makes function names readable. Names come from symbol tables, perf maps and other people's files,
 * so every function here accepts arbitrary bytes, including NUL.
 */
#pragma once
#include "base/base.h"

/* Names that are longer, mangled or demangled, stay mangled. */
#define NAME_MANGLED_MAX_BYTES	 ((size_t)16 << 10)
#define NAME_DEMANGLED_MAX_BYTES ((size_t)64 << 10)

/*
 * Demangles a C++ (_Z, also with more leading underscores), Rust (_ZN..17h..E and _R) or D (_D)
 * name, appends the result and returns true. For anything else, and for a mangled name that is
 * damaged or too long, appends nothing and returns false.
 *
 * Clones are shown as in binutils, `f(int) [clone .isra.0]`; a suffix from '@' on (`@plt`,
 * `@@GLIBC_2.2`) is kept. A hostile name can use about 1 MiB of stack.
 */
bool name_demangle(struct str name, struct buf *out);
/* The same without the parameters of C++ functions, as perf shows them. */
bool name_demangle_short(struct str name, struct buf *out);

/*
 * Appends the name for display: demangled, without the hash of a Rust name (`::h` and 16 digits), and with the
 * escapes that a C++ demangler leaves in Rust names (`$LT$`, `core..fmt`) decoded; Java's `Lcom/foo/Bar;::baz(I)V`
 * becomes `com.foo.Bar.baz(int)`. Newline, carriage return, tab and NUL become spaces.
 *
 * Everything else is kept byte for byte: parameter lists, templates, V8 names, other Java and Go names, and invalid
 * UTF-8.
 */
void name_tidy(struct str name, struct buf *out);

/*
 * A symbol without the suffix that Go's linker adds to functions with the older calling convention,
 * `runtime.goexit.abi0`. Go's own table, which stripped programs still have, does not have it.
 */
struct str name_without_abi(struct str symbol);

/*
 * Perf maps of JIT compilers encode inlined functions in one name, `outer->inner->innermost`. Fills
 * parts with views into name, outermost first, and returns their number: 1 if nothing was inlined.
 * max is at least 1; if there are more than max parts, the last one holds the rest unsplit.
 *
 * Arrows that belong to a language do not split: inside brackets, in `operator->`, with a space on
 * both sides (`fn() -> i32`), in the source of a regular expression, and if a part would be empty.
 * Brackets are ignored if they do not balance (the name was cut).
 */
size_t name_split_inlines(struct str name, struct str *parts, size_t max);

/* Which of V8's compilers made the code. The values are the marks V8 puts into names. */
enum name_tier {
	NAME_TIER_NONE = 0,
	NAME_TIER_INTERPRETED = '~', /* Ignition */
	NAME_TIER_BASELINE = '^',    /* Sparkplug */
	NAME_TIER_MAGLEV = '+',
	NAME_TIER_OPTIMIZED = '*', /* TurboFan */
};

/* Whether V8 made the name: `JS:*f a.js:1:2`, `LazyCompile:~f`, `RegExp:a|b`, `Builtin:Call`. */
bool name_is_v8(struct str name);

/* The parts of a V8 name, `JS:*f /app/a.js:12:5` or `LazyCompile:f /app/a.js:12`: views into it. */
struct name_v8_place {
	struct str function; /* "f"; may be empty */
	struct str file;
	uint32_t line, column; /* from 1; 0 if not in the name */
};
/* Returns false if V8 did not make the name, or if it names no file. */
bool name_v8_place(struct str name, struct name_v8_place *place);

/*
 * The tier in a V8 name; sets *mark_at to the byte offset of its mark. Returns NAME_TIER_NONE and leaves *mark_at
 * alone for a name without a mark: `JS:f`, `Builtin:Call`, anything that is not V8's.
 */
enum name_tier name_v8_tier(struct str name, size_t *mark_at);
