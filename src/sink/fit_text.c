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

/*
 * Arguments and template arguments follow a name; `(anonymous namespace)` and Rust's `<T as U>` do
 * not.
 */
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

/* The function alone: `OptimizeGraph`. */
static struct str innermost(struct str name)
{
	size_t at = telling_components(name, 1);
	return str_from_byte(name, at ? at : after_last_dot(name));
}

/* With as many of its classes and packages as have room: `ComparableTimSort.mergeHi`. */
static struct str innermost_within(struct str name, size_t columns)
{
	struct str inner = innermost(name);
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
 * What a name is called among people: `PipelineImpl::OptimizeGraph`, `TreeMap.computeIfAbsent`,
 * `http.(*conn).serve`.
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

/* --- chains --- */

/* Some links of a chain as they are shown: the first ones and the last ones. */
struct parts {
	const struct fit_chain *chain;
	size_t columns;
	struct buf *p;
	bool *is_shown;
	uint32_t n;	/* at most so many have room; stacks may be a million frames deep */
	uint32_t front; /* of them the first ones of the chain; the others are its last */
};

static size_t width_of(const struct buf *b)
{
	return utf8_count(buf_str(b));
}

static void add_joined(struct buf *out, const struct parts *parts, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		if (i > from)
			buf_add(out, parts->chain->arrow);
		buf_add(out, buf_str(&parts->p[i]));
	}
}

static size_t joined_width(const struct parts *parts)
{
	size_t width = parts->chain->arrow.n * (parts->n - 1);
	for (uint32_t i = 0; i < parts->n; i++)
		width += width_of(&parts->p[i]);
	return width;
}

static const struct fit_link *link_of(const struct parts *parts, uint32_t i)
{
	return &parts->chain->links[i < parts->front ? i : parts->chain->n - parts->n + i];
}

static void fit_part(const struct parts *parts, uint32_t i, size_t columns)
{
	const struct fit_link *link = link_of(parts, i);
	size_t mark = utf8_count(link->mark), room = columns > mark ? columns - mark : 0;
	AUTO(buf) struct buf brief_name = { 0 };
	fit_add_brief(&brief_name, link->name);
	bool is_brief = fit_place(link->name).n && width_of(&brief_name) <= room;
	parts->p[i].n = 0;
	if (is_brief)
		buf_add(&parts->p[i], buf_str(&brief_name));
	else
		fit_add_name(&parts->p[i], link->name, room, parts->chain->unicode);
	buf_add(&parts->p[i], link->mark);
}

static void brief_part(const struct parts *parts, uint32_t i)
{
	parts->p[i].n = 0;
	fit_add_brief(&parts->p[i], link_of(parts, i)->name);
	buf_add(&parts->p[i], link_of(parts, i)->mark);
}

/* The one that matters gets its room first, the other what is left, but a few letters at least. */
static void fit_ends(const struct parts *parts)
{
	enum { FEW = 12 };
	const struct fit_chain *c = parts->chain;
	uint32_t major = c->first_matters ? 0 : parts->n - 1, minor = parts->n - 1 - major;
	size_t dots = c->n > 2 ? utf8_count(fit_ellipsis(c->unicode)) + c->arrow.n : 0;
	size_t gap = dots + c->arrow.n;
	size_t room = parts->columns > gap + 2 ? parts->columns - gap : 2;
	size_t for_major = width_of(&parts->p[major]), for_minor = width_of(&parts->p[minor]);
	if (for_major + for_minor <= room)
		return;
	size_t least = for_minor < FEW ? for_minor : FEW;
	least = least > room / 3 ? room / 3 : least;
	for_major = for_major + least <= room ? for_major : room - least;
	fit_part(parts, major, for_major);
	fit_part(parts, minor, room - for_major);
}

/* --- which links of a chain are shown --- */

/* How short names of a chain are made, so that those of a higher rank have room. */
enum shortness { BRIEF, ENDS_ALONE, WITHOUT_PLACES };

static bool is_end(const struct parts *parts, uint32_t i)
{
	return i == 0 || i + 1 == parts->n;
}

/* Without a place nobody knows which one it is. */
static bool needs_place(struct str name)
{
	return str_starts(name, STR("(anonymous"));
}

static void shorten_part(const struct parts *parts, uint32_t i, enum shortness how)
{
	const struct fit_link *link = link_of(parts, i);
	AUTO(buf) struct buf text = { 0 };
	brief_part(parts, i);
	if (how >= ENDS_ALONE && is_end(parts, i) && !link->rank) {
		fit_add_brief(&text, fit_without_place(link->name));
		parts->p[i].n = 0;
		buf_add(&parts->p[i], innermost(buf_str(&text)));
		buf_add(&parts->p[i], link->mark);
	} else if (how == WITHOUT_PLACES && fit_place(link->name).n && !needs_place(link->name)) {
		parts->p[i].n = 0;
		fit_add_brief(&parts->p[i], fit_without_place(link->name));
		buf_add(&parts->p[i], link->mark);
	}
}

/* What is between two links that are shown, with nothing shown between them. */
static size_t gap_width(const struct parts *parts, uint32_t from, uint32_t to)
{
	const struct fit_chain *c = parts->chain;
	bool is_wide =
		to - from > 1 || (parts->n < c->n && from < parts->front && to >= parts->front);
	return c->arrow.n + (is_wide ? utf8_count(fit_ellipsis(c->unicode)) + c->arrow.n : 0);
}

