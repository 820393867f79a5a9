/* Output: a file appears whole or not at all, and an error names the path. */
#include "base/base.h"
#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[] = "/tmp/plume-writer-XXXXXX";

/* A name in the test's folder, valid until the next call but three. */
static const char *in_folder(const char *name)
{
	static char paths[4][256];
	static unsigned next;
	char *path = paths[next++ % 4];
	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static unsigned files_in_folder(void)
{
	unsigned n = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *d; dir && (d = readdir(dir));)
		n += strcmp(d->d_name, ".") && strcmp(d->d_name, "..");
	closedir(dir);
	return n;
}

static void put_file(const char *path, struct str content, mode_t mode)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, content.p, content.n) != (ssize_t)content.n || fchmod(fd, mode) < 0)
		tap_ok(false, "%s can be made", path);
	close(fd);
}

static bool holds(const char *path, struct str want)
{
	AUTO(buf) struct buf got = { 0 };
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while ((n = read(fd, buf_reserve(&got, 4096), 4096)) > 0)
		got.n += (size_t)n;
	close(fd);
	return str_eq(buf_str(&got), want);
}

static mode_t mode_of(const char *path)
{
	struct stat status;
	return lstat(path, &status) < 0 ? 0 : status.st_mode;
}

static bool write_file(const char *path, struct str content, struct err *e)
{
	struct writer *w = writer_open(path, e);
	if (!w)
		return false;
	writer_add(w, content);
	bool ok = writer_commit(w, e);
	writer_free(w);
	return ok;
}

static void check_new_file(void)
{
	struct err e = { 0 };
	const char *path = in_folder("new");
	struct writer *w = writer_open(path, &e);
	tap_ok(w && writer_is_healthy(w), "a new file can be opened %s", e.text);
	if (!w)
		return;
	writer_add(w, STR("one "));
	writer_add(w, (struct str){ 0 });
	writer_add(w, STR("two"));
	tap_num_eq(files_in_folder(), 0, "nothing has a name before the commit");
	tap_ok(writer_commit(w, &e), "the commit succeeds %s", e.text);
	tap_ok(holds(path, STR("one two")), "the file is there after the commit");
	writer_free(w);
	tap_num_eq(files_in_folder(), 1, "and nothing else is");
	tap_num_eq(mode_of(path) & 0777, 0640, "a new file has the mode that the umask leaves");
	unlink(path);
}

static void check_no_commit(void)
{
	struct err e = { 0 };
	const char *path = in_folder("kept");
	AUTO_FREE char *much = mem_zalloc(1 << 20, 1);
	put_file(path, STR("old"), 0644);
	struct writer *w = writer_open(path, &e);
	if (w)
		writer_add(w, (struct str){ much, 1 << 20 });
	tap_ok(w && holds(path, STR("old")), "the old file is there while the new one is written");
	writer_free(w);
	tap_ok(holds(path, STR("old")), "without a commit the old file stays");
	tap_num_eq(files_in_folder(), 1, "without a commit nothing is left behind");
	unlink(path);
	w = writer_open(path, &e);
	writer_free(w);
	tap_num_eq(files_in_folder(), 0, "a new file without a commit is not there");
}

static void check_replace(void)
{
	struct err e = { 0 };
	const char *path = in_folder("replaced");
	put_file(path, STR("old and long"), 0600);
	int old = open(path, O_RDONLY | O_CLOEXEC);
	char text[16] = "";
	tap_ok(write_file(path, STR("new"), &e), "an existing file is replaced %s", e.text);
	tap_ok(holds(path, STR("new")), "by the new content alone");
	tap_num_eq(mode_of(path) & 0777, 0600, "and keeps its mode");
	tap_ok(read(old, text, sizeof(text)) == 12, "who has the old file open reads on in it");
	tap_num_eq(files_in_folder(), 1, "no temporary file is left");
	close(old);
	unlink(path);
}

static void check_large(void)
{
	struct err e = { 0 };
	AUTO(buf) struct buf want = { 0 };
	const char *path = in_folder("large");
	struct writer *w = writer_open(path, &e);
	for (uint32_t i = 0; w && i < 400; i++) {
		size_t n = i % 100 == 99 ? 300000 + i : i * 7 + 1;
		size_t start = want.n;
		memset(buf_reserve(&want, n), 'a' + (int)(i % 26), n);
		want.n += n;
		writer_add(w, str_from_byte(buf_str(&want), start));
	}
	tap_ok(w && writer_commit(w, &e), "pieces smaller and larger than the buffer");
	tap_ok(holds(path, buf_str(&want)), "all bytes are there in order");
	writer_free(w);
	unlink(path);
}

