/* What JIT compilers encode in names in perf maps: V8's kinds and tiers, and inlined functions. */
#include "name/name.h"

#include <assert.h>

struct v8_kind {
	struct str prefix;
	bool has_tier;
};

/* Kinds of code, as named by old and new versions of V8 (src/logging/code-events.h). */
static const struct v8_kind v8_kinds[] = {
	{ STR("JS:"), true },	     { STR("LazyCompile:"), true },
	{ STR("Function:"), true },  { STR("Script:"), true },
	{ STR("Eval:"), true },	     { STR("RegExp:"), false },
	{ STR("Builtin:"), false },  { STR("BytecodeHandler:"), false },
	{ STR("Handler:"), false },  { STR("Stub:"), false },
	{ STR("Callback:"), false },
};

static const struct v8_kind *v8_kind_of(struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(v8_kinds); i++) {
		size_t n = v8_kinds[i].prefix.n;
		/* `JS::Call` and `Function::bind` are C++. */
		if (str_starts(name, v8_kinds[i].prefix) && !(n < name.n && name.p[n] == ':'))
			return &v8_kinds[i];
	}
	return NULL;
}

bool name_is_v8(struct str name)
{
	return v8_kind_of(name) != NULL;
}

enum name_tier name_v8_tier(struct str name, size_t *mark_at)
{
	const struct v8_kind *kind = v8_kind_of(name);
	if (!kind || !kind->has_tier || name.n == kind->prefix.n)
		return NAME_TIER_NONE;
	char mark = name.p[kind->prefix.n];
	if (!memchr("~^+*", mark, 4))
		return NAME_TIER_NONE;
	*mark_at = kind->prefix.n;
	return (enum name_tier)mark;
}

/* Cuts `:12` off the end; returns 0 if there is none. */
static uint32_t take_number(struct str *s)
{
	uint64_t number;
	ptrdiff_t colon = str_find_last_char(*s, ':');
	if (colon < 0 || !str_to_u64(str_from_byte(*s, (size_t)colon + 1), &number) ||
	    number > UINT32_MAX)
		return 0;
	*s = str_first(*s, (size_t)colon);
	return (uint32_t)number;
}

/* The length up to the blank before the file. Functions of some kinds have a blank in their own name. */
static size_t function_bytes(struct str rest)
{
	static const struct str words[] = { STR("get "), STR("set "), STR("static "), STR("bound "),
					    STR("async ") };
	size_t at = 0;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_starts(str_from_byte(rest, at), words[i]))
			at += words[i].n;
	ptrdiff_t blank = str_find_char(str_from_byte(rest, at), ' ');
	return blank < 0 ? rest.n : at + (size_t)blank;
}

bool name_v8_place(struct str name, struct name_v8_place *place)
{
	const struct v8_kind *kind = v8_kind_of(name);
	if (!kind || !kind->has_tier)
		return false;
	struct str rest = str_from_byte(name, kind->prefix.n);
	rest = str_from_byte(rest, rest.n && memchr("~^+*", rest.p[0], 4));
	size_t name_bytes = function_bytes(rest);
	if (name_bytes == rest.n)
		return false;
	place->function = str_first(rest, name_bytes);
	place->file = str_from_byte(rest, name_bytes + 1);
	uint32_t last = take_number(&place->file), before = last ? take_number(&place->file) : 0;
	place->line = before ? before : last;
	place->column = before ? last : 0;
	return place->line && place->file.n;
}

static bool is_name_char(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '$' || (unsigned char)c >= 0x80;
}

/* C++ operators made of brackets or arrows, longer ones before their prefixes. */
static const struct str bracket_operators[] = {
	STR("->*"), STR("->"), STR("<=>"), STR("<<="), STR(">>="), STR("<<"), STR(">>"),
	STR("<="),  STR(">="), STR("<"),   STR(">"),   STR("()"),  STR("[]"),
};

/* The length of `operator` and its sign at byte i, so that the sign is not taken for a bracket; or 0. */
static size_t operator_length(struct str name, size_t i)
{
	const struct str word = STR("operator");
	struct str sign = str_from_byte(name, i + word.n);
	if (!str_starts(str_from_byte(name, i), word) || (i && is_name_char(name.p[i - 1])))
		return 0;
	for (size_t k = 0; k < ARRAY_SIZE(bracket_operators); k++)
		if (str_starts(sign, bracket_operators[k]))
			return word.n + bracket_operators[k].n;
	return 0;
}

static int nesting_change(char c)
{
	switch (c) {
	case '<':
	case '(':
	case '[':
	case '{':
		return 1;
	case '>':
	case ')':
	case ']':
	case '}':
		return -1;
	default:
		return 0;
	}
}

/* Iterates over the arrows in a name. */
struct arrow_walk {
	struct str name;
	size_t at; /* of the current arrow, or name.n */
	int64_t depth;
	bool ignores_brackets, went_negative;
};

/* Moves to the next arrow at or after byte `from`, outside brackets and not part of an operator. */
static bool arrow_walk_next(struct arrow_walk *w, size_t from)
{
	struct str name = w->name;
	for (size_t i = from, length; i < name.n; i += length) {
		if ((length = operator_length(name, i)))
			continue;
		if (str_starts(str_from_byte(name, i), STR("->"))) {
			w->at = i;
			length = 2;
			if (w->depth == 0 || w->ignores_brackets)
				return true;
			continue;
		}
		length = 1;
		w->depth += nesting_change(name.p[i]);
		w->went_negative |= w->depth < 0;
	}
	w->at = name.n;
	return false;
}

static bool brackets_balance(struct str name)
{
	struct arrow_walk w = { .name = name };
	for (size_t from = 0; arrow_walk_next(&w, from);)
		from = w.at + 2;
	return w.depth == 0 && !w.went_negative;
}

static bool has_spaces_around(struct str name, size_t arrow_at)
{
	size_t after = arrow_at + 2;
	return arrow_at > 0 && after < name.n && name.p[arrow_at - 1] == ' ' &&
	       name.p[after] == ' ';
}

size_t name_split_inlines(struct str name, struct str *parts, size_t max)
{
	assert(max >= 1);
	size_t n = 0, part_at = 0, from = 0;
	struct arrow_walk w = { .name = name };
	bool has_inlines = str_find(name, STR("->")) >= 0 && !str_starts(name, STR("RegExp:"));
	w.ignores_brackets = has_inlines && !brackets_balance(name);
	while (has_inlines && n + 1 < max && arrow_walk_next(&w, from)) {
		from = w.at + 2;
		if (w.at == part_at || from == name.n || has_spaces_around(name, w.at))
			continue;
		parts[n++] = (struct str){ name.p + part_at, w.at - part_at };
		part_at = from;
	}
	parts[n++] = str_from_byte(name, part_at);
	return n;
}
