/* Lists of PIDs and thread IDs. */
#include "target/pids_int.h"

#include <dirent.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

void process_cmdline(int32_t pid, struct buf *text)
{
	enum { MOST_BYTES = 1 << 20 };
	process_file_read("", pid, "cmdline", MOST_BYTES, text);
	while (text->n && !text->p[text->n - 1])
		text->n--;
	for (size_t i = 0; i < text->n; i++)
		if (!text->p[i])
			text->p[i] = ' ';
}

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

bool thread_is_there(int32_t tid)
{
	return tid <= 0 || syscall(SYS_tkill, tid, 0) == 0 || errno != ESRCH;
}

int32_t target_process_of_thread(int32_t tid)
{
	struct process_status s;
	return process_status_read("", tid, &s) ? s.tgid : 0;
}
