/* ELF files made up on the spot that look like a program with V8 in it. */
#pragma once
#include "fake_elf.h"
#include "v8_constants.h"

enum {
	FAKE_V8_DATA = 0x400000, /* where the numbers are in its addresses */
	FAKE_V8_BLOB = 0x800000, /* ... and V8's own code, from the beginning of the file */
	FAKE_V8_BLOB_BYTES = 0x1000,
	FAKE_V8_CODE_AT = 0x400, /* head and segments are in front */
	FAKE_V8_FUNCTION_AT = 0x900,
	FAKE_V8_FUNCTION_BYTES = 32,
	FAKE_V8_BYTECODES = 8,
};

struct fake_v8 {
	unsigned version;
	const char *without; /* symbols that begin so are left out */
	const char *changed; /* symbols that begin so have another value */
	int32_t value;
	uint32_t major, minor; /* 0: those of the version */
	uint16_t machine;      /* 0: EM_X86_64 */
	bool is_only_in_symtab;
	struct str code;  /* instructions of V8's own, from FAKE_V8_CODE_AT on */
	struct str front; /* what data begin with; then V8 is stripped, but for three functions */
};

struct fake_v8_parts {
	struct buf data, symbols, names;
};

/* How long bytecodes are in a row for each scale; 0 and 1 are the prefixes Wide and ExtraWide. */
static const uint8_t fake_bytecode_sizes[3 * FAKE_V8_BYTECODES] = {
	1, 1, 1, 1, 1, 2, 3, 4, /* bytes */
	1, 1, 1, 1, 1, 3, 5, 7, /* wide */
	1, 1, 1, 1, 1, 5, 9, 13,
};

static inline bool fake_begins(const char *name, const char *start)
{
	return start && strncmp(name, start, strlen(start)) == 0;
}

static inline void fake_add_symbol(struct fake_v8_parts *parts, const struct fake_v8 *v,
				   const char *name, struct str bytes)
{
	int32_t value = v->value;
	if (fake_begins(name, v->without))
		return;
	if (fake_begins(name, v->changed))
		bytes = (struct str){ (const char *)&value, sizeof(value) };
	Elf64_Sym s = { .st_name = (uint32_t)parts->names.n,
			.st_shndx = 1,
			.st_value = FAKE_V8_DATA + parts->data.n,
			.st_size = bytes.n };
	buf_add(&parts->symbols, (struct str){ (const char *)&s, sizeof(s) });
	buf_add(&parts->names, (struct str){ name, strlen(name) + 1 });
	buf_add(&parts->data, bytes);
	while (parts->data.n % 4)
		buf_add_char(&parts->data, 0);
}

static inline void fake_add_number(struct fake_v8_parts *parts, const struct fake_v8 *v,
				   const char *name, int32_t value)
{
	fake_add_symbol(parts, v, name, (struct str){ (const char *)&value, sizeof(value) });
}

/* Code of V8 itself: an address and a size that no data are behind. */
static inline void fake_add_code(struct fake_v8_parts *parts, const struct fake_v8 *v,
				 const char *name, uint64_t offset, uint64_t size_bytes)
{
	if (fake_begins(name, v->without))
		return;
	Elf64_Sym s = { .st_name = (uint32_t)parts->names.n,
			.st_shndx = 1,
			.st_value = FAKE_V8_BLOB + offset,
			.st_size = size_bytes };
	buf_add(&parts->symbols, (struct str){ (const char *)&s, sizeof(s) });
	buf_add(&parts->names, (struct str){ name, strlen(name) + 1 });
}