static void check_empty(void)
{
	struct err e = { 0 };
	const char *path = in_folder("empty");
	tap_ok(write_file(path, STR(""), &e) && holds(path, STR("")), "an empty file is a file");
	unlink(path);
}

static void check_full_device(void)
{
	struct err e = { 0 };
	AUTO_FREE char *much = mem_zalloc(1 << 20, 1);
	struct writer *w = writer_open("/dev/full", &e);
	tap_ok(w != NULL, "a device can be opened");
	if (!w)
		return;
	writer_add(w, STR("little"));
	tap_ok(writer_is_healthy(w), "what is buffered has not failed yet");
	writer_add(w, (struct str){ much, 1 << 20 });
	tap_ok(!writer_is_healthy(w), "a failed write makes the writer unhealthy");
	tap_ok(!writer_commit(w, &e) && e.kind == ERR_FAILED, "a full device fails the commit");
	tap_str_eq(str_from(e.text), STR("/dev/full: No space left on device after 0 bytes"),
		   "the error says path, reason and how much");
	writer_free(w);
}

/* With standard output replaced by fd; what the test prints goes out before and after. */
static bool write_stdout(int fd, struct str content, struct err *e)
{
	fflush(stdout);
	int saved = dup(STDOUT_FILENO);
	dup2(fd, STDOUT_FILENO);
	bool ok = write_file("-", content, e);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	return ok;
}

static void check_pipe(void)
{
	struct err e = { 0 };
	int ends[2];
	char text[16];
	if (pipe(ends) < 0)
		return;
	tap_ok(write_stdout(ends[1], STR("hello"), &e), "standard output");
	tap_ok(read(ends[0], text, sizeof(text)) == 5 && !memcmp(text, "hello", 5),
	       "what was written came");
	close(ends[0]);
	tap_ok(!write_stdout(ends[1], STR("hello"), &e),
	       "a pipe without a reader fails the commit");
	tap_str_eq(str_from(e.text),
		   STR("standard output: the reader closed the pipe after 0 bytes"), "and says so");
	tap_num_eq(e.kind, ERR_OUTPUT_CLOSED, "which is no failure to a user");
	close(ends[1]);
}

static void check_fifo(void)
{
	struct err e = { 0 };
	const char *path = in_folder("fifo");
	char text[16];
	if (mkfifo(path, 0600) < 0)
		return;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	tap_ok(write_file(path, STR("hello"), &e), "a fifo is written directly %s", e.text);
	tap_ok(read(fd, text, sizeof(text)) == 5 && S_ISFIFO(mode_of(path)), "and stays a fifo");
	close(fd);
	unlink(path);
}

static void check_symlink(void)
{
	struct err e = { 0 };
	const char *target = in_folder("target"), *link = in_folder("link");
	put_file(target, STR("old"), 0600);
	if (symlink("target", link) < 0)
		return;
	tap_ok(write_file(link, STR("new"), &e), "a symlink can be written to %s", e.text);
	tap_ok(S_ISLNK(mode_of(link)), "a symlink stays a symlink");
	tap_ok(holds(target, STR("new")) && S_ISREG(mode_of(target)), "its target has the content");
	tap_num_eq(mode_of(target) & 0777, 0600, "its target keeps its mode");
	unlink(link);
	unlink(target);
}

static void check_refused(const char *path, const char *reason)
{
	struct err e = { 0 };
	struct writer *w = writer_open(path, &e);
	tap_ok(!w && e.kind == ERR_FAILED, "%s is refused", path);
	tap_ok(str_starts(str_from(e.text), str_from(path)) && strstr(e.text, reason),
	       "it says: %s", e.text);
	writer_free(w);
}

/* --- what another user put there --- */

enum { OTHER_UID = 65534 };

static void put_link(const char *target, const char *path)
{
	if (symlink(target, path) < 0 || lchown(path, OTHER_UID, OTHER_UID) < 0)
		tap_ok(false, "%s can be made", path);
}

static uid_t owner_of(const char *path)
{
	struct stat status;
	return lstat(path, &status) < 0 ? (uid_t)-1 : status.st_uid;
}

