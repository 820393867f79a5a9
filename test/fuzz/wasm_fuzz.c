/* Any bytes as a module of WebAssembly in another process's memory, whole and cut. */
#include "fuzz.h"
#include "v8/wasm.h"

enum { BASE = 0x10000 };

struct fuzz_memory {
	struct memory memory; /* first */
	struct str bytes;
};

static bool read_bytes(struct memory *memory, uint64_t address, void *to, size_t n)
{
	const struct fuzz_memory *m = (const struct fuzz_memory *)memory;
	if (address < BASE || address - BASE > m->bytes.n || n > m->bytes.n - (address - BASE))
		return false;
	if (n)
		memcpy(to, m->bytes.p + (address - BASE), n);
	return true;
}

static void read_module(struct str bytes, uint64_t size)
{
	struct fuzz_memory m = { .memory = { .read = read_bytes }, .bytes = bytes };
	struct wasm_names names;
	if (wasm_names_read(&m.memory, BASE, size, &names))
		for (uint32_t i = 0; i < names.imports + names.functions; i++)
			if (names.names[i].n > bytes.n)
				abort();
	wasm_names_fini(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct str bytes = { (const char *)data, n };
	read_module(bytes, n);
	read_module(bytes, UINT32_MAX);
	read_module(str_first(bytes, n / 2), n);
	return 0;
}
