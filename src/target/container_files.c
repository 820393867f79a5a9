/* Where runtimes keep the state of their containers. */
#include "symbol/symbol.h"
#include "target/cgroup_int.h"
#include "target/container_int.h"
#include "target/user_int.h"

#include <dirent.h>
#include <unistd.h>

/* Users can make up as many files as they like; root's are read before theirs. */
enum { MAX_FILE_BYTES = 16 << 20, MAX_BYTES = 256 << 20, MAX_ENTRIES = 1 << 14 };

/*
 * folder: `*` is any name (also `*-containers`), the last one is the container's id unless is_list. ~ is
 * the home of each user who has a session.
 */
static const struct place {
	const char *runtime, *folder;
	const char *files[2];
	bool is_list;  /* the file tells of many, with their ids */
	bool is_users; /* any user may have written it */
} places[] = {
	{ "docker", "/var/lib/docker/containers/*", { "config.v2.json" } },
	{ "docker", "~/.local/share/docker/containers/*", { "config.v2.json" }, .is_users = true },
	{ "podman",
	  "/var/lib/containers/storage/*-containers",
	  { "containers.json", "volatile-containers.json" },
	  .is_list = true },
	{ "podman",
	  "/run/containers/storage/*-containers",
	  { "volatile-containers.json" },
	  .is_list = true },
	{ "podman",
	  "~/.local/share/containers/storage/*-containers",
	  { "containers.json", "volatile-containers.json" },
	  .is_list = true,
	  .is_users = true },
	{ "podman",
	  "/run/user/*/containers/*-containers",
	  { "volatile-containers.json" },
	  .is_list = true,
	  .is_users = true },
	{ "podman",
	  "/run/containers/storage/*-containers/*",
	  { "userdata/config.json", "userdata/pidfile" } },
	{ "podman",
	  "/run/user/*/containers/*-containers/*",
	  { "userdata/config.json", "userdata/pidfile" },
	  .is_users = true },
	{ "docker",
	  "/run/containerd/io.containerd.runtime.v2.task/moby/*",
	  { "config.json", "init.pid" } },
	{ "docker",
	  "/run/docker/containerd/daemon/io.containerd.runtime.v2.task/moby/*",
	  { "config.json", "init.pid" } },
	{ "containerd",
	  "/run/containerd/io.containerd.runtime.v2.task/*/*",
	  { "config.json", "init.pid" } },
	{ "containerd",
	  "/run/k3s/containerd/io.containerd.runtime.v2.task/*/*",
	  { "config.json", "init.pid" } },
	{ "crun", "/run/crun/*", { "config.json", "status" } },
	{ "crun", "/run/user/*/crun/*", { "config.json", "status" }, .is_users = true },
	{ "runc", "/run/runc/*", { "state.json" } },
	{ "runc", "/run/user/*/runc/*", { "state.json" }, .is_users = true },
	{ "runc", "/run/docker/runtime-runc/moby/*", { "state.json" } },
	{ "runc", "/run/containerd/runc/*/*", { "state.json" } },
};

/* A file being read: of which place, and of which container when its folder says so. */
struct visit {
	struct container_hunt *h;
	const struct place *place;
	struct str id; /* empty: the file says */
	unsigned depth;
};

static void read_file(const struct visit *v, const char *path);

/* --- what a file says --- */

/* Whether that process is the container's; its number may have been given to another one since. */
static bool is_first_process(const struct visit *v, const struct container_state *s)
{
	const struct container_hunt *h = v->h;
	struct process_status status;
	int32_t pid = (int32_t)s->pid;
	if (s->pid <= 0 || s->pid > INT32_MAX || !process_status_read(h->root, pid, &status) ||
	    status.is_zombie || status.is_kernel_thread)
		return false;
	if (v->place->is_users) {
		/* Rootless ones live in a user namespace; else any user could point at anything. */
		struct process_namespace users = process_namespace_of(h->root, pid, "user");
		if (process_namespaces_equal(users, h->own_users))
			return false;
	}
	if (s->start_ticks)
		return (uint64_t)s->start_ticks == status.start_ticks;
	struct process_namespace mounts = process_namespace_of(h->root, pid, "mnt");
	return !process_namespaces_equal(mounts, h->own_mounts);
}

