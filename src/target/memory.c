#include "target/memory.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* More than any object that is looked at. */
#define MAX_READ_BYTES ((size_t)64 << 20)

bool memory_read(struct memory *m, uint64_t address, void *to, size_t n)
{
	enum { PAGE_BYTES = 4096 };
	m->reads++;
	m->cost += 1 + n / PAGE_BYTES;
	bool ok = n <= MAX_READ_BYTES && address + n >= address &&
		  (!m->limit || m->cost <= m->limit) && m->read(m, address, to, n);
	m->failed += !ok;
	return ok;
}

size_t memory_read_some(struct memory *m, uint64_t address, void *to, size_t n)
{
	enum { PAGE_BYTES = 4096 };
	size_t done = 0;
	if (memory_read(m, address, to, n))
		return n;
	while (done < n) {
		size_t step = PAGE_BYTES - (address + done) % PAGE_BYTES;
		if (step > n - done)
			step = n - done;
		if (!memory_read(m, address + done, (char *)to + done, step))
			break;
		done += step;
	}
	return done;
}

static bool read_process(struct memory *memory, uint64_t address, void *to, size_t n)
{
	struct process_memory *m = (struct process_memory *)memory;
	struct iovec local = { to, n }, remote = { (void *)(uintptr_t)address, n };
	ssize_t done = process_vm_readv(m->pid, &local, 1, &remote, 1, 0);
	if (done < 0)
		m->error = errno;
	return done == (ssize_t)n;
}

void process_memory_init(struct process_memory *m, int32_t pid)
{
	*m = (struct process_memory){ .memory.read = read_process, .pid = pid };
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
