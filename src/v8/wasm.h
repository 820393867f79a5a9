/*
 * WebAssembly in a process with V8: finds the function and module of the code at an address. Code and modules are not
 * objects of the V8 heap, but of C++: a NativeModule has the module's bytes and a table of its WasmCode, each of
 * which points back to it. The position of that table differs between versions. plume searches for it, and trusts it
 * only if everything it leads to is consistent.
 */
#pragma once
#include "process/process.h"

/* Names in a module's bytes (wasm_bytes.c). */
struct wasm_names {
	uint32_t imports,
		/* Imported ones first; the module's own are numbered after them. */
		functions;
	struct str module; /* empty if it has no name */
	struct str *names; /* by number; empty if none */
	struct arena text;
};
void wasm_names_fini(struct wasm_names *n);
/* Returns false if these are not the bytes of a module, or incomplete. Skips damaged names. */
bool wasm_names_read(struct memory *memory, uint64_t address, uint64_t size, struct wasm_names *n);
