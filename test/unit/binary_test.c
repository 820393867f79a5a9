/* Finding the file of a binary again: where, whether it is the one, its debug file, and what is said. */
#include "elf/elf.h"
#include "elf_fixtures.h"
#include "symbol/symbol.h"

#include <fcntl.h>
#include <ftw.h>

static char folder[64]; /* of this run */
static const struct symbol_options this_machine = { .is_of_this_machine = true };
#define BUILD_ID                                                                                   \
	STR("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff\x00\x11\x22\x33")
static const char build_id_file[] = ".build-id/00/112233445566778899aabbccddeeff00112233";

/* A path below the folder of this run; the caller frees it. */
static char *below(const char *name)
{
	AUTO(buf) struct buf path = { 0 };
	buf_addf(&path, "%s/%s", folder, name);
	return mem_strdup(buf_c_string(&path));
}

static void put(const char *fixture, const char *name)
{
	AUTO_FREE char *path = below(name);
	copy_fixture(fixture, path);
}

static struct binary *binary_below(const char *name, struct str build_id,
				   const struct symbol_options *options)
{
	AUTO_FREE char *path = below(name);
	struct binary_id id = { .path = str_from(path), .build_id = build_id };
	return binary_new(&id, options);
}

/* Takes b. */
static void check(struct binary *b, enum binary_trouble trouble, const char *found_at,
		  const char *what)
{
	struct elf *code = binary_code(b);
	AUTO_FREE char *path = below(found_at ? found_at : "");
	tap_num_eq(binary_trouble_of(b), trouble, "%s: what is wrong", what);
	if (found_at)
		tap_str_eq(code ? str_from(code->path) : STR(""), str_from(path), "%s: where",
			   what);
	else
		tap_ok(!code, "%s: nothing is used", what);
	binary_free(b);
}

/* Takes b. */
static void check_words(struct binary *b, const char *reason, const char *fix, const char *what)
{
	AUTO(buf) struct buf got_reason = { 0 }, got_fix = { 0 }, want = { 0 };
	for (const char *p = reason; *p; p++) {
		if (*p == '~')
			buf_add(&want, str_from(folder));
		else
			buf_add_char(&want, *p);
	}
	binary_explain(b, &got_reason, &got_fix);
	tap_str_eq(buf_str(&got_reason), buf_str(&want), "%s: the reason", what);
	tap_str_eq(buf_str(&got_fix), str_from(fix), "%s: the fix", what);
	binary_free(b);
}

/* --- whether it is the one --- */

static void check_agreement(void)
{
	put("normal.so", "lib/normal.so");
	put("no-id.so", "lib/no-id.so");
	struct stat status = { 0 };
	AUTO_FREE char *path = below("lib/no-id.so");
	stat(path, &status);
	struct binary_id id = { .path = str_from(path), .has_inode = true, .inode = status.st_ino };

	check(binary_below("lib/normal.so", BUILD_ID, &this_machine), BINARY_FINE, "lib/normal.so",
	      "the build id agrees");
	check(binary_below("lib/normal.so", STR("\1\2\3\4"), &this_machine), BINARY_DIFFERS, NULL,
	      "the build id differs");
	check(binary_below("lib/normal.so", STR(""), &this_machine), BINARY_UNVERIFIED,
	      "lib/normal.so", "nothing was recorded");
	check(binary_below("lib/no-id.so", BUILD_ID, &this_machine), BINARY_DIFFERS, NULL,
	      "a build id was recorded, and the file has none");
	check(binary_new(&id, &this_machine), BINARY_STRIPPED, "lib/no-id.so", "the inode agrees");
	id.inode++;
	check(binary_new(&id, &this_machine), BINARY_DIFFERS, NULL, "the inode differs");
	check(binary_below("lib/normal.so (deleted)", BUILD_ID, &this_machine), BINARY_FINE,
	      "lib/normal.so", "deleted, and put back");

	struct binary *b = binary_below("lib/normal.so", STR(""), &this_machine);
	binary_set_build_id(b, BUILD_ID);
	check(b, BINARY_FINE, "lib/normal.so", "the build id came later");
}

static void set_change_time(const char *path, time_t seconds, long nanoseconds)
{
	struct timespec times[2] = { { seconds, nanoseconds }, { seconds, nanoseconds } };
	tap_ok(utimensat(AT_FDCWD, path, times, 0) == 0, "the time is set");
}

