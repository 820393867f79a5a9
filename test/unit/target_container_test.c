/* Containers by the files of their runtimes and by cgroups, in a root folder made up here. */
#include "target/cgroup_int.h"
#include "target/container_int.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/plume-test-XXXXXX";

/* Ids of 64 digits that begin with what the name says. */
#define DIGITS_56   "00000000000000000000000000000000000000000000000000000000"
#define DOCKER	    "d0c4e000" DIGITS_56
#define STOPPED	    "d0c4e001" DIGITS_56
#define MOVED	    "d0c4e002" DIGITS_56
#define PODMAN	    "90d3a000" DIGITS_56
#define ENDED	    "90d3a001" DIGITS_56
#define ELSEWHERE   "90d3a002" DIGITS_56
#define ROOTLESS    "90d3a003" DIGITS_56
#define POD_ITSELF  "c31c0000" DIGITS_56
#define CRIO	    "c31c0001" DIGITS_56
#define KUBERNETES  "c47d0000" DIGITS_56
#define PAUSE	    "c47d0001" DIGITS_56
#define NERDCTL	    "c47d0002" DIGITS_56
#define ONLY_CGROUP "ffff0000" DIGITS_56

static const char *at(const char *path)
{
	static char paths[4][1024];
	static unsigned next;
	char *whole = paths[next++ % 4];
	snprintf(whole, sizeof(paths[0]), "%s%s", root, path);
	return whole;
}

static void make_folders(const char *path)
{
	char part[1024];
	for (const char *p = strchr(path + sizeof(root), '/'); p; p = strchr(p + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(p - path), path);
		mkdir(part, 0755);
	}
}

static void write_file(const char *path, const char *text)
{
	make_folders(at(path));
	FILE *f = fopen(at(path), "w");
	if (!f) {
		perror(path);
		exit(1);
	}
	fputs(text, f);
	fclose(f);
}

struct fake {
	const char *pid; /* or `self` */
	const char *start;
	const char *cgroup;
	const char *mounts, *users; /* namespaces */
	bool is_zombie;
};

static void make_process(struct fake p)
{
	char path[256], text[1024];
	snprintf(path, sizeof(path), "/proc/%s/stat", p.pid);
	snprintf(text, sizeof(text), "1 (a ) b) %c 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %s 0 0\n",
		 p.is_zombie ? 'Z' : 'S', p.start);
	write_file(path, text);
	snprintf(path, sizeof(path), "/proc/%s/cgroup", p.pid);
	snprintf(text, sizeof(text), "4:memory:/x\n0::%s\n", p.cgroup ? p.cgroup : "/");
	write_file(path, text);
	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", p.pid);
	make_folders(at(path));
	tap_ok(symlink(p.mounts, at(path)) == 0, "process %s", p.pid);
	snprintf(path, sizeof(path), "/proc/%s/ns/user", p.pid);
	tap_ok(symlink(p.users ? p.users : "user:[1]", at(path)) == 0, "process %s", p.pid);
}

static void make_processes(void)
{
	make_process((struct fake){ "self", "1", "/own", "mnt:[1]" });
	write_file("/proc/self/mountinfo",
		   "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
		   "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
		   "41 31 0:38 / /sys/fs/cgroup/uni\\040fied rw shared:1 - cgroup2 cgroup2 rw\n"
		   "42 31 0:38 /part /part rw,relatime - cgroup2 cgroup2 rw\n");
	make_process((struct fake){
		"100", "500", "/system.slice/docker-" DOCKER ".scope/init.scope", "mnt:[2]" });
	make_process((struct fake){ "101", "501", NULL, "mnt:[3]" });
	make_process((struct fake){ "102", "502", NULL, "mnt:[4]" });
	make_process((struct fake){ "103", "503", NULL, "mnt:[5]", "user:[2]" });
	make_process((struct fake){ "104", "504", NULL, "mnt:[6]" });
	make_process((struct fake){ "105", "505", NULL, "mnt:[7]" });
	make_process((struct fake){ "106", "506", NULL, "mnt:[8]" });
	make_process((struct fake){ "107", "507", NULL, "mnt:[9]" });
	make_process((struct fake){ "108", "508", NULL, "mnt:[10]" });
	/* Others that containers' numbers were given to since. */
	make_process((struct fake){ "200", "600", NULL, "mnt:[1]" });
	make_process((struct fake){ "201", "601", NULL, "mnt:[11]" });
	make_process((struct fake){ "202", "602", NULL, "mnt:[12]", .is_zombie = true });
	make_process((struct fake){ "300", "700", "/kubepods/burstable/pod12-3/" ONLY_CGROUP,
				    "mnt:[13]" });
	make_process((struct fake){ "301", "701", "/machine.slice/libpod-conmon-" PODMAN ".scope",
				    "mnt:[1]" });
}

