/* What a program's file says about its code: DWARF, function ranges from .eh_frame, and Go's own table. */
#pragma once
#include "debug_info/function_ranges.h"
#include "debug_info/go_table.h"
#include "debug_info/lookup.h"
