/* Processes by name, command line and user. */
#include "target/choice_int.h"
#include "target/near_int.h"
#include "target/pids_int.h"
#include "target/user_int.h"

#include <unistd.h>

enum { COMM_BYTES = 15 }; /* The kernel keeps so much of a program's name (man 5 proc, comm). */

struct matcher {
	const struct target_wish *wish;
	VEC(struct regex *) cmdlines;
	VEC(uint32_t) users;
	struct process_status own;
};

static void matcher_fini(struct matcher *m)
{
	for (uint32_t i = 0; i < m->cmdlines.n; i++)
		regex_free(m->cmdlines.p[i]);
	vec_fini(&m->cmdlines);
	vec_fini(&m->users);
}

static bool matcher_init(struct matcher *m, const struct target_wish *wish, struct err *e)
{
	*m = (struct matcher){ .wish = wish };
	process_status_read("", getpid(), &m->own);
	for (uint32_t i = 0; i < wish->cmdlines.n; i++) {
		struct regex *re = regex_new(str_from(wish->cmdlines.p[i]), e);
		if (!re)
			return false;
		vec_push(&m->cmdlines, re);
	}
	for (uint32_t i = 0; i < wish->users.n; i++) {
		uint32_t user;
		if (!user_find("", wish->users.p[i], &user, e))
			return false;
		vec_push(&m->users, user);
	}
	return true;
}

/* --- one process --- */

static bool has_comm(const struct matcher *m, struct str comm)
{
	for (uint32_t i = 0; i < m->wish->comms.n; i++)
		if (str_eq(str_first(str_from(m->wish->comms.p[i]), COMM_BYTES), comm))
			return true;
	return !m->wish->comms.n;
}

static bool has_user(const struct matcher *m, const struct process_status *s)
{
	for (uint32_t i = 0; i < m->users.n; i++)
		if (m->users.p[i] == s->user)
			return true;
	return !m->users.n;
}

static int32_t parent_of(int32_t pid)
{
	struct process_status s;
	return process_stat_read("", pid, &s) ? s.parent : 0;
}

/*
 * sudo, timeout and shells that started this program have its words, and with them the expression, in
 * their own command lines; nobody means them.
 */
static bool is_starter_of_us(const struct matcher *m, int32_t pid, struct str cmdline)
{
	if (str_find(cmdline, str_from(m->own.comm)) < 0)
		return false;
	int32_t ancestor = getpid();
	for (int i = 0; i < 64 && ancestor > 1; i++) {
		ancestor = parent_of(ancestor);
		if (ancestor == pid)
			return true;
	}
	return false;
}

static bool has_cmdline(const struct matcher *m, int32_t pid, struct str cmdline)
{
	for (uint32_t i = 0; i < m->cmdlines.n && cmdline.n; i++)
		if (regex_match(m->cmdlines.p[i], cmdline) == REGEX_YES)
			return !is_starter_of_us(m, pid, cmdline);
	return !m->cmdlines.n;
}

static void set_part(struct target_fit *fit, enum target_part part, bool fits)
{
	fit->known |= part;
	fit->fits = (uint8_t)(fits ? fit->fits | part : fit->fits & ~part);
}

/* One that ends, or is about to become another program, has no command line: that says nothing. */
static void fit_cmdline(const struct matcher *m, int32_t pid, struct target_fit *fit)
{
	AUTO(buf) struct buf cmdline = { 0 };
	if (m->cmdlines.n)
		process_cmdline(pid, &cmdline);
	if (cmdline.n || !m->cmdlines.n)
		set_part(fit, TARGET_CMDLINE, has_cmdline(m, pid, buf_str(&cmdline)));
}

static void fit_status(const struct matcher *m, const struct process_status *s,
		       struct target_fit *fit)
{
	set_part(fit, TARGET_PROCESS, s->tgid != getpid() && !s->is_kernel_thread);
	set_part(fit, TARGET_USER, has_user(m, s));
}

