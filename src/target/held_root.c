/* Root directories, and the mount namespaces that paths below them depend on. */
#include "target/held_int.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTORS_EACH = 2 };

static uint32_t find_root(const struct held_files *h, const struct held_root *like)
{
	for (uint32_t i = 0; i < h->roots.n; i++) {
		const struct held_root *r = &h->roots.p[i];
		if (r->users && r->namespace_inode == like->namespace_inode &&
		    r->device == like->device && r->inode == like->inode)
			return i;
	}
	return INDEX_NONE;
}

static uint32_t free_place(struct held_files *h)
{
	for (uint32_t i = 0; i < h->roots.n; i++)
		if (!h->roots.p[i].users)
			return i;
	vec_push(&h->roots, (struct held_root){ .fd = -1, .namespace_fd = -1 });
	return h->roots.n - 1;
}

static uint64_t inode_of(int fd)
{
	struct stat status;
	return fd >= 0 && fstat(fd, &status) == 0 ? status.st_ino : 0;
}

/* Opens the root folder of a living process, and its namespace where that is allowed. */
static bool open_root(int32_t pid, struct held_root *r)
{
	AUTO(buf) struct buf path = { 0 };
	struct stat status;
	if (!process_root_path(pid, &path))
		return false;
	r->fd = open(buf_c_string(&path), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (r->fd < 0)
		return false;
	/* Of the same thread: `/proc/12/root`, `/proc/12/task/13/root`. */
	path.n -= strlen("root");
	buf_add(&path, STR("ns/mnt"));
	r->namespace_fd = open(buf_c_string(&path), O_RDONLY | O_CLOEXEC);
	r->namespace_inode = inode_of(r->namespace_fd);
	if (fstat(r->fd, &status) == 0) {
		r->device = status.st_dev;
		r->inode = status.st_ino;
	}
	return true;
}

static void close_root(struct held_root *r)
{
	if (r->fd >= 0)
		close(r->fd);
	if (r->namespace_fd >= 0)
		close(r->namespace_fd);
}

uint32_t held_take_root(struct held_files *h, int32_t pid)
{
	struct held_root r = { .fd = -1, .namespace_fd = -1, .users = 1 };
	if (!open_root(pid, &r))
		return INDEX_NONE;
	uint32_t known = find_root(h, &r);
	if (known != INDEX_NONE || !held_make_room(h, DESCRIPTORS_EACH)) {
		close_root(&r);
		return held_share_root(h, known);
	}
	h->used += 1 + (r.namespace_fd >= 0);
	r.serial = ++h->last_serial;
	uint32_t place = free_place(h);
	h->roots.p[place] = r;
	return place;
}

uint32_t held_share_root(struct held_files *h, uint32_t root)
{
	if (root != INDEX_NONE)
		h->roots.p[root].users++;
	return root;
}

void held_leave_root(struct held_files *h, uint32_t root)
{
	if (root == INDEX_NONE || --h->roots.p[root].users)
		return;
	held_close(h, &h->roots.p[root].fd);
	held_close(h, &h->roots.p[root].namespace_fd);
}
