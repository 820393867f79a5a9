/* Whom the user means, among processes that this test starts; and what is said when it is nobody. */
#include "target/target.h"
#include "target/cgroup_int.h"
#include "target/user_int.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- processes --- */

static _Noreturn void wait_for_the_end(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static int32_t start_named(const char *comm)
{
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_NAME, comm);
		wait_for_the_end();
	}
	/* It has its name when it sleeps. */
	for (char path[64], got[32] = ""; strncmp(got, comm, strlen(got) - 1) != 0 || !got[0];) {
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		FILE *f = fopen(path, "r");
		if (!f || !fgets(got, sizeof(got), f))
			got[0] = 0;
		if (f)
			fclose(f);
	}
	return pid;
}

static void end(int32_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- checks --- */

static struct text_list texts(const char *one)
{
	struct text_list list = { 0 };
	if (one)
		text_list_add(&list, str_from(one));
	return list;
}

/* want: the title, or a part of the error's text. */
static bool choose(struct target_wish wish, struct target_choice *choice, const char *want,
		   bool is_found)
{
	struct err e = { 0 };
	bool ok = target_choose(&wish, choice, &e);
	tap_ok(ok == is_found && strstr(ok ? choice->title : e.text, want), "%s: %s", want,
	       ok ? choice->title : e.text);
	return ok;
}

static void fails(struct target_wish wish, const char *want)
{
	struct target_choice choice;
	choose(wish, &choice, want, false);
	target_choice_fini(&choice);
	target_wish_fini(&wish);
}

static void finds(struct target_wish wish, const char *title, const char *stem, int32_t pid)
{
	struct target_choice choice;
	if (choose(wish, &choice, title, true)) {
		bool has_it = false;
		for (uint32_t i = 0; i < choice.pids.n; i++)
			has_it = has_it || choice.pids.p[i] == pid;
		tap_str_eq(str_from(choice.title), str_from(title), "title");
		tap_str_eq(str_from(choice.file_stem), str_from(stem), "file");
		tap_ok(has_it || !pid, "%s: %d is among them", title, pid);
	}
	target_choice_fini(&choice);
	target_wish_fini(&wish);
}

/* None yet; want: a part of what is said of it. */
static void awaits(struct target_wish wish, const char *want)
{
	struct target_choice choice;
	if (choose(wish, &choice, "processes ", true)) {
		const char *remark = choice.remark ? choice.remark : "-";
		tap_ok(strstr(remark, want), "%s: %s", want, remark);
		tap_ok(choice.is_by_property && !choice.pids.n, "those that start are meant");
	}
	target_choice_fini(&choice);
	target_wish_fini(&wish);
}

static const char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *text_of(const char *format, ...)
{
	static char all[256][256];
	static unsigned next;
	va_list arguments;
	char *text = all[next++ % 256];
	va_start(arguments, format);
	vsnprintf(text, sizeof(all[0]), format, arguments);
	va_end(arguments);
	return text;
}

/* --- by number --- */

static void *sleep_in_thread(void *tid)
{
	prctl(PR_SET_NAME, "a-worker");
	__atomic_store_n((int32_t *)tid, (int32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	for (;;)
		pause();
	return NULL;
}

static void by_thread(void)
{
	static int32_t tid;
	pthread_t thread;
	AUTO(buf) struct buf tids = { 0 };
	struct target_choice choice;
	pthread_create(&thread, NULL, sleep_in_thread, &tid);
	while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		sched_yield();
	fails((struct target_wish){ .pids = texts(text_of("%d", tid)) },
	      text_of("%d is a thread (a-worker) of process %d (", tid, getpid()));
	struct target_wish wish = { .tids = texts(text_of("%d", tid)) };
	choose(wish, &choice, text_of("a-worker (tid %d)", tid), true);
	tap_ok(choice.tids.n == 1 && choice.tids.p[0] == tid && !choice.pids.n, "one thread");
	target_choice_fini(&choice);
	target_wish_fini(&wish);
	tap_ok(target_threads(getpid(), &tids), "threads");
	int32_t want[] = { getpid(), tid };
	tap_str_eq(buf_str(&tids), (struct str){ (char *)want, sizeof(want) }, "two of them");
	tap_ok(!target_threads(INT32_MAX, &tids), "of nobody");
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

static void by_number(int32_t a, int32_t b)
{
	fails((struct target_wish){ 0 }, "no target: give -p PID");
	fails((struct target_wish){ .pids = texts("1"), .comms = texts("x") }, "-p and --comm");
	fails((struct target_wish){ .container = "x", .is_everything = true },
	      "--container and -a");
	finds((struct target_wish){ .is_everything = true }, "all processes", "all", 0);
	finds((struct target_wish){ .pids = texts(text_of("%d", a)) },
	      text_of("plumed first (pid %d)", a), text_of("plumed-first-%d", a), a);
	finds((struct target_wish){ .pids = texts(text_of("%d,%d,%d", b, a, a)) },
	      text_of("pids %d, %d", a < b ? a : b, a < b ? b : a),
	      text_of("pids-%d-%d", a < b ? a : b, a < b ? b : a), b);
	fails((struct target_wish){ .pids = texts("node") }, "by name, use --comm node");
	fails((struct target_wish){ .pids = texts("1,,2") }, "-p : not a PID");
	fails((struct target_wish){ .pids = texts("-3") }, "-p -3: not a PID");
	fails((struct target_wish){ .pids = texts("99999999999") }, "-p 99999999999: not a PID");
	fails((struct target_wish){ .pids = texts("2147483647") }, "no such process: 2147483647");
	pid_t zombie = fork();
	if (zombie == 0)
		_exit(0);
	siginfo_t info;
	waitid(P_PID, (id_t)zombie, &info, WEXITED | WNOWAIT);
	fails((struct target_wish){ .pids = texts(text_of("%d", zombie)) }, "is a zombie");
	waitpid(zombie, NULL, 0);
	char comm[32] = "";
	FILE *f = fopen("/proc/2/comm", "r");
	if (f && fgets(comm, sizeof(comm), f) && strcmp(comm, "kthreadd\n") == 0)
		fails((struct target_wish){ .pids = texts("2") },
		      "pid 2 (kthreadd) is a kernel thread");
	if (f)
		fclose(f);
	by_thread();
}

/* In a pid namespace of its own: a process with a number that nobody has outside. */
static _Noreturn void start_in_namespace(int out)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pid_t first = unshare(CLONE_NEWPID) == 0 ? fork() : -1;
	if (first > 0)
		wait_for_the_end();
	int32_t inner = 0;
	FILE *f = first == 0 ? fopen("/proc/sys/kernel/ns_last_pid", "w") : NULL;
	if (f && fprintf(f, "%d", 4000000) > 0 && fclose(f) == 0)
		inner = fork();
	if (inner || !f)
		(void)!write(out, &inner, sizeof(inner));
	wait_for_the_end();
}

static void by_inner_number(void)
{
	int32_t inner = 0;
	int ends[2];
	if (pipe(ends) != 0)
		return;
	pid_t helper = fork();
	if (helper == 0)
		start_in_namespace(ends[1]);
	close(ends[1]);
	(void)!read(ends[0], &inner, sizeof(inner));
	close(ends[0]);
	if (inner >= 4000000)
		fails((struct target_wish){ .pids = texts(text_of("%d", inner)) },
		      "a pid inside a container: use -p ");
	else
		tap_ok(true, "the number inside of a container # skip not allowed here");
	end(helper);
}

/* --- by what they are --- */

static bool matches(struct target_wish wish, int32_t pid)
{
	struct target_fit fit = { 0 };
	target_wish_fit(&wish, pid, STR(""), &fit);
	return target_fit_is_whole(fit);
}

/* One that has ended: its name is known by a record, its user by its parent, its command line is not. */
static void by_what_is_known(void)
{
	struct target_wish wish = { .comms = texts("short") };
	struct target_fit fit = { TARGET_PROCESS | TARGET_CMDLINE,
				  TARGET_PROCESS | TARGET_CMDLINE };
	target_wish_fit(&wish, INT32_MAX, STR("long"), &fit);
	tap_ok(!target_fit_is_whole(fit) && !target_fit_is_undecided(fit), "another name");
	target_wish_fit(&wish, INT32_MAX, STR("short"), &fit);
	tap_ok(target_fit_is_whole(fit), "a name as a record has it");
	text_list_add(&wish.users, STR("1234"));
	fit = (struct target_fit){ TARGET_PROCESS, TARGET_PROCESS };
	target_wish_fit(&wish, INT32_MAX, STR("short"), &fit);
	tap_ok(!target_fit_is_whole(fit) && target_fit_is_undecided(fit), "whose is not known");
	fit = (struct target_fit){ TARGET_PROCESS | TARGET_USER, TARGET_PROCESS | TARGET_USER };
	target_wish_fit(&wish, INT32_MAX, STR("short"), &fit);
	tap_ok(target_fit_is_whole(fit), "its parent's user");
	fit.fits = TARGET_PROCESS;
	target_wish_fit(&wish, INT32_MAX, STR("short"), &fit);
	tap_ok(!target_fit_is_whole(fit) && !target_fit_is_undecided(fit), "another user");
	text_list_add(&wish.cmdlines, STR("short"));
	fit = (struct target_fit){ TARGET_PROCESS | TARGET_USER, TARGET_PROCESS | TARGET_USER };
	target_wish_fit(&wish, INT32_MAX, STR("short"), &fit);
	tap_ok(target_fit_is_undecided(fit), "a name is no command line");
	target_wish_fini(&wish);
}

static void by_property(int32_t a, int32_t b)
{
	struct target_choice choice;
	finds((struct target_wish){ .comms = texts("plumed first") },
	      "processes named plumed first", "plumed-first", a);
	finds((struct target_wish){ .comms = texts("plume-second-long-name") },
	      "processes named plume-second-long-name", "plume-second-long-name", b);
	awaits((struct target_wish){ .comms = texts("plumed frist") },
	       "no process named plumed frist is running yet: waiting for one to start (similar: ");
	awaits((struct target_wish){ .comms = texts("plumed frist") }, "plumed first");
	awaits((struct target_wish){ .comms = texts("qqqqqqq") }, "--cmdline qqqqqqq)");
	awaits((struct target_wish){ .comms = texts("plumed first"), .users = texts("4294967290") },
	       "no process named plumed first, of user 4294967290 is running yet");
	fails((struct target_wish){ .cmdlines = texts("(") }, "(");
	awaits((struct target_wish){ .cmdlines = texts("^no such words$") },
	       "whose command line matches ^no such words$");
	fails((struct target_wish){ .users = texts("roott") }, "(similar: root");

	struct target_wish wish = { .users = texts(text_of("%u", geteuid())) };
	bool has_itself = false, has_a = false;
	choose(wish, &choice, "of user", true);
	for (uint32_t i = 0; i < choice.pids.n; i++) {
		has_itself = has_itself || choice.pids.p[i] == getpid();
		has_a = has_a || choice.pids.p[i] == a;
	}
	tap_ok(has_a && !has_itself, "all of the user's but this program");
	tap_ok(choice.is_by_property, "those that start later are meant, too");
	tap_ok(matches(wish, a) && !matches(wish, getpid()), "one by one: the same");
	tap_ok(!matches(wish, INT32_MAX), "nobody");
	target_choice_fini(&choice);
	target_wish_fini(&wish);

	/* Its children have this program's command line; this program itself has it as well. */
	wish = (struct target_wish){ .cmdlines = texts("target_choice_test") };
	choose(wish, &choice, "whose command line", true);
	has_itself = has_a = false;
	for (uint32_t i = 0; i < choice.pids.n; i++) {
		has_itself =
			has_itself || choice.pids.p[i] == getpid() || choice.pids.p[i] == getppid();
		has_a = has_a || choice.pids.p[i] == a;
	}
	tap_ok(has_a && !has_itself, "not this program, nor who started it");
	target_choice_fini(&choice);
	target_wish_fini(&wish);
}

/* --- by cgroup --- */

static int open_cgroup_event(const char *folder, int cpu)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK };
	int fd = open(folder, O_RDONLY | O_CLOEXEC);
	int event = (int)syscall(SYS_perf_event_open, &attr, fd, cpu, -1, PERF_FLAG_PID_CGROUP);
	close(fd);
	return event;
}

static bool write_number(const char *path, int32_t number)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fprintf(f, "%d", number) > 0;
	return f && fclose(f) == 0 && ok;
}

