#include "cmd/page_server.h"

#include "api/api.h"
#include "cmd/page_browser.h"
#include "page/page.h"
#include "serve/serve.h"
#include "source_text/source_text.h"
#include "workspace/workspace.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define PAGE(field) offsetof(struct profile_request, page.field)

static const struct option page_options[] = {
	{ "open", 0, OPTION_FLAG, PAGE(opens), NULL, "open the page in a browser" },
	{ "port", 0, OPTION_TEXT, PAGE(port), "N", "serve on port N (default: any free port)" },
	{ "listen", 0, OPTION_TEXT, PAGE(listen), "ADDR",
	  "serve on IP address ADDR, so that other machines can connect; anyone who has the URL "
	  "can "
	  "see the profiles, and nothing is encrypted (default: this machine only)" },
};
const struct option_set page_option_set = OPTION_SET("Page", page_options);

struct page {
	struct api *api;
	struct source_text_finder *sources;
	struct workspace *workspace;
	struct server *server;
	struct api_host host;
	struct browser browser;
	int stop_fd;
};

/* --- answers --- */

static void wanted(void *context, struct str id)
{
	struct page *p = context;
	workspace_wanted(p->workspace, id);
}

static bool source_text(void *context, const struct profile *profile, struct str file,
			struct str module, struct buf *text, const char **origin, struct err *e)
{
	struct page *p = context;
	return source_text_find(p->sources, profile, file, module, text, origin, e);
}

static void wake(void *context)
{
	struct page *p = context;
	if (p->server)
		serve_wake(p->server);
}

static void tick(void *context)
{
	struct page *p = context;
	workspace_tick(p->workspace);
}

static void answer_upload(struct page *p, const struct serve_request *r, struct serve_answer *out)
{
	struct err e = { 0 };
	AUTO(buf) struct buf name = { 0 };
	api_parameter(r->query, STR("name"), &name);
	struct str id = workspace_upload(p->workspace, buf_str(&name), r->body, &e);
	if (id.n)
		buf_addf(&out->body, "{\"id\":\"%.*s\"}", STR_ARG(id));
	else
		serve_fail(out, 413, e.text);
	out->type = "application/json";
}

static void answer_api(struct page *p, struct str name, const struct serve_request *r,
		       struct serve_answer *out)
{
	struct api_answer a;
	api_answer(p->api, name, r->query, &a);
	out->status = a.status;
	out->type = a.type;
	out->body = a.body;
	memcpy(out->etag, a.etag, sizeof(out->etag));
	memcpy(out->download, a.download, sizeof(out->download));
}

static void answer_asset(const struct serve_request *r, struct serve_answer *out)
{
	const struct page_asset *asset = page_asset_find(r->path);
	if (!asset) {
		serve_fail(out, 404, "no such page");
		return;
	}
	out->type = asset->type;
	out->is_gzip = true;
	buf_add(&out->body, *asset->gzip);
	snprintf(out->etag, sizeof(out->etag), "%08x", hash_str(*asset->gzip));
}

static void answer(void *context, const struct serve_request *r, struct serve_answer *out)
{
	static const struct str api = STR("api/");
	struct page *p = context;
	bool is_post = str_eq(r->method, STR("POST"));
	bool is_upload = str_eq(r->path, STR("api/upload"));
	if (is_post != is_upload)
		serve_fail(out, 405, "this address does not accept this method");
	else if (is_upload)
		answer_upload(p, r, out);
	else if (str_starts(r->path, api))
		answer_api(p, str_from_byte(r->path, api.n), r, out);
	else
		answer_asset(r, out);
}

/* --- the address --- */

