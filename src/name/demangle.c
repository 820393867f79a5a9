/*
 * Demangles names with libiberty. Its C++ and Rust parsers limit their recursion, but not their output: a name of 200
 * bytes with doubling back references can ask for more text than fits in memory. They deliver text piece by piece, so
 * longjmp aborts them when it gets too long. The D demangler cannot be aborted, and ends the process when memory runs
 * out, so D names are checked first.
 */
#include <libiberty/demangle.h> /* first, because it uses names that base/banned.h poisons */
/* base has its own */
#undef ARRAY_SIZE

#include "name/name.h"

#include <setjmp.h>

/* The D demangler recurses once per letter and has no limit of its own. */
/*
 * libiberty's own recursion limit rejects every C++ name above 1 KiB, and templates have such
 * names. Up to this length the deepest nesting fits a thread's stack, so the limit is lifted.
 */
#define UNLIMITED_MAX_BYTES ((size_t)4 << 10)

#define D_MAX_BYTES	   ((size_t)4 << 10)
#define D_MAX_EXPANSION	   ((size_t)1 << 20)
#define CPP_MAX_BACKTRACKS 12

/*
 * Appends text and returns true. On failure returns false and leaves out->n undefined, but not below its old value.
 */
typedef bool demangler(const char *mangled, struct buf *out);

struct text_sink {
	struct buf *out;
	size_t limit; /* of out->n */
	bool is_rust, is_full;
	jmp_buf too_long;
};

/*
 * longjmp is safe where the demangler holds no heap memory. The C++ one never does. The Rust one does while it prints
 * an identifier decoded from punycode, which has letters, digits, '_' and non-ASCII characters; so it is aborted at
 * the next punctuation, and anything that can repeat itself prints some.
 */
static bool may_leave_at(const struct text_sink *sink, const char *text, size_t n)
{
	unsigned char c = n ? (unsigned char)text[0] : 'a';
	bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
	return !sink->is_rust || !(is_letter || is_digit((char)c));
}

static void take_text(const char *text, size_t n, void *opaque)
{
	struct text_sink *sink = opaque;
	sink->is_full |= n > sink->limit - sink->out->n;
	if (!sink->is_full)
		buf_add(sink->out, (struct str){ text, n });
	else if (may_leave_at(sink, text, n))
		longjmp(sink->too_long, 1);
}

/*
 * In the type of a conversion operator (`cv`) libiberty parses the arguments of a template
 * parameter, `T_I..E`, twice. Nesting them doubles its time, before it prints anything.
 */
static bool cpp_name_is_quick(const char *mangled)
{
	int n = 0;
	for (const char *at = strstr(mangled, "cv"); at && (at = strstr(at, "_I")); at++) {
		const char *digits = at;
		while (is_digit(digits[-1]))
			digits--;
		n += digits[-1] == 'T';
	}
	return n <= CPP_MAX_BACKTRACKS;
}

/* Without parameters there are no return types and no clones: only the name. */
static bool demangle_cpp_by(const char *mangled, int form, struct buf *out)
{
	const int limit = strlen(mangled) <= UNLIMITED_MAX_BYTES ? DMGL_NO_RECURSE_LIMIT : 0;
	if (!cpp_name_is_quick(mangled))
		return false;
	struct text_sink sink = { .out = out, .limit = out->n + NAME_DEMANGLED_MAX_BYTES };
	if (setjmp(sink.too_long))
		return false;
	return cplus_demangle_v3_callback(mangled, form | limit, take_text, &sink);
}

static bool demangle_cpp(const char *mangled, struct buf *out)
{
	return demangle_cpp_by(mangled, DMGL_PARAMS | DMGL_ANSI, out);
}

static bool demangle_cpp_short(const char *mangled, struct buf *out)
{
	return demangle_cpp_by(mangled, DMGL_NO_OPTS, out);
}

static bool demangle_rust(const char *mangled, struct buf *out)
{
	struct text_sink sink = {
		.out = out,
		.limit = out->n + NAME_DEMANGLED_MAX_BYTES,
		.is_rust = true,
	};
	if (setjmp(sink.too_long))
		return false;
	return rust_demangle_callback(mangled, DMGL_PARAMS | DMGL_ANSI, take_text, &sink) &&
	       !sink.is_full;
}

/* The byte that the back reference at `q_at` points to, or 0 if it is not one. */
static char d_back_reference(struct str name, size_t q_at)
{
	size_t distance = 0;
	for (size_t i = q_at + 1; i < name.n && distance <= q_at; i++) {
		char c = name.p[i];
		if (c >= 'a' && c <= 'z') {
			distance = distance * 26 + (size_t)(c - 'a');
			return distance && distance <= q_at ? name.p[q_at - distance] : 0;
		}
		if (c < 'A' || c > 'Z')
			return 0;
		distance = distance * 26 + (size_t)(c - 'A');
	}
	return 0;
}

/*
 * In the D mangling (dlang.org/spec/abi.html#back_ref) `Q` and a distance repeat an identifier,
 * which starts with a digit, or a type, which does not and may contain more references. So each
 * reference to a type can at most double the size of the text so far.
 */
static bool d_name_stays_small(struct str name)
{
	size_t expansion = name.n;
	for (size_t i = 0; i < name.n && expansion <= D_MAX_EXPANSION; i++) {
		char target = name.p[i] == 'Q' ? d_back_reference(name, i) : 0;
		if (target && !is_digit(target))
			expansion *= 2;
	}
	return name.n <= D_MAX_BYTES && expansion <= D_MAX_EXPANSION;
}

