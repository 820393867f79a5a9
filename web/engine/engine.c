/*
 * plume's query engine for the offline page. Compiled to WebAssembly from the same sources as
 * plume; wasm.ts calls it. A page holds profiles as .plume files and asks the questions of doc/api.md.
 */
#include "api/api.h"
#include "store/store.h"

#define EXPORT(name) __attribute__((export_name(#name)))

static struct api *api;
static struct api_answer answer;

/* Memory for data from the page. */
EXPORT(engine_alloc) char *engine_alloc(uint32_t bytes);
char *engine_alloc(uint32_t bytes)
{
	return mem_alloc(bytes + 1u, 1);
}

/* A source file whose text came with the page. */
struct source_file {
	struct str path, text;
	const char *origin;
};
static VEC(struct source_file) sources;

/* Takes ownership of all strings. */
EXPORT(engine_add_source)
void engine_add_source(char *path, uint32_t path_bytes, char *text, uint32_t text_bytes,
		       char *origin, uint32_t origin_bytes);
void engine_add_source(char *path, uint32_t path_bytes, char *text, uint32_t text_bytes,
		       char *origin, uint32_t origin_bytes)
{
	origin[origin_bytes] = 0;
	vec_push(&sources,
		 (struct source_file){ { path, path_bytes }, { text, text_bytes }, origin });
}

static bool source_text(void *context, const struct profile *p, struct str file, struct str module,
			struct buf *text, const char **origin, struct err *e)
{
	(void)context, (void)p, (void)module;
	for (uint32_t i = 0; i < sources.n; i++) {
		if (!str_eq(sources.p[i].path, file))
			continue;
		buf_add(text, sources.p[i].text);
		*origin = sources.p[i].origin;
		return true;
	}
	return err_set(e, "this page was written without source text (--with-source adds it)");
}

/* --- profiles --- */

static char fault[200];

/* Why engine_open refused the profile. */
EXPORT(engine_fault) const char *engine_fault(void);
const char *engine_fault(void)
{
	return fault;
}

/* NULL if the bytes are not a whole .plume. */
static struct profile *read_profile(struct str bytes)
{
	struct profile *p = profile_new(COLUMNS_ALL);
	struct store_reader *r = store_reader_new(p, true);
	store_reader_feed(r, bytes, 0);
	enum store_state state = store_reader_state(r);
	snprintf(fault, sizeof(fault), "%s",
		 state == STORE_BROKEN ? store_reader_fault(r) : "its end is missing");
	store_reader_free(r);
	profile_seal(p);
	if (state == STORE_ENDED)
		return p;
	profile_unref(p);
	return NULL;
}

static void set_file(uint32_t number, struct api_file *f)
{
	static const struct api_host host = { .source_text = source_text };
	char id[12];
	snprintf(id, sizeof(id), "%u", number);
	f->id = str_from(id);
	if (!api)
		api = api_new(&host);
	api_set_file(api, f);
}

static void add_file(uint32_t number, bool is_shown, struct str name, struct profile *p)
{
	struct api_file f = {
		.name = name, .state = API_READY, .is_shown = is_shown, .profile = p
	};
	f.samples = p->ledger.count[LEDGER_SAMPLES];
	uint64_t first = UINT64_MAX, last = 0;
	for (uint32_t i = 0; p->samples.time_ns && i < p->samples.n; i++) {
		first = p->samples.time_ns[i] < first ? p->samples.time_ns[i] : first;
		last = p->samples.time_ns[i] > last ? p->samples.time_ns[i] : last;
	}
	f.duration_ns = last > first ? last - first : 0;
	str_to_u64(profile_fact(p, STR("started_unix_ns")), &f.start_unix_ns);
	set_file(number, &f);
}

/* Lists a file that cannot be read. Takes ownership of both strings. */
EXPORT(engine_fail)
void engine_fail(uint32_t number, char *name, uint32_t name_bytes, char *reason,
		 uint32_t reason_bytes);
void engine_fail(uint32_t number, char *name, uint32_t name_bytes, char *reason,
		 uint32_t reason_bytes)
{
	struct api_file f = { .name = { name, name_bytes },
			      .reason = { reason, reason_bytes },
			      .state = API_FAILED };
	set_file(number, &f);
	free(name);
	free(reason);
}

/*
 * Adds a .plume as a file of the page. is_shown: at first, as opposed to the baseline of a diff.
 * Takes ownership of both strings. Returns false if it cannot be read; engine_fault says why.
 */
EXPORT(engine_open)
uint32_t engine_open(uint32_t number, uint32_t is_shown, char *bytes, uint32_t n, char *name,
		     uint32_t name_bytes);
uint32_t engine_open(uint32_t number, uint32_t is_shown, char *bytes, uint32_t n, char *name,
		     uint32_t name_bytes)
{
	struct profile *p = read_profile((struct str){ bytes, n });
	free(bytes);
	if (p)
		add_file(number, is_shown != 0, (struct str){ name, name_bytes }, p);
	free(name);
	profile_unref(p);
	return p != NULL;
}

/* --- requests --- */

/*
 * Answers a request; the answer stays valid until the next one. Takes ownership of both strings.
 * Returns the status.
 */
EXPORT(engine_ask)
uint32_t engine_ask(char *name, uint32_t name_bytes, char *query, uint32_t query_bytes);
uint32_t engine_ask(char *name, uint32_t name_bytes, char *query, uint32_t query_bytes)
{
	api_answer_fini(&answer);
	api_answer(api, (struct str){ name, name_bytes }, (struct str){ query, query_bytes },
		   &answer);
	free(name);
	free(query);
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

EXPORT(engine_type) const char *engine_type(void);
const char *engine_type(void)
{
	return answer.type;
}

EXPORT(engine_download) const char *engine_download(void);
const char *engine_download(void)
{
	return answer.download;
}
