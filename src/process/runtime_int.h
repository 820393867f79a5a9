/* What the table of runtimes is made of. */
#pragma once
#include "process/runtime.h"

void runtime_take_node_flag(struct str word, struct str next, struct runtime *r);
void runtime_take_jvm_flag(struct str word, struct str next, struct runtime *r);
void runtime_take_python_flag(struct str word, struct str next, struct runtime *r);
/* Flags from texts as they are in /proc: words that end in NUL. */
void runtime_take_flags(struct str cmdline, struct str variables, struct runtime *r);
/* Bytes of a section, not too many; empty: there is none. elf may be NULL. */
struct str runtime_section(struct elf *elf, const char *name);
