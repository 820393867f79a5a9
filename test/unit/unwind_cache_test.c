/* Tables on disk: read back, rebuilt when damaged, never too many. */
#include "random.h"
#include "tap.h"
#include "unwind/table_int.h"
#include "unwind_elf.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
	char folder[64];
	struct buf file;
	struct elf *elf;
};

/* As many functions as make a table worth a file. */
static void fixture_init(struct fixture *f)
{
	AUTO(buf) struct buf b = { 0 };
	struct err e;
	*f = (struct fixture){ .folder = "/tmp/plume-unwind-XXXXXX" };
	add_cie(&b, "zR", 0x1b);
	for (unsigned i = 0; i < 3000; i++)
		add_fde(&b, 0, FAKE_CODE + i * 16, 12,
			PROGRAM(0x41, 0x0e, (uint8_t)(i % 13 * 8 + 8), 0, 0));
	fake_elf(&f->file, &(struct fake_parts){ .eh_frame = buf_str(&b),
						 .build_id = STR("0123456789abcdefghij") });
	f->elf = elf_of_memory(buf_str(&f->file), "fake", &e);
	tap_ok(mkdtemp(f->folder) && f->elf && f->elf->build_id.n == 20, "a file with a build id");
}

/* The name of the only file in the folder; empty when there is none. */
static void only_file(const struct fixture *f, char *path, size_t room)
{
	DIR *folder = opendir(f->folder);
	struct dirent *entry;
	unsigned n = 0;
	path[0] = 0;
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.' && ++n)
			snprintf(path, room, "%s/%s", f->folder, entry->d_name);
	closedir(folder);
	if (n > 1)
		path[0] = 0;
}

static void fixture_fini(struct fixture *f)
{
	char path[512];
	only_file(f, path, sizeof(path));
	unlink(path);
	tap_ok(rmdir(f->folder) == 0, "nothing else is left in the folder");
	elf_free(f->elf);
	buf_fini(&f->file);
}

static bool is_right(const struct unwind_table *t)
{
	for (unsigned i = 0; t && i < 3000; i++) {
		const uint32_t *rule = table_find(t, FAKE_CODE + i * 16 + 5);
		if (!rule || rule[1] != i % 13 * 8 + 8 || table_find(t, FAKE_CODE + i * 16 + 13))
			return false;
	}
	return t;
}

/* Builds or reads; whether it was read. */
static bool is_read(const struct fixture *f, bool *right)
{
	struct err e;
	struct unwind_table *t = unwind_table_cached(f->elf, f->folder, &e);
	bool read = t && t->mapping.bytes.n;
	*right = is_right(t);
	unwind_table_free(t);
	return read;
}

static void test_round(const struct fixture *f)
{
	char path[512];
	bool right;
	tap_ok(!is_read(f, &right) && right, "the first time it is built");
	only_file(f, path, sizeof(path));
	tap_ok(strstr(path, "/303132333435363738396162636465666768696a-") &&
		       strstr(path, TABLE_MAGIC),
	       "and kept under its build id and version: %s", path);
	tap_ok(is_read(f, &right) && right, "the second time it is read");
}

static void change_byte(const char *path, off_t at)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	char byte;
	if (pread(fd, &byte, 1, at) == 1) {
		byte ^= (char)(1 << random_below(8));
		if (pwrite(fd, &byte, 1, at) != 1)
			tap_ok(false, "%s can be changed", path);
	}
	close(fd);
}

static void test_damage(const struct fixture *f)
{
	char path[512];
	struct stat status;
	bool right, all_right = true, any_read = false;
	only_file(f, path, sizeof(path));
	stat(path, &status);
	for (unsigned i = 0; i < 300; i++) {
		change_byte(path,
			    i < 128 ? (off_t)i : (off_t)random_below((uint32_t)status.st_size));
		any_read |= is_read(f, &right);
		all_right &= right;
	}
	tap_ok(!any_read && all_right, "a file with a wrong bit is built again");
	for (unsigned i = 0; i < 100; i++) {
		off_t n = (off_t)random_below((uint32_t)status.st_size);
		if (truncate(path, i < 10 ? (off_t)i * 16 : n) != 0)
			break;
		any_read |= is_read(f, &right);
		all_right &= right;
	}
	tap_ok(!any_read && all_right, "so is one that was cut");
	tap_ok(is_read(f, &right) && right, "and then it is whole again");
}

/* A table that lies with a right checksum can be wrong, but not do harm. */
static void test_lies(const struct fixture *f)
{
	struct err e;
	struct unwind_table *whole = unwind_table_new(f->elf, &e);
	for (unsigned i = 0; i < 3000; i++) {
		AUTO(buf) struct buf image = { 0 };
		struct unwind_table t = { 0 };
		buf_add(&image, buf_str(&whole->image));
		size_t from = i % 2 ? sizeof(struct table_head) : 16;
		image.p[from + random_below((uint32_t)(image.n - from))] = (char)random_below(256);
		image.p[from + random_below((uint32_t)(image.n - from))] = (char)random_below(256);
		table_sign(&image);
		if (!table_of_image(&t, buf_str(&image)))
			continue;
		for (uint64_t address = FAKE_CODE; address < FAKE_CODE + FAKE_CODE_BYTES;
		     address += 101) {
			const uint32_t *rule = table_find(&t, address);
			if (rule)
				table_expression(&t, (int32_t)rule[1]);
		}
	}
	tap_ok(true, "3,000 lying tables are survived");
	unwind_table_free(whole);
}

