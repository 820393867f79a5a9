/* The tables of an ELF file (System V ABI, chapters 4 and 5; `man 5 elf`). */
#include "elf/elf.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <zstd.h>

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

enum {
	MAX_SECTIONS = 1 << 16,
	MAX_SEGMENTS = 1 << 10,
	MAX_BUILD_ID_BYTES = 64,
	MAX_NOTE_BYTES = 1 << 20,
	MAX_SECTION_NAME_BYTES = 4 << 10,
	MAX_UNPACKED_BYTES = 1 << 30,
	MOST_KEPT_BYTES = 256 << 20, /* pages of larger files are dropped */
	MAX_UNPACKED_RATIO = 1100,   /* more than any of these compressions can expand a byte */
};

/* --- fields --- */

static bool holds(const struct elf *elf, uint64_t offset, uint64_t n)
{
	return offset <= elf->bytes.n && n <= elf->bytes.n - offset;
}

/* Copies n bytes at offset; returns false and zeros if the file does not have them. */
static bool take(const struct elf *elf, uint64_t offset, void *to, size_t n)
{
	memset(to, 0, n);
	if (!holds(elf, offset, n))
		return false;
	memcpy(to, elf->bytes.p + offset, n);
	return true;
}

static void widen_header(const Elf32_Ehdr *narrow, Elf64_Ehdr *h)
{
	*h = (Elf64_Ehdr){
		.e_type = narrow->e_type,
		.e_machine = narrow->e_machine,
		.e_phoff = narrow->e_phoff,
		.e_shoff = narrow->e_shoff,
		.e_phentsize = narrow->e_phentsize,
		.e_phnum = narrow->e_phnum,
		.e_shentsize = narrow->e_shentsize,
		.e_shnum = narrow->e_shnum,
		.e_shstrndx = narrow->e_shstrndx,
	};
}

static bool read_header(const struct elf *elf, Elf64_Ehdr *h)
{
	Elf32_Ehdr narrow;
	if (elf->is_64)
		return take(elf, 0, h, sizeof(*h));
	bool ok = take(elf, 0, &narrow, sizeof(narrow));
	widen_header(&narrow, h);
	return ok;
}

static bool read_segment(const struct elf *elf, uint64_t offset, Elf64_Phdr *h)
{
	Elf32_Phdr narrow;
	if (elf->is_64)
		return take(elf, offset, h, sizeof(*h));
	bool ok = take(elf, offset, &narrow, sizeof(narrow));
	*h = (Elf64_Phdr){
		.p_type = narrow.p_type,
		.p_flags = narrow.p_flags,
		.p_offset = narrow.p_offset,
		.p_vaddr = narrow.p_vaddr,
		.p_filesz = narrow.p_filesz,
		.p_memsz = narrow.p_memsz,
	};
	return ok;
}

static bool read_section(const struct elf *elf, uint64_t offset, Elf64_Shdr *h)
{
	Elf32_Shdr narrow;
	if (elf->is_64)
		return take(elf, offset, h, sizeof(*h));
	bool ok = take(elf, offset, &narrow, sizeof(narrow));
	*h = (Elf64_Shdr){
		.sh_name = narrow.sh_name,
		.sh_type = narrow.sh_type,
		.sh_flags = narrow.sh_flags,
		.sh_addr = narrow.sh_addr,
		.sh_offset = narrow.sh_offset,
		.sh_size = narrow.sh_size,
		.sh_link = narrow.sh_link,
		.sh_info = narrow.sh_info,
		.sh_entsize = narrow.sh_entsize,
	};
	return ok;
}

/* --- tables --- */

