#include "cmd/convert_live.h"

#include <signal.h>

enum { LIVE_ROWS = 8192, LIVE_NS = 1000000000 };

static bool live_open(struct live *l)
{
	if (l->store)
		return true;
	if (l->error.kind)
		return false;
	l->out = strcmp(l->path, "-") == 0 ? writer_open("-", &l->error)
					   : writer_open_live(l->path, &l->error);
	if (l->out)
		l->store = store_writer_new(l->out);
	return l->store != NULL;
}

bool live_on_progress(void *context, const struct profile *p)
{
	struct live *l = context;
	uint32_t rows = p->samples.n - l->written_rows;
	uint64_t now = clock_monotonic_ns();
	if (!l->last_ns)
		l->last_ns = now;
	if (rows < LIVE_ROWS && (rows == 0 || now - l->last_ns < LIVE_NS))
		return true;
	l->last_ns = now;
	l->written_rows = p->samples.n;
	if (!live_open(l))
		return false;
	store_writer_append(l->store, p);
	return writer_is_healthy(l->out);
}

bool live_end(struct live *l, const struct profile *p, struct err *e)
{
	bool ok = live_open(l);
	if (ok) {
		store_writer_end(l->store, p);
		ok = writer_commit(l->out, e);
	} else {
		*e = l->error;
	}
	return ok;
}

void live_fini(struct live *l)
{
	store_writer_free(l->store);
	writer_free(l->out);
}

static void on_interrupt(int signal)
{
	(void)signal;
}

void live_outlive_interrupt(void)
{
	struct sigaction action = { .sa_handler = on_interrupt,
				    .sa_flags = (int)SA_RESETHAND | SA_RESTART };
	sigaction(SIGINT, &action, NULL);
}
