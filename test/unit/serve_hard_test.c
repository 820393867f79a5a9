/* Clients that are slow, many, gone or hostile: the others get their answers, and nothing stays behind. */
#include "serving.h"

#include <dirent.h>
#include <poll.h>
#include <sys/resource.h>

#define GET(path)  "GET " path " HTTP/1.1\r\nHost: 127.0.0.1:$P\r\n"
#define POST(path) "POST " path " HTTP/1.1\r\nHost: 127.0.0.1:$P\r\n"

static unsigned open_files(void)
{
	unsigned n = 0;
	DIR *d = opendir("/proc/self/fd");
	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* The server closes a connection a moment after its client. */
static bool comes_back_to(unsigned files)
{
	for (unsigned i = 0; i < 6000 && open_files() != files; i++)
		poll(NULL, 0, 10);
	return open_files() == files;
}

static bool can_read(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	return poll(&p, 1, timeout_ms) > 0;
}

/* Without reading, which would be a reason not to drop it. */
static bool is_dropped(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLRDHUP };
	return poll(&p, 1, 60000) > 0;
}

static void test_slow_senders(const struct serving *s)
{
	AUTO(buf) struct buf body = { 0 };
	int idle = client_connect(s), stuck = client_connect(s), dripping = client_connect(s);
	int body_stuck = client_connect(s);
	client_send(s, stuck, "GET /");
	client_send(s, body_stuck, POST("/$T/up") "Content-Length: 9\r\n\r\nabc");
	client_send(s, dripping, GET("/$T/") "X: ");
	while (!can_read(dripping, 20) && client_send(s, dripping, "x"))
		;
	tap_num_eq(client_read(dripping, true, &body), 408, "a head byte by byte has an end");
	tap_num_eq(client_read(stuck, true, &body), 408, "so has one that stands still");
	tap_ok(client_sees_end(dripping) && client_sees_end(stuck), "... and they are closed");
	tap_ok(client_sees_end(body_stuck), "so is a body that stands still");
	tap_ok(client_sees_end(idle), "and a connection without a request");
	tap_ok(serving_is_fine(s), "others are answered");
	close(idle);
	close(stuck);
	close(dripping);
	close(body_stuck);
}

static void test_slow_readers(const struct serving *s)
{
	AUTO(buf) struct buf got = { 0 };
	int stuck = client_connect(s), reading = client_connect(s);
	client_get(s, stuck, "big");
	tap_ok(serving_is_fine(s), "others are answered while a client takes nothing");
	client_get(s, reading, "big");
	tap_ok(client_read(reading, true, &got) == 200 && got.n == BIG_BYTES, "a large answer");
	tap_ok(is_dropped(stuck), "a client that takes nothing is dropped");
	close(stuck);
	close(reading);
}

static void test_slow(void)
{
	struct serving s, full;
	struct serve_limits quick = { .request_ms = 3000, .idle_ms = 4000 };
	struct serve_limits small = { .request_ms = 600000, .pending_bytes = 1 << 20 };
	if (!serving_start(&s, (struct serve_options){ .limits = quick }) ||
	    !serving_start(&full, (struct serve_options){ .limits = small }))
		return;
	int stuck = client_connect(&full);
	client_get(&full, stuck, "big");
	test_slow_senders(&s);
	test_slow_readers(&s);
	tap_ok(is_dropped(stuck), "... earlier if much is not sent yet");
	close(stuck);
	serving_stop(&full);
	serving_stop(&s);
}

static void test_many(void)
{
	enum { MANY = 1000 };
	struct serving s;
	struct rlimit limit = { 0 };
	if (!serving_start(&s, (struct serve_options){ 0 }))
		return;
	getrlimit(RLIMIT_NOFILE, &limit); /* the server raised it */
	if (limit.rlim_cur < 2 * MANY + 200) {
		tap_ok(true, "1,000 requests at once # skip too few descriptors are allowed");
		serving_stop(&s);
		return;
	}
	unsigned before = open_files(), answered = 0;
	AUTO(buf) struct buf body = { 0 };
	static int fds[MANY];
	for (unsigned i = 0; i < MANY; i++)
		fds[i] = client_connect(&s);
	for (unsigned i = 0; i < MANY; i++) {
		char path[32];
		snprintf(path, sizeof(path), "n/%u", i);
		client_get(&s, fds[i], path);
	}
	for (unsigned i = 0; i < MANY; i++) {
		char want[32];
		snprintf(want, sizeof(want), "GET|n/%u||0", i);
		answered += client_read(fds[i], true, &body) == 200 &&
			    str_eq(buf_str(&body), str_from(want));
		close(fds[i]);
	}
	tap_num_eq(answered, MANY, "1,000 requests at once are answered");
	tap_ok(comes_back_to(before), "no descriptor stays open");
	serving_stop(&s);
}

