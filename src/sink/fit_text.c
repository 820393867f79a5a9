#include "sink/fit_text.h"

#include "query/query.h"

struct str fit_ellipsis(bool unicode)
{
	return unicode ? STR("\xe2\x80\xa6") : STR("..");
}

/* Marks that turn the direction of the text behind them: a name could pose as another. */
static bool turns_direction(uint32_t code)
{
	return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

struct str fit_known(struct str name)
{
	return name.n ? name : STR("(no name)");
}

struct str fit_module(struct str module)
{
	struct str name = str_basename(module);
	if (str_starts(name, STR("[kernel")))
		return STR("[kernel]");
	if (str_starts(name, STR("perf-")) && str_ends(name, STR(".map")))
		return STR("[jit]");
	return name;
}

void fit_add_safe(struct buf *out, struct str s)
{
	for (size_t at = 0; at < s.n;) {
		size_t start = at;
		uint32_t code = utf8_next(s, &at);
		if (code < ' ' || (code >= 0x7f && code < 0xa0) || code == UTF8_REPLACEMENT ||
		    turns_direction(code))
			buf_add_char(out, '?');
		else
			buf_add(out, (struct str){ s.p + start, at - start });
	}
}

/* --- parts of names --- */

struct str fit_without_place(struct str name)
{
	ptrdiff_t at = name_place_at(name);
	return at < 0 ? name : str_first(name, (size_t)at - 1);
}

struct str fit_place(struct str name)
{
	ptrdiff_t at = name_place_at(name);
	return at < 0 ? STR("") : str_from_byte(name, (size_t)at);
}

/* The end of what opens at `at`, one past its bracket; 0: it has none. */
static size_t closing_of(struct str s, size_t at, char opens, char closes)
{
	size_t depth = 0;
	for (size_t i = at; i < s.n; i++) {
		if (s.p[i] == opens)
			depth++;
		else if (s.p[i] == closes && !(closes == '>' && i && s.p[i - 1] == '-') && !--depth)
			return i + 1;
	}
	return 0;
}

static bool is_part_of_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_part_of_name(char c)
{
	return is_part_of_word(c) || c == '>' || c == ']';
}

/* `operator()`, `operator<<`: so many bytes of name at `at` are the operator's own; 0: none. */
static size_t operator_at(struct str name, size_t at)
{
	if (!str_ends(str_first(name, at), STR("operator")))
		return 0;
	struct str rest = str_from_byte(name, at);
	if (str_starts(rest, STR("()")))
		return 2;
	size_t n = 0;
	while (n < rest.n && memchr("<>=!+-*/%&|^~,[]", rest.p[n], 16))
		n++;
	return n;
}

/* Arguments and template arguments follow a name; `(anonymous namespace)` and Rust's `<T as U>` do not. */
static void add_without_arguments(struct buf *out, struct str name)
{
	size_t operator_end = 0;
	for (size_t i = 0; i < name.n;) {
		char c = name.p[i];
		size_t own = operator_at(name, i), end = 0;
		bool follows = i && (is_part_of_name(name.p[i - 1]) || i == operator_end);
		if (own) {
			buf_add(out, str_first(str_from_byte(name, i), own));
			i = operator_end = i + own;
			continue;
		}
		if (follows && (c == '<' || c == '('))
			end = closing_of(name, i, c, c == '<' ? '>' : ')');
		if (end && c == '<')
			buf_add(out, STR("<>"));
		if (!end) {
			buf_add_char(out, c);
			end = i + 1;
		}
		i = end;
	}
}

/* A place without its folders and column. */
static void add_short_place(struct buf *out, struct str place)
{
	struct str file = str_basename(place);
	ptrdiff_t last = str_find_last_char(file, ':');
	ptrdiff_t before = last > 0 ? str_find_last_char(str_first(file, (size_t)last), ':') : -1;
	bool has_column = before > 0 && is_digit(file.p[before + 1]);
	fit_add_safe(out, has_column ? str_first(file, (size_t)last) : file);
}

/* --- cutting --- */

void fit_add_start(struct buf *out, struct str text, size_t columns, bool unicode)
{
	struct str dots = fit_ellipsis(unicode);
	size_t dot_columns = utf8_count(dots);
	if (utf8_count(text) <= columns) {
		fit_add_safe(out, text);
	} else if (columns > dot_columns) {
		fit_add_safe(out, str_first(text, utf8_bytes_of(text, columns - dot_columns)));
		buf_add(out, dots);
	}
}

void fit_add_end(struct buf *out, struct str text, size_t columns, bool unicode)
{
	struct str dots = fit_ellipsis(unicode);
	size_t dot_columns = utf8_count(dots), count = utf8_count(text);
	if (count <= columns) {
		fit_add_safe(out, text);
	} else if (columns > dot_columns) {
		size_t cut = count - (columns - dot_columns);
		struct str end = str_from_byte(text, utf8_bytes_of(text, cut));
		ptrdiff_t slash = str_find_char(end, '/'); /* half a folder's name tells nothing */
		buf_add(out, dots);
		fit_add_safe(out, str_from_byte(end, slash > 0 ? (size_t)slash : 0));
	}
}

/* Where the last `count` components begin, `a::b` being two; the whole when there are fewer. */
static size_t last_components(struct str name, struct str separator, unsigned count)
{
	size_t at = name.n;
	int depth = 0; /* inside brackets separators do not count */
	while (at >= separator.n) {
		char c = name.p[at - 1];
		depth += c == '>' || c == ')' || c == ']' || c == '}';
		depth -= c == '<' || c == '(' || c == '[' || c == '{';
		if (depth <= 0 && str_ends(str_first(name, at), separator) && !--count)
			return at;
		at--;
	}
	return 0;
}

/* What compilers and Go put behind a dot: `f.part.0`, `f.func1`. It names nothing by itself. */
static bool begins_with_clone(struct str s)
{
	static const char *const words[] = { "constprop", "part",     "isra",	    "cold",
					     "clone",	  "lto_priv", "localalias", "llvm",
					     "abi",	  "func",     "gowrap",	    "deferwrap" };
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_starts(s, str_from(words[i])))
			return true;
	return !s.n || !(is_part_of_word(s.p[0]) || s.p[0] == '(') || is_digit(s.p[0]);
}

