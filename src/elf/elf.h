/*
 * An ELF file of little-endian machines, 64 or 32 bits, mapped and checked. Nothing in it is believed:
 * what lies outside the file is as if it were not there, so every range found here can be read.
 */
#pragma once
#include "base/base.h"

#include <elf.h>

struct elf_section {
	struct str name;
	uint32_t type, link, info;
	uint64_t flags, address, offset, size_bytes, entry_bytes;
};

/* A part of the file that is loaded (PT_LOAD). */
struct elf_segment {
	uint64_t offset, address, file_bytes, memory_bytes;
	bool is_executable;
};

/* The content of a compressed section, once it was asked for. */
struct elf_unpacked {
	uint32_t section;
	char *bytes;
	size_t n;
};

struct elf {
	char *path; /* for messages */
	struct str bytes;
	bool is_64;
	uint16_t type, machine; /* ET_, EM_ */
	uint64_t entry;		/* where the program begins; 0: nowhere */
	VEC(struct elf_segment) segments;
	VEC(struct elf_section) sections;
	struct str build_id; /* bytes; empty: it has none */
	uint64_t device, inode;
	uid_t owner;
	struct budget budget; /* for all that is made of it, too; ends with it */

	struct mapping mapping;
	VEC(struct elf_unpacked) unpacked;
};

/* NULL: e, and errno says whether it is missing (ENOENT) or not allowed (EACCES, EPERM). */
struct elf *elf_open(const char *path, struct err *e);
/* A file that is open already; fd stays the caller's, name is for messages. NULL: e. */
struct elf *elf_open_fd(int fd, const char *name, struct err *e);
/* Bytes that the caller keeps. */
struct elf *elf_of_memory(struct str bytes, const char *name, struct err *e);
void elf_free(struct elf *elf);

/* The first section of that name, or NULL. */
const struct elf_section *elf_find_section(const struct elf *elf, struct str name);
/*
 * Its content, unpacked where it is compressed; good as long as elf is. Empty when the file does not
 * hold it (as in debug files), or it cannot be unpacked.
 */
struct str elf_section_bytes(struct elf *elf, const struct elf_section *section);
/*
 * The same for who looks through all of it: counted as work. Empty when there is no budget for it. What
 * was looked through may be let go with elf_let_go.
 */
struct str elf_section_scan(struct elf *elf, const struct elf_section *section);
/*
 * Room for n bytes that the caller fills and frees, for what is unpacked. NULL: there is no budget for it.
 */
char *elf_unpack_room(struct elf *elf, uint64_t n);
/* Its pages are not needed for now. Those of a large file, or one of a strict budget, go: they count as ours. */
void elf_let_go(struct elf *elf);
/* Where a byte of the file is in the program's own addresses. False: it is not loaded. */
bool elf_address_of_offset(const struct elf *elf, uint64_t offset, uint64_t *address);
/* The other way round. False: the file does not hold it. */
bool elf_offset_of_address(const struct elf *elf, uint64_t address, uint64_t *offset);
/* Whether it is in the function that the program begins with, which is small wherever it comes from. */
bool elf_is_in_entry(const struct elf *elf, uint64_t address);
/* The lowest address that it loads to. */
uint64_t elf_base_address(const struct elf *elf);

/* --- symbols.c --- */

enum { ELF_MAX_NAME_BYTES = 256 << 10 };

/* The text at an offset of a string table; empty: it does not end inside, or is longer than ELF_MAX_NAME_BYTES. */
struct str elf_text_at(struct str texts, uint64_t offset);
/* The section that one refers to, as symbols do to their names. NULL: there is none. */
const struct elf_section *elf_linked_section(const struct elf *elf,
					     const struct elf_section *section);

/* One symbol of a section of symbols; false: there is none of that number, or it has no name. */
struct elf_symbol {
	struct str name;
	Elf64_Sym fields;
};
bool elf_symbol_at(struct elf *elf, const struct elf_section *section, uint32_t i,
		   struct elf_symbol *symbol);
/* For going through all of them: the size of one, and one as it is at p. */
size_t elf_symbol_bytes(const struct elf *elf);
Elf64_Sym elf_symbol_read(const char *p, bool is_64);
/* Whether it counts as code that is in this file. */
bool elf_symbol_is_function(const struct elf *elf, const Elf64_Sym *symbol);

/* The address of a name that the file exports, in the program's own addresses. False: it does not. */
bool elf_find_exported(struct elf *elf, struct str name, uint64_t *address);
/* What the file holds of the program's own addresses [start, end); empty: not all of it. */
struct str elf_bytes_between(const struct elf *elf, uint64_t start, uint64_t end);