static bool write_live(const char *path, struct str content, struct err *e)
{
	struct writer *w = writer_open_live(path, e);
	if (!w)
		return false;
	writer_add(w, content);
	bool ok = writer_commit(w, e);
	writer_free(w);
	return ok;
}

typedef bool write_function(const char *path, struct str content, struct err *e);

/* A file that everybody may read and write, and that they hold open to see what comes. */
static void check_planted_file(const char *path, write_function *put, const char *what)
{
	struct err e = { 0 };
	char text[16] = "";
	put_file(path, STR("bait"), 0666);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (chown(path, OTHER_UID, OTHER_UID) < 0)
		tap_ok(false, "%s can be given away", path);
	tap_ok(put(path, STR("secret"), &e) && holds(path, STR("secret")),
	       "%s: another user's file is replaced %s", what, e.text);
	tap_num_eq(mode_of(path) & 07777, 0640, "... without its mode");
	tap_num_eq(owner_of(path), 0, "... and owner");
	tap_ok(read(fd, text, sizeof(text)) == 4 && !memcmp(text, "bait", 4),
	       "... and who has it open sees nothing");
	close(fd);
	unlink(path);
}

static void check_planted_link(const char *path, const char *target, write_function *put,
			       const char *what)
{
	struct err e = { 0 };
	put_file(target, STR("precious"), 0600);
	put_link(target, path);
	tap_ok(!put(path, STR("junk"), &e) &&
		       strstr(e.text, "is a link that belongs to another user"),
	       "%s: another user's link is refused: %s", what, e.text);
	tap_ok(holds(target, STR("precious")), "... and where it leads is as it was");
	unlink(target);
	e = (struct err){ 0 };
	tap_ok(!put(path, STR("junk"), &e) &&
		       strstr(e.text, "is a link that belongs to another user"),
	       "%s: so is one that leads nowhere", what);
	tap_ok(!mode_of(target), "... and nothing is made there");
	tap_ok(!writer_can_open(path, &e), "%s: it is known before", what);
	unlink(path);
}

static void check_planted_pipe(const char *path, write_function *put, const char *what)
{
	struct err e = { 0 };
	if (mkfifo(path, 0666) < 0 || chown(path, OTHER_UID, OTHER_UID) < 0)
		return;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	tap_ok(!put(path, STR("secret"), &e) &&
		       strstr(e.text, "is a pipe that belongs to another user"),
	       "%s: another user's pipe is refused: %s", what, e.text);
	close(fd);
	unlink(path);
}

/* Another name of a file of ours: Linux lets others make one unless fs.protected_hardlinks is set. */
static void check_hard_link(void)
{
	struct err e = { 0 };
	const char *precious = in_folder("precious"), *path = in_folder("hard");
	put_file(precious, STR("precious"), 0600);
	if (link(precious, path) < 0)
		return;
	tap_ok(write_live(path, STR("junk"), &e) && holds(path, STR("junk")),
	       "a hard link is replaced");
	tap_ok(holds(precious, STR("precious")), "... and the file by its other name is as it was");
	unlink(path);
	unlink(precious);
}

static void check_planted(void)
{
	struct err e = { 0 };
	const char *place = in_folder("sticky"), *path = in_folder("sticky/out"),
		   *target = in_folder("target");
	if (geteuid() != 0)
		return tap_ok(true, "files of other users # skip: only root can make them");
	mkdir(place, 0777);
	chmod(place, 01777);
	check_planted_file(path, write_file, "whole");
	check_planted_file(path, write_live, "live");
	check_planted_link(path, target, write_file, "whole");
	check_planted_link(path, target, write_live, "live");
	check_planted_pipe(path, write_file, "whole");
	check_planted_pipe(path, write_live, "live");
	put_file(path, STR("root's"), 0666);
	if (setresuid(OTHER_UID, OTHER_UID, 0) < 0)
		return tap_ok(false, "the user can be changed");
	tap_ok(!write_file(path, STR("mine"), &e) && strstr(e.text, "choose another name"),
	       "what cannot be replaced at the end is refused at once: %s", e.text);
	if (setresuid(0, 0, 0) < 0)
		tap_ok(false, "the user can be changed back");
	unlink(path);
	rmdir(place);
}

