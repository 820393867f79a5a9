/* Where the map of a process may be, which one is taken, and what is refused. */
#include "jit/jit.h"
#include "symbol/symbol.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/plume-test-XXXXXX";

static const char *in_folder(const char *name)
{
	static char paths[8][256];
	static unsigned next;
	char *path = paths[next++ % 8];
	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(in_folder(name), "w");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static void make_files(void)
{
	if (!mkdtemp(folder))
		exit(1);
	mkdir(in_folder("maps"), 0755);
	mkdir(in_folder("root"), 0755);
	mkdir(in_folder("root/tmp"), 0755);
	mkdir(in_folder("symfs"), 0755);
	mkdir(in_folder("symfs/tmp"), 0755);
	write_file("perf-7.map", "10 10 seven\n");
	write_file("any.txt", "10 10 any\n");
	write_file("maps/perf-6.map", "10 10 six\n");
	write_file("maps/perf-8.map", "20 10 eight\n10 1 eight too\n");
	write_file("maps/readme", "10 20 readme\n");
	write_file("root/tmp/perf-3.map", "10 10 three\n");
	write_file("symfs/tmp/perf-9.map", "10 10 nine\n");
	write_file("text.map", "this is\nno map\n");
	write_file("secret", "10 10 secret\n");
}

static void remove_files(void)
{
	char command[300];
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	tap_ok(system(command) == 0, "the files are removed");
}

static struct recorded_process gone(int32_t pid)
{
	return (struct recorded_process){ .pid = pid };
}

/* Names of 0x10 and 0x20, `|` between them, and `?` behind a guess. */
static void check(struct symbol_options options, int32_t pid, const char *want, const char *what)
{
	static const uint64_t addresses[] = { 0x10, 0x20 };
	AUTO(perf_map_names) struct perf_map_names names = { 0 };
	AUTO(map_search) struct map_search search = { 0 };
	AUTO(buf) struct buf got = { 0 };
	bool ok = process_map_read(&options, gone(pid), addresses, 2, &names, &search);
	buf_add(&got, names.names[0].name);
	buf_add_char(&got, '|');
	buf_add(&got, names.names[1].name);
	buf_add(&got, search.is_guess ? STR("?") : STR(""));
	tap_str_eq(buf_str(&got), str_from(want), "%s", what);
	tap_ok(ok == (search.reason.n == 0) && (search.fix.n == 0) == ok, "%s: reason and fix",
	       what);
}

static void check_given(void)
{
	const char *maps[2] = { in_folder("perf-7.map") };
	struct symbol_options options = { .maps = maps, .map_count = 1 };
	check(options, 7, "seven|", "--map perf-7.map is of pid 7");
	check(options, 8, "seven|?", "--map perf-7.map may be of pid 8, as it is called elsewhere");
	maps[0] = in_folder("any.txt");
	check(options, 7, "any|?", "--map of another name is for all");
	maps[1] = in_folder("perf-7.map");
	options.map_count = 2;
	check(options, 7, "seven|", "a map of its own goes before one for all");
	char text[300];
	snprintf(text, sizeof(text), "7=%s", in_folder("any.txt"));
	maps[0] = text;
	options.map_count = 1;
	check(options, 7, "any|", "--map PID=FILE");
	check(options, 8, "|", "--map PID=FILE is not for other processes");
}

static void check_folders(void)
{
	const char *maps[] = { in_folder("maps") };
	struct symbol_options options = { .maps = maps, .map_count = 1 };
	check(options, 6, "six|", "--map DIR has the map of pid 6");
	check(options, 5, "eight too|eight?", "--map DIR: the map that names most");
	options = (struct symbol_options){ .container_root = in_folder("root") };
	check(options, 5, "three|?", "--container-root: a map with the pid inside of it");
	check(options, 3, "three|", "--container-root: a map of that pid");
	options = (struct symbol_options){ .symfs = in_folder("symfs") };
	check(options, 9, "nine|", "--symfs");
	check(options, 3, "|", "--symfs without its map");
}

static void check_links(void)
{
	struct symbol_options options = { .container_root = in_folder("root") };
	int done = symlink("../../secret", in_folder("root/tmp/perf-11.map")) |
		   symlink(in_folder("secret"), in_folder("root/tmp/perf-12.map")) |
		   symlink("/tmp/perf-3.map", in_folder("root/tmp/perf-13.map")) |
		   mkfifo(in_folder("root/tmp/perf-14.map"), 0644);
	tap_num_eq((uint64_t)done, 0, "links and a fifo are made");
	check(options, 11, "three|?", "a link does not lead out of the root by ..");
	check(options, 12, "three|?", "a link does not lead out of the root by its own path");
	check(options, 13, "three|", "a link inside the root is followed");
	check(options, 14, "three|?", "a fifo is not waited for");
	unlink(in_folder("root/tmp/perf-13.map"));
	unlink(in_folder("root/tmp/perf-3.map"));
	check(options, 11, "|", "nothing but links that lead nowhere");
}

static void check_words(struct symbol_options options, int32_t pid, const char *reason)
{
	static const uint64_t addresses[] = { 0x10 };
	struct perf_map_names names;
	struct map_search search;
	process_map_read(&options, gone(pid), addresses, 1, &names, &search);
	tap_str_eq(buf_str(&search.reason), str_from(reason), "in words: %s", reason);
	perf_map_names_fini(&names);
	map_search_fini(&search);
}

static void check_reasons(void)
{
	struct symbol_options here = { .is_of_this_machine = true };
	check_words(here, 2000000001, "no perf map: /tmp/perf-2000000001.map is missing");
	check_words((struct symbol_options){ 0 }, 6,
		    "no perf map: perf-6.map is only on the recorded machine");
	char want[300];
	const char *maps[] = { in_folder("text.map") };
	snprintf(want, sizeof(want), "%s is not a map: its lines are not `START SIZE NAME`",
		 maps[0]);
	check_words((struct symbol_options){ .maps = maps, .map_count = 1 }, 6, want);
}

/* What another user may have made up is refused; can be tried by root alone. */
static void check_owner(void)
{
	enum { SOMEBODY = 65534, ANOTHER = 65533 };
	int status = 0;
	if (geteuid() != 0)
		return;
	bool ok = chmod(folder, 0755) == 0 && chown(in_folder("secret"), ANOTHER, ANOTHER) == 0;
	pid_t child = fork();
	if (child == 0) {
		struct err e;
		struct map_candidate c = { .path = (char *)in_folder("secret") };
		if (setuid(SOMEBODY) != 0)
			_exit(9);
		struct reader *checked = process_map_open(&c, &e);
		c.is_given = true;
		struct reader *given = process_map_open(&c, &e);
		_exit(checked ? 1 : given ? 0 : 2);
	}
	waitpid(child, &status, 0);
	tap_ok(ok && WIFEXITED(status) && WEXITSTATUS(status) == 0,
	       "another user's map is refused, unless it is given by name (%d)",
	       WEXITSTATUS(status));
}

static void check_process(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u;
	tap_ok(process_started_before(getpid(), now_ns), "this process was there when it asked");
	tap_ok(!process_started_before(getpid(), 0), "this process was not there at boot");
	tap_ok(process_started_before(getpid(), UINT64_MAX), "at the end of time");
	tap_ok(!process_started_before(0, now_ns), "there is no process 0");
	tap_num_eq((uint64_t)process_inner_pid(getpid()), (uint64_t)getpid(), "its own pid inside");
	tap_num_eq((uint64_t)process_inner_pid(-1), 0, "no pid of no process");
}

static void check_living(void)
{
	struct symbol_options options = { .is_of_this_machine = true };
	struct recorded_process self = { getpid(), true };
	AUTO(map_candidates) struct map_candidates candidates = { 0 };
	char want[64];
	process_map_candidates(&options, self, &candidates);
	tap_num_eq(candidates.list.n, 2, "a living process has two places");
	snprintf(want, sizeof(want), "/proc/%d/root/tmp/perf-%d.map", getpid(), getpid());
	tap_str_eq(str_from(candidates.list.p[0].path), str_from(want), "its own root is first");
}

static void check_other_files(void)
{
	struct err e = { 0 };
	const char *maps[] = { in_folder("maps") };
	struct symbol_options options = { .symfs = in_folder("symfs") };
	struct reader *r = process_file_open(&options, gone(9), "/tmp/perf-9.map", &e);
	tap_ok(r, "a file by its path in --symfs");
	reader_free(r);
	options = (struct symbol_options){ .maps = maps, .map_count = 1 };
	r = process_file_open(&options, gone(9), "/somewhere/perf-6.map", &e);
	tap_ok(r, "a file by its name in --map DIR");
	reader_free(r);
	options = (struct symbol_options){ 0 };
	r = process_file_open(&options, gone(9), in_folder("secret"), &e);
	tap_ok(!r && errno == ENOENT, "a path of another machine is not looked for here");
	options.is_of_this_machine = true;
	r = process_file_open(&options, gone(9), in_folder("secret"), &e);
	tap_ok(r, "a file of this machine");
	reader_free(r);
}

static void check_advice(const char *path, const char *part)
{
	const char *words = runtime_rows[runtime_of_file(str_from(path))].advice;
	tap_ok(strstr(words, part), "%s: %s", path, words);
}

/* Each program by what it takes, and no other by what Node.js or Java takes. */
static void check_advices(void)
{
	check_advice("/usr/bin/node", "--perf-basic-prof");
	check_advice("/usr/lib/libnode.so.108", "--perf-basic-prof");
	check_advice("/opt/jdk/lib/server/libjvm.so", "DumpPerfMapAtExit");
	check_advice("/root/.bun/bin/bun", "BUN_JSC_useJITDump=1");
	check_advice("/x/node_modules/bun/bin/bun.exe", "BUN_JSC_useJITDump=1");
	check_advice("/usr/bin/deno", "--v8-flags=--perf-basic-prof");
	check_advice("/usr/share/dotnet/libcoreclr.so", "DOTNET_PerfMapEnabled=1");
	check_advice("/usr/bin/python3.12", "-X perf");
	check_advice("/usr/bin/php8.2", "opcache.jit_debug");
	check_advice("/usr/bin/nodemon", "its JIT compiler");
	check_advice("/usr/local/bin/server", "its JIT compiler");
	tap_num_eq(runtime_outer(RUNTIME_PYTHON, RUNTIME_JVM), RUNTIME_JVM,
		   "what holds another runtime comes first");
	tap_num_eq(runtime_outer(runtime_of_file(STR("libc.so.6")), RUNTIME_PYTHON), RUNTIME_PYTHON,
		   "what tells nothing comes last");
}

int main(void)
{
	check_advices();
	make_files();
	check_given();
	check_folders();
	check_other_files();
	check_reasons();
	check_owner();
	check_links();
	check_process();
	check_living();
	remove_files();
	return tap_done();
}
