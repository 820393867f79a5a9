/* The ELF files of test/fixtures/elf, and folders of copies of them. */
#pragma once
#include "tap.h"

#include <sys/stat.h>
#include <unistd.h>

/* test/unit, as the runner gives it. */
static const char *unit_folder;

static inline void fixture_bytes(const char *name, struct buf *out)
{
	AUTO(buf) struct buf path = { 0 };
	buf_addf(&path, "%s/../fixtures/elf/%s", unit_folder, name);
	FILE *f = fopen(buf_c_string(&path), "rb");
	size_t n;
	out->n = 0;
	while (f && (n = fread(buf_reserve(out, 65536), 1, 65536, f)) > 0)
		out->n += n;
	if (f)
		fclose(f);
}

/* FOLDER/name, absolute; good until the next call. */
static inline const char *path_in(const char *folder, const char *name)
{
	static char path[4096];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static inline void make_folders(const char *path)
{
	char part[4096];
	for (const char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(p - path), path);
		mkdir(part, 0755);
	}
}

static inline void write_bytes(const char *path, struct str bytes)
{
	make_folders(path);
	FILE *f = fopen(path, "wb");
	if (f && fwrite(bytes.p, 1, bytes.n, f) != bytes.n)
		perror(path);
	if (f)
		fclose(f);
}

static inline void copy_fixture(const char *name, const char *path)
{
	AUTO(buf) struct buf bytes = { 0 };
	fixture_bytes(name, &bytes);
	write_bytes(path, buf_str(&bytes));
}
