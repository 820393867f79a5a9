/* What is held of processes: names after their end, by whatever map and file they had. */
#include "actor.h"
#include "tap.h"
#include "target/target.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <linux/sched.h>
#include <time.h>

/* Tenths of seconds, so that all times here have passed on a machine that was just started. */
#define TENTH 100000000ull

static const struct process_mapping anonymous = { .start = 4096,
						  .end = 8192,
						  .protection = PROT_READ | PROT_EXEC };
static const struct symbol_options no_options;

static bool read_map(struct held_files *h, int32_t pid, const struct symbol_options *options,
		     const struct jit_address *wanted, uint32_t n, struct perf_map_names *names,
		     struct map_search *search)
{
	struct processes *p = held_files_processes(h);
	return p->ops->read_map(p, pid, options, wanted, n, names, search);
}

static struct reader *open_path(struct held_files *h, int32_t pid, const char *path, struct err *e)
{
	struct processes *p = held_files_processes(h);
	return p->ops->open_path(p, pid, path, e);
}

/* Names of 0x10 in the states at these moments, `|` between them. */
static void check_names(struct held_files *h, int32_t pid, const uint64_t *times, uint32_t n,
			const char *want, const char *what)
{
	struct jit_address wanted[8] = { 0 };
	AUTO(perf_map_names) struct perf_map_names names = { 0 };
	AUTO(map_search) struct map_search search = { 0 };
	AUTO(buf) struct buf got = { 0 };
	for (uint32_t i = 0; i < n; i++)
		wanted[i] = (struct jit_address){ 0x10, processes_map_state(held_files_processes(h),
									    pid, times[i]) };
	bool ok = read_map(h, pid, &no_options, wanted, n, &names, &search);
	for (uint32_t i = 0; i < n; i++) {
		buf_add(&got, i ? STR("|") : STR(""));
		buf_add(&got, names.names[i].name);
	}
	tap_str_eq(buf_str(&got), str_from(want), "%s", what);
	tap_ok(ok == (search.reason.n == 0) && ok == (search.fix.n == 0), "%s: reason and fix",
	       what);
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint32_t open_descriptors(void)
{
	uint32_t n = 0;
	for (int fd = 0; fd < 4096; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void begin(struct held_files *h, const struct actor *a, uint64_t time_ns)
{
	held_files_add_process(h, a->pid, 0, false, time_ns);
	held_files_add_mapping(h, a->pid, &anonymous);
}

static void end(struct held_files *h, struct actor *a)
{
	actor_kill(a);
	held_files_end_process(h, a->pid);
}

/* --- maps --- */

static void check_map(bool is_contained)
{
	static const uint64_t times[] = { 50 * TENTH, 100 * TENTH, 150 * TENTH, 200 * TENTH,
					  300 * TENTH };
	const char *where = is_contained ? "container" : "host";
	struct held_files *h = held_files_new(0);
	struct actor a;
	if (!actor_start(&a, is_contained)) {
		tap_ok(true, "a process in a %s # SKIP not allowed here", where);
		held_files_free(h);
		return;
	}
	begin(h, &a, 50 * TENTH);
	held_files_look(h, 90 * TENTH);
	check_names(h, a.pid, times, 1, "", "no map yet");
	actor_do(&a, ACT_WRITE, "10 10 first\n");
	held_files_look(h, 100 * TENTH);
	held_files_look(h, 150 * TENTH);
	tap_num_eq(processes_map_state(held_files_processes(h), a.pid, 100 * TENTH),
		   processes_map_state(held_files_processes(h), a.pid, 199 * TENTH),
		   "%s: a map that does not grow stays in its state", where);
	actor_do(&a, ACT_WRITE, "10 10 second\n");
	held_files_look(h, 200 * TENTH);
	check_names(h, a.pid, times, 5, "first|first|first|second|second", where);
	actor_do(&a, ACT_WRITE, "10 10 third\n");
	end(h, &a);
	check_names(h, a.pid, times, 5, "first|first|first|second|second", "after its end");
	check_names(h, a.pid, (uint64_t[]){ UINT64_MAX }, 1, "third", "rows it wrote at the end");
	held_files_forget_states(h, 160 * TENTH);
	check_names(h, a.pid, times, 5, "first|first|first|second|second",
		    "states before are forgotten, not those that lasted");
	held_files_forget_states(h, UINT64_MAX);
	tap_num_eq(held_files_count(h), 0, "%s: a process that is forgotten holds nothing", where);
	held_files_free(h);
	char path[64];
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", a.pid);
	unlink(path);
}

/* A map that nobody looked at while the process lived. */
static void check_short_life(void)
{
	struct held_files *h = held_files_new(0);
	struct actor a;
	if (actor_start(&a, true)) {
		begin(h, &a, 50 * TENTH);
		actor_do(&a, ACT_WRITE, "10 10 short\n");
		end(h, &a);
		check_names(h, a.pid, (uint64_t[]){ 60 * TENTH }, 1, "short",
			    "ended before the first look");
	}
	held_files_free(h);
}

static void check_changed_maps(void)
{
	static const uint64_t times[] = { 100 * TENTH, 200 * TENTH, 300 * TENTH };
	struct held_files *h = held_files_new(0);
	struct actor a;
	if (actor_start(&a, true)) {
		begin(h, &a, 50 * TENTH);
		actor_do(&a, ACT_WRITE, "10 10 first\n10 10 second\n");
		held_files_look(h, 100 * TENTH);
		actor_do(&a, ACT_CUT, "10 10 cut\n10 10 c\n");
		held_files_look(h, 200 * TENTH);
		check_names(h, a.pid, times, 2, "cut|c", "a map that was cut begins again");
		actor_do(&a, ACT_REPLACE, "10 10 replaced\n");
		held_files_look(h, 300 * TENTH);
		check_names(h, a.pid, times, 3, "cut|c|replaced",
			    "a map that was replaced is still had");
		end(h, &a);
		check_names(h, a.pid, times, 3, "cut|c|replaced", "both after its end");
	}
	held_files_free(h);
}

/* Left by a process that had the pid before. */
static void check_left_over_map(void)
{
	struct timespec long_ago[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	const struct symbol_options here = { .is_of_this_machine = true };
	struct jit_address wanted = { .address = 0x10 };
	AUTO(perf_map_names) struct perf_map_names names = { 0 };
	AUTO(map_search) struct map_search search = { 0 };
	AUTO(buf) struct buf want = { 0 };
	struct held_files *h = held_files_new(0);
	struct actor a;
	char path[64];
	if (!actor_start(&a, false))
		return;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", a.pid);
	act_write(path, O_TRUNC, "10 10 another\n");
	utimensat(AT_FDCWD, path, long_ago, 0);
	begin(h, &a, 50 * TENTH);
	held_files_look(h, 100 * TENTH);
	end(h, &a);
	tap_ok(!read_map(h, a.pid, &here, &wanted, 1, &names, &search),
	       "a map that is older than its process is another's");
	buf_addf(&want,
		 "no perf map: %s is older than the process: it belongs to an earlier process with "
		 "that pid",
		 path);
	tap_str_eq(buf_str(&search.reason), buf_str(&want), "in words");
	held_files_free(h);
	unlink(path);
}

static void check_hostile_map(enum act act, const char *text, const char *want, const char *what)
{
	struct held_files *h = held_files_new(0);
	struct actor a;
	if (actor_start(&a, true)) {
		begin(h, &a, 50 * TENTH);
		tap_ok(actor_do(&a, act, text), "%s is planted", what);
		held_files_look(h, 100 * TENTH);
		check_names(h, a.pid, (uint64_t[]){ 100 * TENTH }, 1, want, what);
		end(h, &a);
		check_names(h, a.pid, (uint64_t[]){ 100 * TENTH }, 1, want, "after its end");
	}
	held_files_free(h);
}

static void check_hostile_maps(void)
{
	char secret[] = "/tmp/plume-secret-XXXXXX";
	int fd = mkstemp(secret);
	tap_ok(fd >= 0 && write(fd, "10 10 secret\n", 13) == 13, "a secret is written");
	close(fd);
	check_hostile_map(ACT_FIFO, "", "", "a fifo");
	check_hostile_map(ACT_LINK, "/etc/shadow", "", "a link to /etc/shadow");
	check_hostile_map(ACT_LINK, secret, "", "a link to a file out of its root");
	char up[64];
	snprintf(up, sizeof(up), "../../../../../..%s", secret);
	check_hostile_map(ACT_LINK, up, "", "a link upwards out of its root");
	check_hostile_map(ACT_SPARSE, "\n10 10 tail\n", "tail", "a map of 5 GB");
	unlink(secret);
}

/* --- who has a pid --- */

static void check_exec(void)
{
	static const uint64_t times[] = { 60 * TENTH, 150 * TENTH, 250 * TENTH };
	struct held_files *h = held_files_new(0);
	struct actor a;
	if (actor_start(&a, true)) {
		begin(h, &a, 50 * TENTH);
		actor_do(&a, ACT_WRITE, "10 10 before\n");
		held_files_look(h, 100 * TENTH);
		actor_do(&a, ACT_REPLACE, "10 10 after\n");
		held_files_add_process(h, a.pid, 0, true, 200 * TENTH);
		held_files_add_mapping(h, a.pid, &anonymous);
		held_files_look(h, 240 * TENTH);
		end(h, &a);
		check_names(h, a.pid, times, 3, "before|before|after",
			    "each program has the names of its own map");
	}
	held_files_free(h);
}

/* A process in a container, with this very pid outside of it. */
static bool start_with_pid(int32_t pid, int32_t *started)
{
	pid_t wanted = pid;
	struct clone_args args = { .exit_signal = SIGCHLD,
				   .set_tid = (uint64_t)(uintptr_t)&wanted,
				   .set_tid_size = 1 };
	*started = (int32_t)syscall(SYS_clone3, &args, sizeof(args));
	if (*started == 0)
		for (;;)
			pause();
	return *started > 0;
}

static void check_reuse(void)
{
	static const uint64_t times[] = { 150 * TENTH, 250 * TENTH };
	struct held_files *h = held_files_new(0);
	struct actor a;
	int32_t again;
	char path[64];
	if (!actor_start(&a, true)) {
		held_files_free(h);
		return;
	}
	begin(h, &a, 50 * TENTH);
	actor_do(&a, ACT_WRITE, "10 10 old\n");
	held_files_look(h, 100 * TENTH);
	end(h, &a);
	if (!start_with_pid(a.pid, &again)) {
		tap_ok(true, "a pid that comes again # SKIP pids cannot be chosen here");
		held_files_free(h);
		return;
	}
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", a.pid);
	act_write(path, O_TRUNC, "10 10 new\n");
	held_files_add_process(h, again, 0, false, 200 * TENTH);
	held_files_add_mapping(h, again, &anonymous);
	held_files_look(h, 220 * TENTH);
	check_names(h, again, times, 2, "old|new", "a pid that came again");
	kill(again, SIGKILL);
	waitpid(again, NULL, 0);
	held_files_end_process(h, again);
	check_names(h, again, times, 2, "old|new", "a pid that came again, after the end");
	held_files_free(h);
	unlink(path);
}

static void check_roots(void)
{
	struct held_files *h = held_files_new(0);
	struct actor a, b;
	if (actor_start(&a, true)) {
		held_files_add_process(h, a.pid, 0, false, 0);
		uint32_t one = held_files_count(h);
		tap_num_eq(one, 2, "a root and its mount namespace are held");
		actor_do(&a, ACT_WRITE, "some text");
		held_files_add_process(h, 2000000001, a.pid, false, 0);
		tap_num_eq(held_files_count(h), one, "a child that is gone has its parent's root");
		struct err e = { 0 };
		struct reader *r = open_path(h, 2000000001, "/tmp/perf-1.map", &e);
		tap_str_eq(r ? reader_window(r) : STR(""), STR("some text"), "and files in there");
		reader_free(r);
		tap_ok(!open_path(h, a.pid, "/tmp/none", &e), "a file that is not there");
		tap_str_eq(str_from(e.text), STR("/tmp/none: No such file or directory"),
			   "in words");
		end(h, &a);
		AUTO(buf) struct buf root = { 0 };
		bool has_root = processes_root(held_files_processes(h), a.pid, &root);
		buf_add(&root, STR("/tmp/perf-1.map"));
		tap_ok(has_root && access(buf_c_string(&root), F_OK) == 0,
		       "the root is there after its end, with all that was mounted");
	}
	if (actor_start(&a, false) && actor_start(&b, false)) {
		uint32_t before = held_files_count(h);
		held_files_add_process(h, a.pid, 0, false, 0);
		held_files_add_process(h, b.pid, 0, false, 0);
		tap_num_eq(held_files_count(h), before + 2, "a root is held once for all in it");
		actor_kill(&a);
		actor_kill(&b);
	}
	held_files_free(h);
}

static void count_mapping(void *count, const struct process_mapping *m)
{
	(void)m;
	++*(uint32_t *)count;
}

/* By the letter of man 5 proc_pid_stat. */
static bool is_in_state(int32_t pid, char state)
{
	char path[64], text[256] = "";
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	if (f)
		fclose(f);
	const char *end = n ? strrchr(text, ')') : NULL;
	return end && end[1] == ' ' && end[2] == state;
}

static void check_first_thread_gone(void)
{
	struct held_files *h = held_files_new(0);
	struct actor a;
	struct err e = { 0 };
	uint32_t count = 0;
	if (actor_start(&a, true)) {
		actor_do(&a, ACT_WRITE, "10 10 threads\n");
		actor_do(&a, ACT_END_THREAD, "");
		while (!is_in_state(a.pid, 'Z'))
			sched_yield();
		tap_ok(target_read_mappings(a.pid, false, count_mapping, &count, &e) && count > 0,
		       "mappings of a process whose first thread has ended");
		begin(h, &a, 50 * TENTH);
		held_files_look(h, 100 * TENTH);
		held_files_end_process(h, a.pid);
		actor_kill(&a);
		held_files_look(h, 200 * TENTH);
		check_names(h, a.pid, (uint64_t[]){ 100 * TENTH }, 1, "threads", "and its map");
		held_files_forget_states(h, 300 * TENTH);
		tap_num_eq(held_files_count(h), 0, "and its end");
	}
	held_files_free(h);
}

/* --- mapped files --- */

struct mapping_context {
	struct held_files *h;
	int32_t pid;
	struct binary_id id; /* of the first mapping whose path ends in name */
	const char *name;
	char path[256];
};

static void hold_mapping(void *context, const struct process_mapping *m)
{
	struct mapping_context *c = context;
	held_files_add_mapping(c->h, c->pid, m);
	if (c->id.path.n || str_find(m->path, str_from(c->name)) < 0)
		return;
	snprintf(c->path, sizeof(c->path), "%.*s", STR_ARG(m->path));
	c->id = (struct binary_id){ .path = str_from(c->path),
				    .has_inode = true,
				    .device_major = m->device_major,
				    .device_minor = m->device_minor,
				    .inode = m->inode };
}

static bool run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool run(const char *format, ...)
{
	char command[600];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	return system(command) == 0;
}

static int32_t start_program(const char *path)
{
	int32_t pid = fork();
	if (pid == 0) {
		execl(path, path, "1000", NULL);
		_exit(3);
	}
	char link[64], target[256];
	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	/* Until it has become that program, which sleeps once it has mapped all. */
	for (bool is_there = false; pid > 0 && !is_there; sched_yield()) {
		ssize_t n = readlink(link, target, sizeof(target));
		is_there = n < 0 || (str_eq((struct str){ target, (size_t)n }, str_from(path)) &&
				     is_in_state(pid, 'S'));
	}
	return pid;
}

static void check_deleted_program(void)
{
	char folder[] = "/tmp/plume-test-XXXXXX", program[64];
	struct err e = { 0 };
	if (!mkdtemp(folder))
		return;
	snprintf(program, sizeof(program), "%s/my sleep", folder);
	run("cp /bin/sleep '%s'", program);
	struct mapping_context c = { .h = held_files_new(0),
				     .pid = start_program(program),
				     .name = "my sleep" };
	held_files_add_process(c.h, c.pid, 0, false, 0);
	unlink(program);
	tap_ok(target_read_mappings(c.pid, false, hold_mapping, &c, &e), "mappings are read");
	tap_ok(str_ends(c.id.path, STR(" (deleted)")), "the program is deleted");
	kill(c.pid, SIGKILL);
	waitpid(c.pid, NULL, 0);
	held_files_end_process(c.h, c.pid);
	struct symbol_options options = { .is_of_this_machine = true,
					  .processes = held_files_processes(c.h) };
	struct binary *b = binary_new(&c.id, &options);
	binary_add_process(b, c.pid);
	struct elf *elf = binary_code(b);
	tap_ok(elf, "a program that was deleted and has ended is found");
	tap_str_eq(elf ? str_from(elf->path) : STR(""), str_from(program),
		   "and called as it was in the process");
	binary_free(b);
	held_files_free(c.h);
	run("rm -r '%s'", folder);
}

/* A program in a container that is gone, with its debug file in there. */
static void check_debug_file(void)
{
	char folder[] = "/tmp/plume-test-XXXXXX";
	struct err e = { 0 };
	if (!mkdtemp(folder))
		return;
	bool can_build = run("cd '%s' && echo 'int hidden(void){return 1;} int main(void){for(;;)"
			     "hidden();}' > p.c && cc -g -O0 -o p p.c && objcopy "
			     "--only-keep-debug p p.debug && objcopy --strip-all "
			     "--add-gnu-debuglink=p.debug p && rm p.c",
			     folder);
	char command[400];
	snprintf(command, sizeof(command),
		 "exec unshare -m --propagation private sh -c 'mkdir %s/root && mount -t tmpfs "
		 "none %s/root && cp %s/p %s/p.debug %s/root && rm %s/p* && exec %s/root/p'",
		 folder, folder, folder, folder, folder, folder, folder);
	int32_t pid = can_build ? fork() : -1;
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(3);
	}
	char link[64], target[256] = "";
	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	while (pid > 0 && !strstr(target, "/root/p") && waitpid(pid, NULL, WNOHANG) == 0) {
		ssize_t n = readlink(link, target, sizeof(target) - 1);
		target[n < 0 ? 0 : n] = 0;
	}
	if (!strstr(target, "/root/p")) {
		tap_ok(true, "a debug file in a container # SKIP no compiler, or not allowed here");
		run("rm -r '%s'", folder);
		return;
	}
	struct mapping_context c = { .h = held_files_new(0), .pid = pid, .name = "/root/p" };
	held_files_add_process(c.h, pid, 0, false, 0);
	while (!c.id.path.n && target_read_mappings(pid, false, hold_mapping, &c, &e))
		sched_yield();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	held_files_end_process(c.h, pid);
	struct symbol_options options = { .is_of_this_machine = true,
					  .processes = held_files_processes(c.h) };
	struct binary *b = binary_new(&c.id, &options);
	binary_add_process(b, pid);
	struct elf *debug = binary_debug(b);
	tap_ok(debug, "the debug file in a container that is gone is found");
	snprintf(target, sizeof(target), "%s/root/p.debug", folder);
	tap_str_eq(debug ? str_from(debug->path) : STR(""), str_from(target),
		   "and called as it was in there");
	binary_free(b);
	held_files_free(c.h);
	run("rm -r '%s'", folder);
}

/* --- many --- */

static void check_short_processes(void)
{
	struct err e = { 0 };
	struct mapping_context c = { .h = held_files_new(0), .name = "sleep" };
	uint32_t before = open_descriptors(), most = 0;
	for (int i = 0; i < 300; i++) {
		c.pid = start_program("/usr/bin/sleep");
		held_files_add_process(c.h, c.pid, getpid(), false, 0);
		target_read_mappings(c.pid, false, hold_mapping, &c, &e);
		kill(c.pid, SIGKILL);
		waitpid(c.pid, NULL, 0);
		held_files_end_process(c.h, c.pid);
		most = held_files_count(c.h) > most ? held_files_count(c.h) : most;
	}
	int fd = processes_open_mapped(held_files_processes(c.h), c.pid, &c.id);
	tap_ok(fd >= 0, "their program is held");
	close(fd);
	tap_ok(most <= 8, "300 processes of one program hold %u descriptors", most);
	tap_num_eq(open_descriptors(), before + held_files_count(c.h), "and no others are open");
	held_files_forget_states(c.h, UINT64_MAX);
	tap_num_eq(held_files_count(c.h), 0, "when they are forgotten, nothing is held");
	held_files_free(c.h);
	tap_num_eq(open_descriptors(), before, "all are closed");
}

static uint32_t hold_new_files(struct held_files *h, const char *folder, int32_t pid, int from,
			       int to)
{
	for (int i = from; i < to; i++) {
		char path[300];
		struct stat status;
		snprintf(path, sizeof(path), "%s/%d", folder, i);
		int fd = open(path, O_RDWR | O_CREAT, 0755);
		if (fd < 0 || ftruncate(fd, 4096) != 0 || fstat(fd, &status) != 0)
			return 0;
		close(fd);
		struct process_mapping m = { .start = 4096,
					     .end = 8192,
					     .protection = PROT_EXEC,
					     .inode = status.st_ino,
					     .device_major = major(status.st_dev),
					     .device_minor = minor(status.st_dev),
					     .path = str_from(path) };
		held_files_add_mapping(h, pid, &m);
	}
	return held_files_count(h);
}

static void check_limit(void)
{
	char folder[] = "/tmp/plume-test-XXXXXX";
	struct held_files *h = held_files_new(20);
	struct actor a, b;
	uint32_t before = open_descriptors();
	if (!mkdtemp(folder) || !actor_start(&a, false) || !actor_start(&b, false))
		return;
	before = open_descriptors();
	held_files_add_process(h, a.pid, 0, false, 0);
	held_files_add_process(h, b.pid, 0, false, 0);
	tap_num_eq(hold_new_files(h, folder, a.pid, 0, 50), 20, "no more than allowed are held");
	tap_num_eq(open_descriptors() - before, 20, "no more than allowed are open");
	tap_num_eq(held_files_refused(h), 32, "the others are counted");
	hold_new_files(h, folder, b.pid, 50, 60);
	tap_num_eq(held_files_refused(h), 42, "those of living processes stay");
	hold_new_files(h, folder, b.pid, 0, 1); /* both have it now */
	end(h, &a);
	hold_new_files(h, folder, b.pid, 60, 65);
	tap_num_eq(held_files_refused(h), 42, "those of ended ones make room");
	struct stat status;
	char path[300];
	snprintf(path, sizeof(path), "%s/0", folder);
	stat(path, &status);
	struct binary_id id = { .has_inode = true,
				.inode = status.st_ino,
				.device_major = major(status.st_dev),
				.device_minor = minor(status.st_dev) };
	int fd = processes_open_mapped(held_files_processes(h), b.pid, &id);
	tap_ok(fd >= 0, "but not what a living one has mapped, too");
	close(fd);
	actor_kill(&b);
	held_files_free(h);
	run("rm -r '%s'", folder);
}

/* --- Node.js --- */

static int32_t first_child(int32_t pid)
{
	char path[64];
	int child = 0;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	FILE *f = fopen(path, "r");
	if (f && fscanf(f, "%d", &child) != 1)
		child = 0;
	if (f)
		fclose(f);
	return child;
}

struct node_row {
	uint64_t start;
	char name[64];
};

/* The last row of its map that names a function of ours. */
static bool find_row(int32_t pid, struct node_row *row)
{
	char path[64], line[1024];
	bool is_found = false;
	unsigned long long start, size;
	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", pid, process_inner_pid(pid));
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "plumeHotLoop") || sscanf(line, "%llx %llx", &start, &size) != 2)
			continue;
		row->start = start;
		is_found = true;
	}
	if (f)
		fclose(f);
	return is_found;
}