/* Where the function begins in `http.(*conn).serve`, `Socket._write`; 0: it has no such qualifier. */
static size_t after_last_dot(struct str name)
{
	for (size_t at = last_components(name, STR("."), 1); at > 0;
	     at = last_components(str_first(name, at - 1), STR("."), 1))
		if (!begins_with_clone(str_from_byte(name, at)))
			return at > 1 && (is_part_of_name(name.p[at - 2]) || name.p[at - 2] == ')')
				       ? at
				       : 0;
	return 0;
}

/* `{lambda#1}`, `operator()`, `_FUN`: whose, only the component before it says. */
static bool is_telling(struct str component)
{
	return !str_starts(component, STR("{")) && !str_starts(component, STR("operator()")) &&
	       !str_starts(component, STR("_FUN"));
}

/* The last `count` components, and more until one of them tells something; 0: all. */
static size_t telling_components(struct str name, unsigned count)
{
	for (size_t before = name.n;;) {
		size_t at = last_components(name, STR("::"), count++);
		struct str added = { name.p + at, before - at };
		ptrdiff_t colons = str_find(added, STR("::"));
		if (!at || is_telling(colons > 0 ? str_first(added, (size_t)colons) : added))
			return at;
		before = at;
	}
}

/* What a lambda is called through says nothing beside the lambda. */
static struct str without_thunk(struct str name)
{
	static const char *const thunks[] = { "}::_FUN", "}::operator()", "}::operator() const" };
	for (size_t i = 0; i < ARRAY_SIZE(thunks); i++)
		if (str_ends(name, str_from(thunks[i])))
			return str_first(name, name.n - strlen(thunks[i]) + 1);
	return name;
}

