/* Whether the functions of a file use frame pointers. */
#pragma once
#include "elf/elf.h"

enum frame_pointer_use { FRAME_POINTERS_UNKNOWN, FRAME_POINTERS_KEPT, FRAME_POINTERS_OMITTED };
/*
 * Checks the first instructions of a few hundred functions from its symbol table or .eh_frame. Leaf
 * functions without a frame do not count.
 */
enum frame_pointer_use frame_pointers_of(struct elf *elf);