static bool matches(const struct matcher *m, const struct process_status *s)
{
	struct target_fit fit = { 0 };
	set_part(&fit, TARGET_COMM, has_comm(m, str_from(s->comm)));
	fit_status(m, s, &fit);
	if (!s->is_zombie && fit.fits == fit.known)
		fit_cmdline(m, s->pid, &fit);
	return target_fit_is_whole(fit);
}

void target_wish_fit(const struct target_wish *wish, int32_t pid, struct str comm,
		     struct target_fit *fit)
{
	AUTO(matcher) struct matcher m;
	struct process_status s;
	struct err e;
	if (!matcher_init(&m, wish, &e))
		return;
	bool is_there = process_status_read("", pid, &s);
	if (is_there)
		fit_status(&m, &s, fit);
	else if (!m.users.n)
		set_part(fit, TARGET_USER, true);
	if (comm.n || is_there || !wish->comms.n)
		set_part(fit, TARGET_COMM, has_comm(&m, comm.n ? comm : str_from(s.comm)));
	fit_cmdline(&m, pid, fit);
}

/* --- all --- */

static void add_texts(const struct text_list *texts, const char *before, struct buf *out)
{
	if (texts->n && out->n)
		buf_add(out, STR(", "));
	for (uint32_t i = 0; i < texts->n; i++)
		buf_addf(out, "%s%s", i ? " or " : before, texts->p[i]);
}

/* `named node, of user web` */
static void describe(const struct target_wish *wish, struct buf *out)
{
	add_texts(&wish->comms, "named ", out);
	add_texts(&wish->cmdlines, "whose command line matches ", out);
	add_texts(&wish->users, "of user ", out);
}

/* That none runs may be meant, or a wrong name. */
static char *explain_none(const struct target_wish *wish, const struct pid_list *pids)
{
	AUTO(buf) struct buf text = { 0 };
	AUTO(buf) struct buf what = { 0 };
	AUTO(near_names) struct near_names near = { 0 };
	const struct text_list *words = wish->comms.n ? &wish->comms : &wish->cmdlines;
	struct process_status s;
	near.word = words->n ? str_from(words->p[0]) : STR("");
	for (uint32_t i = 0; i < pids->n && near.word.n; i++)
		if (process_status_read("", pids->p[i], &s) && !s.is_zombie &&
		    !s.is_kernel_thread && s.pid != getpid() &&
		    !str_eq(near.word, str_from(s.comm)))
			near_names_add(&near, str_from(s.comm));
	buf_add(&text, STR("no process "));
	describe(wish, &what);
	buf_addf(&text, "%s is running yet: waiting for one to start", buf_c_string(&what));
	if (near.n) {
		buf_add(&text, STR(" (similar: "));
		near_names_write(&near, &text);
		buf_add(&text, STR(")"));
	} else if (!wish->cmdlines.n && !wish->users.n) {
		buf_addf(&text, " (to match the command line: --cmdline %s)", wish->comms.p[0]);
	}
	char *remark = mem_strdup(buf_c_string(&text));
	choice_clean(remark);
	return remark;
}

static void name_properties(const struct target_wish *wish, struct target_choice *choice)
{
	AUTO(buf) struct buf text = { 0 };
	AUTO(buf) struct buf stem = { 0 };
	describe(wish, &text);
	add_texts(&wish->comms, "", &stem);
	add_texts(&wish->cmdlines, "", &stem);
	add_texts(&wish->users, "", &stem);
	choice_name(choice, buf_str(&stem), "processes %s", buf_c_string(&text));
}

bool choose_properties(const struct target_wish *wish, struct target_choice *choice, struct err *e)
{
	AUTO(matcher) struct matcher m;
	struct pid_list pids = { 0 };
	struct process_status s;
	if (!matcher_init(&m, wish, e))
		return false;
	process_list("", &pids);
	for (uint32_t i = 0; i < pids.n; i++)
		if (process_status_read("", pids.p[i], &s) && matches(&m, &s))
			vec_push(&choice->pids, pids.p[i]);
	if (!choice->pids.n)
		choice->remark = explain_none(wish, &pids);
	name_properties(wish, choice);
	choice->is_by_property = true;
	vec_fini(&pids);
	return true;
}
