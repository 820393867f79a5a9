#include "cmd/page_sources.h"

#include "source_text/source_text.h"

/* What a browser can show comfortably. */
enum { MOST_BYTES = 32 << 20, MOST_BYTES_OF_ONE = 4 << 20, MOST_FILES = 2000 };

void page_sources_fini(struct page_sources *s)
{
	vec_fini(&s->list);
	arena_fini(&s->text);
}

static bool has_path(const struct page_sources *s, struct str path)
{
	for (uint32_t i = 0; i < s->list.n; i++)
		if (str_eq(s->list.p[i].path, path))
			return true;
	return false;
}

static size_t bytes_of(const struct page_sources *s)
{
	size_t bytes = 0;
	for (uint32_t i = 0; i < s->list.n; i++)
		bytes += s->list.p[i].text.n;
	return bytes;
}

static bool add_source(struct page_sources *s, const struct source_text_finder *finder,
		       const struct profile *p, struct str path, struct str module)
{
	AUTO(buf) struct buf text = { 0 };
	const char *origin;
	struct err why = { 0 };
	if (!source_text_find(finder, p, path, module, &text, &origin, &why) ||
	    text.n > MOST_BYTES_OF_ONE || bytes_of(s) + text.n > MOST_BYTES)
		return false;
	vec_push(&s->list, (struct page_source){ .path = arena_copy(&s->text, path),
						 .text = arena_copy(&s->text, buf_str(&text)),
						 .origin = origin });
	return true;
}

/* By string: the module of a sampled function in the file of that name; INDEX_NONE if there is none. */
static str_id *modules_by_file(const struct profile *p)
{
	str_id *module = index_none_alloc((uint64_t)p->strings.n + 1);
	AUTO_FREE bool *is_used = mem_zalloc((size_t)p->nodes.n + 1, sizeof(*is_used));
	for (uint32_t i = 0; i < p->samples.n; i++)
		is_used[p->samples.node[i]] = true;
	for (uint32_t i = p->nodes.n; i-- > 1;) {
		const struct frame *f = &p->frames.p[p->nodes.p[i].frame];
		if (!is_used[i])
			continue;
		is_used[p->nodes.p[i].parent] = true;
		module[f->function_file ? f->function_file : f->file] = f->module;
	}
	module[STR_NONE] = INDEX_NONE;
	return module;
}

void page_sources_find(struct page_sources *s, const struct profile *p)
{
	struct source_text_finder *finder = source_text_finder_new();
	AUTO_FREE str_id *module = modules_by_file(p);
	for (uint32_t i = 0; i < p->strings.n && s->files < MOST_FILES; i++) {
		if (module[i] == INDEX_NONE || has_path(s, p->strings.p[i]))
			continue;
		s->files++;
		if (!add_source(s, finder, p, p->strings.p[i], p->strings.p[module[i]]))
			s->left_out++;
	}
	source_text_finder_free(finder);
}
