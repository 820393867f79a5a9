/* Recording, for the commands that do it. */
#pragma once
#include "cmd/page_server.h"

/*
 * Records what the words of `plume record` say. live: shows it on a page while it is recorded; NULL: does not. Returns the exit
 * code.
 */
int record_words(const struct command *self, char **words, size_t n,
		 const struct page_options *live);
