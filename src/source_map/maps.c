/* The maps of all scripts requested so far: each is read once, and the outcome is kept. */
#include "source_map/source_map_int.h"

#include <errno.h>

enum {
	MAX_SCRIPTS = 1 << 14,
	MAX_ALL_SEGMENTS = 1 << 23,
	MAX_SCRIPT_BYTES = 256 << 20, /* including an inline map */
	MAX_MAP_BYTES = 1 << 30,      /* including the text of all sources */
};

struct script {
	uint64_t root;
	struct str name;
	uint64_t changed_unix_ns; /* when the script was written; 0 if not known */
	uint32_t checked;	  /* the round in which the file was last checked */
	struct source_map *map;	  /* NULL if it has none */
	struct str trouble;	  /* why it has none; empty if it does not refer to one */
};

struct source_maps {
	struct source_map_files files;
	VEC(struct script) list;
	struct index_map by_name;
	struct arena text;
	uint64_t segments; /* of all maps */
	uint64_t left_out; /* requested when there were too many already */
	uint32_t round;
};

struct source_maps *source_maps_new(const struct source_map_files *files)
{
	struct source_maps *maps = mem_zalloc(1, sizeof(*maps));
	maps->files = *files;
	return maps;
}

void source_maps_free(struct source_maps *maps)
{
	if (!maps)
		return;
	for (uint32_t i = 0; i < maps->list.n; i++)
		source_map_free(maps->list.p[i].map);
	vec_fini(&maps->list);
	index_map_fini(&maps->by_name);
	arena_fini(&maps->text);
	free(maps);
}

void source_maps_check_again(struct source_maps *maps)
{
	maps->round++;
}

/* --- reading a map --- */

/* The state of the search for a script's map. */
struct search {
	struct source_maps *maps;
	int32_t pid;
	struct str path; /* of the script */
	struct err *e;
};

static struct str folder_of(struct str path)
{
	ptrdiff_t slash = str_find_last_char(path, '/');
	return str_first(path, slash < 0 ? 0 : (size_t)slash);
}

static struct reader *open_file(const struct search *s, struct buf *path)
{
	const struct source_map_files *files = &s->maps->files;
	return files->open(files->context, s->pid, buf_c_string(path), s->e);
}

/* Reads it from a reader, which it frees. */
static struct source_map *read_map(const struct search *s, struct reader *r, const char *name,
				   struct str folder)
{
	struct err why = { 0 };
	struct source_map *m = NULL;
	reader_limit(r, MAX_MAP_BYTES);
	/* No tool uses compressed maps, and they could expand without bound. */
	if (reader_compression(r))
		err_set(&why, "it is compressed");
	else
		m = source_map_read(r, folder, &why);
	if (!m)
		err_set(s->e, "%s: %s", name, why.text);
	reader_free(r);
	return m;
}

static struct source_map *read_inline(const struct search *s, struct str url)
{
	AUTO(buf) struct buf bytes = { 0 };
	if (!source_map_data(url, &bytes)) {
		err_set(s->e, "the inline source map is not valid base64");
		return NULL;
	}
	return read_map(s, reader_of_memory(buf_str(&bytes), 0), "the inline source map",
			folder_of(s->path));
}

static struct source_map *read_beside(const struct search *s, struct str url)
{
	AUTO(buf) struct buf path = { 0 };
	source_map_resolve(folder_of(s->path), STR(""), url, &path);
	if (!path.n || path.p[0] != '/' || memchr(path.p, 0, path.n)) {
		err_set(s->e,
			"its source map is at %.*s, and plume does not download anything: put a "
			"copy beside it",
			STR_ARG(str_first(url, 120)));
		return NULL;
	}
	struct reader *r = open_file(s, &path);
	return r ? read_map(s, r, buf_c_string(&path), folder_of(buf_str(&path))) : NULL;
}

/* A script without a reference may still have a map: some leave it out so that visitors do not find the map. */
static struct source_map *read_untold(const struct search *s)
{
	AUTO(buf) struct buf path = { 0 };
	buf_addf(&path, "%.*s.map", STR_ARG(s->path));
	struct reader *r = open_file(s, &path);
	if (r)
		return read_map(s, r, buf_c_string(&path), folder_of(buf_str(&path)));
	if (errno == ENOENT)
		*s->e = (struct err){ 0 };
	return NULL;
}

static struct source_map *find_map(const struct search *s, struct reader *script)
{
	struct str url;
	if (reader_compression(script) || !reader_fill_all(script, MAX_SCRIPT_BYTES)) {
		err_set(s->e, "it is compressed or longer than 256 MB");
		return NULL;
	}
	struct str text = reader_window(script);
	struct source_map *m = !source_map_url(text, &url)     ? read_untold(s)
			       : str_starts(url, STR("data:")) ? read_inline(s, url)
							       : read_beside(s, url);
	if (m)
		source_map_read_words(m, text);
	return m;
}

/* --- cache --- */

