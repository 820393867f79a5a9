/* A tree as JSON that d3-flame-graph draws as it is; doc/formats/json.md. */
#pragma once
#include "query/query.h"

struct json_tree_options {
	const struct profile
		*profile; /* what the tree was made of: names its event, and its ledger */
	const struct query_ledger *shown; /* what query_tree said of it */
};

/*
 * Root first: {"name":"all","value":12,"children":[...]}, and with each node its own share ("self"), its
 * kind, whose code it is, and its module, where they are known. A tree of two values (before and after)
 * has the second as value and the difference as "delta".
 */
void sink_json_tree(const struct tree *t, const struct json_tree_options *o, struct writer *out);
