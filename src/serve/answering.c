/* The thread that computes answers, one at a time, in the order of the requests. */
#include "serve/server_int.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

bool answering_init(struct answering *a, const struct serve_options *options, struct err *e)
{
	pthread_condattr_t clock;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&a->news, &clock);
	pthread_condattr_destroy(&clock);
	pthread_mutex_init(&a->mutex, NULL);
	a->options = options;
	a->last = &a->first;
	a->done_last = &a->done;
	a->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return a->done_fd >= 0 || err_set(e, "eventfd: %s", strerror(errno));
}

void answering_fini(struct answering *a)
{
	if (a->done_fd >= 0)
		close(a->done_fd);
	pthread_cond_destroy(&a->news);
	pthread_mutex_destroy(&a->mutex);
}

static struct job *take_first(struct answering *a)
{
	struct job *job = a->first;
	if (job) {
		a->first = job->next;
		job->next = NULL;
		if (!a->first)
			a->last = &a->first;
		a->waiting--;
	}
	return job;
}

static void put_done(struct answering *a, struct job *job)
{
	pthread_mutex_lock(&a->mutex);
	*a->done_last = job;
	a->done_last = &job->next;
	pthread_mutex_unlock(&a->mutex);
	uint64_t one = 1;
	ssize_t ignored = write(a->done_fd, &one, sizeof(one)); /* if full, it is awake anyway */
	(void)ignored;
}

/* Waits for something to do until the next tick; a NULL job means that a tick is due, or the end. */
static bool next_job(struct answering *a, uint64_t tick_ns, struct job **job)
{
	struct timespec until = clock_timespec(tick_ns);
	bool is_late = tick_ns && clock_monotonic_ns() >= tick_ns;
	pthread_mutex_lock(&a->mutex);
	while (!a->is_stopping && !a->needs_tick && !is_late && !a->first) {
		if (tick_ns)
			is_late = pthread_cond_timedwait(&a->news, &a->mutex, &until) == ETIMEDOUT;
		else
			pthread_cond_wait(&a->news, &a->mutex);
	}
	*job = a->is_stopping || a->needs_tick || is_late ? NULL : take_first(a);
	a->needs_tick = false;
	bool goes_on = !a->is_stopping;
	pthread_mutex_unlock(&a->mutex);
	return goes_on;
}

static uint64_t next_tick_ns(const struct serve_options *o)
{
	return o->tick && o->tick_ms ? clock_monotonic_ns() + o->tick_ms * 1000000ull : 0;
}

static void *run(void *context)
{
	struct answering *a = context;
	const struct serve_options *o = a->options;
	uint64_t tick_ns = next_tick_ns(o);
	for (struct job *job; next_job(a, tick_ns, &job);) {
		if (job) {
			__atomic_store_n(&a->is_computing, true, __ATOMIC_SEQ_CST);
			o->answer(o->context, &job->request, &job->answer);
			job_encode(job);
			__atomic_store_n(&a->is_computing, false, __ATOMIC_SEQ_CST);
			put_done(a, job);
		} else {
			if (o->tick)
				o->tick(o->context);
			tick_ns = next_tick_ns(o);
		}
	}
	return NULL;
}

/* Leaves signals to other threads, except those raised by access to a truncated file. */
static void blocked_signals(sigset_t *set)
{
	sigfillset(set);
	sigdelset(set, SIGBUS);
	sigdelset(set, SIGSEGV);
	sigdelset(set, SIGFPE);
	sigdelset(set, SIGILL);
}

bool answering_start(struct answering *a, struct err *e)
{
	sigset_t blocked, before;
	blocked_signals(&blocked);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	int error = pthread_create(&a->thread, NULL, run, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !error || err_set(e, "cannot start a thread: %s", strerror(error));
}

static void free_jobs(struct job *job)
{
	while (job) {
		struct job *next = job->next;
		job_free(job);
		job = next;
	}
}

void answering_stop(struct answering *a)
{
	pthread_mutex_lock(&a->mutex);
	a->is_stopping = true;
	pthread_cond_signal(&a->news);
	pthread_mutex_unlock(&a->mutex);
	pthread_join(a->thread, NULL);
	free_jobs(a->first);
	free_jobs(a->done);
	a->first = a->done = NULL;
}

bool answering_add(struct answering *a, struct job *job, unsigned max)
{
	pthread_mutex_lock(&a->mutex);
	bool fits = a->waiting < max;
	if (fits) {
		*a->last = job;
		a->last = &job->next;
		a->waiting++;
		pthread_cond_signal(&a->news);
	}
	pthread_mutex_unlock(&a->mutex);
	return fits;
}

void answering_forget(struct answering *a, struct job *job)
{
	job->from = NULL;
	pthread_mutex_lock(&a->mutex);
	struct job **at = &a->first;
	while (*at && *at != job)
		at = &(*at)->next;
	bool is_waiting = *at != NULL;
	if (is_waiting) {
		*at = job->next;
		if (!job->next)
			a->last = at;
		a->waiting--;
	}
	pthread_mutex_unlock(&a->mutex);
	if (is_waiting)
		job_free(job);
}

struct job *answering_take_done(struct answering *a)
{
	uint64_t ignored_count;
	ssize_t ignored = read(a->done_fd, &ignored_count, sizeof(ignored_count));
	(void)ignored;
	pthread_mutex_lock(&a->mutex);
	struct job *done = a->done;
	a->done = NULL;
	a->done_last = &a->done;
	pthread_mutex_unlock(&a->mutex);
	return done;
}

void answering_wake(struct answering *a)
{
	pthread_mutex_lock(&a->mutex);
	a->needs_tick = true;
	pthread_cond_signal(&a->news);
	pthread_mutex_unlock(&a->mutex);
}
