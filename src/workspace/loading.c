/* Reads files on threads of their own, at most as many at a time as there are cores. */
#include "workspace/workspace_int.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_AT_A_TIME = 2 };

static void *read_file(void *argument)
{
	struct task *t = argument;
	struct source_options source = t->w->source;
	struct profile *p = profile_new(COLUMNS_ALL);
	if (source_read(t->path, &source, p, &t->error)) {
		if (source.source_maps)
			p = source_find_originals(p, &source.names);
		profile_seal(p);
		t->profile = p;
	} else {
		profile_unref(p);
	}
	atomic_store(&t->is_done, true);
	if (t->w->options.wake)
		t->w->options.wake(t->w->options.context);
	return NULL;
}

static void begin(struct workspace *w, struct item *i)
{
	struct task *t = mem_zalloc(1, sizeof(*t));
	t->w = w;
	t->path = mem_strdup(i->path);
	int error = pthread_create(&t->thread, NULL, read_file, t);
	if (error) {
		item_fail(w, i, strerror(error));
		free(t->path);
		free(t);
		return;
	}
	i->task = t;
	w->running++;
}

void item_load(struct workspace *w, struct item *i)
{
	i->wanted_at = w->ticks;
	if (i->state.state != API_WAITING)
		return;
	i->state.state = API_READING;
	if (w->running < MOST_AT_A_TIME)
		begin(w, i);
	item_publish(w, i);
}

void item_take_profile(struct workspace *w, struct item *i, struct profile *p)
{
	const struct samples *rows = &p->samples;
	uint64_t first = UINT64_MAX, last = 0;
	for (uint32_t row = 0; rows->time_ns && row < rows->n; row++) {
		first = rows->time_ns[row] < first ? rows->time_ns[row] : first;
		last = rows->time_ns[row] > last ? rows->time_ns[row] : last;
	}
	str_to_u64(profile_fact(p, STR("started_unix_ns")), &i->state.start_unix_ns);
	i->state.duration_ns = last > first ? last - first : 0;
	i->state.samples = p->ledger.count[LEDGER_SAMPLES];
	i->state.profile = p;
	item_publish(w, i);
}

/* Those not asked for lately make room; an upload has no file to be read from again. */
static void drop_old(struct workspace *w)
{
	for (;;) {
		uint64_t rows = 0;
		struct item *old = NULL;
		for (uint32_t k = 0; k < w->items.n; k++) {
			struct item *i = w->items.p[k];
			if (i->state.state != API_READY)
				continue;
			rows += i->state.profile->samples.n;
			bool can_drop = i->path && i->wanted_at + 2 < w->ticks;
			if (can_drop && (!old || i->wanted_at < old->wanted_at))
				old = i;
		}
		if (!w->options.max_rows || rows <= w->options.max_rows || !old)
			return;
		profile_unref(old->state.profile);
		old->state.profile = NULL;
		old->state.state = API_WAITING;
		item_publish(w, old);
	}
}

static void take(struct workspace *w, struct item *i)
{
	struct task *t = i->task;
	pthread_join(t->thread, NULL);
	w->running--;
	i->task = NULL;
	if (t->profile) {
		i->state.state = API_READY;
		item_take_profile(w, i, t->profile);
	} else {
		item_fail(w, i, t->error.text);
	}
	free(t->path);
	free(t);
}

void loads_collect(struct workspace *w)
{
	for (uint32_t k = 0; k < w->items.n; k++) {
		struct item *i = w->items.p[k];
		if (i->task && atomic_load(&i->task->is_done))
			take(w, i);
	}
	for (uint32_t k = 0; k < w->items.n && w->running < MOST_AT_A_TIME; k++) {
		struct item *i = w->items.p[k];
		if (i->state.state == API_READING && !i->task)
			begin(w, i);
	}
	drop_old(w);
}

void loads_end(struct workspace *w)
{
	for (uint32_t k = 0; k < w->items.n; k++) {
		struct task *t = w->items.p[k]->task;
		if (!t)
			continue;
		pthread_join(t->thread, NULL);
		profile_unref(t->profile);
		free(t->path);
		free(t);
		w->items.p[k]->task = NULL;
	}
}

void workspace_wanted(struct workspace *w, struct str id)
{
	struct item *i = item_by_id(w, id);
	if (i)
		item_load(w, i);
}

static bool is_reading(const struct workspace *w)
{
	for (uint32_t k = 0; k < w->items.n; k++)
		if (w->items.p[k]->state.state == API_READING)
			return true;
	return false;
}

void workspace_wait(struct workspace *w)
{
	while (is_reading(w)) {
		usleep(2000);
		loads_collect(w);
	}
}

/* --- uploads --- */

static bool fill(int fd, struct str bytes)
{
	while (bytes.n) {
		ssize_t n = write(fd, bytes.p, bytes.n);
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0)
			bytes = str_from_byte(bytes, (size_t)n);
	}
	return true;
}

struct str workspace_upload(struct workspace *w, struct str name, struct str bytes, struct err *e)
{
	enum { MOST_NAME = 200 };
	char path[40];
	AUTO(buf) struct buf shown = { 0 };
	int fd = memfd_create("plume", MFD_CLOEXEC);
	if (fd < 0 || !fill(fd, bytes)) {
		if (fd >= 0)
			close(fd);
		err_set(e, "the profile cannot be held in memory: %s", strerror(errno));
		return STR("");
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	buf_add(&shown, str_first(str_basename(name), MOST_NAME));
	struct item *i = item_add(w, path, shown.n ? buf_c_string(&shown) : "upload", "");
	i->memory = fd;
	i->bytes = bytes.n;
	item_load(w, i);
	return str_from(i->id);
}