static size_t shown_width(const struct parts *parts)
{
	size_t width = width_of(&parts->p[0]);
	for (uint32_t i = 1, last = 0; i < parts->n; i++)
		if (parts->is_shown[i]) {
			width += gap_width(parts, last, i) + width_of(&parts->p[i]);
			last = i;
		}
	return width;
}

/* Shows link i if that fits; used: the columns taken. */
static bool show_link(const struct parts *parts, uint32_t i, size_t *used)
{
	uint32_t before = i, after = i;
	while (!parts->is_shown[--before])
		;
	while (!parts->is_shown[++after])
		;
	size_t width = *used + width_of(&parts->p[i]) + gap_width(parts, before, i) +
		       gap_width(parts, i, after) - gap_width(parts, before, after);
	if (width > parts->columns)
		return false;
	*used = width;
	parts->is_shown[i] = true;
	return true;
}

/* The n-th link from the one that matters, the ends aside. */
static uint32_t nth_link(const struct parts *parts, uint32_t n)
{
	return parts->chain->first_matters ? n + 1 : parts->n - 2 - n;
}

/* Shows links of a rank, the nearest to the one that matters first; false when one of `wanted` has no room. */
static bool show_rank(const struct parts *parts, unsigned rank, uint32_t *wanted, size_t *used)
{
	enum { MOST_MISSES = 8 };
	bool fits = true;
	for (uint32_t n = 0, misses = 0; n + 2 < parts->n && misses < MOST_MISSES; n++) {
		uint32_t i = nth_link(parts, n);
		if (link_of(parts, i)->rank != rank)
			continue;
		bool has_room = show_link(parts, i, used);
		misses += !has_room;
		fits &= has_room || !*wanted;
		*wanted -= *wanted > 0;
	}
	return fits;
}

/* The ends and what has a rank. False when not even the first `wanted` of those have room. */
static bool show_ranked(const struct parts *parts, uint32_t wanted, size_t *used)
{
	bool fits = true;
	for (uint32_t i = 0; i < parts->n; i++)
		parts->is_shown[i] = is_end(parts, i);
	*used = shown_width(parts);
	for (unsigned rank = FIT_RANKS - 1; rank > 0; rank--)
		fits &= show_rank(parts, rank, &wanted, used);
	return fits;
}

static bool has_ranks(const struct parts *parts)
{
	for (uint32_t i = 1; i + 1 < parts->n; i++)
		if (link_of(parts, i)->rank)
			return true;
	return false;
}

static bool show_as(const struct parts *parts, enum shortness how, uint32_t wanted, size_t *used)
{
	for (uint32_t i = 0; i < parts->n; i++)
		shorten_part(parts, i, how);
	fit_ends(parts);
	return show_ranked(parts, wanted, used);
}

/* Names are made shorter only where that makes room for functions of the program: two, or one. */
static size_t show_most_ranked(const struct parts *parts)
{
	size_t used = 0;
	for (uint32_t wanted = has_ranks(parts) ? 2 : 0; wanted > 0; wanted--)
		for (enum shortness how = BRIEF; how <= WITHOUT_PLACES; how++)
			if (show_as(parts, how, wanted, &used))
				return used;
	show_as(parts, BRIEF, 0, &used);
	return used;
}

/* The ends always; then functions of the program; then those next to the one that matters. */
static void choose_links(const struct parts *parts)
{
	size_t used = show_most_ranked(parts);
	for (uint32_t n = 0; n + 2 < parts->n; n++) {
		uint32_t i = nth_link(parts, n);
		if (!parts->is_shown[i] && !show_link(parts, i, &used))
			return;
	}
}

static void add_shown(struct buf *out, const struct parts *parts)
{
	const struct fit_chain *c = parts->chain;
	buf_add(out, buf_str(&parts->p[0]));
	for (uint32_t i = 1, last = 0; i < parts->n; i++) {
		if (!parts->is_shown[i])
			continue;
		buf_add(out, c->arrow);
		if (gap_width(parts, last, i) > c->arrow.n) {
			buf_add(out, fit_ellipsis(c->unicode));
			buf_add(out, c->arrow);
		}
		buf_add(out, buf_str(&parts->p[i]));
		last = i;
	}
}

void fit_add_chain(struct buf *out, const struct fit_chain *chain, size_t columns)
{
	uint32_t most = columns < 2 ? 2 : columns > chain->n ? chain->n : (uint32_t)columns;
	uint32_t n = chain->n < most ? chain->n : most;
	AUTO_FREE bool *is_shown = mem_zalloc(n, sizeof(bool));
	struct parts parts = { chain, columns, mem_zalloc(n, sizeof(struct buf)), is_shown, n, 1 };
	if (chain->first_matters)
		parts.front = n - 1;
	if (n == chain->n)
		parts.front = n;
	for (uint32_t i = 0; i < n; i++)
		fit_part(&parts, i, n == 1 ? columns : SIZE_MAX);
	bool is_long = n > 1 && joined_width(&parts) > columns;
	for (uint32_t i = 0; is_long && i < n; i++)
		brief_part(&parts, i);
	if (n == chain->n && (n == 1 || joined_width(&parts) <= columns)) {
		add_joined(out, &parts, 0, n);
	} else {
		choose_links(&parts);
		add_shown(out, &parts);
	}
	for (uint32_t i = 0; i < n; i++)
		buf_fini(&parts.p[i]);
	free(parts.p);
}
