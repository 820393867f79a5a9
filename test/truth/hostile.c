/*
 * Programs that cost whoever names their functions far more than they cost themselves. The first word says how:
 *   jitdump FOLDER       a jitdump of 12 KB on disk, whose six tables of lines are 512 MB each, most of it holes
 *   map sparse|packed    a map of JIT code of 8 GB of holes, or of 2 MB that unpack to 60 GB
 *   lib KIND FILE        a library that is mapped and runs: `unpacked`: five sections of debug information that
 *                        unpack to 1 GB each; `symbols`, `frames`: a table of 8 GB of holes; `many`: 5 million symbols; and an honest one, `large`: the function f, and 2 GB of debug information
 * They say `ready` when they run, and use a fifth of a CPU until they are ended, for 60 s of CPU time at most.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { PAGE = 4096, CODE_AT = PAGE, SECTIONS = 8 };
#define GB ((uint64_t)1 << 30)

static double used_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void check(int is_good, const char *what)
{
	if (!is_good) {
		perror(what);
		exit(1);
	}
}

static int make_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);
	check(fd >= 0, path);
	return fd;
}

static void put(int fd, uint64_t at, const void *p, size_t n)
{
	check(pwrite(fd, p, n, (off_t)at) == (ssize_t)n, "write");
}

/* --- code that runs --- */

/* lea -1(%rdi), %rdi; test %rdi, %rdi; jne; ret */
static const unsigned char loop[] = { 0x48, 0x8d, 0x7f, 0xff, 0x48, 0x85, 0xff, 0x75, 0xf7, 0xc3 };

static int run(void *code)
{
	void (*count_down)(unsigned long) = (void (*)(unsigned long))code;
	struct timespec pause = { 0, 20000000 };
	puts("ready");
	fflush(stdout);
	while (used_s() < 60) {
		count_down(10000000);
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int run_in_memory(void)
{
	void *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(code != MAP_FAILED, "mmap");
	memcpy(code, loop, sizeof(loop));
	return run(code);
}

/* --- jitdump: a head, then records: id, size, time (two words) and what they hold --- */

static int jitdump(const char *folder)
{
	enum { TABLES = 6, DEBUG_INFO = 2 };
	uint32_t head[10] = { 0x4a695444, 1, 40, EM_X86_64, 0, (uint32_t)getpid() };
	char path[4096];
	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, getpid());
	int fd = make_file(path);
	put(fd, 0, head, sizeof(head));
	for (uint64_t i = 0; i < TABLES; i++) {
		uint32_t record[8] = { DEBUG_INFO, 512u << 20, 1, 0, 0, 0, 30000000, 0 };
		put(fd, sizeof(head) + (i << 29), record, sizeof(record));
	}
	check(ftruncate(fd, (off_t)(sizeof(head) + TABLES * GB / 2)) == 0, "ftruncate");
	check(mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED, "mmap");
	return run_in_memory();
}

/* --- maps --- */

/* zstd (RFC 8878): a frame with a window of 128 KB, and blocks of one byte that is repeated. */
static void write_packed(FILE *f)
{
	static const unsigned char head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38 };
	enum { BLOCK = 128 << 10, RLE = 1 };
	uint64_t blocks = 60 * GB / BLOCK;
	fwrite(head, 1, sizeof(head), f);
	for (uint64_t i = 0; i < blocks; i++) {
		uint32_t block = (i + 1 == blocks) | RLE << 1 | (uint32_t)BLOCK << 3;
		fwrite(&block, 1, 3, f);
		fputc(i % 2 ? '0' : '\n', f);
	}
}

static int map(const char *how)
{
	char path[64];
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	if (strcmp(how, "packed") == 0) {
		FILE *f = fopen(path, "w");
		check(f != NULL, path);
		write_packed(f);
		check(fclose(f) == 0, path);
	} else {
		check(ftruncate(make_file(path), (off_t)(8 * GB)) == 0, "ftruncate");
	}
	return run_in_memory();
}

