/* Records other than samples: what processes do, and what the kernel lost. */
#include "perf/perf_int.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

static bool starts_with_any(struct str path, const struct str *prefixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_starts(path, prefixes[i]))
			return true;
	return false;
}

/* Anonymous memory: if it has code, it is a JIT compiler's. */
static bool is_anonymous(struct str path)
{
	static const struct str names[] = { STR("//anon"), STR("/dev/zero"), STR("/anon_hugepage"),
					    STR("[anon") };
	return starts_with_any(path, names, ARRAY_SIZE(names));
}

static enum mapped_kind kind_of_path(struct str path)
{
	static const struct str memory[] = { STR("[heap]"), STR("[stack"), STR("/SYSV"),
					     STR("/memfd:"), STR("anon_inode:") };
	if (str_eq(path, STR("[vdso]")) || str_eq(path, STR("[vdso32]")))
		return MAPPED_VDSO;
	if (is_anonymous(path) || starts_with_any(path, memory, ARRAY_SIZE(memory)))
		return MAPPED_JIT;
	if (jitdump_has_name(path))
		return MAPPED_JITDUMP;
	return MAPPED_FILE;
}

/* `[kernel.kallsyms]_text`, with the address of _text in place of a file offset. */
static void map_kernel(struct perf_session *s, struct str path, uint64_t start, uint64_t n,
		       uint64_t text_address)
{
	struct str prefix = STR("[kernel.kallsyms]");
	if (str_starts(path, prefix)) {
		s->kernel.text_symbol = arena_copy(&s->text, str_from_byte(path, prefix.n));
		s->kernel.text_address = text_address;
	} else if (n) {
		vec_push(&s->kernel_modules,
			 (struct kernel_module){ start, start + n, arena_copy(&s->text, path) });
	}
}

/* Reads it, unless it is unchanged since it was last read. */
static void read_jitdump(struct perf_session *s, struct mapped *m, struct reader *r)
{
	struct err e = { 0 };
	struct budgets *budgets = s->options.names.budgets;
	uint64_t bytes = reader_file_bytes(r), changed_ns = reader_changed_unix_ns(r);
	if (m->jitdump && bytes == m->jitdump_bytes && changed_ns == m->jitdump_changed_ns)
		return;
	/* The old contents are freed only if there are better ones, but are not charged twice. */
	struct budget budget = budget_of_owner(reader_owner(r));
	mapped_forget_jit_tables(m);
	budget_end(&m->jitdump_budget);
	budgets_join(budgets, &budget, m->pid, reader_owner(r));
	reader_spend(r, &budget);
	struct jitdump *read = jitdump_read(r, &budget, &e);
	budgets_note(budgets, m->path, &budget);
	m->jitdump_budget = budget;
	m->jitdump_bytes = bytes;
	m->jitdump_changed_ns = changed_ns;
	if (!read || (m->jitdump && jitdump_count(read) < jitdump_count(m->jitdump))) {
		jitdump_free(read);
		return;
	}
	jitdump_free(m->jitdump);
	m->jitdump = read;
}

static void open_jitdump(struct perf_session *s, int32_t pid, mapped_id id)
{
	struct err e = { 0 };
	struct mapped *m = &s->mapped.list.p[id];
	perf_process_get(&s->processes, pid)->jitdump = id;
	struct recorded_process process = perf_session_process(s, pid);
	struct processes *p = s->options.names.processes;
	AUTO_FREE char *path = mem_strdup(m->path.p); /* strings in the arena end in NUL */
	struct reader *r = p && p->ops->open_path
				   ? p->ops->open_path(p, pid, path, &e)
				   : process_file_open(&s->options.names, process, path, &e);
	if (!r)
		return;
	read_jitdump(s, m, r);
	reader_free(r);
}

/* Any process can map one again and again: it is read when it appears, and when all of them are. */
static void see_jitdump(struct perf_session *s, int32_t pid, mapped_id id)
{
	perf_process_get(&s->processes, pid)->jitdump = id;
	if (!s->mapped.list.p[id].jitdump)
		open_jitdump(s, pid, id);
}

