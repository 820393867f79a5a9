/* Input: mapped files, pipes, gzip and zstd, and each kind of damage. */
#include "base/base.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { TEXT_BYTES = 3 << 20 };

/* A file in memory; its path is valid while it is open. */
struct file {
	int fd;
	char path[64];
};

static struct file file_new(struct str content)
{
	struct file f = { .fd = memfd_create("plume-test", MFD_CLOEXEC) };
	for (struct str rest = content; rest.n;) {
		ssize_t n = write(f.fd, rest.p, rest.n);
		if (n <= 0)
			break;
		rest = str_from_byte(rest, (size_t)n);
	}
	snprintf(f.path, sizeof(f.path), "/proc/self/fd/%d", f.fd);
	return f;
}

static void file_fini(struct file *f)
{
	close(f->fd);
}

/* A pipe that holds content and whose writer is gone. */
static struct file pipe_new(struct str content)
{
	int ends[2];
	struct file f = { .fd = -1 };
	if (pipe2(ends, O_CLOEXEC) < 0)
		return f;
	fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
	ssize_t n = content.n ? write(ends[1], content.p, content.n) : 0;
	close(ends[1]);
	f.fd = ends[0];
	if (n == (ssize_t)content.n)
		snprintf(f.path, sizeof(f.path), "/proc/self/fd/%d", f.fd);
	return f;
}

/* Lines that compress well but not to nothing. */
static void add_text(struct buf *b, size_t n)
{
	for (uint32_t i = 0; b->n < n; i++)
		buf_addf(b, "main;work_%u;leaf_%u %u\n", i % 977, hash_pair(i, 1), i);
	b->n = n;
}

static void add_gzip(struct buf *out, struct str text)
{
	z_stream z = { 0 };
	deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	uLong bound = deflateBound(&z, text.n);
	z.next_in = (Bytef *)text.p;
	z.avail_in = (uInt)text.n;
	z.next_out = (Bytef *)buf_reserve(out, bound);
	z.avail_out = (uInt)bound;
	deflate(&z, Z_FINISH);
	out->n += bound - z.avail_out;
	deflateEnd(&z);
}

static void add_zstd(struct buf *out, struct str text)
{
	size_t bound = ZSTD_compressBound(text.n);
	out->n += ZSTD_compress(buf_reserve(out, bound), bound, text.p, text.n, 1);
}

/* Everything that comes, taken in unequal pieces; `offset_ok` when the offsets add up. */
static void drain(struct reader *r, struct buf *out, bool *offset_ok)
{
	*offset_ok = true;
	for (uint32_t round = 0;; round++) {
		struct str w = reader_window(r);
		size_t n = reader_is_whole(r) ? w.n : w.n - w.n / (3 + round % 5);
		*offset_ok &= reader_offset(r) == out->n;
		buf_add(out, str_first(w, n));
		reader_consume(r, n);
		*offset_ok &= reader_offset(r) == out->n && reader_window(r).n == w.n - n;
		if (!reader_fill(r) && reader_window(r).n == 0)
			return;
	}
}

struct expected {
	struct str text;
	const char *compression; /* NULL: none */
	const char *damage;	 /* a part of it; NULL: none */
};

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_read(const char *path, struct expected want, const char *what)
{
	struct err e = { 0 };
	AUTO(buf) struct buf got = { 0 };
	bool offset_ok;
	struct reader *r = reader_open(path, &e);
	tap_ok(r != NULL, "%s can be opened %s", what, e.text);
	if (!r)
		return;
	drain(r, &got, &offset_ok);
	const char *damage = reader_damage(r);
	tap_ok(str_eq(buf_str(&got), want.text), "%s: %zu of %zu bytes", what, got.n, want.text.n);
	tap_ok(offset_ok, "%s: offsets add up", what);
	tap_ok(same_text(reader_compression(r), want.compression), "%s: the compression is known",
	       what);
	tap_ok(want.damage ? damage && strstr(damage, want.damage) : !damage, "%s: damage '%s'",
	       what, damage ? damage : "none");
	tap_ok(reader_is_whole(r) && !reader_fill(r), "%s: nothing comes after the end", what);
	reader_free(r);
}

static void check_file(struct str content, struct expected want, const char *what)
{
	AUTO(file) struct file f = file_new(content);
	check_read(f.path, want, what);
}

static void check_pipe(struct str content, struct expected want, const char *what)
{
	AUTO(file) struct file f = pipe_new(content);
	check_read(f.path, want, what);
}