static void make_files(void)
{
	write_file("/etc/passwd",
		   "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/people/ann:/bin/sh\n"
		   "bob:x:1001:1001::/people/bob:/bin/sh\n");
	write_file("/etc/docker/daemon.json", "{\"data-root\": \"/srv/docker/\"}");
	write_file("/var/lib/docker/containers/" DOCKER "/config.v2.json",
		   "{\"State\":{\"Running\":true,\"Pid\":100},\"ID\":\"" DOCKER
		   "\",\"Config\":{\"Labels\":{\"x\":\"y\"}},\"Name\":\"/shop\"}");
	write_file("/var/lib/docker/containers/" STOPPED "/config.v2.json",
		   "{\"State\":{\"Pid\":200},\"ID\":\"" STOPPED "\",\"Name\":\"/old\"}");
	write_file("/srv/docker/containers/" MOVED "/config.v2.json",
		   "{\"State\":{\"Pid\":108},\"Name\":\"/moved\"}");
	write_file("/var/lib/containers/storage/overlay-containers/containers.json",
		   "[{\"id\":\"" PODMAN
		   "\",\"names\":[\"web\"],\"metadata\":\"{}\"},{\"id\":\"" ENDED
		   "\",\"names\":[\"worker\"]},{\"id\":\"" CRIO
		   "\",\"names\":[\"k8s_api_shop-1_default_1_0\"]}]");
	write_file("/run/containers/storage/overlay-containers/" PODMAN "/userdata/pidfile",
		   "101\n");
	write_file("/run/containers/storage/overlay-containers/" ENDED "/userdata/pidfile", "202");
	write_file(
		"/run/containers/storage/overlay-containers/" CRIO "/userdata/config.json",
		"{\"annotations\":{\"io.container.manager\":\"cri-o\","
		"\"io.kubernetes.container.name\":\"api\",\"io.kubernetes.pod.name\":\"shop-1\"}}");
	write_file("/run/containers/storage/overlay-containers/" CRIO "/userdata/pidfile", "104");
	write_file(
		"/run/containers/storage/overlay-containers/" POD_ITSELF "/userdata/config.json",
		"{\"annotations\":{\"io.container.manager\":\"cri-o\","
		"\"io.kubernetes.container.name\":\"POD\",\"io.kubernetes.pod.name\":\"shop-1\"}}");
	write_file("/run/crun/" PODMAN "/status", "{\"pid\":101,\"process-start-time\":501}");
	write_file("/run/crun/" ELSEWHERE "/status",
		   "{\"pid\":102,\"process-start-time\":502,\"bundle\":\"/data/"
		   "overlay-containers/" ELSEWHERE "/userdata\"}");
	write_file("/data/overlay-containers/containers.json",
		   "[{\"id\":\"" ELSEWHERE "\",\"names\":[\"elsewhere\"]}]");
	write_file("/run/crun/plain/status", "{\"pid\":201,\"process-start-time\":999}");
	write_file("/run/user/1000/crun/" ROOTLESS "/status",
		   "{\"pid\":103,\"process-start-time\":503}");
	write_file("/people/ann/.local/share/containers/storage/overlay-containers/containers.json",
		   "[{\"id\":\"" ROOTLESS "\",\"names\":[\"mine\"]}]");
	/* What users make up: a process of root's, another name for a container of root's. */
	write_file("/run/user/1000/crun/liar/status", "{\"pid\":200,\"process-start-time\":600}");
	write_file("/run/user/1000/crun/" ENDED "/status",
		   "{\"pid\":103,\"process-start-time\":503}");
	write_file("/run/runc/tool/state.json",
		   "{\"id\":\"tool\",\"init_process_pid\":105,\"init_process_start\":505,"
		   "\"config\":{\"labels\":[\"a=b\",\"bundle=/x\"]}}");
	write_file("/run/containerd/io.containerd.runtime.v2.task/k8s.io/" KUBERNETES
		   "/config.json",
		   "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"api\","
		   "\"io.kubernetes.cri.sandbox-name\":\"shop-2\"}}");
	write_file("/run/containerd/io.containerd.runtime.v2.task/k8s.io/" KUBERNETES "/init.pid",
		   "106");
	write_file("/run/containerd/io.containerd.runtime.v2.task/k8s.io/" PAUSE "/config.json",
		   "{\"annotations\":{\"io.kubernetes.cri.sandbox-name\":\"shop-2\"}}");
	write_file("/run/containerd/io.containerd.runtime.v2.task/default/" NERDCTL "/config.json",
		   "{\"annotations\":{\"nerdctl/name\":\"nerd\"}}");
	write_file("/run/containerd/io.containerd.runtime.v2.task/default/" NERDCTL "/init.pid",
		   "107");
}

