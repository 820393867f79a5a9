/* An ELF file made up on the spot: a head, two segments, sections and their names. */
#pragma once
#include "elf/elf.h"

struct fake_section {
	const char *name; /* of the last one: of the names of all */
	struct str bytes;
	uint64_t address;
	uint32_t type;
	uint64_t offset; /* where it came to be */
};

enum { FAKE_SEGMENTS = 2 };

struct fake_head {
	uint16_t type, machine; /* machine 0: EM_X86_64 */
	Elf64_Phdr segments[FAKE_SEGMENTS];
	const struct fake_section *data; /* the section that is in the last segment */
};

static inline void fake_add(struct buf *b, const void *bytes, size_t n)
{
	buf_add(b, (struct str){ bytes, n });
}

static inline void fake_add_section_names(struct buf *names, const struct fake_section *sections,
					  unsigned n)
{
	buf_add_char(names, 0);
	for (unsigned i = 0; i < n; i++)
		fake_add(names, sections[i].name, strlen(sections[i].name) + 1);
}

static inline void fake_add_section_headers(struct buf *b, const struct fake_section *sections,
					    unsigned n)
{
	uint32_t name = 1;
	for (unsigned i = 0; i < n; i++) {
		Elf64_Shdr s = { .sh_name = name,
				 .sh_type = sections[i].type,
				 .sh_addr = sections[i].address,
				 .sh_offset = sections[i].offset,
				 .sh_size = sections[i].bytes.n };
		fake_add(b, &s, sizeof(s));
		name += (uint32_t)strlen(sections[i].name) + 1;
	}
}

static inline void fake_set_head(struct buf *b, const struct fake_head *h, uint64_t section_headers,
				 unsigned n)
{
	Elf64_Ehdr head = { .e_type = h->type,
			    .e_machine = h->machine ? h->machine : EM_X86_64,
			    .e_phoff = sizeof(head),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = FAKE_SEGMENTS,
			    .e_shoff = section_headers,
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = (uint16_t)n,
			    .e_shstrndx = (uint16_t)(n - 1) };
	Elf64_Phdr segments[FAKE_SEGMENTS];
	memcpy(segments, h->segments, sizeof(segments));
	Elf64_Phdr *last = &segments[FAKE_SEGMENTS - 1];
	last->p_offset = h->data->offset;
	last->p_filesz = last->p_memsz = h->data->bytes.n;
	memcpy(head.e_ident, ELFMAG "\2\1\1", 7);
	memcpy(b->p, &head, sizeof(head));
	memcpy(b->p + sizeof(head), segments, sizeof(segments));
}

/* b: what the file begins with, at least as long as head and segments are, which are put there. */
static inline void fake_file(struct buf *b, const struct fake_head *h,
			     struct fake_section *sections, unsigned n)
{
	AUTO(buf) struct buf names = { 0 };
	fake_add_section_names(&names, sections, n);
	sections[n - 1].bytes = buf_str(&names);
	for (unsigned i = 0; i < n; i++) {
		while (b->n % 8)
			buf_add_char(b, 0);
		sections[i].offset = b->n;
		buf_add(b, sections[i].bytes);
	}
	uint64_t section_headers = b->n;
	fake_add_section_headers(b, sections, n);
	fake_set_head(b, h, section_headers, n);
}