/* What the user put there works as ever. */
static void check_own_links(void)
{
	struct err e = { 0 };
	const char *one = in_folder("one"), *two = in_folder("two"), *target = in_folder("own");
	if (symlink("two", one) < 0 || symlink(target, two) < 0)
		return;
	tap_ok(writer_can_open(one, &e) && files_in_folder() == 2, "a link to a link to nothing");
	tap_ok(write_file(one, STR("new"), &e) && holds(target, STR("new")),
	       "... is followed to its end %s", e.text);
	tap_ok(write_live(one, STR("live"), &e) && holds(target, STR("live")), "... live, too");
	tap_num_eq(files_in_folder(), 3, "... and both links are still there");
	unlink(two);
	if (symlink("/dev/null", two) < 0)
		return;
	tap_ok(write_file(one, STR("new"), &e) && write_live(one, STR("new"), &e) &&
		       S_ISCHR(mode_of("/dev/null")),
	       "a link to a device %s", e.text);
	unlink(one);
	if (symlink("one", one) == 0)
		tap_ok(!write_file(one, STR("new"), &e) && strstr(e.text, "symbolic links"),
		       "a link to itself: %s", e.text);
	unlink(one);
	unlink(two);
	unlink(target);
}

static void check_descriptor(void)
{
	struct err e = { 0 };
	int ends[2];
	char path[32], text[16];
	const char *link = in_folder("to-descriptor");
	if (pipe(ends) < 0)
		return;
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	tap_ok(write_file(path, STR("hello"), &e) && read(ends[0], text, sizeof(text)) == 5,
	       "%s %s", path, e.text);
	if (symlink(path, link) == 0)
		tap_ok(write_file(link, STR("hello"), &e) && read(ends[0], text, sizeof(text)) == 5,
		       "a link to it %s", e.text);
	unlink(link);
	close(ends[0]);
	close(ends[1]);
}

static void check_cache_file(void)
{
	struct err e = { 0 };
	const char *path = in_folder("cache"), *target = in_folder("target");
	put_file(target, STR("old"), 0600);
	for (int i = 0; i < 2; i++) {
		if (i ? mkfifo(path, 0666) : symlink("target", path))
			return;
		struct writer *w = writer_open_new(path, &e);
		if (w)
			writer_add(w, STR("table"));
		tap_ok(w && writer_commit(w, &e) && holds(path, STR("table")),
		       "a cache replaces a %s %s", i ? "pipe" : "link", e.text);
		tap_num_eq(mode_of(path), S_IFREG | 0600, "... by a file of its own");
		writer_free(w);
		unlink(path);
	}
	tap_ok(holds(target, STR("old")), "... and where the link led is as it was");
	unlink(target);
}

/* Root may write everywhere, so somebody else has to try. */
static void check_no_permission(void)
{
	const char *path = in_folder("locked"), *file = in_folder("locked/file");
	bool is_root = geteuid() == 0;
	mkdir(path, 0755);
	put_file(file, STR("old"), 0444);
	chmod(path, 0555);
	if (is_root && setresuid(65534, 65534, 0) < 0)
		return tap_ok(true,
			      "a folder without permission # skip: the user cannot be changed");
	check_refused(in_folder("locked/new"), "Permission denied");
	check_refused(file, "Permission denied");
	if (is_root && setresuid(0, 0, 0) < 0)
		tap_ok(false, "the user can be changed back");
	tap_ok(holds(file, STR("old")), "a file without permission is as it was");
	chmod(path, 0755);
	unlink(file);
	rmdir(path);
}

/* The name is taken by a folder between open and commit. */
static void check_failed_commit(void)
{
	struct err e = { 0 };
	const char *path = in_folder("taken");
	struct writer *w = writer_open(path, &e);
	mkdir(path, 0755);
	tap_ok(w && !writer_commit(w, &e), "a commit onto a folder fails");
	tap_ok(str_starts(str_from(e.text), str_from(path)) &&
		       strstr(e.text, "no file was written"),
	       "it says: %s", e.text);
	writer_free(w);
	tap_num_eq(files_in_folder(), 1, "the temporary file is gone");
	rmdir(path);
}

