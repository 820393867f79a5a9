/* Finds files: those the user named, and those in folders. */
#include "workspace/workspace_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 20000 };

static uint64_t ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

struct item *item_add(struct workspace *w, const char *path, const char *name, const char *folder)
{
	struct item *i = mem_zalloc(1, sizeof(*i));
	snprintf(i->id, sizeof(i->id), "%u", ++w->next_id);
	i->path = path ? mem_strdup(path) : NULL;
	i->name = mem_strdup(name);
	i->folder = mem_strdup(folder);
	i->memory = -1;
	vec_push(&w->items, i);
	return i;
}

void item_free(struct item *i)
{
	followed_free(i->followed);
	profile_unref(i->state.profile);
	if (i->memory >= 0)
		close(i->memory);
	free(i->path);
	free(i->name);
	free(i->folder);
	free(i->reason);
	free(i);
}

/* Between being found and being opened, a file of a folder may become a link out of it, or a pipe. */
int item_open(const struct item *i)
{
	struct stat s;
	bool is_in_folder = *i->folder != 0;
	int fd = open(i->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (is_in_folder ? O_NOFOLLOW : 0));
	if (fd < 0 || (fstat(fd, &s) == 0 && S_ISREG(s.st_mode)))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

struct item *item_by_id(struct workspace *w, struct str id)
{
	for (uint32_t i = 0; i < w->items.n; i++)
		if (str_eq(str_from(w->items.p[i]->id), id))
			return w->items.p[i];
	return NULL;
}

void item_publish(struct workspace *w, struct item *i)
{
	i->state.id = str_from(i->id);
	i->state.name = str_from(i->name);
	i->state.folder = str_from(i->folder);
	i->state.reason = str_from(i->reason ? i->reason : "");
	i->state.bytes = i->bytes;
	i->state.modified_unix_s = i->modified_ns / 1000000000;
	api_set_file(w->api, &i->state);
}

void item_fail(struct workspace *w, struct item *i, const char *reason)
{
	free(i->reason);
	i->reason = mem_strdup(reason);
	profile_unref(i->state.profile);
	i->state.profile = NULL;
	i->state.state = API_FAILED;
	item_publish(w, i);
}

/* --- folders --- */

/* The files of folders by name: a folder may hold a day of them. */
struct known {
	struct workspace *w;
	struct index_map map;
};

struct place {
	const char *folder, *name;
};

static bool is_at(const void *items, uint32_t i, const void *key)
{
	const struct item *item = ((struct item *const *)items)[i];
	const struct place *at = key;
	return strcmp(item->name, at->name) == 0 && strcmp(item->folder, at->folder) == 0;
}

static struct item *item_of(struct known *k, const struct place *at)
{
	uint32_t i =
		index_map_find(&k->map, hash_str(str_from(at->name)), is_at, k->w->items.p, at);
	return i == INDEX_NONE ? NULL : k->w->items.p[i];
}

static void know(struct known *k, uint32_t i)
{
	index_map_add(&k->map, hash_str(str_from(k->w->items.p[i]->name)), i);
}

/* A file that was replaced is read again. A growing one is followed instead. */
static void look_at_known(struct workspace *w, struct item *i, const struct stat *s)
{
	uint64_t modified = ns_of(&s->st_mtim);
	bool is_changed = modified != i->modified_ns || (uint64_t)s->st_size != i->bytes;
	i->is_gone = false;
	if (!is_changed || i->followed || i->task)
		return;
	i->modified_ns = modified;
	i->bytes = (uint64_t)s->st_size;
	profile_unref(i->state.profile);
	i->state.profile = NULL;
	i->state.state = API_WAITING;
	if (!item_is_growing(i) || !live_begin(w, i))
		item_publish(w, i);
}

/*
 * Only regular files in the folder itself, because links may lead out of it. Hidden files are
 * ignored.
 */
static void look_at_file(struct known *k, const struct folder *f, int fd, const char *name)
{
	struct stat s;
	struct workspace *w = k->w;
	const struct place at = { f->path, name };
	if (name[0] == '.' || fstatat(fd, name, &s, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(s.st_mode))
		return;
	struct item *i = item_of(k, &at);
	if (!i && w->items.n >= MOST_FILES)
		return;
	if (!i) {
		AUTO(buf) struct buf path = { 0 };
		buf_addf(&path, "%s/%s", f->path, name);
		i = item_add(w, buf_c_string(&path), name, f->path);
		know(k, w->items.n - 1);
	}
	look_at_known(w, i, &s);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of their names, so that the same folder gives the same page everywhere. */
static void look_into(struct known *k, const struct folder *f)
{
	AUTO(text_list) struct text_list names = { 0 };
	DIR *dir = opendir(f->path);
	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
		text_list_add(&names, str_from(entry->d_name));
	if (names.n)
		qsort(names.p, names.n, sizeof(*names.p), compare_names);
	for (uint32_t i = 0; i < names.n; i++)
		look_at_file(k, f, dirfd(dir), names.p[i]);
	closedir(dir);
}

static void drop_gone(struct workspace *w)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < w->items.n; i++) {
		struct item *item = w->items.p[i];
		if (!item->is_gone || item->task) {
			w->items.p[n++] = item;
			continue;
		}
		api_remove_file(w->api, str_from(item->id));
		item_free(item);
	}
	w->items.n = n;
}

/* The default selection: the last hour, or the last file if all are older. */
static void choose_shown(struct workspace *w)
{
	const uint64_t hour_ns = 3600ull * 1000000000;
	uint64_t newest = 0;
	for (uint32_t i = 0; i < w->items.n; i++)
		if (w->items.p[i]->modified_ns > newest)
			newest = w->items.p[i]->modified_ns;
	for (uint32_t i = 0; i < w->items.n; i++) {
		struct item *item = w->items.p[i];
		bool is_shown =
			item->modified_ns + hour_ns > newest && item->state.state != API_FAILED;
		if (!*item->folder || is_shown == item->state.is_shown)
			continue;
		item->state.is_shown = is_shown;
		item_publish(w, item);
	}
}

void folders_look(struct workspace *w)
{
	struct known k = { w, { 0 } };
	for (uint32_t i = 0; i < w->items.n; i++) {
		w->items.p[i]->is_gone = *w->items.p[i]->folder != 0;
		know(&k, i);
	}
	for (uint32_t i = 0; i < w->folders.n; i++)
		look_into(&k, &w->folders.p[i]);
	index_map_fini(&k.map);
	drop_gone(w);
	choose_shown(w);
}

/* --- named files --- */

static bool add_file(struct workspace *w, const char *path, const struct stat *s)
{
	struct item *i = item_add(w, path, str_basename(str_from(path)).p, "");
	i->bytes = (uint64_t)s->st_size;
	i->modified_ns = ns_of(&s->st_mtim);
	i->state.is_shown = true;
	i->state.state = API_WAITING;
	if (!S_ISREG(s->st_mode) || !item_is_growing(i) || !live_begin(w, i))
		item_publish(w, i);
	return true;
}

static bool add_path(struct workspace *w, const char *path, struct err *e)
{
	struct stat s = { 0 };
	if (strcmp(path, "-") == 0)
		return add_file(w, path, &s);
	if (stat(path, &s) < 0)
		return err_set(e, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(s.st_mode))
		return add_file(w, path, &s);
	struct folder f = { mem_strdup(path) };
	size_t n = strlen(f.path);
	while (n > 1 && f.path[n - 1] == '/')
		f.path[--n] = 0;
	vec_push(&w->folders, f);
	return true;
}

struct workspace *workspace_new(const struct workspace_options *o, struct api *a, struct err *e)
{
	struct workspace *w = mem_zalloc(1, sizeof(*w));
	bool ok = true;
	w->options = *o;
	loads_begin(w);
	w->source = *o->source;
	w->source.is_quiet = true;
	w->api = a;
	for (uint32_t i = 0; ok && o->paths && i < o->paths->n; i++)
		ok = add_path(w, o->paths->p[i], e);
	if (!ok) {
		workspace_free(w);
		return NULL;
	}
	if (w->folders.n)
		folders_look(w);
	for (uint32_t i = 0; i < w->items.n; i++)
		if (w->items.p[i]->state.is_shown)
			item_load(w, w->items.p[i]); /* the page will ask for them first */
	return w;
}

void workspace_free(struct workspace *w)
{
	if (!w)
		return;
	loads_end(w);
	for (uint32_t i = 0; i < w->items.n; i++)
		item_free(w->items.p[i]);
	for (uint32_t i = 0; i < w->folders.n; i++)
		free(w->folders.p[i].path);
	vec_fini(&w->items);
	vec_fini(&w->folders);
	free(w);
}

void workspace_tick(struct workspace *w)
{
	enum { TICKS_BETWEEN_LOOKS = 2 };
	w->ticks++;
	loads_collect(w);
	for (uint32_t i = 0; i < w->items.n; i++)
		if (w->items.p[i]->followed)
			live_poll(w, w->items.p[i]);
	if (w->folders.n && w->ticks % TICKS_BETWEEN_LOOKS == 0)
		folders_look(w);
}
