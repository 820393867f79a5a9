#include "cmd/cmd.h"

/* In the order of `plume help`. */
const struct command *const commands[] = { &record_command,
					   &fold_command,
					   &flame_command,
					   &diff_command,
					   &report_command,
					   &convert_command,
					   &doctor_command,
					   &js_command,
					   &completion_command,
					   &help_command,
					   NULL };

const struct command *command_by_name(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

/* Two letters that were swapped are two changes. str_distance takes a part of a name for all of it. */
static uint32_t distance_of(struct str known, struct str typed)
{
	uint32_t one = str_distance(known, typed), other = str_distance(typed, known);
	if (str_starts(known, typed))
		return 0;
	return one > other ? one : other;
}

void command_explain_unknown(const char *name, struct err *e)
{
	struct str typed = str_from(name);
	const struct command *best = NULL;
	uint32_t least = ((uint32_t)typed.n + 1) / 3 + 1;
	for (size_t i = 0; commands[i] && typed.n > 1; i++) {
		uint32_t distance = distance_of(str_from(commands[i]->name), typed);
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
	  "print the ledger: what happened to every sample" },
	{ "quiet", 'q', OPTION_FLAG, offsetof(struct common_options, quiet), NULL,
	  "print errors only" },
	{ "help", 'h', OPTION_FLAG, offsetof(struct common_options, help), NULL, "show this help" },
};
const struct option_set common_option_set = { "General", common_options,
					      ARRAY_SIZE(common_options) };
