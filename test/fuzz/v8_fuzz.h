/* What the input of v8_fuzz begins with, and where its parts are in memory. */
#pragma once
#include "../unit/v8_heap.h"

enum {
	FUZZ_PAGE = 4096,
	FUZZ_STACK = 0x7000000,
	FUZZ_HEAP = HEAP_BASE,
	FUZZ_HEAP_BYTES = 64 * FUZZ_PAGE,
	FUZZ_CODE = HEAP_CODE,
	FUZZ_CODE_BYTES = 640 * FUZZ_PAGE,
	FUZZ_BUILTINS = HEAP_BUILTINS,
};

enum { FUZZ_REPEATS = 1, FUZZ_SHARED = 2, FUZZ_FORGETS = 4, FUZZ_ENDS = 8 };

struct fuzz_head {
	uint8_t version, options, gone, unused;
	uint16_t stack_words, heap_words;
	uint64_t pc, fp, di, cx, r9;
};