static void check_node(void)
{
	const char *script = "mount -t tmpfs none /tmp && exec node --perf-basic-prof -e 'function "
			     "plumeHotLoop(n){let s=0;for(let i=0;i<n;i++)s+=i%7;return s}"
			     "for(;;)plumeHotLoop(1e6)'";
	int32_t outer = fork(), pid = 0;
	if (outer == 0) {
		/* It complains when its child is killed. */
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
		execlp("unshare", "unshare", "-m", "-p", "-f", "--mount-proc", "--propagation",
		       "private", "sh", "-c", script, NULL);
		_exit(3);
	}
	struct node_row row = { 0 };
	while (!(pid && find_row(pid, &row)) && waitpid(outer, NULL, WNOHANG) == 0)
		pid = pid ? pid : first_child(outer);
	if (!row.start) {
		tap_ok(true, "node in a container # SKIP no node, or not allowed here");
		return;
	}
	struct held_files *h = held_files_new(0);
	begin(h, &(struct actor){ .pid = pid }, 0);
	held_files_look(h, now_ns());
	kill(pid, SIGKILL);
	waitpid(outer, NULL, 0);
	held_files_end_process(h, pid);
	struct jit_address wanted = { row.start + 1, processes_map_state(held_files_processes(h),
									 pid, UINT64_MAX) };
	AUTO(perf_map_names) struct perf_map_names names = { 0 };
	AUTO(map_search) struct map_search search = { 0 };
	bool ok = read_map(h, pid, &no_options, &wanted, 1, &names, &search);
	tap_ok(ok && str_find(names.names[0].name, STR("plumeHotLoop")) >= 0,
	       "node in a container that is gone: %.*s", STR_ARG(names.names[0].name));
	tap_str_eq(search.path ? str_from(search.path) : STR(""), STR("/tmp/perf-1.map"),
		   "by the map that it knew");
	held_files_free(h);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	if (geteuid() != 0) {
		tap_ok(true, "held files # SKIP only root may see other processes' files");
		return tap_done();
	}
	check_map(false);
	check_map(true);
	check_short_life();
	check_changed_maps();
	check_left_over_map();
	check_hostile_maps();
	check_exec();
	check_reuse();
	check_roots();
	check_first_thread_gone();
	check_deleted_program();
	check_debug_file();
	check_short_processes();
	check_limit();
	check_node();
	return tap_done();
}
