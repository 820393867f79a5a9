/*
 * A Go program made up on the spot, as the linkers of Go 1.2 to 1.26 would have laid out its .gopclntab: three
 * functions, the second with two others inlined into it.
 *	0x1000 main.main	frame of 32 bytes from 0x1004 to 0x10f0; lines 10, from 0x1040 on 12
 *	0x1100 main.leaf	no frame; line 20, with main.outer (30) at 0x1120 and main.inner (40) in it at 0x1130
 *	0x1200 runtime.goexit	to 0x1300
 */
#pragma once
#include "unwind_elf.h"

enum go_layout { GO_LAYOUT_1_2, GO_LAYOUT_1_16, GO_LAYOUT_1_18, GO_LAYOUT_1_20, GO_LAYOUTS };

struct go_options {
	enum go_layout layout;
	bool is_pie;	  /* pointers are in relocations */
	bool has_section; /* the table has a section of its own; else it is somewhere in the data */
	bool has_no_text; /* the header does not say where the text is, as from 1.26 on */
	bool wraps_inline; /* main.inner says that main.inner called it */
	struct str code;
};

enum {
	GO_CODE = FAKE_CODE,
	GO_MAIN = GO_CODE,
	GO_LEAF = GO_CODE + 0x100,
	GO_EXIT = GO_CODE + 0x200,
	GO_END = GO_CODE + 0x300,
	GO_FUNCTIONS = 3,
	GO_MODULE_WORDS = 48,
	GO_TREE_AT = GO_MODULE_WORDS * 8, /* in the data */
	GO_TABLE_AT = GO_TREE_AT + 64,
	GO_TABLE = FAKE_DATA + GO_TABLE_AT,
};

/* Relocations go here where pointers do not stay in the file. */
struct go_image {
	const struct go_options *options;
	struct buf data, relocations;
	uint32_t names[5], files[3], sizes, no_sizes, main_lines, leaf_lines, file_values,
		tree_values;
};

static inline void go_image_fini(struct go_image *g)
{
	buf_fini(&g->data);
	buf_fini(&g->relocations);
}

static inline void go_put(struct go_image *g, size_t at, uint64_t value, unsigned n)
{
	memcpy(g->data.p + at, &value, n);
}

static inline void go_put_pointer(struct go_image *g, size_t at, uint64_t value)
{
	Elf64_Rela r = { FAKE_DATA + at, ELF64_R_INFO(0, R_X86_64_RELATIVE), (int64_t)value };
	if (g->options->is_pie)
		buf_add(&g->relocations, (struct str){ (const char *)&r, sizeof(r) });
	else
		go_put(g, at, value, 8);
}

static inline void go_align(struct go_image *g, size_t n)
{
	while (g->data.n % n)
		buf_add_char(&g->data, 0);
}

static inline uint32_t go_text(struct go_image *g, size_t base, const char *text)
{
	uint32_t at = (uint32_t)(g->data.n - base);
	buf_add(&g->data, (struct str){ text, strlen(text) + 1 });
	return at;
}

static inline void go_varint(struct go_image *g, uint32_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_add_char(&g->data, (char)(value | 0x80));
	buf_add_char(&g->data, (char)value);
}

/* Rows of value and length, up to a length of 0. */
static inline uint32_t go_values(struct go_image *g, size_t base, const int32_t (*rows)[2])
{
	uint32_t at = (uint32_t)(g->data.n - base);
	for (int32_t before = -1; (*rows)[1]; before = (*rows)[0], rows++) {
		int32_t change = (*rows)[0] - before;
		go_varint(g, (uint32_t)change << 1 ^ (uint32_t)(change >> 31));
		go_varint(g, (uint32_t)(*rows)[1]);
	}
	go_varint(g, 0);
	return at;
}

static inline void go_add_names(struct go_image *g, size_t base)
{
	static const char *const names[] = { "main.main", "main.leaf", "runtime.goexit",
					     "main.outer", "main.inner" };
	go_text(g, base, "");
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		g->names[i] = go_text(g, base, names[i]);
}

