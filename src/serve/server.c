/* The server as a whole: its options, its loop, accepting connections. */
#include "serve/server_int.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	MAX_NEWS = 64,
	MAX_ACCEPTED = 64, /* in a row, before existing clients get their turn */
	SWEEP_MS = 250,
	PAUSE_MS = 50,
	KEPT_DESCRIPTORS = 256, /* for files */
	LEAST_CONNECTIONS = 16,
};

static const uint64_t ms = 1000000;

bool server_watch(struct server *s, struct watch *w, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = w };
	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, w->fd, &e) == 0;
}

static void pause_accepting(struct server *s)
{
	for (unsigned i = 0; i < s->listeners.n; i++)
		epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, s->listeners.fds[i], NULL);
	s->is_paused = true;
	s->resume_ns = s->now_ns + PAUSE_MS * ms;
}

static void resume_accepting(struct server *s)
{
	for (unsigned i = 0; i < s->listeners.n; i++)
		server_watch(s, &s->accepting[i], EPOLLIN);
	s->is_paused = false;
}

static bool has_room(struct server *s)
{
	return s->n_connections < s->limits.connections;
}

/* So that nobody is closed for a client that is not there. */
static bool has_client(int listener)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };
	return poll(&p, 1, 0) > 0;
}

/* While there are too many clients, new ones wait in the kernel's queue. */
static void accept_clients(struct server *s, struct watch *w, uint32_t events)
{
	(void)events;
	for (unsigned i = 0; i < MAX_ACCEPTED; i++) {
		if (!has_room(s) && !has_client(w->fd))
			return;
		if (!has_room(s) && !connections_make_room(s)) {
			pause_accepting(s);
			return;
		}
		int fd = accept4(w->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0) {
			connection_new(s, fd);
		} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
			   errno == ENOMEM) {
			pause_accepting(s);
			return;
		} else if (errno != EINTR && errno != ECONNABORTED) {
			return;
		}
	}
}

static void take_answers(struct server *s, struct watch *w, uint32_t events)
{
	(void)w;
	(void)events;
	for (struct job *job = answering_take_done(&s->answering); job;) {
		struct job *next = job->next;
		job->next = NULL;
		if (job->from)
			connection_answer(s, job->from, job);
		else
			job_free(job);
		job = next;
	}
}

static void stop(struct server *s, struct watch *w, uint32_t events)
{
	(void)w;
	(void)events;
	s->is_stopping = true;
}

/* The system may allow fewer than we want. */
static unsigned allowed_connections(unsigned wanted)
{
	struct rlimit limit = { 0 };
	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
		getrlimit(RLIMIT_NOFILE, &limit);
	}
	if (limit.rlim_cur >= (rlim_t)wanted + KEPT_DESCRIPTORS)
		return wanted;
	return limit.rlim_cur > LEAST_CONNECTIONS + KEPT_DESCRIPTORS
		       ? (unsigned)limit.rlim_cur - KEPT_DESCRIPTORS
		       : LEAST_CONNECTIONS;
}

static struct serve_limits with_defaults(struct serve_limits l)
{
	return (struct serve_limits){
		.connections = allowed_connections(l.connections ? l.connections : 1200),
		.waiting = l.waiting ? l.waiting : 1100,
		.request_ms = l.request_ms ? l.request_ms : 30000,
		.idle_ms = l.idle_ms ? l.idle_ms : 60000,
		.body_bytes = l.body_bytes ? l.body_bytes : 256 << 20,
		.pending_bytes = l.pending_bytes ? l.pending_bytes : 512 << 20,
	};
}

static bool make_token(char token[HTTP_TOKEN_BYTES + 1], struct err *e)
{
	unsigned char random[HTTP_TOKEN_BYTES / 2];
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return err_set(e, "getrandom: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	return true;
}

struct server *server_new(const struct serve_options *options, struct err *e)
{
	struct server *s = mem_zalloc(1, sizeof(*s));
	s->options = *options;
	s->limits = with_defaults(options->limits);
	s->listen = options->listen ? mem_strdup(options->listen) : NULL;
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	s->connections = mem_alloc(s->limits.connections, sizeof(struct connection *));
	bool ok = answering_init(&s->answering, &s->options, e) &&
		  (s->epoll_fd >= 0 || err_set(e, "epoll_create: %s", strerror(errno))) &&
		  make_token(s->token, e) &&
		  listeners_open(&s->listeners, s->listen, options->port, e);
	if (ok)
		return s;
	server_free(s);
	return NULL;
}

struct serve_description server_describe(const struct server *s)
{
	return (struct serve_description){
		.port = s->listeners.port,
		.token = s->token,
		.address = s->listeners.address,
		.no_ipv6 = s->listeners.no_ipv6[0] ? s->listeners.no_ipv6 : NULL,
	};
}

void server_free(struct server *s)
{
	if (!s)
		return;
	listeners_close(&s->listeners);
	answering_fini(&s->answering);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	free(s->connections);
	free(s->listen);
	free(s);
}

bool server_is_answering(const struct server *s)
{
	return __atomic_load_n(&s->answering.is_computing, __ATOMIC_SEQ_CST);
}

void serve_wake(struct server *s)
{
	answering_wake(&s->answering);
}

static bool watch_all(struct server *s, int stop_fd)
{
	s->stop = (struct watch){ stop_fd, stop };
	s->done = (struct watch){ s->answering.done_fd, take_answers };
	for (unsigned i = 0; i < s->listeners.n; i++)
		s->accepting[i] = (struct watch){ s->listeners.fds[i], accept_clients };
	resume_accepting(s);
	return server_watch(s, &s->stop, EPOLLIN) && server_watch(s, &s->done, EPOLLIN);
}

static bool wait_once(struct server *s, struct err *e)
{
	struct epoll_event news[MAX_NEWS];
	int at_most_ms = s->is_paused ? PAUSE_MS : s->n_connections ? SWEEP_MS : -1;
	int n = epoll_wait(s->epoll_fd, news, MAX_NEWS, at_most_ms);
	if (n < 0 && errno != EINTR)
		return err_set(e, "epoll_wait: %s", strerror(errno));
	s->now_ns = clock_monotonic_ns();
	for (int i = 0; i < n; i++) {
		struct watch *w = news[i].data.ptr;
		if (w->fd >= 0)
			w->ready(s, w, news[i].events);
	}
	return true;
}

static bool loop(struct server *s, struct err *e)
{
	uint64_t sweep_ns = 0;
	while (!s->is_stopping) {
		if (!wait_once(s, e))
			return false;
		if (s->now_ns >= sweep_ns) {
			sweep_ns = s->now_ns + SWEEP_MS * ms;
			connections_expire(s);
		}
		if (s->is_paused && s->now_ns >= s->resume_ns)
			resume_accepting(s);
		connections_free_closed(s);
	}
	return true;
}

bool server_run(struct server *s, int stop_fd, struct err *e)
{
	if (!watch_all(s, stop_fd))
		return err_set(e, "epoll_ctl: %s", strerror(errno));
	if (!answering_start(&s->answering, e))
		return false;
	bool ok = loop(s, e);
	while (s->n_connections)
		connection_close(s, s->connections[s->n_connections - 1]);
	connections_free_closed(s);
	answering_stop(&s->answering);
	return ok;
}
