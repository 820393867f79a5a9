/* Formats an answer as HTTP. */
#include "serve/http_int.h"

#include <libdeflate.h>

enum {
	LEAST_TO_COMPRESS = 1024,
	MAX_UNPACKED = 64 << 20, /* compressed answers are plume's own files */
};

static const struct {
	unsigned status;
	const char *reason, *sentence;
} statuses[] = {
	{ 200, "OK", "" },
	{ 304, "Not Modified", "" },
	{ 308, "Permanent Redirect", "moved" },
	{ 400, "Bad Request", "plume cannot read this request" },
	{ 403, "Forbidden", "open the address that plume printed" },
	{ 404, "Not Found", "not found" },
	{ 405, "Method Not Allowed", "only GET, HEAD and POST are allowed" },
	{ 408, "Request Timeout", "the request took too long to arrive" },
	{ 409, "Conflict", "not ready" },
	{ 411, "Length Required", "a body needs a Content-Length" },
	{ 413, "Content Too Large", "the body is too large" },
	{ 414, "URI Too Long", "the address is too long" },
	{ 417, "Expectation Failed", "Expect can only be 100-continue" },
	{ 431, "Request Header Fields Too Large", "the headers are too large" },
	{ 500, "Internal Server Error", "internal error" },
	{ 503, "Service Unavailable", "too busy; try again" },
	{ 505, "HTTP Version Not Supported", "only HTTP/1.1 and HTTP/1.0 are supported" },
};

static size_t find_status(unsigned status)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++)
		if (statuses[i].status == status)
			return i;
	return SIZE_MAX;
}

const char *http_sentence(unsigned status)
{
	size_t i = find_status(status);
	return i == SIZE_MAX ? "" : statuses[i].sentence;
}

void serve_fail(struct serve_answer *answer, unsigned status, const char *text)
{
	struct json_out j = { .text = answer->body };
	j.text.n = 0;
	json_out_open(&j, NULL, '{');
	json_out_string(&j, "error", str_from(text));
	json_out_close(&j, '}');
	buf_add_char(&j.text, '\n');
	*answer = (struct serve_answer){ .status = status,
					 .type = "application/json",
					 .body = j.text };
}

bool serve_has_etag(struct str if_none_match, const char *etag)
{
	struct str wanted = str_from(etag);
	if (str_eq(str_trim(if_none_match), STR("*")))
		return true;
	/* Each is "..." or W/"...": compared without the W/, and no etag has a quote in it. */
	for (struct str rest = if_none_match; wanted.n;) {
		ptrdiff_t open = str_find_char(rest, '"');
		struct str inside = str_from_byte(rest, (size_t)open + 1);
		ptrdiff_t end = open < 0 ? -1 : str_find_char(inside, '"');
		if (end < 0)
			return false;
		if (str_eq(str_first(inside, (size_t)end), wanted))
			return true;
		rest = str_from_byte(inside, (size_t)end + 1);
	}
	return false;
}

static bool is_compressible(const char *type)
{
	static const char *const words[] = { "text/", "json", "javascript", "xml", "wasm" };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(type, words[i]))
			return true;
	return false;
}

/*
 * Columns of numbers hardly shrink, and compressing them takes longer than sending them over
 * loopback. Over a network it pays.
 */
static bool should_compress(const struct serve_answer *a, struct http_peer peer)
{
	if (!peer.accepts_gzip || a->is_gzip || !a->type || a->body.n < LEAST_TO_COMPRESS)
		return false;
	if (strcmp(a->type, "application/octet-stream") == 0)
		return !peer.is_near;
	return is_compressible(a->type);
}

static void compress(struct serve_answer *a)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(1);
	if (!c)
		return;
	struct buf packed = { 0 };
	buf_reserve(&packed, a->body.n);
	packed.n = libdeflate_gzip_compress(c, a->body.p, a->body.n, packed.p, a->body.n);
	libdeflate_free_compressor(c);
	if (packed.n) { /* otherwise it would be larger */
		buf_fini(&a->body);
		a->body = packed;
		a->is_gzip = true;
	} else {
		buf_fini(&packed);
	}
}

