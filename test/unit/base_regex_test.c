/* Regular expressions: bytes in, groups out, and a limit on the work. */
#include "base/base.h"
#include "tap.h"

static void check_match(struct str pattern, struct str subject, enum regex_result want,
			const char *what)
{
	struct err e = { 0 };
	struct regex *re = regex_new(pattern, &e);
	tap_ok(re && regex_match(re, subject) == want, "%s %s", what, e.text);
	regex_free(re);
}

static void check_matches(void)
{
	check_match(STR("b+"), STR("abba"), REGEX_YES, "found in the middle");
	check_match(STR("^b+$"), STR("abba"), REGEX_NO, "not all of it");
	check_match(STR("(?i)ABBA"), STR("abba"), REGEX_YES, "without regard to case");
	check_match(STR("x|^;"), STR(""), REGEX_NO, "no match in the empty text");
	check_match(STR(""), STR("abc"), REGEX_YES, "the empty pattern matches");
	check_match(STR("^$"), (struct str){ 0 }, REGEX_YES, "text that is nowhere is empty");
	check_match(STR("(?<=std::)sort\\b"), STR("std::sort<int>"), REGEX_YES,
		    "Perl's look-behind");
	check_match(STR("^(.)(.)\\2\\1$"), STR("abba"), REGEX_YES, "back references");
	check_match(STR("a$"), STR("b\na"), REGEX_YES, "$ at the end of the text");
	check_match(STR("^a"), STR("b\na"), REGEX_NO, "^ is the start of the text, not of a line");
	check_match(STR("b.a"), STR("b\ra"), REGEX_YES,
		    "a carriage return is an ordinary character");
	check_match(STR("b.a"), STR("b\na"), REGEX_NO, "the dot is no newline");
}

static void check_bytes(void)
{
	check_match(STR("b"), STR("a\0b"), REGEX_YES, "found behind a NUL");
	check_match(STR("a\\x00b"), STR("a\0b"), REGEX_YES, "NUL as an escape");
	check_match(STR("a\0b"), STR("a\0b"), REGEX_YES, "NUL in the pattern");
	check_match(STR("a\0b"), STR("a\0c"), REGEX_NO, "the pattern goes on behind its NUL");
	check_match(STR("z"), STR("\xff\xfe\xc3z"), REGEX_YES,
		    "found behind bytes that are not UTF-8");
	check_match(STR("^.$"), STR("\xc3"), REGEX_YES, "half a character is a byte");
	check_match(STR("\xc3\xa9"), STR("caf\xc3\xa9"), REGEX_YES, "UTF-8 as bytes");
	check_match(STR("\xff"), STR("a\xff"), REGEX_YES, "a pattern that is not UTF-8");
	char exact[] = { 'a', 'b', 'X' };
	check_match(STR("X"), (struct str){ exact, 2 }, REGEX_NO, "nothing behind the end is seen");
	check_match(STR("b$"), (struct str){ exact, 2 }, REGEX_YES,
		    "the end is where the length says");
}

static void check_invalid(struct str pattern, const char *text)
{
	struct err e = { 0 };
	struct regex *re = regex_new(pattern, &e);
	tap_ok(!re && e.kind == ERR_USAGE, "a usage error: %.*s", STR_ARG(pattern));
	tap_str_eq(str_from(e.text), str_from(text), "it says where: %.*s", STR_ARG(pattern));
	regex_free(re);
}

/* Without a limit the first of these would run for longer than the universe has. */
static void check_catastrophes(void)
{
	static const struct str patterns[] = { STR("(a+)+$"), STR("^(a|aa)+$"), STR("(a*)*[b-d]$"),
					       STR("^(([a-z])+.)+[A-Z]([a-z])+$") };
	char subject[5001];
	memset(subject, 'a', 5000);
	subject[5000] = '!';
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct err e = { 0 };
		struct regex *re = regex_new(patterns[i], &e);
		tap_ok(re && regex_match(re, (struct str){ subject, 5001 }) == REGEX_GAVE_UP,
		       "%.*s gives up", STR_ARG(patterns[i]));
		tap_ok(re && regex_match(re, STR("zzz")) == REGEX_NO, "and can be used again");
		regex_free(re);
	}
}

static void check_long_subject(void)
{
	AUTO_FREE char *text = mem_alloc(8 << 20, 1);
	memset(text, 'a', 8 << 20);
	text[(8 << 20) - 1] = 'z';
	check_match(STR("z$"), (struct str){ text, 8 << 20 }, REGEX_YES,
		    "a plain pattern in 8 MiB");
	check_match(STR("^a*z$"), (struct str){ text, 8 << 20 }, REGEX_YES,
		    "a repeated letter in 8 MiB");
}

int main(void)
{
	check_matches();
	check_bytes();
	check_invalid(
		STR("a(b"),
		"invalid regular expression 'a(b': missing closing parenthesis at character 4");
	check_invalid(STR("[z-a]"), "invalid regular expression '[z-a]': range out of order in "
				    "character class at character 4");
	check_invalid(STR("*"), "invalid regular expression '*': quantifier does not follow a "
				"repeatable item at character 1");
	check_catastrophes();
	check_long_subject();
	regex_free(NULL);
	return tap_done();
}
