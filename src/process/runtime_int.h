/* Parts of the table of runtimes. */
#pragma once
#include "process/runtime.h"

void runtime_take_node_flag(struct str word, struct str next, struct runtime *r);
void runtime_take_jvm_flag(struct str word, struct str next, struct runtime *r);
void runtime_take_python_flag(struct str word, struct str next, struct runtime *r);
/* Reads flags from NUL-terminated words as in /proc. */
void runtime_take_flags(struct str cmdline, struct str variables, struct runtime *r);
/* The contents of a section, up to a limit; empty if there is none. elf may be NULL. */
struct str runtime_section(struct elf *elf, const char *name);
