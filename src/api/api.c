/* Dispatches requests by name. */
#include "api/api_int.h"

static const struct {
	const char *name;
	answer_function *answer;
} answers[] = {
	{ "ledger", ledger_answer }, { "heatmap", heatmap_answer }, { "tree", tree_answer },
	{ "diff", diff_answer },     { "table", table_answer },	    { "source", source_answer },
	{ "export", export_answer },
};

struct api *api_new(const struct api_host *host)
{
	struct api *a = mem_zalloc(1, sizeof(*a));
	if (host)
		a->host = *host;
	return a;
}

void api_answer_fini(struct api_answer *answer)
{
	buf_fini(&answer->body);
}

/* A hash of the body, so that equal answers have equal tags. */
static void tag(struct api_answer *answer)
{
	struct str body = buf_str(&answer->body);
	XXH128_hash_t hash = XXH3_128bits(body.p, body.n);
	if (answer->status == 200)
		snprintf(answer->etag, sizeof(answer->etag), "%016llx%016llx",
			 (unsigned long long)hash.high64, (unsigned long long)hash.low64);
}

static void answer_named(struct api *a, struct str name, struct str query,
			 struct api_answer *answer)
{
	AUTO(api_request) struct api_request r = { .api = a };
	struct err e = { 0 };
	size_t i = 0;
	while (i < ARRAY_SIZE(answers) && !str_eq(name, str_from(answers[i].name)))
		i++;
	if (i == ARRAY_SIZE(answers))
		answer_error(answer, 404, "unknown request; see doc/api.md");
	else if (!request_parse(&r, query, &e))
		answer_err(answer, &e);
	else
		answers[i].answer(&r, answer);
}

void api_answer(struct api *a, struct str name, struct str query, struct api_answer *answer)
{
	*answer = (struct api_answer){ .status = 200, .type = "application/json" };
	a->requests++;
	if (str_eq(name, STR("files")))
		files_answer(a, answer);
	else
		answer_named(a, name, query, answer);
	tag(answer);
}
