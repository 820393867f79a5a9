#pragma once
#include "target/mapping.h"
#include "target/runtime.h"

/* libjvm.so is mapped, executable. */
bool runtime_has_libjvm(int32_t pid);
/* Flags of a process whose kind is known: from its command line and its environment. */
void runtime_read_flags(int32_t pid, struct runtime *r);
/* The same from texts as they are in /proc: words that end in NUL. */
void runtime_take_flags(struct str cmdline, struct str variables, struct runtime *r);

/* The path without ` (deleted)`. */
struct str mapping_path(const struct target_mapping *m);

/* --- the first instructions of functions --- */

enum prologue {
	PROLOGUE_NONE, /* no frame of its own, or begins with something else */
	PROLOGUE_KEEPS_FRAME_POINTER,
	PROLOGUE_OMITS_FRAME_POINTER,
};
enum { PROLOGUE_BYTES = 48 }; /* so many of a function are looked at */
enum prologue prologue_x86_64(struct str code);
