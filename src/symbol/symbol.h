/*
 * Finds functions by address: in a mapped program or library (its file, its symbols, its debug file), in the kernel,
 * and in a process's own code by its perf map. Also finds the files of a process.
 */
#pragma once
#include "symbol/binary.h"
#include "symbol/kernel.h"
#include "symbol/options.h"
#include "symbol/process_files.h"
#include "symbol/vdso.h"
