/* A server and its clients: who gets what. */
#include "serving.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#define GET(path)  "GET " path " HTTP/1.1\r\nHost: 127.0.0.1:$P\r\n"
#define POST(path) "POST " path " HTTP/1.1\r\nHost: 127.0.0.1:$P\r\n"

static const struct {
	const char *name, *request;
	unsigned status;
	const char *body; /* NULL: any */
} cases[] = {
	{ "a page", GET("/$T/") "\r\n", 200, "GET|||0" },
	{ "a path and a query", GET("/$T/api/a%20b?x=%20&y") "\r\n", 200, "GET|api/a b|x=%20&y|0" },
	{ "HEAD", "HEAD /$T/x HTTP/1.1\r\nHost: localhost:$P\r\n\r\n", 200, "" },
	{ "a body", POST("/$T/up") "Content-Length: 5\r\n\r\nhello", 200, "POST|up||5" },
	{ "an empty body", POST("/$T/up") "Content-Length: 0\r\n\r\n", 200, "POST|up||0" },
	{ "our page's POST", POST("/$T/up") "Origin: http://127.0.0.1:$P\r\n\r\n", 200,
	  "POST|up||0" },
	{ "another page's POST", POST("/$T/up") "Origin: http://evil.example\r\n\r\n", 403, NULL },
	{ "a POST of a file", POST("/$T/up") "Origin: null\r\n\r\n", 403, NULL },
	{ "no last slash", GET("/$T?a=1") "\r\n", 308, NULL },
	{ "no token", GET("/") "\r\n", 404, "{\"error\":\"not found\"}\n" },
	{ "a file without the token", GET("/favicon.ico") "\r\n", 404, NULL },
	{ "a wrong token", GET("/00000000000000000000000000000000/") "\r\n", 404, NULL },
	{ "more than the token", GET("/$Tx/") "\r\n", 404, NULL },
	{ "a method without the token", "PUT / HTTP/1.1\r\nHost: localhost:$P\r\n\r\n", 404, NULL },
	{ "PUT", "PUT /$T/ HTTP/1.1\r\nHost: localhost:$P\r\n\r\n", 405, NULL },
	{ "OPTIONS", "OPTIONS /$T/ HTTP/1.1\r\nHost: localhost:$P\r\n\r\n", 405, NULL },
	{ "a method that nobody knows", "BREW /$T/ HTTP/1.1\r\nHost: localhost:$P\r\n\r\n", 405,
	  NULL },
	{ "another name", "GET /$T/ HTTP/1.1\r\nHost: evil.example:$P\r\n\r\n", 403, NULL },
	{ "another port", "GET /$T/ HTTP/1.1\r\nHost: localhost:1\r\n\r\n", 403, NULL },
	{ "our name for IPv6", "GET /$T/ HTTP/1.1\r\nHost: [::1]:$P\r\n\r\n", 200, NULL },
	{ "no name", "GET /$T/ HTTP/1.1\r\n\r\n", 400, NULL },
	{ "a folder above", GET("/$T/../x") "\r\n", 400, NULL },
	{ "a folder above, encoded", GET("/$T/%2e%2e%2fx") "\r\n", 400, NULL },
	{ "a NUL", GET("/$T/a%00b") "\r\n", 400, NULL },
	{ "GET with a body", GET("/$T/") "Content-Length: 5\r\n\r\nhello", 400, NULL },
	{ "a body that is too large", POST("/$T/up") "Content-Length: 1001\r\n\r\n", 413, NULL },
	{ "chunks", POST("/$T/up") "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 411,
	  NULL },
	{ "HTTP/1.0", "GET /$T/x HTTP/1.0\r\nHost: localhost:$P\r\n\r\n", 200, "GET|x||0" },
	{ "a known etag", GET("/$T/etag") "If-None-Match: W/\"one\"\r\n\r\n", 304, "" },
	{ "an unknown etag", GET("/$T/etag") "If-None-Match: \"two\"\r\n\r\n", 200, NULL },
};

