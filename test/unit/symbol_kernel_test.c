/* Functions of the kernel: from a copy of kallsyms, of the running kernel, and the vdso. */
#include "elf/elf.h"
#include "symbol/symbol.h"
#include "tap.h"

#include <sys/stat.h>
#include <unistd.h>

int main(void);

static char folder[] = "/tmp/plume-test-XXXXXX";

static void write_text(const char *text)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/kallsyms", folder);
	FILE *f = fopen(path, "w");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static const char text[] = "0000000000000000 A fixed_percpu_data\n"
			   "0000000000001000 A a_number\n"
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000100 t first\n"
			   "ffffffff81000200 T second\n"
			   "ffffffff81000200 W alias\n"
			   "ffffffff81000200 D data_there_too\n"
			   "ffffffff81000300 D data\n"
			   "ffffffff81000400 t after_data\n"
			   "ffffffff81000400 t $x\n"
			   "ffffffffc0102000 t late\t[mod_b]\n"
			   "ffffffffc0101000 t early\t[mod_b]\n"
			   "ffffffffc0100010 t of_a\t[mod_a]\n"
			   "ffffffff81ffff00 t bpf_prog_1_main\t[bpf]\n"
			   "rubbish\nffffffff8\n";

struct expected {
	uint64_t address;
	const char *name, *module;
};

static void check(struct kernel_symbols *k, const struct expected *want, const char *what)
{
	struct kernel_symbol found = { 0 };
	bool ok = kernel_symbols_find(k, want->address, &found);
	tap_str_eq(ok ? found.name : STR("-"), str_from(want->name), "%s: name of %llx", what,
		   (unsigned long long)want->address);
	tap_str_eq(found.module, str_from(want->module), "%s: module of %llx", what,
		   (unsigned long long)want->address);
}

static void check_copy(void)
{
	static const char kernel[] = "[kernel.kallsyms]";
	const struct expected cases[] = {
		{ 0x1000, "-", "" },
		{ 0xffffffff80ffffff, "-", "" },
		{ 0xffffffff81000000, "_text", kernel },
		{ 0xffffffff810001ff, "first", kernel },
		{ 0xffffffff810002ff, "alias", kernel },
		{ 0xffffffff81000300, "-", "" },
		{ 0xffffffff81000400, "after_data", kernel },
		{ 0xffffffff81001fff, "after_data", kernel },
		{ 0xffffffff81002000, "-", "" },
		{ 0xffffffff81ffff00, "bpf_prog_1_main", "[bpf]" },
		{ 0xffffffffc0100fff, "of_a", "[mod_a]" },
		{ 0xffffffffc0101fff, "early", "[mod_b]" },
		{ 0xffffffffc0102fff, "late", "[mod_b]" },
		{ 0xffffffffc0103000, "-", "" },
	};
	struct symbol_options options = { .symfs = folder };
	write_text(text);
	struct kernel_symbols *k = kernel_symbols_new(&(struct kernel_id){ 0 }, &options);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(k, &cases[i], "a copy");
	kernel_symbols_free(k);
}

static void check_shift(void)
{
	const struct expected cases[] = {
		{ 0xffffffff81000100, "-", "" },
		{ 0xffffffff91000100, "first", "[kernel.kallsyms]" },
	};
	struct symbol_options options = { .symfs = folder };
	struct kernel_id id = { .text_address = 0xffffffff91000000, .text_symbol = STR("_stext") };
	struct kernel_symbols *k = kernel_symbols_new(&id, &options);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(k, &cases[i], "another boot");
	kernel_symbols_free(k);
}

