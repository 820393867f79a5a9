/* Finds the maps and jitdumps of a process. */
#include "symbol/process_files.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

/* Guesses are read whole, one after the other. */
enum { MAX_GUESSES = 64 };

/* --- names --- */

/* `perf-123.map`, also compressed (`.gz`, `.zst`). */
static bool is_map_name(struct str name, int32_t *pid)
{
	size_t n = 0;
	if (!str_starts(name, STR("perf-")))
		return false;
	name = str_from_byte(name, sizeof("perf-") - 1);
	while (n < name.n && is_digit(name.p[n]))
		n++;
	struct str ending = str_from_byte(name, n);
	return str_to_i32(str_first(name, n), pid) &&
	       (str_eq(ending, STR(".map")) || str_eq(ending, STR(".map.gz")) ||
		str_eq(ending, STR(".map.zst")));
}

static bool is_folder(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static char *join(const char *folder, const char *inside)
{
	AUTO(buf) struct buf path = { 0 };
	size_t n = strlen(folder);
	while (n > 1 && folder[n - 1] == '/')
		n--;
	buf_add(&path, (struct str){ folder, n });
	if (!(n == 1 && folder[0] == '/'))
		buf_add_char(&path, '/');
	buf_add(&path, str_from(inside + strspn(inside, "/")));
	return mem_strdup(buf_c_string(&path));
}

/* --- candidates --- */

struct map_hunt {
	const struct symbol_options *options;
	int32_t pid, inner_pid; /* inner_pid 0: not known */
	struct map_candidates *exact, others;
};

static void add(struct map_candidates *to, struct map_candidate candidate)
{
	vec_push(&to->list, candidate);
}

static bool is_its_pid(const struct map_hunt *h, int32_t pid)
{
	return pid == h->pid || (h->inner_pid && pid == h->inner_pid);
}

/* PID=FILE; *file is NULL when arg is not of that form. */
static bool is_for_another_pid(const char *arg, int32_t pid, const char **file)
{
	int32_t named;
	struct str s = str_from(arg);
	ptrdiff_t at = str_find_char(s, '=');
	bool has_pid = at > 0 && str_to_i32(str_first(s, (size_t)at), &named);
	*file = has_pid ? arg + at + 1 : NULL;
	return has_pid && named != pid;
}

/* All maps in a folder of the user's: one with its pid is its own, else each may be. */
static void add_folder(struct map_hunt *h, const char *root, const char *folder)
{
	AUTO_FREE char *path = root ? join(root, folder) : mem_strdup(folder);
	DIR *dir = opendir(path);
	struct dirent *entry;
	int32_t pid;
	while (dir && (entry = readdir(dir))) {
		if (!is_map_name(str_from(entry->d_name), &pid))
			continue;
		bool is_exact = is_its_pid(h, pid);
		if (!is_exact && (h->inner_pid || h->others.list.n >= MAX_GUESSES))
			continue;
		add(is_exact ? h->exact : &h->others,
		    (struct map_candidate){ .root = root ? mem_strdup(root) : NULL,
					    .path = join(path, entry->d_name),
					    .is_exact = is_exact,
					    .is_given = true });
	}
	if (dir)
		closedir(dir);
}

static void add_given(struct map_hunt *h, const char *arg)
{
	const char *file;
	int32_t pid = 0;
	if (is_for_another_pid(arg, h->pid, &file))
		return;
	if (!file && is_folder(arg)) {
		add_folder(h, NULL, arg);
		return;
	}
	bool is_named = !file && is_map_name(str_basename(str_from(arg)), &pid);
	bool is_exact = file || (is_named && is_its_pid(h, pid));
	if (is_named && !is_exact && h->inner_pid)
		return;
	add(is_exact ? h->exact : &h->others,
	    (struct map_candidate){ .path = mem_strdup(file ? file : arg),
				    .is_exact = is_exact,
				    .is_given = true });
}

static void add_exact(struct map_hunt *h, const char *root, int32_t pid, bool is_given)
{
	char inside[64];
	snprintf(inside, sizeof(inside), "/tmp/perf-%d.map", pid);
	add(h->exact,
	    (struct map_candidate){ .root = root ? mem_strdup(root) : NULL,
				    .path = root ? join(root, inside) : mem_strdup(inside),
				    .is_exact = true,
				    .is_given = is_given });
}

static void add_living(struct map_hunt *h)
{
	AUTO(buf) struct buf root = { 0 };
	if (h->inner_pid && process_root_path(h->pid, &root))
		add_exact(h, buf_c_string(&root), h->inner_pid, false);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct map_candidate *)a)->path,
		      ((const struct map_candidate *)b)->path);
}

