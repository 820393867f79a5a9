#include "cmd/js.h"

#define JS(field) offsetof(struct js_options, field)

static const struct option process_options[] = {
	{ "pid", 'p', OPTION_TEXT, JS(pid), "PID", "process to inspect" },
};
const struct option_set js_process_set = { "Process", process_options,
					   ARRAY_SIZE(process_options) };

static const struct option output_options[] = {
	{ "output", 'o', OPTION_FILE, JS(output), "FILE", "write to FILE; - is standard output" },
};
const struct option_set js_output_set = { "Output", output_options, ARRAY_SIZE(output_options) };

static const struct option doctor_options[] = {
	{ "json", 0, OPTION_FLAG, JS(is_json), NULL, "doctor: print JSON" },
	{ "width", 0, OPTION_TEXT, JS(width_text), "N",
	  "doctor: wrap lines at N columns (default: the terminal's width; 0, no wrapping, for "
	  "files and pipes)" },
};
const struct option_set js_doctor_set = { NULL, doctor_options, ARRAY_SIZE(doctor_options) };

static const struct option map_options[] = {
	{ "force", 'f', OPTION_FLAG, JS(is_forced), NULL,
	  "map: replace a map that the process itself writes" },
};
const struct option_set js_map_set = { NULL, map_options, ARRAY_SIZE(map_options) };

/* --- shared by the subcommands --- */

bool js_options_parse(struct js_options *o, const struct command *self, char **words, size_t n,
		      struct err *e)
{
	enum { MOST_SETS = 8 };
	struct option_binding bindings[MOST_SETS];
	struct text_list rest = { 0 };
	size_t count = 0;
	for (; self->sets[count] && count < MOST_SETS; count++)
		bindings[count] = (struct option_binding){ self->sets[count],
							   self->sets[count] == &common_option_set
								   ? (void *)&o->common
								   : o };
	bool ok = options_parse(words, n, bindings, count, &rest, e);
	if (ok && rest.n)
		ok = err_usage(e, "%s: unexpected argument '%s'; give the process with -p PID",
			       self->name, rest.p[0]);
	if (ok && !o->pid && !o->common.help)
		ok = err_usage(e, "%s needs a process: -p PID", self->name);
	text_list_fini(&rest);
	return ok;
}

struct v8_inspection *js_open_process(const struct js_options *o, struct living_process *p,
				      struct err *e)
{
	struct target_wish wish = { 0 };
	struct target_choice choice = { 0 };
	struct v8_inspection *v = NULL;
	text_list_add(&wish.pids, str_from(o->pid));
	if (target_choose(&wish, &choice, e)) {
		if (choice.pids.n == 1) {
			living_process_init(p, choice.pids.p[0]);
			v = v8_inspect(&p->process, e);
		} else {
			err_usage(e, "-p %s: only one process at a time", o->pid);
		}
	}
	target_choice_fini(&choice);
	text_list_fini(&wish.pids);
	return v;
}

/* --- subcommands --- */

static const struct command *const subcommands[] = { &js_doctor_command, &js_map_command, NULL };

static int run_js(const struct command *self, char **words, size_t n)
{
	struct err e = { 0 };
	const char *word = n ? words[0] : "";
	const struct command *c = n ? command_subcommand(self, word) : NULL;
	if (c)
		return c->run(c, words + 1, n - 1);
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return print_help(self);
	if (n)
		err_usage(&e, "unknown command 'js %s': must be doctor or map", word);
	else
		err_usage(&e, "js needs a command: doctor or map");
	return say_error(self, &e);
}

static const struct option_set *const js_sets[] = { &js_process_set,	&js_output_set,
						    &js_doctor_set,	&js_map_set,
						    &common_option_set, NULL };

const struct command js_command = {
	.name = "js",
	.arguments = "doctor|map -p PID [options]",
	.summary = "inspect the JavaScript of a running Node.js",
	.text = "Reads V8's heap from outside the process, with Node.js 16 to 26. The process\n"
		"needs no flags and is not stopped.\n"
		"\n"
		"  plume js doctor -p PID   say what can be read from its V8\n"
		"  plume js map -p PID      write a perf-PID.map, for perf and other tools\n"
		"\n"
		"See also 'plume help js doctor' and 'plume help js map'.\n",
	.sets = js_sets,
	.subcommands = subcommands,
	.run = run_js,
};