static int32_t start_busy(const char *procs)
{
	pid_t pid = fork();
	if (pid == 0) {
		cpu_set_t cpus;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		CPU_ZERO(&cpus);
		CPU_SET(0, &cpus);
		sched_setaffinity(0, sizeof(cpus), &cpus);
		write_number(procs, getpid());
		for (;;)
			;
	}
	return pid;
}

/* The kernel counts the time of what runs in there, and of nothing else. */
static void check_event(const char *folder, const char *procs)
{
	uint64_t ns = 0;
	int event = open_cgroup_event(folder, 0);
	if (event < 0 && (errno == EACCES || errno == EPERM || errno == ENOSYS)) {
		tap_ok(true, "perf events of a cgroup # skip they are not allowed here");
		return;
	}
	tap_ok(event >= 0, "perf_event_open takes the folder: %s",
	       event < 0 ? strerror(errno) : "yes");
	tap_ok(event >= 0 && read(event, &ns, sizeof(ns)) == (ssize_t)sizeof(ns) && !ns,
	       "nothing runs in it yet");
	int32_t busy = start_busy(procs);
	while (event >= 0 && ns < 10000000 && read(event, &ns, sizeof(ns)) == (ssize_t)sizeof(ns))
		sched_yield();
	tap_ok(ns >= 10000000, "what runs in it is counted");
	end(busy);
	close(event);
}