struct str fit_innermost(struct str name)
{
	size_t at = telling_components(name, 1);
	return str_from_byte(name, at ? at : after_last_dot(name));
}

/* With as many of its classes and packages as have room: `ComparableTimSort.mergeHi`. */
static struct str innermost_within(struct str name, size_t columns)
{
	struct str inner = fit_innermost(name);
	size_t at = (size_t)(inner.p - name.p);
	while (at > 1 && name.p[at - 1] == '.') {
		size_t before = last_components(str_first(name, at - 1), STR("."), 1);
		if (!before || utf8_count(str_from_byte(name, before)) > columns)
			break;
		at = before;
	}
	return str_from_byte(name, at);
}

/*
 * What a name is called among people: `PipelineImpl::OptimizeGraph`, `TreeMap.computeIfAbsent`, `http.(*conn).serve`.
 */
static struct str brief(struct str name)
{
	enum { KEPT = 2 };
	name = without_thunk(name);
	if (str_find(name, STR("::")) >= 0)
		return str_from_byte(name, telling_components(name, KEPT));
	ptrdiff_t blank = str_find_last_char(name, ' ');
	bool is_java = blank > 0 && str_find_char(str_from_byte(name, (size_t)blank), '.') >= 0;
	if (is_java) { /* a type, a blank, a class and a method */
		name = str_from_byte(name, (size_t)blank + 1);
		return str_from_byte(name, last_components(name, STR("."), KEPT));
	}
	return str_basename(name);
}

/* The function of a name, without arguments. */
static void add_function(struct buf *out, struct str name)
{
	enum { LONGEST = 4096 }; /* brackets without an end would cost its square */
	AUTO(buf) struct buf text = { 0 };
	if (name.n <= LONGEST)
		add_without_arguments(&text, fit_without_place(name));
	fit_add_safe(out, name.n <= LONGEST ? buf_str(&text) : name);
}

static bool fits(const struct buf *text, size_t columns)
{
	return utf8_count(buf_str(text)) <= columns;
}

void fit_add_brief(struct buf *out, struct str name)
{
	AUTO(buf) struct buf text = { 0 };
	struct str place = fit_place(name);
	add_function(&text, fit_known(name));
	buf_add(out, brief(buf_str(&text)));
	if (place.n) {
		buf_add_char(out, ' ');
		add_short_place(out, place);
	}
}

/*
 * `[libx264.so.164]+0x522d0` as `[libx2..]+0x522d0`: many frames have the file, only this function has the offset.
 * False: it is another name.
 */
static bool add_short_offset(struct buf *out, struct str name, size_t columns, bool unicode)
{
	ptrdiff_t at = str_find(name, STR("]+0x"));
	struct str dots = fit_ellipsis(unicode);
	if (at <= 0 || name.p[0] != '[')
		return false;
	struct str file = str_first(name, (size_t)at), offset = str_from_byte(name, (size_t)at + 1);
	size_t beside = utf8_count(dots) + 1 + utf8_count(offset);
	if (columns > beside) {
		fit_add_safe(out, str_first(file, utf8_bytes_of(file, columns - beside)));
		buf_add(out, dots);
		buf_add_char(out, ']');
	}
	fit_add_start(out, offset, columns, unicode);
	return true;
}

void fit_add_name(struct buf *out, struct str name, size_t columns, bool unicode)
{
	AUTO(buf) struct buf text = { 0 };
	struct str place = fit_place(name);
	name = fit_known(name);
	fit_add_safe(&text, name);
	if (!fits(&text, columns) && add_short_offset(out, name, columns, unicode))
		return;
	if (!fits(&text, columns)) {
		text.n = 0;
		add_function(&text, name);
		if (place.n) {
			buf_add_char(&text, ' ');
			add_short_place(&text, place);
		}
	}
	if (!fits(&text, columns)) {
		text.n = 0;
		fit_add_brief(&text, name);
	}
	if (!fits(&text, columns) && place.n) { /* the function before its place */
		text.n = 0;
		add_function(&text, name);
	}
	bool is_long = utf8_count(buf_str(&text)) > columns;
	struct str rest = is_long ? innermost_within(buf_str(&text), columns) : buf_str(&text);
	fit_add_start(out, rest, columns, unicode);
}

