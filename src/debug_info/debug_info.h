/* What a program's file says of its own code: DWARF, ranges of functions in .eh_frame, Go's own table. */
#pragma once
#include "debug_info/function_ranges.h"
#include "debug_info/go_table.h"
#include "debug_info/lookup.h"
