/* Sources that exist only in a source map. The recorder notes the scripts that had one. */
#include "source_text/source_text_int.h"
#include "source_map/source_map.h"

enum { MOST_SCRIPT_BYTES = 64 << 20, MOST_MAP_BYTES = 256 << 20 };

static struct str folder_of(struct str path)
{
	ptrdiff_t slash = str_find_last_char(path, '/');
	return str_first(path, slash < 0 ? 0 : (size_t)slash);
}

static bool read_file(const struct wanted_text *w, struct buf *path, size_t most, struct buf *text)
{
	struct err ignored = { 0 };
	struct reader *r = open_as_recorded(w, path, &ignored);
	bool ok = r && read_text_file(r, most, text, &ignored);
	reader_free(r);
	return ok;
}

/* The map that a script refers to, or the one next to it. path becomes the map's. */
static bool read_map(const struct wanted_text *w, struct buf *path, struct buf *map)
{
	AUTO(buf) struct buf script = { 0 };
	AUTO(buf) struct buf folder = { 0 };
	struct str url;
	if (!read_file(w, path, MOST_SCRIPT_BYTES, &script))
		return false;
	if (!source_map_url(buf_str(&script), &url)) {
		buf_add(path, STR(".map"));
		return read_file(w, path, MOST_MAP_BYTES, map);
	}
	if (str_starts(url, STR("data:")))
		return source_map_data(url, map);
	buf_add(&folder, folder_of(buf_str(path)));
	path->n = 0;
	source_map_resolve(buf_str(&folder), STR(""), url, path);
	return path->n && path->p[0] == '/' && !memchr(path->p, 0, path->n) &&
	       read_file(w, path, MOST_MAP_BYTES, map);
}

static bool text_from_script(const struct wanted_text *w, struct str script, struct buf *text)
{
	AUTO(buf) struct buf path = { 0 };
	AUTO(buf) struct buf map = { 0 };
	size_t before = text->n;
	if (!source_map_script_path(script, &path) || !read_map(w, &path, &map) ||
	    !source_map_content(buf_str(&map), folder_of(buf_str(&path)), w->file, text))
		return false;
	if (text->n - before <= SOURCE_TEXT_MOST_BYTES)
		return true;
	text->n = before;
	return false;
}

bool text_from_source_maps(const struct wanted_text *w, struct buf *text)
{
	enum { MOST_SCRIPTS = 64 }; /* a merged profile has those of each recording */
	unsigned tried = 0;
	for (uint32_t i = 0; i < w->p->facts.n && tried < MOST_SCRIPTS; i++) {
		struct fact fact = w->p->facts.p[i];
		if (!str_eq(profile_str(w->p, fact.key), STR("mapped script")))
			continue;
		tried++;
		if (text_from_script(w, profile_str(w->p, fact.text), text))
			return true;
	}
	return false;
}
