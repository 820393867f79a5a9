/* What a program is and how it was started, as far as it matters for what a profile of it shows. */
#pragma once
#include "elf/elf.h"
#include "symbol/symbol.h"
#include "target/mapping.h"

enum runtime_kind { RUNTIME_NATIVE, RUNTIME_NODE, RUNTIME_JVM, RUNTIME_PYTHON, RUNTIME_GO };

struct runtime {
	enum runtime_kind kind;
	struct buf version;	     /* `20.20.2`, `17.0.15`; empty: not known */
	bool is_in_library;	     /* Node: the program itself is small, as Debian's */
	bool has_map_flag;	     /* Node: --perf-basic-prof or its sister; Python: -X perf */
	bool has_jitdump_flag;	     /* Node: --perf-prof */
	bool has_interpreted_frames; /* Node: --interpreted-frames-native-stack */
	bool has_no_inlining;	     /* Node: --no-turbo-inlining */
	bool keeps_frame_pointers;   /* JVM: -XX:+PreserveFramePointer on its command line */
	bool has_no_attach;	     /* JVM: -XX:+DisableAttachMechanism */
};
/* Never fails: what cannot be found out is not known. Flags from cmdline and environment. */
void runtime_of_process(int32_t pid, struct runtime *out);
/* Kind and version alone, of a program by its file, which may be NULL, and its name. */
void runtime_of_program(struct elf *elf, struct str name, struct runtime *out);
void runtime_fini(struct runtime *r);

/* The file that is mapped there, opened in the process's own root and compared by inode. */
struct binary *runtime_open_mapping(int32_t pid, const struct target_mapping *m,
				    const struct symbol_options *options);

/* How the functions of a file begin. */
enum frame_pointer_use { FRAME_POINTERS_UNKNOWN, FRAME_POINTERS_KEPT, FRAME_POINTERS_OMITTED };
/*
 * Looks at the first instructions of a few hundred functions of its symbol table or .eh_frame; leaves
 * without a frame of their own do not count.
 */
enum frame_pointer_use frame_pointers_of(struct elf *elf);
