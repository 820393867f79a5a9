/*
 * WebAssembly in a process with V8: which function of which module the code at an address is of. Code and modules are no
 * objects of V8's heap, but of C++: a NativeModule has the module's bytes and a table of its WasmCode, each of which
 * points back to it. Where that table is differs from version to version; it is looked for, and believed only if all that
 * it leads to fits together.
 */
#pragma once
#include "process/process.h"

/* Names in a module's bytes (wasm_bytes.c). */
struct wasm_names {
	uint32_t imports,
		functions; /* imported ones, and its own, which are numbered behind them */
	struct str module; /* empty: it has no name */
	struct str *names; /* by number; empty: none */
	struct arena text;
};
void wasm_names_fini(struct wasm_names *n);
/* False: these are no module's bytes, or not all there. What of the names is damaged is left out. */
bool wasm_names_read(struct memory *memory, uint64_t address, uint64_t size, struct wasm_names *n);
