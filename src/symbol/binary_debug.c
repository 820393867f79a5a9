/*
 * Debug files: symbols and DWARF stripped from a program (`man gdb`, "Separate Debug Files"; for
 * the section .gnu_debugdata, fedoraproject.org's MiniDebugInfo).
 */
#include "symbol/binary_int.h"

#include <lzma.h>
#include <unistd.h>
#include <zlib.h>

#define MAX_INNER_BYTES	       ((size_t)64 << 20)
#define MAX_INNER_MEMORY_BYTES ((uint64_t)128 << 20)

/* --- by build id --- */

static bool is_of_use(const struct elf *elf)
{
	for (uint32_t i = 0; i < elf->sections.n; i++)
		if (elf->sections.p[i].type == SHT_SYMTAB ||
		    str_eq(elf->sections.p[i].name, STR(".debug_info")))
			return true;
	return false;
}

static bool is_same_file(const struct elf *a, const struct elf *b)
{
	return a->inode == b->inode && a->device == b->device;
}

/* Takes elf. What is of no use is remembered, but for the program itself under another name. */
static bool take_debug(struct binary *b, struct elf *elf, bool is_of_build)
{
	bool agrees = elf && is_of_build && elf->machine == b->code->machine;
	bool is_other = elf && !is_same_file(elf, b->code);
	if (is_other && agrees && is_of_use(elf)) {
		b->debug = elf;
		binary_share_budget(b, elf);
		return true;
	}
	if (is_other)
		binary_keep_useless_debug(b, elf->path,
					  agrees ? "has no symbols" : "is from another build");
	elf_free(elf);
	return false;
}

/* A debug file at a place. NULL: there is none, or it cannot be read, which is remembered. */
static struct elf *open_debug(struct binary *b, struct file_place place)
{
	struct err e = { 0 };
	AUTO(buf) struct buf path = { 0 }, name = { 0 }, what = { 0 };
	struct elf *elf = file_place_open(place, &e);
	if (elf)
		return elf;
	file_place_path(place, &path);
	file_place_name(place, &name);
	/* A folder that may not be entered says nothing of a file in it. */
	if (access(buf_c_string(&path), F_OK) == 0) {
		buf_add(&what, STR("cannot be used: "));
		buf_add(&what, text_without_name(&e, buf_c_string(&name)));
		binary_keep_useless_debug(b, buf_c_string(&name), buf_c_string(&what));
	}
	return NULL;
}

static bool try_build_id_folder(struct binary *b, const char *root, const char *folder)
{
	static const char *const endings[] = { ".debug", "/debug" };
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		AUTO(buf) struct buf path = { 0 };
		build_id_path(&path, folder, b->code->build_id);
		buf_add(&path, str_from(endings[i]));
		struct elf *elf = open_debug(b, (struct file_place){ root, buf_c_string(&path) });
		if (elf && take_debug(b, elf, str_eq(elf->build_id, b->code->build_id)))
			return true;
	}
	return false;
}

/* --- by .gnu_debuglink: a file name, padded to 4 bytes, and the CRC of that file --- */

struct debug_link {
	struct str name;
	uint32_t crc;
};

static bool read_debug_link(struct elf *elf, struct debug_link *link)
{
	struct str bytes = elf_section_bytes(elf, elf_find_section(elf, STR(".gnu_debuglink")));
	ptrdiff_t n = str_find_char(bytes, 0);
	if (n <= 0)
		return false;
	size_t at = ((size_t)n + 4) & ~(size_t)3;
	if (at + sizeof(link->crc) > bytes.n ||
	    str_find_char(str_first(bytes, (size_t)n), '/') >= 0)
		return false;
	memcpy(&link->crc, bytes.p + at, sizeof(link->crc));
	link->name = str_first(bytes, (size_t)n);
	return true;
}

static bool is_linked(const struct binary *b, struct elf *elf, const struct debug_link *link)
{
	if (elf->build_id.n && b->code->build_id.n)
		return str_eq(elf->build_id, b->code->build_id);
	return budget_work(&elf->budget, elf->bytes.n) &&
	       crc32_z(0, (const Bytef *)elf->bytes.p, elf->bytes.n) == link->crc;
}

static bool try_linked(struct binary *b, const char *path, const struct debug_link *link)
{
	struct elf *elf = open_debug(b, (struct file_place){ b->root, path });
	return elf && take_debug(b, elf, is_linked(b, elf, link));
}

static bool try_debug_link(struct binary *b, struct str path)
{
	static const char *const forms[][2] = { { "", "" },
						{ "", ".debug/" },
						{ "/usr/lib/debug", "" } };
	struct debug_link link;
	bool is_relative = !path.n || path.p[0] != '/';
	if ((is_relative && !b->root) || !read_debug_link(b->code, &link))
		return false;
	struct str folder = str_first(path, path.n - str_basename(path).n);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		AUTO(buf) struct buf name = { 0 };
		buf_addf(&name, "%s%.*s%s%.*s", forms[i][0], STR_ARG(folder), forms[i][1],
			 STR_ARG(link.name));
		if (try_linked(b, buf_c_string(&name), &link))
			return true;
	}
	return false;
}

void binary_search_debug(struct binary *b)
{
	if (!b->code || b->image.n)
		return;
	if (b->code->build_id.n && binary_visit_build_id_folders(b, try_build_id_folder))
		return;
	if (try_debug_link(b, str_from(b->path)))
		return;
	/* A copy from a cache: the debug file is beside where the program was. */
	if (!str_eq(b->id.path, str_from(b->path)) && try_debug_link(b, b->id.path))
		return;
	if (b->options->asks_debuginfod && !b->options->symfs && b->code->build_id.n)
		take_debug(b, debuginfod_find(b->code->build_id, false, &b->debuginfod_failure),
			   true);
}

/* --- .gnu_debugdata --- */

static bool unpack_xz(struct str packed, struct budget *budget, struct buf *out)
{
	lzma_stream xz = LZMA_STREAM_INIT;
	lzma_ret state = lzma_stream_decoder(&xz, MAX_INNER_MEMORY_BYTES, 0);
	size_t room = 64 << 10;
	xz.next_in = (const uint8_t *)packed.p;
	xz.avail_in = packed.n;
	while (state == LZMA_OK && out->n < MAX_INNER_BYTES) {
		xz.next_out = (uint8_t *)buf_reserve(out, room);
		xz.avail_out = room;
		state = lzma_code(&xz, LZMA_FINISH);
		out->n += room - xz.avail_out;
		room = out->n < (8 << 20) ? out->n + (64 << 10) : 8 << 20;
		if (!budget_work(budget, room) || !budget_hold(budget, room))
			break;
	}
	lzma_end(&xz);
	return state == LZMA_STREAM_END;
}

void binary_unpack_inner(struct binary *b)
{
	struct err e = { 0 };
	struct str packed =
		elf_section_bytes(b->code, elf_find_section(b->code, STR(".gnu_debugdata")));
	if (packed.n && unpack_xz(packed, &b->code->budget, &b->inner_bytes))
		b->inner = elf_of_memory(buf_str(&b->inner_bytes), b->code->path, &e);
	if (b->inner)
		budget_nest(&b->inner->budget, &b->code->budget);
	else
		buf_fini(&b->inner_bytes);
}
