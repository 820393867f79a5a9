#include "cmd/busy.h"
#include "cmd/profile_options.h"

#include <sys/stat.h>
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

static bool count_samples(void *context, const struct profile *p)
{
	struct progress *counted = context;
	atomic_store(&counted->samples, p->ledger.count[LEDGER_SAMPLES]);
	return true;
}

bool read_profile(const char *path, const struct source_options *options, struct profile *p,
		  struct err *e)
{
	struct source_options shown = *options;
	struct busy *busy = busy_begin("reading", strcmp(path, "-") == 0 ? "standard input" : path,
				       options->is_quiet || options->progress);
	if (busy) {
		shown.progress = count_samples;
		shown.progress_context = shown.counted = busy_progress(busy);
	}
	bool ok = source_read(path, &shown, p, e);
	busy_end(busy);
	return ok;
}

const char *default_input(void)
{
	if (stdin_is_piped())
		return "-";
	say("no FILE given; reading ./perf.data");
	return "perf.data";
}

/* One line of each function would be shown as if it were where the time went. */
static bool check_lines(const char *path, const struct source_options *options,
			const struct profile *p, struct err *e)
{
	return !options->needs_lines || !profile_fact(p, source_lines_key).n ||
	       err_set(e,
		       "%s: written by an older plume, with one line per function: open it without "
		       "--srcline and --context, record again, or read the perf.data that it was "
		       "made from",
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
		err_set(e, "no stacks found: none of the %u files has samples", files->n);
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