static void test_more_than_allowed(void)
{
	enum { CLIENTS = 40 };
	struct serving s;
	AUTO(buf) struct buf body = { 0 };
	struct serve_limits limits = { .connections = 4, .idle_ms = 600000 };
	if (!serving_start(&s, (struct serve_options){ .limits = limits }))
		return;
	int fds[CLIENTS], idle[4];
	unsigned answered = 0;
	for (unsigned i = 0; i < CLIENTS; i++) {
		fds[i] = client_connect(&s);
		client_get(&s, fds[i], "x");
	}
	for (unsigned i = 0; i < CLIENTS; i++) {
		answered += client_read(fds[i], true, &body) == 200;
		close(fds[i]);
	}
	tap_num_eq(answered, CLIENTS, "more clients than connections wait for their turn");
	for (unsigned i = 0; i < 4; i++)
		idle[i] = client_connect(&s);
	tap_ok(serving_is_fine(&s), "idle ones make room");
	for (unsigned i = 0; i < 4; i++)
		close(idle[i]);
	serving_stop(&s);
}

/* Ways to hold a connection without the token. */
static const struct flood {
	const char *name, *first, *again; /* again: NULL for silence */
	bool reads;			  /* sends again only after an answer */
} floods[] = {
	{ "half a request line", "GET / HT", NULL, false },
	{ "a head byte by byte", GET("/") "X: ", "x", false },
	{ "nothing", "", NULL, false },
	{ "empty lines", "\r\n", "\r\n", false },
	{ "refused requests", GET("/") "\r\n", GET("/") "\r\n", true },
	{ "refused requests and then half of one", GET("/") "\r\n" GET("/"), NULL, false },
	{ "half a body", POST("/up") "Content-Length: 9\r\n\r\nabc", "d", false },
	{ "noise", "\x16\x03\x01", "x", false },
};

static int begin_flood(const struct serving *s, const struct flood *f)
{
	int fd = client_connect(s);
	client_send(s, fd, f->first);
	return fd;
}