/* gzip ends with the unpacked length. */
static uint32_t unpacked_length(const struct buf *packed)
{
	uint32_t n = 0;
	if (packed->n >= 18)
		memcpy(&n, packed->p + packed->n - 4, 4);
	return n;
}

static void unpack(struct serve_answer *a)
{
	uint32_t n = unpacked_length(&a->body);
	struct buf plain = { 0 };
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	bool ok = d && n <= MAX_UNPACKED &&
		  libdeflate_gzip_decompress(d, a->body.p, a->body.n, buf_reserve(&plain, n), n,
					     NULL) == LIBDEFLATE_SUCCESS;
	libdeflate_free_decompressor(d);
	if (!ok) {
		buf_fini(&plain);
		serve_fail(a, 500, http_sentence(500));
		return;
	}
	plain.n = n;
	buf_fini(&a->body);
	a->body = plain;
	a->is_gzip = false;
}

void http_encode_body(struct serve_answer *a, struct http_peer peer)
{
	if (a->is_gzip && !peer.accepts_gzip)
		unpack(a);
	else if (should_compress(a, peer))
		compress(a);
}

/* Replaces what a quoted header value may not contain with '_'. */
static void add_quoted(struct buf *to, const char *text)
{
	buf_add_char(to, '"');
	for (const char *p = text; *p; p++)
		buf_add_char(to, *p > ' ' && *p < 127 && !strchr("\"\\/%", *p) ? *p : '_');
	buf_add_char(to, '"');
}

static void add_caching(struct buf *to, const struct serve_answer *a)
{
	if (a->etag[0]) {
		/* Weak: compressed or not, it is the same answer. */
		buf_add(to, STR("ETag: W/"));
		add_quoted(to, a->etag);
		buf_add(to, STR("\r\n"));
	}
	buf_addf(to, "Cache-Control: %s\r\nVary: Accept-Encoding\r\n",
		 a->status >= 400  ? "no-store"
		 : a->is_immutable ? "private, max-age=31536000, immutable"
				   : "no-cache");
}

static void add_content(struct buf *to, const struct serve_answer *a)
{
	if (a->status == 304)
		return;
	if (a->type && a->body.n)
		buf_addf(to, "Content-Type: %s%s\r\n", a->type,
			 str_starts(str_from(a->type), STR("text/")) && !strchr(a->type, ';')
				 ? "; charset=utf-8"
				 : "");
	if (a->is_gzip)
		buf_add(to, STR("Content-Encoding: gzip\r\n"));
	if (a->download[0]) {
		buf_add(to, STR("Content-Disposition: attachment; filename="));
		add_quoted(to, a->download);
		buf_add(to, STR("\r\n"));
	}
	buf_addf(to, "Content-Length: %zu\r\n", a->body.n);
}

/*
 * On every answer, not only on pages: an SVG is a page, and a worker follows the policy that came
 * with its script.
 */
static const char protection[] =
	"Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
	"img-src 'self' data: blob:; connect-src 'self'; worker-src blob:; base-uri 'none'; "
	"form-action 'none'; frame-ancestors 'none'\r\n"
	"X-Content-Type-Options: nosniff\r\n"
	"Referrer-Policy: no-referrer\r\n"
	"Cross-Origin-Resource-Policy: same-origin\r\n"
	"Cross-Origin-Opener-Policy: same-origin\r\n";

void http_write_head(struct buf *to, const struct serve_answer *a, bool keeps_alive,
		     struct str more)
{
	size_t i = find_status(a->status);
	buf_addf(to, "HTTP/1.1 %u %s\r\n", a->status, i == SIZE_MAX ? "" : statuses[i].reason);
	add_content(to, a);
	add_caching(to, a);
	buf_add(to, STR(protection));
	buf_add(to, more);
	buf_addf(to, "Connection: %s\r\n\r\n", keeps_alive ? "keep-alive" : "close");
}
