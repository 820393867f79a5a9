#include "base/mapping.h"
#include "base/reader_int.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

bool mapping_init(struct mapping *m, int fd, const char *name, struct err *e)
{
	struct stat status;
	if (fstat(fd, &status) != 0)
		return err_set(e, "%s: %s", name, strerror(errno));
	if (!S_ISREG(status.st_mode) || status.st_size <= 0)
		return err_set(e, "%s: %s", name,
			       S_ISREG(status.st_mode) ? "the file is empty"
						       : "not a regular file");
	size_t n = (size_t)status.st_size;
	void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return err_set(e, "%s: %s", name, strerror(errno));
	if (!map_guard_add(p, n)) {
		munmap(p, n);
		return err_set(e, "%s: too many files are mapped", name);
	}
	m->bytes = (struct str){ p, n };
	return true;
}

void mapping_fini(struct mapping *m)
{
	if (!m->bytes.n)
		return;
	map_guard_remove(m->bytes.p);
	munmap((void *)m->bytes.p, m->bytes.n);
	m->bytes = (struct str){ 0 };
}

void mapping_let_go(struct mapping *m)
{
	if (m->bytes.n)
		madvise((void *)m->bytes.p, m->bytes.n, MADV_DONTNEED);
}

bool mapping_was_cut(const struct mapping *m)
{
	return m->bytes.n && map_guard_was_cut(m->bytes.p);
}
