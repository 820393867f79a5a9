#pragma once
#include "target/facts.h"

/* Its programs, libraries and jitdump. False: they may not be seen. */
bool facts_read_mapped(struct process_facts *f, struct process *p,
		       const struct symbol_options *options, struct err *e);
/* Finds its map and counts what is in it. */
void facts_find_map(struct process_facts *f, struct process *p);
