/*
 * Asking a JVM: real ones where java is there, and processes that only look like one. The latter are this
 * program itself, forked, with a file mapped that is called libjvm.so.
 */
#include "target/target.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHORT_MS = 300, LONG_MS = 20000 };
static char folder[] = "/tmp/plume-test-XXXXXX";

/* --- a process that looks like a JVM --- */

enum fake_flags {
	FAKE_CATCHES = 1,     /* SIGQUIT */
	FAKE_HAS_THREADS = 2, /* more than one */
	FAKE_LISTENS = 4,     /* from the start */
	FAKE_OPENS = 8,	      /* its socket when SIGQUIT comes and the file is there */
	FAKE_IS_SILENT = 16,  /* takes calls and says nothing */
	FAKE_FLOODS = 32,     /* answers without end */
};

static volatile sig_atomic_t quits;

static void on_quit(int number)
{
	(void)number;
	quits = quits + 1;
}

static void *sleep_thread(void *context)
{
	for (;;)
		pause();
	return context;
}

static void name_file(char *path, size_t n, const char *what, pid_t pid)
{
	snprintf(path, n, "/tmp/.%s_pid%d", what, pid);
}

static int listen_as_jvm(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	name_file(address.sun_path, sizeof(address.sun_path), "java", getpid());
	unlink(address.sun_path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(fd, 5) != 0)
		_exit(2);
	return fd;
}

static void answer(int server, unsigned flags, const char *text)
{
	char request[64];
	int fd = accept(server, NULL, NULL);
	if (fd < 0)
		return;
	if (flags & FAKE_IS_SILENT)
		sleep_thread(NULL);
	ssize_t n = read(fd, request, sizeof(request));
	static const char want[] = "1\0jcmd\0Compiler.perfmap\0\0";
	if (n != sizeof(want) || memcmp(request, want, sizeof(want)) != 0)
		text = "9\nthe request is wrong\n";
	do
		n = send(fd, text, strlen(text), MSG_NOSIGNAL);
	while (n > 0 && (flags & FAKE_FLOODS));
	close(fd);
}

static void map_library(void)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/libjvm.so", folder);
	int fd = open(path, O_RDONLY);
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		_exit(3);
	close(fd);
}

static void be_jvm(unsigned flags, const char *text, int ready)
{
	char path[64];
	struct stat status;
	pthread_t thread;
	struct sigaction act = { .sa_handler = on_quit };
	int server = flags & FAKE_LISTENS ? listen_as_jvm() : -1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	map_library();
	if (flags & FAKE_CATCHES)
		sigaction(SIGQUIT, &act, NULL);
	if (flags & FAKE_HAS_THREADS) {
		sigset_t quit;
		sigemptyset(&quit);
		sigaddset(&quit, SIGQUIT);
		pthread_sigmask(SIG_BLOCK, &quit, NULL);
		pthread_create(&thread, NULL, sleep_thread, NULL);
		pthread_sigmask(SIG_UNBLOCK, &quit, NULL);
	}
	if (write(ready, "r", 1) != 1)
		_exit(4);
	name_file(path, sizeof(path), "attach", getpid());
	for (;;) {
		if (server >= 0)
			answer(server, flags, text);
		else
			poll(NULL, 0, 5);
		if (quits && (flags & FAKE_OPENS) && server < 0 && stat(path, &status) == 0)
			server = listen_as_jvm();
		/* What a JVM does with SIGQUIT when nobody asked for the socket: it prints. */
		if (quits && stat(path, &status) != 0 && !(flags & FAKE_OPENS))
			_exit(5);
	}
}

static pid_t fake_jvm(unsigned flags, const char *text)
{
	int ready[2];
	char byte;
	if (pipe(ready) != 0)
		exit(1);
	pid_t pid = fork();
	if (pid == 0)
		be_jvm(flags, text, ready[1]);
	close(ready[1]);
	tap_ok(read(ready[0], &byte, 1) == 1, "a process is ready");
	close(ready[0]);
	return pid;
}

static bool is_there(const char *what, pid_t pid)
{
	char path[64];
	struct stat status;
	name_file(path, sizeof(path), what, pid);
	return lstat(path, &status) == 0;
}

/* Ends it; whether it was alive and well until now. */
static bool end(pid_t pid)
{
	char path[64];
	int status;
	bool is_alive = waitpid(pid, &status, WNOHANG) == 0;
	if (is_alive) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	name_file(path, sizeof(path), "java", pid);
	unlink(path);
	return is_alive;
}

/* --- what is said --- */