/* Planted by somebody: none of them may be waited for, read, or end the program. */
static void make_traps(void)
{
	make_folders(at("/run/crun/fifo/status"));
	tap_ok(mkfifo(at("/run/crun/fifo/status"), 0666) == 0, "a fifo instead of a state file");
	write_file("/run/crun/half/status", "{\"pid\":101,");
	write_file("/run/crun/control/config.json",
		   "{\"annotations\":{\"nerdctl/name\":\"a\\u001b[2J\"}}");
	write_file("/outside", "{\"annotations\":{\"nerdctl/name\":\"outside\"}}");
	make_folders(at("/run/crun/link/config.json"));
	tap_ok(symlink("/../../../../../../../../outside", at("/run/crun/link/config.json")) == 0,
	       "a link out of the root ends in the root");
	make_folders(at("/run/crun/large/config.json"));
	int fd = open(at("/run/crun/large/config.json"), O_CREAT | O_WRONLY, 0644);
	tap_ok(ftruncate(fd, (off_t)5 << 30) == 0, "a file of 5 GB");
	close(fd);
	make_folders(at("/run/crun/deep/config.json"));
	FILE *f = fopen(at("/run/crun/deep/config.json"), "w");
	for (int i = 0; f && i < 100000; i++)
		fputs("{\"annotations\":", f);
	if (f)
		fclose(f);
}

static struct containers all;

static const struct container *with_id(const char *id)
{
	for (uint32_t i = 0; i < all.list.n; i++)
		if (strcmp(all.list.p[i].id, id) == 0)
			return &all.list.p[i];
	return NULL;
}

static void check(const char *id, const char *want)
{
	const struct container *c = with_id(id);
	AUTO(buf) struct buf got = { 0 };
	if (c)
		buf_addf(&got, "%s %s %s %d", c->runtime, c->pod ? c->pod : "-",
			 c->name ? c->name : "-", c->pid);
	tap_str_eq(buf_str(&got), str_from(want), "%.8s", id);
}

static void finds(void)
{
	containers_find(root, &all);
	check(DOCKER, "docker - shop 100");
	check(STOPPED, "docker - old 0");
	check(MOVED, "docker - moved 108");
	check(PODMAN, "podman - web 101");
	check(ENDED, "podman - worker 0");
	check(ELSEWHERE, "crun - elsewhere 102");
	check(ROOTLESS, "podman - mine 103");
	check(CRIO, "cri-o shop-1 api 104");
	check(POD_ITSELF, "cri-o shop-1 - 0");
	check(KUBERNETES, "containerd shop-2 api 106");
	check(PAUSE, "containerd shop-2 - 0");
	check(NERDCTL, "containerd - nerd 107");
	check("tool", "runc - - 105");
	check("plain", "crun - - 0");
	check("liar", "crun - - 0");
	check(ONLY_CGROUP, "kubernetes - - 300");
	check("fifo", "");
	check("half", "");
	check("control", "crun - - 0");
	check("link", "crun - outside 0");
	check("large", "");
	check("deep", "");
	tap_str_eq(str_from(with_id(DOCKER)->cgroup), STR("/system.slice/docker-" DOCKER ".scope"),
		   "a container's own cgroup");
	tap_str_eq(str_from(with_id(PODMAN)->cgroup), STR("/"), "a container without a cgroup");
}

static void check_pick(const char *wish, const char *want_id, const char *want_text)
{
	struct err e = { 0 };
	const struct container *c = containers_pick(&all, wish, &e);
	tap_str_eq(str_from(c ? c->id : "-"), str_from(want_id), "--container %s", wish);
	if (want_text)
		tap_ok(strstr(e.text, want_text), "--container %s: %s", wish, e.text);
}

