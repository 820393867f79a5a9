#include "cmd/cmd.h"

#define COMMAND_ROW(name) &name##_command,
const struct command *const commands[] = { COMMANDS(COMMAND_ROW) NULL };

const struct command *command_by_name(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

void command_explain_unknown(const char *name, struct err *e)
{
	struct str typed = str_from(name);
	const struct command *best = NULL;
	uint32_t least = str_typing_limit(typed);
	for (size_t i = 0; commands[i]; i++) {
		uint32_t distance = str_typing_distance(str_from(commands[i]->name), typed);
		if (distance < least) {
			least = distance;
			best = commands[i];
		}
	}
	if (best)
		err_usage(e, "unknown command '%s'; did you mean '%s'?", name, best->name);
	else
		err_usage(e, "unknown %s '%s'", name[0] == '-' ? "option" : "command", name);
}

const char *command_last_word(const struct command *c)
{
	const char *blank = strrchr(c->name, ' ');
	return blank ? blank + 1 : c->name;
}

const struct command *command_subcommand(const struct command *c, const char *word)
{
	for (size_t i = 0; c->subcommands && c->subcommands[i]; i++)
		if (strcmp(command_last_word(c->subcommands[i]), word) == 0)
			return c->subcommands[i];
	return NULL;
}

static const struct option common_options[] = {
	{ "verbose", 'v', OPTION_FLAG, offsetof(struct common_options, verbose), NULL,
	  "print the ledger, an account of what happened to every sample" },
	{ "quiet", 'q', OPTION_FLAG, offsetof(struct common_options, quiet), NULL,
	  "print errors only" },
	{ "help", 'h', OPTION_FLAG, offsetof(struct common_options, help), NULL, "show this help" },
};
const struct option_set common_option_set = OPTION_SET("General", common_options);