/* Runs a command of jcmd and gives its output; an answer wakes us, a socket that appears does not. */
static bool jvm_command(pid_t pid, const char *command, int timeout_ms, struct buf *output,
			struct err *e)
{
	enum { LOOK_MS = 10 };
	uint64_t begin_ns = clock_monotonic_ns(),
		 end_ns = begin_ns + (uint64_t)timeout_ms * 1000000;
	struct jvm_call *c = jvm_call_new(pid, command, begin_ns);
	enum jvm_call_state state;
	while ((state = jvm_call_go_on(c, clock_monotonic_ns() < end_ns ? begin_ns : UINT64_MAX)) ==
	       JVM_CALL_WAITS)
		poll(NULL, 0, LOOK_MS);
	if (state == JVM_CALL_DONE)
		buf_add(output, jvm_call_output(c));
	else
		*e = *jvm_call_error(c);
	jvm_call_free(c);
	return state == JVM_CALL_DONE;
}

static void check_ask(pid_t pid, int timeout_ms, const char *want, const char *what)
{
	AUTO(buf) struct buf output = { 0 };
	struct err e = { 0 };
	bool ok = jvm_command(pid, "Compiler.perfmap", timeout_ms, &output, &e);
	struct str got = ok ? str_first(buf_str(&output), 5) : str_from(e.text);
	tap_ok(str_find(got, str_from(want)) >= 0, "%s: %.*s", what, STR_ARG(got));
	tap_ok(!is_there("attach", pid), "%s: nothing is left behind", what);
}

static void check_fake(unsigned flags, const char *text, const char *want, const char *what)
{
	pid_t pid = fake_jvm(flags, text);
	check_ask(pid, flags & FAKE_IS_SILENT ? SHORT_MS : LONG_MS, want, what);
	tap_ok(end(pid), "%s: it lives on", what);
}

static void check_fakes(void)
{
	enum { WHOLE = FAKE_CATCHES | FAKE_HAS_THREADS | FAKE_OPENS };
	check_fake(WHOLE, "0\ndone\n", "done", "opens its socket when asked");
	check_fake(WHOLE | FAKE_LISTENS, "0\ndone\n", "done", "listens already");
	check_fake(WHOLE, "1\nUnknown diagnostic command\n", "older than Java 17", "too old");
	check_fake(WHOLE, "7\nno room\nmore\n", "says: no room", "an error of its own");
	check_fake(WHOLE, "", "rejected", "ends without a word");
	check_fake(WHOLE, "nonsense", "says: ", "no code");
	check_fake(WHOLE | FAKE_IS_SILENT, "", "did not answer in time", "silent");
	check_fake(WHOLE | FAKE_FLOODS, "0\nwater\n", "water", "floods");
	check_fake(0, "", "does not handle SIGQUIT", "only maps libjvm.so");
	check_fake(FAKE_HAS_THREADS, "", "does not handle SIGQUIT", "threads, and no handler");
	check_fake(FAKE_CATCHES, "", "does not handle SIGQUIT", "a handler, and one thread");
	check_ask(getpid(), SHORT_MS, "is not a JVM", "this process");
	check_ask(0x7ffffff0, SHORT_MS, "no such process", "nobody");
	check_ask(-1, SHORT_MS, "no such process", "no pid");
}

static void check_flood_is_bounded(void)
{
	AUTO(buf) struct buf output = { 0 };
	struct err e = { 0 };
	pid_t pid = fake_jvm(FAKE_LISTENS | FAKE_FLOODS, "0\nwater\n");
	tap_ok(jvm_command(pid, "Compiler.perfmap", LONG_MS, &output, &e) && output.n <= (2 << 20),
	       "an answer without end is cut: %zu bytes", output.n);
	end(pid);
}

static void check_is_one(void)
{
	pid_t pid = fake_jvm(FAKE_CATCHES | FAKE_HAS_THREADS, "");
	tap_ok(jvm_is_one(pid), "handler and threads: may be asked");
	end(pid);
	pid = fake_jvm(FAKE_LISTENS, "");
	tap_ok(jvm_is_one(pid), "a socket: may be asked");
	end(pid);
	pid = fake_jvm(0, "");
	tap_ok(!jvm_is_one(pid), "neither: may not");
	end(pid);
	tap_ok(!jvm_is_one(getpid()), "this process is none");
}

/* Stopped before it opened its socket: no signal, which it would find later. */
static void check_stopped(void)
{
	int status;
	pid_t pid = fake_jvm(FAKE_CATCHES | FAKE_HAS_THREADS, "");
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	check_ask(pid, SHORT_MS, "stopped", "stopped");
	kill(pid, SIGCONT);
	waitpid(pid, &status, WCONTINUED);
	poll(NULL, 0, 50);
	tap_ok(end(pid), "stopped: no signal came when it went on");
}

