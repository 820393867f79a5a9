/* Reads files as a live process sees them, or as we do. */
#include "source_text/source_text_int.h"
#include "process/process.h"

#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

bool read_text_file(struct reader *r, size_t most, struct buf *text, struct err *e)
{
	const char *name = reader_name(r);
	/* Sources are not compressed, and unpacking could produce any size. */
	if (reader_compression(r))
		return err_set(e, "%s is compressed, so it is not source text", name);
	if (!reader_fill_all(r, most))
		return err_set(e, "%s is larger than %zu MB", name, most >> 20);
	if (reader_damage(r))
		return err_set(e, "%s: %s", name, reader_damage(r));
	struct str window = reader_window(r);
	if (window.n && memchr(window.p, 0, window.n))
		return err_set(e, "%s is not a text file", name);
	buf_add(text, window);
	return true;
}

/* Pseudo-files of the kernel: reading some has side effects, or blocks. */
static bool is_made_up(int fd)
{
	static const uint32_t magics[] = { PROC_SUPER_MAGIC,   SYSFS_MAGIC,	 DEBUGFS_MAGIC,
					   TRACEFS_MAGIC,      SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC,
					   CGROUP2_SUPER_MAGIC };
	struct statfs s;
	if (fstatfs(fd, &s) != 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
		if ((uint32_t)s.f_type == magics[i])
			return true;
	return false;
}

/* root: links may not lead out of it; NULL: no limit. path must outlive the reader. */
static struct reader *open_file(const char *root, const char *path, struct err *e)
{
	int fd = process_plain_file(root, path, path, OPEN_GIVEN, e);
	if (fd < 0)
		return NULL;
	if (!is_made_up(fd))
		return reader_of_fd(fd, path);
	close(fd);
	err_set(e, "%s is not a source file", path);
	return NULL;
}

static struct reader *open_of_process(int32_t pid, struct buf *path, struct err *e)
{
	AUTO(buf) struct buf root = { 0 };
	if (!process_root_path(pid, &root)) {
		err_set(e, "%s: no permission to read the files of pid %d", buf_c_string(path),
			pid);
		return NULL;
	}
	return open_file(buf_c_string(&root), buf_c_string(path), e);
}

bool text_from_process(int32_t pid, struct buf *path, struct buf *text, const char **origin,
		       struct err *e)
{
	struct process_namespace its = process_namespace_of("", pid, "mnt");
	struct process_namespace ours = process_namespace_of("", getpid(), "mnt");
	struct reader *r = open_of_process(pid, path, e);
	bool ok = r && read_text_file(r, SOURCE_TEXT_MOST_BYTES, text, e);
	reader_free(r);
	*origin = process_namespaces_differ(its, ours) ? "container" : "disk";
	return ok;
}

struct reader *open_as_recorded(const struct wanted_text *w, struct buf *path, struct err *e)
{
	for (unsigned i = 0; i < w->processes; i++) {
		struct reader *r = open_of_process(w->pids[i], path, e);
		if (r)
			return r;
	}
	if (w->container.n) {
		err_set(e, "%s is in the container %.*s, which can be read only while it runs",
			buf_c_string(path), STR_ARG(str_first(w->container, 100)));
		return NULL;
	}
	return open_file(NULL, buf_c_string(path), e);
}
