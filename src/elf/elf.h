/*
 * A little-endian ELF file, 64 or 32 bits, mapped and checked. Nothing in it is trusted: whatever
 * lies outside the file is treated as missing, so every range found here is readable.
 */
#pragma once
#include "base/base.h"

#include <elf.h>

struct elf_section {
	struct str name;
	uint32_t type, link, info;
	uint64_t flags, address, offset, size_bytes, entry_bytes;
};

/* A loaded part of the file (PT_LOAD). */
struct elf_segment {
	uint64_t offset, address, file_bytes, memory_bytes;
	bool is_executable;
};

/* The content of a compressed section, once requested. */
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
	uint64_t entry;		/* the program's entry point; 0 if it has none */
	VEC(struct elf_segment) segments;
	VEC(struct elf_section) sections;
	struct str build_id; /* bytes; empty if it has none */
	uint64_t device, inode;
	uid_t owner;
	struct budget budget; /* also for everything derived from it; ends with it */

	struct mapping mapping;
	VEC(struct elf_unpacked) unpacked;
};

/* Returns NULL and sets e on failure; errno tells whether it is missing (ENOENT) or not permitted (EACCES, EPERM). */
struct elf *elf_open(const char *path, struct err *e);
/* A file that is already open. The caller keeps fd; name is for messages. Returns NULL and sets e on failure. */
struct elf *elf_open_fd(int fd, const char *name, struct err *e);
/* The caller keeps the bytes. */
struct elf *elf_of_memory(struct str bytes, const char *name, struct err *e);
void elf_free(struct elf *elf);

/* The first section with that name, or NULL. */
const struct elf_section *elf_find_section(const struct elf *elf, struct str name);
/*
 * The section's content, decompressed if needed; valid as long as elf. Empty if the file does not
 * hold it (as in debug files), or it cannot be decompressed.
 */
struct str elf_section_bytes(struct elf *elf, const struct elf_section *section);
/*
 * The same for callers that read all of it, which counts as work. Empty if the budget does not
 * allow it. Use elf_let_go when done.
 */
struct str elf_section_scan(struct elf *elf, const struct elf_section *section);
/*
 * A buffer of n bytes for decompressed data; the caller fills and frees it. Returns NULL if the
 * budget does not allow it.
 */
char *elf_unpack_room(struct elf *elf, uint64_t n);
/*
 * Its pages are not needed for now. Drops those of a large file, or of one with a strict budget,
 * because they count as our memory.
 */
void elf_let_go(struct elf *elf);
/* The link-time address of a byte in the file. Returns false if it is not loaded. */
bool elf_address_of_offset(const struct elf *elf, uint64_t offset, uint64_t *address);
/* The reverse. Returns false if the file does not hold it. */
bool elf_offset_of_address(const struct elf *elf, uint64_t address, uint64_t *offset);
/* Whether it is in the function at the entry point, which is small in every runtime. */
bool elf_is_in_entry(const struct elf *elf, uint64_t address);
/* The lowest address that is loaded. */
uint64_t elf_base_address(const struct elf *elf);

/* --- symbols.c --- */

enum { ELF_MAX_NAME_BYTES = 256 << 10 };

/*
 * The string at an offset of a string table; empty if it is not terminated inside the table, or is
 * longer than ELF_MAX_NAME_BYTES.
 */
struct str elf_text_at(struct str texts, uint64_t offset);
/* The section that another one links to, as symbols do to their names. Returns NULL if there is none. */
const struct elf_section *elf_linked_section(const struct elf *elf,
					     const struct elf_section *section);

/* A symbol by its index in a symbol section; returns false if there is no such symbol, or it has no name. */
struct elf_symbol {
	struct str name;
	Elf64_Sym fields;
};
bool elf_symbol_at(struct elf *elf, const struct elf_section *section, uint32_t i,
		   struct elf_symbol *symbol);
/* For iterating over all of them: the size of a symbol, and the symbol at p. */
size_t elf_symbol_bytes(const struct elf *elf);
Elf64_Sym elf_symbol_read(const char *p, bool is_64);
/* Whether it counts as code in this file. */
bool elf_symbol_is_function(const struct elf *elf, const Elf64_Sym *symbol);

/* The link-time address of an exported name. Returns false if it is not exported. */
bool elf_find_exported(struct elf *elf, struct str name, uint64_t *address);
/* The bytes at the link-time addresses [start, end); empty if the file lacks any of them. */
struct str elf_bytes_between(const struct elf *elf, uint64_t start, uint64_t end);
