/* Any bytes as a file: plain, gzip, zstd, damaged. */
#include "fuzz.h"
#include "base/base.h"

#include <sys/mman.h>
#include <unistd.h>

enum { ENOUGH_BYTES = 64 << 20 }; /* a bomb of a few bytes may unpack to gigabytes */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = { 0 };
	char path[64];
	int fd = memfd_create("fuzz", 0);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct reader *r = reader_open(path, &e);
	if (!r)
		abort();
	uint64_t before = reader_window(r).n;
	while (reader_offset(r) < ENOUGH_BYTES && reader_fill(r))
		reader_consume(r, reader_window(r).n);
	if (!reader_compression(r) && before + reader_offset(r) < size)
		abort();
	reader_damage(r);
	reader_free(r);
	close(fd);
	return 0;
}
