/*
 * Functions at addresses: of a program or library that was mapped (finding its file, its symbols, its debug file), of
 * the kernel, of a process's own code by its map. Where the files of a process are.
 */
#pragma once
#include "symbol/binary.h"
#include "symbol/kernel.h"
#include "symbol/options.h"
#include "symbol/process_files.h"
#include "symbol/vdso.h"