static inline void go_add_values(struct go_image *g, size_t base)
{
	static const int32_t sizes[][2] = { { 0, 4 }, { 32, 0xec }, { 0, 0x10 }, { 0, 0 } };
	static const int32_t no_sizes[][2] = { { 0, 0x100 }, { 0, 0 } };
	static const int32_t main_lines[][2] = { { 10, 0x40 }, { 12, 0xc0 }, { 0, 0 } };
	static const int32_t leaf_lines[][2] = {
		{ 20, 0x20 }, { 30, 0x10 }, { 40, 0x10 }, { 21, 0xc0 }, { 0, 0 }
	};
	static const int32_t files[][2] = { { 1, 0x100 }, { 0, 0 } };
	static const int32_t trees[][2] = {
		{ -1, 0x20 }, { 0, 0x10 }, { 1, 0x10 }, { -1, 0xc0 }, { 0, 0 }
	};
	buf_add_char(&g->data, 0);
	g->sizes = go_values(g, base, sizes);
	g->no_sizes = go_values(g, base, no_sizes);
	g->main_lines = go_values(g, base, main_lines);
	g->leaf_lines = go_values(g, base, leaf_lines);
	g->file_values = go_values(g, base, files);
	g->tree_values = go_values(g, base, trees);
}

/* main.outer was called at 0x1110, main.inner at 0x1128, which is in main.outer. */
static inline void go_add_tree(struct go_image *g)
{
	static const uint32_t calls[] = { 0x10, 0x28 }, lines[] = { 29, 39 };
	bool is_new = g->options->layout == GO_LAYOUT_1_20;
	for (unsigned i = 0; i < 2; i++) {
		size_t at = GO_TREE_AT + i * (is_new ? 16 : 20);
		go_put(g, at + (is_new ? 4 : 12), g->names[3 + i], 4);
		go_put(g, at + (is_new ? 8 : 16), i && g->options->wraps_inline ? 0x38 : calls[i],
		       4);
		if (is_new)
			go_put(g, at + 12, lines[i], 4);
	}
}

static inline uint32_t go_add_record(struct go_image *g, size_t base, unsigned i)
{
	static const uint64_t starts[] = { GO_MAIN, GO_LEAF, GO_EXIT };
	static const uint32_t start_lines[] = { 9, 19, 50 };
	enum go_layout layout = g->options->layout;
	bool has_tree = i == 1 && layout != GO_LAYOUT_1_2;
	struct buf *b = &g->data;
	go_align(g, 8);
	size_t at = b->n;
	add_bytes(b, layout >= GO_LAYOUT_1_18 ? starts[i] - GO_CODE : 0,
		  layout >= GO_LAYOUT_1_18 ? 4 : 8);
	if (layout < GO_LAYOUT_1_18)
		go_put_pointer(g, at, starts[i]);
	uint32_t fields[] = { g->names[i],
			      0,
			      0,
			      i ? g->no_sizes : g->sizes,
			      g->file_values,
			      i == 1 ? g->leaf_lines : g->main_lines,
			      has_tree ? 3 : 0,
			      0 };
	add_list(b, (const uint8_t *)fields,
		 layout == GO_LAYOUT_1_2 ? sizeof(fields) - 4 : sizeof(fields));
	if (layout == GO_LAYOUT_1_20)
		add_bytes(b, start_lines[i], 4);
	add_bytes(b, has_tree ? 4u << 24 : 0, 4);
	if (!has_tree)
		return (uint32_t)(at - base);
	add_bytes(b, 0, 8);
	add_bytes(b, g->tree_values, 4);
	if (layout >= GO_LAYOUT_1_18) {
		add_bytes(b, UINT64_MAX, 8);
		add_bytes(b, UINT32_MAX, 4);
		add_bytes(b, 0, 4);
		return (uint32_t)(at - base);
	}
	go_align(g, 8);
	add_bytes(b, 0, 8);
	add_bytes(b, 0, 8);
	add_bytes(b, 0, 8);
	add_bytes(b, 0, 8);
	go_put_pointer(g, b->n - 8, FAKE_DATA + GO_TREE_AT);
	return (uint32_t)(at - base);
}

/* list: where the functions' entries are, for which room was made. */
static inline void go_add_functions(struct go_image *g, size_t base, size_t list)
{
	static const uint64_t starts[] = { GO_MAIN, GO_LEAF, GO_EXIT, GO_END };
	bool is_new = g->options->layout >= GO_LAYOUT_1_18;
	unsigned n = is_new ? 4 : 8;
	for (unsigned i = 0; i <= GO_FUNCTIONS; i++) {
		size_t at = list + (size_t)i * 2 * n;
		if (is_new)
			go_put(g, at, starts[i] - GO_CODE, 4);
		else
			go_put_pointer(g, at, starts[i]);
		if (i < GO_FUNCTIONS) {
			uint32_t record = go_add_record(g, base, i);
			go_put(g, at + n, record, n);
		}
	}
}

static inline void go_reserve(struct go_image *g, size_t n)
{
	for (; n; n--)
		buf_add_char(&g->data, 0);
}