static void by_cgroup(int32_t a)
{
	AUTO(cgroup_hierarchy) struct cgroup_hierarchy h;
	if (!cgroup_hierarchy_of_perf("", &h)) {
		tap_ok(true, "cgroups # skip none are mounted");
		return;
	}
	const char *unit = text_of("plume-test-%d.service", getpid());
	const char *folder = text_of("%s/%s", h.mount, unit);
	const char *below = text_of("%s/below", folder);
	const char *own = text_of("%s/cgroup.procs", below);
	if (mkdir(folder, 0755) != 0 || mkdir(below, 0755) != 0 || !write_number(own, a)) {
		tap_ok(true, "cgroups # skip none can be made here: %s", strerror(errno));
		rmdir(folder);
		return;
	}
	finds((struct target_wish){ .cgroup = unit }, text_of("cgroup /%s", unit), unit, a);
	finds((struct target_wish){ .cgroup = text_of("%s/", folder) }, text_of("cgroup /%s", unit),
	      unit, a);
	finds((struct target_wish){ .cgroup = text_of("/%s/below", unit) },
	      text_of("cgroup /%s/below", unit), "below", a);
	finds((struct target_wish){ .service = unit }, text_of("service plume-test-%d", getpid()),
	      text_of("plume-test-%d", getpid()), a);
	fails((struct target_wish){ .cgroup = text_of("plume-tset-%d.service", getpid()) },
	      text_of("similar: /%s", unit));
	fails((struct target_wish){ .service = text_of("plume-tset-%d", getpid()) },
	      text_of("similar: plume-test-%d", getpid()));
	fails((struct target_wish){ .cgroup = "/etc" }, "no such cgroup");
	fails((struct target_wish){ .cgroup = "../../../etc" }, "no such cgroup");
	check_event(folder, own);
	end(a);
	while (rmdir(below) != 0 && errno == EBUSY)
		sched_yield();
	fails((struct target_wish){ .service = unit }, "is not running");
	rmdir(folder);
}

