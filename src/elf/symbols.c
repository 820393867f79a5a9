/* Symbols of a file: those of any section, and the exported names. */
#include "elf/elf.h"

/* Enough for the largest programs (chromium exports 60,000); a file may claim any number. */
enum { MAX_EXPORTED = 1 << 20 };

struct str elf_text_at(struct str texts, uint64_t offset)
{
	struct str rest = str_first(str_from_byte(texts, offset), ELF_MAX_NAME_BYTES);
	ptrdiff_t end = str_find_char(rest, 0);
	return end < 0 ? STR("") : str_first(rest, (size_t)end);
}

const struct elf_section *elf_linked_section(const struct elf *elf,
					     const struct elf_section *section)
{
	return section->link < elf->sections.n ? &elf->sections.p[section->link] : NULL;
}

size_t elf_symbol_bytes(const struct elf *elf)
{
	return elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

Elf64_Sym elf_symbol_read(const char *p, bool is_64)
{
	Elf64_Sym wide;
	Elf32_Sym narrow;
	if (is_64) {
		memcpy(&wide, p, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, p, sizeof(narrow));
	return (Elf64_Sym){
		.st_name = narrow.st_name,
		.st_info = narrow.st_info,
		.st_other = narrow.st_other,
		.st_shndx = narrow.st_shndx,
		.st_value = narrow.st_value,
		.st_size = narrow.st_size,
	};
}

bool elf_symbol_at(struct elf *elf, const struct elf_section *section, uint32_t i,
		   struct elf_symbol *symbol)
{
	struct str bytes = elf_section_bytes(elf, section);
	if (i >= bytes.n / elf_symbol_bytes(elf))
		return false;
	symbol->fields = elf_symbol_read(bytes.p + i * elf_symbol_bytes(elf), elf->is_64);
	struct str texts = elf_section_bytes(elf, elf_linked_section(elf, section));
	symbol->name = elf_text_at(texts, symbol->fields.st_name);
	return symbol->name.n;
}

static bool is_hidden(const Elf64_Sym *s)
{
	unsigned visibility = ELF64_ST_VISIBILITY(s->st_other);
	return visibility == STV_HIDDEN || visibility == STV_INTERNAL;
}

bool elf_symbol_is_function(const struct elf *elf, const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);
	if (!s->st_name || s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS)
		return false;
	const struct elf_section *section =
		s->st_shndx < elf->sections.n ? &elf->sections.p[s->st_shndx] : NULL;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return section ? section->flags & SHF_ALLOC : s->st_shndx == SHN_XINDEX;
	/* Hand-written code often has only labels, and is sometimes marked as data. */
	return section && section->flags & SHF_ALLOC && section->flags & SHF_EXECINSTR &&
	       (type == STT_OBJECT || (type == STT_NOTYPE && !is_hidden(s)));
}

/* The symbols that other files can use. */
static const struct elf_section *exported_symbols(const struct elf *elf)
{
	for (uint32_t i = 0; i < elf->sections.n; i++)
		if (elf->sections.p[i].type == SHT_DYNSYM &&
		    elf_linked_section(elf, &elf->sections.p[i]))
			return &elf->sections.p[i];
	return NULL;
}

bool elf_find_exported(struct elf *elf, struct str name, uint64_t *address)
{
	const struct elf_section *section = exported_symbols(elf);
	if (!section)
		return false;
	struct str symbols = elf_section_bytes(elf, section);
	struct str names = elf_section_bytes(elf, elf_linked_section(elf, section));
	size_t size = elf_symbol_bytes(elf), count = symbols.n / size;
	for (size_t i = 0; i < count && i < MAX_EXPORTED; i++) {
		Elf64_Sym s = elf_symbol_read(symbols.p + i * size, elf->is_64);
		struct str rest = str_from_byte(names, s.st_name);
		if (s.st_shndx == SHN_UNDEF || rest.n <= name.n || rest.p[name.n] != 0 ||
		    !str_starts(rest, name))
			continue;
		*address = s.st_value;
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
