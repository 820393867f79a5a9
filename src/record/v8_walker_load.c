/* Loads the program into the kernel, or explains why that failed. Nothing else uses libbpf. */
#include "record/v8_walker_int.h"

#include "record/permission.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static const struct loaded_program nothing_loaded = { false, -1, -1, -1, -1, -1, -1 };

void v8_walker_unload(struct loaded_program *l)
{
	const int fds[] = { l->program, l->processes, l->outputs, l->lost, l->thinning, l->others };
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

#ifdef PLUME_BPF
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* errno comes from the kernel; the settings tell the reason. */
static bool explain(int error, struct err *e)
{
	struct permission p;
	struct utsname here = { 0 };
	permission_find(&p);
	uname(&here);
	if (!p.has_bpf_syscall)
		return err_set(e, p.is_filtered ? "a seccomp filter forbids BPF"
						: "this kernel has no BPF");
	if (p.is_in_user_namespace)
		return err_set(e, "BPF programs cannot be loaded from a user namespace");
	if (!p.has_bpf || !p.has_perfmon)
		return err_set(e,
			       "this user is not allowed to load BPF programs; " PERMISSION_ADVICE);
	if (!p.has_btf)
		return err_set(e, "Linux %s has no BTF, which the BPF program needs", here.release);
	return err_set(e, "Linux %s rejected the BPF program, which needs 5.15 or later: %s",
		       here.release, strerror(error));
}

/* The kernel uses the machine's pids, which a recorder in a container does not know. */
static void set_namespace(struct bpf_object *o)
{
	/* The initial namespace has a fixed inode number (include/linux/proc_ns.h). */
	const uint64_t machine_inode = 0xeffffffcu;
	struct stat st;
	struct bpf_map *constants = bpf_object__find_map_by_name(o, ".rodata");
	if (!constants || stat("/proc/self/ns/pid", &st) != 0 || st.st_ino == machine_inode)
		return;
	struct walker_namespace recorder = { st.st_dev, st.st_ino };
	bpf_map__set_initial_value(constants, &recorder, sizeof(recorder));
}

static int keep_map(const struct bpf_object *o, const char *name)
{
	int fd = bpf_object__find_map_fd_by_name(o, name);
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static void keep(struct bpf_object *o, struct loaded_program *l)
{
	struct bpf_program *p = bpf_object__next_program(o, NULL);
	l->program = p ? fcntl(bpf_program__fd(p), F_DUPFD_CLOEXEC, 0) : -1;
	l->processes = keep_map(o, "processes");
	l->outputs = keep_map(o, "outputs");
	l->lost = keep_map(o, "lost");
	l->thinning = keep_map(o, "thinning");
	l->others = keep_map(o, "others");
}

bool v8_walker_load(struct loaded_program *l, struct err *e)
{
	*l = nothing_loaded;
	libbpf_set_print(NULL); /* only commands print */
	struct bpf_object *o = bpf_object__open_mem(v8_walker_object.p, v8_walker_object.n, NULL);
	if (!o)
		return err_set(e, "the BPF program is invalid: %s", strerror(errno));
	set_namespace(o);
	struct bpf_map *scratches = bpf_object__find_map_by_name(o, "scratches");
	int cpus = libbpf_num_possible_cpus();
	if (scratches && cpus > 0)
		bpf_map__set_max_entries(scratches, (uint32_t)cpus);
	int error = -bpf_object__load(o);
	if (!error)
		keep(o, l);
	bpf_object__close(o);
	l->is_loaded = !error && l->program >= 0;
	return l->is_loaded || (error ? explain(error, e) : err_set(e, "too many open files"));
}

#else

bool v8_walker_load(struct loaded_program *l, struct err *e)
{
	*l = nothing_loaded;
	return err_set(
		e,
		"this plume was built without BPF; build it where clang and libbpf are installed");
}

#endif