static mode_t mode_of(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 ? status.st_mode : 0;
}

/* Others may have written to it. */
static void test_untrusted(const struct fixture *f)
{
	char path[512];
	bool right;
	only_file(f, path, sizeof(path));
	chmod(path, 0666);
	tap_ok(!is_read(f, &right) && right, "a file that others may write to is built again");
	tap_ok(mode_of(path) == (S_IFREG | 0600) && is_read(f, &right), "... and is then ours");
	if (geteuid() == 0 && chown(path, 65534, 65534) == 0) {
		tap_ok(!is_read(f, &right) && right, "a file of another user is built again");
		tap_ok(is_read(f, &right) && right, "... and is then ours");
	}
	chmod(f->folder, 0777);
	tap_ok(!is_read(f, &right) && right, "a folder that others may write to is not used");
	chmod(f->folder, 0700);
}

/* Under the name of a table: neither may be written to, and a pipe has no reader to wait for. */
static void test_planted(const struct fixture *f)
{
	char path[512], moved[512];
	bool right;
	only_file(f, path, sizeof(path));
	snprintf(moved, sizeof(moved), "%s/.moved", f->folder);
	rename(path, moved);
	if (symlink(moved, path) != 0)
		return;
	tap_ok(!is_read(f, &right) && right, "a link is not followed");
	tap_ok(S_ISREG(mode_of(path)) && is_read(f, &right), "... and makes way for a table");
	unlink(moved);
	unlink(path);
	if (mkfifo(path, 0600) != 0)
		return;
	tap_ok(!is_read(f, &right) && right, "a pipe does not hang");
	tap_ok(S_ISREG(mode_of(path)) && is_read(f, &right), "... and makes way for a table");
}

static void test_others(const struct fixture *f)
{
	struct err e;
	bool right;
	struct unwind_table *t = unwind_table_cached(f->elf, "/nonexistent", &e);
	tap_ok(is_right(t), "a folder that is not there costs nothing");
	unwind_table_free(t);
	struct str id = f->elf->build_id;
	f->elf->build_id = STR("");
	tap_ok(!is_read(f, &right) && right, "without a build id nothing is kept");
	f->elf->build_id = id;
}

static void test_parallel(const struct fixture *f)
{
	char path[512];
	bool all_right = true;
	only_file(f, path, sizeof(path));
	for (unsigned i = 0; i < 4; i++)
		if (fork() == 0) {
			bool right, ok = true;
			for (unsigned k = 0; k < 20; k++) {
				is_read(f, &right);
				ok &= right;
				unlink(path);
			}
			_exit(!ok);
		}
	for (int status; wait(&status) > 0;)
		all_right &= status == 0;
	tap_ok(all_right, "four programs build, read and remove it at once");
}

static void write_file(const struct fixture *f, const char *name, size_t n, time_t when)
{
	AUTO(buf) struct buf path = { 0 };
	struct timespec times[2] = { { when, 0 }, { when, 0 } };
	buf_addf(&path, "%s/%s", f->folder, name);
	int fd = open(buf_c_string(&path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (ftruncate(fd, (off_t)n) != 0 || futimens(fd, times) != 0)
		tap_ok(false, "%s is written", path.p);
	close(fd);
}

static bool is_there(const struct fixture *f, const char *name)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", f->folder, name);
	return access(path, F_OK) == 0;
}

static void test_prune(const struct fixture *f)
{
	char path[512];
	write_file(f, "new", 1000, 3000);
	write_file(f, "old", 1000, 1000);
	write_file(f, "middle", 1000, 2000);
	table_cache_prune(f->folder, 3000, 1500);
	tap_ok(is_there(f, "old"), "below the limit nothing is removed");
	table_cache_prune(f->folder, 2999, 1500);
	tap_ok(!is_there(f, "old") && !is_there(f, "middle") && is_there(f, "new"),
	       "above it the files used longest ago go, down to what is kept");
	snprintf(path, sizeof(path), "%s/new", f->folder);
	unlink(path);
}

int main(void)
{
	struct fixture f;
	fixture_init(&f);
	test_round(&f);
	test_damage(&f);
	test_lies(&f);
	test_untrusted(&f);
	test_planted(&f);
	test_others(&f);
	test_parallel(&f);
	char path[512];
	only_file(&f, path, sizeof(path));
	unlink(path);
	test_prune(&f);
	fixture_fini(&f);
	return tap_done();
}
