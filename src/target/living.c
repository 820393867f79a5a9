#include "target/living.h"
#include "target/choice.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int32_t pid_of(const struct process *p)
{
	return ((const struct living_process *)p)->pid;
}

/* --- memory --- */

static bool read_memory(struct memory *m, uint64_t address, void *to, size_t n)
{
	const struct living_process *p =
		(const void *)((const char *)m - offsetof(struct living_process, memory));
	struct iovec local = { to, n }, remote = { (void *)(uintptr_t)address, n };
	ssize_t done = process_vm_readv(p->pid, &local, 1, &remote, 1, 0);
	if (done < 0)
		m->error = errno;
	return done == (ssize_t)n;
}

/* Yama (man 2 ptrace): from 1 on a user may not read even the memory of own processes. */
static bool is_scoped(void)
{
	return text_file_number("/proc/sys/kernel/yama/ptrace_scope", 0) != 0;
}

static bool has_ptrace(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };
	return syscall(SYS_capget, &header, data) == 0 && data[0].effective >> CAP_SYS_PTRACE & 1;
}

const char *process_memory_advice(void)
{
	if (geteuid() == 0 && has_ptrace())
		return "the kernel refuses it even to root: a security module, a seccomp filter or "
		       "a user namespace may forbid it (in a container: start it with --cap-add "
		       "SYS_PTRACE)";
	if (geteuid() == 0)
		return "give plume CAP_SYS_PTRACE (in a container: start it with --cap-add "
		       "SYS_PTRACE)";
	if (is_scoped())
		return "run plume with sudo, or allow it until the next boot: sudo sysctl "
		       "kernel.yama.ptrace_scope=0";
	return "run plume as that user, or with sudo";
}

/* --- what it is --- */

static bool visit_mappings(struct process *p, bool is_all, process_on_mapping *on, void *context,
			   struct err *e)
{
	return target_read_mappings(pid_of(p), is_all, on, context, e);
}

static bool visit_threads(struct process *p, process_on_thread *on, void *context)
{
	AUTO(buf) struct buf tids = { 0 };
	bool is_there = target_threads(pid_of(p), &tids);
	for (size_t at = 0; at + sizeof(int32_t) <= tids.n; at += sizeof(int32_t)) {
		struct process_thread t = { 0 };
		memcpy(&t.tid, tids.p + at, sizeof(t.tid));
		on(context, &t);
	}
	return is_there;
}

static bool read_status(struct process *p, struct process_status *s)
{
	return process_status_read("", pid_of(p), s);
}

static bool read_words(struct process *p, enum process_words which, struct buf *words)
{
	enum { MAX_BYTES = 4 << 20 };
	const char *file = which == PROCESS_COMMAND_LINE ? "cmdline" : "environ";
	return pid_of(p) > 0 && process_file_read("", pid_of(p), file, MAX_BYTES, words);
}

/* --- its files --- */

static int open_program(struct process *p, struct buf *path)
{
	enum { MOST = 4096 };
	char link[64];
	snprintf(link, sizeof(link), "/proc/%d/exe", pid_of(p));
	path->n = 0;
	ssize_t n = readlink(link, buf_reserve(path, MOST), MOST);
	if (n < 0)
		return -1;
	path->n = (size_t)n;
	return open_plain_file(NULL, link);
}

static int open_path(struct process *p, const char *path, struct err *e)
{
	AUTO(buf) struct buf root = { 0 }, shown = { 0 };
	if (!process_root_path(pid_of(p), &root)) {
		err_set(e, "%s: %s has exited", path, p->name);
		errno = ENOENT;
		return -1;
	}
	buf_addf(&shown, "%s%s", buf_c_string(&root), path);
	return process_plain_file(buf_c_string(&root), path, buf_c_string(&shown), OPEN_CHECKED, e);
}

/* The inode is that of the file system, but for overlayfs and btrfs, which have others for mappings. */
static int open_by_path(int32_t pid, const struct process_mapping *m)
{
	AUTO(buf) struct buf root = { 0 }, path = { 0 };
	struct stat status;
	buf_add(&path, process_plain_path(m->path));
	if (!process_root_path(pid, &root))
		return -1;
	int fd = open_plain_file(buf_c_string(&root), buf_c_string(&path));
	if (fd < 0 || (fstat(fd, &status) == 0 && status.st_ino == m->inode))
		return fd;
	close(fd);
	errno = ENOENT;
	return -1;
}

static int open_mapped(struct process *p, const struct process_mapping *m)
{
	int found = target_open_by_addresses(pid_of(p), m);
	if (found < 0)
		return open_by_path(pid_of(p), m);
	int fd = process_reopen(found);
	close(found);
	return fd;
}

void living_process_init(struct living_process *p, int32_t pid)
{
	static const struct process_ops ops = { visit_mappings, visit_threads,	      read_status,
						read_words,	open_program,	      open_mapped,
						open_path,	process_memory_advice };
	*p = (struct living_process){ .memory.read = read_memory, .pid = pid };
	p->process.ops = &ops;
	p->process.memory = &p->memory;
	snprintf(p->process.name, sizeof(p->process.name), "pid %d", pid);
}