/* `cat new > program` leaves the inode as it was. */
static void check_changed_in_place(void)
{
	AUTO_FREE char *path = below("changed/normal.so"), *symfs = below("changed-copy");
	struct symbol_options options = { .recorded_until_unix_ns = 1000000000000000005 };
	struct symbol_options copies = { .symfs = symfs,
					 .recorded_until_unix_ns = 1000000000000000005 };
	struct stat status = { 0 };
	put("normal.so", "changed/normal.so");
	put("normal.so", "changed-copy/normal.so");
	stat(path, &status);
	struct binary_id id = { .path = str_from(path), .has_inode = true, .inode = status.st_ino };

	set_change_time(path, 1000000000, 5);
	check(binary_new(&id, &options), BINARY_FINE, "changed/normal.so", "as old as it may be");
	set_change_time(path, 1000000000, 6);
	check(binary_new(&id, &options), BINARY_DIFFERS, NULL, "changed after the recording");
	check_words(binary_new(&id, &options), "it was changed after the recording",
		    "give the recorded file with --symfs DIR", "changed after the recording");
	check(binary_new(&id, &this_machine), BINARY_FINE, "changed/normal.so",
	      "the recording's time is not known");
	check(binary_new(&id, &copies), BINARY_UNVERIFIED, "changed-copy/normal.so",
	      "copies are newer");
	id.build_id = BUILD_ID;
	check(binary_new(&id, &options), BINARY_FINE, "changed/normal.so",
	      "a build id that agrees counts more than the time");
	id.inode++;
	check_words(
		binary_new(&(struct binary_id){ id.path, STR(""), true, 0, 0, id.inode }, &options),
		"the inode of ~/changed/normal.so differs: it is not the recorded file",
		"give the recorded file with --symfs DIR", "another inode");
}

/* Takes b. */
static void check_unverified(struct binary *b, bool is_unverified, const char *what)
{
	tap_num_eq(binary_is_unverified(b), is_unverified, "unverified: %s", what);
	binary_free(b);
}

static void check_what_is_unverified(void)
{
	AUTO_FREE char *path = below("lib/no-id.so"), *symfs = below("lib");
	struct symbol_options copies = { .symfs = symfs };
	struct stat status = { 0 };
	stat(path, &status);
	struct binary_id id = { .path = str_from(path), .has_inode = true, .inode = status.st_ino };

	check_unverified(binary_below("lib/normal.so", STR(""), &this_machine), true,
			 "nothing was recorded");
	check_unverified(binary_below("lib/normal.so", BUILD_ID, &this_machine), false,
			 "the build id agrees");
	check_unverified(binary_below("lib/normal.so", STR("\1"), &this_machine), false,
			 "what is not used");
	check_unverified(binary_new(&id, &this_machine), false, "the inode agrees");
	check_unverified(binary_new(&id, &copies), true, "a copy");
	id.has_inode = false;
	check(binary_new(&id, &this_machine), BINARY_STRIPPED, "lib/no-id.so", "stripped");
	check_unverified(binary_new(&id, &this_machine), true, "stripped, too");
	put("no-id.so", "lib/deno");
	check_words(binary_below("lib/deno", STR(""), &this_machine),
		    "it is stripped: only exported functions have names, and may not be the "
		    "recorded version",
		    "there are no debug symbols to install; to name JavaScript, start deno with "
		    "--v8-flags=--perf-basic-prof",
		    "a runtime without debug symbols");
	check_words(binary_new(&id, &copies),
		    "it is stripped: only exported functions have names, and may not be the "
		    "recorded version",
		    "install its debug symbols, or use --debuginfod", "stripped and unverified");
	id.path = STR("/x/normal.so");
	id.has_inode = true;
	check_words(binary_new(&id, &copies),
		    "the recording has no build id to check it against: ~/lib/normal.so may be "
		    "another version",
		    "record with --buildid-all", "a copy whose inode was not compared");
}

