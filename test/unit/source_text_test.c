/* The text of source files: whose, from where, and what is refused. */
#include "source_text/source_text.h"
#include "tap.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/plume-source-text-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[4][256];
	static unsigned next;
	char *at = path[next++ % ARRAY_SIZE(path)];
	snprintf(at, sizeof(path[0]), "%s/%s", folder, name);
	return at;
}

static const char *write_file(const char *name, struct str text)
{
	const char *path = path_of(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text.p, text.n) != (ssize_t)text.n)
		tap_ok(false, "%s is written", path);
	close(fd);
	return path;
}

/* One sample of one frame. */
struct made {
	const char *file, *container;
	int32_t pid;
	uint8_t kind;
	int64_t started_ago_ns, lasted_ns; /* the recording; lasted 0: it still goes on */
	const char *fact;		   /* a mapped script */
};

static void add_number(struct profile *p, const char *key, uint64_t n)
{
	char text[32];
	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	profile_add_fact(p, str_from(key), str_from(text));
}

static struct profile *profile_of(const struct made *m)
{
	struct profile *p = profile_new(COLUMN_PID);
	struct utsname here;
	uname(&here);
	struct frame f = { .name = profile_add_str(p, STR("f")),
			   .module = profile_add_str(p, STR("/usr/bin/app")),
			   .file = profile_add_str(p, str_from(m->file)),
			   .line = 1,
			   .kind = m->kind };
	struct thread t = { m->pid ? m->pid : PID_UNKNOWN, PID_UNKNOWN,
			    profile_add_str(p, STR("app")),
			    profile_add_str(p, str_from(m->container ? m->container : "")) };
	profile_add_event(p, (struct event){ .name = profile_add_str(p, STR("cycles")) });
	profile_add_sample(p, &(struct sample){ .node = profile_add_node(p, NODE_ROOT,
									 profile_add_frame(p, &f)),
						.thread = profile_add_thread(p, t),
						.count = 1 });
	profile_add_fact(p, STR("host"), str_from(here.nodename));
	add_number(p, "started_unix_ns", clock_realtime_ns() - (uint64_t)m->started_ago_ns);
	if (m->lasted_ns)
		add_number(p, "duration_ns", (uint64_t)m->lasted_ns);
	if (m->fact)
		profile_add_fact(p, STR("mapped script"), str_from(m->fact));
	profile_seal(p);
	return p;
}

/* want: the text, or a part of the reason if origin is NULL. */
static void check(const struct made *m, const char *file, const char *module, const char *want,
		  const char *origin)
{
	AUTO(buf) struct buf text = { 0 };
	struct err e = { 0 };
	const char *from = NULL;
	struct profile *p = profile_of(m);
	struct source_text_finder *f = source_text_finder_new();
	bool ok = source_text_find(f, p, str_from(file), str_from(module), &text, &from, &e);
	if (origin)
		tap_ok(ok && strcmp(from, origin) == 0 && str_eq(buf_str(&text), str_from(want)),
		       "%s from %s %s", file, origin, e.text);
	else
		tap_ok(!ok && strstr(e.text, want) && !text.n, "refused: %s", e.text);
	source_text_finder_free(f);
	profile_unref(p);
}

static void check_disk(void)
{
	const char *a = write_file("a.c", STR("int a;\n"));
	struct made m = { .file = a };
	check(&m, a, "", "int a;\n", "disk");
	check(&m, a, "app", "int a;\n", "disk");
	check(&m, a, "/usr/bin/app", "int a;\n", "disk");
	check(&m, a, "other", "no function of this profile is in", NULL);
	check(&m, "/etc/passwd", "", "no function of this profile is in /etc/passwd", NULL);
	check(&m, "", "", "no function of this profile", NULL);
	check(&(struct made){ .file = write_file("empty.c", STR("")) }, path_of("empty.c"), "", "",
	      "disk");
	check(&(struct made){ .file = "/nonsuch/a.c" }, "/nonsuch/a.c", "",
	      "/nonsuch/a.c: No such file", NULL);
	char url[300];
	snprintf(url, sizeof(url), "file://%s", a);
	check(&(struct made){ .file = url }, url, "", "int a;\n", "disk");
}

static void check_no_paths(void)
{
	check(&(struct made){ .file = "src/a.c" }, "src/a.c", "", "not an absolute path", NULL);
	check(&(struct made){ .file = "node:fs", .kind = FRAME_JIT }, "node:fs", "",
	      "part of Node.js", NULL);
	check(&(struct made){ .file = "http://x/a.js" }, "http://x/a.js", "", "does not download",
	      NULL);
}