static void picks(void)
{
	check_pick("web", PODMAN, NULL);
	check_pick(PODMAN, PODMAN, NULL);
	check_pick("90d3a000", PODMAN, NULL);
	check_pick("shop", DOCKER, NULL);
	check_pick("shop-1", CRIO, NULL);
	check_pick("shop-2/api", KUBERNETES, NULL);
	check_pick("tool", "tool", NULL);
	check_pick("ffff", ONLY_CGROUP, NULL);
	check_pick("api", "-",
		   "shop-1/api (cri-o c31c00010000), shop-2/api (containerd c47d00000000)");
	check_pick("90d3", "-", "matches several containers: web (podman 90d3a0000000)");
	check_pick("old", "-", "is not running; to start it: docker start old");
	check_pick("wbe", "-", "no such container: wbe; similar: web");
	check_pick("too", "-", "similar: tool");
	check_pick("", "-", "no such container: ");
}

static void check_cgroup(const char *path, const char *want)
{
	struct cgroup_container c = { 0 };
	AUTO(buf) struct buf got = { 0 };
	if (cgroup_container_of(str_from(path), &c))
		buf_addf(&got, "%s %.8s %.*s", c.runtime, c.id.p, STR_ARG(c.cgroup));
	tap_str_eq(buf_str(&got), str_from(want), "%s", path);
}

static void cgroup_names(void)
{
	check_cgroup("/docker/" DOCKER, "docker d0c4e000 /docker/" DOCKER);
	check_cgroup("/docker/" DOCKER "/docker/" MOVED "/x",
		     "docker d0c4e002 /docker/" DOCKER "/docker/" MOVED);
	check_cgroup("/machine.slice/libpod-" PODMAN ".scope/container",
		     "podman 90d3a000 /machine.slice/libpod-" PODMAN ".scope");
	check_cgroup("/a/cri-containerd-" KUBERNETES ".scope",
		     "containerd c47d0000 /a/cri-containerd-" KUBERNETES ".scope");
	check_cgroup("/system.slice/a:cri-containerd:" KUBERNETES,
		     "container c47d0000 /system.slice/a:cri-containerd:" KUBERNETES);
	check_cgroup("/crio-" CRIO ".scope", "cri-o c31c0001 /crio-" CRIO ".scope");
	check_cgroup("/crio-conmon-" CRIO ".scope", "");
	check_cgroup("/x" CRIO, "");
	check_cgroup("/user.slice/user-0.slice", "");
	check_cgroup("", "");
}

static void hierarchies(void)
{
	AUTO(cgroup_hierarchy) struct cgroup_hierarchy h;
	tap_ok(cgroup_hierarchy_of_perf(root, &h), "version 2 is mounted");
	tap_str_eq(str_from(h.mount), str_from(at("/sys/fs/cgroup/uni fied")),
		   "with a blank in its path");
	tap_str_eq(str_from(h.controller), STR(""), "and is version 2");
	cgroup_hierarchy_fini(&h);
	tap_ok(cgroup_hierarchy_find(root, "memory", &h), "a hierarchy of version 1");
	cgroup_hierarchy_fini(&h);
	write_file("/proc/self/cgroup", "5:cpu,perf_event:/\n0::/\n");
	tap_ok(!cgroup_hierarchy_of_perf(root, &h),
	       "perf_event of version 1 that is not mounted: version 2 would be refused");
	cgroup_hierarchy_fini(&h);
	write_file("/proc/self/mountinfo",
		   "1 2 0:1 /top /m/perf rw - cgroup cgroup rw,cpu,perf_event\n"
		   "41 31 0:38 / /m/uni rw - cgroup2 cgroup2 rw\n");
	tap_ok(cgroup_hierarchy_of_perf(root, &h), "perf_event of version 1");
	write_file("/m/perf/a/x", "");
	AUTO_FREE char *inside = cgroup_folder(&h, "/top/a");
	tap_str_eq(str_from(inside ? inside : "-"), str_from(at("/m/perf/a")),
		   "a folder where a part is mounted");
	static const char *const bad[] = { "/a",	"/topa",	  "/top/b",
					   "/../top/a", "/top/../perf/a", "/top/a/.." };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		tap_ok(!cgroup_folder(&h, bad[i]), "%s is not there", bad[i]);
}

int main(void)
{
	char command[300];
	if (!mkdtemp(root))
		return 1;
	make_processes();
	make_files();
	make_traps();
	finds();
	picks();
	cgroup_names();
	hierarchies();
	containers_fini(&all);
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	tap_ok(system(command) == 0, "the files are removed");
	return tap_done();
}