static void check_padded_build_id(void)
{
	AUTO(buf) struct buf bytes = { 0 };
	AUTO_FREE char *path = below("lib/short-id.so");
	fixture_bytes("normal.so", &bytes);
	/* Twenty bytes become sixteen; the note's size stands 16 bytes before the build id. */
	char *at = memmem(bytes.p, bytes.n, BUILD_ID.p, BUILD_ID.n);
	if (at)
		at[-12] = 16;
	write_bytes(path, buf_str(&bytes));
	struct str padded =
		STR("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff\0\0\0\0");
	check(binary_below("lib/short-id.so", padded, &this_machine), BINARY_FINE,
	      "lib/short-id.so", "a build id with the zeros that perf puts behind it");
	check(binary_below("lib/short-id.so", BUILD_ID, &this_machine), BINARY_DIFFERS, NULL,
	      "a build id that goes on");
}

/* --- where --- */

static void check_symfs(void)
{
	AUTO_FREE char *symfs = below("symfs"), *inside = below("lib/normal.so");
	struct symbol_options options = { .symfs = symfs, .is_of_this_machine = true };
	AUTO(buf) struct buf name = { 0 };
	struct binary_id wrong_inode = { .path = STR("/lib/y.so"), .has_inode = true, .inode = 1 };

	check(binary_below("lib/normal.so", BUILD_ID, &options), BINARY_MISSING, NULL,
	      "only the folder of --symfs is looked into");
	buf_addf(&name, "symfs/%s/elf", build_id_file);
	put("normal.so", buf_c_string(&name));
	check(binary_below("lib/normal.so", BUILD_ID, &options), BINARY_FINE, buf_c_string(&name),
	      "by build id below --symfs");
	put("normal.so", "symfs/normal.so");
	check(binary_below("lib/normal.so", BUILD_ID, &options), BINARY_FINE, "symfs/normal.so",
	      "by its name in --symfs");
	name.n = 0;
	buf_addf(&name, "symfs%s", inside);
	put("other.so", buf_c_string(&name));
	check(binary_below("lib/normal.so", BUILD_ID, &options), BINARY_FINE, "symfs/normal.so",
	      "another file at the path is passed over");
	put("normal.so", buf_c_string(&name));
	check(binary_below("lib/normal.so", BUILD_ID, &options), BINARY_FINE, buf_c_string(&name),
	      "by its path below --symfs");
	put("normal.so", "symfs/lib/y.so");
	check(binary_new(&wrong_inode, &options), BINARY_UNVERIFIED, "symfs/lib/y.so",
	      "a copy has an inode of its own");
}

static void check_container_root(void)
{
	AUTO_FREE char *root = below("root"), *link = below("root/lib"),
		       *out = below("root/out.so"), *target = below("lib/normal.so");
	struct symbol_options options = { .container_root = root, .is_of_this_machine = true };
	struct binary_id id = { .path = STR("/lib/in.so"), .build_id = BUILD_ID };
	struct binary_id leaving = { .path = STR("/out.so"), .build_id = BUILD_ID };

	put("normal.so", "root/usr/lib/in.so");
	tap_ok(symlink("/usr/lib", link) == 0 && symlink(target, out) == 0, "links are made");
	check(binary_new(&id, &options), BINARY_FINE, "root/lib/in.so",
	      "an absolute link stays inside the root");
	check(binary_new(&leaving, &options), BINARY_MISSING, NULL, "no link leads out of it");
	check(binary_below("lib/normal.so", BUILD_ID, &options), BINARY_FINE, "lib/normal.so",
	      "what is not in the container is looked for outside");
}

static void check_process_root(void)
{
	AUTO_FREE char *path = below("lib/normal.so");
	AUTO(buf) struct buf where = { 0 };
	struct binary *b = binary_below("lib/normal.so", BUILD_ID, &this_machine);
	binary_add_process(b, getpid());
	buf_addf(&where, "/proc/%d/root%s", getpid(), path);
	struct elf *code = binary_code(b);
	tap_str_eq(code ? str_from(code->path) : STR(""), buf_str(&where),
		   "a live process's root comes before the path");
	binary_free(b);

	struct symbol_options elsewhere = { 0 };
	b = binary_below("lib/normal.so", BUILD_ID, &elsewhere);
	binary_add_process(b, getpid());
	check(b, BINARY_FINE, "lib/normal.so", "processes of another machine are not looked for");
}

