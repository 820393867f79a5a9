/* What /proc and a process's files tell about it. */
#include "target/facts.h"
#include "target/container.h"
#include "target/facts_int.h"
#include "target/jvm.h"

#include <errno.h>
#include <pwd.h>
#include <unistd.h>

/* --- who it is --- */

/* From the file itself: a name service would be asked over the network, and by no static program. */
static char *user_name(uint32_t uid)
{
	char *name = NULL;
	FILE *users = fopen("/etc/passwd", "re");
	struct passwd *user;
	while (users && !name && (user = fgetpwent(users)))
		if (user->pw_uid == uid)
			name = mem_strdup(user->pw_name);
	if (users)
		fclose(users);
	return name;
}

static bool has_own(int32_t pid, const char *kind)
{
	return process_namespaces_differ(process_namespace_of("", pid, kind),
					 process_namespace_of("", getpid(), kind));
}

static void read_namespaces(struct process_facts *f)
{
	f->has_own_pids = has_own(f->pid, "pid");
	f->has_own_mounts = has_own(f->pid, "mnt");
	f->has_own_users = has_own(f->pid, "user");
	container_of_process(f->pid, &f->container);
}

static bool read_identity(struct process_facts *f, struct process *p, struct err *e)
{
	AUTO(buf) struct buf program = { 0 };
	struct process_status status;
	if (!p->ops->status(p, &status) || status.is_zombie || status.is_kernel_thread)
		return err_set(e, "no such process: %d", f->pid);
	f->name = mem_strdup(status.comm);
	f->inner_pid = status.inner_pid;
	f->uid = status.user;
	f->user = user_name(f->uid);
	f->threads = status.threads;
	f->is_stopped = status.state == 'T' || status.state == 't';
	int fd = p->ops->open_program(p, &program);
	if (fd >= 0)
		close(fd);
	if (program.n)
		f->program = mem_strdup(buf_c_string(&program));
	return true;
}

/* --- all of it --- */

bool process_facts_read(int32_t pid, const struct symbol_options *options, struct process_facts *f,
			struct err *e)
{
	struct err ignored = { 0 };
	struct living_process living;
	living_process_init(&living, pid);
	*f = (struct process_facts){ .pid = pid, .map.fd = -1 };
	if (!read_identity(f, &living.process, e))
		return false;
	read_namespaces(f);
	f->is_visible = facts_read_mapped(f, &living.process, options, &ignored);
	runtime_of_process(&living.process, &f->runtime);
	f->may_be_asked =
		f->runtime.kind == RUNTIME_JVM && !f->runtime.has_no_attach && jvm_is_one(pid);
	facts_find_map(f, &living.process);
	return true;
}

void process_facts_fini(struct process_facts *f)
{
	free(f->name);
	free(f->program);
	free(f->user);
	free(f->jitdump);
	free(f->map.path);
	if (f->map.fd >= 0)
		close(f->map.fd);
	buf_fini(&f->container);
	runtime_fini(&f->runtime);
	for (uint32_t i = 0; i < f->mapped.n; i++) {
		free(f->mapped.p[i].path);
		buf_fini(&f->mapped.p[i].why);
		buf_fini(&f->mapped.p[i].fix);
	}
	vec_fini(&f->mapped);
}
