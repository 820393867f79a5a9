#include "model/model.h"

static bool row_per_sample(const struct profile *p)
{
	return (p->columns & (COLUMN_TIME | COLUMN_CPU | COLUMN_ORDER)) != 0;
}

static void grow_samples(struct profile *p)
{
	struct samples *s = &p->samples;
	uint64_t n = (uint64_t)s->capacity + s->capacity / 2 + 64;
	if (n > UINT32_MAX)
		n = UINT32_MAX;
	if (s->n == UINT32_MAX)
		n = SIZE_MAX; /* more rows than ids: the out-of-memory exit */
	s->node = mem_realloc(s->node, n, sizeof(*s->node));
	s->thread = mem_realloc(s->thread, n, sizeof(*s->thread));
	s->event = mem_realloc(s->event, n, sizeof(*s->event));
	s->count = mem_realloc(s->count, n, sizeof(*s->count));
	s->period = mem_realloc(s->period, n, sizeof(*s->period));
	if (p->columns & COLUMN_TIME)
		s->time_ns = mem_realloc(s->time_ns, n, sizeof(*s->time_ns));
	if (p->columns & COLUMN_CPU)
		s->cpu = mem_realloc(s->cpu, n, sizeof(*s->cpu));
	if (p->columns & COLUMN_LABELS)
		s->labels = mem_realloc(s->labels, n, sizeof(*s->labels));
	s->capacity = (uint32_t)n;
}

static uint32_t append_row(struct profile *p, const struct sample *sample)
{
	struct samples *s = &p->samples;
	if (s->n == s->capacity)
		grow_samples(p);
	uint32_t i = s->n++;
	s->node[i] = sample->node;
	s->thread[i] = sample->thread;
	s->event[i] = sample->event;
	s->count[i] = sample->count;
	s->period[i] = sample->period;
	if (s->time_ns)
		s->time_ns[i] = sample->time_ns;
	if (s->cpu)
		s->cpu[i] = sample->cpu;
	if (s->labels)
		s->labels[i] = sample->labels;
	return i;
}

static bool row_equal(const void *array, uint32_t i, const void *key)
{
	const struct samples *s = array;
	const struct sample *k = key;
	return s->node[i] == k->node && s->thread[i] == k->thread && s->event[i] == k->event &&
	       (!s->labels || s->labels[i] == k->labels);
}

void profile_add_sample(struct profile *p, const struct sample *sample)
{
	struct samples *s = &p->samples;
	uint64_t *overflows = &p->ledger.count[LEDGER_OVERFLOWS];
	if (row_per_sample(p)) {
		append_row(p, sample);
		return;
	}
	uint32_t hash = hash_pair(sample->node, sample->thread ^ sample->event << 20);
	uint32_t i = index_map_find(&p->sample_map, hash, row_equal, s, sample);
	if (i == INDEX_NONE) {
		index_map_add(&p->sample_map, hash, append_row(p, sample));
		return;
	}
	s->count[i] = saturating_add(s->count[i], sample->count, overflows);
	s->period[i] = saturating_add(s->period[i], sample->period, overflows);
}

static uint64_t scaled(struct profile *p, uint64_t value, unsigned by_decimals)
{
	for (unsigned d = 0; d < by_decimals; d++)
		if (__builtin_mul_overflow(value, 10u, &value)) {
			p->ledger.count[LEDGER_OVERFLOWS]++;
			return UINT64_MAX;
		}
	return value;
}

void profile_set_decimals(struct profile *p, event_id id, unsigned decimals)
{
	struct event *e = &p->events.p[id];
	if (decimals <= e->decimals)
		return;
	unsigned more = decimals - e->decimals;
	e->decimals = (uint8_t)decimals;
	for (uint32_t i = 0; i < p->samples.n; i++)
		if (p->samples.event[i] == id)
			p->samples.period[i] = scaled(p, p->samples.period[i], more);
}

/* Ids of `from` in p, array by array. */
struct translation {
	uint32_t *strings, *frames, *nodes, *threads, *events, *label_sets;
};

/* What else of frames is dropped when profiles are merged. */
struct dropped {
	bool lines, starts;
};

static void drop(struct frame *f, struct dropped dropped)
{
	if (dropped.lines)
		frame_set_function_place(f);
	if (dropped.starts)
		f->start = 0;
}

static struct translation translate(struct profile *p, const struct profile *from,
				    struct dropped dropped)
{
	struct translation t = {
		.strings = mem_alloc(from->strings.n, sizeof(uint32_t)),
		.frames = mem_alloc(from->frames.n, sizeof(uint32_t)),
		.nodes = mem_alloc(from->nodes.n, sizeof(uint32_t)),
		.threads = mem_alloc(from->threads.n, sizeof(uint32_t)),
		.events = mem_alloc(from->events.n, sizeof(uint32_t)),
		.label_sets = mem_alloc(from->label_sets.n, sizeof(uint32_t)),
	};
	for (uint32_t i = 0; i < from->strings.n; i++)
		t.strings[i] = profile_add_str(p, from->strings.p[i]);
	for (uint32_t i = 0; i < from->frames.n; i++) {
		struct frame f = from->frames.p[i];
		f.name = t.strings[f.name];
		f.module = t.strings[f.module];
		f.file = t.strings[f.file];
		f.function_file = t.strings[f.function_file];
		drop(&f, dropped);
		t.frames[i] = profile_add_frame(p, &f);
	}
	t.nodes[NODE_ROOT] = NODE_ROOT;
	for (uint32_t i = 1; i < from->nodes.n; i++) /* a parent stands before its children */
		t.nodes[i] = profile_add_node(p, t.nodes[from->nodes.p[i].parent],
					      t.frames[from->nodes.p[i].frame]);
	for (uint32_t i = 0; i < from->threads.n; i++) {
		struct thread thread = from->threads.p[i];
		thread.comm = t.strings[thread.comm];
		thread.container = t.strings[thread.container];
		t.threads[i] = profile_add_thread(p, thread);
	}
	for (uint32_t i = 0; i < from->events.n; i++) {
		struct event event = from->events.p[i];
		event.name = t.strings[event.name];
		event.unit = t.strings[event.unit];
		t.events[i] = profile_add_event(p, event);
		profile_set_decimals(p, t.events[i], event.decimals);
	}
	t.label_sets[LABELS_NONE] = LABELS_NONE;
	for (uint32_t i = 1; i < from->label_sets.n; i++) { /* rests stand before */
		struct label label = from->labels.p[from->label_sets.p[i].label];
		label.key = t.strings[label.key];
		label.text = t.strings[label.text];
		label.unit = t.strings[label.unit];
		t.label_sets[i] =
			profile_add_label(p, t.label_sets[from->label_sets.p[i].rest], label);
	}
	return t;
}

