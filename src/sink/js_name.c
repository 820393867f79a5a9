/* Functions of scripts as V8 writes them into maps: `JS:*render /app/page.js:12:5`. */
#include "sink/js_name.h"

/* `JS::Call` is C++. */
static struct str without_kind(struct str name)
{
	static const struct str kinds[] = { STR("JS:"), STR("LazyCompile:"), STR("Function:"),
					    STR("Script:"), STR("Eval:") };
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct str rest = str_from_byte(name, kinds[i].n);
		if (!str_starts(name, kinds[i]) || !rest.n || rest.p[0] == ':')
			continue;
		return str_from_byte(rest, memchr("~^+*", rest.p[0], 4) != NULL);
	}
	return STR("");
}

static bool is_place(struct str text)
{
	return text.n && text.p[0] == ':' && text.n > 1 && is_digit(text.p[1]);
}

/* Without ` FILE:12:5`; the file may have blanks in its path. */
static struct str without_place(struct str name, struct str file)
{
	for (size_t at = 0; file.n && at + file.n < name.n; at++) {
		struct str rest = str_from_byte(name, at + 1);
		if (name.p[at] == ' ' && str_starts(rest, file) &&
		    is_place(str_from_byte(rest, file.n)))
			return str_first(name, at);
	}
	return name;
}

struct str js_plain_name(const struct profile *p, const struct frame *f)
{
	struct str name = profile_str(p, f->name), bare = without_kind(name);
	if (!bare.n)
		return name;
	struct str plain = without_place(bare, profile_str(p, f->function_file));
	if (plain.n == bare.n)
		plain = without_place(bare, profile_str(p, f->file));
	return plain.n ? plain : STR("(anonymous)");
}
