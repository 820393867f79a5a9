/* A request on its way to an answer. */
#include "serve/server_int.h"

/* The buffer has room for all strings, so it does not move. */
static struct str keep(struct job *job, struct str s)
{
	size_t begin = job->strings.n;
	buf_add(&job->strings, s);
	return (struct str){ job->strings.p + begin, s.n };
}

struct job *job_new(const struct http_head *h, struct http_peer peer)
{
	struct job *job = mem_zalloc(1, sizeof(*job));
	AUTO(buf) struct buf path = { 0 };
	if (!http_decode_path(h->path, &path)) {
		job_free(job);
		return NULL;
	}
	buf_reserve(&job->strings, h->method.n + path.n + h->query.n + h->if_none_match.n + 1);
	job->request.method = keep(job, h->method);
	job->request.path = keep(job, buf_str(&path));
	job->request.query = keep(job, h->query);
	job->request.if_none_match = keep(job, h->if_none_match);
	job->request.accepts_gzip = h->accepts_gzip;
	job->peer = peer;
	job->keeps_alive = h->keeps_alive;
	job->answer.status = 200;
	return job;
}

void job_free(struct job *job)
{
	if (!job)
		return;
	buf_fini(&job->strings);
	buf_fini(&job->body);
	buf_fini(&job->head);
	buf_fini(&job->more_headers);
	buf_fini(&job->answer.body);
	mem_free_pointer(&job);
}

void job_encode(struct job *job)
{
	struct serve_answer *a = &job->answer;
	if (a->status == 200 && a->etag[0] && serve_has_etag(job->request.if_none_match, a->etag))
		a->status = 304;
	if (a->status == 304)
		a->body.n = 0;
	else
		http_encode_body(a, job->peer);
	http_write_head(&job->head, a, job->keeps_alive, buf_str(&job->more_headers));
	if (str_eq(job->request.method, STR("HEAD")))
		a->body.n = 0;
}
