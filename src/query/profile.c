/* The selected samples as a new profile, for formats that hold more than a tree. */
#include "query/query_int.h"

struct extract {
	const struct profile *from;
	const struct query *q;
	struct profile *to;
	struct growth *g;
	/* Ids in `to` by ids in `from`; INDEX_NONE until added. */
	uint32_t *strings, *frames, *nodes, *threads, *events, *label_sets;
	struct buf name;
};

/* Marks a stack that --root leaves out. No profile has this many nodes. */
static const uint32_t NODE_LEFT_OUT = INDEX_NONE - 1;

static void extract_init(struct extract *x, const struct profile *from, const struct query *q,
			 struct growth *g)
{
	*x = (struct extract){ .from = from, .q = q, .g = g, .to = profile_new(from->columns) };
	x->strings = index_none_alloc(from->strings.n);
	x->frames = index_none_alloc(from->frames.n);
	x->nodes = index_none_alloc(from->nodes.n);
	x->threads = index_none_alloc(from->threads.n);
	x->events = index_none_alloc(from->events.n);
	x->label_sets = index_none_alloc(from->label_sets.n);
	x->threads[THREAD_NONE] = THREAD_NONE;
	x->label_sets[LABELS_NONE] = LABELS_NONE;
}

static void extract_fini(struct extract *x)
{
	free(x->strings);
	free(x->frames);
	free(x->nodes);
	free(x->threads);
	free(x->events);
	free(x->label_sets);
	buf_fini(&x->name);
}

static str_id string_of(struct extract *x, str_id id)
{
	if (x->strings[id] == INDEX_NONE)
		x->strings[id] = profile_add_str(x->to, profile_str(x->from, id));
	return x->strings[id];
}

/* `JS:*f` becomes `JS:f`. */
static str_id name_without_tier(struct extract *x, const struct frame *f)
{
	struct str name = profile_str(x->from, f->name);
	ptrdiff_t mark = str_find_char(name, f->tier);
	if (mark < 0)
		return string_of(x, f->name);
	x->name.n = 0;
	buf_add(&x->name, str_first(name, (size_t)mark));
	buf_add(&x->name, str_from_byte(name, (size_t)mark + 1));
	return profile_add_str(x->to, buf_str(&x->name));
}

static frame_id stand_in_of(struct extract *x, enum category of)
{
	const struct stand_in *s = category_stand_in(of);
	return profile_add_frame(x->to, &(struct frame){ .name = profile_add_str(x->to, s->name),
							 .kind = (uint8_t)s->kind,
							 .flags = FRAME_FOLDED });
}

static frame_id frame_of(struct extract *x, frame_id id)
{
	enum category of;
	if (growth_is_stand_in(x->g, id, &of))
		return stand_in_of(x, of);
	if (x->frames[id] != INDEX_NONE)
		return x->frames[id];
	struct frame f = x->from->frames.p[id];
	bool loses_tier = x->q->merge_tiers && f.tier;
	f.name = loses_tier ? name_without_tier(x, &f) : string_of(x, f.name);
	f.tier = (char)(loses_tier ? 0 : f.tier);
	f.module = string_of(x, f.module);
	f.file = string_of(x, f.file);
	f.function_file = string_of(x, f.function_file);
	return x->frames[id] = profile_add_frame(x->to, &f);
}

static node_id node_of(struct extract *x, node_id id, uint64_t *gave_up)
{
	if (x->nodes[id] != INDEX_NONE)
		return x->nodes[id];
	node_id node = NODE_ROOT;
	const struct frame_path *path = &x->g->path;
	if (!growth_transform(x->g, id, gave_up))
		return x->nodes[id] = NODE_LEFT_OUT;
	for (uint32_t i = 0; i < path->n; i++)
		node = profile_add_node(x->to, node,
					frame_of(x, path->p[x->q->reverse ? path->n - 1 - i : i]));
	return x->nodes[id] = node;
}

static thread_id thread_of(struct extract *x, thread_id id)
{
	if (x->threads[id] != INDEX_NONE)
		return x->threads[id];
	struct thread t = x->from->threads.p[id];
	t.comm = string_of(x, t.comm);
	t.container = string_of(x, t.container);
	return x->threads[id] = profile_add_thread(x->to, t);
}

/* Adds all sets at once, because the rest of a set comes before it. */
static void add_label_sets(struct extract *x)
{
	for (uint32_t i = 1; i < x->from->label_sets.n; i++) {
		struct label_link link = x->from->label_sets.p[i];
		struct label label = x->from->labels.p[link.label];
		label.key = string_of(x, label.key);
		label.text = string_of(x, label.text);
		label.unit = string_of(x, label.unit);
		x->label_sets[i] = profile_add_label(x->to, x->label_sets[link.rest], label);
	}
}

/* Keeps the order of events, whichever sample comes first. */
static void add_events(struct extract *x, const bool *has_row)
{
	const struct samples *s = &x->from->samples;
	AUTO_FREE bool *is_used = mem_zalloc(x->from->events.n, sizeof(*is_used));
	for (uint32_t row = 0; row < s->n; row++)
		is_used[s->event[row]] |= has_row[row];
	for (uint32_t i = 0; i < x->from->events.n; i++) {
		struct event e = x->from->events.p[i];
		if (!is_used[i] && !x->from->is_differential)
			continue;
		e.name = string_of(x, e.name);
		e.unit = string_of(x, e.unit);
		x->events[i] = profile_add_event(x->to, e);
	}
}

