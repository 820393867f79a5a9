/* What a process is. Nothing is run: kinds and versions are read from the files that it has mapped. */
#include "target/runtime.h"
#include "target/runtime_int.h"

#include <fcntl.h>
#include <unistd.h>

enum { MAX_VERSION_BYTES = 40 };
#define MAX_SCAN_BYTES ((size_t)256 << 20)

void runtime_fini(struct runtime *r)
{
	buf_fini(&r->version);
}

/* --- mapped files --- */

struct str mapping_path(const struct target_mapping *m)
{
	static const struct str deleted = { " (deleted)", sizeof(" (deleted)") - 1 };
	return str_ends(m->path, deleted) ? str_first(m->path, m->path.n - deleted.n) : m->path;
}

struct binary *runtime_open_mapping(int32_t pid, const struct target_mapping *m,
				    const struct symbol_options *options)
{
	struct binary_id id = { .path = mapping_path(m),
				.has_inode = m->inode != 0,
				.device_major = m->device_major,
				.device_minor = m->device_minor,
				.inode = m->inode };
	struct binary *b = binary_new(&id, options);
	binary_add_process(b, pid);
	return b;
}

static const struct symbol_options here = { .is_of_this_machine = true };

/* The libraries that tell what a process is. */
struct tell_tale {
	int32_t pid;
	struct binary *jvm, *node;
	struct buf python; /* version from the library's name */
};

static void tell_tale_fini(struct tell_tale *t)
{
	binary_free(t->jvm);
	binary_free(t->node);
	buf_fini(&t->python);
}

/* The digits and dots at the start. */
static struct str version_at(struct str text)
{
	size_t n = 0;
	while (n < text.n && n < MAX_VERSION_BYTES && (is_digit(text.p[n]) || text.p[n] == '.'))
		n++;
	while (n && text.p[n - 1] == '.')
		n--;
	return str_first(text, n);
}

static void look_at_mapping(void *context, const struct target_mapping *m)
{
	struct tell_tale *t = context;
	struct str name = str_basename(mapping_path(m));
	if (!t->jvm && str_eq(name, STR("libjvm.so")))
		t->jvm = runtime_open_mapping(t->pid, m, &here);
	else if (!t->node && str_starts(name, STR("libnode.so")))
		t->node = runtime_open_mapping(t->pid, m, &here);
	else if (!t->python.n && str_starts(name, STR("libpython")))
		buf_add(&t->python, version_at(str_from_byte(name, strlen("libpython"))));
}

bool runtime_has_libjvm(int32_t pid)
{
	struct err e = { 0 };
	AUTO(tell_tale) struct tell_tale t = { .pid = pid };
	target_read_mappings(pid, false, look_at_mapping, &t, &e);
	return t.jvm != NULL;
}

/* --- versions --- */

static struct str section_named(struct elf *elf, struct str name)
{
	const struct elf_section *section = elf ? elf_find_section(elf, name) : NULL;
	return section ? str_first(elf_section_bytes(elf, section), MAX_SCAN_BYTES) : STR("");
}

/* What follows `mark` in the file's constants; empty: it is not there. */
static struct str constant_after(struct elf *elf, struct str mark)
{
	struct str constants = section_named(elf, STR(".rodata"));
	ptrdiff_t at = str_find(constants, mark);
	return at < 0 ? STR("") : str_from_byte(constants, (size_t)at + mark.n);
}

/* How the inspector of Node.js names itself: `node.js/v20.20.2`. */
static void add_node_version(struct elf *elf, struct buf *version)
{
	buf_add(version, version_at(constant_after(elf, STR("node.js/v"))));
}

/* `OpenJDK 64-Bit Server VM (17.0.15+6-...) for linux-amd64 JRE (17.0.15+6-...), built on ...` */
static void add_jvm_version(struct elf *elf, struct buf *version)
{
	struct str text = str_first(constant_after(elf, STR(" JRE (")), MAX_VERSION_BYTES);
	size_t n = 0;
	while (n < text.n && (is_digit(text.p[n]) || text.p[n] == '.' || text.p[n] == '_'))
		n++;
	buf_add(version, str_first(text, n));
}

/*
 * Section .go.buildinfo (src/debug/buildinfo of Go): a head of 32 bytes whose 16th says by bit 1 that texts
 * follow it, each behind its length. Older ones have pointers instead.
 */
static void add_go_version(struct str info, struct buf *version)
{
	enum { HEAD_BYTES = 32, FLAGS_AT = 15, HAS_TEXTS = 2 };
	struct str text = str_from_byte(info, HEAD_BYTES + 1);
	if (info.n <= HEAD_BYTES || !(info.p[FLAGS_AT] & HAS_TEXTS) || !str_starts(text, STR("go")))
		return;
	text = str_first(text, (unsigned char)info.p[HEAD_BYTES] & 0x7f);
	buf_add(version, version_at(str_from_byte(text, 2)));
}

/* --- the program itself --- */

/* Add-ons of Node.js link against this: programs that have Node.js in them export it, whatever their name. */
static bool has_node_inside(struct elf *elf)
{
	return str_find(section_named(elf, STR(".dynstr")), STR("napi_module_register")) >= 0;
}

static struct elf *open_program(int32_t pid, struct buf *path)
{
	struct err e = { 0 };
	char link[64];
	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	ssize_t n = readlink(link, buf_reserve(path, 4096), 4096);
	path->n = n > 0 ? (size_t)n : 0;
	return path->n ? elf_open(link, &e) : NULL;
}

static void take_library(struct tell_tale *t, struct runtime *out)
{
	if (t->jvm) {
		out->kind = RUNTIME_JVM;
		add_jvm_version(binary_code(t->jvm), &out->version);
	} else if (t->node) {
		out->kind = RUNTIME_NODE;
		out->is_in_library = true;
		add_node_version(binary_code(t->node), &out->version);
	} else if (t->python.n) {
		out->kind = RUNTIME_PYTHON;
		buf_add(&out->version, buf_str(&t->python));
	}
}

void runtime_of_program(struct elf *elf, struct str name, struct runtime *out)
{
	struct str go = section_named(elf, STR(".go.buildinfo"));
	bool has_node = has_node_inside(elf);
	if (go.n) {
		out->kind = RUNTIME_GO;
		add_go_version(go, &out->version);
	} else if (str_starts(name, STR("python"))) {
		out->kind = RUNTIME_PYTHON;
		buf_add(&out->version, version_at(str_from_byte(name, strlen("python"))));
	} else if (str_eq(name, STR("node")) || str_eq(name, STR("nodejs")) || has_node) {
		out->kind = RUNTIME_NODE;
		out->is_in_library = elf && !has_node;
		add_node_version(elf, &out->version);
	}
}

void runtime_of_process(int32_t pid, struct runtime *out)
{
	struct err e = { 0 };
	AUTO(buf) struct buf path = { 0 };
	AUTO(tell_tale) struct tell_tale t = { .pid = pid };
	*out = (struct runtime){ 0 };
	target_read_mappings(pid, false, look_at_mapping, &t, &e);
	take_library(&t, out);
	if (out->kind == RUNTIME_NATIVE) {
		struct elf *elf = open_program(pid, &path);
		runtime_of_program(elf, str_basename(buf_str(&path)), out);
		elf_free(elf);
	}
	runtime_read_flags(pid, out);
}
