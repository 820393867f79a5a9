/* /proc/PID/maps (man 5 proc_pid_maps), read as a stream: it may have any number of lines. */
#include "target/living.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A path has 4096 bytes at most, and each of them may be written as four. */
enum { MAX_LINE_BYTES = 32 << 10 };

/* --- a line: `START-END rwxp OFFSET MAJOR:MINOR INODE   PATH` --- */

/* A number in base 10 or 16 that ends before `end`, which is taken as well. */
static bool take_number(struct str *line, unsigned base, char end, uint64_t *value)
{
	uint64_t number = 0;
	size_t i = 0;
	for (; i < line->n && line->p[i] != end; i++) {
		char c = line->p[i];
		if (!(base == 16 ? is_hex(c) : is_digit(c)))
			return false;
		unsigned digit =
			is_digit(c) ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
		if (__builtin_mul_overflow(number, base, &number) ||
		    __builtin_add_overflow(number, digit, &number))
			return false;
	}
	/* Where nothing follows the inode, the line may end behind it. */
	bool has_end = i < line->n;
	*value = number;
	*line = str_from_byte(*line, has_end ? i + 1 : i);
	return i && (has_end || base == 10);
}

static bool take_protection(struct str *line, struct process_mapping *m)
{
	if (line->n < 5 || line->p[4] != ' ')
		return false;
	m->protection = (line->p[0] == 'r' ? PROT_READ : 0u) |
			(line->p[1] == 'w' ? PROT_WRITE : 0u) |
			(line->p[2] == 'x' ? PROT_EXEC : 0u);
	m->is_shared = line->p[3] == 's';
	*line = str_from_byte(*line, 5);
	return true;
}

/* The kernel writes a newline in a path as `\012`, and nothing else in another way. */
static struct str plain_path(struct str path, struct buf *text)
{
	ptrdiff_t at = str_find(path, STR("\\012"));
	if (at < 0)
		return path;
	text->n = 0;
	for (; at >= 0; at = str_find(path, STR("\\012"))) {
		buf_add(text, str_first(path, (size_t)at));
		buf_add_char(text, '\n');
		path = str_from_byte(path, (size_t)at + strlen("\\012"));
	}
	buf_add(text, path);
	return buf_str(text);
}

bool target_parse_mapping(struct str line, struct process_mapping *m, struct buf *text)
{
	uint64_t major, minor;
	*m = (struct process_mapping){ 0 };
	if (!take_number(&line, 16, '-', &m->start) || !take_number(&line, 16, ' ', &m->end) ||
	    !take_protection(&line, m) || !take_number(&line, 16, ' ', &m->offset) ||
	    !take_number(&line, 16, ':', &major) || !take_number(&line, 16, ' ', &minor) ||
	    !take_number(&line, 10, ' ', &m->inode) || m->end <= m->start || major > UINT32_MAX ||
	    minor > UINT32_MAX)
		return false;
	m->device_major = (uint32_t)major;
	m->device_minor = (uint32_t)minor;
	while (line.n && line.p[0] == ' ')
		line = str_from_byte(line, 1);
	m->path = plain_path(line, text);
	return true;
}

/* --- the file --- */

struct mapping_reading {
	process_on_mapping *on;
	void *context;
	bool is_all;
	uint64_t count;
	struct str root; /* where the process's root is below ours; empty: no prefix of its paths */
	struct buf text;
};

static void read_line(struct mapping_reading *g, struct str line)
{
	struct process_mapping m;
	if (!target_parse_mapping(line, &m, &g->text))
		return;
	g->count++;
	/* Paths begin at our own root, not at the one that the process was locked into. */
	if (g->root.n && str_starts(m.path, g->root) && m.path.n > g->root.n &&
	    m.path.p[g->root.n] == '/')
		m.path = str_from_byte(m.path, g->root.n);
	if (g->is_all || m.protection & PROT_EXEC)
		g->on(g->context, &m);
}

static void read_lines(struct mapping_reading *g, struct reader *r)
{
	do {
		struct str text = reader_window(r);
		for (ptrdiff_t end; (end = str_find_char(text, '\n')) >= 0;
		     text = str_from_byte(text, (size_t)end + 1))
			read_line(g, str_first(text, (size_t)end));
		if (text.n > MAX_LINE_BYTES)
			text.n = 0;
		reader_consume(r, reader_window(r).n - text.n);
	} while (reader_fill(r));
}

static bool read_maps(struct mapping_reading *g, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	struct reader *r = reader_of_fd(fd, path);
	read_lines(g, r);
	reader_free(r);
	return g->count > 0;
}

/* When the first thread has ended, only the others still have memory. */
static bool read_maps_of_threads(struct mapping_reading *g, int32_t pid)
{
	AUTO(buf) struct buf path = { 0 };
	struct dirent *entry;
	buf_addf(&path, "/proc/%d/task", pid);
	DIR *dir = opendir(buf_c_string(&path));
	while (dir && !g->count && (entry = readdir(dir))) {
		path.n = 0;
		buf_addf(&path, "/proc/%d/task/%s/maps", pid, entry->d_name);
		if (is_digit(entry->d_name[0]))
			read_maps(g, buf_c_string(&path));
	}
	if (dir)
		closedir(dir);
	return g->count > 0;
}

/* Where a process was locked into with chroot: `/srv/jail`; a mount namespace has a root of its own. */
static struct str find_root(int32_t pid, char *target, size_t room)
{
	char link[64];
	snprintf(link, sizeof(link), "/proc/%d/root", pid);
	ssize_t n = readlink(link, target, room);
	return n > 1 && (size_t)n < room ? (struct str){ target, (size_t)n } : STR("");
}

bool target_read_mappings(int32_t pid, bool is_all, process_on_mapping *on, void *context,
			  struct err *e)
{
	char path[64], root[4096];
	struct mapping_reading g = { .on = on, .context = context, .is_all = is_all };
	g.root = find_root(pid, root, sizeof(root));
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	errno = 0;
	bool ok = read_maps(&g, path);
	int why = errno;
	if (!ok && access(path, F_OK) != 0)
		err_set(e, "process %d has exited", pid);
	else if (!ok && (why == EACCES || why == EPERM))
		err_set(e, "no permission to read the mappings of process %d: run as root", pid);
	else if (!ok && !(ok = read_maps_of_threads(&g, pid)))
		err_set(e, "process %d has no memory: it is a kernel thread or has exited", pid);
	buf_fini(&g.text);
	return ok;
}

/* --- the file behind a mapping --- */

static bool link_says(const char *link, struct str path)
{
	char target[4096];
	ssize_t n = readlink(link, target, sizeof(target));
	return n > 0 && str_eq((struct str){ target, (size_t)n }, path);
}

/*
 * It is found but not opened: it may be a device. Where a file system has other numbers for stat than for
 * mappings, as overlayfs and btrfs do, the name has to agree.
 */
int target_open_by_addresses(int32_t pid, const struct process_mapping *m)
{
	char link[96];
	struct stat status;
	snprintf(link, sizeof(link), "/proc/%d/map_files/%llx-%llx", pid,
		 (unsigned long long)m->start, (unsigned long long)m->end);
	int fd = open(link, O_PATH | O_CLOEXEC);
	if (fd < 0 || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
		       (status.st_ino == m->inode || link_says(link, m->path))))
		return fd;
	close(fd);
	errno = ENOENT;
	return -1;
}