static void test_requests(void)
{
	struct serving s;
	AUTO(buf) struct buf body = { 0 };
	if (!serving_start(&s, (struct serve_options){ .limits.body_bytes = 1000 }))
		return;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		unsigned status = serving_ask(&s, cases[i].request, &body);
		tap_num_eq(status, cases[i].status, "%s: status", cases[i].name);
		if (cases[i].body)
			tap_str_eq(buf_str(&body), str_from(cases[i].body), "%s: body",
				   cases[i].name);
	}
	serving_stop(&s);
}

/* Requests that come together are answered in order; so do those that come byte by byte. */
static void test_one_connection(void)
{
	struct serving s;
	AUTO(buf) struct buf body = { 0 }, text = { 0 };
	if (!serving_start(&s, (struct serve_options){ 0 }))
		return;
	int fd = client_connect(&s);
	client_send(&s, fd, GET("/$T/1") "\r\n\r\n");
	client_send(&s, fd, POST("/$T/2") "Content-Length: 3\r\n\r\nabc" GET("/no") "\r\n");
	client_read(fd, true, &body);
	tap_str_eq(buf_str(&body), STR("GET|1||0"), "the first of three requests");
	client_read(fd, true, &body);
	tap_str_eq(buf_str(&body), STR("POST|2||3"), "the second");
	tap_num_eq(client_read(fd, true, &body), 404, "the third");
	client_send(&s, fd, "HEAD /$T/ HTTP/1.1\r\nHost: localhost:$P\r\n\r\n");
	client_send(&s, fd, "HEAD / HTTP/1.1\r\nHost: localhost:$P\r\n\r\n");
	tap_ok(client_read(fd, false, &body) == 200 && client_read(fd, false, &body) == 404,
	       "no body comes between two answers to HEAD");
	serving_fill(&s, POST("/$T/slow") "Content-Length: 2\r\n\r\nxy", &text);
	for (size_t i = 0; i < text.n; i++)
		client_send_bytes(fd, (struct str){ text.p + i, 1 });
	client_read(fd, true, &body);
	tap_str_eq(buf_str(&body), STR("POST|slow||2"), "one that comes byte by byte");
	client_send(&s, fd, POST("/$T/up") "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n");
	tap_num_eq(client_read(fd, false, &body), 100, "a client that asks may send its body");
	client_send(&s, fd, "xy");
	tap_num_eq(client_read(fd, true, &body), 200, "... and gets its answer");
	client_send(&s, fd, GET("/$T/last") "Connection: close\r\n\r\n");
	tap_ok(client_read(fd, true, &body) == 200 && client_sees_end(fd), "close closes");
	close(fd);
	serving_stop(&s);
}

static void test_ticks(void)
{
	struct serving s;
	if (!serving_start(&s, (struct serve_options){ .tick = serving_tick }))
		return;
	serve_wake(s.server);
	sem_wait(&s.begun);
	tap_ok(s.ticks > 0, "a tick comes when it is asked for");
	serving_stop(&s);
	if (!serving_start(&s, (struct serve_options){ .tick = serving_tick, .tick_ms = 1 }))
		return;
	for (unsigned i = 0; i < 3; i++)
		sem_wait(&s.begun);
	tap_ok(serving_is_fine(&s), "ticks come by themselves, and requests are answered");
	serving_stop(&s);
}

/* Addresses of /proc/net/tcp and tcp6 that listen on a port. */
static void list_listening(uint16_t port, struct buf *to)
{
	static const char *const files[] = { "/proc/self/net/tcp", "/proc/self/net/tcp6" };
	for (size_t i = 0; i < 2; i++) {
		FILE *f = fopen(files[i], "re");
		char line[512], address[64];
		unsigned at, state;
		while (f && fgets(line, sizeof(line), f))
			if (sscanf(line, " %*[^:]: %40[^:]:%x %*s %x", address, &at, &state) == 3 &&
			    at == port && state == 10)
				buf_addf(to, "%s ", address);
		if (f)
			fclose(f);
	}
}

