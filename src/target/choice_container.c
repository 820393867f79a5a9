/* The processes of a container. */
#include "target/cgroup_int.h"
#include "target/choice_int.h"
#include "target/container_int.h"

/* Whether nothing but the container is in there: one without cgroups is in that of whoever started it. */
static bool is_own_cgroup(const struct container *c, const char *folder)
{
	struct cgroup_container named;
	struct process_namespace ours = process_namespace_of("", 0, "pid");
	struct pid_list pids = { 0 };
	if (cgroup_container_of(str_from(c->cgroup), &named) && str_eq(named.id, str_from(c->id)))
		return true;
	cgroup_processes(folder, &pids);
	bool is_own = pids.n && strcmp(c->cgroup, "/") != 0;
	for (uint32_t i = 0; i < pids.n && is_own; i++)
		is_own =
			process_namespaces_differ(process_namespace_of("", pids.p[i], "pid"), ours);
	vec_fini(&pids);
	return is_own;
}

static void add_by_namespace(int32_t first, struct pid_list *to)
{
	const char *kind = "pid";
	struct process_namespace its = process_namespace_of("", first, kind);
	struct pid_list pids = { 0 };
	if (process_namespaces_equal(its, process_namespace_of("", 0, kind))) {
		kind = "mnt"; /* as with --pid=host */
		its = process_namespace_of("", first, kind);
	}
	process_list("", &pids);
	for (uint32_t i = 0; i < pids.n; i++)
		if (pids.p[i] == first ||
		    process_namespaces_equal(its, process_namespace_of("", pids.p[i], kind)))
			vec_push(to, pids.p[i]);
	vec_fini(&pids);
}

bool choose_container(const char *wish, struct target_choice *choice, struct err *e)
{
	AUTO(containers) struct containers all = { 0 };
	AUTO(cgroup_hierarchy) struct cgroup_hierarchy h;
	AUTO(buf) struct buf title = { 0 };
	containers_find(NULL, &all);
	bool has_cgroups = cgroup_hierarchy_of_perf("", &h);
	const struct container *c = containers_pick(&all, wish, e);
	if (!c)
		return false;
	AUTO_FREE char *folder = has_cgroups && c->cgroup ? cgroup_folder(&h, c->cgroup) : NULL;
	if (folder && is_own_cgroup(c, folder)) {
		choice->cgroup = mem_strdup(folder);
		cgroup_processes(folder, &choice->pids);
	} else {
		add_by_namespace(c->pid, &choice->pids);
	}
	container_title(c, &title);
	choice_name(choice, buf_str(&title), "container %s", buf_c_string(&title));
	return true;
}
