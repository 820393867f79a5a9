/*
 * Answers of the API without a server, and profiles as the offline page holds them.
 *
 *	api_ask FILE... <questions   a line each: `tree time=1,2&your-code`. The first FILE is shown at first, the
 *	                             others can be asked for. Prints `STATUS BYTES`, the body and a newline for each
 *	api_ask --plain FILE         FILE as the page holds it, on standard output
 */
#include "api/api.h"
#include "source/source.h"
#include "store/store.h"

#include <stdio.h>

static struct profile *read_file(const char *path)
{
	struct err e = { 0 };
	struct source_options options = { .threads = 1,
					  .names.wants_inlines = true,
					  .names.wants_lines = true };
	struct profile *p = profile_new(COLUMNS_ALL);
	if (!source_read(path, &options, p, &e)) {
		fprintf(stderr, "api_ask: %s\n", e.text);
		exit(1);
	}
	profile_seal(p);
	return p;
}

static int write_plain(const char *path)
{
	struct err e = { 0 };
	struct profile *p = read_file(path);
	struct writer *out = writer_open("-", &e);
	struct store_writer *w = store_writer_new(out);
	store_writer_set_copy(w);
	store_writer_end(w, p);
	bool ok = writer_commit(out, &e);
	store_writer_free(w);
	writer_free(out);
	profile_unref(p);
	return !ok;
}

static void add_file(struct api *a, int number, const char *path)
{
	char id[12];
	struct profile *p = read_file(path);
	snprintf(id, sizeof(id), "%d", number);
	api_set_file(a, &(struct api_file){ .id = str_from(id),
					    .name = str_basename(str_from(path)),
					    .state = API_READY,
					    .is_shown = number == 1,
					    .profile = p });
	profile_unref(p);
}

static void answer(struct api *a, char *line)
{
	struct api_answer out;
	char *query = line + strcspn(line, " ");
	if (*query)
		*query++ = 0;
	api_answer(a, str_from(line), str_from(query), &out);
	printf("%u %zu\n", out.status, out.body.n);
	fwrite(out.body.p, 1, out.body.n, stdout);
	putchar('\n');
	fflush(stdout);
	api_answer_fini(&out);
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t room = 0;
	if (argc == 3 && strcmp(argv[1], "--plain") == 0)
		return write_plain(argv[2]);
	if (argc < 2)
		return 2;
	struct api *a = api_new(NULL);
	for (int i = 1; i < argc; i++)
		add_file(a, i, argv[i]);
	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = 0;
		answer(a, line);
	}
	free(line);
	api_free(a);
	return 0;
}