static void add_plain(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		buf_add_char(out,
			     (unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f ? '?' : text.p[i]);
}

static void set_trouble(struct source_maps *maps, struct script *k, struct str path,
			const char *why)
{
	enum { MAX_BYTES = 400 };
	AUTO(buf) struct buf text = { 0 };
	add_plain(&text, path);
	if (!str_starts(str_from(why), path)) /* otherwise it is about the map and names it */
		buf_add(&text, STR(": "));
	else
		text.n = 0;
	add_plain(&text, str_from(why));
	k->trouble = arena_copy(&maps->text, str_first(buf_str(&text), MAX_BYTES));
}

static void drop_map(struct source_maps *maps, struct script *k)
{
	if (k->map)
		maps->segments -= source_map_segments(k->map);
	source_map_free(k->map);
	k->map = NULL;
	k->trouble = STR("");
}

static void keep_map(struct source_maps *maps, struct script *k, struct source_map *m,
		     struct err *e)
{
	if (m && maps->segments + source_map_segments(m) > MAX_ALL_SEGMENTS) {
		err_set(e, "its source map is not used: others have used up the memory for source "
			   "maps");
		source_map_free(m);
		m = NULL;
	}
	maps->segments += m ? source_map_segments(m) : 0;
	k->map = m;
}

/* Checks the script's file; reads its map unless the file is unchanged. */
static void look(struct source_maps *maps, struct script *k, int32_t pid)
{
	AUTO(buf) struct buf path = { 0 };
	struct err e = { 0 };
	struct search s = { maps, pid, { 0 }, &e };
	k->checked = maps->round;
	if (!source_map_script_path(k->name, &path))
		return;	     /* part of Node.js, or generated by the program */
	buf_c_string(&path); /* opening the file would move the text to terminate it */
	s.path = buf_str(&path);
	struct reader *script = open_file(&s, &path);
	uint64_t changed = script ? reader_changed_unix_ns(script) : 0;
	if (changed && changed == k->changed_unix_ns) {
		reader_free(script);
		return;
	}
	drop_map(maps, k);
	k->changed_unix_ns = changed;
	if (script)
		keep_map(maps, k, find_map(&s, script), &e);
	reader_free(script);
	if (e.text[0] && !k->map)
		set_trouble(maps, k, s.path, e.text);
}

struct script_key {
	uint64_t root;
	struct str name;
};

static bool script_equal(const void *list, uint32_t i, const void *key)
{
	const struct script *a = &((const struct script *)list)[i];
	const struct script_key *b = key;
	return a->root == b->root && str_eq(a->name, b->name);
}

const struct source_map *source_maps_get(struct source_maps *maps, int32_t pid, struct str script)
{
	struct script_key key = { maps->files.root(maps->files.context, pid), script };
	uint32_t hash = hash_pair(hash_str(script), (uint32_t)key.root);
	uint32_t i = index_map_find(&maps->by_name, hash, script_equal, maps->list.p, &key);
	if (i == INDEX_NONE && (maps->list.n >= MAX_SCRIPTS || script.n > MAX_SOURCE_BYTES)) {
		maps->left_out++;
		return NULL;
	}
	if (i == INDEX_NONE) {
		i = maps->list.n;
		index_map_add(&maps->by_name, hash, i);
		vec_push(&maps->list, (struct script){ .root = key.root,
						       .name = arena_copy(&maps->text, script),
						       .checked = maps->round - 1 });
	}
	struct script *k = &maps->list.p[i];
	if (k->checked != maps->round)
		look(maps, k, pid);
	return k->map;
}

/* --- statistics --- */

static bool is_file(struct str name)
{
	return str_starts(name, STR("/")) || str_starts(name, STR("file://"));
}

void source_maps_describe(const struct source_maps *maps, struct buf *out)
{
	uint32_t scripts = 0, with = 0, broken = 0;
	for (uint32_t i = 0; i < maps->list.n; i++) {
		scripts += is_file(maps->list.p[i].name);
		with += maps->list.p[i].map != NULL;
		broken += maps->list.p[i].trouble.n > 0;
	}
	if (!scripts)
		return;
	buf_addf(out, "%u of %u scripts had one", with, scripts);
	if (broken)
		buf_addf(out, ", %u could not be read", broken);
	if (maps->left_out)
		buf_addf(out, "; plume did not look at further scripts");
}

uint32_t source_maps_scripts(const struct source_maps *maps)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < maps->list.n; i++)
		n += maps->list.p[i].map != NULL;
	return n;
}

void source_maps_script(const struct source_maps *maps, uint32_t which, struct buf *path)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < maps->list.n; i++)
		if (maps->list.p[i].map && n++ == which)
			source_map_script_path(maps->list.p[i].name, path);
}

enum { MAX_TROUBLES = 8 };

uint32_t source_maps_troubles(const struct source_maps *maps)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < maps->list.n; i++)
		n += maps->list.p[i].trouble.n > 0;
	return n > MAX_TROUBLES ? MAX_TROUBLES + 1 : n;
}

void source_maps_trouble(const struct source_maps *maps, uint32_t which, struct buf *sentence)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < maps->list.n; i++) {
		struct str trouble = maps->list.p[i].trouble;
		if (trouble.n && n++ == which && which < MAX_TROUBLES)
			buf_add(sentence, trouble);
	}
	if (which == MAX_TROUBLES)
		buf_addf(sentence, "%u more source maps could not be read", n - MAX_TROUBLES);
}
