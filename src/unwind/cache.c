/*
 * Tables on disk, by build id. A file appears whole under its name (base/writer) and never changes,
 * so any number of programs may read and write at once. A file whose checksum does not match is
 * rebuilt. Whatever goes wrong here costs only time.
 */
#include "unwind/table_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	/* Tables below this are built faster than a file is opened and checked. */
	LEAST_SECTION_BYTES = 64 << 10,
	TOUCHED_AFTER_S = 3600, /* how exact "used last" is */
};

/* Of all files together; the ones used longest ago go first, down to the second figure. */
#define MOST_BYTES	(256ull << 20)
#define MOST_BYTES_KEPT (192ull << 20)

/* --- where --- */

/* A folder of another user, as that of HOME under sudo, is left alone. */
static bool is_own(const char *folder)
{
	struct stat status;
	return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

static bool add_folder(struct buf *path, const char *name)
{
	buf_addf(path, "/%s", name);
	return (mkdir(buf_c_string(path), 0700) == 0 || errno == EEXIST) &&
	       is_own(buf_c_string(path));
}

static bool own_cache(struct buf *path)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (cache && cache[0] == '/' && is_own(cache)) {
		buf_add(path, str_from(cache));
	} else {
		if (!home || home[0] != '/' || !is_own(home))
			return false;
		buf_add(path, str_from(home));
		if (!add_folder(path, ".cache"))
			return false;
	}
	return add_folder(path, "plume") && add_folder(path, "unwind");
}

/* Where others may make files, they could put a table of theirs under a name of ours. */
static bool is_private(const char *folder)
{
	struct stat status;
	return stat(folder, &status) == 0 && !(status.st_mode & (S_IWGRP | S_IWOTH));
}

static bool cache_folder(const char *given, struct buf *path)
{
	bool is_found = given ? is_own(given) : own_cache(path);
	if (given)
		buf_add(path, str_from(given));
	return is_found && is_private(buf_c_string(path));
}

/* Tables of a program and of its debug file have the same build id, but not the same origin. */
static void add_name(struct buf *path, const struct elf *elf, uint64_t origin)
{
	buf_add_char(path, '/');
	for (size_t i = 0; i < elf->build_id.n; i++)
		buf_addf(path, "%02x", (unsigned char)elf->build_id.p[i]);
	buf_addf(path, "-%08x." TABLE_MAGIC, (unsigned)origin);
}

/* --- reading --- */

static bool is_of(const struct elf *elf, uint64_t origin, struct str image)
{
	struct table_head head;
	if (image.n < sizeof(head))
		return false;
	memcpy(&head, image.p, sizeof(head));
	return head.origin == origin && head.machine == elf->machine &&
	       head.build_id_bytes <= sizeof(head.build_id) &&
	       str_eq((struct str){ (const char *)head.build_id, head.build_id_bytes },
		      elf->build_id);
}

/* So that the files used last are known where access times are not kept. */
static void touch(int fd)
{
	struct stat status;
	time_t now_s = clock_timespec(clock_realtime_ns()).tv_sec;
	if (fstat(fd, &status) == 0 && status.st_mtime + TOUCHED_AFTER_S < now_s)
		futimens(fd, NULL);
}

static bool is_own_file(int fd)
{
	struct stat status;
	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
	       !(status.st_mode & (S_IWGRP | S_IWOTH));
}

static struct unwind_table *read_table(const char *path, const struct elf *elf, uint64_t origin)
{
	struct err e;
	struct unwind_table *t = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	struct mapping mapping;
	if (is_own_file(fd) && mapping_init(&mapping, fd, path, &e)) {
		t = mem_zalloc(1, sizeof(*t));
		t->mapping = mapping;
		if (is_of(elf, origin, mapping.bytes) && table_of_image(t, mapping.bytes)) {
			touch(fd);
		} else {
			unwind_table_free(t);
			t = NULL;
		}
	}
	close(fd);
	return t;
}

/* --- keeping it small --- */

struct kept_file {
	char *name;
	uint64_t size_bytes;
	struct timespec used;
};

static int by_use(const void *a, const void *b)
{
	const struct timespec *x = &((const struct kept_file *)a)->used;
	const struct timespec *y = &((const struct kept_file *)b)->used;
	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

typedef VEC(struct kept_file) kept_files;

static uint64_t list_files(DIR *folder, kept_files *files)
{
	struct dirent *entry;
	struct stat status;
	uint64_t all_bytes = 0;
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.' ||
		    fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(status.st_mode))
			continue;
		vec_push(files, (struct kept_file){ mem_strdup(entry->d_name),
						    (uint64_t)status.st_size, status.st_mtim });
		all_bytes += (uint64_t)status.st_size;
	}
	return all_bytes;
}

void table_cache_prune(const char *path, uint64_t most_bytes, uint64_t kept_bytes)
{
	DIR *folder = opendir(path);
	kept_files files = { 0 };
	if (!folder)
		return;
	uint64_t all_bytes = list_files(folder, &files);
	bool is_full = all_bytes > most_bytes;
	if (is_full)
		qsort(files.p, files.n, sizeof(*files.p), by_use);
	for (uint32_t i = 0; i < files.n; i++) {
		if (is_full && all_bytes > kept_bytes &&
		    unlinkat(dirfd(folder), files.p[i].name, 0) == 0)
			all_bytes -= files.p[i].size_bytes;
		free(files.p[i].name);
	}
	vec_fini(&files);
	closedir(folder);
}

/* --- writing --- */

static void write_table(const char *path, const struct unwind_table *t)
{
	struct err e;
	struct writer *w = writer_open_new(path, &e);
	if (!w)
		return;
	writer_add(w, buf_str(&t->image));
	writer_commit(w, &e);
	writer_free(w);
}

static bool is_worth_it(struct elf *elf)
{
	static const struct str names[] = { { ".eh_frame", 9 },
					    { ".debug_frame", 12 },
					    { ".gopclntab", 10 },
					    { ".data.rel.ro.gopclntab", 22 } };
	for (unsigned i = 0; elf->build_id.n && i < ARRAY_SIZE(names); i++) {
		const struct elf_section *s = elf_find_section(elf, names[i]);
		if (s && s->size_bytes >= LEAST_SECTION_BYTES)
			return true;
	}
	return false;
}

struct unwind_table *unwind_table_cached(struct elf *elf, const char *cache_dir, struct err *e)
{
	AUTO(buf) struct buf folder = { 0 };
	AUTO(buf) struct buf path = { 0 };
	uint64_t origin = table_origin(elf);
	if (!origin || !is_worth_it(elf) || !cache_folder(cache_dir, &folder))
		return unwind_table_new(elf, e);
	buf_add(&path, buf_str(&folder));
	add_name(&path, elf, origin);
	struct unwind_table *t = read_table(buf_c_string(&path), elf, origin);
	if (t)
		return t;
	t = unwind_table_new(elf, e);
	if (t) {
		write_table(buf_c_string(&path), t);
		table_cache_prune(buf_c_string(&folder), MOST_BYTES, MOST_BYTES_KEPT);
	}
	return t;
}
