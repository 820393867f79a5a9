/*
 * One client: reads a request, waits for its answer, writes it, and starts over. Nothing here
 * blocks, and every wait for the client has a deadline.
 */
#include "serve/connection_int.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LEAST_BYTES_PER_S = 64 << 10 }; /* of bodies and answers */

static const uint64_t ms = 1000000, second = 1000000000;
static const uint64_t ending_ns = 2 * second, stalled_ns = 5 * second;
/* What an honest client needs at most to send a head, or to read a refusal and close. */
static const uint64_t grace_ns = 250 * ms;

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool is_open(const struct connection *c)
{
	return c->watch.fd >= 0;
}

static void watch_for(struct server *s, struct connection *c, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = &c->watch };
	if (c->events != events)
		epoll_ctl(s->epoll_fd, EPOLL_CTL_MOD, c->watch.fd, &e);
	c->events = events;
}

static void begin_transfer(struct server *s, struct connection *c, uint64_t bytes)
{
	c->latest_ns = s->now_ns + s->limits.request_ms * ms + bytes / LEAST_BYTES_PER_S * second;
	connection_note_progress(s, c);
}

void connection_note_progress(struct server *s, struct connection *c)
{
	c->progress_ns = s->now_ns;
	c->deadline_ns = earlier(c->latest_ns, s->now_ns + s->limits.request_ms * ms);
}

static void begin_request(struct server *s, struct connection *c)
{
	c->state = CONNECTION_HEAD;
	c->searched = 0;
	c->deadline_ns = s->now_ns + s->limits.idle_ms * ms;
	watch_for(s, c, EPOLLIN);
}

/* Closing at once while the client still sends would make the kernel discard our answer. */
static void begin_ending(struct server *s, struct connection *c)
{
	c->state = CONNECTION_ENDING;
	c->deadline_ns = s->now_ns + ending_ns;
	shutdown(c->watch.fd, SHUT_WR);
	watch_for(s, c, EPOLLIN);
}

static void go_on_writing(struct server *s, struct connection *c)
{
	bool is_done;
	if (!connection_write(s, c, &is_done))
		return;
	if (!is_done) {
		watch_for(s, c, EPOLLOUT);
		return;
	}
	bool keeps_alive = c->job->keeps_alive;
	if (!c->job->is_refused) {
		c->unused_ns = s->now_ns;
		c->has_begun = false;
	}
	job_free(c->job);
	c->job = NULL;
	if (keeps_alive)
		begin_request(s, c);
	else
		begin_ending(s, c);
}

static void begin_writing(struct server *s, struct connection *c)
{
	uint64_t bytes = c->job->head.n + c->job->answer.body.n;
	c->state = CONNECTION_WRITING;
	c->sent = 0;
	s->pending_bytes += bytes;
	begin_transfer(s, c, bytes);
	go_on_writing(s, c);
}

/* Other clients may send theirs now. */
static void release_body(struct server *s, struct job *job)
{
	s->body_bytes -= job->body_bytes;
	job->body_bytes = 0;
}

static void refuse(struct server *s, struct connection *c, unsigned status)
{
	release_body(s, c->job);
	serve_fail(&c->job->answer, status, http_sentence(status));
	job_encode(c->job);
	begin_writing(s, c);
}

static void begin_answering(struct server *s, struct connection *c)
{
	struct job *job = c->job;
	job->from = c;
	job->request.body = buf_str(&job->body);
	c->state = CONNECTION_ANSWERING;
	c->deadline_ns = UINT64_MAX;
	if (!answering_add(&s->answering, job, s->limits.waiting))
		refuse(s, c, 503);
	else
		watch_for(s, c, EPOLLRDHUP);
}

/* The part that arrived with the head. */
static void take_body(struct connection *c)
{
	size_t n = (size_t)earlier(c->body_left, c->input_n);
	buf_add(&c->job->body, (struct str){ c->input, n });
	c->body_left -= n;
	c->input_n -= n;
	memmove(c->input, c->input + n, c->input_n);
}

static void begin_body(struct server *s, struct connection *c)
{
	c->state = CONNECTION_BODY;
	c->body_left = c->job->body_bytes;
	s->body_bytes += c->job->body_bytes;
	begin_transfer(s, c, c->body_left);
	take_body(c);
	if (c->job->wants_continue && c->body_left && !c->job->body.n) {
		struct str text = STR("HTTP/1.1 100 Continue\r\n\r\n");
		/* A client that does not get this sends the body anyway after a while. */
		(void)!send(c->watch.fd, text.p, text.n, MSG_NOSIGNAL);
	}
	if (!c->body_left)
		begin_answering(s, c);
}

/* Returns false if there is no further request to take up now. */
static bool take_up(struct server *s, struct connection *c)
{
	if (!is_open(c) || c->state != CONNECTION_HEAD)
		return false;
	c->job = connection_take_request(s, c);
	if (!c->job)
		return false;
	if (c->job->is_refused) {
		job_encode(c->job);
		begin_writing(s, c);
	} else if (c->job->body_bytes) {
		begin_body(s, c);
	} else {
		begin_answering(s, c);
	}
	return true;
}

