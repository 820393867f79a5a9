/* Processes and threads by number. */
#include "target/choice_int.h"
#include "target/container.h"
#include "target/pids_int.h"

#include <errno.h>
#include <signal.h>

/* --- why not --- */

/* What the first pid namespace of a machine is called (PROC_PID_INIT_INO of linux/proc_ns.h). */
static const struct process_namespace first_pid_namespace = { "pid:[4026531836]" };

enum { MAX_STATUS_BYTES = 64 << 10 };

/* `14467 (node in container web)`, at most three; false: there is none. */
static bool list_inner(int32_t number, struct buf *out)
{
	struct pid_list pids = { 0 };
	unsigned n = 0;
	process_list("", &pids);
	for (uint32_t i = 0; i < pids.n && n < 3; i++) {
		struct process_status status;
		AUTO(buf) struct buf container = { 0 };
		if (pids.p[i] == number || !process_status_read("", pids.p[i], &status) ||
		    status.inner_pid != number || status.is_zombie)
			continue;
		container_of_process(pids.p[i], &container);
		buf_addf(out, "%s%d (%s", n++ ? ", " : "", pids.p[i], status.comm);
		if (container.n)
			buf_addf(out, " in container %s", buf_c_string(&container));
		buf_add_char(out, ')');
	}
	vec_fini(&pids);
	return n;
}

static bool explain_missing(int32_t pid, bool is_thread, struct err *e)
{
	AUTO(buf) struct buf inner = { 0 };
	if (kill(pid, 0) != 0 && errno == EPERM)
		return err_set(e,
			       "pid %d belongs to another user, and /proc hides it (mounted with "
			       "hidepid): use sudo",
			       pid);
	if (list_inner(pid, &inner))
		return err_set(e,
			       "no such process: %d; that is a pid inside a container: use -p %s",
			       pid, buf_c_string(&inner));
	if (process_namespaces_differ(process_namespace_of("", 0, "pid"), first_pid_namespace))
		return err_set(
			e,
			"no process has pid %d in this container, and processes outside it are not "
			"visible: use its pid in here (see ps), or record on the host",
			pid);
	return err_set(e, "no such %s: %d", is_thread ? "thread" : "process", pid);
}

static bool explain_status(const struct process_status *s, bool is_thread_asked, struct err *e)
{
	struct process_status owner;
	if (s->is_kernel_thread)
		return err_set(e,
			       "pid %d (%s) is a kernel thread; -a records kernel threads with "
			       "everything else",
			       s->pid, s->comm);
	if (s->is_zombie)
		return err_set(
			e,
			"pid %d (%s) has exited and is a zombie: there is nothing left to record",
			s->pid, s->comm);
	if (is_thread_asked || s->tgid == s->pid)
		return true;
	if (!process_status_read("", s->tgid, &owner))
		owner = *s;
	return err_set(e,
		       "%d is a thread (%s) of process %d (%s): -p %d records the process, -t %d "
		       "only the thread",
		       s->pid, s->comm, s->tgid, owner.comm, s->tgid, s->pid);
}

/* --- numbers --- */

static bool explain_word(struct str word, bool is_thread, struct err *e)
{
	bool is_name = word.n && !is_digit(word.p[0]) && word.p[0] != '-';
	if (is_name && !is_thread)
		return err_usage(e,
				 "-p %.*s: not a PID; to choose a process by name, use --comm %.*s",
				 STR_ARG(word), STR_ARG(word));
	return err_usage(e, "%s %.*s: not a %s", is_thread ? "-t" : "-p", STR_ARG(word),
			 is_thread ? "TID" : "PID");
}

static bool add_number(struct str word, bool is_thread, struct pid_list *to, struct err *e)
{
	struct process_status s;
	int32_t number;
	if (!str_to_i32(word, &number) || number <= 0)
		return explain_word(word, is_thread, e);
	if (!process_status_read("", number, &s))
		return explain_missing(number, is_thread, e);
	if (!explain_status(&s, is_thread, e))
		return false;
	vec_push(to, number);
	return true;
}

static bool add_numbers(const struct text_list *texts, bool is_thread, struct pid_list *to,
			struct err *e)
{
	for (uint32_t i = 0; i < texts->n; i++) {
		struct str rest = str_from(texts->p[i]);
		for (bool is_last = false; !is_last;) {
			ptrdiff_t comma = str_find_char(rest, ',');
			is_last = comma < 0;
			struct str word = str_first(rest, is_last ? rest.n : (size_t)comma);
			rest = str_from_byte(rest, word.n + 1);
			if (!add_number(str_trim(word), is_thread, to, e))
				return false;
		}
	}
	pid_list_sort(to);
	return true;
}

/* --- names --- */

