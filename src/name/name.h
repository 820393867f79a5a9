/*
 * Names of functions as a person should read them. The names come from symbol tables, perf maps and
 * other people's files, so every function here takes any bytes at all, NUL included.
 */
#pragma once
#include "base/base.h"

/* Longer mangled names, and longer readable ones, are left mangled. */
#define NAME_MANGLED_MAX_BYTES	 ((size_t)16 << 10)
#define NAME_DEMANGLED_MAX_BYTES ((size_t)64 << 10)

/*
 * Appends the readable form of a mangled C++ (_Z, also behind further underscores), Rust
 * (_ZN..17h..E and _R) or D (_D) name and returns true. Anything else, and a mangled name that is
 * damaged or too long, appends nothing and returns false.
 *
 * Clones are shown as binutils does, `f(int) [clone .isra.0]`; what follows an '@' (`@plt`,
 * `@@GLIBC_2.2`) stays behind the name as it is. A hostile name can take about 1 MiB of stack.
 */
bool name_demangle(struct str name, struct buf *out);
/* The same without the parameters of C++ functions, as perf shows them. */
bool name_demangle_short(struct str name, struct buf *out);

/*
 * Appends the name as it should be shown: demangled, without the hash of a Rust name (`::h` and 16
 * digits), and with the escapes that a C++ demangler leaves in Rust names (`$LT$`, `core..fmt`)
 * turned back; Java's `Lcom/foo/Bar;::baz(I)V` as `com.foo.Bar.baz(int)`. Newline, carriage return,
 * tab and NUL become spaces.
 *
 * All else is kept to the byte: parameter lists, templates, V8 names, other Java and Go names, and
 * bytes that are not UTF-8.
 */
void name_tidy(struct str name, struct buf *out);

/*
 * A symbol without what Go's linker puts behind functions of its older calling convention, `runtime.goexit.abi0`. Go's
 * own table, which stripped programs have as well, does not have it.
 */
struct str name_without_abi(struct str symbol);

/*
 * Perf maps of JIT compilers put inlined functions into one name, `outer->inner->innermost`. Fills
 * parts with views into name, outermost first, and returns their number: 1 for a name that holds no
 * inlines. max is at least 1; with more parts than max, the last one holds the rest unsplit.
 *
 * Arrows of other languages do not split: inside brackets, in `operator->`, with a space on both
 * sides (`fn() -> i32`), in the source of a regular expression, and where a part would be empty.
 * When the brackets of a name do not balance (it was cut short), they are ignored.
 */
size_t name_split_inlines(struct str name, struct str *parts, size_t max);

/* Which of its compilers V8 made the code with. The values are the marks V8 puts into names. */
enum name_tier {
	NAME_TIER_NONE = 0,
	NAME_TIER_INTERPRETED = '~', /* Ignition */
	NAME_TIER_BASELINE = '^',    /* Sparkplug */
	NAME_TIER_MAGLEV = '+',
	NAME_TIER_OPTIMIZED = '*', /* TurboFan */
};

/* Whether V8 wrote the name: `JS:*f a.js:1:2`, `LazyCompile:~f`, `RegExp:a|b`, `Builtin:Call`. */
bool name_is_v8(struct str name);

/* The parts of a V8 name, `JS:*f /app/a.js:12:5` or `LazyCompile:f /app/a.js:12`: views into it. */
struct name_v8_place {
	struct str function; /* "f"; may be empty */
	struct str file;
	uint32_t line, column; /* from 1; 0: not in the name */
};
/* False for a name that V8 did not make or that names no file. */
bool name_v8_place(struct str name, struct name_v8_place *place);

/*
 * The tier in a V8 name, and in *mark_at the byte offset of its mark. NAME_TIER_NONE, with
 * *mark_at untouched, for a name without a mark: `JS:f`, `Builtin:Call`, anything that is not V8's.
 */
enum name_tier name_v8_tier(struct str name, size_t *mark_at);
