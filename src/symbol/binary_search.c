/* Finds the file of a binary, and checks that it is the one that was recorded. */
#include "symbol/binary_int.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- places --- */

/* Descriptors of our own: their numbers say nothing to anybody else. */
#define HELD_ROOT_PREFIX "/proc/self/fd/"

void binary_process_root(const struct binary *b, int32_t pid, char root[PROCESS_ROOT_BYTES])
{
	const struct symbol_options *o = b->options;
	AUTO(buf) struct buf held = { 0 };
	if (processes_root(o->processes, pid, &held))
		snprintf(root, PROCESS_ROOT_BYTES, "%s", buf_c_string(&held));
	else if (o->is_of_this_machine)
		snprintf(root, PROCESS_ROOT_BYTES, "/proc/%d/root", pid);
	else
		root[0] = 0;
}

void file_place_path(struct file_place place, struct buf *path)
{
	if (place.root)
		buf_add(path, str_from(place.root));
	if (place.root && place.path[0] != '/' && !str_ends(buf_str(path), STR("/")))
		buf_add_char(path, '/');
	buf_add(path, str_from(place.path));
}

void file_place_name(struct file_place place, struct buf *name)
{
	if (place.root && str_starts(str_from(place.root), STR(HELD_ROOT_PREFIX)))
		place.root = NULL;
	file_place_path(place, name);
}

