/* How the functions of a file begin. */
#pragma once
#include "elf/elf.h"

enum frame_pointer_use { FRAME_POINTERS_UNKNOWN, FRAME_POINTERS_KEPT, FRAME_POINTERS_OMITTED };
/*
 * Looks at the first instructions of a few hundred functions of its symbol table or .eh_frame; leaves
 * without a frame of their own do not count.
 */
enum frame_pointer_use frame_pointers_of(struct elf *elf);