void perf_session_read_jitdumps(struct perf_session *s)
{
	for (mapped_id i = 0; i < s->mapped.list.n; i++) {
		const struct mapped *m = &s->mapped.list.p[i];
		if (m->kind == MAPPED_JITDUMP)
			open_jitdump(s, m->pid, i);
	}
}

/*
 * JIT compilers keep code in such files, and programs are started from them (man 2 memfd_create). A
 * recorder holds them while the process lives: ELF files are programs.
 */
static bool is_program_in_memory(const struct perf_session *s, int32_t pid, const struct mapped *m)
{
	struct binary_id id = { .path = m->path,
				.has_inode = m->has_inode,
				.device_major = m->device_major,
				.device_minor = m->device_minor,
				.inode = m->inode };
	char head[SELFMAG] = "";
	if (!m->has_inode || !str_starts(m->path, STR("/memfd:")))
		return false;
	int fd = processes_open_mapped(s->options.names.processes, pid, &id);
	if (fd < 0)
		return false;
	ssize_t n = pread(fd, head, sizeof(head), 0);
	close(fd);
	return n == sizeof(head) && memcmp(head, ELFMAG, SELFMAG) == 0;
}

/* Returns false if there are too many mappings. */
static bool map_user(struct perf_session *s, int32_t pid, const struct mapping_row *place,
		     const struct mapped *what)
{
	struct mapped m = *what;
	struct mapping_row row = *place;
	m.kind = is_program_in_memory(s, pid, &m) ? MAPPED_FILE : kind_of_path(m.path);
	m.pid = pid;
	if (m.kind == MAPPED_JIT) {
		if (is_anonymous(m.path) && row.is_code)
			m.path = STR("");
		m.inode = 0;
		m.has_inode = false;
		row.file_offset = row.start; /* addresses are used unchanged */
	}
	if (!m.build_id.n)
		m.build_id = perf_session_build_id(s, m.path);
	if (str_ends(m.path, STR(" (deleted)")))
		m.path.n -= strlen(" (deleted)");
	if (m.kind == MAPPED_FILE && row.is_code)
		m.run_path = perf_run_path(s, pid, m.path);
	row.mapped = mapped_table_get(&s->mapped, &m);
	if (m.kind == MAPPED_JITDUMP)
		see_jitdump(s, pid, row.mapped); /* mapped only as a marker: it contains no code */
	else
		return perf_process_map(&s->processes, pid, &row);
	return true;
}

static void note_too_many(struct perf_session *s, const struct perf_record *r)
{
	perf_session_bad_record(s, r->offset, "implausibly many mappings");
}

static bool on_mmap(struct perf_session *s, const struct perf_record *r)
{
	struct perf_mapping map;
	if (!perf_mapping_read(&s->events, r, &map))
		return false;
	const struct process_mapping *at = &map.mapping;
	struct mapped m = { .path = at->path,
			    .build_id = map.build_id,
			    .device_major = at->device_major,
			    .device_minor = at->device_minor,
			    .inode = at->inode,
			    .has_inode = at->inode != 0 };
	struct mapping_row row = { at->start, at->end, at->offset, 0,
				   (at->protection & PROT_EXEC) != 0 };
	unsigned mode = r->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	bool is_taken = true;
	if (mode == PERF_RECORD_MISC_KERNEL)
		map_kernel(s, at->path, at->start, at->end - at->start, at->offset);
	else if (mode != PERF_RECORD_MISC_GUEST_KERNEL && mode != PERF_RECORD_MISC_GUEST_USER)
		is_taken = map_user(s, map.pid, &row, &m);
	if (!is_taken)
		note_too_many(s, r);
	return true;
}

/* --- marks: what happened beside the samples --- */

static void add_mark(struct perf_session *s, const struct perf_record *r, const char *kind,
		     struct str text)
{
	enum { MOST_MARKS = 1 << 16 }; /* a build starts thousands of programs */
	uint64_t time_ns = perf_record_ids(&s->events, r).time_ns;
	if (!(s->p->columns & COLUMN_TIME) || !time_ns || time_ns == UINT64_MAX ||
	    s->p->marks.n >= MOST_MARKS)
		return;
	profile_add_mark(s->p, (struct mark){ .time_ns = time_ns,
					      .kind = profile_add_str(s->p, str_from(kind)),
					      .text = profile_add_str(s->p, text) });
}

