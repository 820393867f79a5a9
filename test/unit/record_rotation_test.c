/* A folder of files by time: names in order under any clock, bounds kept, others' files left alone. */
#include "record/rotation_int.h"
#include "tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/plume-test-XXXXXX";
static uint64_t wall_ns, boot_ns;

#define SECOND 1000000000ull
#define HOUR   (3600 * SECOND)
#define START  (1794776700 * SECOND) /* 2026-11-15T210500Z */

static uint64_t told_time(clockid_t clock)
{
	return clock == CLOCK_REALTIME ? wall_ns : boot_ns;
}

static void pass(uint64_t ns)
{
	wall_ns += ns;
	boot_ns += ns;
}

static const struct rotation_options hourly = {
	.folder = folder,
	.stem = "web",
	.every_ns = HOUR,
	.keep_ns = 4 * HOUR,
	.now_ns = told_time,
};

static const char *in_folder(const char *name)
{
	static char paths[8][512];
	static unsigned next;
	char *path = paths[next++ % 8];
	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *path, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)n) != 0)
		abort();
	close(fd);
}

static bool exists(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0;
}

static unsigned files_in_folder(void)
{
	unsigned n = 0;
	DIR *d = opendir(folder);
	for (const struct dirent *entry; d && (entry = readdir(d));)
		n += entry->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

static void empty_folder(void)
{
	char command[300];
	snprintf(command, sizeof(command), "find '%s' -mindepth 1 -delete", folder);
	if (system(command) != 0)
		abort();
	wall_ns = START;
	boot_ns = 5 * SECOND;
}

static struct rotation *begin(const struct rotation_options *o)
{
	struct err e = { 0 };
	struct rotation *r = rotation_new(o, &e);
	if (!r)
		tap_ok(false, "%s", e.text);
	return r;
}

/* A period of n bytes. */
static const char *add_period(struct rotation *r, size_t n)
{
	const char *path = rotation_next(r);
	write_file(path, n);
	return path;
}

static void check_names(void)
{
	uint64_t time_ms;
	AUTO(buf) struct buf name = { 0 };
	rotation_name_add(&name, STR("web"), START / 1000000 + 250);
	tap_str_eq(buf_str(&name), STR("web-2026-11-15T210500.250Z.plume"), "a name");
	tap_ok(rotation_name_read(buf_str(&name), STR("web"), &time_ms), "a name is read");
	tap_num_eq(time_ms, START / 1000000 + 250, "the time of a name");
	static const char *const others[] = {
		"web",
		"",
		"web-2026-11-15T210500.250Z.plum",
		"web-2026-11-15T210500.250Z.plume2",
		"webb-2026-11-15T210500.250Z.plume",
		"we-2026-11-15T210500.250Z.plume",
		"web-2026-11-15T210500.25xZ.plume",
		"web-2026-13-15T210500.250Z.plume",
		"web-2026-02-31T210500.250Z.plume",
		"web-2026-11-15T216000.250Z.plume",
		"web-1969-11-15T210500.250Z.plume",
		"web-0000-00-00T000000.000Z.plume",
	};
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		tap_ok(!rotation_name_read(str_from(others[i]), STR("web"), &time_ms),
		       "not ours: %s", others[i]);
}

/* The clock goes back and forth; names go on. */
static void check_clock_steps(void)
{
	static const int64_t steps[] = { 60, 60, -3600, 60, -86400 * 400, 60, 0, 86400 * 4000, 60 };
	char last[512] = "";
	bool is_ordered = true;
	empty_folder();
	struct rotation *r = begin(&hourly);
	for (size_t i = 0; r && i < 4 * ARRAY_SIZE(steps); i++) {
		wall_ns += (uint64_t)steps[i % ARRAY_SIZE(steps)] * SECOND;
		boot_ns += 60 * SECOND;
		const char *path = add_period(r, 10);
		is_ordered &= strcmp(last, path) < 0;
		snprintf(last, sizeof(last), "%s", path);
		if (i % 7 == 3) { /* killed, and begun again */
			rotation_free(r);
			r = begin(&hourly);
		}
	}
	tap_ok(is_ordered, "names sort in the order they were made");
	rotation_free(r);
}

static void check_step_forward_keeps(void)
{
	empty_folder();
	struct rotation *r = begin(&hourly);
	const char *path;
	for (unsigned i = 0; i < 3; i++, pass(HOUR))
		add_period(r, 10);
	wall_ns += 365 * 24 * HOUR; /* for a moment */
	path = add_period(r, 10);
	rotation_prune(r);
	tap_num_eq(files_in_folder(), 4, "a clock that is wrong for a moment removes nothing");
	wall_ns -= 365 * 24 * HOUR;
	for (unsigned i = 0; i < 20; i++, pass(HOUR)) {
		path = add_period(r, 10);
		rotation_prune(r);
	}
	tap_num_eq(files_in_folder(), 5, "... and the number stays bounded");
	tap_ok(exists(path), "... with the newest");
	rotation_free(r);
}

static void check_bounds(void)
{
	empty_folder();
	struct rotation *r = begin(&hourly);
	for (unsigned i = 0; i < 10; i++, pass(HOUR)) {
		add_period(r, 10);
		rotation_prune(r);
		tap_ok(files_in_folder() <= 5, "at most keep / every and one: %u",
		       files_in_folder());
	}
	tap_num_eq(rotation_removed(r), 5, "removed");
	rotation_free(r);

	pass(3 * HOUR); /* nothing was recorded for a while */
	r = begin(&hourly);
	add_period(r, 10);
	rotation_prune(r);
	tap_num_eq(files_in_folder(), 2, "what is older than keep is removed");
	rotation_free(r);

	struct rotation_options o = hourly;
	o.max_bytes = 100;
	empty_folder();
	r = begin(&o);
	const char *path = NULL;
	for (unsigned i = 0; i < 4; i++, pass(HOUR))
		path = add_period(r, 40);
	rotation_prune(r);
	tap_num_eq(files_in_folder(), 2, "no more bytes than were asked for");
	write_file(path, 1000);
	rotation_prune(r);
	tap_ok(exists(path) && files_in_folder() == 1,
	       "the one being written stays, however large");
	rotation_free(r);
}

/* Room is made before it is needed. */
static void check_expected(void)
{
	struct rotation_options o = hourly;
	o.max_bytes = 100;
	empty_folder();
	struct rotation *r = begin(&o);
	for (unsigned i = 0; i < 2; i++, pass(HOUR))
		add_period(r, 40);
	rotation_prune(r);
	const char *path = rotation_next(r);
	rotation_prune(r);
	rotation_expect(r, 20);
	tap_num_eq(files_in_folder(), 2, "what just fits may come");
	write_file(path, 20);
	rotation_expect(r, 1);
	tap_num_eq(files_in_folder(), 2, "a byte more, and the oldest goes");
	write_file(path, 21);
	rotation_expect(r, 1000);
	tap_ok(exists(path) && files_in_folder() == 1, "all but the one being written");
	rotation_free(r);

	empty_folder();
	r = begin(&hourly);
	for (unsigned i = 0; i < 5; i++, pass(HOUR))
		add_period(r, 10);
	rotation_next(r);
	rotation_prune(r);
	tap_num_eq(files_in_folder(), 4, "one that comes now counts");
	rotation_free(r);
}

static void check_others(void)
{
	static const char *const others[] = { "web.plume", "web-2026-11-15T010500.000Z.svg",
					      "db-2026-11-15T010500.000Z.plume", "notes" };
	char link[512], directory[512], target[512], dangling[512];
	snprintf(link, sizeof(link), "%s", in_folder("web-2026-01-01T000000.000Z.plume"));
	snprintf(directory, sizeof(directory), "%s", in_folder("web-2026-01-02T000000.000Z.plume"));
	snprintf(dangling, sizeof(dangling), "%s", in_folder("web-2026-01-03T000000.000Z.plume"));
	snprintf(target, sizeof(target), "%s", in_folder("target"));
	empty_folder();
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		write_file(in_folder(others[i]), 1000);
	write_file(target, 5000);
	if (symlink(target, link) != 0 || mkdir(directory, 0700) != 0 ||
	    symlink("/nonexistent", dangling) != 0)
		abort();
	struct rotation_options o = hourly;
	o.max_bytes = 100;
	struct rotation *r = begin(&o);
	for (unsigned i = 0; i < 10; i++, pass(HOUR)) {
		add_period(r, 10);
		rotation_prune(r);
	}
	while (rotation_make_room(r))
		;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		tap_ok(exists(in_folder(others[i])), "%s is left alone", others[i]);
	tap_ok(exists(link) && exists(target), "a link is neither followed nor removed");
	tap_ok(exists(dangling) && exists(directory), "nor one to nothing, nor a folder");
	rotation_free(r);
}

/* A name that is taken, by whatever, is not given. */
static void check_taken(void)
{
	empty_folder();
	struct rotation *r = begin(&hourly);
	if (symlink("/etc/passwd", in_folder("web-2026-11-15T210500.000Z.plume")) != 0)
		abort();
	mkdir(in_folder("web-2026-11-15T210500.001Z.plume"), 0700);
	tap_str_eq(str_basename(str_from(rotation_next(r))),
		   STR("web-2026-11-15T210500.002Z.plume"), "a name that nothing has");
	rotation_free(r);

	empty_folder();
	write_file(in_folder("web-9999-12-31T235959.999Z.plume"), 1);
	write_file(in_folder("web-9999-12-31T235959.998Z.plume"), 1);
	r = begin(&hourly);
	tap_str_eq(str_basename(str_from(add_period(r, 1))),
		   STR("web-2026-11-15T210500.000Z.plume"),
		   "after the last name of all, the clock's");
	for (unsigned i = 0; i < 20; i++, pass(HOUR)) {
		add_period(r, 10);
		rotation_prune(r);
	}
	tap_num_eq(files_in_folder(), 5, "and the number stays bounded");
	rotation_free(r);
}

static void check_full_disk(void)
{
	char oldest[512], next[512];
	empty_folder();
	struct rotation *r = begin(&hourly);
	tap_ok(!rotation_make_room(r), "an empty folder has no room to give");
	snprintf(oldest, sizeof(oldest), "%s", add_period(r, 10));
	pass(HOUR);
	snprintf(next, sizeof(next), "%s", add_period(r, 10));
	pass(HOUR);
	const char *current = add_period(r, 10);
	tap_ok(rotation_make_room(r) && !exists(oldest) && exists(next), "the oldest is given up");
	tap_ok(rotation_make_room(r) && !exists(next), "then the next");
	tap_ok(!rotation_make_room(r) && exists(current), "but not the one being written");
	rotation_free(r);
}

static void check_many(void)
{
	AUTO(buf) struct buf name = { 0 };
	empty_folder();
	for (unsigned i = 0; i < 10000; i++) {
		name.n = 0;
		rotation_name_add(&name, STR("web"), START / 1000000 - i * 100);
		write_file(in_folder(buf_c_string(&name)), 10);
	}
	struct rotation *r = begin(&hourly);
	const char *path = add_period(r, 10);
	rotation_prune(r);
	tap_num_eq(files_in_folder(), 5, "10,000 files of before");
	tap_num_eq(rotation_removed(r), 9996, "removed");
	tap_ok(exists(path) && exists(in_folder("web-2026-11-15T210500.000Z.plume")),
	       "the newest stay");
	rotation_free(r);
}

static void check_killed(void)
{
	struct rotation_options minutely = hourly;
	minutely.every_ns = 60 * SECOND;
	empty_folder();
	struct rotation *r = begin(&minutely);
	for (unsigned i = 0; i < 5; i++, pass(minutely.every_ns)) { /* killed before a byte */
		rotation_free(r);
		r = begin(&minutely);
		add_period(r, 0);
	}
	add_period(r, 0);
	rotation_prune(r);
	tap_num_eq(files_in_folder(), 2,
		   "empty files of before go; those of this minute may be another's");
	rotation_free(r);
}

static void check_folder(void)
{
	struct err e = { 0 };
	struct stat status;
	struct rotation_options o = hourly;
	empty_folder();
	o.folder = in_folder("a/b/c/");
	struct rotation *r = begin(&o);
	tap_ok(stat(o.folder, &status) == 0 && (status.st_mode & 0777) == 0700,
	       "the folder is made, its owner's alone");
	add_period(r, 10);
	rotation_free(r);
	o.folder = in_folder("plain");
	write_file(o.folder, 1);
	tap_ok(!rotation_new(&o, &e) && strstr(e.text, "is not a folder"), "%s", e.text);
	o.folder = in_folder("plain/below");
	tap_ok(!rotation_new(&o, &e) && strstr(e.text, "cannot create the folder"), "%s", e.text);
	o = hourly;
	o.stem = "../up";
	tap_ok(!rotation_new(&o, &e) && e.text[0], "%s", e.text);
	/* The folder goes away meanwhile: nothing to remove, and no harm. */
	r = begin(&hourly);
	empty_folder();
	rmdir(folder);
	rotation_next(r);
	rotation_prune(r);
	tap_ok(!rotation_make_room(r), "a folder that is gone");
	rotation_free(r);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	check_names();
	check_clock_steps();
	check_step_forward_keeps();
	check_bounds();
	check_expected();
	check_others();
	check_taken();
	check_full_disk();
	check_many();
	check_killed();
	check_folder();
	return tap_done();
}