/* --- names that look alike --- */

struct fit_common fit_common(struct str a, struct str b)
{
	struct fit_common c = { 0 };
	size_t most = a.n < b.n ? a.n : b.n;
	while (c.before < most && a.p[c.before] == b.p[c.before])
		c.before++;
	while (c.after < most - c.before && a.p[a.n - 1 - c.after] == b.p[b.n - 1 - c.after])
		c.after++;
	return c;
}

static bool is_inside_word(struct str name, size_t at)
{
	return at > 0 && at < name.n && is_part_of_word(name.p[at - 1]) &&
	       is_part_of_word(name.p[at]);
}

static bool is_inside_character(struct str name, size_t at)
{
	return at > 0 && at < name.n && ((unsigned char)name.p[at] & 0xc0) == 0x80;
}

/* What only this name has, in whole words where they are short. */
static struct str own_part(struct str name, struct fit_common common)
{
	enum { LONG_WORD = 16 };
	size_t from = common.before, to = name.n - common.after;
	while (is_inside_word(name, from) && common.before - from < LONG_WORD)
		from--;
	if (is_inside_word(name, from))
		from = common.before;
	while (is_inside_word(name, to))
		to++;
	while (is_inside_character(name, from))
		from--;
	while (is_inside_character(name, to))
		to++;
	return (struct str){ name.p + from, to - from };
}

/* `vector<>::at` and `int`: `vector<..int..>::at`; without brackets `at {..int..}`. */
static void add_own_part(struct buf *out, struct str text, struct str own, bool unicode)
{
	struct str dots = fit_ellipsis(unicode);
	ptrdiff_t at = str_find(text, STR("<>"));
	size_t before = at < 0 ? text.n : (size_t)at + 1;
	buf_add(out, str_first(text, before));
	buf_add(out, at < 0 ? STR(" {") : STR(""));
	buf_add(out, dots);
	buf_add(out, own);
	buf_add(out, dots);
	buf_add(out, at < 0 ? STR("}") : STR(""));
	buf_add(out, str_from_byte(text, before));
}

void fit_add_own(struct buf *out, struct str name, struct fit_common common, size_t columns,
		 bool unicode)
{
	AUTO(buf) struct buf own = { 0 };
	size_t beside = 2 * utf8_count(fit_ellipsis(unicode)) + 3;
	struct str part = own_part(name, common);
	if (!part.n || columns <= beside)
		return;
	size_t width = utf8_count(part), room = columns - beside;
	fit_add_safe(&own, str_first(part, utf8_bytes_of(part, width < room ? width : room)));
	add_own_part(out, STR(""), buf_str(&own), unicode);
}

void fit_add_different(struct buf *out, struct str name, struct fit_common common, size_t columns,
		       bool unicode)
{
	enum { LEAST = 18 };
	AUTO(buf) struct buf own = { 0 };
	AUTO(buf) struct buf text = { 0 };
	size_t beside = 2 * utf8_count(fit_ellipsis(unicode)) + 3;
	struct str part = own_part(name, common);
	if (columns < LEAST || !part.n) {
		fit_add_name(out, name, columns, unicode);
		return;
	}
	size_t width = utf8_count(part), half = columns / 2 - beside;
	fit_add_name(&text, name, columns - beside - (width < half ? width : half), unicode);
	size_t room = columns - beside - utf8_count(buf_str(&text));
	fit_add_safe(&own, str_first(part, utf8_bytes_of(part, room < width ? room : width)));
	add_own_part(out, buf_str(&text), buf_str(&own), unicode);
}
