/* HTTP as text: what is a request, who may ask, what an answer looks like. */
#include "serve/http_int.h"
#include "tap.h"

#define TOKEN "0123456789abcdef0123456789abcdef"
#define HOST  "Host: localhost:80\r\n"

static unsigned status_of(const char *text)
{
	struct http_head h;
	return http_head_read(str_from(text), &h);
}

static void test_length(void)
{
	struct str text = STR("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET");
	size_t whole = text.n - 3;
	tap_num_eq(http_head_length(text, 0), whole, "a head ends after its empty line");
	tap_num_eq(http_head_length(str_first(text, whole - 1), 0), 0, "... and not before it");
	bool same = true;
	for (size_t searched = 0; searched < whole; searched++)
		same = same && http_head_length(text, searched) == whole &&
		       http_head_length(str_first(text, searched), searched) == 0;
	tap_ok(same, "it is found wherever the search goes on");
	tap_num_eq(http_head_length(STR("GET / HTTP/1.0\n\nx"), 0), 16, "lines may end without CR");
}

static void test_head(void)
{
	struct http_head h;
	unsigned status = http_head_read(STR("POST /a%20b/?x=1&y=? HTTP/1.1\r\n"
					     "hOST:  [::1]:8080 \r\n"
					     "Content-Length: 12\r\n"
					     "Origin: http://[::1]:8080\r\n"
					     "If-None-Match: \"e\"\r\n"
					     "Accept-Encoding: br, GZIP;q=0.5\r\n"
					     "Expect: 100-continue\r\n\r\n"),
					 &h);
	tap_num_eq(status, 200, "a request with everything is read");
	tap_str_eq(h.method, STR("POST"), "its method");
	tap_str_eq(h.path, STR("/a%20b/"), "its path");
	tap_str_eq(h.query, STR("x=1&y=?"), "its query");
	tap_str_eq(h.host, STR("[::1]:8080"), "its host");
	tap_str_eq(h.if_none_match, STR("\"e\""), "its etag");
	tap_ok(h.has_length && h.body_bytes == 12, "its length");
	tap_ok(h.keeps_alive && h.accepts_gzip && h.wants_continue, "what its client can do");
	http_head_read(STR("GET / HTTP/1.0\r\n" HOST "\r\n"), &h);
	tap_ok(!h.keeps_alive, "HTTP/1.0 closes");
	http_head_read(STR("GET / HTTP/1.1\r\n" HOST "Connection: TE, Close\r\n\r\n"), &h);
	tap_ok(!h.keeps_alive, "Connection: close closes");
	http_head_read(STR("GET / HTTP/1.1\r\n" HOST "Accept-Encoding: gzip;q=0.0, br\r\n\r\n"),
		       &h);
	tap_ok(!h.accepts_gzip, "gzip;q=0 refuses gzip");
	http_head_read(STR("GET / HTTP/1.1\r\n" HOST "Accept-Encoding: notgzip\r\n\r\n"), &h);
	tap_ok(!h.accepts_gzip, "gzip is a whole word");
}