static void read_head(struct server *s, struct connection *c)
{
	bool was_idle = !c->input_n;
	if (!connection_read_input(s, c))
		return;
	if (was_idle && c->input_n)
		c->deadline_ns = s->now_ns + s->limits.request_ms * ms;
	if (!c->has_begun)
		c->unused_ns = s->now_ns;
	c->has_begun = true;
}

static void ready(struct server *s, struct watch *w, uint32_t events)
{
	struct connection *c = (struct connection *)w;
	(void)events;
	switch (c->state) {
	case CONNECTION_HEAD:
		read_head(s, c);
		break;
	case CONNECTION_BODY:
		if (connection_read_body(s, c) && !c->body_left)
			begin_answering(s, c);
		break;
	case CONNECTION_ANSWERING:
		connection_close(s, c); /* the client closed first */
		break;
	case CONNECTION_WRITING:
		go_on_writing(s, c);
		break;
	case CONNECTION_ENDING:
		connection_discard(s, c);
		break;
	}
	while (take_up(s, c))
		;
}

void connection_answer(struct server *s, struct connection *c, struct job *job)
{
	release_body(s, job);
	buf_fini(&job->body);
	begin_writing(s, c);
	while (take_up(s, c))
		;
}

void connection_new(struct server *s, int fd)
{
	struct connection *c = mem_zalloc(1, sizeof(*c));
	int on = 1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	c->watch = (struct watch){ .fd = fd, .ready = ready };
	c->events = EPOLLIN;
	c->unused_ns = s->now_ns;
	if (!server_watch(s, &c->watch, EPOLLIN)) {
		close(fd);
		mem_free_pointer(&c);
		return;
	}
	c->input = mem_alloc(HTTP_HEAD_BYTES, 1);
	c->index = s->n_connections++;
	s->connections[c->index] = c;
	begin_request(s, c);
}

void connection_close(struct server *s, struct connection *c)
{
	epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, c->watch.fd, NULL);
	close(c->watch.fd);
	c->watch.fd = -1;
	if (c->job)
		release_body(s, c->job);
	if (c->job && c->state == CONNECTION_WRITING)
		s->pending_bytes -= c->job->head.n + c->job->answer.body.n - c->sent;
	if (c->state == CONNECTION_ANSWERING)
		answering_forget(&s->answering, c->job);
	else
		job_free(c->job);
	c->job = NULL;
	struct connection *last = s->connections[--s->n_connections];
	s->connections[c->index] = last;
	last->index = c->index;
	c->next_closed = s->closed;
	s->closed = c;
}

void connections_free_closed(struct server *s)
{
	while (s->closed) {
		struct connection *c = s->closed;
		s->closed = c->next_closed;
		free(c->input);
		free(c);
	}
}

/* Closes with a reset; otherwise the kernel would keep data that the client does not read. */
static void drop(struct server *s, struct connection *c)
{
	struct linger none = { .l_onoff = 1 };
	setsockopt(c->watch.fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	connection_close(s, c);
}

/* A client that is late with its request gets a 408; other late clients do not read. */
static void expire(struct server *s, struct connection *c)
{
	if (c->state == CONNECTION_WRITING) {
		drop(s, c);
		return;
	}
	if (c->state != CONNECTION_HEAD || !c->input_n) {
		connection_close(s, c);
		return;
	}
	struct http_head unknown = { 0 };
	c->job = job_new(&unknown, (struct http_peer){ 0 });
	c->job->is_refused = true;
	refuse(s, c, 408);
}

static bool is_stalled(const struct server *s, const struct connection *c)
{
	return c->state == CONNECTION_WRITING && s->pending_bytes > s->limits.pending_bytes &&
	       s->now_ns - c->progress_ns > stalled_ns;
}

void connections_expire(struct server *s)
{
	/* Backwards, because closing one moves the last one to its place. */
	for (unsigned i = s->n_connections; i-- > 0;) {
		struct connection *c = s->connections[i];
		if (s->now_ns >= c->deadline_ns || is_stalled(s, c))
			expire(s, c);
	}
}

/* A new client may have sent a request that is not read yet. */
static bool has_unread_input(const struct connection *c)
{
	char byte;
	return recv(c->watch.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static bool is_unused(const struct connection *c)
{
	switch (c->state) {
	case CONNECTION_HEAD:
		return c->has_begun || !has_unread_input(c);
	case CONNECTION_WRITING:
		return c->job->is_refused;
	case CONNECTION_ENDING:
		return true;
	case CONNECTION_BODY:
	case CONNECTION_ANSWERING:
		break;
	}
	return false;
}

bool connections_make_room(struct server *s)
{
	struct connection *oldest = NULL;
	for (unsigned i = 0; i < s->n_connections; i++) {
		struct connection *c = s->connections[i];
		if (c->unused_ns + grace_ns <= s->now_ns &&
		    (!oldest || c->unused_ns < oldest->unused_ns) && is_unused(c))
			oldest = c;
	}
	if (oldest && oldest->state == CONNECTION_WRITING)
		drop(s, oldest);
	else if (oldest)
		connection_close(s, oldest);
	return oldest != NULL;
}
