/*
 * Feeds each file of a corpus folder to the target, and each again cut at some places: TAP, one
 * line per file.
 */
#include "fuzz.h"

#include "base/base.h"

#include <dirent.h>
#include <sys/stat.h>

static bool read_file(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "rb");
	size_t n;
	out->n = 0;
	if (!f)
		return false;
	while ((n = fread(buf_reserve(out, 65536), 1, 65536, f)) > 0)
		out->n += n;
	fclose(f);
	return true;
}

/* The copy has the exact size, so that ASan sees a read of one byte too many. */
static void run_target(const char *p, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	memcpy(copy, p, n);
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(int argc, char **argv)
{
	AUTO(buf) struct buf text = { 0 };
	AUTO(text_list) struct text_list names = { 0 };
	DIR *dir = argc > 1 ? opendir(argv[1]) : NULL;
	struct dirent *entry;
	unsigned ran = 0;
	if (!dir)
		return 1;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			text_list_add(&names, str_from(entry->d_name));
	closedir(dir);
	if (names.n)
		qsort(names.p, names.n, sizeof(*names.p), by_name);
	for (uint32_t i = 0; i < names.n; i++) {
		char path[4096];
		snprintf(path, sizeof(path), "%s/%s", argv[1], names.p[i]);
		if (!read_file(path, &text))
			continue;
		run_target(text.p, text.n);
		for (size_t cut = 1; cut < text.n; cut += 1 + text.n / 40)
			run_target(text.p, cut);
		printf("ok %u - replayed %s\n", ++ran, names.p[i]);
	}
	printf("1..%u\n", ran);
	return ran == 0;
}
