/* plume scope: shows profiles, or a live recording, in a browser. */
#include "cmd/invoker.h"
#include "cmd/page_file.h"
#include "cmd/page_server.h"
#include "cmd/record.h"

#include <errno.h>
#include <unistd.h>

static const struct option file_options[] = {
	{ "output", 'o', OPTION_FILE, offsetof(struct profile_request, page.output), "PAGE.html",
	  "write the page and the profiles to one file instead of serving it" },
};
static const struct option_set file_option_set = OPTION_SET(NULL, file_options);

static const struct option_set *const scope_sets[] = { &page_option_set,
						       &file_option_set,
						       &page_file_option_set,
						       &finding_option_set,
						       &input_option_set,
						       &common_option_set,
						       NULL };

/* --- with a target: the options of `plume record`, and those of the page --- */

/* `--port`, `--port=8000`. */
static const struct option *page_option_of(const char *word, const char **value)
{
	*value = NULL;
	for (size_t i = 0; i < page_option_set.n; i++) {
		const struct option *o = &page_option_set.options[i];
		size_t n = strlen(o->name);
		if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, o->name, n) != 0)
			continue;
		if (word[2 + n] == '=')
			*value = word + 3 + n;
		if (!word[2 + n] || *value)
			return o;
	}
	return NULL;
}

/*
 * Moves the page's options from words to r. *n becomes the number of words left. Returns false and
 * sets e on a usage error.
 */
static bool take_page_words(char **words, size_t *n, struct profile_request *r, struct err *e)
{
	const struct option_binding binding = { &page_option_set, r };
	size_t kept = 0;
	bool is_command = false;
	for (size_t i = 0; i < *n; i++) {
		const char *value;
		is_command |= strcmp(words[i], "--") == 0;
		const struct option *o = is_command ? NULL : page_option_of(words[i], &value);
		if (!o) {
			words[kept++] = words[i];
			continue;
		}
		if (o->type != OPTION_FLAG && !value && i + 1 < *n)
			value = words[++i];
		if (!options_set(&binding, 1, str_from(o->name), value, e))
			return false;
	}
	*n = kept;
	return true;
}

static bool is_target(const char *word)
{
	static const char *const names[] = { "--",	  "--pid",     "--tid",	      "--comm",
					     "--cmdline", "--uid",     "--container", "--service",
					     "--cgroup",  "--all-cpus" };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t n = strlen(names[i]);
		if (strncmp(word, names[i], n) == 0 && (!word[n] || (n > 2 && word[n] == '=')))
			return true;
	}
	return word[0] == '-' && word[1] && strchr("ptuGa", word[1]);
}

static bool has_target(char **words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_target(words[i]))
			return true;
	return false;
}

static int record_live(const struct command *self, char **words, size_t n)
{
	struct err e = { 0 };
	AUTO(profile_request) struct profile_request r = { 0 };
	AUTO_FREE char **own = mem_alloc(n + 1, sizeof(*own));
	memcpy(own, words, n * sizeof(*own));
	if (!take_page_words(own, &n, &r, &e))
		return say_error(self, &e);
	own[n] = NULL;
	return record_words(&record_command, own, n, &r.page);
}

/* --- with files --- */

static bool can_read(const struct text_list *paths, struct err *e)
{
	for (uint32_t i = 0; i < paths->n; i++)
		if (strcmp(paths->p[i], "-") != 0 && access(paths->p[i], R_OK) != 0)
			return err_set(e, "%s: %s", paths->p[i], strerror(errno));
	return true;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path;
}

/* Keeps files apart and shows all of them at first, as the server does. */
static bool write_files(const struct profile_request *r, const struct source_options *source,
			struct err *e)
{
	VEC(struct page_file) files = { 0 };
	bool ok = page_can_be_written(e);
	for (uint32_t i = 0; ok && i < r->files.n; i++) {
		struct text_list one = { &r->files.p[i], 1, 1 };
		struct profile *p = read_profiles(&one, source, COLUMNS_ALL, e);
		ok = p != NULL;
		if (ok)
			vec_push(&files,
				 (struct page_file){ str_from(name_of(r->files.p[i])), p, true });
	}
	ok = ok && page_file_write_all(files.p, files.n, r->page.with_source, r->page.output, e);
	for (uint32_t i = 0; i < files.n; i++)
		profile_unref((struct profile *)files.p[i].profile);
	vec_fini(&files);
	return ok;
}

static int write_page(const struct profile_request *r, const struct source_options *source,
		      struct err *e)
{
	const struct page_options *o = &r->page;
	struct str path = str_from(o->output);
	if (o->opens || o->port || o->listen)
		err_usage(e, "-o writes a file instead of serving the page; it cannot be combined "
			     "with --open, --port or --listen");
	else if (!str_ends(path, STR(".html")) && !str_eq(path, STR("-")))
		err_usage(e, "-o %s: must end in .html", o->output);
	return !e->kind && write_files(r, source, e) ? EXIT_DONE : EXIT_FAILED;
}

static int run_scope(const struct command *self, char **words, size_t n)
{
	struct err e = { 0 };
	AUTO(profile_request) struct profile_request r = { 0 };
	if (has_target(words, n))
		return record_live(self, words, n);
	view_request_init(&r.view, VIEW_FOLDED);
	if (!profile_request_parse(&r, self, words, n, &e))
		return say_error(self, &e);
	if (r.common.help)
		return print_help(self);
	if (!r.files.n)
		text_list_add(&r.files, str_from(default_input()));
	struct source_options source = source_options_of(&r);
	source.names.wants_lines = true;
	if (r.page.output) {
		int code = write_page(&r, &source, &e);
		return e.kind ? say_error(self, &e) : code;
	}
	int stop_fd = page_stop_signals(), code = EXIT_FAILED;
	struct page_plan plan = {
		.options = &r.page, .paths = &r.files, .source = &source, .is_quiet = r.common.quiet
	};
	invoker_become(&e);
	if (!e.kind && can_read(&r.files, &e))
		code = page_serve(&plan, stop_fd, &e);
	close(stop_fd);
	return e.kind ? say_error(self, &e) : code;
}

const struct command scope_command = {
	.name = "scope",
	.arguments = "[options] [FILE|DIR...]",
	.summary = "explore profiles in a browser, or watch a program live",
	.text = "Serves a page with a heat map, a flame graph, a table of functions, source\n"
		"text and comparisons, and prints its URL. FILE is any profile that 'plume\n"
		"fold' reads; a DIR is watched for new files; a .plume file that is still being\n"
		"written is followed. With a target, all options of 'plume record' work, and the\n"
		"page shows the recording live. The page is served on this machine only, to\n"
		"anyone who has the URL. Ctrl-C stops it.\n"
		"\n"
		"  plume scope web.plume\n"
		"  plume scope /var/lib/plume\n"
		"  plume scope -p 1234\n"
		"  plume scope --container web --open\n",
	.sets = scope_sets,
	.run = run_scope,
};