/* A note consists of a name and a content, both padded to 4 bytes. */
static void find_build_id(struct elf *elf, uint64_t offset, uint64_t n)
{
	if (elf->build_id.n || !holds(elf, offset, n))
		return;
	n = n < MAX_NOTE_BYTES ? n : MAX_NOTE_BYTES;
	if (!budget_work(&elf->budget, n))
		return;
	uint64_t end = offset + n;
	Elf64_Nhdr note;
	while (end - offset >= sizeof(note) && take(elf, offset, &note, sizeof(note))) {
		uint64_t name = offset + sizeof(note);
		uint64_t content = name + (((uint64_t)note.n_namesz + 3) & ~3ull);
		uint64_t next = content + (((uint64_t)note.n_descsz + 3) & ~3ull);
		if (content > end || note.n_descsz > end - content)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    memcmp(elf->bytes.p + name, "GNU", sizeof("GNU")) == 0 && note.n_descsz &&
		    note.n_descsz <= MAX_BUILD_ID_BYTES) {
			elf->build_id = (struct str){ elf->bytes.p + content, note.n_descsz };
			return;
		}
		if (next > end)
			return;
		offset = next;
	}
}

static void read_segments(struct elf *elf, const Elf64_Ehdr *h)
{
	size_t least = elf->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	if (h->e_phentsize < least)
		return;
	for (unsigned i = 0; i < h->e_phnum && i < MAX_SEGMENTS; i++) {
		Elf64_Phdr s;
		uint64_t at;
		if (__builtin_add_overflow(h->e_phoff, (uint64_t)i * h->e_phentsize, &at) ||
		    !read_segment(elf, at, &s))
			return;
		if (s.p_type == PT_NOTE)
			find_build_id(elf, s.p_offset, s.p_filesz);
		if (s.p_type != PT_LOAD || s.p_offset + s.p_filesz < s.p_offset ||
		    s.p_vaddr + s.p_memsz < s.p_vaddr)
			continue;
		vec_push(&elf->segments, (struct elf_segment){ s.p_offset, s.p_vaddr, s.p_filesz,
							       s.p_memsz, s.p_flags & PF_X });
	}
}

static struct str text_at(struct str texts, uint64_t offset)
{
	struct str rest = str_first(str_from_byte(texts, offset), MAX_SECTION_NAME_BYTES);
	ptrdiff_t end = str_find_char(rest, 0);
	return end < 0 ? STR("") : str_first(rest, (size_t)end);
}

static bool section_at(const struct elf *elf, const Elf64_Ehdr *h, uint64_t i, Elf64_Shdr *s)
{
	uint64_t at;
	return !__builtin_add_overflow(h->e_shoff, i * h->e_shentsize, &at) &&
	       read_section(elf, at, s);
}

/* Files with more than 65,279 sections store their number, and the index of the names, in section 0. */
static uint64_t section_count(const Elf64_Ehdr *h, const Elf64_Shdr *first)
{
	uint64_t n = h->e_shnum ? h->e_shnum : first->sh_size;
	return n < MAX_SECTIONS ? n : MAX_SECTIONS;
}

static struct str section_names(const struct elf *elf, const Elf64_Ehdr *h, const Elf64_Shdr *first)
{
	Elf64_Shdr s;
	uint64_t i = h->e_shstrndx == SHN_XINDEX ? first->sh_link : h->e_shstrndx;
	if (!i || !section_at(elf, h, i, &s) || !holds(elf, s.sh_offset, s.sh_size))
		return STR("");
	return (struct str){ elf->bytes.p + s.sh_offset, s.sh_size };
}

static void read_sections(struct elf *elf, const Elf64_Ehdr *h)
{
	size_t least = elf->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	Elf64_Shdr first, s;
	if (!h->e_shoff || h->e_shentsize < least || !section_at(elf, h, 0, &first))
		return;
	struct str names = section_names(elf, h, &first);
	uint64_t n = section_count(h, &first);
	for (uint64_t i = 0; i < n && section_at(elf, h, i, &s); i++) {
		vec_push(&elf->sections, (struct elf_section){ .name = text_at(names, s.sh_name),
							       .type = s.sh_type,
							       .link = s.sh_link,
							       .info = s.sh_info,
							       .flags = s.sh_flags,
							       .address = s.sh_addr,
							       .offset = s.sh_offset,
							       .size_bytes = s.sh_size,
							       .entry_bytes = s.sh_entsize });
		if (s.sh_type == SHT_NOTE)
			find_build_id(elf, s.sh_offset, s.sh_size);
	}
}

