/*
 * Matches functions of BEFORE to those of AFTER. Code is edited between two recordings: lines move,
 * packages get new versions, files are renamed. A function with a place is identified by name and
 * file; lines only tell apart functions that are otherwise alike.
 */
#pragma once
#include "model/model.h"

/*
 * BEFORE with its functions renamed as in AFTER; the caller frees it. NULL if all names match
 * already. The new tree owns its texts.
 */
struct tree *tree_named_like(const struct tree *before, const struct tree *after);