static void set_text(char **to, const char *text, bool is_better)
{
	if (!text || !*text || (*to && !is_better))
		return;
	free(*to);
	*to = mem_strdup(text);
}

/* Where podman was told of another place for its files, the bundle is in there. */
static void read_list_of_bundle(const struct visit *v, struct str bundle)
{
	static const struct place list = { "podman", NULL, { NULL }, .is_list = true };
	AUTO(buf) struct buf path = { 0 };
	if (!str_ends(bundle, STR("/userdata")) || v->depth)
		return;
	for (int i = 0; i < 2; i++) {
		ptrdiff_t slash = str_find_last_char(bundle, '/');
		if (slash <= 0)
			return;
		bundle = str_first(bundle, (size_t)slash);
	}
	buf_add(&path, bundle);
	buf_add(&path, STR("/containers.json"));
	struct place place = list;
	place.is_users = v->place->is_users;
	read_file(&(struct visit){ v->h, &place, { 0 }, v->depth + 1 }, buf_c_string(&path));
}

static const char *runtime_of(const struct visit *v, const struct container_state *s)
{
	if (!s->manager)
		return v->place->runtime;
	return strcmp(s->manager, "libpod") == 0 ? "podman" : s->manager;
}

static void on_state(void *context, const struct container_state *s)
{
	const struct visit *v = context;
	struct str id = v->id.n ? v->id : s->id ? str_from(s->id) : (struct str){ 0 };
	if (!id.n)
		return;
	struct container *c = containers_add(v->h->found, id);
	/* No user may change what root's files say of a container. */
	if (!c || (v->place->is_users && c < v->h->found->list.p + v->h->roots))
		return;
	const char *name = s->kubernetes_name ? s->kubernetes_name : s->name;
	/* What cri-o calls the container that only holds a pod's namespaces. */
	bool is_pod_itself = name && strcmp(name, "POD") == 0;
	if (name)
		name += name[0] == '/'; /* docker's begin so */
	set_text(&c->name, is_pod_itself ? NULL : name, s->kubernetes_name);
	set_text(&c->pod, s->pod, false);
	set_text(&c->runtime, runtime_of(v, s), s->manager);
	if (is_pod_itself) {
		free(c->name);
		c->name = NULL;
	}
	if (!c->pid && is_first_process(v, s))
		c->pid = (int32_t)s->pid;
	if (s->bundle && !c->name)
		read_list_of_bundle(v, str_from(s->bundle));
}

/* --- files --- */

/* Never waits; links are followed, but not out of root. */
static struct reader *open_state(struct container_hunt *h, const char *path)
{
	struct symbol_options here = { .container_root = *h->root ? h->root : "/" };
	struct err e;
	struct reader *r = process_file_open(&here, (struct recorded_process){ 0 }, path, &e);
	size_t limit = h->bytes_left < MAX_FILE_BYTES ? h->bytes_left : MAX_FILE_BYTES;
	if (r && reader_fill_all(r, limit)) {
		h->bytes_left -= reader_window(r).n;
		return r;
	}
	/* What is too large costs as much as what was read of it. */
	h->bytes_left -= r ? limit : 0;
	reader_free(r);
	return NULL;
}

static void read_file(const struct visit *v, const char *path)
{
	struct reader *r = open_state(v->h, path);
	struct container_state s = { 0 };
	int32_t pid;
	if (!r)
		return;
	if (str_ends(str_from(path), STR("pidfile")) || str_ends(str_from(path), STR(".pid"))) {
		if (str_to_i32(str_trim(reader_window(r)), &pid))
			s.pid = pid;
		on_state((void *)(uintptr_t)v, &s);
	} else {
		container_states_read(r, on_state, (void *)(uintptr_t)v);
	}
	reader_free(r);
}

static void visit_folder(const struct visit *v, const char *folder)
{
	AUTO(buf) struct buf path = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(v->place->files) && v->place->files[i]; i++) {
		path.n = 0;
		buf_addf(&path, "%s/%s", folder, v->place->files[i]);
		read_file(v, buf_c_string(&path));
	}
}