/* --- what others put in its place --- */

static void check_planted(void)
{
	char path[64], other_path[64];
	pid_t pid = fake_jvm(FAKE_CATCHES | FAKE_HAS_THREADS, "");
	pid_t other = fake_jvm(FAKE_LISTENS, "0\nlies\n");
	name_file(path, sizeof(path), "java", pid);
	name_file(other_path, sizeof(other_path), "java", other);
	tap_ok(symlink(other_path, path) == 0, "a link to another's socket");
	check_ask(pid, SHORT_MS, "is not a socket of the JVM", "a link");
	unlink(path);
	tap_ok(rename(other_path, path) == 0, "another's socket in its place");
	check_ask(pid, SHORT_MS, "belongs to process", "another listener");
	tap_ok(end(pid), "neither was signalled");
	end(other);
	unlink(path);
	if (geteuid() != 0)
		return;
	pid = fake_jvm(FAKE_LISTENS, "0\nlies\n");
	name_file(path, sizeof(path), "java", pid);
	tap_ok(chown(path, 65534, 65534) == 0, "a socket's file of another user");
	check_ask(pid, SHORT_MS, "is not a socket of the JVM", "a socket's file of another user");
	end(pid);
}

/* A file that an earlier process with the same number left, and nobody listens to. */
static void check_stale(void)
{
	char path[64];
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	pid_t pid = fake_jvm(FAKE_CATCHES | FAKE_HAS_THREADS | FAKE_OPENS, "0\nfresh\n");
	name_file(path, sizeof(path), "java", pid);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	name_file(address.sun_path, sizeof(address.sun_path), "java", pid);
	tap_ok(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0, "a stale socket");
	close(fd);
	check_ask(pid, LONG_MS, "fresh", "a stale socket is as none");
	end(pid);
}

static void check_forgotten_trigger(void)
{
	char path[64];
	pid_t pid = fake_jvm(FAKE_CATCHES | FAKE_HAS_THREADS | FAKE_OPENS, "0\ndone\n");
	name_file(path, sizeof(path), "attach", pid);
	int fd = open(path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	check_ask(pid, LONG_MS, "done", "a file that somebody forgot");
	end(pid);
}

/* --- without waiting --- */

static void check_call(void)
{
	pid_t pid = fake_jvm(FAKE_CATCHES | FAKE_HAS_THREADS | FAKE_OPENS, "0\ndone\n");
	struct jvm_call *c = jvm_call_new(pid, "Compiler.perfmap", 1);
	unsigned turns = 0;
	while (jvm_call_go_on(c, 2) == JVM_CALL_WAITS && turns++ < 4000)
		poll(NULL, 0, 5);
	tap_num_eq(jvm_call_go_on(c, UINT64_MAX), JVM_CALL_DONE, "a call is done, and stays so");
	tap_str_eq(jvm_call_output(c), STR("done\n"), "its output");
	jvm_call_free(c);
	c = jvm_call_new(pid, "Compiler.perfmap", 1);
	jvm_call_free(c);
	end(pid);
	pid = fake_jvm(FAKE_CATCHES | FAKE_HAS_THREADS | FAKE_OPENS | FAKE_IS_SILENT, "");
	c = jvm_call_new(pid, "Compiler.perfmap", 1);
	tap_num_eq(jvm_call_go_on(c, 2), JVM_CALL_WAITS, "a silent one: waits");
	tap_num_eq(jvm_call_go_on(c, UINT64_MAX), JVM_CALL_FAILED, "... and gives up in the end");
	tap_ok(strstr(jvm_call_error(c)->text, "in time"), "... and says so");
	tap_ok(!is_there("attach", pid), "... and leaves nothing behind");
	jvm_call_free(c);
	c = jvm_call_new(pid, "Compiler.perfmap", 1);
	jvm_call_go_on(c, 2);
	jvm_call_free(c);
	tap_ok(!is_there("attach", pid), "one that is given up leaves nothing behind");
	end(pid);
}

/* --- its map --- */

static void put_map(pid_t pid, uid_t owner)
{
	char path[64];
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0 || (owner != geteuid() && fchown(fd, owner, owner) != 0))
		tap_ok(false, "%s can be made", path);
	close(fd);
}

static bool has_map(pid_t pid)
{
	char path[64];
	struct stat status;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	return lstat(path, &status) == 0;
}

static void remove_map(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	unlink(path);
}

