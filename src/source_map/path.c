/* Paths in maps: relative to the map, URLs, and those that bundlers invent. */
#include "source_map/source_map_int.h"

/* The length of a leading `scheme://`, or 0. */
static size_t scheme_bytes(struct str url)
{
	ptrdiff_t at = str_find(url, STR("://"));
	for (ptrdiff_t i = 0; i < at; i++) {
		char c = url.p[i] | 32;
		if (!(c >= 'a' && c <= 'z') && !is_digit(url.p[i]) && !strchr("+-.", url.p[i]))
			return 0;
	}
	return at > 0 ? (size_t)at + 3 : 0;
}

static bool is_absolute(struct str path)
{
	return str_starts(path, STR("/")) || scheme_bytes(path);
}

/* Removes the last part, for `..`. Returns false if there is none that can be removed. */
static bool drop_part(struct buf *out, size_t start)
{
	struct str path = str_from_byte(buf_str(out), start);
	ptrdiff_t slash = str_find_last_char(path, '/');
	struct str last = str_from_byte(path, (size_t)(slash + 1));
	if (!last.n || str_eq(last, STR("..")))
		return false;
	out->n = start + (slash > 0 ? (size_t)slash : 0);
	return true;
}

/* Appends a path without `.` and empty parts, and without `..` as far as possible. */
static void add_tidied(struct buf *out, struct str path)
{
	bool is_rooted = str_starts(path, STR("/"));
	size_t start = out->n;
	if (is_rooted)
		start++, buf_add_char(out, '/');
	while (path.n) {
		ptrdiff_t slash = str_find_char(path, '/');
		struct str part = str_first(path, slash < 0 ? path.n : (size_t)slash);
		path = str_from_byte(path, part.n + 1);
		if (!part.n || str_eq(part, STR(".")))
			continue;
		if (str_eq(part, STR("..")) && (drop_part(out, start) || is_rooted))
			continue;
		if (out->n > start)
			buf_add_char(out, '/');
		buf_add(out, part);
	}
}

static struct str without_query(struct str url)
{
	ptrdiff_t at = str_find_char(url, '?');
	return at < 0 ? url : str_first(url, (size_t)at);
}

/* The part after `file://host`, `webpack://project`. */
static struct str behind_host(struct str url, size_t scheme)
{
	struct str rest = str_from_byte(url, scheme);
	ptrdiff_t slash = str_find_char(rest, '/');
	return str_from_byte(rest, slash < 0 ? rest.n : (size_t)slash);
}

static void add_unescaped(struct buf *out, struct str path)
{
	AUTO(buf) struct buf plain = { 0 };
	source_map_unescape(path, &plain);
	add_tidied(out, buf_str(&plain));
}

/* `webpack://app/./src/a.ts?1f2e` is src/a.ts in the project app. Two slashes: an absolute path. */
static void add_of_bundle(struct buf *out, struct str url, size_t scheme)
{
	struct str path = behind_host(without_query(url), scheme);
	add_unescaped(out, str_from_byte(path, 1));
}

static void add_any(struct buf *out, struct str url)
{
	size_t scheme = scheme_bytes(url);
	if (!scheme)
		add_unescaped(out, url);
	else if (str_starts(url, STR("file://")))
		add_unescaped(out, behind_host(without_query(url), scheme));
	else if (str_starts(url, STR("webpack")))
		add_of_bundle(out, url, scheme);
	else
		buf_add(out, url);
}

void source_map_resolve(struct str folder, struct str root, struct str source, struct buf *path)
{
	AUTO(buf) struct buf url = { 0 };
	if (!is_absolute(source) && root.n) {
		buf_addf(&url, "%.*s%s", STR_ARG(root), root.p[root.n - 1] == '/' ? "" : "/");
		buf_add(&url, source);
		source = buf_str(&url);
	}
	AUTO(buf) struct buf whole = { 0 };
	if (!is_absolute(source)) {
		buf_add(&whole, folder);
		buf_add_char(&whole, '/');
		buf_add(&whole, source);
		source = buf_str(&whole);
	}
	add_any(path, source);
}

bool source_map_script_path(struct str name, struct buf *path)
{
	if (str_starts(name, STR("file://")))
		add_any(path, name);
	else if (str_starts(name, STR("/")))
		buf_add(path, name);
	return path->n > 1 && !memchr(path->p, 0, path->n);
}