/* --- libraries --- */

struct library {
	int fd;
	uint64_t end; /* of the file so far, without holes */
	char names[256];
	uint32_t name_bytes;
	Elf64_Shdr sections[SECTIONS];
	unsigned n;
};

static void add_section(struct library *l, const char *name, Elf64_Shdr section)
{
	section.sh_name = l->name_bytes;
	l->name_bytes += (uint32_t)strlen(strcpy(l->names + l->name_bytes, name)) + 1;
	l->sections[l->n++] = section;
}

/*
 * `pieces` times 16 MB, which consist of n bytes again and again, as zlib packs them: blocks that do not refer to
 * what is before them follow each other as often as wanted.
 */
static uint64_t put_packed(struct library *l, const void *p, size_t n, unsigned pieces)
{
	enum { MOST = 16 << 20 };
	const size_t piece = MOST - MOST % n;
	unsigned char *plain = malloc(MOST), *packed = malloc(MOST);
	z_stream z = { 0 };
	for (size_t at = 0; at < piece; at++)
		plain[at] = ((const unsigned char *)p)[at % n];
	deflateInit2(&z, 1, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
	z.next_in = plain;
	z.avail_in = (uInt)piece;
	z.next_out = packed;
	z.avail_out = MOST;
	deflate(&z, Z_FULL_FLUSH);
	Elf64_Chdr head = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = (uint64_t)pieces * piece };
	uint64_t begin = l->end;
	uLong sum = adler32(0, NULL, 0);
	put(l->fd, l->end, &head, sizeof(head));
	put(l->fd, l->end + sizeof(head), "\x78\x9c", 2);
	l->end += sizeof(head) + 2;
	for (unsigned i = 0; i < pieces; i++) {
		put(l->fd, l->end, packed, z.total_out);
		l->end += z.total_out;
		sum = adler32_combine(i ? sum : adler32(0, NULL, 0),
				      adler32(adler32(0, NULL, 0), plain, (uInt)piece),
				      (z_off_t)piece);
	}
	uint32_t big = __builtin_bswap32((uint32_t)sum);
	put(l->fd, l->end, "\x03\x00", 2); /* a last block, with nothing in it */
	put(l->fd, l->end + 2, &big, 4);
	l->end += 6;
	deflateEnd(&z);
	free(plain);
	free(packed);
	return begin;
}

static void add_unpacked(struct library *l)
{
	static const char *const names[] = { ".debug_info", ".debug_abbrev", ".debug_line",
					     ".debug_str", ".debug_ranges" };
	uint64_t at = put_packed(l, "", 1, 64);
	for (unsigned i = 0; i < 5; i++)
		add_section(l, names[i],
			    (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
					  .sh_flags = SHF_COMPRESSED,
					  .sh_offset = at,
					  .sh_size = l->end - at });
}

static void add_holes(struct library *l, const char *name, uint32_t type)
{
	add_section(l, name,
		    (Elf64_Shdr){ .sh_type = type,
				  .sh_flags = type == SHT_PROGBITS ? SHF_ALLOC : 0,
				  .sh_addr = 16 * GB,
				  .sh_offset = l->end,
				  .sh_size = 8 * GB,
				  .sh_link = 1,
				  .sh_entsize = sizeof(Elf64_Sym) });
	check(ftruncate(l->fd, (off_t)(l->end + 8 * GB)) == 0, "ftruncate");
}

