#include "cmd/profile_options.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool stdin_is_piped(void)
{
	struct stat status;
	return fstat(STDIN_FILENO, &status) == 0 &&
	       (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode));
}

/* One of several inputs gives nothing: the others are shown, and what was wrong is said. */
static void note_unreadable(struct profile *p, const struct err *e)
{
	p->ledger.count[LEDGER_INPUT_DAMAGED]++;
	if (!p->ledger.damage)
		p->ledger.damage = profile_add_str(p, str_from(e->text));
}

/* On a terminal, so that a long wait for a pipe is seen to be one. */
static bool show_progress(void *context, const struct profile *p)
{
	enum { FIRST_NS = 1000000000, NEXT_NS = 250000000 };
	uint64_t *next_ns = context;
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	uint64_t now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (!*next_ns)
		*next_ns = now + FIRST_NS;
	if (now < *next_ns)
		return true;
	AUTO(buf) struct buf samples = { 0 };
	buf_add_grouped(&samples, p->ledger.count[LEDGER_SAMPLES]);
	fprintf(stderr, "\r\033[Kplume: %s samples read", buf_c_string(&samples));
	*next_ns = now + NEXT_NS;
	return true;
}

static void hide_progress(void)
{
	fputs("\r\033[K", stderr);
}

bool read_profile(const char *path, const struct source_options *options, struct profile *p,
		  struct err *e)
{
	struct source_options shown = *options;
	uint64_t next_ns = 0;
	if (!options->progress && isatty(STDERR_FILENO)) {
		shown.progress = show_progress;
		shown.progress_context = &next_ns;
	}
	bool ok = source_read(path, &shown, p, e);
	if (next_ns)
		hide_progress();
	return ok;
}

const char *default_input(void)
{
	if (stdin_is_piped())
		return "-";
	say("no FILE given: reading ./perf.data");
	return "perf.data";
}

/* One line of each function would be shown as if it were where the time went. */
static bool check_lines(const char *path, const struct source_options *options,
			const struct profile *p, struct err *e)
{
	return !options->needs_lines || !profile_fact(p, source_lines_key).n ||
	       err_set(e,
		       "%s: an older plume wrote it, with one line per function: record again, or "
		       "read the perf.data it was made from; it opens without --srcline and "
		       "--context",
		       path);
}

struct profile *read_profiles(const struct text_list *files, const struct source_options *options,
			      unsigned columns, struct err *e)
{
	struct profile *p = profile_new(columns);
	struct source_options each = *options;
	bool has_read = false, has_lines = true;
	each.is_one_of_many = files->n > 1;
	for (uint32_t i = 0; has_lines && i < (files->n ? files->n : 1); i++) {
		const char *path = files->n ? files->p[i] : default_input();
		if (read_profile(path, &each, p, e))
			has_read = has_lines = check_lines(path, options, p, e);
		else if (e->kind == ERR_USAGE)
			break;
		else
			note_unreadable(p, e);
	}
	bool is_empty = !p->samples.n && !p->ledger.count[LEDGER_SAMPLES] && !options->compat;
	if (has_read && is_empty && !e->kind)
		err_set(e, "no stacks found: none of the %u files holds samples", files->n);
	if (!has_read || !has_lines || is_empty || e->kind == ERR_USAGE) {
		profile_unref(p);
		return NULL;
	}
	*e = (struct err){ 0 };
	if (options->source_maps)
		p = source_find_originals(p, &options->names);
	profile_seal(p);
	return p;
}

struct profile *request_profile(const struct profile_request *r,
				const struct source_options *options, unsigned columns,
				struct err *e)
{
	if (r->profile)
		return options->names.wants_lines ? profile_ref(r->profile)
						  : profile_without_lines(r->profile);
	return read_profiles(&r->files, options, columns, e);
}