static void check_caches(void)
{
	AUTO(buf) struct buf name = { 0 };
	AUTO_FREE char *cache = below("cache");
	setenv("PERF_BUILDID_DIR", cache, 1);
	check(binary_below("lib/gone.so", BUILD_ID, &this_machine), BINARY_MISSING, NULL,
	      "nowhere at all");
	buf_addf(&name, "cache/%s/elf", build_id_file);
	put("other.so", buf_c_string(&name));
	check(binary_below("lib/gone.so", BUILD_ID, &this_machine), BINARY_MISSING, NULL,
	      "a cache that lies");
	put("normal.so", buf_c_string(&name));
	check(binary_below("lib/gone.so", BUILD_ID, &this_machine), BINARY_FINE,
	      buf_c_string(&name), "in perf's cache");
	put("other.so", "lib/replaced.so");
	check(binary_below("lib/replaced.so", BUILD_ID, &this_machine), BINARY_FINE,
	      buf_c_string(&name), "the old one of a file that was replaced");
	struct binary_id vdso = { .path = STR("[vdso]"), .build_id = BUILD_ID };
	check(binary_new(&vdso, &this_machine), BINARY_FINE, buf_c_string(&name),
	      "what has no path, by its build id");
	name.n = 0;
	buf_add(&name, STR("none"));
	AUTO_FREE char *none = below("none");
	setenv("PERF_BUILDID_DIR", none, 1);
}

static void check_odd_files(void)
{
	AUTO_FREE char *fifo = below("lib/fifo"), *text = below("lib/text"),
		       *empty = below("lib/empty");
	mkfifo(fifo, 0600);
	write_bytes(text, STR("#!/bin/sh\n"));
	write_bytes(empty, STR(""));
	check(binary_below("lib/fifo", STR(""), &this_machine), BINARY_DAMAGED, NULL,
	      "a fifo is not waited for");
	check(binary_below("lib/text", STR(""), &this_machine), BINARY_DAMAGED, NULL, "a text");
	check(binary_below("lib/empty", STR(""), &this_machine), BINARY_DAMAGED, NULL,
	      "an empty file");
	check(binary_below("lib", STR(""), &this_machine), BINARY_DAMAGED, NULL, "a folder");
	struct binary_id id = { .path = STR("/dev/null") };
	check(binary_new(&id, &this_machine), BINARY_DAMAGED, NULL, "a device");
	static const char *const names[] = { "",  "/",	     "//anon",	  "[heap]",
					     "x", "../../x", "/a\0b/../", " (deleted)" };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		id.path = (struct str){ names[i], i == 6 ? 8 : strlen(names[i]) };
		struct binary *b = binary_new(&id, &this_machine);
		tap_ok(!binary_code(b) && binary_trouble_of(b) != BINARY_FINE, "no file: name %zu",
		       i);
		binary_free(b);
	}
}

/* --- debug files --- */

static struct str name_at(struct binary *b, uint64_t address)
{
	struct binary_symbol found;
	return binary_find_symbol(b, address, &found) ? found.name : STR("");
}

/* Takes b: a stripped program whose debug file should be found, or not. */
static void check_debug(struct binary *b, bool is_found, const char *what)
{
	tap_str_eq(name_at(b, 0x200a0), is_found ? STR("only_local") : STR(""), "%s: local names",
		   what);
	tap_str_eq(name_at(b, 0x20000), STR("plain"), "%s: exported names", what);
	tap_num_eq(binary_trouble_of(b), is_found ? BINARY_FINE : BINARY_STRIPPED, "%s: trouble",
		   what);
	binary_free(b);
}

static void check_debug_link(void)
{
	AUTO_FREE char *no_id = below("link/no-id.so"), *link = below("link/no-id.debug");
	struct stat status = { 0 };
	put("linked.so", "link/linked.so");
	put("no-id.so", "link/no-id.so");
	stat(no_id, &status);
	struct binary_id id = { .path = str_from(no_id),
				.has_inode = true,
				.inode = status.st_ino };

	check_debug(binary_below("link/linked.so", BUILD_ID, &this_machine), false,
		    "no debug file there");
	put("linked.debug", "link/.debug/linked.debug");
	check_debug(binary_below("link/linked.so", BUILD_ID, &this_machine), true, "in .debug/");
	put("other.so", "link/.debug/linked.debug");
	check_debug(binary_below("link/linked.so", BUILD_ID, &this_machine), false,
		    "one of another build");
	check_words(binary_below("link/linked.so", BUILD_ID, &this_machine),
		    "it is stripped: only exported functions have names, and "
		    "~/link/.debug/linked.debug is from another build",
		    "install its debug symbols, or use --debuginfod", "one of another build");
	put("linked.debug", "link/linked.debug");
	check_debug(binary_below("link/linked.so", BUILD_ID, &this_machine), true, "beside it");
	put("no-id.debug", "link/no-id.debug");
	check_debug(binary_new(&id, &this_machine), true, "without build ids, by its CRC");
	put("linked.debug", "link/no-id.debug");
	check_debug(binary_new(&id, &this_machine), false, "another CRC");
	check_words(binary_new(&id, &this_machine),
		    "it is stripped: only exported functions have names, and ~/link/no-id.debug is "
		    "from another build",
		    "install its debug symbols, or use --debuginfod", "another CRC");
	write_bytes(link, STR(""));
	check_words(binary_new(&id, &this_machine),
		    "it is stripped: only exported functions have names, and ~/link/no-id.debug "
		    "cannot be used: the file is empty",
		    "install its debug symbols, or use --debuginfod", "an empty debug file");
}

