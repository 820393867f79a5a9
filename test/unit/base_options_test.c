/* The command line: every way to give an option, every way to give it wrong, and the help. */
#include "base/base.h"
#include "tap.h"

struct values {
	bool all, brief, color;
	const char *output, *title;
	struct text_list where;
	uint32_t threads;
	unsigned weight;
};

static const char *const weights[] = { "auto", "samples", "period", NULL };

static const struct option table[] = {
	{ "all", 'a', OPTION_FLAG, offsetof(struct values, all),
	  .help = "show everything there is" },
	{ "brief", 'b', OPTION_FLAG, offsetof(struct values, brief), .help = "show less" },
	{ "color", 0, OPTION_FLAG, offsetof(struct values, color), .help = "use colors" },
	{ "colour", 0, OPTION_FLAG, offsetof(struct values, color) },
	{ "output", 'o', OPTION_FILE, offsetof(struct values, output), "FILE",
	  "write to FILE and not to the terminal, which is where it goes when nothing is said" },
	{ "title", 't', OPTION_TEXT, offsetof(struct values, title), "TEXT",
	  "head the page with TEXT" },
	{ "threads", 0, OPTION_NUMBER, offsetof(struct values, threads), "N",
	  "work with N threads" },
	{ "where", 'w', OPTION_LIST, offsetof(struct values, where), "KEY=VALUE[,VALUE...]",
	  "show samples with one of the values" },
	{ "event", 'e', OPTION_LIST, offsetof(struct values, where), "E", "show event E",
	  .prefix = "event=" },
	{ "weight", 0, OPTION_CHOICE, offsetof(struct values, weight), "W", "weigh by W",
	  .choices = weights },
};
static const struct option_set set = { "Options", table, ARRAY_SIZE(table) };

/* What a command line came to. */
struct outcome {
	bool ok;
	struct values v;
	struct text_list files;
	struct err e;
};

static void outcome_fini(struct outcome *o)
{
	text_list_fini(&o->v.where);
	text_list_fini(&o->files);
}

/* Words end in NULL. */
static void parse(struct outcome *o, const char *const *words)
{
	struct option_binding binding = { &set, &o->v };
	size_t n = 0;
	outcome_fini(o);
	*o = (struct outcome){ 0 };
	while (words[n])
		n++;
	o->ok = options_parse((char **)words, n, &binding, 1, &o->files, &o->e);
}

#define PARSE(o, ...) parse((o), (const char *const[]){ __VA_ARGS__, NULL })

static void check_refused(const struct outcome *o, const char *text)
{
	tap_ok(!o->ok && o->e.kind == ERR_USAGE, "refused as a usage error: %s", text);
	tap_str_eq(str_from(o->e.text), str_from(text), "it says: %s", text);
}

static void check_flags(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	PARSE(&o, "--all");
	tap_ok(o.ok && o.v.all && !o.v.brief, "--all");
	PARSE(&o, "-b");
	tap_ok(o.ok && o.v.brief && !o.v.all, "-b");
	PARSE(&o, "-ab");
	tap_ok(o.ok && o.v.brief && o.v.all, "-ab is -a -b");
	PARSE(&o, "-abofile");
	tap_ok(o.ok && o.v.all && o.v.brief && !strcmp(o.v.output, "file"),
	       "-abofile is -a -b -o file");
	PARSE(&o, "--all=yes");
	check_refused(&o, "--all takes no value");
	PARSE(&o, "-ax");
	check_refused(&o, "unknown option: -x");
	PARSE(&o, "--nothing");
	check_refused(&o, "unknown option: --nothing");
	PARSE(&o, "--ouptut=x");
	check_refused(&o, "unknown option: --ouptut (did you mean --output?)");
	PARSE(&o, "--=x");
	check_refused(&o, "unknown option: --");
}

static void check_output(const struct outcome *o, const char *want, const char *what)
{
	tap_ok(o->ok && o->v.output && strcmp(o->v.output, want) == 0, "%s", what);
}

static void check_texts(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	PARSE(&o, "-ovalue");
	check_output(&o, "value", "-ovalue");
	PARSE(&o, "-o", "value");
	check_output(&o, "value", "-o value");
	PARSE(&o, "--output=value");
	check_output(&o, "value", "--output=value");
	PARSE(&o, "--output", "value");
	check_output(&o, "value", "--output value");
	PARSE(&o, "--output=");
	check_output(&o, "", "--output= is the empty text");
	PARSE(&o, "--output=a=b");
	check_output(&o, "a=b", "the first = ends the name");
	PARSE(&o, "-o", "a", "-ob");
	check_output(&o, "b", "the last one counts");
	PARSE(&o, "-o", "--all");
	check_output(&o, "--all", "a value may look like an option");
	PARSE(&o, "-o");
	check_refused(&o, "--output needs a value: FILE");
	PARSE(&o, "file", "--title");
	check_refused(&o, "--title needs a value: TEXT");
}

