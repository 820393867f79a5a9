/* Calls to a JVM: request its socket if there is none, send a command, read the whole answer. */
#include "process/process.h"
#include "target/jvm_int.h"
#include "target/living.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_OUTPUT_BYTES = 1 << 20, MAX_COMMAND_BYTES = 1023 };
#define CALL_NS ((uint64_t)10 * 1000000000)

/* --- is it one? --- */

static bool catches_quit(const struct process_status *s)
{
	return s->caught_signals >> (SIGQUIT - 1) & 1;
}

/* What a JVM has forked and is not yet another program looks like it, but for its threads. */
static bool may_be_signalled(const struct process_status *s)
{
	return catches_quit(s) && s->threads > 1;
}

static bool has_socket(int32_t pid)
{
	struct err e = { 0 };
	struct jvm_place place;
	bool has = jvm_place_open(&place, pid, &e) && jvm_place_has_socket(&place);
	jvm_place_close(&place);
	return has;
}

static bool has_libjvm(int32_t pid)
{
	struct living_process p;
	living_process_init(&p, pid);
	return runtime_has_library(&p.process, RUNTIME_JVM);
}

bool jvm_is_one(int32_t pid)
{
	struct process_status status;
	return has_libjvm(pid) && process_status_read("", pid, &status) &&
	       (may_be_signalled(&status) || has_socket(pid));
}

/* --- calls --- */

struct jvm_call {
	int32_t pid;
	enum jvm_call_state state;
	uint64_t deadline_ns;
	struct jvm_place place;
	bool is_placed, has_asked, is_stopped;
	int socket;
	struct buf request, answer;
	size_t sent_bytes, output_start;
	struct err error;
};

struct jvm_call *jvm_call_new(int32_t pid, const char *command, uint64_t now_ns)
{
	struct jvm_call *c = mem_zalloc(1, sizeof(*c));
	*c = (struct jvm_call){ .pid = pid,
				.deadline_ns = now_ns + CALL_NS,
				.socket = -1,
				.place = { .process = -1, .tmp = -1 } };
	/* The version of the protocol, the name of the request, three arguments: each ends in NUL. */
	buf_add(&c->request, STR("1\0jcmd\0"));
	buf_add(&c->request, str_first(str_from(command), MAX_COMMAND_BYTES));
	buf_add(&c->request, STR("\0\0\0"));
	return c;
}

void jvm_call_free(struct jvm_call *c)
{
	if (!c)
		return;
	jvm_place_close(&c->place);
	if (c->socket >= 0)
		close(c->socket);
	buf_fini(&c->request);
	buf_fini(&c->answer);
	free(c);
}

static void fail(struct jvm_call *c)
{
	c->state = JVM_CALL_FAILED;
	jvm_place_remove_trigger(&c->place);
}

static bool find_place(struct jvm_call *c)
{
	c->is_placed = true;
	if (!jvm_place_open(&c->place, c->pid, &c->error))
		return false;
	return has_libjvm(c->pid) ||
	       err_set(&c->error, "process %d is not a JVM: libjvm.so is not mapped", c->pid);
}

/* Whether it takes SIGQUIT as it is meant: without the attach mechanism it would print its threads. */
static bool check_askable(struct jvm_call *c, const struct process_status *s)
{
	struct runtime flags = { .kind = RUNTIME_JVM };
	struct living_process p;
	living_process_init(&p, c->pid);
	runtime_read_flags(&p.process, &flags);
	if (flags.has_no_attach)
		return err_set(&c->error,
			       "the JVM (pid %d) was started with -XX:+DisableAttachMechanism, so "
			       "plume cannot ask it for names: start it without that option",
			       c->pid);
	if (!may_be_signalled(s))
		return err_set(&c->error,
			       "the JVM (pid %d) is still starting: it does not handle SIGQUIT "
			       "yet, which would kill it",
			       c->pid);
	return true;
}

static void meet(struct jvm_call *c)
{
	struct process_status status;
	bool is_absent = false, is_alive = process_status_read("", c->pid, &status);
	/* What it finds when it goes on would be a call that nobody waits for, and a signal without our
	 * file, at which it prints all its threads. */
	c->is_stopped = is_alive && (status.state == 'T' || status.state == 't');
	if (c->is_stopped)
		return;
	c->socket = jvm_place_connect(&c->place, &is_absent, &c->error);
	if (c->socket >= 0) {
		jvm_place_remove_trigger(&c->place);
		return;
	}
	if (!is_alive)
		err_set(&c->error, "process %d has exited", c->pid);
	if (!is_absent || !is_alive) {
		fail(c);
	} else if (!c->has_asked) {
		c->has_asked = true;
		if (!check_askable(c, &status) || !jvm_place_ask(&c->place, &c->error))
			fail(c);
	}
}