static void check_debug_by_build_id(void)
{
	AUTO(buf) struct buf name = { 0 };
	AUTO_FREE char *symfs = below("debugfs"), *cache = below("debugcache");
	struct symbol_options options = { .symfs = symfs };
	put("stripped.so", "debugfs/stripped.so");
	check_debug(binary_below("lib/stripped.so", BUILD_ID, &options), false,
		    "no debug file below");
	buf_addf(&name, "debugfs/usr/lib/debug/%s.debug", build_id_file);
	put("linked.debug", buf_c_string(&name));
	check_debug(binary_below("lib/stripped.so", BUILD_ID, &options), true,
		    "below --symfs by build id");
	name.n = 0;
	buf_addf(&name, "debugcache/%s/debug", build_id_file);
	put("linked.debug", buf_c_string(&name));
	put("stripped.so", "lib/stripped.so");
	setenv("PERF_BUILDID_DIR", cache, 1);
	check_debug(binary_below("lib/stripped.so", BUILD_ID, &this_machine), true,
		    "in perf's cache");
	unsetenv("PERF_BUILDID_DIR");
	setenv("HOME", folder, 1);
	check_debug(binary_below("lib/stripped.so", BUILD_ID, &this_machine), false,
		    "not in perf's cache");
	put("mini.so", "lib/mini.so");
	check_debug(binary_below("lib/mini.so", BUILD_ID, &this_machine), true, "inside the file");
}

/* A debug file has no code: whoever unwinds needs the other one. */
static void check_code_is_code(void)
{
	put("linked.debug", "lib/only.so");
	struct binary *b = binary_below("lib/only.so", BUILD_ID, &this_machine);
	check(b, BINARY_DAMAGED, NULL, "a debug file where the program should be");
}

/* --- words --- */