static void check_prefixes(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	PARSE(&o, "--out=x");
	check_output(&o, "x", "a prefix that only one option has");
	PARSE(&o, "--t", "x");
	check_refused(&o, "--t is ambiguous: --title, --threads");
	PARSE(&o, "--we=samples");
	tap_ok(o.ok && o.v.weight == 1, "--we is --weight, not --where");
	PARSE(&o, "--w=samples");
	check_refused(&o, "--w is ambiguous: --where, --weight");
	PARSE(&o, "--col");
	tap_ok(o.ok && o.v.color, "a prefix of an option and its synonym");
	PARSE(&o, "--colour");
	tap_ok(o.ok && o.v.color, "the synonym in full");
	PARSE(&o, "--color");
	tap_ok(o.ok && o.v.color, "a full name that is a prefix of another");
}

static void check_file_list(const struct outcome *o, const char *a, const char *b, const char *what)
{
	tap_ok(o->ok && o->files.n == 2 && !strcmp(o->files.p[0], a) && !strcmp(o->files.p[1], b),
	       "%s", what);
}

static void check_files(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	PARSE(&o, "one", "-a", "two", "--title", "x");
	check_file_list(&o, "one", "two", "files between options");
	tap_ok(o.v.all && o.v.title, "options after files");
	PARSE(&o, "-a", "--", "-b", "--all");
	check_file_list(&o, "-b", "--all", "everything after -- is a file");
	tap_ok(o.v.all && !o.v.brief, "nothing after -- is an option");
	PARSE(&o, "-", "");
	check_file_list(&o, "-", "", "- and the empty word are files");
	PARSE(&o, "--", "--");
	tap_ok(o.ok && o.files.n == 1 && !strcmp(o.files.p[0], "--"), "the second -- is a file");
	tap_ok(options_parse(NULL, 0, NULL, 0, &o.files, &o.e), "no words at all");
}

static void check_numbers(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	PARSE(&o, "--threads=4294967295");
	tap_ok(o.ok && o.v.threads == UINT32_MAX, "the largest number");
	PARSE(&o, "--threads=4294967296");
	check_refused(&o, "--threads 4294967296: must be a whole number");
	PARSE(&o, "--threads", "-1");
	check_refused(&o, "--threads -1: must be a whole number");
	PARSE(&o, "--threads", "2x");
	check_refused(&o, "--threads 2x: must be a whole number");
	PARSE(&o, "--threads=");
	check_refused(&o, "--threads : must be a whole number");
}

static void check_choices(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	PARSE(&o, "--weight=period");
	tap_ok(o.ok && o.v.weight == 2, "a choice is its place in the list");
	PARSE(&o, "--weight=auto");
	tap_ok(o.ok && o.v.weight == 0, "the first choice");
	PARSE(&o, "--weight", "sample");
	check_refused(&o, "--weight sample: must be one of auto, samples, period");
}

static void check_lists(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	PARSE(&o, "-w", "pid=1", "--where=tid=2", "--event", "cycles", "-ex");
	tap_ok(o.ok && o.v.where.n == 4, "each one given is kept");
	if (o.v.where.n != 4)
		return;
	tap_str_eq(str_from(o.v.where.p[0]), STR("pid=1"), "the first of a list");
	tap_str_eq(str_from(o.v.where.p[1]), STR("tid=2"), "the second of a list");
	tap_str_eq(str_from(o.v.where.p[2]), STR("event=cycles"),
		   "a prefix is put before the value");
	tap_str_eq(str_from(o.v.where.p[3]), STR("event=x"), "a prefix with a letter");
}

/* Every set of a command is looked through. */
static void check_two_sets(void)
{
	static const struct option more[] = { { "zeta", 'z', OPTION_NUMBER, 4, "N", "a number" } };
	static const struct option_set second = { "More", more, 1 };
	AUTO(outcome) struct outcome o = { 0 };
	uint32_t target[2] = { 0 };
	struct option_binding both[] = { { &set, &o.v }, { &second, target } };
	char *words[] = { (char *)"-az7", (char *)"file" };
	o.ok = options_parse(words, 2, both, 2, &o.files, &o.e);
	tap_ok(o.ok && o.v.all && target[0] == 0 && target[1] == 7,
	       "letters of two sets in one word");
}

/* Fields at the same offset of two structs are not synonyms. */
static void check_equal_offsets(void)
{
	static const struct option one[] = { { "time-one", 0, OPTION_NUMBER, 0, "N", "one" } };
	static const struct option two[] = { { "time-two", 0, OPTION_NUMBER, 0, "N", "two" } };
	static const struct option_set sets[] = { { "One", one, 1 }, { "Two", two, 1 } };
	uint32_t targets[2] = { 0 };
	struct option_binding both[] = { { &sets[0], &targets[0] }, { &sets[1], &targets[1] } };
	AUTO(text_list) struct text_list files = { 0 };
	struct err e = { 0 };
	char *words[] = { (char *)"--time", (char *)"7" };
	tap_ok(!options_parse(words, 2, both, 2, &files, &e) && e.kind == ERR_USAGE,
	       "a prefix of options in two sets is ambiguous");
}