void process_map_candidates(const struct symbol_options *options, struct recorded_process process,
			    struct map_candidates *candidates)
{
	struct map_hunt h = { .options = options, .pid = process.pid, .exact = candidates };
	if (process.is_alive && options->is_of_this_machine)
		h.inner_pid = process_inner_pid(process.pid);
	for (uint32_t i = 0; i < options->map_count; i++)
		add_given(&h, options->maps[i]);
	if (options->container_root)
		add_folder(&h, options->container_root, "/tmp");
	if (options->symfs)
		add_exact(&h, options->symfs, process.pid, true);
	add_living(&h);
	if (options->is_of_this_machine)
		add_exact(&h, NULL, process.pid, false);
	/* Folders list their files in no order: which guess wins must not depend on it. */
	if (h.others.list.n)
		qsort(h.others.list.p, h.others.list.n, sizeof(*h.others.list.p), by_path);
	for (uint32_t i = 0; i < h.others.list.n; i++)
		add(candidates, h.others.list.p[i]);
	vec_fini(&h.others.list);
}

void map_candidates_fini(struct map_candidates *candidates)
{
	for (uint32_t i = 0; i < candidates->list.n; i++) {
		free(candidates->list.p[i].root);
		free(candidates->list.p[i].path);
	}
	vec_fini(&candidates->list);
}

struct reader *process_map_open(const struct map_candidate *candidate, struct err *e)
{
	const char *inside = candidate->path;
	if (candidate->root)
		inside += strlen(candidate->root);
	return process_plain_reader(candidate->root, inside, candidate->path,
				    candidate->is_given ? OPEN_GIVEN : OPEN_CHECKED, e);
}

/* --- other files --- */

/* What --map says of a file with that name: FILE itself, or DIR with it inside; NULL: nothing. */
static char *given_file(const struct symbol_options *options, struct str name)
{
	AUTO(buf) struct buf c_name = { 0 };
	buf_add(&c_name, name);
	for (uint32_t i = 0; i < options->map_count; i++) {
		const char *arg = options->maps[i];
		struct stat status;
		if (str_eq(str_basename(str_from(arg)), name))
			return mem_strdup(arg);
		AUTO_FREE char *inside = join(arg, buf_c_string(&c_name));
		if (is_folder(arg) && stat(inside, &status) == 0)
			return mem_strdup(inside);
	}
	return NULL;
}

static struct reader *open_below_root(const char *root, const char *inside, enum open_trust trust,
				      struct err *e)
{
	AUTO_FREE char *path = join(root, inside);
	return process_plain_reader(root, inside, path, trust, e);
}

struct reader *process_file_open(const struct symbol_options *options,
				 struct recorded_process process, const char *path, struct err *e)
{
	AUTO_FREE char *given = given_file(options, str_basename(str_from(path)));
	AUTO(buf) struct buf root = { 0 };
	struct reader *r = NULL;
	if (given)
		return process_plain_reader(NULL, given, given, OPEN_GIVEN, e);
	if (options->container_root)
		r = open_below_root(options->container_root, path, OPEN_GIVEN, e);
	if (!r && options->symfs)
		r = open_below_root(options->symfs, path, OPEN_GIVEN, e);
	if (!r && options->is_of_this_machine && process.is_alive &&
	    process_root_path(process.pid, &root))
		r = open_below_root(buf_c_string(&root), path, OPEN_CHECKED, e);
	if (!r && options->is_of_this_machine)
		r = process_plain_reader(NULL, path, path, OPEN_CHECKED, e);
	else if (!r && !options->container_root && !options->symfs) {
		err_set(e, "%s is only on the recorded machine", path);
		errno = ENOENT;
	}
	return r;
}