/* `make (pid 4711)` */
static void add_process_mark(struct perf_session *s, const struct perf_record *r, const char *kind,
			     str_id comm, int32_t pid)
{
	AUTO(buf) struct buf text = { 0 };
	buf_add(&text, profile_str(s->p, comm));
	buf_addf(&text, "%s(pid %d)", text.n ? " " : "", pid);
	add_mark(s, r, kind, buf_str(&text));
}

static void add_lost_mark(struct perf_session *s, const struct perf_record *r, uint64_t lost)
{
	AUTO(buf) struct buf text = { 0 };
	buf_add_counted(&text, lost, "sample", "samples");
	add_mark(s, r, "lost", buf_str(&text));
}

/* A newline in a name would break line-based output. */
static str_id add_comm(struct perf_session *s, struct str comm)
{
	AUTO(buf) struct buf text = { 0 };
	buf_add(&text, comm);
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\n' || text.p[i] == '\r')
			text.p[i] = ' ';
	return profile_add_str(s->p, buf_str(&text));
}

static bool on_comm(struct perf_session *s, const struct perf_record *r)
{
	struct perf_comm comm;
	if (!perf_comm_read(&s->events, r, &comm))
		return false;
	if (comm.is_exec)
		perf_process_exec(&s->processes, comm.pid);
	struct perf_thread *t = perf_thread_get(&s->processes, comm.pid, comm.tid);
	t->pid = comm.pid;
	t->comm = add_comm(s, comm.name);
	t->row = THREAD_NONE;
	if (comm.is_exec)
		add_process_mark(s, r, "start", t->comm, comm.pid);
	return true;
}

static bool on_fork(struct perf_session *s, const struct perf_record *r)
{
	struct perf_task task;
	if (!perf_task_read(&s->events, r, &task))
		return false;
	/* Created by perf for a process that was already running: its mappings have their own records. */
	enum { MISC_FORK_EXEC = 1 << 13 };
	if (!(r->misc & MISC_FORK_EXEC))
		perf_process_fork(&s->processes, task.pid, task.parent);
	str_id comm = perf_thread_get(&s->processes, task.parent, task.parent_tid)->comm;
	struct perf_thread *t = perf_thread_get(&s->processes, task.pid, task.tid);
	t->pid = task.pid;
	t->comm = comm;
	t->row = THREAD_NONE;
	t->has_ended = false;
	return true;
}

static bool on_end(struct perf_session *s, const struct perf_record *r)
{
	struct perf_task task;
	if (!perf_task_read(&s->events, r, &task))
		return false;
	struct perf_thread *t = perf_thread_get(&s->processes, task.pid, task.tid);
	s->processes.ended += !t->has_ended;
	if (task.pid == task.tid)
		add_process_mark(s, r, "exit", t->comm, task.pid);
	t->has_ended = true;
	t->is_past = false;
	return true;
}

static bool on_lost(struct perf_session *s, const struct perf_record *r)
{
	enum { MISC_DROPPED_BY_FILTER = 1 << 15 };
	uint64_t lost;
	if (!perf_lost_read(&s->events, r, &lost))
		return false;
	bool is_dropped = r->type != PERF_RECORD_LOST && r->misc & MISC_DROPPED_BY_FILTER;
	if (r->type == PERF_RECORD_LOST)
		s->lost.in_rings += lost;
	else if (!is_dropped)
		s->lost.by_events += lost;
	if (lost && !is_dropped)
		add_lost_mark(s, r, lost);
	return true;
}

static bool cgroup_equal(const void *list, uint32_t i, const void *key)
{
	return ((const struct cgroup *)list)[i].id == *(const uint64_t *)key;
}