static bool read_tables(struct elf *elf, struct err *e)
{
	Elf64_Ehdr h;
	if (elf->bytes.n < EI_NIDENT || memcmp(elf->bytes.p, ELFMAG, SELFMAG) != 0)
		return err_set(e, "%s: not an ELF file", elf->path);
	if (elf->bytes.p[EI_DATA] != ELFDATA2LSB)
		return err_set(e, "%s: a big-endian ELF file", elf->path);
	elf->is_64 = elf->bytes.p[EI_CLASS] == ELFCLASS64;
	if (!read_header(elf, &h))
		return err_set(e, "%s: the ELF file ends inside its header", elf->path);
	elf->type = h.e_type;
	elf->machine = h.e_machine;
	elf->entry = h.e_entry;
	read_segments(elf, &h);
	read_sections(elf, &h);
	return true;
}

/* --- the file --- */

static struct elf *elf_of_owner(struct str bytes, const char *name, uid_t owner, struct err *e)
{
	struct elf *elf = mem_zalloc(1, sizeof(*elf));
	elf->path = mem_strdup(name);
	elf->bytes = bytes;
	elf->owner = owner;
	elf->budget = budget_of_owner(owner);
	if (read_tables(elf, e))
		return elf;
	elf_free(elf);
	return NULL;
}

struct elf *elf_of_memory(struct str bytes, const char *name, struct err *e)
{
	return elf_of_owner(bytes, name, geteuid(), e);
}

struct elf *elf_open_fd(int fd, const char *name, struct err *e)
{
	struct mapping mapping;
	struct stat status;
	if (fstat(fd, &status) != 0) {
		err_set(e, "%s: %s", name, strerror(errno));
		return NULL;
	}
	if (!mapping_init(&mapping, fd, name, e))
		return NULL;
	struct elf *elf = elf_of_owner(mapping.bytes, name, status.st_uid, e);
	if (!elf) {
		mapping_fini(&mapping);
		return NULL;
	}
	elf->mapping = mapping;
	elf->device = status.st_dev;
	elf->inode = status.st_ino;
	return elf;
}

struct elf *elf_open(const char *path, struct err *e)
{
	int fd = open_plain_file(NULL, path);
	if (fd < 0) {
		int why = errno;
		err_set(e, "%s: %s", path, why == ENOEXEC ? "not a regular file" : strerror(why));
		errno = why;
		return NULL;
	}
	struct elf *elf = elf_open_fd(fd, path, e);
	close(fd);
	if (!elf)
		errno = ENOEXEC;
	return elf;
}

void elf_free(struct elf *elf)
{
	if (!elf)
		return;
	for (uint32_t i = 0; i < elf->unpacked.n; i++)
		free(elf->unpacked.p[i].bytes);
	vec_fini(&elf->unpacked);
	vec_fini(&elf->segments);
	vec_fini(&elf->sections);
	mapping_fini(&elf->mapping);
	budget_end(&elf->budget);
	free(elf->path);
	free(elf);
}

/* --- sections --- */

const struct elf_section *elf_find_section(const struct elf *elf, struct str name)
{
	for (uint32_t i = 0; i < elf->sections.n; i++)
		if (str_eq(elf->sections.p[i].name, name))
			return &elf->sections.p[i];
	return NULL;
}

static bool unpack(uint32_t how, struct str packed, char *to, size_t n)
{
	if (how == ELFCOMPRESS_ZSTD)
		return ZSTD_decompress(to, n, packed.p, packed.n) == n;
	return how == ELFCOMPRESS_ZLIB && inflate_whole(packed, to, n);
}

