/*
 * A thread that only moves records out of the kernel's buffers. Naming may take a while; the
 * buffers are small, and what does not fit is lost.
 */
#include "record/drain.h"

#include "record/collectors.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Beyond this, plume lets the buffers fill up, and the kernel counts the losses. */
#define MAX_WAITING_BYTES (192ull << 20)
enum { LOOK_MS = 100 };

#define MAX_SPARE_BYTES (48ull << 20)

/* Sizes of chunks are powers of two from 32 KB. */
static unsigned size_index(size_t n)
{
	enum { LEAST_BITS = 15 };
	unsigned i = 0;
	while (((size_t)1 << (LEAST_BITS + i)) < n)
		i++;
	return i;
}

/* Takes a spare chunk, or returns NULL. */
static struct chunk *take_spare(struct drain *d, unsigned size)
{
	pthread_mutex_lock(&d->lock);
	struct chunk *found = size < CHUNK_SIZES ? d->spare[size] : NULL;
	if (found) {
		d->spare[size] = found->next;
		d->spare_bytes -= found->capacity;
	}
	pthread_mutex_unlock(&d->lock);
	return found;
}

static struct chunk *chunk_get(struct drain *d, size_t n)
{
	enum { LEAST_BYTES = 32 << 10 };
	unsigned size = size_index(n);
	struct chunk *c = n ? take_spare(d, size) : NULL;
	if (!c) {
		size_t capacity = n ? (size_t)LEAST_BYTES << size : 0;
		c = mem_alloc(1, sizeof(*c) + capacity);
		*c = (struct chunk){ .capacity = capacity };
	}
	c->next = NULL;
	c->n = n;
	c->number = 0;
	c->found.list.n = c->found.frames.n = c->found.walked.n = 0;
	c->found.records.n = 0;
	return c;
}

void chunk_free(struct chunk *c)
{
	vec_fini(&c->found.list);
	vec_fini(&c->found.frames);
	vec_fini(&c->found.walked);
	buf_fini(&c->found.records);
	free(c);
}

void drain_give_back(struct drain *d, struct chunk *c)
{
	unsigned size = size_index(c->capacity);
	pthread_mutex_lock(&d->lock);
	bool is_kept = c->capacity && size < CHUNK_SIZES &&
		       d->spare_bytes + c->capacity <= MAX_SPARE_BYTES;
	if (is_kept) {
		c->next = d->spare[size];
		d->spare[size] = c;
		d->spare_bytes += c->capacity;
	}
	pthread_mutex_unlock(&d->lock);
	if (!is_kept)
		chunk_free(c);
}

static void append(struct drain *d, struct chunk *c)
{
	pthread_mutex_lock(&d->lock);
	*d->last = c;
	d->last = &c->next;
	d->waiting_bytes += c->n;
	pthread_cond_signal(&d->has_chunks);
	pthread_mutex_unlock(&d->lock);
}

static bool is_full(struct drain *d)
{
	pthread_mutex_lock(&d->lock);
	bool is = d->waiting_bytes > MAX_WAITING_BYTES;
	pthread_mutex_unlock(&d->lock);
	return is;
}

/* NULL if nothing is shown fresh yet. */
static struct collecting *collecting_of(struct drain *d)
{
	pthread_mutex_lock(&d->lock);
	struct collecting *c = d->collecting;
	pthread_mutex_unlock(&d->lock);
	return c;
}

static uint64_t waiting_bytes(const struct ring *ring)
{
	if (!ring->page)
		return 0;
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) - ring->page->data_tail;
}

/* Moves the first n bytes of the ring to `to`. */
static void take_bytes(struct ring *ring, char *to, uint64_t n)
{
	uint64_t tail = ring->page->data_tail, at = tail & (ring->size_bytes - 1);
	uint64_t first = ring->size_bytes - at;
	if (first > n)
		first = n;
	memcpy(to, ring->data + at, first);
	memcpy(to + first, ring->data, n - first);
	/* Frees the space for the kernel, after the copy. */
	__atomic_store_n(&ring->page->data_tail, tail + n, __ATOMIC_RELEASE);
}

void drain_read_ring(struct collecting *c, struct ring *ring, struct buf *out)
{
	AUTO(buf) struct buf bytes = { 0 };
	uint64_t n = waiting_bytes(ring);
	if (!n)
		return;
	take_bytes(ring, buf_reserve(&bytes, n), n);
	size_t whole = collectors_whole_bytes(c, bytes.p, n);
	if (whole)
		collectors_make_whole(c, bytes.p, n, buf_reserve(out, whole));
	else
		memcpy(buf_reserve(out, n), bytes.p, n);
	out->n += whole ? whole : n;
}

/* Takes the contents of a ring. */
static struct chunk *take_ring(struct drain *d, struct ring *ring, uint64_t n)
{
	struct chunk *c = chunk_get(d, n);
	take_bytes(ring, c->bytes, n);
	size_t whole = collectors_whole_bytes(d->events->collecting, c->bytes, n);
	if (!whole)
		return c;
	struct chunk *larger = chunk_get(d, whole);
	collectors_make_whole(d->events->collecting, c->bytes, n, larger->bytes);
	drain_give_back(d, c);
	return larger;
}

/* One pass over all buffers. */
static void take_all(struct drain *d)
{
	bool has_any = false;
	struct collecting *collecting = collecting_of(d);
	if (is_full(d))
		return;
	for (uint32_t i = 0; i < d->events->rings.n; i++) {
		struct ring *ring = &d->events->rings.p[i];
		uint64_t n = waiting_bytes(ring);
		if (!n)
			continue;
		struct chunk *c = take_ring(d, ring, n);
		if (collecting)
			collectors_look_fresh(collecting, c);
		append(d, c);
		has_any = true;
	}
	if (has_any)
		append(d, chunk_get(d, 0));
	pthread_mutex_lock(&d->lock);
	d->looks++;
	pthread_mutex_unlock(&d->lock);
}