static void add_row(struct extract *x, uint32_t row, struct query_ledger *ledger)
{
	const struct samples *s = &x->from->samples;
	node_id node = node_of(x, s->node[row], &ledger->gave_up);
	if (node == NODE_LEFT_OUT) {
		ledger_add(&ledger->not_under_root, s->count[row]);
		return;
	}
	ledger_add(&ledger->shown, s->count[row]);
	profile_add_sample(
		x->to, &(struct sample){
			       .node = node,
			       .thread = thread_of(x, s->thread[row]),
			       .event = x->events[s->event[row]],
			       .cpu = s->cpu ? s->cpu[row] : -1,
			       .labels = s->labels ? x->label_sets[s->labels[row]] : LABELS_NONE,
			       .time_ns = s->time_ns ? s->time_ns[row] : 0,
			       .count = s->count[row],
			       .period = s->period[row],
		       });
}

/* What happened while recording applies to all samples: for a selection it is reported as a fact, without a share. */
static void add_history(struct extract *x)
{
	AUTO(buf) struct buf text = { 0 };
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++) {
		uint64_t *count = &x->to->ledger.count[line];
		if (!*count || !ledger_line_is_of_recording(line))
			continue;
		text.n = 0;
		buf_addf(&text, "%s: ", ledger_line_name(line));
		buf_add_grouped(&text, *count);
		profile_add_fact(x->to, STR("when recorded"), buf_str(&text));
		*count = 0;
	}
}

/* Scales each file's unnamed frames, by reason, to those that remain. */
static void add_unnamed(struct extract *x, const bool *has_row)
{
	const struct profile *from = x->from;
	if (!from->unnamed.n)
		return;
	AUTO_FREE uint64_t *all = unnamed_by_module(from, NULL);
	AUTO_FREE uint64_t *left = unnamed_by_module(from, has_row);
	for (uint32_t i = 0; i < from->unnamed.n; i++) {
		struct unnamed u = from->unnamed.p[i];
		double share = all[u.module] ? (double)left[u.module] / (double)all[u.module] : 0;
		u.frames = (uint64_t)(share * (double)u.frames + 0.5);
		u.module = string_of(x, u.module);
		u.reason = string_of(x, u.reason);
		u.fix = string_of(x, u.fix);
		if (u.frames)
			profile_add_unnamed(x->to, u);
	}
}

/* Copies facts about the whole recording; its marks only if the whole time is selected. */
static void add_remarks(struct extract *x)
{
	const struct profile *from = x->from;
	for (uint32_t i = 0; i < from->marks.n && !x->q->times.n; i++) {
		struct mark m = from->marks.p[i];
		m.thread = thread_of(x, m.thread);
		m.kind = string_of(x, m.kind);
		m.text = string_of(x, m.text);
		profile_add_mark(x->to, m);
	}
	for (uint32_t i = 0; i < from->facts.n; i++)
		profile_add_fact(x->to, profile_str(from, from->facts.p[i].key),
				 profile_str(from, from->facts.p[i].text));
	for (uint32_t i = 0; i < from->modules.n; i++)
		profile_add_module(x->to,
				   (struct module){ string_of(x, from->modules.p[i].path),
						    string_of(x, from->modules.p[i].build_id) });
}

static void extract_all(struct extract *x, struct selection *s, struct query_ledger *ledger)
{
	const struct samples *rows = &x->from->samples;
	AUTO_FREE bool *has_row = mem_zalloc(rows->n, sizeof(*has_row));
	for (uint32_t row = 0; row < rows->n; row++) {
		ledger_add(&ledger->samples_in, rows->count[row]);
		has_row[row] = selection_has(s, row, ledger);
	}
	add_events(x, has_row);
	if (rows->labels)
		add_label_sets(x);
	for (uint32_t row = 0; row < rows->n; row++)
		if (has_row[row])
			add_row(x, row, ledger);
	add_remarks(x);
	x->to->is_differential = x->from->is_differential;
	memcpy(x->to->ledger.count, x->from->ledger.count, sizeof(x->to->ledger.count));
	add_unnamed(x, has_row);
	add_history(x);
	ledger->stacks = x->to->samples.n;
	profile_seal(x->to);
}

bool query_takes_everything(const struct query *q)
{
	return !(q->where.n || q->times.n || q->only.n || q->without.n || q->no_idle || q->root.n ||
		 q->skip_after.n || q->hide.n || q->merge_tiers || q->collapse_recursion ||
		 q->no_inlines || q->your_code || q->charge.n || q->fold.n || q->reverse);
}

static struct profile *everything(struct profile *p, struct query_ledger *ledger)
{
	for (uint32_t row = 0; row < p->samples.n; row++)
		ledger_add(&ledger->samples_in, p->samples.count[row]);
	ledger->shown = ledger->samples_in;
	ledger->stacks = p->samples.n;
	ledger->event = p->events.n == 1 ? 0 : INDEX_NONE;
	return profile_ref(p);
}

struct profile *query_profile(struct profile *p, const struct query *q, struct query_ledger *ledger,
			      struct err *e)
{
	struct growth g = { 0 };
	struct selection *s = NULL;
	struct profile *to = NULL;
	*ledger = (struct query_ledger){ 0 };
	if (query_takes_everything(q) && (q->all_events || p->events.n <= 1))
		return everything(p, ledger);
	if (growth_init(&g, p, q, e) && (s = selection_new(p, q, g.labels, e))) {
		AUTO(extract) struct extract x;
		extract_init(&x, p, q, &g);
		extract_all(&x, s, ledger);
		ledger->event = selection_event(s);
		to = x.to;
	}
	selection_free(s);
	tree_free(g.tree);
	growth_fini(&g);
	return to;
}
