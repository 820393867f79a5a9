/* --nameattr: what is understood, and what would not be safe to write. */
#include "sink/name_attributes.h"
#include "tap.h"

static void check_refused(struct str line, unsigned number)
{
	struct err e = { 0 };
	char where[32];
	struct name_attributes *a = name_attributes_parse(line, "x.attr", &e);
	snprintf(where, sizeof(where), "x.attr: line %u ", number);
	tap_ok(!a && e.kind == ERR_FAILED && strstr(e.text, where), "refused: %.*s",
	       STR_ARG(str_from_byte(line, (size_t)(str_find_last_char(line, '\n') + 1))));
	name_attributes_free(a);
}

static void check_value(const struct name_attributes *a, const char *name, enum attribute key,
			const char *want)
{
	const struct attributes *of = name_attributes_of(a, str_from(name));
	tap_str_eq(of ? of->value[key] : STR("(nothing)"), str_from(want), "%s has '%s'", name,
		   want);
}

static void check_understood(void)
{
	struct err e = { 0 };
	struct name_attributes *a =
		name_attributes_parse(STR("f\ttitle=a title\thref=/f?a=b&c=d\n"
					  "\n"
					  "g h\tclass=x y\tid=g\ttarget=_blank\r\n"
					  "i\tg_extra=data-a=\"1\" c=\"2 3\"\ta_extra=\n"
					  "f::g()\ttitle=x=y\n"
					  "again\ttitle=1\n"
					  "again\tclass=2\n"
					  "\ttitle=the root\n"
					  "last\ttitle=no newline"),
				      "x.attr", &e);
	tap_ok(a && !e.kind, "understood %s", e.text);
	if (!a)
		return;
	check_value(a, "f", ATTRIBUTE_TITLE, "a title");
	check_value(a, "f", ATTRIBUTE_HREF, "/f?a=b&c=d");
	check_value(a, "f", ATTRIBUTE_CLASS, "");
	check_value(a, "g h", ATTRIBUTE_CLASS, "x y");
	check_value(a, "g h", ATTRIBUTE_ID, "g");
	check_value(a, "g h", ATTRIBUTE_TARGET, "_blank");
	check_value(a, "i", ATTRIBUTE_G_EXTRA, "data-a=\"1\" c=\"2 3\"");
	check_value(a, "i", ATTRIBUTE_A_EXTRA, "");
	check_value(a, "f::g()", ATTRIBUTE_TITLE, "x=y");
	check_value(a, "again", ATTRIBUTE_TITLE, "");
	check_value(a, "again", ATTRIBUTE_CLASS, "2");
	check_value(a, "", ATTRIBUTE_TITLE, "the root");
	check_value(a, "last", ATTRIBUTE_TITLE, "no newline");
	check_value(a, "nosuch", ATTRIBUTE_TITLE, "(nothing)");
	name_attributes_free(a);
}

int main(void)
{
	struct err e = { 0 };
	check_understood();
	struct name_attributes *none = name_attributes_parse(STR("\n\r\n"), "x.attr", &e);
	tap_ok(none && !name_attributes_of(none, STR("")), "blank lines say nothing");
	name_attributes_free(none);
	tap_ok(!name_attributes_of(NULL, STR("f")), "no file says nothing");
	check_refused(STR("f"), 1);
	check_refused(STR("f\tcolour=red"), 1);
	check_refused(STR("ok\ttitle=x\n\nf\tTITLE=x"), 3);
	check_refused(STR("f\thref=javascript:alert(1)"), 1);
	check_refused(STR("f\thref=  javascript:alert(1)"), 1);
	check_refused(STR("f\thref=data:text/html,x"), 1);
	check_refused(STR("f\tg_extra=x"), 1);
	check_refused(STR("f\tg_extra=x=1"), 1);
	check_refused(STR("f\tg_extra=x='1'"), 1);
	check_refused(STR("f\tg_extra=x=\"1"), 1);
	check_refused(STR("f\tg_extra=x=\"1\"><script>"), 1);
	check_refused(STR("f\tg_extra=x=\"<\""), 1);
	check_refused(STR("f\ta_extra=x=\"&\""), 1);
	check_refused(STR("f\ta_extra==\"1\""), 1);
	check_refused(STR("f\tg_extra=1x=\"1\""), 1);
	check_refused(STR("f\tg_extra=x=\"1\"y=\"2\""), 1);
	check_refused(STR("f\tg_extra=x=\"1\" x=\"2\""), 1);
	check_refused(STR("f\tg_extra=class=\"1\""), 1);
	check_refused(STR("f\tg_extra=x=\"\x01\""), 1);
	check_refused(STR("f\tg_extra=x=\"\xff\""), 1);
	check_refused(STR("f\thref=x\ta_extra=href=\"javascript:alert(1)\""), 1);
	check_refused(STR("f\thref=JavaScript:alert(1)"), 1);
	return tap_done();
}
