/*
 * Answers the page's questions about profiles: a path and the parameters of a URL become bytes
 * (doc/api.md). The server and the offline page, where this is compiled to WebAssembly, both call
 * it. It opens no files and has no threads: the host reads profiles and hands them over.
 *
 *	struct api *a = api_new(NULL);
 *	api_set_file(a, &(struct api_file){ .id = STR("1"), .state = API_READY, .profile = p });
 *	api_answer(a, STR("tree"), STR("time=1,2&your-code"), &answer);
 */
#pragma once
#include "model/model.h"

enum api_state { API_WAITING, API_READING, API_READY, API_LIVE, API_FAILED };

struct api_file {
	struct str id, name, folder; /* id: digits */
	struct str reason;	     /* API_FAILED: a sentence */
	uint64_t bytes, modified_unix_s;
	uint64_t samples; /* 0 if the file was not read */
	uint64_t start_unix_ns, duration_ns;
	enum api_state state;
	bool is_shown; /* part of the answer if a request names no file */
	/*
	 * For API_READY and API_LIVE; api takes a reference. A live profile may have grown at each
	 * api_set_file, and must not change in between.
	 */
	struct profile *profile;
};

/* Services of the host. All members may be NULL. */
struct api_host {
	void *context;
	/*
	 * A request needs a file that is API_WAITING. The host starts to read it and sets its state;
	 * a host that reads at once has set it to API_READY when this returns.
	 */
	void (*wanted)(void *context, struct str id);
	/*
	 * The text of a source file that p's frames name. Returns false and sets e if it
	 * cannot be read. origin: "disk", "container", "v8" or "source map".
	 */
	bool (*source_text)(void *context, const struct profile *p, struct str file,
			    struct str module, struct buf *text, const char **origin,
			    struct err *e);
};

struct api;
/* The host must outlive it. */
struct api *api_new(const struct api_host *host);
void api_free(struct api *a);
/* Adds or replaces the file with this id. Copies strings. */
void api_set_file(struct api *a, const struct api_file *f);
void api_remove_file(struct api *a, struct str id);

/* Decodes a parameter of a query; returns false if it is missing or malformed. */
bool api_parameter(struct str query, struct str name, struct buf *value);

struct api_answer {
	unsigned status;  /* as in HTTP */
	const char *type; /* media type */
	struct buf body;
	char download[64]; /* suggested file name; empty: not a download */
	char etag[36];	   /* empty: must not be cached */
};
void api_answer_fini(struct api_answer *answer);
/* name: without `api/`. query: what follows the '?', still percent-encoded. */
void api_answer(struct api *a, struct str name, struct str query, struct api_answer *answer);