static void add_large(struct library *l)
{
	Elf64_Sym symbol = { .st_name = 1,
			     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			     .st_shndx = 2,
			     .st_value = CODE_AT,
			     .st_size = sizeof(loop) };
	put(l->fd, l->end, &symbol, sizeof(symbol));
	add_section(l, ".symtab",
		    (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
				  .sh_offset = l->end,
				  .sh_size = sizeof(symbol),
				  .sh_link = 1,
				  .sh_entsize = sizeof(symbol) });
	l->end += sizeof(symbol);
	/* One unit (DWARF 4, 7.5.1.1): its length, version, abbreviations, bytes of an address. */
	const unsigned char unit[] = { 0xfc, 0xff, 0xff, 0x7f, 4, 0, 0, 0, 0, 0, 8 };
	put(l->fd, l->end, unit, sizeof(unit));
	for (int i = 0; i < 2; i++)
		add_section(l, i ? ".debug_abbrev" : ".debug_info",
			    (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
					  .sh_offset = l->end,
					  .sh_size = 2 * GB });
	check(ftruncate(l->fd, (off_t)(l->end + 2 * GB)) == 0, "ftruncate");
}

static void add_many(struct library *l)
{
	Elf64_Sym symbol = { .st_name = 1,
			     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			     .st_shndx = 2,
			     .st_value = CODE_AT,
			     .st_size = sizeof(loop) };
	uint64_t at = put_packed(l, &symbol, sizeof(symbol), 8);
	add_section(l, ".symtab",
		    (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
				  .sh_flags = SHF_COMPRESSED,
				  .sh_offset = at,
				  .sh_size = l->end - at,
				  .sh_link = 1,
				  .sh_entsize = sizeof(symbol) });
}

static void add_kind(struct library *l, const char *kind)
{
	if (strcmp(kind, "unpacked") == 0)
		add_unpacked(l);
	else if (strcmp(kind, "symbols") == 0)
		add_holes(l, ".symtab", SHT_SYMTAB);
	else if (strcmp(kind, "frames") == 0)
		add_holes(l, ".eh_frame", SHT_PROGBITS);
	else if (strcmp(kind, "large") == 0)
		add_large(l);
	else
		add_many(l);
}

/* Section 1 has the names, section 2 the code. */
static void write_library(struct library *l, const char *kind)
{
	Elf64_Phdr segment = { .p_type = PT_LOAD,
			       .p_flags = PF_R | PF_X,
			       .p_offset = CODE_AT,
			       .p_vaddr = CODE_AT,
			       .p_filesz = PAGE,
			       .p_memsz = PAGE };
	Elf64_Ehdr h = { .e_ident = ELFMAG "\2\1\1",
			 .e_type = ET_DYN,
			 .e_machine = EM_X86_64,
			 .e_version = 1,
			 .e_phoff = sizeof(h),
			 .e_shoff = 512,
			 .e_phentsize = sizeof(segment),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shstrndx = 1 };
	l->end = (uint64_t)2 * CODE_AT;
	put(l->fd, CODE_AT, loop, sizeof(loop));
	put(l->fd, l->end - 1, "", 1);
	l->n = 1;
	l->name_bytes = 1;
	add_section(l, "f",
		    (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = 2048, .sh_size = 256 });
	add_section(l, ".text",
		    (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
				  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				  .sh_addr = CODE_AT,
				  .sh_offset = CODE_AT,
				  .sh_size = sizeof(loop) });
	add_kind(l, kind);
	h.e_shnum = (uint16_t)l->n;
	put(l->fd, 0, &h, sizeof(h));
	put(l->fd, sizeof(h), &segment, sizeof(segment));
	put(l->fd, h.e_shoff, l->sections, l->n * sizeof(*l->sections));
	put(l->fd, 2048, l->names, sizeof(l->names));
}

static int lib(const char *kind, const char *path)
{
	struct library l = { .fd = make_file(path) };
	write_library(&l, kind);
	char *code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, l.fd, CODE_AT);
	check(code != MAP_FAILED, "mmap");
	return run(code);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "jitdump") == 0)
		return jitdump(argv[2]);
	if (argc == 3 && strcmp(argv[1], "map") == 0)
		return map(argv[2]);
	if (argc == 4 && strcmp(argv[1], "lib") == 0)
		return lib(argv[2], argv[3]);
	fprintf(stderr, "usage: see the head of hostile.c\n");
	return 2;
}
