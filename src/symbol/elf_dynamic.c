/* What a program or library exports: the addresses of names that other files may use. */
#include "symbol/elf.h"

/* Enough for the largest programs (chromium exports 60,000); a file may claim to have any number. */
enum { MAX_EXPORTED = 1 << 20 };

struct exports {
	struct str symbols, names;
	bool is_64;
};

static bool find_exports(struct elf *elf, struct exports *e)
{
	for (uint32_t i = 0; i < elf->sections.n; i++) {
		const struct elf_section *s = &elf->sections.p[i];
		if (s->type != SHT_DYNSYM || s->link >= elf->sections.n)
			continue;
		e->symbols = elf_section_bytes(elf, s);
		e->names = elf_section_bytes(elf, &elf->sections.p[s->link]);
		e->is_64 = elf->is_64;
		return true;
	}
	return false;
}

static size_t symbol_bytes(const struct exports *e)
{
	return e->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

/* Its name's place among the names. False: it is another file's. */
static bool read_symbol(const struct exports *e, size_t i, uint64_t *address, uint32_t *name)
{
	Elf64_Sym wide;
	Elf32_Sym narrow;
	const char *p = e->symbols.p + i * symbol_bytes(e);
	if (!e->is_64) {
		memcpy(&narrow, p, sizeof(narrow));
		*address = narrow.st_value;
		*name = narrow.st_name;
		return narrow.st_shndx != SHN_UNDEF;
	}
	memcpy(&wide, p, sizeof(wide));
	*address = wide.st_value;
	*name = wide.st_name;
	return wide.st_shndx != SHN_UNDEF;
}

bool elf_find_exported(struct elf *elf, struct str name, uint64_t *address)
{
	struct exports e;
	if (!find_exports(elf, &e))
		return false;
	size_t count = e.symbols.n / symbol_bytes(&e);
	for (size_t i = 0; i < count && i < MAX_EXPORTED; i++) {
		uint32_t at;
		if (!read_symbol(&e, i, address, &at))
			continue;
		struct str rest = str_from_byte(e.names, at);
		if (rest.n > name.n && rest.p[name.n] == 0 && str_starts(rest, name))
			return true;
	}
	return false;
}

struct str elf_bytes_between(const struct elf *elf, uint64_t start, uint64_t end)
{
	uint64_t offset;
	if (end <= start || !elf_offset_of_address(elf, start, &offset) || offset > elf->bytes.n ||
	    end - start > elf->bytes.n - offset)
		return (struct str){ 0 };
	return (struct str){ elf->bytes.p + offset, end - start };
}
