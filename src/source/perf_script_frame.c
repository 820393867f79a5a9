/* Frame lines and source lines of perf script text (tools/perf/util/evsel_fprintf.c, sample__fprintf_callchain). */
#include "source/perf_script_int.h"

static struct str skip_blanks(struct str s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = str_from_byte(s, 1);
	return s;
}

static bool take_address(struct str *rest, struct script_frame *f)
{
	struct str s = *rest;
	if (str_starts(s, STR("0x")))
		s = str_from_byte(s, 2);
	size_t n = 0;
	while (n < s.n && is_hex(s.p[n])) {
		char c = s.p[n++];
		f->address =
			f->address << 4 | (unsigned)(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	if (n == 0 || n > 16 || (n < s.n && !is_space(s.p[n])))
		return false;
	f->address_text = str_first(s, n);
	*rest = skip_blanks(str_from_byte(s, n));
	return true;
}

/*
 * Where the dso's opening parenthesis is: the one that the last closing one belongs to, as dsos may
 * hold parentheses themselves (`(/tmp/gone (deleted))`) and so may symbols. -1: there is none.
 */
static ptrdiff_t dso_start(struct str s)
{
	int depth = 0;
	if (s.n == 0 || s.p[s.n - 1] != ')')
		return -1;
	for (ptrdiff_t i = (ptrdiff_t)s.n - 1; i >= 0; i--) {
		depth += s.p[i] == ')';
		depth -= s.p[i] == '(';
		if (depth == 0)
			return i == 0 || s.p[i - 1] == ' ' ? i : -1;
	}
	/* Parentheses do not balance: a path or a bracketed name begins a dso. */
	ptrdiff_t path = str_find(s, STR(" (/")), bracket = str_find(s, STR(" (["));
	ptrdiff_t at = path >= 0 ? path : bracket;
	return at >= 0 ? at + 1 : -1;
}

static bool all_hex(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_hex(s.p[i]))
			return false;
	return s.n > 0;
}

static struct str without_offset(struct str s)
{
	ptrdiff_t plus = str_find_last_char(s, '+');
	if (plus >= 0) {
		struct str offset = str_from_byte(s, (size_t)plus + 1);
		if (str_starts(offset, STR("0x")) && all_hex(str_from_byte(offset, 2)))
			return str_first(s, (size_t)plus);
	}
	return s;
}

static void set_dso(struct script_frame *f, struct str dso)
{
	f->has_dso = true;
	if (str_eq(dso, STR("inlined"))) {
		f->is_inlined = true;
		return;
	}
	dso = without_offset(dso);
	ptrdiff_t semicolon = str_find_last_char(dso, ';');
	if (semicolon > 0 && all_hex(str_from_byte(dso, (size_t)semicolon + 1)))
		dso = str_first(dso, (size_t)semicolon);
	if (str_ends(dso, STR(" (deleted)")))
		dso.n -= strlen(" (deleted)");
	if (!str_eq(dso, STR("[unknown]")))
		f->dso = dso;
}

bool script_frame_parse(struct str line, struct script_frame *f)
{
	*f = (struct script_frame){ 0 };
	struct str rest = str_trim(line);
	if (!take_address(&rest, f))
		return false;
	ptrdiff_t at = dso_start(rest);
	if (at >= 0) {
		set_dso(f, (struct str){ rest.p + at + 1, rest.n - (size_t)at - 2 });
		rest = str_trim(str_first(rest, (size_t)at));
	}
	rest = without_offset(rest);
	if (!str_eq(rest, STR("[unknown]")))
		f->symbol = rest;
	return true;
}

bool script_source_parse(struct str line, struct script_source *s)
{
	*s = (struct script_source){ 0 };
	struct str text = str_trim(line);
	if (str_ends(text, STR("(inlined)"))) {
		s->is_inlined = true;
		text = str_trim(str_first(text, text.n - strlen("(inlined)")));
	}
	if (text.n == 0)
		return s->is_inlined;
	if (text.p[text.n - 1] == ']' && str_find_char(text, '[') >= 0)
		return true; /* `libc.so.6[27b25]`: no source known */
	ptrdiff_t colon = str_find_last_char(text, ':');
	uint64_t number;
	if (colon <= 0 || !str_to_u64(str_from_byte(text, (size_t)colon + 1), &number) ||
	    number > UINT32_MAX)
		return false;
	struct str file = str_first(text, (size_t)colon);
	if (!str_eq(file, STR("??")) && number) {
		s->file = file;
		s->line = (uint32_t)number;
	}
	return true;
}
