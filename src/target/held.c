/* Held descriptors: their limit, and what other modules ask about them. */
#include "target/choice.h"
#include "target/held_int.h"
#include "target/living.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_DESCRIPTORS = 64 << 10 };

void held_own_path(int fd, char path[OWN_FD_PATH_BYTES])
{
	snprintf(path, OWN_FD_PATH_BYTES, "/proc/self/fd/%d", fd);
}

/* Half of what we may have: events, files that are written and read need theirs. */
static uint32_t descriptor_share(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 256;
	rlim_t allowed = limit.rlim_cur;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
		allowed = limit.rlim_cur;
	return allowed / 2 < MAX_DESCRIPTORS ? (uint32_t)(allowed / 2) : MAX_DESCRIPTORS;
}

bool held_make_room(struct held_files *h, uint32_t n)
{
	/* Looked through again only when there may be something new to find. */
	if (h->used + n > h->max && h->has_ended) {
		h->has_ended = false;
		held_sweep_files(h);
	}
	return h->used + n <= h->max;
}

void held_close(struct held_files *h, int *fd)
{
	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
	h->used--;
}

uint32_t held_files_count(const struct held_files *h)
{
	return h->used;
}

uint64_t held_files_refused(const struct held_files *h)
{
	return h->refused;
}

/* --- what is below a root --- */

bool held_root_path(const struct held_files *h, int32_t pid, struct buf *root)
{
	uint32_t i = held_find_process(h, pid);
	uint32_t at = i == INDEX_NONE ? INDEX_NONE : h->processes.p[i].root;
	if (at == INDEX_NONE)
		return process_root_path(pid, root);
	char path[OWN_FD_PATH_BYTES];
	held_own_path(h->roots.p[at].fd, path);
	root->n = 0;
	buf_add(root, str_from(path));
	return true;
}

uint64_t held_files_root_number(const struct held_files *h, int32_t pid)
{
	uint32_t i = held_find_process(h, pid);
	uint32_t at = i == INDEX_NONE ? INDEX_NONE : h->processes.p[i].root;
	return at == INDEX_NONE ? 0 : h->roots.p[at].serial;
}

/* --- what others may ask --- */

static bool show_root(struct processes *p, int32_t pid, struct buf *root)
{
	return held_root_path(held_of(p), pid, root);
}

static struct reader *open_path(struct processes *p, int32_t pid, const char *path, struct err *e)
{
	struct held_files *h = held_of(p);
	AUTO(buf) struct buf root = { 0 };
	uint32_t file = held_find_path(h, pid, str_from(path));
	int fd = file == INDEX_NONE ? -1 : process_reopen(h->files.p[file].fd);
	if (fd < 0 && !held_root_path(h, pid, &root)) {
		err_set(e, "%s: process %d has exited", path, pid);
		errno = ENOENT;
		return NULL;
	}
	if (fd < 0)
		fd = process_plain_file(buf_c_string(&root), path, path, OPEN_CHECKED, e);
	return fd < 0 ? NULL : reader_of_fd(fd, path);
}

static void read_container(struct processes *p, int32_t pid, struct buf *name)
{
	container_names_get(&held_of(p)->containers, pid, name);
}

static bool has_thread(struct processes *p, int32_t tid)
{
	(void)p;
	return thread_is_there(tid);
}

static size_t read_stack_begin(struct processes *p, int32_t pid, uint64_t sp, uint64_t *address,
			       void *to, size_t n)
{
	struct living_process living;
	(void)p;
	living_process_init(&living, pid);
	return process_stack_begin(&living.process, sp, address, to, n);
}

struct processes *held_files_processes(struct held_files *h)
{
	return &h->shown;
}

/* --- all of them --- */

struct held_files *held_files_new(uint32_t max_descriptors)
{
	static const struct processes_ops ops = { .open_mapped = held_open_mapped,
						  .touch = held_touch,
						  .root = show_root,
						  .open_path = open_path,
						  .map_state = held_map_state,
						  .read_map = held_read_map,
						  .container = read_container,
						  .has_thread = has_thread,
						  .stack_begin = read_stack_begin };
	struct held_files *h = mem_zalloc(1, sizeof(*h));
	h->shown.ops = &ops;
	h->max = max_descriptors ? max_descriptors : descriptor_share();
	return h;
}

void held_files_free(struct held_files *h)
{
	if (!h)
		return;
	held_processes_fini(h);
	held_inodes_fini(h);
	container_names_fini(&h->containers);
	free(h);
}
