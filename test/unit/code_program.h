/* A program that is nothing but code, at FAKE_CODE: no symbols, no tables. */
#pragma once
#include "unwind_elf.h"

static inline void code_program(struct buf *b, struct str code)
{
	struct fake_section sections[] = {
		{ ".data", { 0 }, FAKE_DATA, SHT_PROGBITS, 0 },
		{ ".names", { 0 }, 0, SHT_STRTAB, 0 },
	};
	struct fake_head head = {
		.type = ET_DYN,
		.segments = { { .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_offset = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr),
				.p_vaddr = FAKE_CODE,
				.p_filesz = code.n,
				.p_memsz = code.n },
			      { .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = FAKE_DATA } },
		.data = &sections[0]
	};
	size_t head_bytes = sizeof(Elf64_Ehdr) + sizeof(head.segments);
	memset(buf_reserve(b, head_bytes), 0, head_bytes);
	b->n = head_bytes;
	buf_add(b, code);
	fake_file(b, &head, sections, ARRAY_SIZE(sections));
}