static void translation_fini(struct translation *t)
{
	free(t->strings);
	free(t->frames);
	free(t->nodes);
	free(t->threads);
	free(t->events);
	free(t->label_sets);
}

static void merge_ledger(struct profile *p, const struct profile *from, const struct translation *t)
{
	struct ledger *to = &p->ledger;
	uint64_t ignored = 0;
	if (from->ledger.first_bad_text && !to->first_bad_text) {
		to->first_bad_text = t->strings[from->ledger.first_bad_text];
		to->first_bad_offset = from->ledger.first_bad_offset;
		to->first_bad_input = t->strings[from->ledger.first_bad_input];
	}
	if (from->ledger.damage && !to->damage)
		to->damage = t->strings[from->ledger.damage];
	for (unsigned i = 0; i < LEDGER_LINES; i++)
		to->count[i] = saturating_add(to->count[i], from->ledger.count[i], &ignored);
}

/* Marks, facts, modules, unnamed frames and notes. */
static void merge_remarks(struct profile *p, const struct profile *from,
			  const struct translation *t)
{
	for (uint32_t i = 0; i < from->marks.n; i++) {
		struct mark m = from->marks.p[i];
		m.thread = t->threads[m.thread];
		m.kind = t->strings[m.kind];
		m.text = t->strings[m.text];
		profile_add_mark(p, m);
	}
	for (uint32_t i = 0; i < from->facts.n; i++)
		profile_add_fact(p, profile_str(from, from->facts.p[i].key),
				 profile_str(from, from->facts.p[i].text));
	for (uint32_t i = 0; i < from->modules.n; i++)
		profile_add_module(p, (struct module){ t->strings[from->modules.p[i].path],
						       t->strings[from->modules.p[i].build_id] });
	for (uint32_t i = 0; i < from->unnamed.n; i++) {
		const struct unnamed *u = &from->unnamed.p[i];
		profile_add_unnamed(p,
				    (struct unnamed){ t->strings[u->module], t->strings[u->reason],
						      t->strings[u->fix], u->frames });
	}
	for (uint32_t i = 0; i < from->notes.n; i++)
		profile_add_note(p, profile_str(from, from->notes.p[i]));
}

static void merge(struct profile *p, const struct profile *from, struct dropped dropped)
{
	AUTO(translation) struct translation t = translate(p, from, dropped);
	for (uint32_t i = 0; i < from->samples.n; i++) {
		const struct samples *s = &from->samples;
		event_id event = t.events[s->event[i]];
		unsigned more = p->events.p[event].decimals - from->events.p[s->event[i]].decimals;
		profile_add_sample(
			p, &(struct sample){
				   .node = t.nodes[s->node[i]],
				   .thread = t.threads[s->thread[i]],
				   .event = event,
				   .cpu = s->cpu ? s->cpu[i] : -1,
				   .labels = s->labels ? t.label_sets[s->labels[i]] : LABELS_NONE,
				   .time_ns = s->time_ns ? s->time_ns[i] : 0,
				   .count = s->count[i],
				   .period = scaled(p, s->period[i], more),
			   });
	}
	p->is_differential |= from->is_differential;
	p->sampled_ns += from->sampled_ns;
	merge_remarks(p, from, &t);
	merge_ledger(p, from, &t);
}

void profile_merge(struct profile *p, const struct profile *from)
{
	merge(p, from, (struct dropped){ 0 });
}

static bool has_dropped(const struct profile *p, struct dropped dropped)
{
	for (frame_id i = 0; i < p->frames.n; i++) {
		struct frame f = p->frames.p[i];
		drop(&f, dropped);
		if (memcmp(&f, &p->frames.p[i], sizeof(f)) != 0)
			return true;
	}
	return false;
}

static struct profile *profile_without(struct profile *p, struct dropped dropped)
{
	if (!has_dropped(p, dropped))
		return profile_ref(p);
	struct profile *without = profile_new(p->columns);
	merge(without, p, dropped);
	profile_seal(without);
	return without;
}

struct profile *profile_without_lines(struct profile *p)
{
	return profile_without(p, (struct dropped){ .lines = true });
}

struct profile *profile_without_starts(struct profile *p)
{
	return profile_without(p, (struct dropped){ .starts = true });
}

/* --- times --- */

bool samples_have_times(const struct samples *s, uint32_t from, uint32_t end, uint64_t missing)
{
	if (!s->time_ns || !missing)
		return s->time_ns != NULL;
	for (uint32_t i = from; i < end; i++)
		if (s->time_ns[i])
			return true;
	return false;
}

bool profile_has_times(const struct profile *p)
{
	return samples_have_times(&p->samples, 0, p->samples.n, p->ledger.count[LEDGER_NO_TIME]);
}
