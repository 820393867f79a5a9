/* Formats that hold a tree of sums: folded stacks and JSON for d3-flame-graph. */
#include "sink/json_tree.h"
#include "sink/profile_format.h"
#include "sink/sink.h"

static void write_folded(const struct tree *t, const struct profile *p,
			 const struct query_ledger *ledger, struct writer *out)
{
	(void)p;
	(void)ledger;
	sink_folded(t, out);
}

const struct profile_format folded_sink = {
	.name = "folded",
	.title = "folded stacks",
	.endings = { ".folded" },
	.write_tree = write_folded,
};

static void write_json_tree(const struct tree *t, const struct profile *p,
			    const struct query_ledger *ledger, struct writer *out)
{
	sink_json_tree(t, &(struct json_tree_options){ p, ledger }, out);
}

const struct profile_format json_tree_sink = {
	.name = "json",
	.title = "JSON trees",
	.endings = { ".json" },
	.by_kind = true,
	.write_tree = write_json_tree,
};