/* Comes back when it was closed. */
static void go_on_flooding(const struct serving *s, const struct flood *f, int *fd)
{
	AUTO(buf) struct buf bytes = { 0 };
	struct pollfd p = { .fd = *fd, .events = POLLRDHUP };
	char ignored[4096];
	if (f->reads && recv(*fd, ignored, sizeof(ignored), MSG_DONTWAIT) < 0 && errno == EAGAIN)
		return;
	serving_fill(s, f->again ? f->again : "", &bytes);
	bool is_closed = poll(&p, 1, 0) > 0;
	if (!is_closed && bytes.n)
		is_closed = send(*fd, bytes.p, bytes.n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
			    errno != EAGAIN;
	if (!is_closed)
		return;
	close(*fd);
	*fd = begin_flood(s, f);
}

/* The server accepts in order, so all its connections are taken when the last client's turn comes. */
static void test_flood(const struct flood *f)
{
	enum { FLOODERS = 30, CONNECTIONS = 8, ROUNDS = 3000 };
	struct serving s;
	AUTO(buf) struct buf body = { 0 };
	struct serve_limits limits = { .connections = CONNECTIONS,
				       .request_ms = 600000,
				       .idle_ms = 600000 };
	if (!serving_start(&s, (struct serve_options){ .limits = limits }))
		return;
	int fds[FLOODERS];
	for (unsigned i = 0; i < FLOODERS; i++)
		fds[i] = begin_flood(&s, f);
	int honest = client_connect(&s);
	client_get(&s, honest, "fine");
	bool has_answer = false;
	for (unsigned round = 0; round < ROUNDS && !has_answer; round++) {
		for (unsigned i = 0; i < FLOODERS; i++)
			go_on_flooding(&s, f, &fds[i]);
		has_answer = can_read(honest, 10);
	}
	tap_ok(has_answer && client_read(honest, true, &body) == 200,
	       "others are answered while clients that send %s take all connections", f->name);
	close(honest);
	for (unsigned i = 0; i < FLOODERS; i++)
		close(fds[i]);
	serving_stop(&s);
}

/* Whoever has the token keeps the connection until the answer is there. */
static void test_flood_spares(void)
{
	enum { CONNECTIONS = 4 };
	struct serving s;
	AUTO(buf) struct buf body = { 0 };
	struct serve_limits limits = { .connections = CONNECTIONS, .request_ms = 600000 };
	if (!serving_start(&s, (struct serve_options){ .limits = limits }))
		return;
	int busy = client_connect(&s), uploading = client_connect(&s), fds[3 * CONNECTIONS];
	client_get(&s, busy, "wait");
	sem_wait(&s.begun);
	client_send(&s, uploading, POST("/$T/up") "Content-Length: 4\r\n\r\nab");
	for (unsigned i = 0; i < 3 * CONNECTIONS; i++)
		fds[i] = begin_flood(&s, &floods[0]);
	for (unsigned i = 0; i < 2 * CONNECTIONS; i++)
		tap_ok(is_dropped(fds[i]), "half a request line makes room");
	client_send(&s, uploading, "cd");
	sem_post(&s.go_on);
	tap_num_eq(client_read(busy, true, &body), 200, "... a request being answered does not");
	tap_num_eq(client_read(uploading, true, &body), 200, "... nor does half a body");
	for (unsigned i = 0; i < 3 * CONNECTIONS; i++)
		close(fds[i]);
	close(busy);
	close(uploading);
	serving_stop(&s);
}

static void test_full_queue(void)
{
	enum { WAITING = 2, CLIENTS = 7 };
	struct serving s;
	AUTO(buf) struct buf body = { 0 };
	struct serve_limits limits = { .waiting = WAITING, .body_bytes = 4 };
	if (!serving_start(&s, (struct serve_options){ .limits = limits }))
		return;
	struct pollfd p[CLIENTS];
	int busy = client_connect(&s);
	client_get(&s, busy, "wait");
	sem_wait(&s.begun);
	for (unsigned i = 0; i < CLIENTS; i++) {
		p[i] = (struct pollfd){ .fd = client_connect(&s), .events = POLLIN };
		client_send(&s, p[i].fd, POST("/$T/up") "Content-Length: 1\r\n\r\nx");
	}
	unsigned refused = 0, answered = 0;
	while (refused < CLIENTS - WAITING && poll(p, CLIENTS, 60000) > 0)
		for (unsigned i = 0; i < CLIENTS; i++)
			if (p[i].revents & POLLIN) {
				refused += client_read(p[i].fd, true, &body) == 503;
				p[i].events = 0;
			}
	sem_post(&s.go_on);
	for (unsigned i = 0; i < CLIENTS; i++) {
		answered += p[i].events && client_read(p[i].fd, true, &body) == 200;
		close(p[i].fd);
	}
	tap_num_eq(refused, CLIENTS - WAITING, "a request too many is refused at once");
	tap_num_eq(answered, WAITING, "those that wait are answered");
	tap_num_eq(serving_ask(&s, POST("/$T/up") "Content-Length: 4\r\n\r\nabcd", &body), 200,
		   "bodies that were refused take no room");
	close(busy);
	serving_stop(&s);
}

/* A request that the server's loop answers: what clients did before has reached it then. */
static bool loop_is_past(const struct serving *s)
{
	AUTO(buf) struct buf body = { 0 };
	return serving_ask(s, GET("/") "\r\n", &body) == 404;
}

static void test_early_close(void)
{
	enum { CLIENTS = 20 };
	struct serving s;
	if (!serving_start(&s, (struct serve_options){ 0 }))
		return;
	unsigned before = open_files();
	int fds[CLIENTS], busy = client_connect(&s), uploading = client_connect(&s);
	int reading = client_connect(&s);
	client_get(&s, busy, "wait");
	sem_wait(&s.begun);
	client_send(&s, uploading, POST("/$T/up") "Content-Length: 1000000\r\n\r\nabc");
	for (unsigned i = 0; i < CLIENTS; i++) {
		fds[i] = client_connect(&s);
		client_get(&s, fds[i], "x");
	}
	tap_ok(loop_is_past(&s), "requests wait");
	for (unsigned i = 0; i < CLIENTS; i++)
		close(fds[i]);
	close(busy);
	close(uploading);
	tap_ok(loop_is_past(&s), "their clients leave");
	sem_post(&s.go_on);
	tap_ok(serving_is_fine(&s), "others are answered");
	tap_num_eq(__atomic_load_n(&s.answered, __ATOMIC_SEQ_CST), 2,
		   "nothing is computed for clients that left");
	client_get(&s, reading, "big");
	tap_ok(can_read(reading, 60000), "an answer begins");
	close(reading);
	tap_ok(serving_is_fine(&s), "its client leaves, and others are answered");
	tap_ok(comes_back_to(before), "no descriptor stays open");
	serving_stop(&s);
}

static void test_bodies_at_once(void)
{
	struct serving s;
	AUTO(buf) struct buf body = { 0 };
	const char *post = POST("/$T/up") "Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n";
	if (!serving_start(&s, (struct serve_options){ .limits.body_bytes = 1000 }))
		return;
	int first = client_connect(&s), second = client_connect(&s);
	client_send(&s, first, post);
	client_send(&s, second, post);
	tap_ok(client_read(first, false, &body) == 100 && client_read(second, false, &body) == 100,
	       "two bodies may come at once");
	tap_num_eq(serving_ask(&s, post, &body), 503, "a third has to wait");
	close(first);
	loop_is_past(&s);
	tap_num_eq(serving_ask(&s, POST("/$T/up") "Content-Length: 1\r\n\r\nx", &body), 200,
		   "until one of them is gone");
	close(second);
	serving_stop(&s);
}

static void test_large_body(void)
{
	enum { BYTES = 20 << 20 };
	struct serving s;
	AUTO(buf) struct buf body = { 0 }, bytes = { 0 };
	if (!serving_start(&s, (struct serve_options){ 0 }))
		return;
	int fd = client_connect(&s);
	memset(buf_reserve(&bytes, BYTES), 'y', BYTES);
	bytes.n = BYTES;
	client_send(&s, fd, POST("/$T/up") "Content-Length: 20971520\r\n\r\n");
	client_send_bytes(fd, buf_str(&bytes));
	client_read(fd, true, &body);
	tap_str_eq(buf_str(&body), STR("POST|up||20971520"), "a large body");
	close(fd);
	serving_stop(&s);
}

static void add_repeated(struct buf *to, char c, size_t n)
{
	memset(buf_reserve(to, n), c, n);
	to->n += n;
}

static void test_large_heads(void)
{
	struct serving s;
	AUTO(buf)
	struct buf body = { 0 }, target = { 0 }, query = { 0 }, field = { 0 }, fits = { 0 };
	if (!serving_start(&s, (struct serve_options){ 0 }))
		return;
	serving_fill(&s, "GET /$T/", &target);
	add_repeated(&target, 'a', 20000);
	tap_num_eq(serving_ask(&s, buf_c_string(&target), &body), 414, "a path of 20,000 bytes");
	serving_fill(&s, "GET /$T/?", &query);
	add_repeated(&query, 'q', 1 << 20);
	tap_num_eq(serving_ask(&s, buf_c_string(&query), &body), 414, "a query of 1 MiB");
	serving_fill(&s, GET("/$T/") "X: ", &field);
	add_repeated(&field, 'a', 20000);
	tap_num_eq(serving_ask(&s, buf_c_string(&field), &body), 431, "a header of 20,000 bytes");
	serving_fill(&s, GET("/$T/") "X: ", &fits);
	add_repeated(&fits, 'a', 15000);
	buf_add(&fits, STR("\r\n\r\n"));
	tap_num_eq(serving_ask(&s, buf_c_string(&fits), &body), 200, "one of 15,000 bytes");
	serving_stop(&s);
}

static uint32_t next_random(uint32_t *state)
{
	return (*state = *state * 1664525 + 1013904223) >> 8;
}

/* A request with some bytes changed, or only noise: an error or nothing, and never an answer to something else. */
static void test_rubbish(void)
{
	struct serving s;
	uint32_t state = 20;
	unsigned wrong = 0;
	if (!serving_start(&s, (struct serve_options){ .limits.request_ms = 20000 }))
		return;
	for (unsigned i = 0; i < 300; i++) {
		AUTO(buf) struct buf text = { 0 }, body = { 0 };
		serving_fill(&s,
			     POST("/$T/up") "Content-Length: 4\r\nAccept: x\r\n\r\nabcd\r\n\r\n",
			     &text);
		for (unsigned changes = 1 + i % 20; changes; changes--)
			text.p[next_random(&state) % text.n] = (char)next_random(&state);
		if (i % 4 == 0)
			for (size_t at = 0; at < text.n; at++)
				text.p[at] = (char)next_random(&state);
		int fd = client_connect(&s);
		client_send_bytes(fd, buf_str(&text));
		shutdown(fd, SHUT_WR);
		unsigned status = client_read(fd, true, &body);
		wrong += status == 200 && !str_starts(buf_str(&body), STR("POST|"));
		close(fd);
	}
	tap_num_eq(wrong, 0, "rubbish is refused");
	tap_ok(serving_is_fine(&s), "... and does no harm");
	static const struct str tls = STR("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03");
	AUTO(buf) struct buf body = { 0 };
	int fd = client_connect(&s);
	client_send_bytes(fd, tls);
	tap_num_eq(client_read(fd, true, &body), 400, "https:// is refused at once");
	close(fd);
	fd = client_connect(&s);
	client_send(
		&s, fd,
		GET("/$T/a") "\r\n" GET("/$T/b") "\r\n"
						 "\x01\x02 rubbish\r\n\r\n" GET("/$T/c") "\r\n");
	tap_num_eq(client_read(fd, true, &body), 200, "a request before rubbish");
	tap_num_eq(client_read(fd, true, &body), 200, "... and another");
	tap_num_eq(client_read(fd, true, &body), 400, "the rubbish is refused");
	tap_ok(client_sees_end(fd), "... and nothing after it is read");
	close(fd);
	fd = client_connect(&s);
	client_send(&s, fd, GET("/a") "\r\n" GET("/b") "\r\n");
	tap_num_eq(client_read(fd, true, &body), 404, "the first of many without the token");
	tap_num_eq(client_read(fd, true, &body), 0, "... is the only one that is answered");
	close(fd);
	serving_stop(&s);
}

static void test_stop_at_work(void)
{
	struct serving s;
	if (!serving_start(&s, (struct serve_options){ 0 }))
		return;
	int reading = client_connect(&s), busy = client_connect(&s), waiting = client_connect(&s);
	int uploading = client_connect(&s);
	client_get(&s, reading, "big");
	can_read(reading, 60000);
	tap_ok(!server_is_answering(s.server), "an answer is there");
	client_get(&s, busy, "wait");
	sem_wait(&s.begun);
	tap_ok(server_is_answering(s.server), "the next one is being computed");
	client_get(&s, waiting, "x");
	client_send(&s, uploading, POST("/$T/up") "Content-Length: 1000000\r\n\r\nabc");
	loop_is_past(&s);
	eventfd_write(s.stop_fd, 1);
	tap_ok(client_sees_end(waiting), "clients see the end at once");
	sem_post(&s.go_on);
	close(reading);
	close(busy);
	close(waiting);
	close(uploading);
	serving_stop(&s);
}

int main(void)
{
	test_slow();
	test_many();
	test_more_than_allowed();
	for (size_t i = 0; i < sizeof(floods) / sizeof(*floods); i++)
		test_flood(&floods[i]);
	test_flood_spares();
	test_full_queue();
	test_early_close();
	test_bodies_at_once();
	test_large_body();
	test_large_heads();
	test_rubbish();
	test_stop_at_work();
	return tap_done();
}
