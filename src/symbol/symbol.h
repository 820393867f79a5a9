/*
 * Names for addresses, and names made readable: ELF symbols, debug files, DWARF lines and inlines, the
 * kernel's symbols, maps of JIT compilers, demangling; lengths of instructions.
 */
#pragma once
#include "symbol/binary.h"
#include "symbol/debug_info.h"
#include "symbol/elf.h"
#include "symbol/go_table.h"
#include "symbol/instruction.h"
#include "symbol/jitdump.h"
#include "symbol/kernel.h"
#include "symbol/name.h"
#include "symbol/options.h"
#include "symbol/perf_map.h"
#include "symbol/process_files.h"
#include "symbol/vdso.h"
