/* What /proc says of a process, and what its files say. */
#include "target/facts.h"
#include "target/container.h"
#include "target/facts_int.h"
#include "target/jvm.h"
#include "target/proc_int.h"

#include <errno.h>
#include <pwd.h>
#include <unistd.h>

enum { MAX_TEXT_BYTES = 64 << 10 };

/* --- who it is --- */

static char *text_copy(struct str s)
{
	char *copy = mem_alloc(s.n + 1, 1);
	if (s.n)
		memcpy(copy, s.p, s.n);
	copy[s.n] = 0;
	return copy;
}

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

static bool read_link(int32_t pid, const char *name, struct buf *target)
{
	enum { MOST = 4096 };
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	ssize_t n = readlink(path, buf_reserve(target, MOST), MOST);
	target->n = n > 0 ? (size_t)n : 0;
	return n > 0;
}

static bool has_own(int32_t pid, const char *namespace)
{
	AUTO(buf) struct buf its = { 0 }, ours = { 0 };
	return read_link(pid, namespace, &its) && read_link(getpid(), namespace, &ours) &&
	       !str_eq(buf_str(&its), buf_str(&ours));
}

static void read_namespaces(struct process_facts *f)
{
	f->inner_pid = process_inner_pid(f->pid);
	f->has_own_pids = has_own(f->pid, "ns/pid");
	f->has_own_mounts = has_own(f->pid, "ns/mnt");
	f->has_own_users = has_own(f->pid, "ns/user");
	container_of_process(f->pid, &f->container);
}

static bool read_identity(struct process_facts *f, struct err *e)
{
	AUTO(buf) struct buf text = { 0 }, program = { 0 };
	struct proc_status status;
	if (!proc_status_read(f->pid, &status) ||
	    !proc_text_read(f->pid, "status", MAX_TEXT_BYTES, &text))
		return err_set(e, "there is no process %d", f->pid);
	f->name = text_copy(proc_text_field(buf_str(&text), STR("Name")));
	if (status.state == 'Z' || status.state == 'X')
		return err_set(e, "process %d (%s) has ended, and its parent has not taken note",
			       f->pid, f->name);
	/* Threads of the kernel have no memory of their own. */
	if (!proc_text_field(buf_str(&text), STR("VmSize")).n)
		return err_set(e, "process %d (%s) is a thread of the kernel", f->pid, f->name);
	f->uid = status.uid;
	f->user = user_name(f->uid);
	f->threads = status.threads;
	f->is_stopped = status.state == 'T' || status.state == 't';
	if (read_link(f->pid, "exe", &program))
		f->program = text_copy(buf_str(&program));
	return true;
}

int process_seccomp(int32_t pid)
{
	AUTO(buf) struct buf text = { 0 };
	int32_t mode;
	if (!proc_text_read(pid, "status", MAX_TEXT_BYTES, &text) ||
	    !str_to_i32(proc_text_field(buf_str(&text), STR("Seccomp")), &mode))
		return -1;
	return mode;
}

/* --- all of it --- */

bool process_facts_read(int32_t pid, const struct symbol_options *options, struct process_facts *f,
			struct err *e)
{
	struct err ignored = { 0 };
	*f = (struct process_facts){ .pid = pid, .map.fd = -1 };
	if (!read_identity(f, e))
		return false;
	read_namespaces(f);
	f->is_visible = facts_read_mapped(f, options, &ignored);
	runtime_of_process(pid, &f->runtime);
	f->may_be_asked =
		f->runtime.kind == RUNTIME_JVM && !f->runtime.has_no_attach && jvm_is_one(pid);
	facts_find_map(f);
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