/* What came since goes, what was there stays, and so does what another user has put there. */
static void check_map(void)
{
	pid_t pid = fake_jvm(FAKE_CATCHES | FAKE_HAS_THREADS, "");
	struct jvm_map *m = jvm_map_expect(pid);
	put_map(pid, geteuid());
	jvm_map_remove(m);
	tap_ok(m && !has_map(pid), "a map that came since is removed");
	put_map(pid, geteuid());
	m = jvm_map_expect(pid);
	jvm_map_remove(m);
	tap_ok(!m && has_map(pid), "one that was there stays");
	remove_map(pid);
	m = jvm_map_expect(pid);
	put_map(pid, geteuid());
	jvm_map_free(m);
	tap_ok(has_map(pid), "one that is to stay stays");
	remove_map(pid);
	m = jvm_map_expect(pid);
	if (geteuid() == 0)
		put_map(pid, 65534);
	jvm_map_remove(m);
	tap_ok(has_map(pid) == (geteuid() == 0), "another user's file stays");
	remove_map(pid);
	m = jvm_map_expect(pid);
	end(pid);
	put_map(pid, geteuid());
	jvm_map_remove(m);
	tap_ok(m && !has_map(pid), "that of a process that has ended is removed");
	tap_ok(!jvm_map_expect(0x7ffffff0), "nobody has no map");
}

/* --- real ones --- */

static const char java_program[] =
	"public class Loop { public static void main(String[] a) throws Exception {\n"
	"System.out.write('u'); System.out.flush();\n"
	"double s = 0; for (;;) { for (int i = 0; i < 9999; i++) s += Math.sqrt(i); "
	"Thread.sleep(1); } } }\n";

/* Waits until it has said that it runs. */
static pid_t real_jvm(const char *option, int *output)
{
	char path[64], byte;
	int out[2];
	snprintf(path, sizeof(path), "%s/Loop.java", folder);
	FILE *f = fopen(path, "w");
	if (!f || pipe(out) != 0)
		exit(1);
	fputs(java_program, f);
	fclose(f);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(out[1], STDOUT_FILENO);
		dup2(out[1], STDERR_FILENO);
		execlp("java", "java", "-XX:TieredStopAtLevel=1", option, path, NULL);
		_exit(127);
	}
	close(out[1]);
	*output = out[0];
	if (read(out[0], &byte, 1) == 1 && byte == 'u')
		return pid;
	end(pid);
	close(out[0]);
	return 0;
}

static bool has_output(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	return poll(&wait, 1, 100) > 0;
}

static void check_real(const char *option, const char *want, bool has_map)
{
	char map[64];
	struct stat status;
	int output;
	pid_t pid = real_jvm(option, &output);
	if (!pid) {
		tap_ok(true, "java %s # skip there is no Java compiler", option);
		return;
	}
	struct runtime r;
	struct living_process p;
	living_process_init(&p, pid);
	runtime_of_process(&p.process, &r);
	tap_ok(r.kind == RUNTIME_JVM && r.version.n, "java %s: a JVM, version %.*s", option,
	       STR_ARG(buf_str(&r.version)));
	runtime_fini(&r);
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", pid);
	for (int i = 0; i < 2; i++) {
		unlink(map);
		check_ask(pid, LONG_MS, want, option);
		tap_ok((stat(map, &status) == 0) == has_map, "java %s: its map", option);
	}
	tap_ok(!has_output(output), "java %s: prints nothing", option);
	unlink(map);
	end(pid);
	close(output);
}

static void check_real_stopped(void)
{
	int output, status;
	pid_t pid = real_jvm("-Xint", &output);
	if (!pid)
		return;
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	check_ask(pid, SHORT_MS, "stopped", "a stopped JVM");
	kill(pid, SIGCONT);
	tap_ok(!has_output(output), "a stopped JVM prints nothing when it goes on");
	end(pid);
	close(output);
}

int main(void)
{
	static const char zeros[4096];
	char path[64];
	if (!mkdtemp(folder))
		exit(1);
	snprintf(path, sizeof(path), "%s/libjvm.so", folder);
	FILE *f = fopen(path, "w");
	tap_ok(f && fwrite(zeros, sizeof(zeros), 1, f) == 1 && fclose(f) == 0, "a libjvm.so");
	check_fakes();
	check_flood_is_bounded();
	check_is_one();
	check_stopped();
	check_planted();
	check_stale();
	check_forgotten_trigger();
	check_call();
	check_map();
	check_real("-Xmx64m", "", true);
	check_real("-Xrs", "", true);
	check_real("-XX:+DisableAttachMechanism", "DisableAttachMechanism", false);
	check_real_stopped();
	snprintf(path, sizeof(path), "rm -r %s", folder);
	tap_ok(system(path) == 0, "the files are removed");
	return tap_done();
}