/* Pairs of name and value, as the parameters of a URL; a flag's value is NULL. */
static void set_pairs(struct outcome *o, const char *const (*pairs)[2], size_t n)
{
	struct option_binding binding = { &set, &o->v };
	outcome_fini(o);
	*o = (struct outcome){ .ok = true };
	for (size_t i = 0; i < n && o->ok; i++)
		o->ok = options_set(&binding, 1, str_from(pairs[i][0]), pairs[i][1], &o->e);
}

#define SET_PAIRS(o, ...)                                                                          \
	set_pairs((o), (const char *const[][2]){ __VA_ARGS__ },                                    \
		  ARRAY_SIZE(((const char *const[][2]){ __VA_ARGS__ })))

static void check_pairs(void)
{
	AUTO(outcome) struct outcome words = { 0 };
	AUTO(outcome) struct outcome pairs = { 0 };
	PARSE(&words, "-a", "--title=x y", "-w", "pid=1", "-e", "cycles", "--threads", "7",
	      "--weight=period");
	SET_PAIRS(&pairs, { "all", NULL }, { "title", "x y" }, { "where", "pid=1" },
		  { "event", "cycles" }, { "threads", "7" }, { "weight", "period" });
	tap_ok(pairs.ok && pairs.v.all && !pairs.v.brief && pairs.v.threads == words.v.threads &&
		       pairs.v.weight == words.v.weight && !strcmp(pairs.v.title, words.v.title) &&
		       pairs.v.where.n == 2 && !strcmp(pairs.v.where.p[1], words.v.where.p[1]),
	       "pairs set what words set");
	SET_PAIRS(&pairs, { "all", "1" });
	check_refused(&pairs, "--all takes no value");
	SET_PAIRS(&pairs, { "title", NULL });
	check_refused(&pairs, "--title needs a value: TEXT");
	SET_PAIRS(&pairs, { "titel", "x" });
	check_refused(&pairs, "unknown option: --titel (did you mean --title?)");
	SET_PAIRS(&pairs, { "thread", "7" });
	check_refused(&pairs, "unknown option: --thread (did you mean --threads?)");
	SET_PAIRS(&pairs, { "threads", "7x" });
	check_refused(&pairs, "--threads 7x: must be a whole number");
}

static void check_number(void)
{
	struct err e = { 0 };
	uint64_t n = 1;
	tap_ok(option_parse_number("width", "60", 60, 100, &n, &e) && n == 60, "the least number");
	tap_ok(option_parse_number("width", "0", 60, 100, &n, &e) && n == 0, "0 is always allowed");
	tap_ok(!option_parse_number("width", "59", 60, 100, &n, &e) && e.kind == ERR_USAGE,
	       "less than the least");
	tap_str_eq(str_from(e.text), STR("--width 59: must be 0 or a whole number from 60 to 100"),
		   "the words");
}

static void check_help(unsigned width)
{
	AUTO(buf) struct buf out = { 0 };
	size_t longest = 0;
	options_help(&set, width, &out);
	for (struct str rest = buf_str(&out); rest.n;) {
		ptrdiff_t end = str_find_char(rest, '\n');
		size_t n = end < 0 ? rest.n : (size_t)end;
		longest = n > longest ? n : longest;
		rest = str_from_byte(rest, n + 1);
	}
	tap_ok(longest <= width, "help for %u columns has %zu", width, longest);
	tap_ok(str_ends(buf_str(&out), STR("\n")), "help for %u columns ends in a newline", width);
	tap_ok(str_find(buf_str(&out), STR("-o, --output FILE")) >= 0,
	       "help names letter and value");
	tap_ok(str_find(buf_str(&out), STR("colour")) < 0, "help leaves synonyms out");
}

static void check_help_layout(void)
{
	AUTO(buf) struct buf out = { 0 };
	struct option_set two = { "Two", &table[7], 2 };
	options_help(&two, 80, &out);
	tap_str_eq(buf_str(&out),
		   STR("  -w, --where KEY=VALUE[,VALUE...]\n"
		       "                           show samples with one of the values\n"
		       "  -e, --event E            show event E\n"),
		   "a long head has a line of its own, texts are aligned");
}

int main(void)
{
	check_flags();
	check_texts();
	check_prefixes();
	check_files();
	check_numbers();
	check_choices();
	check_lists();
	check_two_sets();
	check_equal_offsets();
	check_pairs();
	check_number();
	check_help(50);
	check_help(80);
	check_help(132);
	check_help_layout();
	return tap_done();
}
