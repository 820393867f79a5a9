/* Processes by cgroup and by service. */
#include "target/cgroup_int.h"
#include "target/choice_int.h"
#include "target/near_int.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* --- by path --- */

static bool is_cgroup_folder(const char *path)
{
	struct statfs system;
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && statfs(path, &system) == 0 &&
	       (system.f_type == CGROUP2_SUPER_MAGIC || system.f_type == CGROUP_SUPER_MAGIC);
}

static bool is_on_same_mount(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev;
}

struct near_folders {
	struct near_names near;
	size_t mount_bytes;
};

static void add_near_folder(void *context, const char *path)
{
	struct near_folders *f = context;
	near_names_add(&f->near, str_from(path + f->mount_bytes));
}

static bool explain_no_cgroup(const struct cgroup_hierarchy *h, const char *path, struct err *e)
{
	struct near_folders f = { { .word = str_basename(str_from(path)) }, strlen(h->mount) };
	AUTO(buf) struct buf near = { 0 };
	cgroup_walk(h->mount, add_near_folder, &f);
	if (f.near.n)
		buf_add(&near, STR("; similar: "));
	near_names_write(&f.near, &near);
	near_names_fini(&f.near);
	return err_set(e, "--cgroup %s: no such cgroup in %s%s", path, h->mount,
		       buf_c_string(&near));
}

/* The folder with all of its processes; the folder itself only where perf events take it. */
static void take_folder(const struct cgroup_hierarchy *h, const char *folder,
			struct target_choice *choice)
{
	cgroup_processes(folder, &choice->pids);
	if (h->mount && is_on_same_mount(folder, h->mount))
		choice->cgroup = mem_strdup(folder);
}

static char *folder_of_path(const struct cgroup_hierarchy *h, const char *path)
{
	AUTO(buf) struct buf below = { 0 };
	if (path[0] == '/' && is_cgroup_folder(path))
		return mem_strdup(path);
	buf_addf(&below, "%s%s", path[0] == '/' ? "" : "/", path);
	char *folder = h->mount ? cgroup_folder(h, buf_c_string(&below)) : NULL;
	if (folder && is_cgroup_folder(folder))
		return folder;
	free(folder);
	return NULL;
}

bool choose_cgroup(const char *path, struct target_choice *choice, struct err *e)
{
	AUTO(cgroup_hierarchy) struct cgroup_hierarchy h;
	bool has_cgroups = cgroup_hierarchy_of_perf("", &h);
	AUTO_FREE char *folder = folder_of_path(&h, path);
	if (!folder && !has_cgroups)
		return err_set(
			e, "--cgroup %s: no cgroup hierarchy that perf supports is mounted here",
			path);
	if (!folder)
		return explain_no_cgroup(&h, path, e);
	struct str name = str_from(folder);
	while (name.n > 1 && name.p[name.n - 1] == '/')
		folder[--name.n] = 0;
	take_folder(&h, folder, choice);
	if (!choice->cgroup && !choice->pids.n)
		return err_set(
			e,
			"--cgroup %s: it has no processes, and perf can wait for one only below %s",
			path, has_cgroups ? h.mount : "a cgroup2 mount");
	if (has_cgroups && choice->cgroup)
		name = str_from_byte(name, strlen(h.mount));
	choice_name(choice, str_basename(name), "cgroup %.*s", name.n ? (int)name.n : 1,
		    name.n ? name.p : "/");
	return true;
}

/* --- by unit --- */

static struct str without_ending(struct str unit)
{
	return str_first(unit, unit.n - (str_ends(unit, STR(".service")) ? 8 : 0));
}

struct unit_hunt {
	struct str unit; /* `nginx.service` */
	struct text_list found;
	struct near_names near;
	uint32_t units; /* of any name */
};

static void look_at_folder(void *context, const char *path)
{
	struct unit_hunt *hunt = context;
	struct str name = str_basename(str_from(path));
	if (str_eq(name, hunt->unit))
		text_list_add(&hunt->found, str_from(path));
	if (!str_ends(name, STR(".service")))
		return;
	hunt->units++;
	near_names_add(&hunt->near, without_ending(name));
}

static void hunt_fini(struct unit_hunt *hunt)
{
	text_list_fini(&hunt->found);
	near_names_fini(&hunt->near);
}

/* In the hierarchy of perf events first; with version 1, units are in systemd's own. */
static void find_unit(const struct cgroup_hierarchy *of_perf, struct unit_hunt *hunt)
{
	static const char *const others[] = { "", "name=systemd" };
	if (of_perf->mount)
		cgroup_walk(of_perf->mount, look_at_folder, hunt);
	for (size_t i = 0; i < ARRAY_SIZE(others) && !hunt->found.n; i++) {
		AUTO(cgroup_hierarchy) struct cgroup_hierarchy h;
		if (cgroup_hierarchy_find("", others[i], &h) &&
		    !(of_perf->mount && strcmp(h.mount, of_perf->mount) == 0))
			cgroup_walk(h.mount, look_at_folder, hunt);
	}
}

static bool explain_no_unit(const struct unit_hunt *hunt, struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	if (!hunt->units)
		buf_add(&text, STR(" (this system does not run systemd)"));
	else if (hunt->near.n)
		buf_add(&text, STR("; similar: "));
	near_names_write(&hunt->near, &text);
	return err_set(e, "%.*s is not running%s", STR_ARG(hunt->unit), buf_c_string(&text));
}

static bool explain_several_units(const struct unit_hunt *hunt, struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	for (uint32_t i = 0; i < hunt->found.n && i < 4; i++)
		buf_addf(&text, "%s--cgroup %s", i ? ", " : "", hunt->found.p[i]);
	return err_set(e, "several cgroups are named %.*s; choose one: %s", STR_ARG(hunt->unit),
		       buf_c_string(&text));
}

static bool has_unit_ending(struct str unit)
{
	return str_ends(unit, STR(".service")) || str_ends(unit, STR(".scope")) ||
	       str_ends(unit, STR(".slice"));
}

bool choose_service(const char *unit, struct target_choice *choice, struct err *e)
{
	AUTO(cgroup_hierarchy) struct cgroup_hierarchy h;
	AUTO(buf) struct buf whole = { 0 };
	struct str name = without_ending(str_from(unit));
	buf_addf(&whole, "%s%s", unit, has_unit_ending(str_from(unit)) ? "" : ".service");
	AUTO(hunt) struct unit_hunt hunt = { .unit = buf_str(&whole), .near = { .word = name } };
	cgroup_hierarchy_of_perf("", &h);
	find_unit(&h, &hunt);
	if (!hunt.found.n)
		return explain_no_unit(&hunt, e);
	if (hunt.found.n > 1)
		return explain_several_units(&hunt, e);
	take_folder(&h, hunt.found.p[0], choice);
	if (!choice->pids.n)
		return err_set(e, "%s has no processes: it is not running", buf_c_string(&whole));
	choice_name(choice, name, "service %.*s", STR_ARG(name));
	return true;
}
