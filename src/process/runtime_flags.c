/* How a runtime was started: its command line and the variables that its launcher reads. */
#include "process/runtime_int.h"

/* Options of node and java whose value is the next word; what follows that value may be options again. */
static const char *const options_with_value[] = {
	"-r",
	"--require",
	"--import",
	"--loader",
	"-C",
	"--conditions",
	"--experimental-loader",
	"-e",
	"--eval",
	"--input-type",
	"--env-file",
	"--title",
	"-cp",
	"-classpath",
	"--class-path",
	"--module-path",
	"--add-modules",
	"--add-opens",
	"--add-exports",
	"--add-reads",
	"--source",
	"--limit-modules",
	"--upgrade-module-path",
};

static bool takes_value(struct str word)
{
	for (size_t i = 0; i < ARRAY_SIZE(options_with_value); i++)
		if (str_eq(word, str_from(options_with_value[i])))
			return true;
	return false;
}

/* --- Node.js: V8 takes `-` and `_` alike, and `--no-x` or `--nox` for the opposite --- */

static bool is_v8_name(struct str word, const char *name)
{
	size_t n = strlen(name);
	ptrdiff_t end = str_find_char(word, '=');
	word = str_first(word, end < 0 ? word.n : (size_t)end);
	if (word.n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((word.p[i] == '_' ? '-' : word.p[i]) != name[i])
			return false;
	return true;
}

static struct str without_prefix(struct str word, const char *prefix)
{
	struct str p = str_from(prefix);
	return str_starts(word, p) ? str_from_byte(word, p.n) : word;
}

void runtime_take_node_flag(struct str word, struct str next, struct runtime *r)
{
	(void)next;
	if (!str_starts(word, STR("--")))
		return;
	struct str name = str_from_byte(word, 2);
	bool is_on = !str_starts(name, STR("no"));
	if (!is_on)
		name = str_from_byte(name, 2);
	if (!is_on && name.n && (name.p[0] == '-' || name.p[0] == '_'))
		name = str_from_byte(name, 1);
	if (is_v8_name(name, "perf-basic-prof") ||
	    is_v8_name(name, "perf-basic-prof-only-functions"))
		r->has_map_flag = is_on;
	else if (is_v8_name(name, "perf-prof"))
		r->has_jitdump_flag = is_on;
	else if (is_v8_name(name, "interpreted-frames-native-stack"))
		r->has_interpreted_frames = is_on;
	else if (is_v8_name(name, "turbo-inlining"))
		r->has_no_inlining = !is_on;
}

/* --- the JVM --- */

void runtime_take_jvm_flag(struct str word, struct str next, struct runtime *r)
{
	(void)next;
	word = without_prefix(word, "-J");
	if (!str_starts(word, STR("-XX:")) || word.n < sizeof("-XX:+"))
		return;
	bool is_on = word.p[4] == '+';
	struct str name = str_from_byte(word, 5);
	if (str_eq(name, STR("PreserveFramePointer")))
		r->keeps_frame_pointers = is_on;
	else if (str_eq(name, STR("DisableAttachMechanism")))
		r->has_no_attach = is_on;
}

/* --- Python: `-X perf` and PYTHONPERFSUPPORT of 3.12 and later --- */

void runtime_take_python_flag(struct str word, struct str next, struct runtime *r)
{
	r->has_map_flag |= str_eq(word, STR("-Xperf")) ||
			   (str_eq(word, STR("-X")) && str_eq(next, STR("perf")));
}

/* --- all of them --- */

static struct str flag_word(struct str *rest, bool ends_in_nul)
{
	size_t n = 0;
	while (!ends_in_nul && rest->n && is_space(rest->p[0]))
		*rest = str_from_byte(*rest, 1);
	while (n < rest->n && (ends_in_nul ? rest->p[n] != 0 : !is_space(rest->p[n])))
		n++;
	struct str word = str_first(*rest, n);
	*rest = str_from_byte(*rest, n + 1);
	return word;
}

/* Words behind the program's name are the program's own. */
static void take_command_line(struct str words, struct runtime *r)
{
	flag_word(&words, true);
	while (words.n) {
		struct str word = flag_word(&words, true), peek = words;
		if (!word.n || word.p[0] != '-' || str_eq(word, STR("--")) ||
		    str_eq(word, STR("-jar")))
			return;
		runtime_rows[r->kind].take_flag(word, flag_word(&peek, true), r);
		if (takes_value(word) || (r->kind == RUNTIME_PYTHON && str_eq(word, STR("-X"))))
			flag_word(&words, true);
	}
}

/* `NAME=value` among the variables; empty: there is none. */
static struct str variable(struct str variables, struct str name)
{
	while (variables.n) {
		struct str word = flag_word(&variables, true);
		if (str_starts(word, name) && word.n > name.n && word.p[name.n] == '=')
			return str_from_byte(word, name.n + 1);
	}
	return STR("");
}

static void take_variable(struct str variables, const char *name, struct runtime *r)
{
	struct str value = name ? variable(variables, str_from(name)) : STR("");
	while (value.n)
		runtime_rows[r->kind].take_flag(flag_word(&value, false), STR(""), r);
}

void runtime_take_flags(struct str cmdline, struct str variables, struct runtime *r)
{
	const struct runtime_row *row = &runtime_rows[r->kind];
	if (!row->take_flag)
		return;
	/* In the order in which they are read: later ones win. */
	for (size_t i = 0; i < ARRAY_SIZE(row->variables); i++)
		take_variable(variables, row->variables[i], r);
	if (row->map_variable) {
		struct str value = variable(variables, str_from(row->map_variable));
		r->has_map_flag = value.n && !str_eq(value, STR("0"));
	}
	take_command_line(cmdline, r);
	take_variable(variables, row->last_variable, r);
}

void runtime_read_flags(struct process *p, struct runtime *r)
{
	AUTO(buf) struct buf cmdline = { 0 }, environ_text = { 0 };
	p->ops->read_words(p, PROCESS_COMMAND_LINE, &cmdline);
	p->ops->read_words(p, PROCESS_ENVIRONMENT, &environ_text);
	runtime_take_flags(buf_str(&cmdline), buf_str(&environ_text), r);
}