static void check_plain(struct str text)
{
	check_file(text, (struct expected){ text, NULL, NULL }, "a file");
	check_file(STR(""), (struct expected){ STR(""), NULL, NULL }, "an empty file");
	check_file(STR("\x1f"), (struct expected){ STR("\x1f"), NULL, NULL }, "half a gzip mark");
	check_file(STR("\x28\xb5\x2f"), (struct expected){ STR("\x28\xb5\x2f"), NULL, NULL },
		   "three quarters of a zstd mark");
	check_pipe(str_first(text, 900000),
		   (struct expected){ str_first(text, 900000), NULL, NULL }, "a pipe");
	check_pipe(STR("ab"), (struct expected){ STR("ab"), NULL, NULL }, "a pipe of two bytes");
	check_pipe(STR(""), (struct expected){ STR(""), NULL, NULL }, "an empty pipe");
}

static void check_mapped(struct str text)
{
	struct err e = { 0 };
	AUTO(file) struct file f = file_new(text);
	struct reader *r = reader_open(f.path, &e);
	tap_ok(r && reader_is_whole(r), "a mapped file is whole from the start");
	tap_ok(r && str_eq(reader_window(r), text), "its window is all of it");
	tap_ok(r && strcmp(reader_name(r), f.path) == 0, "its name is its path");
	if (r) {
		reader_consume(r, 10);
		tap_ok(reader_offset(r) == 10 && reader_window(r).n == text.n - 10,
		       "10 bytes consumed");
		tap_ok(!reader_fill(r) && reader_window(r).n == text.n - 10,
		       "fill changes nothing");
		reader_consume(r, text.n);
		tap_ok(reader_offset(r) == text.n && reader_window(r).n == 0,
		       "no more is consumed than there is");
	}
	reader_free(r);
}

static void check_stdin(struct str content, off_t offset, struct str want, const char *what)
{
	int saved = dup(STDIN_FILENO);
	AUTO(file) struct file f = offset < 0 ? pipe_new(content) : file_new(content);
	if (offset >= 0)
		lseek(f.fd, offset, SEEK_SET);
	dup2(f.fd, STDIN_FILENO);
	check_read("-", (struct expected){ want, NULL, NULL }, what);
	struct err e = { 0 };
	struct reader *r = reader_open("-", &e);
	tap_ok(r && strcmp(reader_name(r), "standard input") == 0, "%s has a name", what);
	reader_free(r);
	dup2(saved, STDIN_FILENO);
	close(saved);
}

static void check_compressed(void add(struct buf *out, struct str text), const char *name,
			     struct str text)
{
	AUTO(buf) struct buf one = { 0 }, two = { 0 }, zeros = { 0 }, small = { 0 };
	AUTO_FREE char *much = mem_zalloc(40 << 20, 1);
	add(&one, text);
	check_file(buf_str(&one), (struct expected){ text, name, NULL }, name);
	check_pipe(buf_str(&one), (struct expected){ text, name, NULL }, "compressed in a pipe");
	for (size_t at = 0; at < text.n; at += text.n / 3)
		add(&two, str_first(str_from_byte(text, at), text.n / 3));
	check_file(buf_str(&two), (struct expected){ text, name, NULL },
		   "members one after the other");
	add(&zeros, (struct str){ much, 40 << 20 });
	check_file(buf_str(&zeros), (struct expected){ { much, 40 << 20 }, name, NULL },
		   "40 MiB of zeros");
	add(&small, STR(""));
	check_file(buf_str(&small), (struct expected){ STR(""), name, NULL }, "compressed nothing");
	buf_add(&one, STR("this is no member"));
	check_file(buf_str(&one), (struct expected){ text, name, name }, "garbage behind the data");
}

/* Cut anywhere: what could be read comes, and the damage is reported. */
static void check_truncated(void add(struct buf *out, struct str text), const char *name,
			    struct str text)
{
	AUTO(buf) struct buf all = { 0 };
	size_t longest = 0;
	bool is_prefix = true, is_reported = true;
	add(&all, text);
	for (size_t cut = 4; cut < all.n; cut += all.n / 23) {
		struct err e = { 0 };
		bool offset_ok;
		AUTO(buf) struct buf got = { 0 };
		AUTO(file) struct file f = file_new(str_first(buf_str(&all), cut));
		struct reader *r = reader_open(f.path, &e);
		if (!r)
			continue;
		drain(r, &got, &offset_ok);
		is_prefix &= got.n < text.n && got.n >= longest &&
			     str_eq(str_first(text, got.n), buf_str(&got));
		is_reported &= reader_damage(r) && strstr(reader_damage(r), "ends early");
		longest = got.n;
		reader_free(r);
	}
	tap_ok(is_prefix && longest > text.n / 2, "truncated %s: what was readable comes", name);
	tap_ok(is_reported, "truncated %s: each cut is reported", name);
}

