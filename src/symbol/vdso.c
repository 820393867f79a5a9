#include "symbol/vdso.h"

#include <elf.h>
#include <sys/auxv.h>

enum { PAGE = 4096, MAX_PAGES = 64, MAX_SEGMENTS = 64 };

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The headers come from the kernel, and all of the image is mapped. They tell its size. */
static uint64_t image_bytes(const char *image)
{
	Elf64_Ehdr header;
	memcpy(&header, image, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phnum > MAX_SEGMENTS)
		return 0;
	uint64_t end = header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;
		memcpy(&segment, image + header.e_phoff + (size_t)i * header.e_phentsize,
		       sizeof(segment));
		if (segment.p_type == PT_LOAD)
			end = larger(end, segment.p_offset + segment.p_filesz);
	}
	return end;
}

bool vdso_image(struct str *bytes)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	uint64_t n = image ? image_bytes(image) : 0;
	*bytes = (struct str){ image, n };
	return n > 0 && n <= (uint64_t)MAX_PAGES * PAGE;
}
