/* Finds the file of a probe by a short name, `libc` or `bash`: as mapped by the target, else on this machine. */
#include "record/event_int.h"
#include "target/target.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* How well a file's name matches; the best match wins. */
enum fit { FIT_NONE, FIT_WITHOUT_LIB, FIT_START, FIT_EXACT };

struct file_search {
	struct str wanted;
	enum fit best;
	VEC(char *) files; /* with the best match */
	int32_t pid;	   /* the process whose mappings are searched */
};

static void file_search_clear(struct file_search *s)
{
	for (uint32_t i = 0; i < s->files.n; i++)
		free(s->files.p[i]);
	s->files.n = 0;
}

static void file_search_fini(struct file_search *s)
{
	file_search_clear(s);
	vec_fini(&s->files);
}

/* `.so`, `.so.6`, `-2.31.so` after a name; `.6` after `libc.so`. */
static bool is_library_ending(struct str wanted, struct str rest)
{
	if (str_find(wanted, STR(".so")) >= 0)
		return str_starts(rest, STR("."));
	return str_eq(rest, STR(".so")) || str_starts(rest, STR(".so.")) ||
	       (rest.n > 1 && rest.p[0] == '-' && is_digit(rest.p[1]) &&
		str_ends(rest, STR(".so")));
}

static enum fit fit_of(struct str wanted, struct str name)
{
	if (str_eq(name, wanted))
		return FIT_EXACT;
	if (str_starts(name, wanted))
		return is_library_ending(wanted, str_from_byte(name, wanted.n)) ? FIT_START
										: FIT_NONE;
	if (str_starts(name, STR("lib")) && str_starts(str_from_byte(name, 3), wanted) &&
	    is_library_ending(wanted, str_from_byte(name, 3 + wanted.n)))
		return FIT_WITHOUT_LIB;
	return FIT_NONE;
}

/* Takes ownership of path. */
static void offer(struct file_search *s, enum fit fit, char *path)
{
	bool is_known = fit < s->best || !path;
	if (fit > s->best) {
		file_search_clear(s);
		s->best = fit;
	}
	for (uint32_t i = 0; i < s->files.n && !is_known; i++)
		is_known = strcmp(s->files.p[i], path) == 0;
	if (is_known)
		free(path);
	else
		vec_push(&s->files, path);
}

/* --- mapped by the target --- */

/* In a container, this path is another file than here. */
static char *path_from_here(int32_t pid, struct str path)
{
	struct stat here, there;
	AUTO(buf) struct buf plain = { 0 }, inside = { 0 };
	buf_add(&plain, path);
	buf_addf(&inside, "/proc/%d/root%.*s", pid, STR_ARG(path));
	if (stat(buf_c_string(&inside), &there) != 0)
		return NULL;
	if (stat(buf_c_string(&plain), &here) == 0 && here.st_dev == there.st_dev &&
	    here.st_ino == there.st_ino)
		return mem_strdup(plain.p);
	return mem_strdup(inside.p);
}

static void look_at_mapping(void *context, const struct process_mapping *m)
{
	struct file_search *s = context;
	enum fit fit = fit_of(s->wanted, str_basename(m->path));
	if (fit && m->path.p[0] == '/')
		offer(s, fit, path_from_here(s->pid, m->path));
}

static void look_at_processes(struct file_search *s, const struct pid_list *pids)
{
	enum { MOST = 64 };
	struct err e = { 0 };
	for (uint32_t i = 0; pids && i < pids->n && i < MOST; i++) {
		s->pid = pids->p[i];
		target_read_mappings(s->pid, false, look_at_mapping, s, &e);
	}
}

/* --- on this machine --- */

/* `libc.so` of a compiler's package is a text file. */
static bool is_program(const char *path)
{
	char magic[SELFMAG];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is = fd >= 0 && read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
		  memcmp(magic, ELFMAG, sizeof(magic)) == 0;
	if (fd >= 0)
		close(fd);
	return is;
}

/* Searches a list, `a:b`, in order for the first program. */
static void look_at_programs(struct file_search *s)
{
	const char *path = getenv("PATH");
	struct str rest = str_from(path ? path : "/usr/bin:/bin");
	while (rest.n && !s->files.n) {
		ptrdiff_t colon = str_find_char(rest, ':');
		struct str folder = str_first(rest, colon < 0 ? rest.n : (size_t)colon);
		AUTO(buf) struct buf file = { 0 };
		buf_addf(&file, "%.*s/%.*s", STR_ARG(folder), STR_ARG(s->wanted));
		if (folder.n && access(buf_c_string(&file), X_OK) == 0 && is_program(file.p))
			offer(s, FIT_EXACT, realpath(file.p, NULL));
		rest = str_from_byte(rest, folder.n + 1);
	}
}

static void look_into_folder(struct file_search *s, const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	while (folder && (entry = readdir(folder))) {
		enum fit fit = fit_of(s->wanted, str_from(entry->d_name));
		AUTO(buf) struct buf file = { 0 };
		if (!fit)
			continue;
		buf_addf(&file, "%s/%s", path, entry->d_name);
		if (is_program(buf_c_string(&file)))
			offer(s, fit, realpath(file.p, NULL));
	}
	if (folder)
		closedir(folder);
}

/* Searches the folders in a file of ld.so.conf(5), in order. */
static void look_at_configured(struct file_search *s, const char *configuration)
{
	char line[PATH_MAX];
	FILE *file = fopen(configuration, "re");
	while (file && !s->files.n && fgets(line, sizeof(line), file)) {
		line[strcspn(line, " \t\n#")] = 0;
		if (line[0] == '/')
			look_into_folder(s, line);
	}
	if (file)
		fclose(file);
}

static void look_at_libraries(struct file_search *s)
{
	static const char *const usual[] = { "/lib64", "/usr/lib64", "/lib", "/usr/lib" };
	glob_t found = { 0 };
	look_at_configured(s, "/etc/ld.so.conf");
	if (glob("/etc/ld.so.conf.d/*.conf", 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc && !s->files.n; i++)
			look_at_configured(s, found.gl_pathv[i]);
	globfree(&found);
	for (size_t i = 0; i < ARRAY_SIZE(usual) && !s->files.n; i++)
		look_into_folder(s, usual[i]);
}

/* --- result --- */

static char *explain_several(const struct file_search *s, struct err *e)
{
	AUTO(buf) struct buf list = { 0 };
	for (uint32_t i = 0; i < s->files.n; i++)
		buf_addf(&list, "%s%s", i ? ", " : "", s->files.p[i]);
	err_usage(e, "%.*s is ambiguous: give the path of one of %s", STR_ARG(s->wanted),
		  buf_c_string(&list));
	return NULL;
}

char *event_find_file(struct str name, const struct pid_list *pids, struct err *e)
{
	AUTO(file_search) struct file_search s = { .wanted = name };
	AUTO(buf) struct buf path = { 0 };
	buf_add(&path, name);
	char *given = realpath(buf_c_string(&path), NULL);
	if (given)
		return given;
	if (errno != ENOENT || str_find_char(name, '/') >= 0) {
		err_usage(e, "%.*s: %s", STR_ARG(name), strerror(errno));
		return NULL;
	}
	look_at_processes(&s, pids);
	if (!s.files.n)
		look_at_programs(&s);
	if (!s.files.n)
		look_at_libraries(&s);
	if (s.files.n > 1)
		return explain_several(&s, e);
	if (s.files.n)
		return mem_strdup(s.files.p[0]);
	err_usage(e, "%.*s: no file, program or library has that name: give the path",
		  STR_ARG(name));
	return NULL;
}
