/* Mapped files, each held once, no matter how many processes map it. */
#include "target/held_int.h"
#include "target/living.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* --- which file --- */

static uint32_t hash_numbers(const struct held_file *f)
{
	return hash_pair((uint32_t)f->inode ^ f->device_minor << 16,
			 (uint32_t)(f->inode >> 32) ^ f->device_major);
}

static bool has_numbers(const void *list, uint32_t i, const void *key)
{
	const struct held_file *a = &((const struct held_file *)list)[i], *b = key;
	return a->inode == b->inode && a->device_minor == b->device_minor &&
	       a->device_major == b->device_major;
}

static uint32_t find_file(const struct held_files *h, const struct held_file *like)
{
	return index_map_find(&h->by_inode, hash_numbers(like), has_numbers, h->files.p, like);
}

/* A file that is in use now. NULL: it is not held. */
static struct held_file *use_file(struct held_files *h, uint32_t i)
{
	if (i == INDEX_NONE)
		return NULL;
	h->files.p[i].last_use_ns = clock_monotonic_ns();
	return &h->files.p[i];
}

static uint64_t hash_path(const struct held_files *h, int32_t pid, struct str path)
{
	uint32_t i = held_find_process(h, pid);
	uint32_t root = i == INDEX_NONE ? INDEX_NONE : h->processes.p[i].root;
	path = process_plain_path(path);
	return XXH3_64bits_withSeed(path.p, path.n,
				    root == INDEX_NONE ? 0 : h->roots.p[root].serial);
}

uint32_t held_find_path(const struct held_files *h, int32_t pid, struct str path)
{
	uint64_t hash = hash_path(h, pid, path);
	for (uint32_t i = h->files.n; i-- > 0;)
		if (h->files.p[i].path_hash == hash)
			return i;
	return INDEX_NONE;
}

/* --- opening --- */

static int open_by_path(struct held_files *h, int32_t pid, const struct process_mapping *m)
{
	AUTO(buf) struct buf root = { 0 }, path = { 0 };
	struct err ignored;
	struct stat status;
	buf_add(&path, process_plain_path(m->path));
	if (!held_root_path(h, pid, &root))
		return -1;
	int fd = process_plain_file(buf_c_string(&root), buf_c_string(&path), "", OPEN_CHECKED,
				    &ignored);
	if (fd < 0)
		return -1;
	if (fstat(fd, &status) == 0 && status.st_ino == m->inode &&
	    major(status.st_dev) == m->device_major && minor(status.st_dev) == m->device_minor)
		return fd;
	close(fd);
	return -1;
}

/* Anonymous memory, or a file that is nothing but memory. */
static bool is_jit(const struct process_mapping *m)
{
	if (m->inode)
		return str_starts(m->path, STR("/memfd:"));
	return !str_starts(m->path, STR("[v")) && !str_starts(m->path, STR("[uprobes"));
}

void held_files_add_mapping(struct held_files *h, int32_t pid, const struct process_mapping *m)
{
	uint32_t process = held_find_process(h, pid);
	if (process != INDEX_NONE && is_jit(m))
		h->processes.p[process].has_jit = true;
	if (!m->inode || !m->path.n || m->path.p[0] != '/')
		return;
	struct held_file f = { .device_major = m->device_major,
			       .device_minor = m->device_minor,
			       .inode = m->inode,
			       .last_use_ns = clock_monotonic_ns(),
			       .pid = pid };
	struct held_file *known = use_file(h, find_file(h, &f));
	if (known) {
		known->pid = pid;
		return;
	}
	if (!held_make_room(h, 1)) {
		h->refused++;
		return;
	}
	f.fd = h->has_no_map_files ? -1 : target_open_by_addresses(pid, m);
	h->has_no_map_files |= f.fd < 0 && errno == EPERM;
	if (f.fd < 0 && (f.fd = open_by_path(h, pid, m)) < 0)
		return;
	h->used++;
	f.path_hash = hash_path(h, pid, m->path);
	vec_push(&h->files, f);
	index_map_add(&h->by_inode, hash_numbers(&f), h->files.n - 1);
}

static uint32_t find_id(const struct held_files *h, const struct binary_id *id)
{
	return find_file(h, &(struct held_file){ .device_major = id->device_major,
						 .device_minor = id->device_minor,
						 .inode = id->inode });
}

int held_open_mapped(struct processes *p, int32_t pid, const struct binary_id *id)
{
	struct held_files *h = held_of(p);
	const struct held_file *f =
		use_file(h, id->has_inode ? find_id(h, id) : held_find_path(h, pid, id->path));
	return f ? process_reopen(f->fd) : -1;
}

void held_touch(struct processes *p, const struct binary_id *id)
{
	use_file(held_of(p), find_id(held_of(p), id));
}

/* --- making room --- */

static bool is_needed(const struct held_files *h, const struct held_file *f)
{
	uint32_t i = held_find_process(h, f->pid);
	return i != INDEX_NONE && h->processes.p[i].lives;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

void held_drop_files(struct held_files *h, uint64_t since_ns)
{
	uint32_t kept = 0;
	index_map_clear(&h->by_inode);
	for (uint32_t i = 0; i < h->files.n; i++) {
		struct held_file f = h->files.p[i];
		if (f.last_use_ns < since_ns && !is_needed(h, &f)) {
			held_close(h, &f.fd);
			continue;
		}
		h->files.p[kept] = f;
		index_map_add(&h->by_inode, hash_numbers(&f), kept++);
	}
	h->files.n = kept;
}

/* Half of them at once, so that not each new file has to look through all. */
void held_sweep_files(struct held_files *h)
{
	VEC(uint64_t) idle = { 0 };
	for (uint32_t i = 0; i < h->files.n; i++)
		if (!is_needed(h, &h->files.p[i]))
			vec_push(&idle, h->files.p[i].last_use_ns);
	if (idle.n) {
		qsort(idle.p, idle.n, sizeof(*idle.p), compare_u64);
		held_drop_files(h, idle.p[idle.n / 2] + 1);
	}
	vec_fini(&idle);
}

void held_inodes_fini(struct held_files *h)
{
	for (uint32_t i = 0; i < h->files.n; i++)
		held_close(h, &h->files.p[i].fd);
	vec_fini(&h->files);
	index_map_fini(&h->by_inode);
}
