/*
 * Whether frame pointers alone lead from almost anywhere in a program to its root. Then a stack
 * copy is needed only for the frames near the leaf, where the C library and others have none.
 */
#include "record/opened.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

static bool is_chained(struct elf *elf, const struct runtime *runtime)
{
	switch (runtime->kind) {
	case RUNTIME_NODE: /* the libraries it is linked to, such as libuv, keep none */
		return !runtime->is_in_library;
	case RUNTIME_GO:
		return true;
	case RUNTIME_JVM:
		return runtime->keeps_frame_pointers;
	case RUNTIME_PYTHON:
		return false;
	default:
		return elf && frame_pointers_of(elf) == FRAME_POINTERS_KEPT;
	}
}

static bool is_chained_process(int32_t pid)
{
	AUTO(buf) struct buf path = { 0 };
	struct living_process living;
	struct runtime runtime;
	living_process_init(&living, pid);
	runtime_of_process(&living.process, &runtime);
	int fd = living.process.ops->open_program(&living.process, &path);
	struct elf *elf = process_take_elf(fd, buf_str(&path));
	bool chained = is_chained(elf, &runtime);
	elf_free(elf);
	runtime_fini(&runtime);
	return chained;
}

/* --- a command that has not started yet --- */

/* Searches like execvp. Returns false if not found. */
static bool find_program(const char *name, char path[static PATH_MAX])
{
	const char *rest = getenv("PATH");
	if (strchr(name, '/') || !rest)
		return (size_t)snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
	for (;;) {
		size_t n = strcspn(rest, ":");
		int written =
			snprintf(path, PATH_MAX, "%.*s%s%s", (int)n, rest, n ? "/" : "", name);
		if (written < PATH_MAX && access(path, X_OK) == 0)
			return true;
		if (!rest[n])
			return false;
		rest += n + 1;
	}
}

/* The word after `#!` or `#!/usr/bin/env`. Returns false if it is not a script. */
static bool read_interpreter(const char *path, char name[static PATH_MAX])
{
	enum { LINE_BYTES = 255 };
	AUTO(buf) struct buf line = { 0 };
	char *rest;
	if (!text_file_read(path, LINE_BYTES, &line) || !str_starts(buf_str(&line), STR("#!")))
		return false;
	buf_c_string(&line);
	line.p[strcspn(line.p, "\n")] = 0;
	const char *word = strtok_r(line.p + 2, " \t", &rest);
	if (word && str_eq(str_basename(str_from(word)), STR("env")))
		word = strtok_r(NULL, " \t", &rest);
	return word && snprintf(name, PATH_MAX, "%s", word) > 0;
}

static bool is_chained_command(const char *name)
{
	struct err ignored = { 0 };
	char path[PATH_MAX], interpreter[PATH_MAX];
	if (!find_program(name, path))
		return false;
	if (read_interpreter(path, interpreter) && !find_program(interpreter, path))
		return false;
	struct elf *elf = elf_open(path, &ignored);
	struct runtime runtime = { 0 };
	if (elf)
		runtime_of_program(elf, str_basename(str_from(path)), &runtime);
	bool chained = elf && is_chained(elf, &runtime);
	elf_free(elf);
	runtime_fini(&runtime);
	return chained;
}

bool choice_is_chained(const struct record_options *o)
{
	enum { MOST_LOOKED_AT = 8 };
	const struct target_choice *choice = o->choice;
	if (o->command && !o->is_command_timer)
		return is_chained_command(o->command[0]);
	if (choice->is_everything || choice->is_by_property || choice->tids.n ||
	    choice->pids.n > MOST_LOOKED_AT)
		return false;
	for (uint32_t i = 0; i < choice->pids.n; i++)
		if (!is_chained_process(choice->pids.p[i]))
			return false;
	return choice->pids.n > 0;
}
