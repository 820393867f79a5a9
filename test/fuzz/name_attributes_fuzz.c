/* A --nameattr file from anywhere: refused, or nothing in it can end the element it stands in. */
#include "fuzz.h"
#include "sink/name_attributes.h"

/* Outside of quotes no '>', inside none that are left open. */
static void check_extra(struct str s)
{
	bool is_quoted = false;
	for (size_t i = 0; i < s.n; i++) {
		is_quoted ^= s.p[i] == '"';
		if (s.p[i] == '<' || s.p[i] == '&' || (s.p[i] == '>' && !is_quoted))
			abort();
	}
	if (is_quoted)
		abort();
}

static void check_line(const struct name_attributes *a, struct str line)
{
	ptrdiff_t tab = str_find_char(line, '\t');
	if (tab < 0)
		return;
	const struct attributes *of = name_attributes_of(a, str_first(line, (size_t)tab));
	if (!of)
		abort();
	check_extra(of->value[ATTRIBUTE_G_EXTRA]);
	check_extra(of->value[ATTRIBUTE_A_EXTRA]);
	if (str_starts(of->value[ATTRIBUTE_HREF], STR("javascript:")))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = { 0 };
	struct str rest = { (const char *)data, size };
	struct name_attributes *a = name_attributes_parse(rest, "x", &e);
	if (!a && (e.kind != ERR_FAILED || !e.text[0]))
		abort();
	while (a && rest.n) {
		ptrdiff_t newline = str_find_char(rest, '\n');
		struct str line = str_first(rest, newline < 0 ? rest.n : (size_t)newline);
		check_line(a, line);
		rest = str_from_byte(rest, line.n + 1);
	}
	name_attributes_free(a);
	return 0;
}
