/* DWARF: what addr2line says of small programs, in test/fixtures/debug-info; and damaged ones. */
#include "debug_info/debug_info.h"
#include "elf/elf.h"
#include "tap.h"

#include <elf.h>

static char fixtures[4096];

static struct elf *open_fixture(struct str name)
{
	char path[8192];
	struct err e;
	snprintf(path, sizeof(path), "%s/%.*s", fixtures, STR_ARG(name));
	return elf_open(path, &e);
}

/* --- against expected.txt --- */

static struct str take_line(struct str *text)
{
	ptrdiff_t end = str_find_char(*text, '\n');
	struct str line = end < 0 ? *text : str_first(*text, (size_t)end);
	*text = str_from_byte(*text, line.n + 1);
	return line;
}

static void add_frames(struct buf *to, struct debug_info *d, uint64_t address)
{
	const struct debug_frame *frames;
	uint32_t n = debug_info_find(d, address, &frames);
	if (!n)
		buf_add(to, STR("\t?? ??:0\n"));
	for (uint32_t i = 0; i < n; i++)
		buf_addf(to, "\t%.*s %.*s:%u\n",
			 STR_ARG(frames[i].name.n ? frames[i].name : STR("??")),
			 STR_ARG(frames[i].file.n ? frames[i].file : STR("??")), frames[i].line);
}

/* All answers about one file: `NAME ADDRESS`, then a line for each frame. */
static void check_file(struct str name, struct str *text)
{
	AUTO(buf) struct buf got = { 0 };
	struct elf *elf = open_fixture(name);
	struct debug_info *d = elf ? debug_info_new(elf) : NULL;
	struct str rest = *text, line;
	const char *start = text->p;
	while (d && rest.n && (line = take_line(&rest)).n > name.n && str_starts(line, name) &&
	       line.p[name.n] == ' ') {
		uint64_t address = strtoull(line.p + name.n + 1, NULL, 16);
		buf_addf(&got, "%.*s\n", STR_ARG(line));
		add_frames(&got, d, address);
		while (rest.n && rest.p[0] == '\t')
			take_line(&rest);
		*text = rest;
	}
	tap_str_eq(buf_str(&got), (struct str){ start, (size_t)(text->p - start) },
		   "%.*s: as addr2line says", STR_ARG(name));
	debug_info_free(d);
	elf_free(elf);
}

static void test_expected(void)
{
	char path[8192];
	struct err e;
	struct mapping mapping = { 0 };
	snprintf(path, sizeof(path), "%s/expected.txt", fixtures);
	FILE *file = fopen(path, "r");
	if (!file || !mapping_init(&mapping, fileno(file), path, &e)) {
		tap_ok(false, "expected.txt can be read");
		return;
	}
	struct str text = mapping.bytes;
	uint32_t files = 0;
	while (text.n) {
		const char *before = text.p;
		check_file(str_first(text, (size_t)str_find_char(text, ' ')), &text);
		if (text.p == before)
			break;
		files++;
	}
	tap_num_eq(files, 19, "every file was looked at");
	mapping_fini(&mapping);
	fclose(file);
}

/* --- single answers --- */

static void test_details(void)
{
	const struct debug_frame *f, *again;
	struct elf *elf = open_fixture(STR("cpp-gcc"));
	struct debug_info *d = debug_info_new(elf);
	tap_num_eq(debug_info_find(d, 0x40101b, &f), 2, "a lambda in a function");
	tap_str_eq(f[1].name, STR("app::with_lambda::{lambda}::operator()"), "what it is in");
	tap_num_eq(debug_info_find(d, 0x40104b, &f), 2, "_start with a method in it");
	tap_ok(!f[0].is_linkage_name && f[1].is_linkage_name, "which names are the linker's");
	tap_num_eq(f[0].declared_line, 47, "where _start begins");
	tap_num_eq(f[1].declared_line, 11, "where the method begins");
	tap_num_eq(f[0].column, 16, "column of the call");
	tap_num_eq(f[1].column, 26, "column of the code");
	debug_info_find(d, 0x40104b, &again);
	tap_ok(again == f, "the same answer is not made again");
	tap_num_eq(debug_info_find(d, 0x10, &f), 0, "an address outside of the code");
	tap_ok(!debug_info_gave_up(d), "that was not too much");
	debug_info_free(d);
	elf_free(elf);
}

static void test_no_code(void)
{
	struct elf *elf = open_fixture(STR("shared-common"));
	tap_ok(elf && !debug_info_new(elf), "entries that several files share are of no code");
	elf_free(elf);
}

/* --- damage --- */

