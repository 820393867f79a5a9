/* Any bytes as requests: what is accepted is what it says it is, and nothing else gets through. */
#include "fuzz.h"
#include "serve/http_int.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static void check(bool holds)
{
	if (!holds)
		abort();
}

static bool is_inside(struct str s, struct str whole)
{
	return !s.p || (s.p >= whole.p && s.p + s.n <= whole.p + whole.n);
}

static void check_path(struct str path)
{
	AUTO(buf) struct buf decoded = { 0 };
	if (!http_decode_path(path, &decoded))
		return;
	struct str s = buf_str(&decoded);
	check(s.n <= path.n && (!s.n || s.p[0] != '/'));
	check(str_find(s, STR("//")) < 0 && str_find(s, STR("/../")) < 0);
	check(!str_starts(s, STR("../")) && !str_ends(s, STR("/..")) && !str_eq(s, STR("..")));
	for (size_t i = 0; i < s.n; i++)
		check((unsigned char)s.p[i] >= ' ' && s.p[i] != 127);
}

static void check_head(struct str bytes)
{
	struct http_head h;
	struct http_names names = { .port = 8080 };
	unsigned status = http_head_read(bytes, &h);
	check(status == 200 || (status >= 400 && status < 600));
	if (status != 200)
		return;
	check(is_inside(h.method, bytes) && is_inside(h.path, bytes) && is_inside(h.query, bytes));
	check(is_inside(h.host, bytes) && is_inside(h.origin, bytes));
	check(h.method.n && h.host.n && h.path.n && h.path.p[0] == '/');
	check(h.has_length || !h.body_bytes);
	if (http_is_our_host(h.host, &names))
		check(str_ends(h.host, STR(":8080")));
	http_is_our_origin(&h);
	serve_has_etag(h.if_none_match, "etag");
	struct str path = h.path;
	if (http_take_token(&path, TOKEN))
		check(str_starts(h.path, STR("/" TOKEN)));
	check_path(h.path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct str bytes = { (const char *)data, n };
	size_t whole = http_head_length(bytes, 0);
	check(whole <= n);
	if (whole) {
		for (size_t searched = 0; searched < whole && searched < 300; searched++)
			check(http_head_length(bytes, searched) == whole);
		check_head(str_first(bytes, whole));
	}
	check_path(bytes);
	return 0;
}