/* Calls expand for each folder that `*` or `*-containers` stands for. */
static void expand(struct visit *v, struct buf *path, struct str pattern);

static void expand_any(struct visit *v, struct buf *path, struct str ending, struct str rest)
{
	AUTO(buf) struct buf folder = { 0 };
	size_t n = path->n;
	buf_addf(&folder, "%s%s", v->h->root, buf_c_string(path));
	DIR *dir = opendir(buf_c_string(&folder));
	struct dirent *entry;
	for (int i = 0; dir && i < MAX_ENTRIES && (entry = readdir(dir)); i++) {
		struct str name = str_from(entry->d_name);
		if (name.p[0] == '.' || !str_ends(name, ending))
			continue;
		path->n = n;
		buf_addf(path, "/%s", entry->d_name);
		v->id = v->place->is_list ? (struct str){ 0 } : name;
		expand(v, path, rest);
	}
	if (dir)
		closedir(dir);
	path->n = n;
}

static void expand(struct visit *v, struct buf *path, struct str pattern)
{
	while (pattern.n) {
		pattern = str_from_byte(pattern, 1); /* the slash */
		ptrdiff_t slash = str_find_char(pattern, '/');
		struct str part = str_first(pattern, slash < 0 ? pattern.n : (size_t)slash);
		pattern = str_from_byte(pattern, part.n);
		if (part.n && part.p[0] == '*') {
			expand_any(v, path, str_from_byte(part, 1), pattern);
			return;
		}
		buf_add_char(path, '/');
		buf_add(path, part);
	}
	visit_folder(v, buf_c_string(path));
}

/* --- all places --- */

/* Only of users who have a session: other homes may be on a server that is asleep. */
static void list_homes(const struct container_hunt *h, struct text_list *homes)
{
	AUTO(buf) struct buf sessions = { 0 };
	AUTO(buf) struct buf home = { 0 };
	struct pid_list users = { 0 };
	buf_addf(&sessions, "%s/run/user", h->root);
	pid_list_of_folder(buf_c_string(&sessions), &users);
	vec_push(&users, (int32_t)geteuid());
	pid_list_sort(&users);
	for (uint32_t i = 0; i < users.n; i++)
		if (user_home(h->root, (uint32_t)users.p[i], &home))
			text_list_add(homes, buf_str(&home));
	vec_fini(&users);
}

static void visit_place(struct visit *v, struct str before, const char *pattern)
{
	AUTO(buf) struct buf path = { 0 };
	while (before.n && before.p[before.n - 1] == '/')
		before.n--;
	buf_add(&path, before);
	v->id = (struct str){ 0 };
	expand(v, &path, str_from(pattern));
}

static void on_docker_settings(void *context, const struct container_state *s)
{
	static const struct place place = { "docker", "/containers/*", { "config.v2.json" } };
	struct visit v = { context, &place };
	if (s->data_root && s->data_root[0] == '/')
		visit_place(&v, str_from(s->data_root), place.folder);
}

static void visit_places(struct container_hunt *h, const struct text_list *homes, bool is_users)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct visit v = { h, &places[i] };
		if (places[i].is_users != is_users)
			continue;
		if (places[i].folder[0] != '~') {
			visit_place(&v, STR(""), places[i].folder);
			continue;
		}
		for (uint32_t k = 0; k < homes->n; k++)
			visit_place(&v, str_from(homes->p[k]), places[i].folder + 1);
	}
}

void container_files_read(struct container_hunt *h)
{
	AUTO(text_list) struct text_list homes = { 0 };
	h->bytes_left = MAX_BYTES;
	h->roots = 0;
	visit_places(h, &homes, false);
	struct reader *settings = open_state(h, "/etc/docker/daemon.json");
	if (settings)
		container_states_read(settings, on_docker_settings, h);
	reader_free(settings);
	h->roots = h->found->list.n;
	list_homes(h, &homes);
	visit_places(h, &homes, true);
}