/* --- by container --- */

static const char *value_of(const char *key, const char *text)
{
	const char *p = strstr(text, text_of("%s=", key));
	p = p ? p + strlen(key) + 1 : "";
	return text_of("%.*s", (int)strcspn(p, "\n"), p);
}

/* What a command prints; false: it failed. */
static bool run(const char *command, char *out, size_t size)
{
	FILE *f = popen(command, "r");
	size_t n = f ? fread(out, 1, size - 1, f) : 0;
	out[n] = 0;
	return f && pclose(f) == 0;
}

static void check_container(const char *text, const char *title)
{
	AUTO(buf) struct buf name = { 0 };
	AUTO_FREE char *id = mem_strdup(value_of("id", text));
	int32_t pid = 0;
	str_to_i32(str_from(value_of("pid", text)), &pid);
	const char *words = text_of("container %s", title);
	finds((struct target_wish){ .container = title }, words, title, pid);
	finds((struct target_wish){ .container = id }, words, title, pid);
	if (strlen(id) == 64)
		finds((struct target_wish){ .container = text_of("%.12s", id) }, words, title, pid);
	container_of_process(pid, &name);
	tap_str_eq(buf_str(&name), str_from(title), "whose container it is");
	container_of_process(getpid(), &name);
	tap_ok(!name.n || !str_eq(buf_str(&name), str_from(title)), "not this program's");
}