static void check_explanations(void)
{
	struct symbol_options asks = { .asks_debuginfod = true };
	AUTO_FREE char *symfs = below("empty");
	struct symbol_options options = { .symfs = symfs };
	AUTO_FREE char *secret = below("lib/secret.so");
	unsetenv("DEBUGINFOD_URLS");

	check_words(binary_below("lib/normal.so", BUILD_ID, &this_machine), "", "", "all is well");
	check_words(binary_below("gone.so", BUILD_ID, &this_machine),
		    "not found at ~/gone.so, nor by its build id 00112233…",
		    "give a copy of it with --symfs DIR or --container-root DIR, or --debuginfod",
		    "missing");
	check_words(binary_below("gone.so", STR(""), &this_machine),
		    "not found at ~/gone.so, and its build id is unknown",
		    "give a copy of it with --symfs DIR or --container-root DIR",
		    "missing without a build id");
	check_words(binary_below("gone.so", BUILD_ID, &options),
		    "not found at ~/gone.so below ~/empty, nor by its build id 00112233…",
		    "put a copy of it into that folder", "missing below --symfs");
	check_words(binary_below("gone.so", BUILD_ID, &asks),
		    "not found at ~/gone.so, nor by its build id 00112233…; debuginfod was not "
		    "used: DEBUGINFOD_URLS is not set",
		    "give a copy of it with --symfs DIR or --container-root DIR", "no servers");
	check_words(binary_below("lib/normal.so", STR("\1"), &this_machine),
		    "the build id of ~/lib/normal.so differs: it is not the recorded file",
		    "give the recorded file with --symfs DIR", "another build");
	check_words(binary_below("lib/no-id.so", BUILD_ID, &this_machine),
		    "~/lib/no-id.so has no build id, but the recorded file had one: it is not the "
		    "recorded file",
		    "give the recorded file with --symfs DIR", "no build id any more");
	check_words(binary_below("lib/stripped.so", BUILD_ID, &this_machine),
		    "it is stripped: only exported functions have names",
		    "install its debug symbols, or use --debuginfod", "stripped");
	check_words(binary_below("lib/normal.so", STR(""), &this_machine),
		    "the recording has no build id to check it against: ~/lib/normal.so may be "
		    "another version",
		    "record with --buildid-all", "unverified");
	check_words(binary_below("lib/text", BUILD_ID, &this_machine), "not an ELF file",
		    "give an intact copy with --symfs DIR", "damaged");
	check_words(binary_below("lib/empty", BUILD_ID, &this_machine), "the file is empty",
		    "give an intact copy with --symfs DIR", "empty");
	check_words(binary_below("lib/fifo", BUILD_ID, &this_machine), "not a regular file",
		    "give an intact copy with --symfs DIR", "a fifo");
	check_words(binary_below("lib/only.so", BUILD_ID, &this_machine),
		    "the file contains no code", "give an intact copy with --symfs DIR",
		    "a debug file");
	struct binary_id vdso = { .path = STR("[vdso]"), .build_id = BUILD_ID };
	check_words(binary_new(&vdso, &this_machine),
		    "it is part of the recorded machine's kernel, not a file", "", "the vdso");
	check_words(binary_of_memory(&vdso, STR("x"), &this_machine), "not an ELF file", "",
		    "a damaged vdso");
	write_bytes(secret, STR("x"));
	chmod(secret, 0);
	/* To root nothing is secret. */
	if (geteuid() != 0)
		check_words(binary_below("lib/secret.so", BUILD_ID, &this_machine),
			    "no permission to read ~/lib/secret.so",
			    "run as root, or give a copy with --symfs DIR", "denied");
}

/* --- debuginfod --- */

/* A server may be a folder. Where the library is missing, that is what is said. */
static void check_debuginfod(void)
{
	AUTO_FREE char *served = below("served"), *downloads = below("downloads");
	AUTO(buf) struct buf url = { 0 }, reason = { 0 }, fix = { 0 };
	struct symbol_options options = { .asks_debuginfod = true };
	put("linked.debug", "served/buildid/00112233445566778899aabbccddeeff00112233/debuginfo");
	put("stripped.so", "served/buildid/00112233445566778899aabbccddeeff00112233/executable");
	buf_addf(&url, "file://%s", served);
	setenv("DEBUGINFOD_URLS", buf_c_string(&url), 1);
	setenv("DEBUGINFOD_CACHE_PATH", downloads, 1);
	struct binary *b = binary_below("lib/nowhere.so", BUILD_ID, &options);
	if (!binary_code(b)) {
		binary_explain(b, &reason, &fix);
		tap_ok(str_find(buf_str(&reason), STR("libdebuginfod.so.1")) > 0,
		       "debuginfod: its library is missing, and that is said");
		binary_free(b);
		return;
	}
	check_debug(b, true, "debuginfod: code and debug file");
	b = binary_below("lib/nowhere.so", STR("\1\2\3\4\5\6\7\10"), &options);
	binary_explain(b, &reason, &fix);
	tap_ok(str_ends(buf_str(&reason), STR("the servers in DEBUGINFOD_URLS do not have it")),
	       "debuginfod: what it does not have is said");
	binary_free(b);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status, (void)kind, (void)where;
	return remove(path);
}

int main(int argc, char **argv)
{
	unit_folder = argc > 1 ? argv[1] : ".";
	snprintf(folder, sizeof(folder), "/tmp/plume-binary-XXXXXX");
	if (!mkdtemp(folder))
		return 1;
	/* Nothing of this machine may be found by chance. */
	setenv("HOME", folder, 1);
	unsetenv("PERF_BUILDID_DIR");
	check_agreement();
	check_what_is_unverified();
	check_changed_in_place();
	check_padded_build_id();
	check_symfs();
	check_container_root();
	check_process_root();
	check_caches();
	check_odd_files();
	check_debug_link();
	check_debug_by_build_id();
	check_code_is_code();
	check_explanations();
	check_debuginfod();
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return tap_done();
}