static uint32_t count_known(struct str bytes)
{
	struct err e;
	const struct debug_frame *f;
	struct elf *elf = elf_of_memory(bytes, "damaged", &e);
	struct debug_info *d = elf ? debug_info_new(elf) : NULL;
	uint32_t known = 0;
	for (uint64_t a = 0x401000; d && a < 0x401098; a += 3)
		known += debug_info_find(d, a, &f) != 0;
	debug_info_free(d);
	elf_free(elf);
	return known;
}

static void test_damage(const char *name)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct elf *elf = open_fixture(str_from(name));
	size_t n = elf->bytes.n;
	uint32_t whole = count_known(elf->bytes), hurt = 0, cut = 0;
	AUTO_FREE char *bytes = mem_alloc(n, 1);
	for (size_t i = 0; i < n; i += 5) {
		memcpy(bytes, elf->bytes.p, n);
		bytes[i] = (char)values[i % 5 ? i % 5 : i / 5 % 5];
		hurt += count_known((struct str){ bytes, n }) < whole;
	}
	for (size_t i = 0; i < n; i += 31)
		cut += count_known((struct str){ elf->bytes.p, i }) < whole;
	tap_ok(whole && hurt && cut, "%s: damaged or cut, it says less (%u of %u answers)", name,
	       hurt, whole);
	elf_free(elf);
}

/* --- too much work --- */

enum { UNITS = 3000, ABBREVIATIONS = 8000 };

/* Units with one entry each that share an endless table of abbreviations, from other places. */
static void add_hostile_units(struct buf *info, struct buf *abbreviations)
{
	for (uint32_t i = 0; i < UNITS; i++) {
		uint32_t length = 8;
		uint16_t version = 4;
		uint32_t offset = i * 5;
		buf_add(info, (struct str){ (const char *)&length, 4 });
		buf_add(info, (struct str){ (const char *)&version, 2 });
		buf_add(info, (struct str){ (const char *)&offset, 4 });
		buf_add(info, (struct str){ "\x08\x01", 2 });
	}
	for (uint32_t i = 0; i < ABBREVIATIONS; i++)
		buf_add(abbreviations, (struct str){ "\x01\x11\x00\x00\x00", 5 });
}

static void add_section(struct buf *elf, Elf64_Shdr *header, uint32_t name, struct str content)
{
	header->sh_name = name;
	header->sh_type = SHT_PROGBITS;
	header->sh_offset = elf->n;
	header->sh_size = content.n;
	buf_add(elf, content);
}

static void make_elf(struct buf *elf, struct str info, struct str abbreviations)
{
	Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			 .e_type = ET_EXEC,
			 .e_machine = EM_X86_64,
			 .e_phoff = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 4,
			 .e_shstrndx = 3 };
	Elf64_Phdr segment = {
		.p_type = PT_LOAD, .p_flags = PF_X, .p_vaddr = 4096, .p_memsz = 4096
	};
	Elf64_Shdr sections[4] = { 0 };
	elf->n = 0;
	buf_add(elf, (struct str){ (const char *)&h, sizeof(h) });
	buf_add(elf, (struct str){ (const char *)&segment, sizeof(segment) });
	add_section(elf, &sections[1], 1, info);
	add_section(elf, &sections[2], 13, abbreviations);
	add_section(elf, &sections[3], 0, STR("\0.debug_info\0.debug_abbrev\0"));
	h.e_shoff = elf->n;
	buf_add(elf, (struct str){ (const char *)sections, sizeof(sections) });
	memcpy(elf->p, &h, sizeof(h));
}

static void test_budget(void)
{
	AUTO(buf) struct buf info = { 0 }, abbreviations = { 0 }, bytes = { 0 };
	const struct debug_frame *f;
	struct err e;
	add_hostile_units(&info, &abbreviations);
	make_elf(&bytes, buf_str(&info), buf_str(&abbreviations));
	struct elf *elf = elf_of_memory(buf_str(&bytes), "hostile", &e);
	struct debug_info *d = debug_info_new(elf);
	tap_ok(d && !debug_info_gave_up(d), "a file that will be too much is opened");
	tap_num_eq(debug_info_find(d, 5000, &f), 0, "it has no answer");
	tap_ok(debug_info_gave_up(d), "it says that it gave up");
	tap_num_eq(debug_info_find(d, 5001, &f), 0, "nor is it asked again");
	debug_info_free(d);
	elf_free(elf);
}

int main(int argc, char **argv)
{
	snprintf(fixtures, sizeof(fixtures), "%s/../fixtures/debug-info", argc > 1 ? argv[1] : ".");
	test_expected();
	test_details();
	test_no_code();
	test_damage("c-gcc-5");
	test_damage("c-gcc-4");
	test_damage("cpp-clang");
	test_budget();
	return tap_done();
}
