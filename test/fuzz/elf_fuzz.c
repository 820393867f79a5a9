/* An ELF file from anywhere: its sections, build id, symbols and stubs, what it exports, and code that is copied. */
#include "elf/elf.h"
#include "fuzz.h"
#include "symbol/symbol.h"
#include "unwind/unwind.h"

/* Reads all of it, so that ASan sees what is not there. */
static void touch(struct str bytes)
{
	if (hash_str(bytes) == 1 && bytes.n == 1)
		abort();
}

static void look_up(struct binary *b, uint64_t address)
{
	struct binary_symbol found;
	uint64_t start;
	if (binary_find_start(b, address, &start) && start > address)
		abort();
	if (!binary_find_symbol(b, address, &found))
		return;
	if (!found.name.n || found.start > address)
		abort();
	touch(found.name);
}

static void visit_sections(struct binary *b, struct elf *elf)
{
	uint64_t address;
	touch(elf->build_id);
	for (uint32_t i = 0; i < elf->sections.n && i < 64; i++) {
		const struct elf_section *s = &elf->sections.p[i];
		touch(s->name);
		touch(elf_section_bytes(elf, s));
		look_up(b, s->address);
		look_up(b, s->address + s->size_bytes / 2);
		look_up(b, s->address + s->size_bytes - 1);
		if (elf_address_of_offset(elf, s->offset, &address))
			look_up(b, address);
	}
	look_up(b, elf_base_address(elf));
}

/* As CPython's trampoline is found (perf/copied.c); `first` and `last` are what some of the corpus export. */
static void look_for_copied(struct elf *elf)
{
	static const struct str names[][2] = {
		{ STR("_Py_trampoline_func_start"), STR("_Py_trampoline_func_end") },
		{ STR("first"), STR("last") },
		{ STR(""), STR("main") },
	};
	uint64_t start, end;
	struct unwind_copied copied;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!elf_find_exported(elf, names[i][0], &start) ||
		    !elf_find_exported(elf, names[i][1], &end))
			continue;
		struct str code = elf_bytes_between(elf, start, end);
		touch(code);
		if (unwind_copied_read(elf->machine, code, &copied) &&
		    (!(copied.depths >> copied.call_depth & 1) ||
		     copied.depths >> UNWIND_COPIED_WORDS))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct symbol_options options;
	struct binary_id id = { .path = STR("/fuzz") };
	AUTO(buf) struct buf reason = { 0 }, fix = { 0 };
	struct binary *b =
		binary_of_memory(&id, (struct str){ (const char *)data, size }, &options);
	/* Each other input is one that costs too much at some point. */
	if (binary_code(b) && size % 2)
		binary_code(b)->budget.most_held_bytes = binary_code(b)->budget.most_work_bytes =
			size;
	if (binary_code(b)) {
		visit_sections(b, binary_code(b));
		look_for_copied(binary_code(b));
	}
	for (uint64_t address = 0x20000; address < 0x20100; address += 12)
		look_up(b, address);
	look_up(b, 0);
	look_up(b, UINT64_MAX);
	binary_explain(b, &reason, &fix);
	if ((binary_trouble_of(b) == BINARY_FINE) != (reason.n == 0))
		abort();
	binary_free(b);
	return 0;
}
