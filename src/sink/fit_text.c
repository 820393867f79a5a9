#include "sink/fit_text.h"

struct str fit_ellipsis(bool unicode)
{
	return unicode ? STR("\xe2\x80\xa6") : STR("..");
}

void fit_add_safe(struct buf *out, struct str s)
{
	for (size_t at = 0; at < s.n;) {
		size_t start = at;
		uint32_t code = utf8_next(s, &at);
		if (code < ' ' || (code >= 0x7f && code < 0xa0) || code == UTF8_REPLACEMENT)
			buf_add_char(out, '?');
		else
			buf_add(out, (struct str){ s.p + start, at - start });
	}
}

/* --- parts of names --- */

/* ` /srv/a.js:12:3` at the end: a blank, anything, a colon and digits. Its start, or -1. */
static ptrdiff_t place_at(struct str name)
{
	size_t digits = 0;
	while (digits < name.n && is_digit(name.p[name.n - 1 - digits]))
		digits++;
	if (!digits || digits == name.n || name.p[name.n - 1 - digits] != ':')
		return -1;
	ptrdiff_t blank = str_find_last_char(name, ' ');
	bool is_name_before = blank > 0 && name.p[blank - 1] != ' ';
	return is_name_before && (size_t)blank + 1 < name.n - 1 - digits ? blank + 1 : -1;
}

struct str fit_without_place(struct str name)
{
	ptrdiff_t at = place_at(name);
	return at < 0 ? name : str_first(name, (size_t)at - 1);
}