static void test_addresses(void)
{
	struct serving s, other;
	struct err e = { 0 };
	AUTO(buf) struct buf seen = { 0 };
	if (!serving_start(&s, (struct serve_options){ 0 }))
		return;
	list_listening(s.is.port, &seen);
	struct str want =
		s.is.no_ipv6 ? STR("0100007F ") : STR("0100007F 00000000000000000000000001000000 ");
	tap_str_eq(buf_str(&seen), want, "nothing listens but the loopback addresses");
	tap_ok(strcmp(s.is.address, "127.0.0.1") == 0 && strlen(s.is.token) == 32 && s.is.port,
	       "what a URL needs");
	struct serve_options taken = { .port = s.is.port, .answer = serving_answer };
	tap_ok(!server_new(&taken, &e) && strstr(e.text, "choose another"), "a taken port: %s",
	       e.text);
	if (serving_start(&other, (struct serve_options){ .listen = "127.0.0.2" })) {
		tap_ok(strcmp(other.is.address, "127.0.0.2") == 0 &&
			       strcmp(other.is.token, s.is.token) != 0,
		       "another address, another token");
		serving_stop(&other);
	}
	struct serve_options bad = { .listen = "localhost.example" };
	tap_ok(!server_new(&bad, &e) && e.kind == ERR_USAGE, "no address: %s", e.text);
	bad.listen = "192.0.2.1";
	tap_ok(!server_new(&bad, &e) && e.kind == ERR_FAILED, "not ours: %s", e.text);
	serving_stop(&s);
}

/* Who opens `localhost` would reach that other program. */
static void test_taken_ipv6(void)
{
	struct err e = { 0 };
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	socklen_t n = sizeof(a);
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, n) != 0 || listen(fd, 1) != 0) {
		tap_ok(true, "a port that is taken on ::1 # skip no IPv6 here");
	} else {
		getsockname(fd, (struct sockaddr *)&a, &n);
		struct serve_options o = { .port = ntohs(a.sin6_port), .answer = serving_answer };
		tap_ok(!server_new(&o, &e) && strstr(e.text, "choose another"),
		       "a port that is taken on ::1: %s", e.text);
	}
	close(fd);
}

/* Every address of the machine is a name then, but no other name is. */
static void test_public(void)
{
	struct serving s;
	AUTO(buf) struct buf body = { 0 };
	if (!serving_start(&s, (struct serve_options){ .listen = "0.0.0.0" }))
		return;
	tap_ok(serving_is_fine(&s), "a server for all addresses answers to localhost");
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(s.is.port) };
	inet_pton(AF_INET, "127.0.0.3", &a.sin_addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool is_connected = connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0;
	client_send(&s, fd, "GET /$T/ HTTP/1.1\r\nHost: 127.0.0.3:$P\r\n\r\n");
	tap_ok(is_connected && client_read(fd, true, &body) == 200, "and to the address reached");
	client_send(&s, fd, "GET /$T/ HTTP/1.1\r\nHost: 127.0.0.4:$P\r\n\r\n");
	tap_num_eq(client_read(fd, true, &body), 403, "but to no other");
	close(fd);
	serving_stop(&s);
}

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) > 0;
	if (fd >= 0)
		close(fd);
	return ok;
}

/* A network of our own, with 127.0.0.1 and without ::1. */
static bool enter_ipv4_only(void)
{
	struct ifreq loopback = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	if (unshare(CLONE_NEWNET) != 0)
		return false;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool ok = ioctl(fd, SIOCSIFFLAGS, &loopback) == 0;
	close(fd);
	return ok && (access("/proc/sys/net/ipv6", F_OK) != 0 ||
		      write_file("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1"));
}

static void test_no_ipv6(void)
{
	enum { FINE = 7, SKIPPED };
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		struct err e = { 0 };
		struct serve_options o = { .answer = serving_answer };
		if (!enter_ipv4_only())
			_exit(SKIPPED);
		struct server *s = server_new(&o, &e);
		bool is_said = s && server_describe(s).no_ipv6 && server_describe(s).port;
		server_free(s);
		_exit(is_said ? FINE : 1);
	}
	int status = 0;
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
		tap_ok(true, "without IPv6 # skip needs a network namespace");
	else
		tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == FINE,
		       "without IPv6 it serves on 127.0.0.1, and says why");
}

int main(void)
{
	test_requests();
	test_one_connection();
	test_ticks();
	test_addresses();
	test_taken_ipv6();
	test_public();
	test_no_ipv6();
	return tap_done();
}
