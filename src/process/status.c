#include "process/status.h"

#include <unistd.h>

enum {
	MAX_STATUS_BYTES = 64 << 10,
	MAX_CMDLINE_BYTES = 1 << 20,
	KERNEL_THREAD_FLAG = 0x00200000, /* PF_KTHREAD of linux/sched.h */
};

static void name_file(const char *root, int32_t pid, const char *name, struct buf *path)
{
	if (pid)
		buf_addf(path, "%s/proc/%d/%s", root, pid, name);
	else
		buf_addf(path, "%s/proc/self/%s", root, name);
}

bool process_file_read(const char *root, int32_t pid, const char *name, size_t limit,
		       struct buf *text)
{
	AUTO(buf) struct buf path = { 0 };
	name_file(root, pid, name, &path);
	return text_file_read(buf_c_string(&path), limit, text) && text->n > 0;
}

struct process_namespace process_namespace_of(const char *root, int32_t pid, const char *kind)
{
	AUTO(buf) struct buf path = { 0 };
	struct process_namespace namespace = { 0 };
	buf_addf(&path, "ns/%s", kind);
	AUTO_FREE char *name = mem_strdup(buf_c_string(&path));
	path.n = 0;
	name_file(root, pid, name, &path);
	ssize_t n = readlink(buf_c_string(&path), namespace.link, sizeof(namespace.link) - 1);
	namespace.link[n > 0 ? n : 0] = 0;
	return namespace;
}

/* --- stat: words, of which the second is a name in brackets that may hold anything --- */

static bool take_stat(struct str stat, struct process_status *s)
{
	enum {
		STATE = 3,
		PARENT,
		FLAGS = 9,
		USER = 14,
		KERNEL,
		CHILDREN_USER,
		CHILDREN_KERNEL,
		THREADS = 20,
		START = 22,
		STACK_START = 28,
		GUEST = 43
	};
	ptrdiff_t open = str_find_char(stat, '('), close = str_find_last_char(stat, ')');
	if (open < 0 || close < open)
		return false;
	snprintf(s->comm, sizeof(s->comm), "%.*s", (int)(close - open - 1), stat.p + open + 1);
	struct str rest = str_from_byte(stat, (size_t)close + 1);
	struct str state = str_take_word(&rest);
	uint64_t value[GUEST + 1] = { 0 }, tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	for (int field = PARENT; field <= GUEST; field++)
		str_to_u64(str_take_word(&rest), &value[field]);
	s->parent = (int32_t)value[PARENT];
	s->start_ticks = value[START];
	s->stack_start = value[STACK_START];
	s->user_ns = value[USER] * tick_ns;
	s->kernel_ns = value[KERNEL] * tick_ns;
	s->children_ns = (value[CHILDREN_USER] + value[CHILDREN_KERNEL]) * tick_ns;
	s->guest_ns = value[GUEST] * tick_ns;
	s->state = state.n ? state.p[0] : 'X';
	s->threads = (uint32_t)value[THREADS];
	/* A first thread that has ended is a zombie until the last one has, too. */
	s->is_zombie = strchr("ZXx", s->state) && s->threads <= 1;
	s->is_kernel_thread = value[FLAGS] & KERNEL_THREAD_FLAG;
	return true;
}

bool process_stat_read(const char *root, int32_t pid, struct process_status *s)
{
	AUTO(buf) struct buf text = { 0 };
	*s = (struct process_status){
		.pid = pid, .tgid = pid, .user = UINT32_MAX, .group = UINT32_MAX
	};
	return process_file_read(root, pid, "stat", MAX_STATUS_BYTES, &text) &&
	       take_stat(buf_str(&text), s);
}

/* --- status: lines of a key and a value --- */

static struct str status_field(struct str status, struct str key)
{
	for (struct str line; str_take_line(&status, &line);)
		if (str_starts(line, key) && line.n > key.n && line.p[key.n] == ':')
			return str_trim(str_from_byte(line, key.n + 1));
	return STR("");
}

/* The second number: real, effective, saved, of the file system. A program that runs as root counts as root's. */
static uint32_t effective_id(struct str ids)
{
	uint64_t id;
	str_take_word(&ids);
	return str_to_u64(str_take_word(&ids), &id) ? (uint32_t)id : UINT32_MAX;
}

/* NSpid lists them from the outermost namespace on. */
static int32_t innermost_of(struct str pids)
{
	int32_t inner = 0;
	for (struct str word; (word = str_take_word(&pids)).n && str_to_i32(word, &inner);)
		;
	return inner;
}

static void take_status(struct str status, struct process_status *s)
{
	str_to_i32(status_field(status, STR("Tgid")), &s->tgid);
	s->inner_pid = innermost_of(status_field(status, STR("NSpid")));
	s->user = effective_id(status_field(status, STR("Uid")));
	s->group = effective_id(status_field(status, STR("Gid")));
	str_hex_to_u64(status_field(status, STR("SigCgt")), &s->caught_signals);
}

int32_t process_inner_pid(int32_t pid)
{
	AUTO(buf) struct buf text = { 0 };
	if (pid <= 0 || !process_file_read("", pid, "status", MAX_STATUS_BYTES, &text))
		return 0;
	return innermost_of(status_field(buf_str(&text), STR("NSpid")));
}

/* Node.js of 23 and later calls its first thread MainThread, and so the process. People know it as node. */
static void name_by_program(const char *root, struct process_status *s)
{
	AUTO(buf) struct buf words = { 0 };
	if (!process_file_read(root, s->pid, "cmdline", MAX_CMDLINE_BYTES, &words))
		return;
	struct str name = str_basename(str_from(buf_c_string(&words)));
	if (name.n)
		snprintf(s->comm, sizeof(s->comm), "%.*s", (int)name.n, name.p);
}

bool process_status_read(const char *root, int32_t pid, struct process_status *s)
{
	AUTO(buf) struct buf text = { 0 };
	if (!process_stat_read(root, pid, s))
		return false;
	if (process_file_read(root, pid, "status", MAX_STATUS_BYTES, &text))
		take_status(buf_str(&text), s);
	if (s->tgid == pid && str_ends(str_from(s->comm), STR("MainThread")))
		name_by_program(root, s);
	return true;
}