static void check_gzip_trailer(struct str text)
{
	AUTO(buf) struct buf gz = { 0 };
	add_gzip(&gz, text);
	check_file(str_first(buf_str(&gz), gz.n - 1),
		   (struct expected){ text, "gzip", "ends early" },
		   "all but the last byte of a gzip");
	gz.p[gz.n - 6] ^= 1;
	check_file(buf_str(&gz), (struct expected){ text, "gzip", "incorrect data check" },
		   "a gzip with a wrong checksum");
}

static void check_refused(const char *path, const char *text)
{
	struct err e = { 0 };
	struct reader *r = reader_open(path, &e);
	tap_ok(!r && e.kind == ERR_FAILED, "%s is refused", path);
	tap_str_eq(str_from(e.text), str_from(text), "%s says why", path);
	reader_free(r);
}

static void check_cut_while_mapped(struct str text)
{
	struct err e = { 0 };
	AUTO(file) struct file f = file_new(text);
	struct reader *r = reader_open(f.path, &e), *other = reader_open(f.path, &e);
	tap_ok(r && !reader_damage(r), "nothing is damaged at first");
	if (!r || ftruncate(f.fd, 8192) < 0)
		return;
	struct str w = reader_window(r);
	bool is_zero = true;
	for (size_t i = 8192; i < w.n; i++)
		is_zero &= w.p[i] == 0;
	tap_ok(is_zero, "a file cut while it is mapped reads as zeros from there on");
	tap_ok(memcmp(w.p, text.p, 8192) == 0, "what is left of it is as it was");
	tap_ok(reader_damage(r) && strstr(reader_damage(r), "was truncated"),
	       "the cut is reported");
	reader_free(r);
	tap_ok(other && reader_window(other).p[w.n - 1] == 0 && reader_damage(other),
	       "a second reader of the same file is guarded on its own");
	reader_free(other);
}

/* No page is lost then, so nothing is raised: only the size tells. */
static void check_cut_within_a_page(void)
{
	struct err e = { 0 };
	AUTO(file) struct file f = file_new(STR("twelve bytes"));
	struct reader *r = reader_open(f.path, &e);
	tap_ok(r && ftruncate(f.fd, 5) == 0 && reader_damage(r),
	       "a cut within the last page is reported");
	reader_free(r);
}

static void check_open_file(struct str text)
{
	AUTO(file) struct file f = file_new(text);
	AUTO(buf) struct buf got = { 0 };
	bool offset_ok = true;
	lseek(f.fd, 0, SEEK_SET);
	struct reader *r = reader_of_fd(dup(f.fd), "named");
	tap_ok(!reader_is_whole(r) && reader_window(r).n < text.n, "an open file is a stream");
	drain(r, &got, &offset_ok);
	tap_ok(offset_ok && str_eq(buf_str(&got), text) && strcmp(reader_name(r), "named") == 0,
	       "an open file is read to its end");
	reader_free(r);
}

/* There are guards for 64 mapped files; the others are read as streams. */
static void check_many_readers(void)
{
	struct err e = { 0 };
	struct reader *r[80];
	bool ok = true;
	AUTO(file) struct file f = file_new(STR("a;b 1\n"));
	for (size_t i = 0; i < ARRAY_SIZE(r); i++) {
		r[i] = reader_open(f.path, &e);
		ok &= r[i] && str_eq(reader_window(r[i]), STR("a;b 1\n"));
	}
	tap_ok(ok, "80 readers at once");
	for (size_t i = 0; i < ARRAY_SIZE(r); i++)
		reader_free(r[i]);
}

int main(void)
{
	AUTO(buf) struct buf b = { 0 };
	add_text(&b, TEXT_BYTES);
	struct str text = buf_str(&b);
	check_plain(text);
	check_mapped(text);
	check_stdin(STR("from a pipe"), -1, STR("from a pipe"), "a pipe as standard input");
	check_stdin(STR("from a file"), 0, STR("from a file"), "a file as standard input");
	check_stdin(STR("from a file"), 5, STR("a file"),
		    "standard input that was read from before");
	check_compressed(add_gzip, "gzip", text);
	check_compressed(add_zstd, "zstd", text);
	check_truncated(add_gzip, "gzip", text);
	check_truncated(add_zstd, "zstd", text);
	check_gzip_trailer(text);
	check_refused("/proc/self", "/proc/self: is a folder, not a profile");
	check_refused("/nonexistent/file", "/nonexistent/file: No such file or directory");
	check_cut_while_mapped(text);
	check_cut_within_a_page();
	check_open_file(text);
	check_many_readers();
	return tap_done();
}