static void check_words(const struct kernel_id *id, const char *symfs, const char *want)
{
	AUTO(buf) struct buf reason = { 0 }, fix = { 0 };
	struct symbol_options options = { .symfs = symfs };
	struct kernel_symbol found;
	struct kernel_symbols *k = kernel_symbols_new(id, &options);
	tap_ok(!kernel_symbols_find(k, 0x1234, &found), "not found: %s", want);
	kernel_symbols_explain(k, &reason, &fix);
	tap_ok(str_find(buf_str(&reason), str_from(want)) >= 0, "in words: %.*s",
	       STR_ARG(buf_str(&reason)));
	tap_ok(fix.n > 0, "what helps: %.*s", STR_ARG(buf_str(&fix)));
	kernel_symbols_free(k);
}

static void check_reasons(void)
{
	struct kernel_id other = { .build_id = STR("another"), .release = STR("4.19.0") };
	check_words(&other, NULL, "recorded on another kernel (4.19.0) than");
	check_words(&other, folder, "the module or BPF program is gone");
	write_text("0000000000000000 T _text\n0000000000000000 T f\n");
	check_words(&other, folder, "recorded on another kernel (4.19.0) than");
}

/* This program as the kernel of another machine, with main as the symbol that it is moved by. */
static void check_vmlinux(void)
{
	struct err e = { 0 };
	char path[96], boot[64];
	struct elf *elf = elf_open("/proc/self/exe", &e);
	struct kernel_id id = { .build_id = elf ? elf->build_id : STR(""),
				.release = STR("4.19.0"),
				.text_address = 0xffffffff90000000,
				.text_symbol = STR("main") };
	uint64_t distance = (uint64_t)(uintptr_t)check_shift - (uint64_t)(uintptr_t)main;
	snprintf(boot, sizeof(boot), "%s/boot", folder);
	snprintf(path, sizeof(path), "%s/vmlinux-4.19.0", boot);
	mkdir(boot, 0755);
	tap_ok(elf && symlink("/proc/self/exe", path) == 0, "a file in boot");
	struct symbol_options options = { .symfs = folder };
	write_text("");
	struct kernel_symbols *k = kernel_symbols_new(&id, &options);
	check(k,
	      &(struct expected){ id.text_address + distance + 1, "check_shift",
				  "[kernel.kallsyms]" },
	      "vmlinux");
	kernel_symbols_free(k);
	id.build_id = STR("another");
	k = kernel_symbols_new(&id, &options);
	check(k, &(struct expected){ id.text_address + distance + 1, "-", "" },
	      "vmlinux of another build");
	kernel_symbols_free(k);
	elf_free(elf);
	unlink(path);
	rmdir(boot);
}

/* Only where it may be read: the address of a function that every kernel has. */
static void check_running(void)
{
	AUTO(buf) struct buf build_id = { 0 };
	struct symbol_options options = { .is_of_this_machine = true };
	unsigned long long address = 0;
	char line[1024], name[512];
	FILE *f = fopen("/proc/kallsyms", "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %511s", &address, name) == 2 &&
		    strcmp(name, "schedule") == 0)
			break;
	if (f)
		fclose(f);
	kernel_running_build_id(&build_id);
	if (!address || !build_id.n)
		return;
	struct kernel_id id = { .build_id = buf_str(&build_id) };
	struct kernel_symbols *k = kernel_symbols_new(&id, &options);
	check(k, &(struct expected){ address + 1, "schedule", "[kernel.kallsyms]" }, "running");
	kernel_symbols_free(k);
}

static void check_vdso(void)
{
	struct str image;
	struct err e = { 0 };
	if (!vdso_image(&image))
		return;
	struct elf *elf = elf_of_memory(image, "[vdso]", &e);
	tap_ok(elf && elf->build_id.n && elf_find_section(elf, STR(".dynsym")),
	       "the vdso is an ELF image with names: %s", e.text);
	elf_free(elf);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	check_copy();
	check_shift();
	check_reasons();
	check_vmlinux();
	check_running();
	check_vdso();
	char path[64];
	snprintf(path, sizeof(path), "%s/kallsyms", folder);
	unlink(path);
	rmdir(folder);
	return tap_done();
}
