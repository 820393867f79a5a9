/*
 * The program's own query engine inside a page without a server. Compiled to WebAssembly from the same sources as
 * plume; web/page/offline.ts calls it. A page holds one .plume and asks the questions of doc/api.md.
 */
#include "api/api.h"
#include "store/store.h"

#define EXPORT(name) __attribute__((export_name(#name)))

static struct api *api;
static struct api_answer answer;

/* Memory for what the page passes. */
EXPORT(engine_alloc) char *engine_alloc(uint32_t bytes);
char *engine_alloc(uint32_t bytes)
{
	return mem_alloc(bytes + 1u, 1);
}

EXPORT(engine_free) void engine_free(char *p);
void engine_free(char *p)
{
	free(p);
}

/* A source file whose text came with the page. */
struct source_file {
	struct str path, text;
};
static VEC(struct source_file) sources;

/* Takes both texts over. */
EXPORT(engine_add_source) void engine_add_source(char *path, uint32_t path_bytes, char *text, uint32_t text_bytes);
void engine_add_source(char *path, uint32_t path_bytes, char *text, uint32_t text_bytes)
{
	vec_push(&sources, (struct source_file){ { path, path_bytes }, { text, text_bytes } });
}

static bool source_text(void *context, const struct profile *p, struct str file, struct str module,
			struct buf *text, const char **origin, struct err *e)
{
	(void)context, (void)p, (void)module;
	for (uint32_t i = 0; i < sources.n; i++) {
		if (!str_eq(sources.p[i].path, file))
			continue;
		buf_add(text, sources.p[i].text);
		*origin = "page";
		return true;
	}
	return err_set(e, "this page was written without source text (--with-source adds it)");
}

/*
 * Adds a .plume as a file of the page: number 1 is shown first, 2 is the baseline of a diff. Returns the number of its samples, or -1 if it
 * cannot be read.
 */
EXPORT(engine_open) double engine_open(uint32_t number, char *bytes, uint32_t n, char *name, uint32_t name_bytes);
double engine_open(uint32_t number, char *bytes, uint32_t n, char *name, uint32_t name_bytes)
{
	static const struct api_host host = { .source_text = source_text };
	char id[12];
	struct profile *p = profile_new(COLUMNS_ALL);
	struct store_reader *r = store_reader_new(p, true);
	store_reader_feed(r, (struct str){ bytes, n }, 0);
	bool is_read = store_reader_state(r) == STORE_ENDED;
	store_reader_free(r);
	if (!is_read)
		return -1;
	profile_seal(p);
	if (!api)
		api = api_new(&host);
	snprintf(id, sizeof(id), "%u", number);
	api_set_file(api, &(struct api_file){ .id = str_from(id),
					      .name = { name, name_bytes },
					      .bytes = n,
					      .samples = p->ledger.count[LEDGER_SAMPLES],
					      .state = API_READY,
					      .is_shown = number == 1,
					      .profile = p });
	double samples = (double)p->ledger.count[LEDGER_SAMPLES];
	profile_unref(p);
	return samples;
}

/* Answers a question; the parts of the answer stay until the next one. Returns the status. */
EXPORT(engine_ask) uint32_t engine_ask(char *name, uint32_t name_bytes, char *query, uint32_t query_bytes);
uint32_t engine_ask(char *name, uint32_t name_bytes, char *query, uint32_t query_bytes)
{
	api_answer_fini(&answer);
	api_answer(api, (struct str){ name, name_bytes }, (struct str){ query, query_bytes }, &answer);
	return answer.status;
}

EXPORT(engine_body) const char *engine_body(void);
const char *engine_body(void)
{
	return answer.body.p;
}

EXPORT(engine_body_bytes) uint32_t engine_body_bytes(void);
uint32_t engine_body_bytes(void)
{
	return (uint32_t)answer.body.n;
}

EXPORT(engine_download) const char *engine_download(void);
const char *engine_download(void)
{
	return answer.download;
}
