/* /proc/PID/maps: lines as the kernel writes them, lines that are none, our own. */
#include "tap.h"
#include "target/target.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is in a line, in words. */
static void check_line(struct str line, const char *want, const char *what)
{
	AUTO(buf) struct buf text = { 0 }, got = { 0 };
	struct process_mapping m;
	if (target_parse_mapping(line, &m, &text))
		buf_addf(&got, "%llx-%llx %c%c%c%c +%llx %u:%u %llu <%.*s>",
			 (unsigned long long)m.start, (unsigned long long)m.end,
			 m.protection & PROT_READ ? 'r' : '-',
			 m.protection & PROT_WRITE ? 'w' : '-',
			 m.protection & PROT_EXEC ? 'x' : '-', m.is_shared ? 's' : 'p',
			 (unsigned long long)m.offset, m.device_major, m.device_minor,
			 (unsigned long long)m.inode, STR_ARG(m.path));
	tap_str_eq(buf_str(&got), str_from(want), "%s", what);
}

static void check_lines(void)
{
	check_line(STR("55d0c000-55d0d000 r-xp 00002000 fe:1f 131 /usr/bin/cat"),
		   "55d0c000-55d0d000 r-xp +2000 254:31 131 </usr/bin/cat>", "a program");
	check_line(STR("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0       [vsyscall]"),
		   "ffffffffff600000-ffffffffff601000 --xp +0 0:0 0 <[vsyscall]>", "no file");
	check_line(STR("1000-2000 rwxs 00000000 00:00 0 "), "1000-2000 rwxs +0 0:0 0 <>",
		   "nothing");
	check_line(STR("1000-2000 rwxs 00000000 00:00 7"), "1000-2000 rwxs +0 0:0 7 <>",
		   "nothing, without a blank");
	check_line(STR("1000-2000 r-xp 0 1:2 7   /a b\\012c (deleted)"),
		   "1000-2000 r-xp +0 1:2 7 </a b\nc (deleted)>", "blanks, a newline, deleted");
	check_line(STR("1000-2000 r-xp 0 1:2 7 /a\\040b"), "1000-2000 r-xp +0 1:2 7 </a\\040b>",
		   "only newlines are written in another way");
	static const char *const none[] = { "",
					    "1000",
					    "1000-2000",
					    "1000-2000 r-x",
					    "1000-2000 r-xp",
					    "1000-2000 r-xp 0",
					    "1000-2000 r-xp 0 1:",
					    "1000-2000 r-xp 0 1:2 x",
					    "1000-2000 r-xp 0 1:2  7 /a",
					    "2000-1000 r-xp 0 1:2 7 /a",
					    "g000-h000 r-xp 0 1:2 7 /a",
					    "-2000 r-xp 0 1:2 7 /a",
					    "11111111111111111-2 r-xp 0 1:2 7 /a",
					    "1000-2000 r-xp 0 111111111:2 7 /a",
					    "1000-2000 r-xp 0 1:2 99999999999999999999 /a" };
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		check_line(str_from(none[i]), "", none[i]);
}

struct search {
	struct str path;
	struct process_mapping found;
	uint32_t count;
};

static void look(void *context, const struct process_mapping *m)
{
	struct search *s = context;
	if (!str_eq(m->path, s->path))
		return;
	s->found = *m;
	s->count++;
}

static struct search search(const char *path, bool is_all)
{
	struct search s = { .path = str_from(path) };
	struct err e = { 0 };
	tap_ok(target_read_mappings(getpid(), is_all, look, &s, &e), "our own mappings are read");
	return s;
}

static void check_own(void)
{
	char folder[] = "/tmp/plume-test-XXXXXX", path[300];
	struct stat status;
	if (!mkdtemp(folder))
		return;
	snprintf(path, sizeof(path), "%s/a b\nc", folder);
	int fd = open(path, O_RDWR | O_CREAT, 0700);
	if (fd < 0 || ftruncate(fd, 3 * 4096) != 0 || fstat(fd, &status) != 0)
		return;
	char *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 8192);
	char *data = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	struct search s = search(path, false);
	tap_num_eq(s.count, 1, "an executable mapping of a file with a blank and a newline");
	tap_num_eq(s.found.start, (uint64_t)(uintptr_t)p, "its start");
	tap_num_eq(s.found.end, (uint64_t)(uintptr_t)p + 4096, "its end");
	tap_num_eq(s.found.offset, 8192, "its offset");
	tap_num_eq(s.found.inode, status.st_ino, "its inode");
	tap_ok(s.found.protection == (PROT_READ | PROT_EXEC) && !s.found.is_shared, "its bits");
	tap_num_eq(search(path, true).count, 2, "all mappings");
	unlink(path);
	char deleted[320];
	snprintf(deleted, sizeof(deleted), "%s (deleted)", path);
	tap_num_eq(search(deleted, false).count, 1, "its name when it is deleted");
	munmap(p, 4096);
	munmap(data, 4096);
	close(fd);
	rmdir(folder);
}

/* Paths are as a process in a folder of its own knows them. */
static void check_jail(void)
{
	char folder[] = "/tmp/plume-test-XXXXXX", path[300];
	struct search s = { .path = STR("/file") };
	struct err e = { 0 };
	int ready[2];
	if (geteuid() != 0 || !mkdtemp(folder) || pipe(ready) != 0)
		return;
	snprintf(path, sizeof(path), "%s/file", folder);
	int32_t pid = fork();
	if (pid == 0) {
		int fd = open(path, O_RDWR | O_CREAT, 0700);
		bool ok = chroot(folder) == 0 && ftruncate(fd, 4096) == 0 &&
			  mmap(NULL, 4096, PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED &&
			  write(ready[1], "", 1) == 1;
		while (ok)
			pause();
		_exit(3);
	}
	close(ready[1]);
	if (read(ready[0], path + 290, 1) == 1) {
		target_read_mappings(pid, false, look, &s, &e);
		tap_num_eq(s.count, 1, "a path below the root of a process in a jail");
	}
	close(ready[0]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(path);
	rmdir(folder);
}

static void check_none(void)
{
	struct search s = { 0 };
	struct err e = { 0 };
	tap_ok(!target_read_mappings(2000000001, true, look, &s, &e), "no such process");
	tap_str_eq(str_from(e.text), STR("process 2000000001 has exited"), "in words");
	int32_t pid = fork();
	if (pid == 0)
		_exit(0);
	siginfo_t info;
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	tap_ok(!target_read_mappings(pid, true, look, &s, &e), "a process that nobody waited for");
	tap_ok(strstr(e.text, "has no memory"), "in words: %s", e.text);
	waitpid(pid, NULL, 0);
}

/* As many as the kernel allows one process. */
static void check_many(void)
{
	enum { N = 50000 };
	char path[] = "/tmp/plume-test-XXXXXX";
	int fd = mkstemp(path);
	static void *at[N];
	uint32_t made = 0;
	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return;
	/* The same page again and again, so that neighbours do not become one. */
	for (; made < N; made++) {
		at[made] = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		if (at[made] == MAP_FAILED)
			break;
	}
	struct search s = search(path, false);
	tap_ok(made > 0 && s.count == made, "%u mappings", made);
	for (uint32_t i = 0; i < made; i++)
		munmap(at[i], 4096);
	close(fd);
	unlink(path);
}

int main(void)
{
	check_lines();
	check_own();
	check_jail();
	check_none();
	check_many();
	return tap_done();
}
