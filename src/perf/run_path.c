/*
 * The path that a program was started by. The kernel reports its file, which for a symbolic link
 * (redis-server -> redis-check-rdb) is a name that nobody typed. The first thread's comm is what
 * was typed: if a link of that name is in the file's folder, that is the path.
 */
#include "perf/perf_int.h"

#include <sys/stat.h>
#include <unistd.h>

enum {
	MAX_PATHS = 256, /* that are told apart; beyond it, files keep their own names */
	MAX_COMM = 15,	 /* the kernel truncates longer names */
};

static bool leads_to(const char *link, const char *file)
{
	char text[4096];
	struct stat a, b;
	ssize_t n = readlink(link, text, sizeof(text));
	if (n <= 0)
		return false;
	if (str_eq(str_basename((struct str){ text, (size_t)n }), str_basename(str_from(file))))
		return true;
	return stat(link, &a) == 0 && stat(file, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Below the root of the process. Returns false if that is no longer known. */
static bool find_link(const struct symbol_options *o, int32_t pid, struct run_path *p)
{
	AUTO(buf) struct buf file = { 0 }, link = { 0 };
	if (!processes_root(o->processes, pid, &link))
		return false;
	buf_add(&file, buf_str(&link));
	buf_add(&file, p->file);
	buf_add(&link, str_first(p->file, p->file.n - str_basename(p->file).n));
	buf_add(&link, p->comm);
	p->is_link = leads_to(buf_c_string(&link), buf_c_string(&file));
	return true;
}

static const struct run_path *find_known(const struct run_paths *known,
					 const struct run_path *wanted)
{
	for (uint32_t i = 0; i < known->list.n; i++)
		if (str_eq(known->list.p[i].file, wanted->file) &&
		    str_eq(known->list.p[i].comm, wanted->comm))
			return &known->list.p[i];
	return NULL;
}

static struct str add_known(struct run_paths *known, struct run_path p)
{
	AUTO(buf) struct buf path = { 0 };
	struct str folder = str_first(p.file, p.file.n - str_basename(p.file).n);
	if (p.is_link) {
		buf_add(&path, folder);
		buf_add(&path, p.comm);
	}
	p.path = arena_copy(&known->text, buf_str(&path));
	p.file = arena_copy(&known->text, p.file);
	p.comm = arena_copy(&known->text, p.comm);
	vec_push(&known->list, p);
	return p.path;
}

void run_paths_fini(struct run_paths *known)
{
	vec_fini(&known->list);
	arena_fini(&known->text);
}

struct str perf_run_path(struct perf_session *s, int32_t pid, struct str file)
{
	struct str name = str_basename(file), none = STR("");
	if (!s->options.live || !str_starts(file, STR("/")) || str_find(name, STR(".so")) >= 0)
		return none;
	const struct perf_thread *first = perf_thread_get(&s->processes, pid, pid);
	struct run_path p = { .file = file, .comm = profile_str(s->p, first->comm) };
	if (!p.comm.n || p.comm.n >= MAX_COMM || str_eq(p.comm, name) ||
	    str_find_char(p.comm, '/') >= 0)
		return none;
	const struct run_path *known = find_known(&s->run_paths, &p);
	if (known)
		return known->path;
	if (s->run_paths.list.n >= MAX_PATHS || !find_link(&s->options.names, pid, &p))
		return none;
	return add_known(&s->run_paths, p);
}
