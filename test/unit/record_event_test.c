/* Events by name: what is asked of the kernel, opened for real where that is allowed, and what is refused. */
#include "record/event_int.h"
#include "target/target.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct record_event_wish usual = { .rate_hz = 99 };
static char folder[] = "/tmp/plume-test-XXXXXX";
static char self[4096]; /* this program */
static bool has_probes;

/* --- functions that are probed --- */

int plume_test_probed(int n);
__attribute__((noinline)) int plume_test_probed(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

int overload_of_int(void) __asm__("_ZN10plume_test8overloadEi");
int overload_of_int(void)
{
	return 1;
}

int overload_of_double(void) __asm__("_ZN10plume_test8overloadEd");
int overload_of_double(void)
{
	return 2;
}

__asm__(".text\n"
	".globl plume_test_chooser\n"
	".type plume_test_chooser, %gnu_indirect_function\n"
	"plume_test_chooser: ret\n"
	".size plume_test_chooser, 1\n");

/* --- folders as the kernel shows them --- */

static void write_file(const char *name, const char *text)
{
	AUTO(buf) struct buf path = { 0 };
	buf_addf(&path, "%s/%s", folder, name);
	for (char *slash = path.p + sizeof(folder);
	     (slash = memchr(slash, '/', (size_t)(path.p + path.n - slash))); slash++) {
		*slash = 0;
		mkdir(path.p, 0755);
		*slash = '/';
	}
	FILE *f = fopen(buf_c_string(&path), "w");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static struct event_places made_places(void)
{
	static char pmus[64], tracing[64];
	write_file("text", "no program\n");
	write_file("pmus/unit/type", "77\n");
	write_file("pmus/unit/format/event", "config:0-7,32-35\n");
	write_file("pmus/unit/format/umask", "config:8-15\n");
	write_file("pmus/unit/format/edge", "config:18\n");
	write_file("pmus/unit/format/ldlat", "config1:0-15\n");
	write_file("pmus/unit/format/odd", "nowhere:0-3\n");
	write_file("pmus/unit/format/broken", "config:9-3,90\n");
	write_file("pmus/unit/events/llc-misses", "event=0x2e,umask=0x41\n");
	write_file("pmus/unit/events/llc-misses.unit", "x\n");
	write_file("pmus/unit/events/loop", "loop\n");
	write_file("tracing/events/sched/sched_switch/id", "301\n");
	write_file("tracing/events/sched/sched_wakeup/id", "302\n");
	write_file("tracing/events/sched/enable", "0\n");
	write_file("tracing/events/ftrace/print/format", "no id\n");
	snprintf(pmus, sizeof(pmus), "%s/pmus", folder);
	snprintf(tracing, sizeof(tracing), "%s/tracing", folder);
	return (struct event_places){ pmus, { "/nowhere", tracing }, event_try };
}

static struct event_places places;

/* --- what is made of words --- */

static void check_attr(const char *text, uint32_t type, uint64_t config, const char *name)
{
	struct record_events events = { 0 };
	struct err e = { 0 };
	bool ok = record_events_parse_at(text, &usual, &places, &events, &e);
	tap_ok(ok && events.list.n == 1, "%s is one event %s", text, e.text);
	if (ok && events.list.n) {
		const struct perf_event_attr *a = &events.list.p[0].attr;
		tap_ok(a->type == type && a->config == config, "%s: type %u, config 0x%llx", text,
		       a->type, (unsigned long long)a->config);
		tap_str_eq(str_from(events.list.p[0].name), str_from(name), "%s: its name", text);
	}
	record_events_fini(&events);
}

static void check_attrs(void)
{
	check_attr("cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock");
	check_attr("CS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches");
	check_attr(" faults:u ", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults:u");
	check_attr("migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS,
		   "cpu-migrations");
	check_attr("unit/event=0x1a3,umask=2/", 77, 0xa3 | 1ull << 32 | 2 << 8,
		   "unit/event=0x1a3,umask=2/");
	check_attr("unit/llc-misses,edge/u", 77, 0x2e | 0x41 << 8 | 1 << 18,
		   "unit/llc-misses,edge/u");
	check_attr("unit/config=0x99,name=mine/", 77, 0x99, "mine");
	check_attr("sched:sched_switch", PERF_TYPE_TRACEPOINT, 301, "sched:sched_switch");
	check_attr("sched:sched_sw*", PERF_TYPE_TRACEPOINT, 301, "sched:sched_switch");
	check_attr("s*d:*_wake??:k", PERF_TYPE_TRACEPOINT, 302, "sched:sched_wakeup:k");
}

static struct record_event only(const char *text, const struct record_event_wish *wish,
				struct record_events *events)
{
	struct err e = { 0 };
	bool ok = record_events_parse_at(text, wish, &places, events, &e);
	if (!ok || !events->list.n)
		tap_ok(false, "%s: %s", text, e.text);
	return ok && events->list.n ? events->list.p[0] : (struct record_event){ 0 };
}

static void check_sampling(void)
{
	struct record_event_wish every_ten = { .rate_hz = 99, .period = 10 };
	struct record_events events[5] = { 0 };
	struct perf_event_attr a = only("cpu-clock", &usual, &events[0]).attr;
	tap_ok(a.freq && a.sample_freq == 99, "a clock is sampled by rate");
	a = only("page-faults", &usual, &events[1]).attr;
	tap_ok(!a.freq && a.sample_period == 1, "each page fault is taken");
	a = only("sched:sched_switch", &every_ten, &events[2]).attr;
	tap_ok(!a.freq && a.sample_period == 10, "every tenth tracepoint, when that is asked");
	a = only("unit/event=1,period=7/", &every_ten, &events[3]).attr;
	tap_ok(!a.freq && a.sample_period == 7, "a period of its own");
	a = only("cpu-clock", &every_ten, &events[4]).attr;
	tap_ok(!a.freq && a.sample_period == 10, "-c is for clocks as well");
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		record_events_fini(&events[i]);
}

static void check_exclusions(void)
{
	struct record_event_wish user = { .rate_hz = 99, .user_only = true };
	struct record_events events[4] = { 0 };
	struct perf_event_attr a = only("cpu-clock", &user, &events[0]).attr;
	tap_ok(a.exclude_kernel && a.exclude_callchain_kernel && !a.exclude_user,
	       "user code only: a clock does not tick in the kernel");
	a = only("sched:sched_switch", &user, &events[1]).attr;
	tap_ok(!a.exclude_kernel && a.exclude_callchain_kernel,
	       "... but tracepoints are in the kernel, so only their stacks change");
	a = only("cpu-clock:k", &user, &events[2]).attr;
	tap_ok(a.exclude_user && a.exclude_callchain_user && !a.exclude_kernel,
	       "what an event says goes before what holds for all");
	a = only("cs:uk", &usual, &events[3]).attr;
	tap_ok(!a.exclude_callchain_kernel && !a.exclude_callchain_user, "both is all");
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		record_events_fini(&events[i]);
}

static void check_lists(void)
{
	struct record_events events = { 0 };
	struct err e = { 0 };
	bool ok = record_events_parse_at("cs:u,unit/event=1,umask=2/u,sched:*,cpu-clock", &usual,
					 &places, &events, &e);
	tap_ok(ok && events.list.n == 5, "a list, commas between slashes being the unit's: %u %s",
	       events.list.n, e.text);
	tap_ok(events.list.n == 5 && events.list.p[2].is_tracepoint &&
		       events.list.p[4].samples_time && !events.list.p[0].samples_time,
	       "what they are is told");
	record_events_fini(&events);
}

/* --- what is refused --- */

static void check_wrong(const char *text, enum err_kind kind, const char *part)
{
	struct record_events events = { 0 };
	struct err e = { 0 };
	bool ok = record_events_parse_at(text, &usual, &places, &events, &e);
	tap_ok(!ok && e.kind == kind && strstr(e.text, part), "%.60s is refused: %s", text, e.text);
	record_events_fini(&events);
}

static void check_refusals(void)
{
	check_wrong("page-fault", ERR_USAGE, "page-faults");
	check_wrong("cpu_clock", ERR_USAGE, "cpu-clock");
	check_wrong("sched_switch", ERR_USAGE, "sched:sched_switch");
	check_wrong("xyzzy", ERR_USAGE, "SUBSYSTEM:TRACEPOINT");
	check_wrong("", ERR_USAGE, "empty event name");
	check_wrong("cs,,cs", ERR_USAGE, "empty event name");
	check_wrong("cpu-clock:x", ERR_USAGE, "unknown modifier");
	check_wrong("cpu-clock:pp", ERR_USAGE, "only hardware");
	check_wrong("sched:sched_swich", ERR_USAGE, "did you mean sched:sched_switch");
	check_wrong("sched:", ERR_USAGE, "unknown event: sched:");
	check_wrong("ftrace:print", ERR_USAGE, "unknown tracepoint");
	check_wrong("../sched:sched_switch", ERR_USAGE, "../sched");
	check_wrong("unit/event=1", ERR_USAGE, "the / at the end is missing");
	check_wrong("unit/evnt=1/", ERR_USAGE, "but event");
	check_wrong("unit/event=x/", ERR_USAGE, "x is not a number");
	check_wrong("unit/umask=0x100/", ERR_USAGE, "does not fit into its bits");
	check_wrong("unit/broken=1/", ERR_USAGE, "does not fit into its bits");
	check_wrong("unit/odd=1/", ERR_FAILED, "the format of odd");
	check_wrong("unit/loop/", ERR_USAGE, "has no loop");
	check_wrong("unit/../unit=1/", ERR_USAGE, "has no ../unit");
	check_wrong("unti/event=1/", ERR_USAGE, "but unit");
	check_wrong("../pmus/unit/event=1/", ERR_USAGE, "unknown PMU");
	AUTO(buf) struct buf terms = { 0 };
	buf_add(&terms, STR("unit/"));
	for (int i = 0; i < 100; i++)
		buf_add(&terms, STR("edge,"));
	buf_add(&terms, STR("/"));
	check_wrong(buf_c_string(&terms), ERR_USAGE, "more than 64 terms");
}

static void check_names_are_harmless(void)
{
	struct nearest near = { .text = STR("open") };
	AUTO(buf) struct buf text = { 0 };
	nearest_offer(&near, STR("open\033[2J"));
	nearest_offer(&near, STR("\xff"
				 "open"));
	tap_num_eq(near.n, 0, "names with control characters are not offered");
	nearest_offer(&near, STR("reopened"));
	nearest_offer(&near, STR("opens"));
	nearest_offer(&near, STR("opens"));
	nearest_offer(&near, STR("opan"));
	nearest_offer(&near, STR("close"));
	nearest_offer(&near, STR("opener"));
	nearest_add_to(&near, &text);
	tap_str_eq(buf_str(&text), STR("opens, opener or reopened"),
		   "the three nearest, once each");
}

static void check_no_tracefs(void)
{
	struct event_places none = { "/nowhere",
				     { "/nowhere/tracing", "/nowhere/debug" },
				     event_try };
	struct record_events events = { 0 };
	struct err e = { 0 };
	bool ok = record_events_parse_at("sched:sched_switch", &usual, &none, &events, &e);
	tap_ok(!ok && e.kind == ERR_FAILED &&
		       strstr(e.text, "sudo mount -t tracefs nodev /nowhere/tracing"),
	       "without tracefs: %s", e.text);
	record_events_fini(&events);
}

/* --- processors that this machine does not have --- */

/* Counters of every kind, but caches only on the first kind of processors, and nothing precise. */
static int try_made(const struct perf_event_attr *attr)
{
	if (attr->precise_ip)
		return EOPNOTSUPP;
	return attr->type == PERF_TYPE_HW_CACHE && attr->config >> 32 != 4 ? ENOENT : 0;
}

static void check_kinds_of_processors(void)
{
	struct event_places before = places;
	struct record_events events[4] = { 0 };
	places.try_open = try_made;
	struct record_event one = only("cycles", &usual, &events[0]);
	tap_ok(one.attr.type == PERF_TYPE_HARDWARE && one.attr.config == 0 && one.attr.freq &&
		       one.samples_time && !one.cpus && events[0].list.n == 1,
	       "cycles of processors of one kind");
	one = only("r01c2:k", &usual, &events[1]);
	tap_ok(one.attr.type == PERF_TYPE_RAW && one.attr.config == 0x1c2 && one.attr.freq &&
		       one.attr.exclude_user && one.attr.exclude_guest,
	       "a raw counter");
	write_file("pmus/cpu_core/type", "4\n");
	write_file("pmus/cpu_core/cpus", "0-7\n");
	write_file("pmus/cpu_atom/type", "10\n");
	write_file("pmus/cpu_atom/cpus", "8-15\n");
	only("instructions:u", &usual, &events[2]);
	bool are_two = events[2].list.n == 2;
	tap_ok(are_two && events[2].list.p[0].attr.config == (10ull << 32 | 1) &&
		       strcmp(events[2].list.p[0].cpus, "8-15") == 0 &&
		       events[2].list.p[1].attr.config == (4ull << 32 | 1),
	       "of two kinds, each kind has its own");
	tap_ok(are_two && strcmp(events[2].list.p[0].name, events[2].list.p[1].name) == 0,
	       "... of one name");
	one = only("L1-dcache-load-misses", &usual, &events[3]);
	tap_ok(events[3].list.n == 1 && one.attr.config == (4ull << 32 | 1 << 16),
	       "what one kind lacks is taken from the other");
	check_wrong("cycles:pp", ERR_FAILED, "not that precisely");
	check_wrong("cpu_core/config=1/pp", ERR_FAILED, "not that precisely");
	check_attr("cpu_core/config=1/u", 4, 1, "cpu_core/config=1/u");
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		record_events_fini(&events[i]);
	places = before;
}

/* --- probes --- */

static void check_probe_texts(void)
{
	AUTO(buf) struct buf text = { 0 };
	struct {
		const char *format, *part;
	} wrong[] = {
		{ "uprobe:%s:plume_test_prbed", "plume_test_probed" },
		{ "uprobe:%s:plume_test::overload", "overload(int)" },
		{ "uprobe:%s:plume_test_chooser", "runs only once" },
		{ "uprobe:%s:0xffffffff00", "nothing is loaded" },
		{ "uprobe:%s:0x12z", "not an address" },
		{ "uprobe:%s:plume_test_probed+5x", "not an offset" },
		{ "uretprobe:%s:plume_test_probed+4", "takes no offset" },
		{ "uprobe:%s", "uprobe:FILE:FUNCTION" },
		{ "uprobe:%s:", "uprobe:FILE:FUNCTION" },
		{ "uprobe:%sx:f", "No such file" },
		{ "uprobe:/dev/null:f", "not a regular file" },
	};
	if (!has_probes) {
		tap_ok(true, "probes # SKIP this kernel has none, or /proc is not mounted");
		return;
	}
	places.pmus = event_kernel_places.pmus;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		text.n = 0;
		ptrdiff_t at = str_find(str_from(wrong[i].format), STR("%s"));
		buf_add(&text,
			str_first(str_from(wrong[i].format), at < 0 ? SIZE_MAX : (size_t)at));
		if (at >= 0)
			buf_addf(&text, "%s%s", self, wrong[i].format + at + 2);
		check_wrong(buf_c_string(&text), ERR_USAGE, wrong[i].part);
	}
	text.n = 0;
	buf_addf(&text, "uprobe:%s/text:f", folder);
	check_wrong(buf_c_string(&text), ERR_USAGE, "ELF");
	check_wrong("uprobe:/bin/ls", ERR_USAGE, "uprobe:FILE:FUNCTION");
}

/* --- short names of files --- */

static void check_file(const char *name, const struct pid_list *pids, const char *end)
{
	struct err e = { 0 };
	AUTO_FREE char *path = event_find_file(str_from(name), pids, &e);
	tap_ok(path && path[0] == '/' && strstr(path, end), "%s: %s", name, path ? path : e.text);
}

static void check_file_names(void)
{
	struct err e = { 0 };
	struct stat mapped, found;
	struct pid_list own = { 0 };
	vec_push(&own, getpid());
	check_file("record_event_test", &own, "/record_event_test");
	check_file("libc", &own, "/libc");
	check_file("c", &own, "/libc");
	check_file("libc.so", &own, "/libc");
	check_file("sh", NULL, "sh");
	check_file("libc", NULL, "/libc");
	AUTO_FREE char *path = event_find_file(STR("libc"), &own, &e);
	AUTO_FREE char *same = event_find_file(STR("libc"), NULL, &e);
	tap_ok(path && same && stat(path, &mapped) == 0 && stat(same, &found) == 0 &&
		       mapped.st_ino == found.st_ino,
	       "both ways lead to one libc");
	tap_ok(!event_find_file(STR("libplume-test"), &own, &e) && strstr(e.text, "give the path"),
	       "%s", e.text);
	tap_ok(!event_find_file(STR("li"), NULL, &e) && !event_find_file(STR("ib"), NULL, &e) &&
		       !event_find_file(STR(""), NULL, &e),
	       "a part of a name is none: %s", e.text);
	tap_ok(!event_find_file(STR("no/such"), &own, &e) && strstr(e.text, "No such file"), "%s",
	       e.text);
	vec_fini(&own);
}

/* --- opened --- */

static int open_event(const struct record_event *event)
{
	struct perf_event_attr a = event->attr;
	return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void busy(void)
{
	enum { PAGES = 100, PAGE_BYTES = 4096 };
	volatile unsigned n = 0;
	for (unsigned i = 0; i < 5000000; i++)
		n = n + i;
	char *p = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; p != MAP_FAILED && i < PAGES; i++)
		p[i * PAGE_BYTES] = 1;
	munmap(p, PAGES * PAGE_BYTES);
	for (int i = 0; i < 10; i++) {
		plume_test_probed(i);
		getppid();
		usleep(1);
	}
}

/* How often it happened while the program was busy: `least` times or more; exactly so often when is_exact. */
static void check_count(const char *text, uint64_t least, bool is_exact)
{
	struct record_events events = { 0 };
	struct err e = { 0 };
	uint64_t count = 0;
	if (!record_events_parse(text, &usual, &events, &e)) {
		tap_ok(false, "%s: %s", text, e.text);
		return;
	}
	int fd = open_event(&events.list.p[0]);
	if (fd < 0 && (errno == EACCES || errno == EPERM || errno == ENOSYS)) {
		tap_ok(true, "%s # SKIP not allowed here", text);
	} else {
		tap_ok(fd >= 0, "%s is opened: %s", text, fd < 0 ? strerror(errno) : "yes");
		busy();
		bool is_read = fd >= 0 && read(fd, &count, sizeof(count)) == sizeof(count);
		tap_ok(is_read && (is_exact ? count == least : count >= least), "%s: %llu of %llu",
		       text, (unsigned long long)count, (unsigned long long)least);
	}
	if (fd >= 0)
		close(fd);
	record_events_fini(&events);
}

static void check_probe_count(const char *kind, const char *function, uint64_t count)
{
	AUTO(buf) struct buf text = { 0 };
	buf_addf(&text, "%s:%s:%s", kind, self, function);
	check_count(buf_c_string(&text), count, true);
}

static void check_opened(void)
{
	check_count("cpu-clock", 1000000, false);
	check_count("task-clock:u", 100000, false);
	check_count("page-faults", 100, false);
	check_count("minor-faults", 100, false);
	check_count("cs", 5, false);
	check_count("dummy", 0, true);
	if (access("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id", R_OK) == 0) {
		check_count("syscalls:sys_enter_getppid", 10, true);
		check_count("syscalls:sys_enter_getpp*:u", 10, true);
		check_count("sched:sched_switch", 5, false);
		check_count("sched:sched_switch:u", 5, false);
		check_count("cs:u", 5, false);
	} else {
		tap_ok(true, "tracepoints # SKIP they cannot be read here");
	}
	if (!has_probes) {
		tap_ok(true, "probes # SKIP this kernel has none, or /proc is not mounted");
		return;
	}
	check_probe_count("uprobe", "plume_test_probed", 10);
	check_probe_count("uprobe", "plume_test_probed:u", 10);
	check_probe_count("uretprobe", "plume_test_probed", 10);
	check_probe_count("uprobe", "plume_test_probed+0", 10);
	check_probe_count("uprobe", "plume_test::overload(int)", 0);
}

static void check_default(void)
{
	struct record_events events = { 0 };
	AUTO(buf) struct buf why = { 0 };
	record_events_default(&usual, &events, &why);
	bool is_cycles = events.list.n == 1 && strcmp(events.list.p[0].name, "cycles") == 0;
	bool is_clock = events.list.n == 1 && strcmp(events.list.p[0].name, "cpu-clock") == 0;
	tap_ok(is_cycles ? why.n == 0 : is_clock && why.n, "by default: %s %s",
	       events.list.n ? events.list.p[0].name : "none", buf_c_string(&why));
	if (is_clock)
		check_wrong("cycles", ERR_FAILED, "no hardware counters here");
	record_events_fini(&events);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	has_probes = readlink("/proc/self/exe", self, sizeof(self) - 1) > 0 &&
		     access("/sys/bus/event_source/devices/uprobe/type", R_OK) == 0;
	places = made_places();
	check_attrs();
	check_sampling();
	check_exclusions();
	check_lists();
	check_refusals();
	check_names_are_harmless();
	check_no_tracefs();
	check_kinds_of_processors();
	check_probe_texts();
	check_file_names();
	check_opened();
	check_default();
	AUTO(buf) struct buf command = { 0 };
	buf_addf(&command, "rm -rf %s", folder);
	int left = system(buf_c_string(&command));
	return tap_done() || left;
}
