/* A tree as JSON that d3-flame-graph draws as it is; doc/formats/json.md. */
#include "sink/json_parts.h"
#include "sink/profile_format.h"

struct tree_out {
	const struct tree *t;
	const struct profile
		*profile; /* what the tree was made of: names its event, and its ledger */
	const struct query_ledger *shown;
	struct json_out out;
	unsigned value; /* the column that is the value: the last */
};

static void add_delta(struct tree_out *o, uint64_t from, uint64_t to)
{
	struct buf *out = json_out_value(&o->out, "delta");
	if (to < from)
		buf_add_char(out, '-');
	buf_add_decimal(out, to < from ? from - to : to - from, o->t->decimals);
}

/* How the tree came to be: event, unit, and what became of the samples. */
static void add_origin(struct tree_out *o)
{
	struct json_out *j = &o->out;
	const struct profile *p = o->profile;
	const struct query_ledger *shown = o->shown;
	json_out_open(j, "plume", '{');
	json_out_string(j, "version", STR(PLUME_VERSION));
	if (shown->event < p->events.n) {
		const struct event *e = &p->events.p[shown->event];
		json_out_string(j, "event", profile_str(p, e->name));
		json_out_string(j, "unit",
				shown->is_in_periods ? profile_str(p, e->unit) : STR("samples"));
	}
	json_out_u64(j, "samples", shown->samples_in);
	json_out_u64(j, "shown", shown->shown);
	json_out_open(j, "ledger", '{');
	json_add_counts(j, &p->ledger);
	json_out_close(j, '}');
	json_out_close(j, '}');
}

static void add_node(struct tree_out *o, uint32_t node)
{
	const struct tree *t = o->t;
	const struct tree_label *label = tree_label_of(t, node);
	struct json_out *j = &o->out;
	uint64_t self = t->self[o->value][node];
	if (node)
		json_out_line(j);
	json_out_open(j, NULL, '{');
	json_out_string(j, "name", label->name);
	json_out_decimal(j, "value", t->total[o->value][node], t->decimals);
	if (self)
		json_out_decimal(j, "self", self, t->decimals);
	if (t->value_count > 1)
		add_delta(o, t->total[0][node], t->total[1][node]);
	if (!label->is_process && label->kind != FRAME_USER)
		json_out_string(j, "kind", str_from(frame_kind_name(label->kind)));
	if (label->module.n)
		json_out_string(j, "module", label->module);
	if (node && (label->module.n || label->kind != FRAME_USER || label->is_process))
		json_out_string(j, "category", str_from(category_name(category_of_label(label))));
	if (node == 0)
		add_origin(o);
}

/*
 * Root first: {"name":"all","value":12,"children":[...]}, and with each node its own share ("self"), its
 * kind, whose code it is, and its module, where they are known. A tree of two values (before and after)
 * has the second as value and the difference as "delta".
 */
static void write_tree(const struct tree *t, const struct profile *p,
		       const struct query_ledger *shown, struct writer *writer)
{
	struct tree_out o = {
		t, p, shown, { .out = writer, .strings = JSON_BYTES }, t->value_count - 1
	};
	for (uint32_t i = 0; i < t->n && writer_is_healthy(writer); i++) {
		add_node(&o, i);
		if (t->end[i] > i + 1) {
			json_out_open(&o.out, "children", '[');
			continue;
		}
		uint32_t next_depth = i + 1 < t->n ? t->depth[i + 1] : 0;
		json_out_close(&o.out, '}');
		for (uint32_t d = t->depth[i]; d > next_depth; d--) {
			json_out_close(&o.out, ']');
			json_out_close(&o.out, '}');
		}
	}
	json_out_end(&o.out);
}

const struct profile_format json_tree_sink = {
	.name = "json",
	.title = "JSON trees",
	.endings = { ".json" },
	.by_kind = true,
	.write_tree = write_tree,
};