static void check_no_text(void)
{
	const char *path = write_file("zero.c", (struct str){ "a\0b", 3 });
	check(&(struct made){ .file = path }, path, "", "is not a text file", NULL);
	path = write_file("packed.c", (struct str){ "\x1f\x8b\x08\0\0\0\0\0\0\3", 10 });
	check(&(struct made){ .file = path }, path, "", "is compressed", NULL);
	path = write_file("large.c", STR("x"));
	tap_ok(truncate(path, SOURCE_TEXT_MOST_BYTES + 1) == 0, "a large file is made");
	check(&(struct made){ .file = path }, path, "", "is larger than 16 MB", NULL);
	check(&(struct made){ .file = folder }, folder, "", "not a regular file", NULL);
	path = path_of("fifo.c");
	tap_ok(mkfifo(path, 0600) == 0, "a fifo is made");
	check(&(struct made){ .file = path }, path, "", "not a regular file", NULL);
	check(&(struct made){ .file = "/dev/zero" }, "/dev/zero", "", "not a regular file", NULL);
	check(&(struct made){ .file = "/proc/self/status" }, "/proc/self/status", "",
	      "is not a source file", NULL);
}

/* A process that is not the recorded one must not be asked, and of a container that is gone nothing is known. */
static void check_containers(void)
{
	const int64_t second = 1000000000, year = 365ll * 24 * 3600 * second;
	const char *a = path_of("a.c");
	struct made m = { .file = a, .container = "web" };
	check(&m, a, "", "is in the container web, which can be read only while it runs", NULL);
	m.pid = getpid();
	check(&m, a, "", "int a;\n", "disk"); /* it still runs, and has our files */
	m.started_ago_ns = year;
	m.lasted_ns = second;
	check(&m, a, "", "is in the container web", NULL);
}

static void check_source_map(void)
{
	/* {"version":3,"sources":["a.ts"],"sourcesContent":["let a;"],"mappings":""} */
	const char *script = write_file(
		"a.js",
		STR("var a;\n//# sourceMappingURL=data:application/json;base64,"
		    "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImEudHMiXSwic291cmNlc0NvbnRlbnQiOlsibGV0IGE7"
		    "Il0sIm1hcHBpbmdzIjoiIn0=\n"));
	struct made m = { .file = path_of("a.ts"), .kind = FRAME_JIT, .fact = script };
	check(&m, m.file, "", "let a;", "source map");
	write_file("b.js", STR("var b;\n//# sourceMappingURL=b.map\n"));
	write_file("b.map", STR("{\"sources\":[\"b.ts\"],\"sourcesContent\":[\"let b;\"]}"));
	m = (struct made){ .file = path_of("b.ts"), .kind = FRAME_JIT, .fact = path_of("b.js") };
	check(&m, m.file, "", "let b;", "source map");
	write_file("b.ts", STR("changed"));
	check(&m, m.file, "", "let b;", "source map");
	m.fact = NULL;
	check(&m, m.file, "", "changed", "disk");
}

/* --- a live Node.js --- */

/* Returns its pid once it runs the script; 0 if there is no node here. */
static pid_t start_node(const char *script, int *output)
{
	int ends[2];
	char byte = 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return 0;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		execlp("node", "node", script, NULL);
		_exit(127);
	}
	close(ends[1]);
	*output = ends[0];
	return read(ends[0], &byte, 1) == 1 ? pid : 0;
}

static void check_node(void)
{
	static const char text[] = "setInterval(() => {}, 1000); // \xc3\xa9\nconsole.log('x');\n";
	const char *script = write_file("live.js", str_from(text));
	int output = -1;
	pid_t pid = start_node(script, &output);
	if (!pid) {
		tap_ok(true, "node # skip not installed");
		return;
	}
	struct made m = { .file = script, .pid = pid, .kind = FRAME_JIT };
	write_file("live.js", STR("changed"));
	check(&m, script, "", text, "v8");
	m.kind = FRAME_USER;
	check(&m, script, "", "changed", "disk");
	m.kind = FRAME_JIT;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(output);
	check(&m, script, "", "changed", "disk");
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	check_disk();
	check_no_paths();
	check_no_text();
	check_containers();
	check_source_map();
	check_node();
	AUTO(buf) struct buf command = { 0 };
	buf_addf(&command, "rm -rf %s", folder);
	if (system(buf_c_string(&command)) != 0)
		tap_ok(false, "the folder is removed");
	return tap_done();
}