/* The one name that all of them have, or "". */
static void shared_comm(const struct pid_list *pids, char comm[64])
{
	struct process_status s;
	comm[0] = 0;
	for (uint32_t i = 0; i < pids->n; i++) {
		if (!process_status_read("", pids->p[i], &s))
			continue;
		if (comm[0] && strcmp(comm, s.comm) != 0) {
			comm[0] = 0;
			return;
		}
		snprintf(comm, 64, "%s", s.comm);
	}
}

static void add_list(const struct pid_list *pids, const char *between, struct buf *out)
{
	enum { MOST = 3 };
	for (uint32_t i = 0; i < pids->n && i < MOST; i++)
		buf_addf(out, "%s%d", i ? between : "", pids->p[i]);
	if (pids->n > MOST)
		buf_addf(out, "%sand%s%u%smore", between[0] == '-' ? "-" : " ",
			 between[0] == '-' ? "-" : " ", pids->n - MOST,
			 between[0] == '-' ? "-" : " ");
}

/* --- children --- */

struct family {
	struct pid_list members; /* those that were asked for first */
	struct {
		int32_t pid, parent;
	} * others;
	uint32_t n;
};

/* What the kernel asks before it lets somebody record a process, it asks here, too. */
static bool may_look_at(int32_t pid)
{
	char path[64], target[1];
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return readlink(path, target, sizeof(target)) > 0;
}

/* All processes that may be recorded, but this program and what it has started. */
static void family_look_around(struct family *f)
{
	struct pid_list pids = { 0 };
	struct process_status s;
	process_list("", &pids);
	f->others = mem_alloc(pids.n + 1, sizeof(*f->others));
	for (uint32_t i = 0; i < pids.n; i++) {
		if (pids.p[i] == getpid() || !process_status_read("", pids.p[i], &s) ||
		    s.is_zombie || s.parent == getpid() || !may_look_at(s.pid))
			continue;
		f->others[f->n].pid = s.pid;
		f->others[f->n++].parent = s.parent;
	}
	vec_fini(&pids);
}

/* Children of members are members, too, whose children may be anywhere in the list. */
static void family_grow(struct family *f)
{
	for (uint32_t i = 0; i < f->members.n; i++)
		for (uint32_t k = 0; k < f->n; k++)
			if (f->others[k].parent == f->members.p[i]) {
				vec_push(&f->members, f->others[k].pid);
				f->others[k].parent = 0; /* it is in */
			}
}

/*
 * The processes with those that they have started before, such as the server that a script has; empty: there are none.
 * Who is above the whole machine is meant alone. title: what is to be said of it.
 */
static struct pid_list with_children(const struct pid_list *pids, struct buf *title)
{
	enum { MOST = 64 };
	struct family f = { 0 };
	for (uint32_t i = 0; i < pids->n; i++)
		vec_push(&f.members, pids->p[i]);
	family_look_around(&f);
	family_grow(&f);
	free(f.others);
	pid_list_sort(&f.members);
	uint32_t children = f.members.n - pids->n;
	if (children)
		buf_addf(title, children > MOST ? " without %u child %s" : " and %u child %s",
			 children, children == 1 ? "process" : "processes");
	if (!children || children > MOST) {
		vec_fini(&f.members);
		return (struct pid_list){ 0 };
	}
	return f.members;
}

static void name_numbers(struct target_choice *choice, const char *behind)
{
	bool is_threads = choice->tids.n && !choice->pids.n;
	const struct pid_list *numbers = is_threads ? &choice->tids : &choice->pids;
	const char *noun = is_threads ? "tid" : "pid";
	AUTO(buf) struct buf list = { 0 };
	AUTO(buf) struct buf stem = { 0 };
	char comm[64];
	shared_comm(numbers, comm);
	if (comm[0])
		buf_addf(&stem, "%s-", comm);
	else
		buf_addf(&stem, "%ss-", noun);
	add_list(numbers, "-", &stem);
	add_list(numbers, ", ", &list);
	noun = numbers->n == 1 ? noun : is_threads ? "tids" : "pids";
	if (comm[0])
		choice_name(choice, buf_str(&stem), "%s (%s %s)%s", comm, noun, buf_c_string(&list),
			    behind);
	else
		choice_name(choice, buf_str(&stem), "%s %s%s", noun, buf_c_string(&list), behind);
}

bool choose_numbers(const struct target_wish *wish, struct target_choice *choice, struct err *e)
{
	if (!add_numbers(&wish->pids, false, &choice->pids, e) ||
	    !add_numbers(&wish->tids, true, &choice->tids, e))
		return false;
	AUTO(buf) struct buf behind = { 0 };
	struct pid_list all = { 0 };
	if (wish->with_children && choice->pids.n)
		all = with_children(&choice->pids, &behind);
	name_numbers(choice, buf_c_string(&behind));
	if (all.n) {
		vec_fini(&choice->pids);
		choice->pids = all;
	}
	return true;
}
