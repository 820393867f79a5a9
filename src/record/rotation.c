#include "record/rotation_int.h"
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct rotation {
	const struct rotation_options *o;
	struct str stem;
	struct buf path;	   /* of the file being written */
	size_t name_at;		   /* offset of its name in path */
	uint64_t last_ms;	   /* of the last name; 0 if none */
	uint64_t wall_ns, boot_ns; /* the same moment, at the start */
	uint64_t removed;
	uint64_t size_bytes; /* of all files, as far as known */
};

struct kept_file {
	uint64_t time_ms, size_bytes;
};

/* Our files in the folder, oldest first. */
struct kept_files {
	DIR *folder; /* NULL if it cannot be read */
	VEC(struct kept_file) list;
	uint64_t size_bytes; /* total */
};

static uint64_t now_ns(const struct rotation *r, clockid_t clock)
{
	return r->o->now_ns ? r->o->now_ns(clock) : clock_ns(clock);
}

/* --- the folder --- */

static int by_time(const void *a, const void *b)
{
	const struct kept_file *x = a, *y = b;
	return (x->time_ms > y->time_ms) - (x->time_ms < y->time_ms);
}

/* Symbolic links and folders with such a name are not ours. */
static bool is_plain(DIR *folder, const char *name, uint64_t *size_bytes)
{
	struct stat status;
	if (fstatat(dirfd(folder), name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(status.st_mode))
		return false;
	*size_bytes = (uint64_t)status.st_size;
	return true;
}

static void kept_files_init(struct kept_files *k, const struct rotation *r)
{
	struct kept_file file;
	const struct dirent *entry;
	*k = (struct kept_files){ .folder = opendir(r->o->folder) };
	while (k->folder && (entry = readdir(k->folder))) {
		if (!rotation_name_read(str_from(entry->d_name), r->stem, &file.time_ms) ||
		    !is_plain(k->folder, entry->d_name, &file.size_bytes))
			continue;
		vec_push(&k->list, file);
		k->size_bytes += file.size_bytes;
	}
	if (k->list.n)
		qsort(k->list.p, k->list.n, sizeof(*k->list.p), by_time);
}

static void kept_files_fini(struct kept_files *k)
{
	vec_fini(&k->list);
	if (k->folder)
		closedir(k->folder);
}

/* --- names --- */

static bool is_taken(const struct rotation *r)
{
	struct stat status;
	return lstat(r->path.p, &status) == 0;
}

static void set_path(struct rotation *r, uint64_t time_ms)
{
	r->last_ms = time_ms;
	r->path.n = r->name_at;
	rotation_name_add(&r->path, r->stem, time_ms);
	buf_c_string(&r->path);
}

const char *rotation_next(struct rotation *r)
{
	uint64_t time_ms = now_ns(r, CLOCK_REALTIME) / 1000000;
	/* At the end of the range, names stay unique but are no longer in order. */
	if (r->last_ms >= time_ms && r->last_ms + 1 < ROTATION_LAST_MS)
		time_ms = r->last_ms + 1;
	set_path(r, time_ms < ROTATION_LAST_MS ? time_ms : 0);
	while (is_taken(r))
		set_path(r, r->last_ms + 1);
	return r->path.p;
}

/* --- removing --- */

static bool is_being_written(const struct rotation *r, const struct kept_file *file)
{
	return r->path.n > r->name_at && file->time_ms == r->last_ms;
}

/* A file that cannot be removed is ignored from then on: somebody wants to keep it. */
static bool remove_file(struct rotation *r, struct kept_files *k, const struct kept_file *file)
{
	AUTO(buf) struct buf name = { 0 };
	rotation_name_add(&name, r->stem, file->time_ms);
	k->size_bytes -= file->size_bytes;
	bool is_removed = unlinkat(dirfd(k->folder), buf_c_string(&name), 0) == 0;
	r->removed += is_removed;
	return is_removed;
}

/* Uses a clock that nobody sets: the wall clock may be wrong for a moment, which must not remove files. */
static bool is_older_than(const struct rotation *r, const struct kept_file *file, uint64_t age_ns)
{
	uint64_t now = r->wall_ns + (now_ns(r, CLOCK_BOOTTIME) - r->boot_ns);
	return file->time_ms < now / 1000000 && now / 1000000 - file->time_ms > age_ns / 1000000;
}

static uint64_t max_files(const struct rotation *r)
{
	return r->o->every_ns ? r->o->keep_ns / r->o->every_ns + 1 : UINT64_MAX;
}

static bool has_one_being_written(const struct rotation *r, const struct kept_files *k)
{
	for (uint32_t i = k->list.n; i-- > 0;)
		if (is_being_written(r, &k->list.p[i]))
			return true;
	return false;
}

static void prune(struct rotation *r, uint64_t coming_bytes)
{
	struct kept_files k;
	kept_files_init(&k, r);
	uint64_t n = k.list.n;
	/* Counts the file about to be created. */
	n += r->path.n > r->name_at && !has_one_being_written(r, &k);
	k.size_bytes += coming_bytes;
	for (uint32_t i = 0; i < k.list.n; i++) {
		const struct kept_file *file = &k.list.p[i];
		bool is_too_much = n > max_files(r) || is_older_than(r, file, r->o->keep_ns) ||
				   (r->o->max_bytes && k.size_bytes > r->o->max_bytes);
		/* A recent one may belong to another plume. */
		bool is_left =
			store_is_empty(file->size_bytes) && is_older_than(r, file, r->o->every_ns);
		if ((!is_too_much && !is_left) || is_being_written(r, file))
			continue;
		remove_file(r, &k, file);
		n--;
	}
	r->size_bytes = k.size_bytes;
	kept_files_fini(&k);
}

void rotation_prune(struct rotation *r)
{
	prune(r, 0);
}

/* Reads the folder only if needed: it may hold many files. */
void rotation_expect(struct rotation *r, uint64_t bytes)
{
	r->size_bytes += bytes;
	if (r->o->max_bytes && r->size_bytes > r->o->max_bytes)
		prune(r, bytes);
}

bool rotation_make_room(struct rotation *r)
{
	struct kept_files k;
	bool is_removed = false;
	kept_files_init(&k, r);
	for (uint32_t i = 0; i < k.list.n && !is_removed; i++)
		if (!store_is_empty(k.list.p[i].size_bytes) && !is_being_written(r, &k.list.p[i]))
			is_removed = remove_file(r, &k, &k.list.p[i]);
	kept_files_fini(&k);
	return is_removed;
}

uint64_t rotation_removed(const struct rotation *r)
{
	return r->removed;
}

/* --- start --- */

/* Profiles reveal much about a machine: folders created for them are accessible only to their owner. */
static bool make_folder(const char *folder, struct err *e)
{
	AUTO_FREE char *path = mem_strdup(folder);
	struct stat status;
	for (char *p = path + 1; *path && *p; p++) {
		if (*p != '/')
			continue;
		*p = 0;
		mkdir(path, 0700); /* if this fails, so does the rest */
		*p = '/';
	}
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return err_set(e, "%s: cannot create the folder: %s", folder, strerror(errno));
	if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
		return err_set(e, "%s: is not a folder; name one with --dir", folder);
	if (faccessat(AT_FDCWD, folder, R_OK | W_OK | X_OK, AT_EACCESS) != 0)
		return err_set(e, "%s: cannot create files there: %s", folder, strerror(errno));
	return true;
}

/* Names continue after those of an earlier run, whatever the clock says. */
static void find_last(struct rotation *r)
{
	struct kept_files k;
	kept_files_init(&k, r);
	for (uint32_t i = 0; i < k.list.n; i++)
		if (k.list.p[i].time_ms < ROTATION_LAST_MS)
			r->last_ms = k.list.p[i].time_ms;
	kept_files_fini(&k);
}

struct rotation *rotation_new(const struct rotation_options *o, struct err *e)
{
	if (!*o->stem || strchr(o->stem, '/')) {
		err_set(e, "'%s' cannot begin a file name", o->stem);
		return NULL;
	}
	if (!make_folder(o->folder, e))
		return NULL;
	struct rotation *r = mem_zalloc(1, sizeof(*r));
	r->o = o;
	r->stem = str_from(o->stem);
	buf_addf(&r->path, "%s/", o->folder);
	r->name_at = r->path.n;
	r->wall_ns = now_ns(r, CLOCK_REALTIME);
	r->boot_ns = now_ns(r, CLOCK_BOOTTIME);
	find_last(r);
	return r;
}

void rotation_free(struct rotation *r)
{
	if (!r)
		return;
	buf_fini(&r->path);
	free(r);
}
