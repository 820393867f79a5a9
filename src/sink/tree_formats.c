/* Formats that hold a tree of sums: folded stacks and JSON for d3-flame-graph. */
#include "sink/json_tree.h"
#include "sink/profile_format.h"
#include "sink/sink.h"

/* One event has one unit; the others are named. */
static void note_other_events(const struct profile *p, const struct query_ledger *l,
			      const char *title, struct buf *notes)
{
	if (!l->other_events || p->is_differential)
		return;
	buf_addf(notes,
		 "%s hold one event: %.*s was written (--where event=NAME chooses another)\n",
		 title, STR_ARG(profile_str(p, p->events.p[l->event].name)));
}

static void write_folded(const struct profile *p, const struct profile_format_options *o,
			 struct writer *out, struct buf *notes)
{
	struct query_ledger ledger;
	struct err e = { 0 };
	(void)o;
	struct tree *tree = query_tree(p, &(struct query){ 0 }, &ledger, &e);
	if (tree) {
		sink_folded(tree, out);
		note_other_events(p, &ledger, "folded stacks", notes);
	}
	tree_free(tree);
}

const struct profile_format folded_sink = {
	.name = "folded",
	.title = "folded stacks",
	.endings = { ".folded" },
	.write = write_folded,
};

static void write_json_tree(const struct profile *p, const struct profile_format_options *o,
			    struct writer *out, struct buf *notes)
{
	struct query_ledger ledger;
	struct err e = { 0 };
	(void)o;
	struct tree *tree = query_tree(p, &(struct query){ .by_kind = true }, &ledger, &e);
	if (tree) {
		sink_json_tree(tree, &(struct json_tree_options){ p, &ledger }, out);
		note_other_events(p, &ledger, "JSON trees", notes);
	}
	tree_free(tree);
}

const struct profile_format json_tree_sink = {
	.name = "json",
	.title = "JSON tree",
	.endings = { ".json" },
	.write = write_json_tree,
};