/* What has been flushed is in the file, whatever becomes of its writer. */
static void check_live(void)
{
	struct err e = { 0 };
	const char *path = in_folder("live");
	char text[16] = "";
	struct writer *w = writer_open_live(path, &e);
	writer_add(w, STR("block"));
	writer_flush(w);
	FILE *f = fopen(path, "r");
	tap_ok(f && fread(text, 1, sizeof(text) - 1, f) == 5 && strcmp(text, "block") == 0,
	       "a live file holds what was flushed");
	if (f)
		fclose(f);
	writer_write_at(w, 0, STR("cl"));
	writer_write_at(w, 5, STR("??? behind")); /* until more comes */
	writer_add(w, STR("s and"));
	writer_flush(w);
	f = fopen(path, "r");
	tap_ok(f && fread(text, 1, sizeof(text) - 1, f) == 15 &&
		       strcmp(text, "clocks andehind") == 0,
	       "bytes at a place: %s", text);
	if (f)
		fclose(f);
	writer_free(w);
	tap_num_eq(files_in_folder(), 1, "and stays without a commit");
	unlink(path);
	tap_ok(!writer_open_live(in_folder("nowhere/live"), &e) && e.kind == ERR_FAILED,
	       "refused: %s", e.text);
}

static off_t size_of(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 ? status.st_size : -1;
}

/* A disk that is full for a while: a file may not be larger than the limit. */
static void check_patient(void)
{
	struct err e = { 0 };
	const char *path = in_folder("patient");
	struct rlimit all, few;
	char block[3000];
	memset(block, 'b', sizeof(block));
	struct writer *w = writer_open_live(path, &e);
	writer_set_patient(w);
	writer_add(w, (struct str){ block, sizeof(block) });
	writer_flush(w);
	tap_ok(size_of(path) == 0 && writer_waiting_bytes(w) == 3000, "what is added waits");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &all);
	few = (struct rlimit){ 1000, all.rlim_max };
	setrlimit(RLIMIT_FSIZE, &few);
	tap_ok(!writer_write_waiting(w) && writer_error(w) == EFBIG, "no room");
	tap_ok(size_of(path) == 1000 && writer_waiting_bytes(w) == 2000,
	       "what fits is written, the rest waits");
	block[0] = 'c';
	writer_add(w, (struct str){ block, 1 });
	tap_ok(!writer_write_waiting(w) && writer_waiting_bytes(w) == 2001,
	       "... with what follows");
	setrlimit(RLIMIT_FSIZE, &all);
	tap_ok(writer_write_waiting(w) && writer_is_healthy(w), "room again");
	tap_ok(size_of(path) == 3001 && writer_waiting_bytes(w) == 0, "all is there");
	writer_add(w, STR("end"));
	tap_ok(writer_commit(w, &e) && size_of(path) == 3004, "a commit writes what waits");
	writer_free(w);
	unlink(path);
}

/* More than one buffer, so that deflate sees several pieces; read back by the reader. */
static void check_gzip(size_t lines)
{
	struct err e = { 0 };
	const char *path = in_folder("text.gz");
	AUTO(buf) struct buf want = { 0 };
	struct writer *w = writer_open(path, &e);
	writer_set_gzip(w);
	for (size_t i = 0; i < lines; i++) {
		size_t before = want.n;
		buf_addf(&want, "line %zu of %zu\n", i, lines * 7919 % (i + 1));
		writer_add(w, str_from_byte(buf_str(&want), before));
	}
	tap_ok(writer_commit(w, &e), "a compressed file of %zu bytes is written", want.n);
	writer_free(w);
	struct reader *r = reader_open(path, &e);
	tap_ok(r && reader_fill_all(r, want.n) && !reader_damage(r), "it can be read");
	tap_ok(r && str_eq(reader_window(r), buf_str(&want)), "and is what was written");
	reader_free(r);
	r = reader_open(path, &e);
	if (want.n > 1 << 22)
		tap_ok(r && !reader_fill_all(r, want.n / 2), "a limit is kept");
	reader_free(r);
	unlink(path);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	umask(026);
	if (!mkdtemp(folder) || chmod(folder, 0755) < 0)
		return 1;
	check_new_file();
	check_no_commit();
	check_replace();
	check_large();
	check_empty();
	check_full_device();
	check_pipe();
	check_fifo();
	check_symlink();
	check_refused(folder, "is a folder; name a file in it");
	check_refused(in_folder("nowhere/file"), "No such file or directory");
	check_planted();
	check_hard_link();
	check_own_links();
	check_descriptor();
	check_cache_file();
	check_no_permission();
	check_failed_commit();
	check_live();
	check_patient();
	check_gzip(0);
	check_gzip(10);
	check_gzip(300000);
	tap_num_eq(files_in_folder(), 0, "the tests leave nothing behind");
	rmdir(folder);
	return tap_done();
}