static uint64_t change_time_unix_ns(int fd)
{
	struct stat status;
	if (fstat(fd, &status) != 0 || status.st_mtim.tv_sec < 0)
		return 0;
	return (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
}

/* Sets *changed_unix_ns to when the file was last written to. */
static struct elf *open_with_time(struct file_place place, uint64_t *changed_unix_ns, struct err *e)
{
	AUTO(buf) struct buf name = { 0 };
	file_place_name(place, &name);
	int fd = open_plain_file(place.root, place.path);
	if (fd < 0) {
		int why = errno;
		err_set(e, "%s: %s", buf_c_string(&name),
			why == ENOEXEC ? "not a regular file" : strerror(why));
		errno = why;
		return NULL;
	}
	*changed_unix_ns = change_time_unix_ns(fd);
	struct elf *elf = elf_open_fd(fd, buf_c_string(&name), e);
	close(fd);
	if (!elf)
		errno = ENOEXEC;
	return elf;
}

struct elf *file_place_open(struct file_place place, struct err *e)
{
	uint64_t ignored;
	return open_with_time(place, &ignored, e);
}

void build_id_path(struct buf *path, const char *folder, struct str build_id)
{
	buf_addf(path, "%s/.build-id/", folder);
	for (size_t i = 0; i < build_id.n; i++)
		buf_addf(path, i == 0 ? "%02x/" : "%02x", (unsigned char)build_id.p[i]);
}

/* Where `perf record` keeps copies: see `man perf-buildid-cache`. */
static bool add_perf_cache(struct buf *folder)
{
	const char *dir = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	if (dir && dir[0])
		buf_addf(folder, "%s", dir);
	else if (home && home[0])
		buf_addf(folder, "%s/.debug", home);
	return folder->n;
}

static bool visit_processes(struct binary *b, build_id_folder_visit *visit)
{
	char root[PROCESS_ROOT_BYTES];
	for (uint32_t i = 0; i < b->processes.n; i++) {
		binary_process_root(b, b->processes.p[i], root);
		if (root[0] && visit(b, root, "/usr/lib/debug"))
			return true;
	}
	return false;
}

bool binary_visit_build_id_folders(struct binary *b, build_id_folder_visit *visit)
{
	const struct symbol_options *o = b->options;
	AUTO(buf) struct buf cache = { 0 };
	if (o->symfs)
		return visit(b, o->symfs, "") || visit(b, o->symfs, "/usr/lib/debug") ||
		       visit(b, o->symfs, "/.debug") || visit(b, o->symfs, "/usr/lib");
	if (o->container_root && (visit(b, o->container_root, "/usr/lib/debug") ||
				  visit(b, o->container_root, "/usr/lib")))
		return true;
	if (add_perf_cache(&cache) && visit(b, NULL, buf_c_string(&cache)))
		return true;
	return visit_processes(b, visit) || visit(b, NULL, "/usr/lib/debug") ||
	       visit(b, NULL, "/usr/lib");
}

/* --- whether it is the one --- */

bool build_ids_agree(struct str recorded, struct str of_file)
{
	if (recorded.n < of_file.n || !of_file.n ||
	    !str_eq(str_first(recorded, of_file.n), of_file))
		return false;
	for (size_t i = of_file.n; i < recorded.n; i++)
		if (recorded.p[i])
			return false;
	return true;
}

/* Debug files have the headers of sections with code, but not the code. */
static bool has_code(struct elf *elf)
{
	for (uint32_t i = 0; i < elf->sections.n; i++) {
		const struct elf_section *s = &elf->sections.p[i];
		if (s->flags & SHF_EXECINSTR && s->type != SHT_NOBITS && s->size_bytes)
			return true;
	}
	for (uint32_t i = 0; i < elf->segments.n && !elf->sections.n; i++)
		if (elf->segments.p[i].is_executable && elf->segments.p[i].file_bytes)
			return true;
	return false;
}

/* A file that was opened, and what is known of it besides its contents. */
struct candidate {
	struct elf *elf;
	struct file_place place;
	bool is_copy; /* it is where the user has put copies, which have inodes of their own */
	bool is_held; /* it was open while it was mapped: whatever numbers its file system has */
	uint64_t changed_unix_ns;
};

/* What is written into a file in place leaves its inode as it was. */
static enum binary_agreement agreement_by_inode(const struct binary *b, const struct candidate *c)
{
	uint64_t until = b->options->recorded_until_unix_ns;
	if (c->elf->inode != b->id.inode)
		return AGREEMENT_NOT_INODE;
	return until && c->changed_unix_ns > until ? AGREEMENT_CHANGED : AGREEMENT_SURE;
}

static enum binary_agreement agreement_of(const struct binary *b, const struct candidate *c)
{
	const struct binary_id *id = &b->id;
	if (!has_code(c->elf))
		return AGREEMENT_NO_CODE;
	if (id->build_id.n && c->elf->build_id.n)
		return build_ids_agree(id->build_id, c->elf->build_id) ? AGREEMENT_SURE
								       : AGREEMENT_NOT_BUILD_ID;
	if (c->is_held)
		return AGREEMENT_SURE;
	if (id->has_inode && !c->is_copy)
		return agreement_by_inode(b, c);
	/* A build id that was recorded was in the file: one without is another file. */
	return id->build_id.n ? AGREEMENT_NOT_BUILD_ID : AGREEMENT_UNKNOWN;
}

/* --- trying --- */

static bool take_code(struct binary *b, const struct candidate *c)
{
	enum binary_agreement how = agreement_of(b, c);
	if (how != AGREEMENT_SURE && how != AGREEMENT_UNKNOWN) {
		binary_keep_difference(b, c->elf, how);
		elf_free(c->elf);
		return false;
	}
	b->code = c->elf;
	binary_share_budget(b, b->code);
	b->is_unverified = how == AGREEMENT_UNKNOWN;
	b->root = c->place.root ? mem_strdup(c->place.root) : NULL;
	b->path = mem_strdup(c->place.path);
	return true;
}

static bool try_place(struct binary *b, struct file_place place, bool is_copy)
{
	struct err e = { 0 };
	struct candidate c = { .place = place, .is_copy = is_copy };
	c.elf = open_with_time(place, &c.changed_unix_ns, &e);
	if (c.elf)
		return take_code(b, &c);
	int why = errno;
	AUTO(buf) struct buf name = { 0 };
	file_place_name(place, &name);
	binary_keep_failure(b, buf_c_string(&name), why, &e);
	return false;
}

/* Names in a cache of build ids say what the file must be; what else is there is of no interest. */
static bool try_cached(struct binary *b, struct file_place place)
{
	struct err e = { 0 };
	struct elf *elf = file_place_open(place, &e);
	if (!elf || !has_code(elf) || !build_ids_agree(b->id.build_id, elf->build_id)) {
		elf_free(elf);
		return false;
	}
	return take_code(b, &(struct candidate){ elf, place, .is_copy = true });
}

/* perf makes a folder with `elf` or `vdso` in it; before 4.9, and elsewhere, the file itself. */
static bool try_build_id_folder(struct binary *b, const char *root, const char *folder)
{
	static const char *const endings[] = { "/elf", "/vdso", "", ".debug" };
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		AUTO(buf) struct buf path = { 0 };
		build_id_path(&path, folder, b->id.build_id);
		buf_add(&path, str_from(endings[i]));
		if (try_cached(b, (struct file_place){ root, buf_c_string(&path) }))
			return true;
	}
	return false;
}

