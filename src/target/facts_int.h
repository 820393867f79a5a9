#pragma once
#include "target/facts.h"

/* Finds its programs, libraries and jitdump. Returns false if permission is denied. */
bool facts_read_mapped(struct process_facts *f, struct process *p,
		       const struct symbol_options *options, struct err *e);
/* Finds its map and counts the rows. */
void facts_find_map(struct process_facts *f, struct process *p);