static bool would_wait(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static void say_broken(struct jvm_call *c)
{
	err_set(&c->error, "the JVM (pid %d) closed the connection: %s", c->pid, strerror(errno));
	fail(c);
}

static void send_request(struct jvm_call *c)
{
	while (c->sent_bytes < c->request.n) {
		ssize_t n = send(c->socket, c->request.p + c->sent_bytes,
				 c->request.n - c->sent_bytes, MSG_NOSIGNAL);
		if (n < 0 && !would_wait())
			say_broken(c);
		if (n < 0)
			return;
		c->sent_bytes += (size_t)n;
	}
}

/* `CODE\n`, then text; a code other than 0 says that the text is an error. */
static void take_answer(struct jvm_call *c)
{
	struct str answer = buf_str(&c->answer);
	ptrdiff_t end = str_find_char(answer, '\n');
	struct str code = str_first(answer, end < 0 ? answer.n : (size_t)end);
	struct str text = str_trim(str_from_byte(answer, code.n + 1));
	ptrdiff_t line = str_find_char(text, '\n');
	c->output_start = end < 0 ? answer.n : (size_t)end + 1;
	if (str_eq(code, STR("0"))) {
		c->state = JVM_CALL_DONE;
		return;
	}
	const char *command = c->request.p + sizeof("1\0jcmd");
	bool is_for_names = strcmp(command, "Compiler.perfmap") == 0;
	if (str_find(text, STR("Unknown diagnostic command")) >= 0)
		err_set(&c->error, "the JVM (pid %d) does not know %s%s", c->pid, command,
			is_for_names ? ": it is older than Java 17" : "");
	else if (!code.n)
		err_set(&c->error, "the JVM (pid %d) did not answer: it rejected this user",
			c->pid);
	else
		err_set(&c->error, "the JVM (pid %d) says: %.*s", c->pid,
			STR_ARG(str_first(text, line < 0 ? text.n : (size_t)line)));
	fail(c);
}

static void receive_answer(struct jvm_call *c)
{
	enum { STEP = 16 << 10 };
	while (c->answer.n < MAX_OUTPUT_BYTES) {
		ssize_t n = recv(c->socket, buf_reserve(&c->answer, STEP), STEP, 0);
		if (n < 0 && would_wait())
			return;
		if (n < 0) {
			say_broken(c);
			return;
		}
		if (n == 0)
			break;
		c->answer.n += (size_t)n;
	}
	take_answer(c);
}

static void say_late(struct jvm_call *c)
{
	err_set(&c->error, "the JVM (pid %d) did not %s in time%s", c->pid,
		c->socket >= 0 ? "answer" : "open its socket",
		c->is_stopped ? ": it is stopped (SIGSTOP)" : "");
	fail(c);
}

enum jvm_call_state jvm_call_go_on(struct jvm_call *c, uint64_t now_ns)
{
	if (c->state != JVM_CALL_WAITS)
		return c->state;
	if (!c->is_placed && !find_place(c))
		fail(c);
	if (c->state == JVM_CALL_WAITS && c->socket < 0)
		meet(c);
	if (c->state == JVM_CALL_WAITS && c->socket >= 0)
		send_request(c);
	if (c->state == JVM_CALL_WAITS && c->socket >= 0 && c->sent_bytes == c->request.n)
		receive_answer(c);
	if (c->state == JVM_CALL_WAITS && now_ns >= c->deadline_ns)
		say_late(c);
	return c->state;
}

struct str jvm_call_output(const struct jvm_call *c)
{
	return str_from_byte(buf_str(&c->answer), c->output_start);
}

const struct err *jvm_call_error(const struct jvm_call *c)
{
	return &c->error;
}

/* --- the map that it writes --- */

struct jvm_map {
	struct jvm_place place;
};

struct jvm_map *jvm_map_expect(int32_t pid)
{
	struct err e = { 0 };
	struct jvm_map *m = mem_zalloc(1, sizeof(*m));
	if (jvm_place_open(&m->place, pid, &e) && !jvm_place_has_map(&m->place))
		return m;
	jvm_map_free(m);
	return NULL;
}

void jvm_map_remove(struct jvm_map *m)
{
	if (m)
		jvm_place_remove_map(&m->place);
	jvm_map_free(m);
}

void jvm_map_free(struct jvm_map *m)
{
	if (m)
		jvm_place_close(&m->place);
	free(m);
}
