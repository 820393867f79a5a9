/* Generates shell completion scripts from the option tables. */
#include "cmd/cmd.h"

static bool takes_words(const struct command *c)
{
	return c->words || c->takes_command || c->subcommands;
}

/* What may follow a command: its options and argument words. */
static void add_words(struct buf *out, const struct command *c)
{
	for (size_t i = 0; c->subcommands && c->subcommands[i]; i++)
		buf_addf(out, " %s", command_last_word(c->subcommands[i]));
	for (size_t i = 0; c->words && c->words[i]; i++)
		buf_addf(out, " %s", c->words[i]);
	for (size_t i = 0; c->takes_command && commands[i]; i++)
		buf_addf(out, " %s", commands[i]->name);
	for (size_t i = 0; c->sets && c->sets[i]; i++)
		for (size_t o = 0; o < c->sets[i]->n; o++) {
			const struct option *option = &c->sets[i]->options[o];
			buf_addf(out, " --%s", option->name);
			if (option->letter)
				buf_addf(out, " -%c", option->letter);
		}
}

/* Options that take the pid of a running process; the shell then offers pids instead of files. */
static bool takes_pid(const struct option *o)
{
	return strcmp(o->name, "pid") == 0 && o->value && strncmp(o->value, "PID", 3) == 0;
}

/* `record:-p|record:--pid)`: the shell looks up pids on demand. */
static void add_bash_pids(struct buf *out, const char *command, const struct option *o)
{
	buf_addf(out, "\t%s:-%c|%s:--%s) words=$(cd /proc && echo [0-9]*) only=1 ;;\n", command,
		 o->letter, command, o->name);
}

/* `--weight) words='auto samples period' ;;` for each option with a choice of values. */
static void add_bash_choices(struct buf *out, const struct command *c)
{
	for (size_t i = 0; c->sets && c->sets[i]; i++)
		for (size_t o = 0; o < c->sets[i]->n; o++) {
			const struct option *option = &c->sets[i]->options[o];
			if (takes_pid(option))
				add_bash_pids(out, c->name, option);
			if (!option->choices)
				continue;
			buf_addf(out, "\t%s:--%s) words='", c->name, option->name);
			for (size_t v = 0; option->choices[v]; v++)
				buf_addf(out, " %s", option->choices[v]);
			buf_addf(out, "' only=1 ;;\n");
		}
}

static void bash_completion(struct buf *out)
{
	buf_addf(out, "_plume() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} words= only=\n"
		      "\tcase ${COMP_WORDS[1]}:${COMP_WORDS[COMP_CWORD-1]} in\n");
	for (size_t i = 0; commands[i]; i++)
		add_bash_choices(out, commands[i]);
	for (size_t i = 0; commands[i]; i++) {
		buf_addf(out, "\t%s:*) words='", commands[i]->name);
		add_words(out, commands[i]);
		/* After a subcommand there may be files, as option values. */
		if (commands[i]->subcommands)
			buf_addf(out, "'; [ \"$COMP_CWORD\" = 2 ] && only=1 ;;\n");
		else
			buf_addf(out, "'%s ;;\n", takes_words(commands[i]) ? " only=1" : "");
	}
	buf_addf(out, "\tesac\n\tif [ \"$COMP_CWORD\" = 1 ]; then only=1 words='");
	for (size_t i = 0; commands[i]; i++)
		buf_addf(out, "%s ", commands[i]->name);
	buf_addf(out, "'; fi\n"
		      "\tif [ -n \"$only\" ] || [[ $cur == -* ]]; then\n"
		      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
		      "\telse\n\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n\tfi\n}\n"
		      "complete -o filenames -F _plume plume\n");
}

/* Text inside single quotes in zsh and fish; brackets would end a zsh description. */
static void add_quoted(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			buf_addf(out, "'\\''");
		else if (*text == '[' || *text == ']' || *text == ':')
			buf_addf(out, "\\%c", *text);
		else
			buf_add_char(out, *text);
	}
}

static void zsh_option(struct buf *out, const struct option *o)
{
	const char *equals = o->type == OPTION_FLAG ? "" : "=";
	buf_addf(out, "\t\t\t");
	if (o->letter) /* '(-o --output)'{-o,--output=}'[...]' */
		buf_addf(out, "'(-%c --%s)'{-%c,--%s%s}'[", o->letter, o->name, o->letter, o->name,
			 equals);
	else
		buf_addf(out, "'%s--%s%s[", o->type == OPTION_LIST ? "*" : "", o->name, equals);
	add_quoted(out, o->help ? o->help : o->name);
	buf_addf(out, "]");
	if (o->type == OPTION_FILE)
		buf_addf(out, ":file:_files");
	else if (o->type == OPTION_CHOICE) {
		buf_addf(out, ":%s:(", o->value);
		for (size_t i = 0; o->choices[i]; i++)
			buf_addf(out, "%s ", o->choices[i]);
		buf_addf(out, ")");
	} else if (o->type != OPTION_FLAG) {
		buf_addf(out, ":");
		add_quoted(out, o->value);
		buf_addf(out, takes_pid(o) ? ":_pids" : ":");
	}
	buf_addf(out, "' \\\n");
}

