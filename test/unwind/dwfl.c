#include "dwfl.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

static Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
	struct dwfl_process *d = context;
	(void)dwfl;
	if (*thread)
		return 0;
	*thread = context;
	return (pid_t)d->sample->tid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *context, void **thread)
{
	(void)dwfl;
	(void)tid;
	*thread = context;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *value, void *context)
{
	const struct unwind_memory *m = &((struct dwfl_process *)context)->sample->memory;
	uint64_t at = address - m->address;
	(void)dwfl;
	if (address < m->address || at > m->bytes.n || m->bytes.n - at < sizeof(*value))
		return false;
	memcpy(value, m->bytes.p + at, sizeof(*value));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct unwind_registers *r = &((struct dwfl_process *)context)->sample->registers;
	return dwfl_thread_state_registers(thread, 0, 17, (const Dwarf_Word *)r->value);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

const char *vdso_path(void)
{
	static char path[64];
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	if (path[0] || !vdso)
		return vdso ? path : NULL;
	int fd = memfd_create("vdso", 0);
	Elf64_Ehdr header;
	memcpy(&header, vdso, sizeof(header));
	size_t n = header.e_shoff + (size_t)header.e_shentsize * header.e_shnum;
	if (fd < 0 || write(fd, vdso, n) != (ssize_t)n)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

/* A file has several mappings, but is reported once. */
static void report_maps(struct dwfl_process *d, const struct recording *r, const struct process *p,
			bias_of *bias, void *context)
{
	uint32_t last_path = UINT32_MAX;
	uint64_t at, last = 0;
	for (uint32_t i = 0; i < p->maps.n; i++) {
		const struct map *map = &p->maps.p[i];
		const char *path = r->paths.p[map->path];
		if (!bias(context, map, &at) || (map->path == last_path && at == last))
			continue;
		if (strcmp(path, "[vdso]") == 0)
			path = vdso_path();
		dwfl_report_elf(d->dwfl, path, path, -1, at, false);
		last_path = map->path;
		last = at;
	}
}

bool dwfl_process_init(struct dwfl_process *d, const struct recording *r, const struct process *p,
		       bias_of *bias, void *context)
{
	*d = (struct dwfl_process){ .dwfl = dwfl_begin(&callbacks) };
	dwfl_report_begin(d->dwfl);
	report_maps(d, r, p, bias, context);
	return dwfl_report_end(d->dwfl, NULL, NULL) == 0;
}

void dwfl_process_fini(struct dwfl_process *d)
{
	if (d->dwfl)
		dwfl_end(d->dwfl);
}

struct chain {
	uint64_t *addresses;
	uint32_t n, max;
};

static int on_frame(Dwfl_Frame *frame, void *context)
{
	struct chain *chain = context;
	Dwarf_Addr pc;
	if (chain->n == chain->max || !dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	chain->addresses[chain->n++] = pc;
	return DWARF_CB_OK;
}

uint32_t dwfl_unwind(struct dwfl_process *d, const struct sample *s, uint64_t *addresses,
		     uint32_t max)
{
	struct chain chain = { addresses, 0, max };
	d->sample = s;
	if (dwfl_pid(d->dwfl) < 0)
		dwfl_attach_state(d->dwfl, NULL, (pid_t)s->tid, &thread_callbacks, d);
	dwfl_getthread_frames(d->dwfl, (pid_t)s->tid, on_frame, &chain);
	return chain.n;
}