/* A program that was replaced or deleted while it runs can still be had. */
static bool try_running_program(struct binary *b, int32_t pid, const char *path)
{
	char link[PROCESS_ROOT_BYTES], target[4096];
	if (!b->options->is_of_this_machine)
		return false;
	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	ssize_t n = readlink(link, target, sizeof(target));
	if (n < 0)
		return false;
	struct str program = { target, (size_t)n }, plain = process_plain_path(program);
	return plain.n < program.n && str_eq(plain, str_from(path)) &&
	       try_place(b, (struct file_place){ NULL, link }, false);
}

static bool try_processes(struct binary *b, const char *path)
{
	char root[PROCESS_ROOT_BYTES];
	for (uint32_t i = 0; i < b->processes.n; i++) {
		binary_process_root(b, b->processes.p[i], root);
		if (try_running_program(b, b->processes.p[i], path) ||
		    (root[0] && try_place(b, (struct file_place){ root, path }, false)))
			return true;
	}
	return false;
}

/* Debug files are looked for in the root of the process that has it. */
static bool take_held(struct binary *b, int fd, int32_t pid, const char *path)
{
	struct err e = { 0 };
	char root[PROCESS_ROOT_BYTES];
	struct elf *elf = elf_open_fd(fd, path, &e);
	binary_process_root(b, pid, root);
	if (elf)
		return take_code(b, &(struct candidate){ elf,
							 { root[0] ? root : NULL, path },
							 .is_held = true });
	binary_keep_failure(b, path, ENOEXEC, &e);
	return false;
}

static bool try_held(struct binary *b, const char *path)
{
	bool is_taken = false;
	for (uint32_t i = 0; i < b->processes.n && !is_taken; i++) {
		int fd = processes_open_mapped(b->options->processes, b->processes.p[i], &b->id);
		if (fd < 0)
			continue;
		is_taken = take_held(b, fd, b->processes.p[i], path);
		close(fd);
	}
	return is_taken;
}

static bool try_paths(struct binary *b, const char *path)
{
	const struct symbol_options *o = b->options;
	if (o->symfs)
		return try_place(b, (struct file_place){ o->symfs, path }, true) ||
		       try_place(b, (struct file_place){ o->symfs, str_basename(str_from(path)).p },
				 true);
	if (o->container_root && try_place(b, (struct file_place){ o->container_root, path }, true))
		return true;
	return try_processes(b, path) || try_place(b, (struct file_place){ NULL, path }, false);
}

static bool try_debuginfod(struct binary *b)
{
	if (!b->options->asks_debuginfod || b->options->symfs)
		return false;
	struct elf *elf = debuginfod_find(b->id.build_id, true, &b->debuginfod_failure);
	return elf &&
	       take_code(b, &(struct candidate){ elf, { NULL, elf->path }, .is_copy = true });
}

static char *path_to_look_for(struct str path)
{
	AUTO(buf) struct buf text = { 0 };
	buf_add(&text, process_plain_path(path));
	return mem_strdup(buf_c_string(&text));
}

void binary_search_code(struct binary *b)
{
	AUTO_FREE char *path = path_to_look_for(b->id.path);
	b->obstacle.trouble = BINARY_MISSING;
	/* `[vdso]`, `//anon` and the like are no files. */
	bool is_path = path[0] == '/' && path[1] && path[1] != '/';
	if (is_path && (try_held(b, path) || try_paths(b, path)))
		return;
	if (b->id.build_id.n &&
	    (binary_visit_build_id_folders(b, try_build_id_folder) || try_debuginfod(b)))
		return;
}
