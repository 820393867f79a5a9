/* What JIT compilers write about the code they generate: perf maps and jitdumps. */
#pragma once
#include "jit/jitdump.h"
#include "jit/perf_map.h"