static inline void fake_add_blob(struct fake_v8_parts *parts, const struct fake_v8 *v)
{
	static const char *const functions[] = {
		"_ZN2v88internal23DefaultEmbeddedBlobCodeEv",
		"_ZN2v88internal27DefaultEmbeddedBlobCodeSizeEv",
		"_ZN2v88internal23DefaultEmbeddedBlobDataEv",
	};
	for (unsigned i = 0; v->front.n && i < ARRAY_SIZE(functions); i++)
		fake_add_code(parts, v, functions[i],
			      FAKE_V8_FUNCTION_AT + i * FAKE_V8_FUNCTION_BYTES, 0);
	if (v->front.n)
		return;
	fake_add_number(parts, v, "v8_Default_embedded_blob_code_size_", FAKE_V8_BLOB_BYTES);
	fake_add_code(parts, v, "v8_Default_embedded_blob_code_", 0, 0);
	fake_add_code(parts, v, "Builtins_InterpreterEntryTrampoline", 0x400, 0x300);
}

static inline void fake_add_symbols(struct fake_v8_parts *parts, const struct fake_v8 *v)
{
	buf_add_char(&parts->names, 0);
	fake_add_number(parts, v, "_ZN2v88internal7Version6major_E",
			(int32_t)(v->major ? v->major : fake_versions[v->version].major));
	fake_add_number(parts, v, "_ZN2v88internal7Version6minor_E",
			(int32_t)(v->major ? v->minor : fake_versions[v->version].minor));
	fake_add_number(parts, v, "_ZN2v88internal7Version6build_E", 168);
	fake_add_number(parts, v, "v8dbg_TaggedSize", 8);
	for (size_t i = 0; i < ARRAY_SIZE(fake_constants); i++) {
		char name[256];
		snprintf(name, sizeof(name), "v8dbg_%s", fake_constants[i].name);
		if (fake_constants[i].value[v->version] != NO)
			fake_add_number(parts, v, name, fake_constants[i].value[v->version]);
	}
	fake_add_symbol(
		parts, v, "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE",
		(struct str){ (const char *)fake_bytecode_sizes, sizeof(fake_bytecode_sizes) });
	fake_add_blob(parts, v);
}

/* Writes the file to b; open it with elf_of_memory as long as b stays. */
static inline void fake_v8_elf(struct buf *b, const struct fake_v8 *v)
{
	struct fake_v8_parts parts = { 0 };
	buf_add(&parts.data, v->front);
	fake_add_symbols(&parts, v);
	struct fake_section sections[] = {
		{ ".data", buf_str(&parts.data), FAKE_V8_DATA, SHT_PROGBITS, 0 },
		{ v->is_only_in_symtab ? ".symtab" : ".dynsym", buf_str(&parts.symbols), 0,
		  v->is_only_in_symtab ? SHT_SYMTAB : SHT_DYNSYM, 0 },
		{ v->is_only_in_symtab ? ".strtab" : ".dynstr", buf_str(&parts.names), 0,
		  SHT_STRTAB, 0 },
		{ ".names", { 0 }, 0, SHT_STRTAB, 0 },
	};
	struct fake_head head = {
		.type = ET_EXEC,
		.machine = v->machine,
		.segments = { { .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_vaddr = FAKE_V8_BLOB,
				.p_filesz = FAKE_V8_BLOB_BYTES,
				.p_memsz = FAKE_V8_BLOB_BYTES },
			      { .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = FAKE_V8_DATA } },
		.data = &sections[0]
	};
	b->n = 0;
	memset(buf_reserve(b, FAKE_V8_BLOB_BYTES), 0, FAKE_V8_BLOB_BYTES);
	b->n = FAKE_V8_BLOB_BYTES;
	if (v->code.n)
		memcpy(b->p + FAKE_V8_CODE_AT, v->code.p, v->code.n);
	fake_file(b, &head, sections, ARRAY_SIZE(sections));
	buf_fini(&parts.data);
	buf_fini(&parts.symbols);
	buf_fini(&parts.names);
}

/* False: e says why not. */
static inline bool fake_v8_layout(const struct fake_v8 *v, struct v8_layout *l, struct err *e)
{
	AUTO(buf) struct buf file = { 0 };
	fake_v8_elf(&file, v);
	struct elf *elf = elf_of_memory(buf_str(&file), "node", e);
	bool ok = elf && v8_is_inside(elf) && v8_layout_read(elf, l, e);
	elf_free(elf);
	return ok;
}
