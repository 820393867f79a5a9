#include "cmd/busy.h"
#include "cmd/cmd.h"
#include "sink/sink.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

struct busy {
	struct progress progress;
	const char *of;
	uint64_t begun_ns;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t is_over_now;
	bool is_over, is_shown;
};

enum { FIRST_NS = 1000000000, NEXT_NS = 250000000 };

/* `plume: reading big.folded, 43 %, 12 s` */
static void add_line(const struct busy *b, uint64_t now_ns, struct buf *line)
{
	const struct progress *p = &b->progress;
	const char *what = atomic_load(&p->what);
	uint64_t done = atomic_load(&p->done), all = atomic_load(&p->all);
	uint64_t samples = atomic_load(&p->samples);
	buf_addf(line, "plume: %s", what);
	if (b->of) {
		buf_add_char(line, ' ');
		fit_add_safe(line, str_from(b->of));
	}
	if (all) {
		buf_addf(line, ", %llu %%",
			 (unsigned long long)(done < all ? 100.0 * (double)done / (double)all
							 : 100));
	} else if (samples) {
		buf_add(line, STR(", "));
		buf_add_grouped(line, samples);
		buf_add(line, STR(" samples"));
	}
	buf_addf(line, ", %llu s", (unsigned long long)((now_ns - b->begun_ns) / 1000000000));
}

static void draw(struct busy *b)
{
	AUTO(buf) struct buf line = { 0 };
	add_line(b, clock_monotonic_ns(), &line);
	/* A line that wraps could not be erased. */
	struct str shown = str_first(buf_str(&line), terminal_width(STDERR_FILENO, 80) - 1);
	fprintf(stderr, "\r\033[K%.*s", STR_ARG(shown));
	fflush(stderr);
	b->is_shown = true;
}

static void *watch(void *busy)
{
	struct busy *b = busy;
	uint64_t next_ns = b->begun_ns + FIRST_NS;
	pthread_mutex_lock(&b->lock);
	while (!b->is_over) {
		struct timespec next = clock_timespec(next_ns);
		if (pthread_cond_timedwait(&b->is_over_now, &b->lock, &next) != 0 && !b->is_over) {
			draw(b);
			next_ns += NEXT_NS;
		}
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

struct busy *busy_begin(const char *what, const char *of, bool is_quiet)
{
	pthread_condattr_t clock;
	if (is_quiet || !isatty(STDERR_FILENO))
		return NULL;
	struct busy *b = mem_zalloc(1, sizeof(*b));
	b->of = of;
	progress_begin(&b->progress, what, 0);
	b->begun_ns = clock_monotonic_ns();
	pthread_mutex_init(&b->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&b->is_over_now, &clock);
	pthread_condattr_destroy(&clock);
	if (pthread_create(&b->thread, NULL, watch, b) == 0)
		return b;
	free(b);
	return NULL;
}

struct progress *busy_progress(struct busy *b)
{
	return b ? &b->progress : NULL;
}

void busy_end(struct busy *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&b->lock);
	b->is_over = true;
	pthread_cond_signal(&b->is_over_now);
	pthread_mutex_unlock(&b->lock);
	pthread_join(b->thread, NULL);
	if (b->is_shown)
		fputs("\r\033[K", stderr);
	pthread_cond_destroy(&b->is_over_now);
	pthread_mutex_destroy(&b->lock);
	free(b);
}