/* All offsets count from the header; the list of files begins with their number. */
static inline void go_add_table_of_1_2(struct go_image *g)
{
	size_t base = GO_TABLE_AT, list = base + 16, files_at = list + (2 * GO_FUNCTIONS + 1) * 8;
	go_reserve(g, files_at + 8 - g->data.n);
	go_put(g, base + 8, GO_FUNCTIONS, 8);
	go_add_names(g, base);
	uint32_t file = go_text(g, base, "/src/main.go");
	go_add_values(g, base);
	go_align(g, 8);
	go_put(g, files_at, g->data.n - base, 4);
	add_bytes(&g->data, 2, 4);
	add_bytes(&g->data, file, 4);
	go_add_functions(g, base, list);
}

static inline void go_add_table_of_1_16(struct go_image *g)
{
	bool is_new = g->options->layout >= GO_LAYOUT_1_18;
	size_t base = GO_TABLE_AT, words = base + 8, parts = words + (is_new ? 24 : 16);
	go_reserve(g, 5 * 8 + (is_new ? 24 : 16));
	go_put(g, words, GO_FUNCTIONS, 8);
	go_put(g, words + 8, 1, 8);
	if (is_new && !g->options->has_no_text)
		go_put_pointer(g, words + 16, GO_CODE);
	go_put(g, parts, g->data.n - base, 8);
	go_add_names(g, g->data.n);
	go_align(g, 8);
	go_put(g, parts + 8, g->data.n - base, 8);
	add_bytes(&g->data, UINT32_MAX, 4);
	add_bytes(&g->data, 1, 4);
	go_put(g, parts + 16, g->data.n - base, 8);
	buf_add_char(&g->data, 0);
	go_text(g, 0, "/src/main.go");
	go_align(g, 8);
	go_put(g, parts + 24, g->data.n - base, 8);
	go_add_values(g, g->data.n);
	go_align(g, 8);
	size_t list = g->data.n;
	go_put(g, parts + 32, list - base, 8);
	go_reserve(g, (2 * GO_FUNCTIONS + 1) * 8);
	go_add_functions(g, list, list);
}

/* Pointer to the table, 19 words of slices, then first, last, text, and somewhere behind them the trees. */
static inline void go_add_module(struct go_image *g)
{
	go_put_pointer(g, 0, GO_TABLE);
	go_put_pointer(g, 20 * 8, GO_CODE);
	go_put_pointer(g, 21 * 8, GO_END);
	go_put_pointer(g, 22 * 8, GO_CODE);
	go_put_pointer(g, 23 * 8, GO_END);
	go_put_pointer(g, 40 * 8, FAKE_DATA + GO_TREE_AT);
}

/* Writes the file to b; open it with elf_of_memory as long as b stays. */
static inline void go_program(struct buf *b, const struct go_options *o)
{
	static const uint8_t magics[] = { 0xfb, 0xfa, 0xf0, 0xf1 };
	struct go_image g = { .options = o };
	go_reserve(&g, GO_TABLE_AT);
	ADD(&g.data, magics[o->layout], 0xff, 0xff, 0xff, 0, 0, 1, 8);
	if (o->layout == GO_LAYOUT_1_2)
		go_add_table_of_1_2(&g);
	else
		go_add_table_of_1_16(&g);
	go_add_module(&g);
	go_add_tree(&g);
	struct str data = buf_str(&g.data);
	struct fake_section sections[] = {
		{ o->has_section ? ".gopclntab" : ".go.buildinfo",
		  o->has_section ? str_from_byte(data, GO_TABLE_AT) : STR(""), GO_TABLE,
		  SHT_PROGBITS, 0 },
		{ ".data", data, FAKE_DATA, SHT_PROGBITS, 0 },
		{ ".rela", buf_str(&g.relocations), 0, SHT_RELA, 0 },
		{ ".names", { 0 }, 0, SHT_STRTAB, 0 },
	};
	struct fake_head head = {
		.type = o->is_pie ? ET_DYN : ET_EXEC,
		.segments = { { .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_offset = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr),
				.p_vaddr = FAKE_CODE,
				.p_filesz = o->code.n,
				.p_memsz = GO_END - GO_CODE },
			      { .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = FAKE_DATA } },
		.data = &sections[1]
	};
	size_t head_bytes = sizeof(Elf64_Ehdr) + sizeof(head.segments);
	memset(buf_reserve(b, head_bytes), 0, head_bytes);
	b->n = head_bytes;
	buf_add(b, o->code);
	fake_file(b, &head, sections, ARRAY_SIZE(sections));
	go_image_fini(&g);
}