static bool has_ring(const struct opened_events *x, int fd)
{
	for (uint32_t i = 0; i < x->rings.n; i++)
		if (x->rings.p[i].fd == fd)
			return true;
	return false;
}

/*
 * A descriptor whose thread has ended, with all threads that inherited from it, signals that
 * forever. It delivers nothing more; its buffer stays if others write to it.
 */
static void on_gone(struct drain *d, struct opened *opened)
{
	epoll_ctl(d->epoll_fd, EPOLL_CTL_DEL, opened->fd, NULL);
	pthread_mutex_lock(&d->lock);
	if (!has_ring(d->events, opened->fd))
		opened_close(d->events, opened);
	if (--d->living == 0)
		d->all_gone = true;
	pthread_cond_signal(&d->has_chunks);
	pthread_mutex_unlock(&d->lock);
}

static bool is_stopping(struct drain *d)
{
	pthread_mutex_lock(&d->lock);
	bool is = d->is_stopping;
	pthread_mutex_unlock(&d->lock);
	return is;
}

void drain_look_fresh(struct drain *d, struct collecting *c)
{
	pthread_mutex_lock(&d->lock);
	d->collecting = c;
	pthread_mutex_unlock(&d->lock);
}

/* JavaScript functions move with the next garbage collection, and at first it is not known whether there are any. */
static int look_ms(struct drain *d, uint64_t begin_ns)
{
	enum { OFTEN_MS = 2, SOON_MS = 10, AT_FIRST_NS = 1000000000 };
	const struct collecting *c = collecting_of(d);
	if (c && c->is_urgent)
		return OFTEN_MS;
	return clock_monotonic_ns() - begin_ns < AT_FIRST_NS ? SOON_MS : LOOK_MS;
}

/* Its work is short, but useless if late. Raises our priority; failure is harmless. */
static void go_first(void)
{
	enum { NICE = -10 };
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
}

static void *run(void *context)
{
	struct drain *d = context;
	enum { MAX_NEWS = 64 };
	struct epoll_event news[MAX_NEWS];
	uint64_t begin_ns = clock_monotonic_ns();
	go_first();
	while (!is_stopping(d)) {
		int n = epoll_wait(d->epoll_fd, news, MAX_NEWS, look_ms(d, begin_ns));
		for (int i = 0; i < n; i++)
			if (news[i].events & (EPOLLHUP | EPOLLERR) && news[i].data.ptr)
				on_gone(d, news[i].data.ptr);
		take_all(d);
	}
	take_all(d);
	return NULL;
}

static bool watch(struct drain *d, int fd, uint32_t events, struct opened *opened)
{
	struct epoll_event e = { .events = events, .data.ptr = opened };
	return epoll_ctl(d->epoll_fd, EPOLL_CTL_ADD, fd, &e) == 0;
}

static bool start_thread(struct drain *d)
{
	/* Ctrl-C is handled by the thread that waits for it. */
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int error = pthread_create(&d->thread, NULL, run, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error == 0;
}

bool drain_start(struct drain *d, struct opened_events *events, struct err *e)
{
	pthread_condattr_t clock;
	*d = (struct drain){ .events = events,
			     .last = &d->first,
			     .epoll_fd = epoll_create1(EPOLL_CLOEXEC),
			     .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	pthread_mutex_init(&d->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&d->has_chunks, &clock);
	pthread_condattr_destroy(&clock);
	bool ok = d->epoll_fd >= 0 && d->wake_fd >= 0 && watch(d, d->wake_fd, EPOLLIN, NULL);
	for (uint32_t i = 0; ok && i < events->list.n; i++) {
		struct opened *opened = &events->list.p[i];
		ok = watch(d, opened->fd, has_ring(events, opened->fd) ? EPOLLIN : 0, opened);
	}
	d->living = events->list.n;
	d->is_started = ok && start_thread(d);
	return d->is_started || err_set(e, "cannot poll the kernel's buffers: %s", strerror(errno));
}

struct chunk *drain_take(struct drain *d, int timeout_ms)
{
	struct timespec until =
		clock_timespec(clock_monotonic_ns() + (uint64_t)timeout_ms * 1000000u);
	pthread_mutex_lock(&d->lock);
	while (!d->first && !d->all_gone && timeout_ms > 0)
		if (pthread_cond_timedwait(&d->has_chunks, &d->lock, &until) != 0)
			break;
	struct chunk *all = d->first;
	d->first = NULL;
	d->last = &d->first;
	d->waiting_bytes = 0;
	pthread_mutex_unlock(&d->lock);
	return all;
}

void drain_stop(struct drain *d)
{
	uint64_t one = 1;
	if (!d->is_started)
		return;
	pthread_mutex_lock(&d->lock);
	d->is_stopping = true;
	pthread_mutex_unlock(&d->lock);
	ssize_t ignored = write(d->wake_fd, &one, sizeof(one));
	(void)ignored; /* it polls soon anyway */
	pthread_join(d->thread, NULL);
	d->is_started = false;
}

static void free_chunks(struct chunk *c)
{
	while (c) {
		struct chunk *next = c->next;
		chunk_free(c);
		c = next;
	}
}

void drain_fini(struct drain *d)
{
	if (!d->last)
		return;
	drain_stop(d);
	free_chunks(d->first);
	for (unsigned i = 0; i < CHUNK_SIZES; i++)
		free_chunks(d->spare[i]);
	close(d->epoll_fd);
	close(d->wake_fd);
	pthread_mutex_destroy(&d->lock);
	pthread_cond_destroy(&d->has_chunks);
}
