#include "cmd/cmd.h"

#include <unistd.h>

void command_help(const struct command *c, struct buf *out)
{
	unsigned width = terminal_width(STDOUT_FILENO, 80);
	buf_addf(out, "plume %s %s\n\n%s\n", c->name, c->arguments, c->text);
	for (size_t i = 0; c->sets && c->sets[i]; i++) {
		if (c->sets[i]->title)
			buf_addf(out, "%s:\n", c->sets[i]->title);
		else
			out->n--; /* continues the previous set */
		options_help(c->sets[i], width > 120 ? 120 : width, out);
		buf_add_char(out, '\n');
	}
	while (out->n > 1 && out->p[out->n - 1] == '\n' && out->p[out->n - 2] == '\n')
		out->n--;
}

int print_help(const struct command *c)
{
	AUTO(buf) struct buf text = { 0 };
	command_help(c, &text);
	return print_out(buf_str(&text));
}

static void general_help(struct buf *out)
{
	buf_addf(out, "plume shows where a program spends its time.\n"
		      "\n"
		      "plume COMMAND [options] [FILE...]\n"
		      "\n");
	for (size_t i = 0; commands[i]; i++)
		buf_addf(out, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
	buf_addf(out, "\n"
		      "See 'plume help COMMAND' or 'man plume-COMMAND'.\n");
}

static int run_help(const struct command *self, char **words, size_t n)
{
	AUTO(buf) struct buf text = { 0 };
	struct err e = { 0 };
	const struct command *c = n ? command_by_name(words[0]) : NULL;
	if (n && (strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0))
		c = self;
	if (c && n > 1 && c->subcommands && !(c = command_subcommand(c, words[1]))) {
		err_usage(&e, "unknown command '%s %s'", words[0], words[1]);
		return say_error(self, &e);
	}
	if (n && !c) {
		command_explain_unknown(words[0], &e);
		return say_error(self, &e);
	}
	if (c)
		command_help(c, &text);
	else
		general_help(&text);
	return print_out(buf_str(&text));
}

const struct command help_command = {
	.name = "help",
	.arguments = "[COMMAND]",
	.summary = "describe a command",
	.text = "Without COMMAND, lists all commands.\n",
	.takes_command = true,
	.run = run_help,
};