struct cgroup *perf_cgroup_find(const struct perf_session *s, uint64_t id)
{
	uint32_t i = index_map_find(&s->cgroups.map, hash_pair((uint32_t)(id >> 32), (uint32_t)id),
				    cgroup_equal, s->cgroups.list.p, &id);
	return i == INDEX_NONE ? NULL : &s->cgroups.list.p[i];
}

static bool on_cgroup(struct perf_session *s, const struct perf_record *r)
{
	struct cursor c = perf_record_body(&s->events, r);
	uint64_t id = cursor_u64(&c);
	if (c.is_short)
		return false;
	str_id path = profile_add_str(s->p, cursor_text(&c));
	struct cgroup *known = perf_cgroup_find(s, id);
	if (known) {
		known->path = path; /* a reused id */
		return true;
	}
	index_map_add(&s->cgroups.map, hash_pair((uint32_t)(id >> 32), (uint32_t)id),
		      s->cgroups.list.n);
	vec_push(&s->cgroups.list, (struct cgroup){ id, path });
	return true;
}

/* Kernel code generated at run time: BPF programs, trampolines. */
static bool on_ksymbol(struct perf_session *s, const struct perf_record *r)
{
	struct cursor c = perf_record_body(&s->events, r);
	uint64_t start = cursor_u64(&c);
	uint32_t n = cursor_u32(&c);
	cursor_u16(&c); /* type */
	uint16_t flags = cursor_u16(&c);
	struct mapped m = { .kind = MAPPED_KERNEL_CODE, .path = cursor_text(&c) };
	if (c.is_short)
		return false;
	struct mapping_row row = { start, start + n < start ? UINT64_MAX : start + n, start,
				   mapped_table_get(&s->mapped, &m), true };
	if (flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)
		row.mapped = s->kernel_id;
	if (!perf_kernel_map(&s->processes, &row))
		note_too_many(s, r);
	return true;
}

static bool on_throttle(struct perf_session *s, const struct perf_record *r)
{
	(void)r;
	s->p->ledger.count[LEDGER_THROTTLED]++;
	return true;
}

static bool on_aux(struct perf_session *s, const struct perf_record *r)
{
	(void)r;
	s->aux_records++;
	return true;
}

static bool on_ignored(struct perf_session *s, const struct perf_record *r)
{
	(void)s;
	(void)r;
	return true;
}

typedef bool record_handler(struct perf_session *s, const struct perf_record *r);

static record_handler *const handlers[] = {
	[PERF_RECORD_MMAP] = on_mmap,
	[PERF_RECORD_MMAP2] = on_mmap,
	[PERF_RECORD_COMM] = on_comm,
	[PERF_RECORD_FORK] = on_fork,
	[PERF_RECORD_EXIT] = on_end,
	[PERF_RECORD_LOST] = on_lost,
	[PERF_RECORD_LOST_SAMPLES] = on_lost,
	[PERF_RECORD_THROTTLE] = on_throttle,
	[PERF_RECORD_UNTHROTTLE] = on_ignored,
	[PERF_RECORD_READ] = on_ignored,
	[PERF_RECORD_AUX] = on_aux,
	[PERF_RECORD_ITRACE_START] = on_ignored,
	[PERF_RECORD_SWITCH] = on_ignored,
	[PERF_RECORD_SWITCH_CPU_WIDE] = on_ignored,
	[PERF_RECORD_NAMESPACES] = on_ignored,
	[PERF_RECORD_KSYMBOL] = on_ksymbol,
	[PERF_RECORD_BPF_EVENT] = on_ignored,
	[PERF_RECORD_CGROUP] = on_cgroup,
	[PERF_RECORD_TEXT_POKE] = on_ignored, /* changes instructions, not names */
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = on_aux,
};

void perf_session_other(struct perf_session *s, const struct perf_record *r)
{
	if (r->type >= ARRAY_SIZE(handlers) || !handlers[r->type])
		s->p->ledger.count[LEDGER_OTHER_RECORDS]++;
	else if (!handlers[r->type](s, r))
		perf_session_bad_record(s, r->offset, "a record of type %u is too short: %u bytes",
					r->type, r->size);
}
