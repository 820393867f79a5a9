#include "target/process_int.h"

#include <dirent.h>
#include <unistd.h>

enum {
	MAX_STATUS_BYTES = 64 << 10,
	MAX_CMDLINE_BYTES = 1 << 20,
	KERNEL_THREAD_FLAG = 0x00200000, /* PF_KTHREAD of linux/sched.h */
};

/* --- text --- */

struct str next_word(struct str *rest)
{
	size_t start = 0, end;
	while (start < rest->n && is_space(rest->p[start]))
		start++;
	for (end = start; end < rest->n && !is_space(rest->p[end]);)
		end++;
	struct str word = { rest->p + start, end - start };
	*rest = str_from_byte(*rest, end);
	return word;
}

bool next_line(struct str *rest, struct str *line)
{
	if (!rest->n)
		return false;
	ptrdiff_t end = str_find_char(*rest, '\n');
	*line = str_first(*rest, end < 0 ? rest->n : (size_t)end);
	*rest = str_from_byte(*rest, line->n + 1);
	return true;
}

/* --- files of a process --- */

bool process_file_read(const char *root, int32_t pid, const char *name, size_t limit,
		       struct buf *text)
{
	AUTO(buf) struct buf path = { 0 };
	if (pid > 0)
		buf_addf(&path, "%s/proc/%d/%s", root, pid, name);
	else
		buf_addf(&path, "%s/proc/self/%s", root, name);
	return text_file_read(buf_c_string(&path), limit, text) && text->n > 0;
}

/* /proc/PID/stat, of which the second field is a name in brackets that may hold anything. */
static bool read_stat(struct str stat, struct process_status *s)
{
	enum { STATE = 3, PARENT = 4, FLAGS = 9, THREADS = 20, START = 22 };
	ptrdiff_t open = str_find_char(stat, '('), close = str_find_last_char(stat, ')');
	if (open < 0 || close < open)
		return false;
	snprintf(s->comm, sizeof(s->comm), "%.*s", (int)(close - open - 1), stat.p + open + 1);
	struct str rest = str_from_byte(stat, (size_t)close + 1);
	uint64_t flags = 0, threads = 0;
	for (int field = STATE; field <= START; field++) {
		struct str word = next_word(&rest);
		if (field == STATE)
			s->is_zombie = word.n && strchr("ZXx", word.p[0]);
		else if (field == PARENT)
			str_to_i32(word, &s->parent);
		else if (field == FLAGS)
			str_to_u64(word, &flags);
		else if (field == THREADS)
			str_to_u64(word, &threads);
		else if (field == START)
			str_to_u64(word, &s->start_ticks);
	}
	/* A first thread that has ended is a zombie until the last one has, too. */
	s->is_zombie = s->is_zombie && threads <= 1;
	s->is_kernel_thread = flags & KERNEL_THREAD_FLAG;
	return true;
}

struct str status_field(struct str status, struct str key)
{
	while (status.n) {
		ptrdiff_t end = str_find_char(status, '\n');
		struct str line = str_first(status, end < 0 ? status.n : (size_t)end);
		if (str_starts(line, key) && line.n > key.n && line.p[key.n] == ':')
			return str_trim(str_from_byte(line, key.n + 1));
		status = str_from_byte(status, line.n + 1);
	}
	return STR("");
}

/* Uid: real, effective, ... A program that runs as root counts as root's. */
static void read_status(struct str status, struct process_status *s)
{
	uint64_t user;
	struct str users = status_field(status, STR("Uid"));
	str_to_i32(status_field(status, STR("Tgid")), &s->tgid);
	next_word(&users);
	if (str_to_u64(next_word(&users), &user))
		s->user = (uint32_t)user;
}

/* Node.js of 23 and later calls its first thread MainThread, and so the process. People know it as node. */
static void name_by_program(const char *root, struct process_status *s)
{
	AUTO(buf) struct buf words = { 0 };
	if (!process_file_read(root, s->pid, "cmdline", MAX_CMDLINE_BYTES, &words))
		return;
	struct str name = str_basename(str_from(buf_c_string(&words)));
	if (name.n)
		snprintf(s->comm, sizeof(s->comm), "%.*s", (int)name.n, name.p);
}

bool process_status_read(const char *root, int32_t pid, struct process_status *s)
{
	AUTO(buf) struct buf text = { 0 };
	*s = (struct process_status){ .pid = pid, .tgid = pid, .user = UINT32_MAX };
	if (!process_file_read(root, pid, "stat", MAX_STATUS_BYTES, &text) ||
	    !read_stat(buf_str(&text), s))
		return false;
	if (process_file_read(root, pid, "status", MAX_STATUS_BYTES, &text))
		read_status(buf_str(&text), s);
	if (s->tgid == pid && str_ends(str_from(s->comm), STR("MainThread")))
		name_by_program(root, s);
	return true;
}

void process_cmdline(int32_t pid, struct buf *text)
{
	process_file_read("", pid, "cmdline", MAX_CMDLINE_BYTES, text);
	while (text->n && !text->p[text->n - 1])
		text->n--;
	for (size_t i = 0; i < text->n; i++)
		if (!text->p[i])
			text->p[i] = ' ';
}

struct process_namespace process_namespace_of(const char *root, int32_t pid, const char *kind)
{
	AUTO(buf) struct buf path = { 0 };
	struct process_namespace namespace = { 0 };
	if (pid > 0)
		buf_addf(&path, "%s/proc/%d/ns/%s", root, pid, kind);
	else
		buf_addf(&path, "%s/proc/self/ns/%s", root, kind);
	ssize_t n = readlink(buf_c_string(&path), namespace.link, sizeof(namespace.link) - 1);
	namespace.link[n > 0 ? n : 0] = 0;
	return namespace;
}

/* --- all of them --- */

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return x < y ? -1 : x > y;
}

void pid_list_sort(struct pid_list *pids)
{
	uint32_t n = 0;
	if (pids->n)
		qsort(pids->p, pids->n, sizeof(*pids->p), by_number);
	for (uint32_t i = 0; i < pids->n; i++)
		if (!n || pids->p[n - 1] != pids->p[i])
			pids->p[n++] = pids->p[i];
	pids->n = n;
}

bool pid_list_of_folder(const char *folder, struct pid_list *pids)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int32_t pid;
	while (dir && (entry = readdir(dir)))
		if (str_to_i32(str_from(entry->d_name), &pid) && pid > 0)
			vec_push(pids, pid);
	if (dir)
		closedir(dir);
	pid_list_sort(pids);
	return dir;
}

void process_list(const char *root, struct pid_list *pids)
{
	AUTO(buf) struct buf path = { 0 };
	buf_addf(&path, "%s/proc", root);
	pid_list_of_folder(buf_c_string(&path), pids);
}

bool target_threads(int32_t pid, struct buf *tids)
{
	AUTO(buf) struct buf path = { 0 };
	struct pid_list list = { 0 };
	buf_addf(&path, "/proc/%d/task", pid);
	bool is_there = pid_list_of_folder(buf_c_string(&path), &list) && list.n;
	tids->n = 0;
	buf_add(tids, (struct str){ (const char *)list.p, list.n * sizeof(*list.p) });
	vec_fini(&list);
	return is_there;
}

int32_t target_process_of_thread(int32_t tid)
{
	struct process_status s;
	return process_status_read("", tid, &s) ? s.tgid : 0;
}
