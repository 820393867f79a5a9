/* Small ELF files made up on the spot, with call frame information written by hand. */
#pragma once
#include "base/base.h"
#include "fake_elf.h"

enum {
	FAKE_CODE = 0x1000, /* where code is said to be */
	FAKE_CODE_BYTES = 0x10000,
	FAKE_TEXT = 0x1000,
	FAKE_EH_FRAME = 0x20000,
	FAKE_EH_FRAME_HDR = 0x28000,
	FAKE_DATA = 0x30000,
	FAKE_GOT = 0x38000,
};

struct fake_parts {
	struct str eh_frame, eh_frame_hdr, debug_frame, data, build_id;
	uint16_t machine; /* 0: EM_X86_64 */
};

/* --- bytes --- */

static inline void add_bytes(struct buf *b, uint64_t value, unsigned n)
{
	buf_add(b, (struct str){ (const char *)&value, n });
}

static inline void add_list(struct buf *b, const uint8_t *bytes, size_t n)
{
	buf_add(b, (struct str){ (const char *)bytes, n });
}

#define ADD(b, ...)                                                                                \
	add_list((b), (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* The length of an entry that began at `start`, put there once the entry is complete. */
static inline void end_entry(struct buf *b, size_t start)
{
	uint32_t n = (uint32_t)(b->n - start - sizeof(n));
	memcpy(b->p + start, &n, sizeof(n));
}

/* --- call frame information --- */

/* CFA = rsp + 8, the return address at CFA - 8: as compilers begin. */
#define CIE_PROGRAM 0x0c, 7, 8, 0x90, 1

/* A CIE of .eh_frame at the start of b; code factor 1, data factor -8. */
static inline void add_cie(struct buf *b, const char *augmentation, uint8_t encoding)
{
	size_t start = b->n;
	add_bytes(b, 0, 4);
	add_bytes(b, 0, 4);
	ADD(b, 1);
	add_list(b, (const uint8_t *)augmentation, strlen(augmentation) + 1);
	ADD(b, 1, 0x78, 16);
	if (augmentation[0] == 'z')
		ADD(b, 1, encoding);
	ADD(b, CIE_PROGRAM);
	end_entry(b, start);
}

/* An FDE of the CIE at offset `cie`, with pointers of four bytes from where they stand. */
static inline void add_fde(struct buf *b, size_t cie, uint64_t code, uint32_t size_bytes,
			   struct str program)
{
	size_t start = b->n;
	add_bytes(b, 0, 4);
	add_bytes(b, start + 4 - cie, 4);
	add_bytes(b, code - (FAKE_EH_FRAME + b->n), 4);
	add_bytes(b, size_bytes, 4);
	ADD(b, 0);
	buf_add(b, program);
	end_entry(b, start);
}

#define PROGRAM(...)                                                                               \
	((struct str){ (const char *)(const uint8_t[]){ __VA_ARGS__ },                             \
		       sizeof((const uint8_t[]){ __VA_ARGS__ }) })

/* --- files --- */

/* Writes the file to b; open it with elf_of_memory as long as b stays. */
static inline void fake_elf(struct buf *b, const struct fake_parts *parts)
{
	AUTO(buf) struct buf note = { 0 };
	if (parts->build_id.n) {
		ADD(&note, 4, 0, 0, 0, (uint8_t)parts->build_id.n, 0, 0, 0, NT_GNU_BUILD_ID, 0, 0,
		    0, 'G', 'N', 'U', 0);
		buf_add(&note, parts->build_id);
	}
	struct fake_section sections[] = {
		{ ".eh_frame", parts->eh_frame, FAKE_EH_FRAME, SHT_PROGBITS, 0 },
		{ ".debug_frame", parts->debug_frame, 0, SHT_PROGBITS, 0 },
		{ ".data", parts->data, FAKE_DATA, SHT_PROGBITS, 0 },
		{ ".text", { 0 }, FAKE_TEXT, SHT_NOBITS, 0 },
		{ ".eh_frame_hdr", parts->eh_frame_hdr, FAKE_EH_FRAME_HDR, SHT_PROGBITS, 0 },
		{ ".got", { 0 }, FAKE_GOT, SHT_NOBITS, 0 },
		{ ".note", buf_str(&note), 0, note.n ? SHT_NOTE : SHT_PROGBITS, 0 },
		{ ".names", { 0 }, 0, SHT_STRTAB, 0 },
	};
	struct fake_head head = {
		.type = ET_DYN,
		.machine = parts->machine,
		.segments = { { .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_vaddr = FAKE_CODE,
				.p_memsz = FAKE_CODE_BYTES },
			      { .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = FAKE_DATA } },
		.data = &sections[2]
	};
	size_t head_bytes = sizeof(Elf64_Ehdr) + sizeof(head.segments);
	memset(buf_reserve(b, head_bytes), 0, head_bytes);
	b->n = head_bytes;
	fake_file(b, &head, sections, ARRAY_SIZE(sections));
}