static void say_address(const struct page_plan *plan, const struct serve_description *d,
			const char *url)
{
	const char *ssh = getenv("SSH_CONNECTION"); /* CLIENT PORT SERVER PORT */
	if (plan->options->listen)
		say("anyone who has this URL can see the profiles, and the connection is not "
		    "encrypted");
	printf("%s\n", url);
	fflush(stdout);
	if (plan->is_quiet)
		return;
	if (d->no_ipv6)
		say("serving on 127.0.0.1 only: %s", d->no_ipv6);
	if (ssh && !plan->options->listen) {
		AUTO_FREE char *words = mem_strdup(ssh);
		char *rest = NULL, *host = strtok_r(words, " ", &rest);
		for (int i = 0; host && i < 2; i++)
			host = strtok_r(NULL, " ", &rest);
		say("to open the URL on your own machine, first run there: ssh -L %u:127.0.0.1:%u "
		    "%s",
		    d->port, d->port, host ? host : "HOST");
	}
	if (plan->live)
		say("Ctrl-C stops the recording; press it again to close the page");
	else
		say("press Ctrl-C to stop");
}

static bool parse_port(const char *text, uint16_t *port, struct err *e)
{
	uint64_t number = 0;
	if (text && (!str_to_u64(str_from(text), &number) || number > UINT16_MAX))
		return err_usage(e, "--port %s: must be a number from 0 to 65535", text);
	*port = (uint16_t)number;
	return true;
}

int page_stop_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/*
 * The server waits for the answer that is being made, and the workspace for the file that is being
 * read. Who presses Ctrl-C does not.
 */
static void *end_soon(void *context)
{
	enum { PATIENCE_US = 700000 };
	struct page *p = context;
	struct pollfd stop = { .fd = p->stop_fd, .events = POLLIN };
	while (poll(&stop, 1, -1) < 0 && errno == EINTR)
		;
	usleep(PATIENCE_US);
	browser_close(&p->browser);
	fflush(NULL);
	_exit(EXIT_DONE);
}

struct page *page_new(const struct page_options *options, struct err *e)
{
	struct page *p = mem_zalloc(1, sizeof(*p));
	struct serve_options serve = { .listen = options->listen,
				       .answer = answer,
				       .tick = tick,
				       .tick_ms = 500,
				       .context = p };
	if (parse_port(options->port, &serve.port, e))
		p->server = server_new(&serve, e);
	if (p->server)
		return p;
	page_free(p);
	return NULL;
}

void page_free(struct page *p)
{
	if (!p)
		return;
	browser_close(&p->browser);
	workspace_free(p->workspace); /* waits for its readers, which may wake the server */
	server_free(p->server);
	api_free(p->api);
	source_text_finder_free(p->sources);
	free(p);
}

static bool open_workspace(struct page *p, const struct page_plan *plan, struct err *e)
{
	enum { MOST_ROWS = 20000000 };
	struct api_host host = { .context = p, .wanted = wanted, .source_text = source_text };
	struct workspace_options options = { .paths = plan->paths,
					     .source = plan->source,
					     .max_rows = MOST_ROWS,
					     .wake = wake,
					     .context = p };
	p->host = host;
	p->api = api_new(&p->host);
	p->sources = source_text_finder_new();
	p->workspace = workspace_new(&options, p->api, e);
	if (p->workspace && plan->live)
		workspace_add_live(p->workspace, plan->live);
	return p->workspace != NULL;
}

bool page_run(struct page *p, const struct page_plan *plan, int stop_fd, struct err *e)
{
	pthread_t thread;
	struct serve_description d = server_describe(p->server);
	AUTO(buf) struct buf url = { 0 };
	if (!open_workspace(p, plan, e))
		return false;
	buf_addf(&url, "http://%s:%u/%s/%s%s", d.address, d.port, d.token, plan->state ? "#" : "",
		 plan->state ? plan->state : "");
	say_address(plan, &d, buf_c_string(&url));
	if (plan->options->opens)
		browser_open(&p->browser, buf_c_string(&url));
	p->stop_fd = stop_fd;
	if (pthread_create(&thread, NULL, end_soon, p) == 0)
		pthread_detach(thread);
	return server_run(p->server, stop_fd, e);
}

int page_serve(const struct page_plan *plan, int stop_fd, struct err *e)
{
	struct page *p = page_new(plan->options, e);
	bool ok = p && page_run(p, plan, stop_fd, e);
	page_free(p);
	return ok ? EXIT_DONE : EXIT_FAILED;
}
