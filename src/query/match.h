/*
 * Which function of BEFORE is which of AFTER. Between two recordings people edit: lines move, packages get another
 * version, files another name. A function with a place is known by its name and its file; lines only tell apart what is
 * otherwise alike.
 */
#pragma once
#include "model/model.h"

/*
 * BEFORE with its functions called as AFTER calls them; to be freed. NULL: all are called alike already. Texts are the
 * new tree's own.
 */
struct tree *tree_named_like(const struct tree *before, const struct tree *after);