static void zsh_completion(struct buf *out)
{
	buf_addf(out, "#compdef plume\n_plume() {\n\tif (( CURRENT == 2 )); then\n\t\tlocal -a "
		      "names=(\n");
	for (size_t i = 0; commands[i]; i++) {
		buf_addf(out, "\t\t\t'%s:", commands[i]->name);
		add_quoted(out, commands[i]->summary);
		buf_addf(out, "'\n");
	}
	buf_addf(out, "\t\t)\n\t\t_describe command names\n\t\treturn\n\tfi\n"
		      "\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase "
		      "$command in\n");
	for (size_t i = 0; commands[i]; i++) {
		buf_addf(out, "\t%s)\n\t\t_arguments \\\n", commands[i]->name);
		for (size_t s = 0; commands[i]->sets && commands[i]->sets[s]; s++)
			for (size_t o = 0; o < commands[i]->sets[s]->n; o++)
				zsh_option(out, &commands[i]->sets[s]->options[o]);
		if (takes_words(commands[i])) {
			buf_addf(out, "\t\t\t'%s:word:(", commands[i]->subcommands ? "1" : "*");
			add_words(out, commands[i]);
			buf_addf(out, ")' ;;\n");
		} else {
			buf_addf(out, "\t\t\t'*:file:_files' ;;\n");
		}
	}
	buf_addf(out, "\tesac\n}\n_plume \"$@\"\n");
}

static void fish_option(struct buf *out, const struct command *c, const struct option *o)
{
	buf_addf(out, "complete -c plume -n '__fish_seen_subcommand_from %s' -l %s", c->name,
		 o->name);
	if (o->letter)
		buf_addf(out, " -s %c", o->letter);
	if (o->type != OPTION_FLAG)
		buf_addf(out, o->type == OPTION_FILE ? " -r" : " -x");
	if (o->choices) {
		buf_addf(out, " -a '");
		for (size_t i = 0; o->choices[i]; i++)
			buf_addf(out, "%s ", o->choices[i]);
		buf_addf(out, "'");
	} else if (takes_pid(o)) {
		buf_addf(out, " -a '(__fish_complete_pids)'");
	}
	if (o->help) {
		buf_addf(out, " -d '");
		for (const char *t = o->help; *t; t++)
			buf_addf(out, *t == '\'' || *t == '\\' ? "\\%c" : "%c", *t);
		buf_addf(out, "'");
	}
	buf_add_char(out, '\n');
}

static void fish_completion(struct buf *out)
{
	for (size_t i = 0; commands[i]; i++) {
		buf_addf(out, "complete -c plume -n __fish_use_subcommand -f -a %s -d '%s'\n",
			 commands[i]->name, commands[i]->summary);
		if (takes_words(commands[i])) {
			buf_addf(out,
				 "complete -c plume -n '__fish_seen_subcommand_from %s' -f -a '",
				 commands[i]->name);
			add_words(out, commands[i]);
			buf_addf(out, "'\n");
		}
		for (size_t s = 0; commands[i]->sets && commands[i]->sets[s]; s++)
			for (size_t o = 0; o < commands[i]->sets[s]->n; o++)
				fish_option(out, commands[i], &commands[i]->sets[s]->options[o]);
	}
}

static int run_completion(const struct command *self, char **words, size_t n)
{
	AUTO(buf) struct buf text = { 0 };
	struct err e = { 0 };
	const char *shell = n == 1 ? words[0] : "";
	if (strcmp(shell, "bash") == 0)
		bash_completion(&text);
	else if (strcmp(shell, "zsh") == 0)
		zsh_completion(&text);
	else if (strcmp(shell, "fish") == 0)
		fish_completion(&text);
	else if (strcmp(shell, "--help") == 0 || strcmp(shell, "-h") == 0)
		command_help(self, &text);
	else
		err_usage(&e, "%s%s: must be bash, zsh or fish",
			  *shell ? "unknown shell " : "no shell given", shell);
	return e.kind ? say_error(self, &e) : print_out(buf_str(&text));
}

static const char *const shells[] = { "bash", "zsh", "fish", NULL };

const struct command completion_command = {
	.name = "completion",
	.arguments = "bash|zsh|fish",
	.summary = "print a completion script for a shell",
	.text = "'make install' installs the scripts. To try one:\n"
		"\n"
		"  source <(plume completion bash)\n",
	.words = shells,
	.run = run_completion,
};
