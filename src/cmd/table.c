#include "cmd/cmd.h"

/* In the order of `plume help`. */
const struct command *const commands[] = {
	&record_command,  &fold_command,   &flame_command,	&diff_command, &report_command,
	&convert_command, &doctor_command, &completion_command, &help_command, NULL
};

const struct command *command_by_name(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static const struct option common_options[] = {
	{ "verbose", 'v', OPTION_FLAG, offsetof(struct common_options, verbose), NULL,
	  "print the ledger: what became of every sample" },
	{ "quiet", 'q', OPTION_FLAG, offsetof(struct common_options, quiet), NULL,
	  "print errors only" },
	{ "help", 'h', OPTION_FLAG, offsetof(struct common_options, help), NULL, "show this text" },
};
const struct option_set common_option_set = { "General", common_options,
					      ARRAY_SIZE(common_options) };
