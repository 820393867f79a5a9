/* The contents of cgroups: processes, child cgroups, containers by name. */
#include "target/cgroup_int.h"

#include <dirent.h>

/* A container may make folders in its own cgroup, as many and as deep as it likes. */
enum { MAX_FOLDERS = 1 << 16, MAX_DEPTH = 32, MAX_PROCS_BYTES = 16 << 20, CONTAINER_DIGITS = 64 };

/* --- folders --- */

struct folder {
	char *path;
	unsigned depth;
};
struct folders {
	VEC(struct folder) list;
};

static void add_folders_in(struct folders *folders, struct folder parent)
{
	DIR *dir = opendir(parent.path);
	struct dirent *entry;
	while (dir && (entry = readdir(dir)) && folders->list.n < MAX_FOLDERS) {
		AUTO(buf) struct buf path = { 0 };
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		buf_addf(&path, "%s/%s", parent.path, entry->d_name);
		vec_push(&folders->list,
			 (struct folder){ mem_strdup(buf_c_string(&path)), parent.depth + 1 });
	}
	if (dir)
		closedir(dir);
}

void cgroup_walk(const char *folder, cgroup_on_folder *on, void *context)
{
	struct folders folders = { 0 };
	add_folders_in(&folders, (struct folder){ (char *)(uintptr_t)folder, 0 });
	for (uint32_t i = 0; i < folders.list.n; i++) {
		struct folder one = folders.list.p[i];
		on(context, one.path);
		if (one.depth < MAX_DEPTH)
			add_folders_in(&folders, one);
		free(one.path);
	}
	vec_fini(&folders.list);
}

/* --- processes --- */

static void add_processes(void *context, const char *path)
{
	struct pid_list *pids = context;
	AUTO(buf) struct buf file = { 0 }, text = { 0 };
	buf_addf(&file, "%s/cgroup.procs", path);
	text_file_read(buf_c_string(&file), MAX_PROCS_BYTES, &text);
	struct str rest = buf_str(&text);
	int32_t pid;
	/* 0 stands for one of another pid namespace. */
	for (struct str word; (word = str_take_word(&rest)).n;)
		if (str_to_i32(word, &pid) && pid > 0)
			vec_push(pids, pid);
}

void cgroup_processes(const char *folder, struct pid_list *pids)
{
	add_processes(pids, folder);
	cgroup_walk(folder, add_processes, pids);
	pid_list_sort(pids);
}

/* --- containers --- */

static const char *runtime_of(struct str prefix, struct str parents)
{
	static const struct {
		struct str prefix;
		const char *runtime;
	} known[] = {
		{ STR("docker"), "docker" },	  { STR("libpod"), "podman" },
		{ STR("crio"), "cri-o" },	  { STR("cri-containerd"), "containerd" },
		{ STR("nerdctl"), "containerd" }, { STR("crun"), "crun" },
		{ STR("runc"), "runc" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (str_eq(prefix, known[i].prefix))
			return known[i].runtime;
	if (str_ends(parents, STR("/docker")))
		return "docker";
	return str_find(parents, STR("kubepods")) >= 0 ? "kubernetes" : "container";
}

/* `docker-ID.scope`, `libpod-ID`, `ID`, `cri-containerd:ID`; parents: the path before it. */
static bool is_container(struct str part, struct str parents, struct cgroup_container *c)
{
	if (str_ends(part, STR(".scope")))
		part.n -= sizeof(".scope") - 1;
	if (part.n < CONTAINER_DIGITS)
		return false;
	struct str prefix = str_first(part, part.n - CONTAINER_DIGITS);
	c->id = str_from_byte(part, prefix.n);
	for (size_t i = 0; i < c->id.n; i++)
		if (!is_hex(c->id.p[i]))
			return false;
	if (prefix.n && prefix.p[prefix.n - 1] != '-' && prefix.p[prefix.n - 1] != ':')
		return false;
	prefix.n -= prefix.n > 0;
	/* conmon watches a container from outside. */
	if (str_ends(prefix, STR("conmon")))
		return false;
	c->runtime = runtime_of(prefix, parents);
	return true;
}

bool cgroup_container_of(struct str path, struct cgroup_container *c)
{
	for (size_t end = path.n; end > 0;) {
		struct str upto = str_first(path, end);
		ptrdiff_t slash = str_find_last_char(upto, '/');
		struct str parents = str_first(path, slash < 0 ? 0 : (size_t)slash);
		c->cgroup = upto;
		if (is_container(str_basename(upto), parents, c))
			return true;
		end = parents.n;
	}
	return false;
}

bool cgroup_container_in_text(struct str text, struct cgroup_container *c)
{
	for (struct str line; str_take_line(&text, &line);) {
		ptrdiff_t slash = str_find_char(line, '/');
		if (slash >= 0 && cgroup_container_of(str_from_byte(line, (size_t)slash), c))
			return true;
	}
	return false;
}
