/* Which container a process is in. */
#include "target/cgroup_int.h"
#include "target/container_int.h"

enum { MAX_CGROUP_BYTES = 64 << 10, MAX_TRIES = 4096, SHORT_ID_DIGITS = 12 };

void container_names_fini(struct container_names *names)
{
	containers_fini(&names->known);
	text_list_fini(&names->tried);
}

/* Looks for all containers, once for each key. */
static bool find_because_of(struct container_names *names, struct str key)
{
	for (uint32_t i = 0; i < names->tried.n; i++)
		if (str_eq(str_from(names->tried.p[i]), key))
			return false;
	if (names->tried.n >= MAX_TRIES)
		return false;
	text_list_add(&names->tried, key);
	containers_fini(&names->known);
	containers_find(NULL, &names->known);
	return true;
}

static const struct container *with_namespace(const struct containers *known,
					      struct process_namespace its)
{
	for (uint32_t i = 0; i < known->list.n; i++) {
		const struct container *c = &known->list.p[i];
		if (c->pid &&
		    process_namespaces_equal(its, process_namespace_of("", c->pid, "pid")))
			return c;
	}
	return NULL;
}

/* Without a cgroup of its own a container still has a pid namespace of its own. */
static const struct container *find_by_namespace(struct container_names *names, int32_t pid)
{
	struct process_namespace its = process_namespace_of("", pid, "pid");
	if (!process_namespaces_differ(its, process_namespace_of("", 0, "pid")))
		return NULL;
	const struct container *c = with_namespace(&names->known, its);
	if (!c && find_because_of(names, str_from(its.link)))
		c = with_namespace(&names->known, its);
	return c;
}

static const struct container *find_by_id(struct container_names *names, struct str id)
{
	const struct container *c = containers_get(&names->known, id);
	if (!c && find_because_of(names, id))
		c = containers_get(&names->known, id);
	return c;
}

void container_names_get(struct container_names *names, int32_t pid, struct buf *name)
{
	AUTO(buf) struct buf text = { 0 };
	struct cgroup_container in;
	name->n = 0;
	process_file_read("", pid, "cgroup", MAX_CGROUP_BYTES, &text);
	bool has_id = cgroup_container_in_text(buf_str(&text), &in);
	const struct container *c =
		has_id ? find_by_id(names, in.id) : find_by_namespace(names, pid);
	if (c)
		container_title(c, name);
	else if (has_id)
		buf_add(name, str_first(in.id, SHORT_ID_DIGITS));
}

void container_of_process(int32_t pid, struct buf *name)
{
	AUTO(container_names) struct container_names names = { 0 };
	container_names_get(&names, pid, name);
}
