/* What JIT compilers write about the code that they made: perf maps and jitdumps. */
#pragma once
#include "jit/jitdump.h"
#include "jit/perf_map.h"
