/*
 * A server in a thread, and clients that send it bytes. In what they send, $T is the token and $P
 * the port.
 */
#pragma once
#include "serve/serve.h"
#include "tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BIG_BYTES = 50 << 20 };

struct serving {
	struct server *server;
	struct serve_description is;
	pthread_t thread;
	int stop_fd;
	bool ended_well;
	sem_t begun, go_on; /* of "wait" */
	unsigned answered, ticks;
};

static inline void serving_answer(void *context, const struct serve_request *r,
				  struct serve_answer *a)
{
	struct serving *s = context;
	__atomic_add_fetch(&s->answered, 1, __ATOMIC_SEQ_CST);
	a->type = "text/plain";
	if (str_eq(r->path, STR("big"))) {
		memset(buf_reserve(&a->body, BIG_BYTES), 'x', BIG_BYTES);
		a->body.n = BIG_BYTES;
		return;
	}
	if (str_eq(r->path, STR("wait"))) {
		sem_post(&s->begun);
		while (sem_wait(&s->go_on) != 0)
			;
	}
	if (str_eq(r->path, STR("etag")))
		snprintf(a->etag, sizeof(a->etag), "one");
	buf_addf(&a->body, "%.*s|%.*s|%.*s|%zu", STR_ARG(r->method), STR_ARG(r->path),
		 STR_ARG(r->query), r->body.n);
}

static inline void serving_tick(void *context)
{
	struct serving *s = context;
	__atomic_add_fetch(&s->ticks, 1, __ATOMIC_SEQ_CST);
	sem_post(&s->begun);
}

static inline void *serving_run(void *context)
{
	struct serving *s = context;
	struct err e = { 0 };
	s->ended_well = server_run(s->server, s->stop_fd, &e);
	return NULL;
}

/* Returns false, with a failed test, if there is none. */
static inline bool serving_start(struct serving *s, struct serve_options o)
{
	struct err e = { 0 };
	*s = (struct serving){ .stop_fd = eventfd(0, EFD_CLOEXEC) };
	sem_init(&s->begun, 0, 0);
	sem_init(&s->go_on, 0, 0);
	o.answer = serving_answer;
	o.context = s;
	s->server = server_new(&o, &e);
	if (!s->server) {
		tap_ok(false, "a server: %s", e.text);
		return false;
	}
	s->is = server_describe(s->server);
	return pthread_create(&s->thread, NULL, serving_run, s) == 0;
}

static inline void serving_stop(struct serving *s)
{
	eventfd_write(s->stop_fd, 1);
	pthread_join(s->thread, NULL);
	tap_ok(s->ended_well, "the server ended");
	server_free(s->server);
	close(s->stop_fd);
	sem_destroy(&s->begun);
	sem_destroy(&s->go_on);
}

static inline int client_connect(const struct serving *s)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(s->is.port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	/* So that a test that is wrong ends. */
	struct timeval long_time = { .tv_sec = 120 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &long_time, sizeof(long_time));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	close(fd);
	return -1;
}

static inline bool client_send_bytes(int fd, struct str bytes)
{
	while (bytes.n) {
		ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL);
		if (n <= 0)
			return false;
		bytes = str_from_byte(bytes, (size_t)n);
	}
	return true;
}

static inline void serving_fill(const struct serving *s, const char *text, struct buf *to)
{
	for (const char *p = text; *p; p++) {
		if (p[0] == '$' && p[1] == 'T')
			buf_addf(to, "%s", s->is.token);
		else if (p[0] == '$' && p[1] == 'P')
			buf_addf(to, "%u", s->is.port);
		else
			buf_add_char(to, *p);
		p += p[0] == '$';
	}
}

static inline bool client_send(const struct serving *s, int fd, const char *text)
{
	AUTO(buf) struct buf bytes = { 0 };
	serving_fill(s, text, &bytes);
	return client_send_bytes(fd, buf_str(&bytes));
}

/* GET of a path below the token. */
static inline bool client_get(const struct serving *s, int fd, const char *path)
{
	AUTO(buf) struct buf text = { 0 };
	buf_addf(&text, "GET /$T/%s HTTP/1.1\r\nHost: 127.0.0.1:$P\r\n\r\n", path);
	return client_send(s, fd, buf_c_string(&text));
}

/* Returns false at the end, or after an error. */
static inline bool client_receive(int fd, struct buf *to, size_t at_most)
{
	ssize_t n = recv(fd, buf_reserve(to, at_most), at_most, 0);
	if (n > 0)
		to->n += (size_t)n;
	return n > 0;
}

static inline size_t client_content_length(struct str head)
{
	struct str name = STR("Content-Length: ");
	ptrdiff_t at = str_find(head, name);
	struct str rest = str_from_byte(head, at < 0 ? head.n : (size_t)at + name.n), line;
	uint64_t n = 0;
	return str_take_line(&rest, &line) && str_to_u64(str_trim(line), &n) ? (size_t)n : 0;
}

/* Reads one answer; has_body: not for HEAD. Returns its status, or 0 if there is none. */
static inline unsigned client_read(int fd, bool has_body, struct buf *body)
{
	AUTO(buf) struct buf head = { 0 };
	while (!str_ends(buf_str(&head), STR("\r\n\r\n")))
		if (!client_receive(fd, &head, 1))
			return 0;
	size_t n = has_body ? client_content_length(buf_str(&head)) : 0;
	body->n = 0;
	while (body->n < n)
		if (!client_receive(fd, body, n - body->n))
			return 0;
	uint64_t status = 0;
	str_to_u64(str_first(str_from_byte(buf_str(&head), 9), 3), &status);
	return (unsigned)status;
}

/* Whether the server closes the connection, after anything that it still has to say. */
static inline bool client_sees_end(int fd)
{
	AUTO(buf) struct buf rest = { 0 };
	errno = 0; /* an end leaves it as it was */
	while (client_receive(fd, &rest, 1 << 20))
		rest.n = 0;
	return errno != EAGAIN;
}

/* One request on a connection of its own. */
static inline unsigned serving_ask(const struct serving *s, const char *text, struct buf *body)
{
	int fd = client_connect(s);
	client_send(s, fd, text);
	unsigned status = client_read(fd, !str_starts(str_from(text), STR("HEAD")), body);
	close(fd);
	return status;
}

static inline bool serving_is_fine(const struct serving *s)
{
	AUTO(buf) struct buf body = { 0 };
	return serving_ask(s, "GET /$T/fine HTTP/1.1\r\nHost: localhost:$P\r\n\r\n", &body) ==
		       200 &&
	       str_eq(buf_str(&body), STR("GET|fine||0"));
}