/* podman puts containers into such a cgroup where it may. */
static void check_own_cgroup(const char *text, const char *name)
{
	AUTO(cgroup_hierarchy) struct cgroup_hierarchy h;
	struct target_choice choice;
	int32_t pid = 0;
	str_to_i32(str_from(value_of("pid", text)), &pid);
	if (!cgroup_hierarchy_of_perf("", &h))
		return;
	const char *folder = text_of("%s/libpod-%s", h.mount, value_of("id", text));
	const char *below = text_of("%s/container", folder);
	bool is_made = mkdir(folder, 0755) == 0 && mkdir(below, 0755) == 0 &&
		       write_number(text_of("%s/cgroup.procs", below), pid);
	struct target_wish wish = { .container = name };
	if (is_made && choose(wish, &choice, name, true)) {
		tap_str_eq(str_from(choice.cgroup ? choice.cgroup : "-"), str_from(folder),
			   "the container's cgroup");
		tap_ok(choice.pids.n == 1 && choice.pids.p[0] == pid, "and who is in it");
		target_choice_fini(&choice);
	}
	write_number(text_of("%s/cgroup.procs", h.mount), pid);
	rmdir(below);
	rmdir(folder);
}

static void check_two_processes(const char *name)
{
	struct target_choice choice;
	struct target_wish wish = { .container = name };
	choose(wish, &choice, name, true);
	/* Its first process may not have started the second one yet. */
	for (int i = 0; i < 100000 && choice.pids.n == 1; i++) {
		struct err e;
		target_choice_fini(&choice);
		target_choose(&wish, &choice, &e);
	}
	tap_ok(!choice.cgroup && choice.pids.n == 2, "by its pid namespace: %u processes",
	       choice.pids.n);
	target_choice_fini(&choice);
}

static void by_container(const char *unit_folder)
{
	char text[1024];
	const char *script = text_of("bash %s/../suite/container_run.bash", unit_folder);
	const char *name = text_of("plume-test-%d", getpid());
	fails((struct target_wish){ .container = "no-such-container" },
	      "no such container: no-such-");
	if (!run(text_of("%s check", script), text, sizeof(text))) {
		tap_ok(true, "a real container # skip %s", text);
		return;
	}
	const char *start = text_of("%s start %s - -- sh -c 'sleep 100 & wait'", script, name);
	if (run(start, text, sizeof(text))) {
		check_container(text, name);
		check_two_processes(name);
		check_own_cgroup(text, name);
	} else {
		tap_ok(false, "podman runs: %s", text);
	}
	run(text_of("%s stop %s", script, name), text, sizeof(text));
	if (run(text_of("%s crun %s sleep 100", script, name), text, sizeof(text)))
		check_container(text, name);
	else
		tap_ok(false, "crun runs: %s", text);
	run(text_of("%s crun-stop %s", script, name), text, sizeof(text));
	fails((struct target_wish){ .container = name }, "no such container: ");
}

int main(int argc, char **argv)
{
	if (access("/proc/self/stat", R_OK) != 0) {
		tap_ok(true, "choices # skip there is no /proc");
		return tap_done();
	}
	int32_t a = start_named("plumed first"), b = start_named("plume-second-lo");
	by_number(a, b);
	by_inner_number();
	by_property(a, b);
	by_what_is_known();
	by_cgroup(a);
	by_container(argc > 1 ? argv[1] : "test/unit");
	end(a);
	end(b);
	return tap_done();
}
