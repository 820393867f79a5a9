/* A program from anywhere: what it is, how its functions begin; its bytes as a command line and variables, too. */
#include "fuzz.h"
#include "process/runtime_int.h"
#include "target/target.h"

static void read_program(struct str bytes)
{
	struct err e = { 0 };
	struct runtime r = { 0 };
	struct elf *elf = elf_of_memory(bytes, "fuzz", &e);
	runtime_of_program(elf, STR("fuzz"), &r);
	for (size_t i = 0; i < r.version.n; i++)
		if (!is_digit(r.version.p[i]) && r.version.p[i] != '.')
			abort();
	frame_pointers_of(elf);
	elf_free(elf);
	runtime_fini(&r);
}

static void read_flags(struct str bytes)
{
	for (enum runtime_kind kind = RUNTIME_NATIVE; kind < RUNTIMES; kind++) {
		struct runtime r = { .kind = kind };
		runtime_take_flags(str_first(bytes, bytes.n / 2), str_from_byte(bytes, bytes.n / 2),
				   &r);
		if (kind == RUNTIME_NATIVE && r.has_map_flag)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	read_program(bytes);
	read_flags(bytes);
	return 0;
}
