/* Reads files on a few threads, started with the first file. */
#include "workspace/workspace_int.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* Files that were opened already are read through their descriptors, whose paths mean nothing to people. */
void err_rename(struct err *e, const char *name)
{
	static const struct str hidden = STR("/proc/self/fd/");
	struct str text = str_from(e->text);
	ptrdiff_t at = str_find(text, hidden);
	if (at < 0)
		return;
	struct str rest = str_from_byte(text, (size_t)at + hidden.n);
	while (rest.n && is_digit(rest.p[0]))
		rest = str_from_byte(rest, 1);
	AUTO(buf) struct buf whole = { 0 };
	buf_add(&whole, str_first(text, (size_t)at));
	buf_add(&whole, str_from(name));
	buf_add(&whole, rest);
	snprintf(e->text, sizeof(e->text), "%s", buf_c_string(&whole));
}

static void read_task(const struct workspace *w, struct task *t)
{
	struct source_options source = w->source;
	struct profile *p = profile_new(COLUMNS_ALL);
	if (source_read(t->path, &source, p, &t->error)) {
		if (source.source_maps)
			p = source_find_originals(p, &source.names);
		profile_seal(p);
		t->profile = p;
	} else {
		profile_unref(p);
		err_rename(&t->error, t->name);
	}
	atomic_store(&t->is_done, true);
	if (w->options.wake)
		w->options.wake(w->options.context);
}

/* Waits for the next task; NULL when the workspace ends. */
static struct task *next_task(struct loader *l)
{
	struct task *t = NULL;
	pthread_mutex_lock(&l->lock);
	while (!l->ends && l->next == l->queue.n)
		pthread_cond_wait(&l->has_work, &l->lock);
	if (!l->ends)
		t = l->queue.p[l->next++];
	pthread_mutex_unlock(&l->lock);
	return t;
}

static void *run_loader(void *argument)
{
	struct workspace *w = argument;
	struct task *t;
	while ((t = next_task(&w->loader)) != NULL)
		read_task(w, t);
	return NULL;
}

void loads_begin(struct workspace *w)
{
	pthread_mutex_init(&w->loader.lock, NULL);
	pthread_cond_init(&w->loader.has_work, NULL);
}

static void enqueue(struct workspace *w, struct task *t)
{
	struct loader *l = &w->loader;
	pthread_mutex_lock(&l->lock);
	if (l->next == l->queue.n)
		l->queue.n = l->next = 0;
	vec_push(&l->queue, t);
	pthread_cond_signal(&l->has_work);
	pthread_mutex_unlock(&l->lock);
	if (l->running < LOADER_THREADS &&
	    pthread_create(&l->threads[l->running], NULL, run_loader, w) == 0)
		l->running++;
}

static bool begin_task(struct item *i)
{
	char path[40];
	int fd = *i->folder ? item_open(i) : -1;
	if (*i->folder && fd < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	i->task = mem_zalloc(1, sizeof(*i->task));
	i->task->fd = fd;
	i->task->path = mem_strdup(fd < 0 ? i->path : path);
	i->task->name = mem_strdup(i->name);
	return true;
}

void item_load(struct workspace *w, struct item *i)
{
	i->wanted_at = w->ticks;
	if (i->state.state != API_WAITING)
		return;
	if (!begin_task(i)) {
		item_fail(w, i, strerror(errno == EINVAL || errno == ELOOP ? ENOENT : errno));
		return;
	}
	i->state.state = API_READING;
	enqueue(w, i->task);
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

/* Drops the least recently used profiles; uploads stay, because they cannot be read again. */
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
			bool can_drop = i->path && !i->followed && i->wanted_at + 2 < w->ticks;
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

static void task_free(struct task *t)
{
	profile_unref(t->profile);
	if (t->fd >= 0)
		close(t->fd);
	free(t->path);
	free(t->name);
	free(t);
}

static void take(struct workspace *w, struct item *i)
{
	struct task *t = i->task;
	i->task = NULL;
	if (t->profile) {
		i->state.state = API_READY;
		item_take_profile(w, i, t->profile);
		t->profile = NULL;
	} else {
		item_fail(w, i, t->error.text);
	}
	task_free(t);
	if (i->memory < 0)
		return;
	close(i->memory); /* what it says is in the profile now, or was of no use */
	i->memory = -1;
	free(i->path);
	i->path = NULL;
	if (i->state.state == API_FAILED)
		w->uploaded -= i->bytes;
}

void loads_collect(struct workspace *w)
{
	for (uint32_t k = 0; k < w->items.n; k++) {
		struct item *i = w->items.p[k];
		if (i->task && atomic_load(&i->task->is_done))
			take(w, i);
	}
	drop_old(w);
}

void loads_end(struct workspace *w)
{
	struct loader *l = &w->loader;
	pthread_mutex_lock(&l->lock);
	l->ends = true;
	pthread_cond_broadcast(&l->has_work);
	pthread_mutex_unlock(&l->lock);
	for (uint32_t i = 0; i < l->running; i++)
		pthread_join(l->threads[i], NULL);
	for (uint32_t k = 0; k < w->items.n; k++)
		if (w->items.p[k]->task)
			task_free(w->items.p[k]->task);
	vec_fini(&l->queue);
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->has_work);
}

void workspace_wanted(struct workspace *w, struct str id)
{
	struct item *i = item_by_id(w, id);
	if (i)
		item_load(w, i);
}

bool workspace_is_reading(const struct workspace *w)
{
	for (uint32_t k = 0; k < w->items.n; k++)
		if (w->items.p[k]->state.state == API_READING)
			return true;
	return false;
}

void workspace_wait(struct workspace *w)
{
	while (workspace_is_reading(w)) {
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
	const uint64_t most_bytes = 1ull << 30;
	char path[40];
	AUTO(buf) struct buf shown = { 0 };
	w->uploaded += bytes.n;
	if (w->uploaded > most_bytes) {
		w->uploaded -= bytes.n;
		err_set(e, "dropped files may total at most 1 GiB: restart plume scope with the "
			   "files as arguments");
		return STR("");
	}
	int fd = memfd_create("plume", MFD_CLOEXEC);
	if (fd < 0 || !fill(fd, bytes)) {
		if (fd >= 0)
			close(fd);
		err_set(e, "cannot keep the profile in memory: %s", strerror(errno));
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
