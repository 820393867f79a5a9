/* Moves bytes between a connection and its socket. */
#include "serve/connection_int.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { LEAST_READ = 64 << 10 };

/* Of a recv that returned n. */
static bool goes_on(struct server *s, struct connection *c, ssize_t n)
{
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return true;
	connection_close(s, c);
	return false;
}

bool connection_read_input(struct server *s, struct connection *c)
{
	ssize_t n = recv(c->watch.fd, c->input + c->input_n, HTTP_HEAD_BYTES - c->input_n, 0);
	if (n > 0)
		c->input_n += (size_t)n;
	return goes_on(s, c, n);
}

bool connection_read_body(struct server *s, struct connection *c)
{
	struct buf *body = &c->job->body;
	/* Memory grows with what arrived, not with what was announced. */
	uint64_t most = body->n > LEAST_READ ? body->n : LEAST_READ;
	size_t wanted = (size_t)(c->body_left < most ? c->body_left : most);
	ssize_t n = recv(c->watch.fd, buf_reserve(body, wanted), wanted, 0);
	if (n > 0) {
		body->n += (size_t)n;
		c->body_left -= (uint64_t)n;
		connection_note_progress(s, c);
	}
	return goes_on(s, c, n);
}

bool connection_discard(struct server *s, struct connection *c)
{
	return goes_on(s, c, recv(c->watch.fd, c->input, HTTP_HEAD_BYTES, 0));
}

bool connection_write(struct server *s, struct connection *c, bool *is_done)
{
	struct str head = buf_str(&c->job->head), body = buf_str(&c->job->answer.body);
	struct str head_left = str_from_byte(head, c->sent);
	struct str body_left = str_from_byte(body, c->sent > head.n ? c->sent - head.n : 0);
	struct iovec parts[] = { { (char *)head_left.p, head_left.n },
				 { (char *)body_left.p, body_left.n } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t n = sendmsg(c->watch.fd, &message, MSG_NOSIGNAL);
	if (n > 0) {
		c->sent += (size_t)n;
		s->pending_bytes -= (uint64_t)n;
		connection_note_progress(s, c);
	} else if (!goes_on(s, c, n)) {
		return false;
	}
	*is_done = c->sent == head.n + body.n;
	return true;
}
