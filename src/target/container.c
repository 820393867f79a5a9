/* All containers. */
#include "target/cgroup_int.h"
#include "target/container_int.h"

enum { MAX_CONTAINERS = 4096, MAX_CGROUP_BYTES = 64 << 10 };

void containers_fini(struct containers *all)
{
	for (uint32_t i = 0; i < all->list.n; i++) {
		struct container *c = &all->list.p[i];
		free(c->id);
		free(c->name);
		free(c->pod);
		free(c->runtime);
		free(c->cgroup);
	}
	vec_fini(&all->list);
}

struct container *containers_get(const struct containers *all, struct str id)
{
	for (uint32_t i = 0; i < all->list.n; i++)
		if (str_eq(str_from(all->list.p[i].id), id))
			return &all->list.p[i];
	return NULL;
}

static char *copy_of(struct str text)
{
	AUTO(buf) struct buf copy = { 0 };
	buf_add(&copy, text);
	return mem_strdup(buf_c_string(&copy));
}

struct container *containers_add(struct containers *all, struct str id)
{
	struct container *c = containers_get(all, id);
	if (c || all->list.n >= MAX_CONTAINERS)
		return c;
	vec_push(&all->list, (struct container){ .id = copy_of(id) });
	return &all->list.p[all->list.n - 1];
}

/* --- by cgroups --- */

static void look_at_process(const char *root, int32_t pid, struct containers *found)
{
	AUTO(buf) struct buf text = { 0 };
	struct cgroup_container in;
	struct process_status status;
	if (!process_file_read(root, pid, "cgroup", MAX_CGROUP_BYTES, &text) ||
	    !cgroup_container_in_text(buf_str(&text), &in))
		return;
	struct container *c = containers_get(found, in.id);
	if ((c && c->pid) || !process_status_read(root, pid, &status) || status.is_zombie)
		return;
	c = containers_add(found, in.id);
	if (!c)
		return;
	c->pid = pid;
	if (!c->runtime)
		c->runtime = mem_strdup(in.runtime);
}

/* Its first process may be in a cgroup below the container's own, which has its id in its name. */
static void set_cgroup(const char *root, const char *controller, struct container *c)
{
	struct cgroup_container in;
	c->cgroup = c->pid ? cgroup_of_process(root, c->pid, controller) : NULL;
	if (c->cgroup && cgroup_container_of(str_from(c->cgroup), &in) &&
	    str_eq(in.id, str_from(c->id)))
		c->cgroup[in.cgroup.n] = 0;
}

void containers_find(const char *root, struct containers *out)
{
	struct container_hunt h = { .root = root ? root : "", .found = out };
	struct cgroup_hierarchy hierarchy;
	struct pid_list pids = { 0 };
	*out = (struct containers){ 0 };
	h.own_mounts = process_namespace_of(h.root, 0, "mnt");
	h.own_users = process_namespace_of(h.root, 0, "user");
	container_files_read(&h);
	process_list(h.root, &pids);
	for (uint32_t i = 0; i < pids.n; i++)
		look_at_process(h.root, pids.p[i], out);
	vec_fini(&pids);
	bool has_cgroups = cgroup_hierarchy_of_perf(h.root, &hierarchy);
	for (uint32_t i = 0; has_cgroups && i < out->list.n; i++)
		set_cgroup(h.root, hierarchy.controller, &out->list.p[i]);
	cgroup_hierarchy_fini(&hierarchy);
}
