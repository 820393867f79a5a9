/* Recording, for the commands that record. */
#pragma once
#include "cmd/page_server.h"

/*
 * Runs `plume record` with these words. live: options of the page that shows the recording live;
 * NULL if there is none. Returns the exit code.
 */
int record_words(const struct command *self, char **words, size_t n,
		 const struct page_options *live);