static bool demangle_d(const char *mangled, struct buf *out)
{
	if (!is_digit(mangled[2]) || !d_name_stays_small(str_from(mangled)))
		return false;
	AUTO_FREE char *text = dlang_demangle(mangled, DMGL_PARAMS | DMGL_ANSI);
	if (!text || strlen(text) > NAME_DEMANGLED_MAX_BYTES)
		return false;
	buf_add(out, str_from(text));
	return true;
}

static size_t clone_word_length(struct str s, bool is_word_char(char))
{
	size_t n = 1;
	while (n < s.n && is_word_char(s.p[n]))
		n++;
	return s.n && s.p[0] == '.' && n > 1 ? n : 0;
}

static bool is_clone_letter(char c)
{
	return (c >= 'a' && c <= 'z') || c == '_';
}

/*
 * Appends clone suffixes as the C++ demangler prints them: one clone is `.word`, `.word.1` or `.1`.
 * Returns false if s is anything else.
 */
static bool add_clones(struct str s, struct buf *out)
{
	while (s.n) {
		size_t n = clone_word_length(s, is_clone_letter), more;
		while ((more = clone_word_length(str_from_byte(s, n), is_digit)))
			n += more;
		if (n == 0)
			return false;
		buf_add(out, STR(" [clone "));
		buf_add(out, str_first(s, n));
		buf_add_char(out, ']');
		s = str_from_byte(s, n);
	}
	return true;
}

/* Where a legacy Rust name ends and its clones begin: after `17h`, 16 digits and `E`; 0 for C++. */
static size_t rust_legacy_end(struct str name)
{
	const size_t tail = sizeof("17h0123456789abcdefE") - 1;
	for (size_t end = name.n; end >= tail; end--) {
		const char *p = name.p + end - tail;
		if (p[tail - 1] == 'E' && p[0] == '1' && p[1] == '7' && p[2] == 'h' &&
		    (end == name.n || name.p[end] == '.'))
			return end;
	}
	return 0;
}

/* For demanglers that do not know clones: they see only the first `end` bytes. is_short: do not show the clones. */
static bool demangle_before_clones(demangler *demangle, char *mangled, size_t end, bool is_short,
				   struct buf *out)
{
	size_t start = out->n;
	char after = mangled[end];
	mangled[end] = '\0';
	bool ok = demangle(mangled, out);
	mangled[end] = after;
	size_t shown = out->n;
	if (ok && add_clones(str_from(mangled + end), out)) {
		out->n = is_short ? shown : out->n;
		return true;
	}
	out->n = start;
	return false;
}

/*
 * A non-member operator takes a class or an enum, whose mangling has a digit or a capital letter;
 * so `_Zadd` is a C function and not `operator&(double)`. The exception is operator new.
 */
static bool is_plain_word(const char *mangled)
{
	bool is_new = mangled[2] == 'n' && (mangled[3] == 'w' || mangled[3] == 'a') &&
		      (mangled[4] == 'm' || mangled[4] == 'j');
	size_t n = 2;
	while (is_clone_letter(mangled[n]))
		n++;
	return !mangled[n] && !is_new;
}

static bool demangle_cpp_or_rust(char *mangled, bool is_short, struct buf *out)
{
	demangler *cpp = is_short ? demangle_cpp_short : demangle_cpp;
	size_t start = out->n, rust_end = rust_legacy_end(str_from(mangled));
	if (rust_end && demangle_before_clones(demangle_rust, mangled, rust_end, is_short, out))
		return true;
	if (is_plain_word(mangled))
		return false;
	if (cpp(mangled, out))
		return true;
	out->n = start;
	/* libiberty accepts clones of functions only, not those of variables and vtables. */
	size_t end = rust_end ? rust_end : strcspn(mangled, ".");
	return mangled[end] && demangle_before_clones(cpp, mangled, end, is_short, out);
}

static bool demangle_c_string(char *mangled, bool is_short, struct buf *out)
{
	switch (mangled[1]) {
	case 'Z':
		return demangle_cpp_or_rust(mangled, is_short, out);
	case 'R':
		return mangled[2] >= 'A' && mangled[2] <= 'Z' &&
		       demangle_before_clones(demangle_rust, mangled, strcspn(mangled, "."),
					      is_short, out);
	case 'D':
		return demangle_before_clones(demangle_d, mangled, strcspn(mangled, "."), is_short,
					      out);
	default:
		return false;
	}
}

/* macOS adds an underscore to every name, and some tools add another. */
static struct str without_extra_underscores(struct str name)
{
	size_t n = 0;
	while (n < name.n && name.p[n] == '_')
		n++;
	return n > 1 && n < name.n && name.p[n] == 'Z' ? str_from_byte(name, n - 1) : name;
}

static bool demangle(struct str name, bool is_short, struct buf *out)
{
	char mangled[NAME_MANGLED_MAX_BYTES + 1];
	if (name.n < 4 || name.n > NAME_MANGLED_MAX_BYTES || name.p[0] != '_')
		return false;
	name = without_extra_underscores(name);
	ptrdiff_t at = str_find_char(name, '@');
	struct str version = str_from_byte(name, at < 0 ? name.n : (size_t)at);
	size_t n = name.n - version.n;
	if (memchr(name.p, '\0', n))
		return false;
	memcpy(mangled, name.p, n);
	mangled[n] = '\0';

	size_t start = out->n;
	if (!demangle_c_string(mangled, is_short, out)) {
		out->n = start;
		return false;
	}
	buf_add(out, version);
	return true;
}

bool name_demangle(struct str name, struct buf *out)
{
	return demangle(name, false, out);
}

bool name_demangle_short(struct str name, struct buf *out)
{
	return demangle(name, true, out);
}