static void test_rubbish(void)
{
	static const struct {
		unsigned status;
		const char *text;
	} cases[] = {
		{ 200, "GET / HTTP/1.1\r\n" HOST "\r\n" },
		{ 400, "GET / HTTP/1.1\r\n\r\n" },
		{ 400, "GET / HTTP/1.1\r\nHost:\r\n\r\n" },
		{ 400, "GET / HTTP/1.1\r\n" HOST HOST "\r\n" },
		{ 400, "GET /\r\n" HOST "\r\n" },
		{ 400, "GET  / HTTP/1.1\r\n" HOST "\r\n" },
		{ 400, "GET / x HTTP/1.1\r\n" HOST "\r\n" },
		{ 400, "GET http://localhost/ HTTP/1.1\r\n" HOST "\r\n" },
		{ 400, "GET * HTTP/1.1\r\n" HOST "\r\n" },
		{ 400, "GET /\x7f HTTP/1.1\r\n" HOST "\r\n" },
		{ 400, "GET /\xc3\xa9 HTTP/1.1\r\n" HOST "\r\n" },
		{ 400, "G(T / HTTP/1.1\r\n" HOST "\r\n" },
		{ 505, "GET / HTTP/2.0\r\n" HOST "\r\n" },
		{ 505, "GET / HTTP/1.11\r\n" HOST "\r\n" },
		{ 400, "GET / HTTP/1.1\r\n" HOST "No colon\r\n\r\n" },
		{ 400, "GET / HTTP/1.1\r\n" HOST "Space : x\r\n\r\n" },
		{ 400, "GET / HTTP/1.1\r\n" HOST ": x\r\n\r\n" },
		{ 400, "GET / HTTP/1.1\r\n" HOST " folded\r\n\r\n" },
		{ 400, "GET / HTTP/1.1\r\n" HOST "X: a\rb\r\n\r\n" },
		{ 400, "GET / HTTP/1.1\r\n" HOST "X: a\x01\r\n\r\n" },
		{ 411, "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n" },
		{ 400, "POST / HTTP/1.1\r\n" HOST "Content-Length: -1\r\n\r\n" },
		{ 400, "POST / HTTP/1.1\r\n" HOST "Content-Length: +1\r\n\r\n" },
		{ 400, "POST / HTTP/1.1\r\n" HOST "Content-Length: 0x1\r\n\r\n" },
		{ 400, "POST / HTTP/1.1\r\n" HOST "Content-Length: 1, 1\r\n\r\n" },
		{ 400, "POST / HTTP/1.1\r\n" HOST "Content-Length:\r\n\r\n" },
		{ 400, "POST / HTTP/1.1\r\n" HOST "Content-Length: 99999999999999999999\r\n\r\n" },
		{ 400,
		  "POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\nContent-Length: 1\r\n\r\n" },
		{ 400, "POST / HTTP/1.1\r\n" HOST "Origin: a\r\nOrigin: b\r\n\r\n" },
		{ 417, "POST / HTTP/1.1\r\n" HOST "Expect: cookies\r\n\r\n" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		tap_num_eq(status_of(cases[i].text), cases[i].status, "rubbish %zu is refused", i);
	tap_num_eq(status_of("GET / HTTP/1.1\r\n" HOST "X: \r\n\r\n"), 200,
		   "a header may be empty");
	AUTO(buf) struct buf many = { 0 };
	buf_add(&many, STR("GET / HTTP/1.1\r\n" HOST));
	for (unsigned i = 0; i < 200; i++)
		buf_add(&many, STR("a:b\r\n"));
	buf_add(&many, STR("\r\n"));
	struct http_head h;
	tap_num_eq(http_head_read(buf_str(&many), &h), 431, "headers are counted");
}

static bool is_ours(const char *host, uint16_t port, const char *reached)
{
	struct http_names names = { port, reached != NULL, reached ? reached : "" };
	return http_is_our_host(str_from(host), &names);
}

static void test_host(void)
{
	tap_ok(is_ours("127.0.0.1:8080", 8080, NULL) && is_ours("LocalHost:8080", 8080, NULL) &&
		       is_ours("[::1]:8080", 8080, NULL),
	       "our names with our port");
	tap_ok(is_ours("localhost", 80, NULL) && is_ours("[::1]", 80, NULL),
	       "port 80 is not named");
	tap_ok(!is_ours("localhost", 8080, NULL) && !is_ours("localhost:8081", 8080, NULL) &&
		       !is_ours("localhost:", 8080, NULL) && !is_ours("localhost:80x", 80, NULL) &&
		       !is_ours("[::1]", 8080, NULL),
	       "another port is not ours");
	tap_ok(!is_ours("evil.example:8080", 8080, NULL) &&
		       !is_ours("localhost.evil.example:8080", 8080, NULL) &&
		       !is_ours("127.0.0.11:8080", 8080, NULL) && !is_ours(":8080", 8080, NULL) &&
		       !is_ours("::1:8080", 8080, NULL) && !is_ours("[]:8080", 8080, NULL),
	       "other names are not ours");
	tap_ok(is_ours("192.0.2.1:8080", 8080, "192.0.2.1") &&
		       is_ours("[2001:db8::1]:8080", 8080, "2001:db8::1") &&
		       is_ours("localhost:8080", 8080, "192.0.2.1"),
	       "nor is the address that was reached, if any may reach it");
	tap_ok(!is_ours("192.0.2.1:8080", 8080, NULL) &&
		       !is_ours("192.0.2.2:8080", 8080, "192.0.2.1"),
	       "... and only that one");
}

static bool has_our_origin(const char *origin)
{
	struct http_head h = { .host = STR("localhost:8080") };
	if (origin)
		h.origin = str_from(origin);
	return http_is_our_origin(&h);
}

static void test_origin(void)
{
	tap_ok(has_our_origin(NULL), "a client that is no browser has no origin");
	tap_ok(has_our_origin("http://localhost:8080"), "our page's origin");
	tap_ok(!has_our_origin("null") && !has_our_origin("") &&
		       !has_our_origin("https://localhost:8080") &&
		       !has_our_origin("http://localhost:80") &&
		       !has_our_origin("http://localhost:80801") && !has_our_origin("http://"),
	       "all others are not ours");
}

static bool takes(const char *path, const char *rest)
{
	struct str s = str_from(path);
	return http_take_token(&s, TOKEN) && str_eq(s, str_from(rest));
}

static void test_token(void)
{
	tap_ok(takes("/" TOKEN "/api", "/api") && takes("/" TOKEN "/", "/") && takes("/" TOKEN, ""),
	       "the token is taken off");
	tap_ok(!takes("/", "") && !takes("/" TOKEN "x", "") && !takes("/x" TOKEN "/", "/") &&
		       !takes("/0123456789abcdef0123456789abcdeF/", "/") &&
		       !takes("/1123456789abcdef0123456789abcdef/", "/") && !takes("", ""),
	       "other paths have none");
}

static bool decodes(const char *path, const char *want)
{
	AUTO(buf) struct buf got = { 0 };
	return http_decode_path(str_from(path), &got) && str_eq(buf_str(&got), str_from(want));
}

static void test_path(void)
{
	tap_ok(decodes("/", "") && decodes("/api/tree", "api/tree") && decodes("/a%20b", "a b") &&
		       decodes("/%c3%a9", "\xc3\xa9") && decodes("/a+b", "a+b") &&
		       decodes("/a/", "a/") && decodes("/...", "...") && decodes("", "") &&
		       decodes("/%ef%bf%bd", "\xef\xbf\xbd"),
	       "paths are decoded");
	tap_ok(decodes("/%252e%252e", "%2e%2e"), "... once");
	static const char *const bad[] = { "/..",     "/../x",	 "/a/../b", "/%2e%2e/x", "/.%2E",
					   "/a%2f..", "/./x",	 "//x",	    "/a//b",	 "/%00",
					   "/a%0ab",  "/%7f",	 "/%",	    "/%4",	 "/%zz",
					   "/%ff",    "/%c2%85", "/%c0%ae", "/%2f" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		AUTO(buf) struct buf got = { 0 };
		tap_ok(!http_decode_path(str_from(bad[i]), &got), "%s is refused", bad[i]);
	}
}

static void test_etag(void)
{
	tap_ok(serve_has_etag(STR("\"a\""), "a") && serve_has_etag(STR("W/\"b\", \"a\""), "a") &&
		       serve_has_etag(STR("\"b\",W/\"a\""), "a") && serve_has_etag(STR(" * "), "a"),
	       "an etag that the client has");
	tap_ok(!serve_has_etag(STR(""), "a") && !serve_has_etag(STR("\"ab\""), "a") &&
		       !serve_has_etag(STR("a"), "a") && !serve_has_etag(STR("\"a"), "a") &&
		       !serve_has_etag(STR("\"\""), ""),
	       "one that it does not have");
}

static bool compresses(const char *type, size_t n, bool accepts, bool is_near)
{
	struct serve_answer a = { .type = type };
	memset(buf_reserve(&a.body, n), 'x', n);
	a.body.n = n;
	http_encode_body(&a, (struct http_peer){ accepts, is_near });
	bool is_smaller = a.is_gzip && a.body.n < n;
	buf_fini(&a.body);
	return is_smaller;
}

static void test_compression(void)
{
	tap_ok(compresses("application/json", 5000, true, true) &&
		       compresses("text/html", 5000, true, true),
	       "text is compressed");
	tap_ok(!compresses("application/json", 5000, false, true), "... not for all clients");
	tap_ok(!compresses("application/json", 500, true, true), "... nor if there is little");
	tap_ok(!compresses("image/png", 5000, true, false), "... nor what is compressed already");
	tap_ok(!compresses("application/octet-stream", 5000, true, true) &&
		       compresses("application/octet-stream", 5000, true, false),
	       "columns of numbers are, over a network");
}

static void test_unpacking(void)
{
	struct serve_answer a = { .status = 200, .type = "text/html" };
	for (unsigned i = 0; i < 1000; i++)
		buf_addf(&a.body, "%u ", i);
	AUTO(buf) struct buf text = { 0 };
	buf_add(&text, buf_str(&a.body));
	http_encode_body(&a, (struct http_peer){ .accepts_gzip = true });
	tap_ok(a.is_gzip && a.body.n < text.n, "a packed answer");
	http_encode_body(&a, (struct http_peer){ .accepts_gzip = false });
	tap_ok(!a.is_gzip && str_eq(buf_str(&a.body), buf_str(&text)),
	       "is unpacked for a client without gzip");
	a.is_gzip = true;
	http_encode_body(&a, (struct http_peer){ .accepts_gzip = false });
	tap_ok(!a.is_gzip && a.status == 500, "damaged data is not sent");
	buf_fini(&a.body);
}

static void test_response(void)
{
	struct serve_answer a = { .status = 200, .type = "image/svg+xml", .etag = "e" };
	snprintf(a.download, sizeof(a.download), "a\"b\r\nX: /é.svg");
	buf_add(&a.body, STR("<svg/>"));
	AUTO(buf) struct buf head = { 0 };
	http_write_head(&head, &a, true, STR("More: 1\r\n"));
	struct str text = buf_str(&head);
	tap_ok(str_starts(text, STR("HTTP/1.1 200 OK\r\n")) && str_ends(text, STR("\r\n\r\n")),
	       "a head from beginning to end");
	tap_ok(str_find(text, STR("Content-Length: 6\r\n")) > 0 &&
		       str_find(text, STR("ETag: W/\"e\"\r\n")) > 0 &&
		       str_find(text, STR("\r\nMore: 1\r\n")) > 0,
	       "its headers");
	tap_ok(str_find(text, STR("filename=\"a_b__X:___\303\251.svg\"")) < 0 &&
		       str_find(text, STR("filename=\"a_b__X:____.svg\"\r\n")) > 0,
	       "a file name adds no header");
	tap_ok(str_find(text, STR("default-src 'none'")) > 0 &&
		       str_find(text, STR("script-src 'self';")) > 0 &&
		       str_find(text, STR("worker-src blob:;")) > 0 &&
		       str_find(text, STR("nosniff")) > 0 &&
		       str_find(text, STR("Referrer-Policy: no-referrer")) > 0 &&
		       str_find(text, STR("Access-Control")) < 0,
	       "what protects the page");
	a.status = 304;
	head.n = 0;
	http_write_head(&head, &a, true, STR(""));
	tap_ok(str_find(buf_str(&head), STR("Content-")) ==
		       str_find(buf_str(&head), STR("Content-Security")),
	       "304 says nothing of a content");
	serve_fail(&a, 404, "no such file: <a>");
	tap_str_eq(buf_str(&a.body), STR("{\"error\":\"no such file: \\u003ca\\u003e\"}\n"),
		   "an error is JSON");
	tap_ok(a.status == 404 && !a.etag[0] && !a.download[0], "... and nothing else");
	buf_fini(&a.body);
}

int main(void)
{
	test_length();
	test_head();
	test_rubbish();
	test_host();
	test_origin();
	test_token();
	test_path();
	test_etag();
	test_compression();
	test_unpacking();
	test_response();
	return tap_done();
}