struct str fit_place(struct str name)
{
	ptrdiff_t at = place_at(name);
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

static bool is_part_of_name(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '>' || c == ']';
}

/* Template arguments follow a name, and arguments too; `(anonymous namespace)` and Rust's `<T as U>` do not. */
static void add_without_arguments(struct buf *out, struct str name)
{
	for (size_t i = 0; i < name.n;) {
		char c = name.p[i];
		size_t end = 0;
		bool follows = i && is_part_of_name(name.p[i - 1]) &&
			       !str_ends(str_first(name, i), STR("operator"));
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
		buf_add(out, dots);
		fit_add_safe(out, str_from_byte(text, utf8_bytes_of(text, cut)));
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

/*
 * What a name is called among people: `PipelineImpl::OptimizeGraph`, `TreeMap.computeIfAbsent`,
 * `http.(*conn).serve`.
 */
static struct str brief(struct str name)
{
	enum { KEPT = 2 };
	if (str_find(name, STR("::")) >= 0)
		return str_from_byte(name, last_components(name, STR("::"), KEPT));
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
	AUTO(buf) struct buf text = { 0 };
	add_without_arguments(&text, fit_without_place(name));
	fit_add_safe(out, buf_str(&text));
}

static bool fits(const struct buf *text, size_t columns)
{
	return utf8_count(buf_str(text)) <= columns;
}

void fit_add_brief(struct buf *out, struct str name)
{
	AUTO(buf) struct buf text = { 0 };
	struct str place = fit_place(name);
	add_function(&text, name);
	buf_add(out, brief(buf_str(&text)));
	if (place.n) {
		buf_add_char(out, ' ');
		add_short_place(out, place);
	}
}

void fit_add_name(struct buf *out, struct str name, size_t columns, bool unicode)
{
	AUTO(buf) struct buf text = { 0 };
	struct str place = fit_place(name);
	fit_add_safe(&text, name);
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
	bool is_scoped = !place.n && str_find(buf_str(&text), STR("::")) >= 0;
	(is_scoped ? fit_add_end : fit_add_start)(out, buf_str(&text), columns, unicode);
}

/* --- chains --- */

static const struct str arrow = STR(" > ");

struct chain {
	const struct fit_link *links;
	uint32_t total;
	uint32_t n; /* of them at hand: the first and those at the end */
	size_t columns;
	bool unicode;
	bool is_cut; /* n is less than total */
	struct buf *parts;
};

static size_t width_of(const struct buf *b)
{
	return utf8_count(buf_str(b));
}

static void add_joined(struct buf *out, const struct buf *parts, uint32_t from, uint32_t n)
{
	for (uint32_t i = from; i < n; i++) {
		if (i > from)
			buf_add(out, arrow);
		buf_add(out, buf_str(&parts[i]));
	}
}

static size_t joined_width(const struct buf *parts, uint32_t n)
{
	size_t width = n ? arrow.n * (n - 1) : 0;
	for (uint32_t i = 0; i < n; i++)
		width += width_of(&parts[i]);
	return width;
}

/* first > ... > those that fit > last; is_cut: there are more behind the first. */
static void add_ends(struct buf *out, const struct chain *c)
{
	struct str dots = fit_ellipsis(c->unicode);
	size_t gap = utf8_count(dots) + 2 * arrow.n;
	size_t used = width_of(&c->parts[0]) + gap + width_of(&c->parts[c->n - 1]);
	uint32_t from = c->n - 1;
	while (from > 1 && used + arrow.n + width_of(&c->parts[from - 1]) <= c->columns)
		used += arrow.n + width_of(&c->parts[--from]);
	buf_add(out, buf_str(&c->parts[0]));
	buf_add(out, arrow);
	if (from > 1 || c->is_cut) {
		buf_add(out, dots);
		buf_add(out, arrow);
	}
	add_joined(out, c->parts, from, c->n);
}

static const struct fit_link *link_of_part(const struct chain *c, uint32_t i)
{
	return &c->links[i ? c->total - c->n + i : 0];
}

static void fit_part(const struct chain *c, uint32_t i, size_t columns)
{
	const struct fit_link *link = link_of_part(c, i);
	size_t mark = utf8_count(link->mark);
	c->parts[i].n = 0;
	fit_add_name(&c->parts[i], link->name, columns > mark ? columns - mark : 0, c->unicode);
	buf_add(&c->parts[i], link->mark);
}

static void brief_part(const struct chain *c, uint32_t i)
{
	c->parts[i].n = 0;
	fit_add_brief(&c->parts[i], link_of_part(c, i)->name);
	buf_add(&c->parts[i], link_of_part(c, i)->mark);
}

/* The first name gets what the last one leaves, but not less than a few letters. */
static void fit_ends(const struct chain *c)
{
	enum { FEW = 12 };
	size_t dots = c->total > 2 ? utf8_count(fit_ellipsis(c->unicode)) + arrow.n : 0;
	size_t gap = dots + arrow.n;
	size_t room = c->columns > gap + 2 ? c->columns - gap : 2;
	size_t first = width_of(&c->parts[0]), last = width_of(&c->parts[c->n - 1]);
	if (first + last <= room)
		return;
	size_t least_first = first < FEW ? first : FEW;
	least_first = least_first > room / 3 ? room / 3 : least_first;
	size_t for_last = last + least_first <= room ? last : room - least_first;
	fit_part(c, c->n - 1, for_last);
	fit_part(c, 0, room - for_last);
}

void fit_add_chain(struct buf *out, const struct fit_link *links, uint32_t n, size_t columns,
		   bool unicode)
{
	/* Stacks may be a million frames deep; not more than so many have room. */
	uint32_t kept = n < columns ? n : columns < 2 ? 2 : (uint32_t)columns;
	kept = kept < n ? kept : n;
	struct chain c = {
		links, n, kept, columns, unicode, kept < n, mem_zalloc(kept, sizeof(struct buf))
	};
	for (uint32_t i = 0; i < kept; i++)
		fit_part(&c, i, n == 1 ? columns : SIZE_MAX);
	for (uint32_t i = 0; n > 1 && i < kept && joined_width(c.parts, kept) > columns; i++)
		brief_part(&c, i);
	if (!c.is_cut && (n == 1 || joined_width(c.parts, kept) <= columns)) {
		add_joined(out, c.parts, 0, kept);
	} else {
		fit_ends(&c);
		add_ends(out, &c);
	}
	for (uint32_t i = 0; i < kept; i++)
		buf_fini(&c.parts[i]);
	free(c.parts);
}
