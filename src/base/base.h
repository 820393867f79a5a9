/* Everything the other modules stand on; nothing here knows what a profile is. */
#pragma once

#include "base/arena.h"
#include "base/banned.h"
#include "base/buf.h"
#include "base/child_map.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/index_map.h"
#include "base/mem.h"
#include "base/options.h"
#include "base/pair_map.h"
#include "base/reader.h"
#include "base/regex.h"
#include "base/scan.h"
#include "base/str.h"
#include "base/vec.h"
#include "base/writer.h"
