/* Turns the bytes of a connection into a request that may be answered. */
#include "serve/connection_int.h"

static void drop_input(struct connection *c, size_t n)
{
	c->input_n -= n;
	memmove(c->input, c->input + n, c->input_n);
	c->searched = 0;
}

static void drop_empty_lines(struct connection *c)
{
	size_t n = 0;
	while (n < c->input_n && (c->input[n] == '\r' || c->input[n] == '\n'))
		n++;
	if (n)
		drop_input(c, n);
}

/* For an incomplete head: 200, or the status to refuse it with now. */
static unsigned check_beginning(const struct connection *c)
{
	if (c->input[0] < 'A' || c->input[0] > 'Z')
		return 400; /* TLS, for example */
	if (c->input_n < HTTP_HEAD_BYTES)
		return 200;
	return memchr(c->input, '\n', c->input_n) ? 431 : 414;
}

static bool is_one_of(struct str s, struct str a, struct str b, struct str c)
{
	return str_eq(s, a) || str_eq(s, b) || str_eq(s, c);
}

static unsigned check_body(const struct server *s, const struct http_head *h)
{
	if (!str_eq(h->method, STR("POST")))
		return h->body_bytes ? 400 : 200;
	if (h->body_bytes > s->limits.body_bytes)
		return 413;
	return s->body_bytes + h->body_bytes > 2 * s->limits.body_bytes ? 503 : 200;
}

/* Without the token, everything is 404. */
static unsigned check_rights(const struct server *s, const struct connection *c,
			     struct http_head *h)
{
	char reached[ADDRESS_BYTES] = "";
	struct http_names names = { .port = s->listeners.port,
				    .is_public = s->listen != NULL,
				    .reached = reached };
	if (names.is_public)
		socket_own_address(c->watch.fd, reached);
	if (!http_is_our_host(h->host, &names))
		return 403;
	if (!http_take_token(&h->path, s->token))
		return 404;
	if (!is_one_of(h->method, STR("GET"), STR("HEAD"), STR("POST")))
		return 405;
	if (str_eq(h->method, STR("POST")) && !http_is_our_origin(h))
		return 403;
	return h->path.n ? 200 : 308; /* without its last '/' */
}

/* A job with its answer. The rest of a body is not read; the connection is closed. */
static struct job *refusal(const struct server *s, const struct http_head *h, unsigned status)
{
	struct http_head kept = { .method = h->method,
				  .keeps_alive = h->keeps_alive && !h->body_bytes };
	struct job *job = job_new(&kept, (struct http_peer){ 0 });
	job->is_refused = true;
	serve_fail(&job->answer, status, http_sentence(status));
	if (status == 405)
		buf_add(&job->more_headers, STR("Allow: GET, HEAD, POST\r\n"));
	if (status == 308)
		buf_addf(&job->more_headers, "Location: /%s/%s%.*s\r\n", s->token,
			 h->query.n ? "?" : "", STR_ARG(h->query));
	return job;
}

static struct job *accepted(const struct connection *c, const struct http_head *h)
{
	struct http_peer peer = { .accepts_gzip = h->accepts_gzip,
				  .is_near = socket_peer_is_near(c->watch.fd) };
	struct job *job = job_new(h, peer);
	if (job) {
		job->body_bytes = h->body_bytes;
		job->wants_continue = h->wants_continue;
	}
	return job;
}

struct job *connection_take_request(struct server *s, struct connection *c)
{
	drop_empty_lines(c);
	if (!c->input_n)
		return NULL;
	struct str input = { c->input, c->input_n };
	struct http_head h = { 0 };
	size_t n = http_head_length(input, c->searched);
	c->searched = c->input_n;
	unsigned status = n ? http_head_read(str_first(input, n), &h) : check_beginning(c);
	if (!n && status == 200)
		return NULL;
	if (status != 200)
		h.keeps_alive = false; /* the start of the next request is unknown */
	else
		status = check_rights(s, c, &h);
	if (status == 200)
		status = check_body(s, &h);
	/* Browsers do not pipeline. Refusing a whole batch would cost the other clients time. */
	if (status != 200 && n < c->input_n)
		h.keeps_alive = false;
	struct job *job = status == 200 ? accepted(c, &h) : NULL;
	if (!job)
		job = refusal(s, &h, status == 200 ? 400 : status);
	drop_input(c, n ? n : c->input_n);
	return job;
}
