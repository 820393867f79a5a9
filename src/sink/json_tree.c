#include "sink/json_tree.h"
#include "sink/json_parts.h"

struct tree_out {
	const struct tree *t;
	const struct json_tree_options *options;
	struct json_pieces out;
	unsigned value; /* the column that is the value: the last */
};

static void add_number(struct tree_out *o, const char *key, uint64_t value)
{
	json_add_key(&o->out.text, key);
	buf_add_decimal(&o->out.text, value, o->t->decimals);
}

static void add_delta(struct tree_out *o, uint64_t from, uint64_t to)
{
	json_add_key(&o->out.text, "delta");
	if (to < from)
		buf_add_char(&o->out.text, '-');
	buf_add_decimal(&o->out.text, to < from ? from - to : to - from, o->t->decimals);
}

/* How the tree came to be: event, unit, and what became of the samples. */
static void add_origin(struct tree_out *o)
{
	struct buf *out = &o->out.text;
	const struct profile *p = o->options->profile;
	const struct query_ledger *shown = o->options->shown;
	json_add_key(out, "plume");
	buf_add_char(out, '{');
	json_add_member(out, "version", STR(PLUME_VERSION));
	if (p && shown && shown->event < p->events.n) {
		const struct event *e = &p->events.p[shown->event];
		json_add_member(out, "event", profile_str(p, e->name));
		json_add_member(out, "unit",
				shown->is_in_periods ? profile_str(p, e->unit) : STR("samples"));
	}
	if (shown) {
		json_add_number_member(out, "samples", shown->samples_in);
		json_add_number_member(out, "shown", shown->shown);
	}
	if (p) {
		json_add_key(out, "ledger");
		buf_add_char(out, '{');
		for (enum ledger_line line = 0; line < LEDGER_LINES; line++)
			if (p->ledger.count[line])
				json_add_number_member(out, ledger_line_name(line),
						       p->ledger.count[line]);
		buf_add_char(out, '}');
	}
	buf_add_char(out, '}');
}

static void add_node(struct tree_out *o, uint32_t node)
{
	const struct tree *t = o->t;
	const struct tree_label *label = tree_label_of(t, node);
	struct buf *out = &o->out.text;
	buf_add_char(out, '{');
	json_add_member(out, "name", label->name);
	add_number(o, "value", t->total[o->value][node]);
	if (t->self[o->value][node])
		add_number(o, "self", t->self[o->value][node]);
	if (t->value_count > 1)
		add_delta(o, t->total[0][node], t->total[1][node]);
	if (!label->is_process && label->kind != FRAME_USER)
		json_add_member(out, "kind", str_from(frame_kind_name(label->kind)));
	if (label->module.n)
		json_add_member(out, "module", label->module);
	if (node && (label->module.n || label->kind != FRAME_USER || label->is_process))
		json_add_member(out, "category", str_from(category_name(category_of_label(label))));
	if (node == 0)
		add_origin(o);
}

void sink_json_tree(const struct tree *t, const struct json_tree_options *options,
		    struct writer *writer)
{
	struct tree_out o = { t, options, { .out = writer }, t->value_count - 1 };
	struct buf *out = &o.out.text;
	for (uint32_t i = 0; i < t->n && writer_is_healthy(writer); i++) {
		add_node(&o, i);
		if (t->end[i] > i + 1) {
			buf_add(out, STR(",\"children\":[\n"));
		} else {
			uint32_t next_depth = i + 1 < t->n ? t->depth[i + 1] : 0;
			buf_add_char(out, '}');
			for (uint32_t d = t->depth[i]; d > next_depth; d--)
				buf_add(out, STR("]}"));
			if (i + 1 < t->n)
				buf_add(out, STR(",\n"));
		}
		json_pieces_flush(&o.out);
	}
	buf_add_char(out, '\n');
	json_pieces_fini(&o.out);
}
