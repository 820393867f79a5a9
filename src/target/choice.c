/* Which option the user gave to select processes. */
#include "target/choice_int.h"

#include <stdarg.h>

enum { MAX_STEM_BYTES = 80 };

void target_wish_fini(struct target_wish *w)
{
	text_list_fini(&w->pids);
	text_list_fini(&w->tids);
	text_list_fini(&w->comms);
	text_list_fini(&w->cmdlines);
	text_list_fini(&w->users);
}

void target_choice_fini(struct target_choice *c)
{
	vec_fini(&c->pids);
	vec_fini(&c->tids);
	free(c->cgroup);
	free(c->remark);
	free(c->title);
	free(c->file_stem);
	*c = (struct target_choice){ 0 };
}

/* --- names --- */

static bool is_stem_char(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '.' || c == '-';
}

/* Other characters become one `-`; it begins with none and with no dot, so it is no hidden file. */
static char *stem_of(struct str text)
{
	AUTO(buf) struct buf stem = { 0 };
	for (size_t i = 0; i < text.n && stem.n < MAX_STEM_BYTES; i++) {
		char c = is_stem_char(text.p[i]) ? text.p[i] : '-';
		bool is_mark = c == '-' || c == '.';
		if (is_mark && (!stem.n || (c == '-' && stem.p[stem.n - 1] == '-')))
			continue;
		buf_add_char(&stem, c);
	}
	while (stem.n && (stem.p[stem.n - 1] == '-' || stem.p[stem.n - 1] == '.'))
		stem.n--;
	return mem_strdup(stem.n ? buf_c_string(&stem) : "processes");
}

void choice_clean(char *text)
{
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = '?';
}

void choice_name(struct target_choice *choice, struct str stem, const char *format, ...)
{
	char title[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(title, sizeof(title), format, arguments);
	va_end(arguments);
	choice_clean(title);
	choice->title = mem_strdup(title);
	choice->file_stem = stem_of(stem);
}

/* --- which way --- */

static bool choose_everything(struct target_choice *choice)
{
	choice->is_everything = true;
	choice_name(choice, STR("all"), "all processes");
	return true;
}

/* The first two ways that were taken: one is right. */
static unsigned ways_of(const struct target_wish *w, const char *names[2])
{
	const struct {
		const char *name;
		bool is_taken;
	} ways[] = {
		{ "-p", w->pids.n },
		{ "-t", w->tids.n },
		{ "--comm", w->comms.n },
		{ "--cmdline", w->cmdlines.n && !w->comms.n },
		{ "--uid", w->users.n && !w->comms.n && !w->cmdlines.n },
		{ "--cgroup", w->cgroup },
		{ "--container", w->container },
		{ "--service", w->service },
		{ "-a", w->is_everything },
	};
	unsigned n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(ways) && n < 2; i++)
		if (ways[i].is_taken)
			names[n++] = ways[i].name;
	return n;
}

static bool choose(const struct target_wish *wish, struct target_choice *choice, struct err *e)
{
	const char *ways[2] = { 0 };
	unsigned n = ways_of(wish, ways);
	if (n == 2)
		return err_usage(e, "%s and %s cannot be combined", ways[0], ways[1]);
	if (n == 0)
		return err_usage(e, "no target: give -p PID, --comm NAME, --container NAME or -a");
	if (wish->is_everything)
		return choose_everything(choice);
	if (wish->pids.n || wish->tids.n)
		return choose_numbers(wish, choice, e);
	if (wish->cgroup)
		return choose_cgroup(wish->cgroup, choice, e);
	if (wish->container)
		return choose_container(wish->container, choice, e);
	if (wish->service)
		return choose_service(wish->service, choice, e);
	return choose_properties(wish, choice, e);
}

bool target_choose(const struct target_wish *wish, struct target_choice *choice, struct err *e)
{
	*choice = (struct target_choice){ 0 };
	bool ok = choose(wish, choice, e);
	if (!ok)
		target_choice_fini(choice);
	return ok;
}