/* Reads the header of a compressed section; returns false if it is not plausible. */
static bool read_packing(const struct elf *elf, struct str packed, uint32_t *how, uint64_t *n,
			 size_t *header_bytes)
{
	Elf64_Chdr wide;
	Elf32_Chdr narrow;
	*header_bytes = elf->is_64 ? sizeof(wide) : sizeof(narrow);
	if (packed.n < *header_bytes)
		return false;
	memcpy(&wide, packed.p, elf->is_64 ? sizeof(wide) : sizeof(narrow));
	memcpy(&narrow, packed.p, sizeof(narrow));
	*how = elf->is_64 ? wide.ch_type : narrow.ch_type;
	*n = elf->is_64 ? wide.ch_size : narrow.ch_size;
	return *n && *n <= MAX_UNPACKED_BYTES && *n / MAX_UNPACKED_RATIO <= packed.n;
}

char *elf_unpack_room(struct elf *elf, uint64_t n)
{
	if (!budget_work(&elf->budget, n) || !budget_hold(&elf->budget, n))
		return NULL;
	return mem_alloc(n, 1);
}

static struct str unpack_section(struct elf *elf, uint32_t section, struct str packed)
{
	for (uint32_t i = 0; i < elf->unpacked.n; i++)
		if (elf->unpacked.p[i].section == section)
			return (struct str){ elf->unpacked.p[i].bytes, elf->unpacked.p[i].n };
	uint32_t how;
	uint64_t n;
	size_t header_bytes;
	if (!read_packing(elf, packed, &how, &n, &header_bytes))
		return STR("");
	struct elf_unpacked u = { section, elf_unpack_room(elf, n), n };
	if (!u.bytes || !unpack(how, str_from_byte(packed, header_bytes), u.bytes, n))
		u.n = 0;
	vec_push(&elf->unpacked, u);
	return (struct str){ u.bytes, u.n };
}

struct str elf_section_bytes(struct elf *elf, const struct elf_section *section)
{
	if (!section || section->type == SHT_NOBITS ||
	    !holds(elf, section->offset, section->size_bytes))
		return STR("");
	struct str bytes = { elf->bytes.p + section->offset, section->size_bytes };
	if (!(section->flags & SHF_COMPRESSED))
		return bytes;
	return unpack_section(elf, (uint32_t)(section - elf->sections.p), bytes);
}

struct str elf_section_scan(struct elf *elf, const struct elf_section *section)
{
	struct str bytes = elf_section_bytes(elf, section);
	return budget_work(&elf->budget, bytes.n) ? bytes : STR("");
}

void elf_let_go(struct elf *elf)
{
	if (!elf->budget.is_ample || elf->mapping.bytes.n > MOST_KEPT_BYTES)
		mapping_let_go(&elf->mapping);
}

bool elf_address_of_offset(const struct elf *elf, uint64_t offset, uint64_t *address)
{
	bool is_found = false;
	/* Segments may share a page of the file: prefer the one with code. */
	for (uint32_t i = 0; i < elf->segments.n; i++) {
		const struct elf_segment *s = &elf->segments.p[i];
		if (offset < s->offset || offset - s->offset >= s->file_bytes)
			continue;
		if (!is_found || s->is_executable)
			*address = offset - s->offset + s->address;
		is_found = true;
		if (s->is_executable)
			break;
	}
	return is_found;
}

bool elf_offset_of_address(const struct elf *elf, uint64_t address, uint64_t *offset)
{
	for (uint32_t i = 0; i < elf->segments.n; i++) {
		const struct elf_segment *s = &elf->segments.p[i];
		if (address < s->address || address - s->address >= s->file_bytes)
			continue;
		*offset = address - s->address + s->offset;
		return true;
	}
	return false;
}

bool elf_is_in_entry(const struct elf *elf, uint64_t address)
{
	enum { ENTRY_BYTES = 64 }; /* glibc, musl, Zig, Rust: up to 54 */
	return elf->entry && address >= elf->entry && address - elf->entry < ENTRY_BYTES;
}

uint64_t elf_base_address(const struct elf *elf)
{
	uint64_t base = UINT64_MAX;
	for (uint32_t i = 0; i < elf->segments.n; i++)
		if (elf->segments.p[i].address < base)
			base = elf->segments.p[i].address;
	return base == UINT64_MAX ? 0 : base;
}
