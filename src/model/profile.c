#include "model/model.h"

struct profile *profile_new(unsigned columns)
{
	struct profile *p = mem_zalloc(1, sizeof(*p));
	p->columns = columns;
	p->references = 1;
	profile_add_str(p, STR(""));
	profile_add_thread(p, (struct thread){ PID_UNKNOWN, PID_UNKNOWN, STR_NONE, STR_NONE });
	vec_push(&p->nodes, (struct node){ NODE_ROOT, INDEX_NONE });
	child_map_init(&p->node_map);
	vec_push(&p->label_sets, (struct label_link){ LABELS_NONE, INDEX_NONE });
	child_map_init(&p->label_set_map);
	return p;
}

struct profile *profile_ref(struct profile *p)
{
	__atomic_add_fetch(&p->references, 1, __ATOMIC_RELAXED);
	return p;
}

static void free_maps(struct profile *p)
{
	index_map_fini(&p->string_map);
	index_map_fini(&p->frame_map);
	child_map_fini(&p->node_map);
	index_map_fini(&p->thread_map);
	index_map_fini(&p->event_map);
	index_map_fini(&p->sample_map);
	index_map_fini(&p->label_map);
	index_map_fini(&p->fact_map);
	index_map_fini(&p->module_map);
	index_map_fini(&p->unnamed_map);
	child_map_fini(&p->label_set_map);
}

void profile_seal(struct profile *p)
{
	free_maps(p);
	p->is_sealed = true;
}

static void free_samples(struct samples *s)
{
	free(s->node);
	free(s->thread);
	free(s->event);
	free(s->count);
	free(s->period);
	free(s->time_ns);
	free(s->cpu);
	free(s->labels);
}

void profile_unref(struct profile *p)
{
	if (!p || __atomic_sub_fetch(&p->references, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	free_maps(p);
	free_samples(&p->samples);
	vec_fini(&p->strings);
	vec_fini(&p->frames);
	vec_fini(&p->changed);
	vec_fini(&p->nodes);
	vec_fini(&p->threads);
	vec_fini(&p->events);
	vec_fini(&p->labels);
	vec_fini(&p->label_sets);
	vec_fini(&p->marks);
	vec_fini(&p->facts);
	vec_fini(&p->modules);
	vec_fini(&p->unnamed);
	vec_fini(&p->notes);
	arena_fini(&p->text);
	free(p);
}

static bool string_equal(const void *strings, uint32_t i, const void *key)
{
	return str_eq(((const struct str *)strings)[i], *(const struct str *)key);
}

str_id profile_add_str(struct profile *p, struct str s)
{
	uint32_t hash = hash_str(s);
	uint32_t i =
		index_map_place(&p->string_map, hash, string_equal, p->strings.p, &s, p->strings.n);
	if (i == p->strings.n)
		vec_push(&p->strings, arena_copy(&p->text, s));
	return i;
}

/* Frames, threads and events are plain records without padding: equal means equal bytes. */
_Static_assert(sizeof(struct frame) == 10 * 4, "struct frame has no padding");
_Static_assert(sizeof(struct thread) == 4 * 4, "struct thread has no padding");
_Static_assert(sizeof(struct label) == 8 + 4 * 4, "struct label has no padding");

static bool frame_equal(const void *frames, uint32_t i, const void *key)
{
	return memcmp((const struct frame *)frames + i, key, sizeof(struct frame)) == 0;
}

frame_id profile_add_frame(struct profile *p, const struct frame *f)
{
	uint32_t hash = hash_bytes(f, sizeof(*f));
	uint32_t i = index_map_place(&p->frame_map, hash, frame_equal, p->frames.p, f, p->frames.n);
	if (i == p->frames.n)
		vec_push(&p->frames, *f);
	return i;
}

frame_id profile_add_own_frame(struct profile *p, const struct frame *f)
{
	struct frame own = *f; /* it may be among those that move */
	vec_push(&p->frames, own);
	return p->frames.n - 1;
}

void profile_change_frame(struct profile *p, frame_id id, frame_id as, uint64_t unnamed)
{
	p->frames.p[id] = p->frames.p[as];
	vec_push(&p->changed, (struct changed_frame){ id, as, unnamed });
}

static bool thread_equal(const void *threads, uint32_t i, const void *key)
{
	return memcmp((const struct thread *)threads + i, key, sizeof(struct thread)) == 0;
}

thread_id profile_add_thread(struct profile *p, struct thread t)
{
	uint32_t hash = hash_bytes(&t, sizeof(t));
	uint32_t i =
		index_map_place(&p->thread_map, hash, thread_equal, p->threads.p, &t, p->threads.n);
	if (i == p->threads.n)
		vec_push(&p->threads, t);
	return i;
}

static bool event_equal(const void *events, uint32_t i, const void *key)
{
	return ((const struct event *)events)[i].name == ((const struct event *)key)->name;
}

event_id profile_add_event(struct profile *p, struct event e)
{
	uint32_t hash = hash_pair(e.name, 0);
	uint32_t i =
		index_map_place(&p->event_map, hash, event_equal, p->events.p, &e, p->events.n);
	if (i == p->events.n)
		vec_push(&p->events, e);
	return i;
}

static bool label_equal(const void *labels, uint32_t i, const void *key)
{
	return memcmp((const struct label *)labels + i, key, sizeof(struct label)) == 0;
}

static label_id label_id_of(struct profile *p, const struct label *l)
{
	uint32_t hash = hash_bytes(l, sizeof(*l));
	uint32_t i = index_map_place(&p->label_map, hash, label_equal, p->labels.p, l, p->labels.n);
	if (i == p->labels.n)
		vec_push(&p->labels, *l);
	return i;
}

label_set profile_add_label(struct profile *p, label_set rest, struct label label)
{
	label_id id = label_id_of(p, &label);
	label_set set = child_map_get(&p->label_set_map, rest, id);
	if (set == p->label_sets.n)
		vec_push(&p->label_sets, (struct label_link){ rest, id });
	return set;
}

void profile_add_mark(struct profile *p, struct mark m)
{
	vec_push(&p->marks, m);
}

static bool fact_equal(const void *facts, uint32_t i, const void *key)
{
	const struct fact *a = (const struct fact *)facts + i, *b = key;
	return a->key == b->key && a->text == b->text;
}

void profile_add_fact(struct profile *p, struct str key, struct str text)
{
	struct fact f = { profile_add_str(p, key), profile_add_str(p, text) };
	uint32_t hash = hash_pair(f.key, f.text);
	if (index_map_place(&p->fact_map, hash, fact_equal, p->facts.p, &f, p->facts.n) ==
	    p->facts.n)
		vec_push(&p->facts, f);
}

struct str profile_fact(const struct profile *p, struct str key)
{
	for (uint32_t i = 0; i < p->facts.n; i++)
		if (str_eq(profile_str(p, p->facts.p[i].key), key))
			return profile_str(p, p->facts.p[i].text);
	return STR("");
}

static bool module_equal(const void *modules, uint32_t i, const void *key)
{
	return ((const struct module *)modules)[i].path == ((const struct module *)key)->path;
}

void profile_add_module(struct profile *p, struct module m)
{
	uint32_t hash = hash_pair(m.path, 0);
	if (index_map_place(&p->module_map, hash, module_equal, p->modules.p, &m, p->modules.n) ==
	    p->modules.n)
		vec_push(&p->modules, m);
}

static bool unnamed_equal(const void *rows, uint32_t i, const void *key)
{
	const struct unnamed *a = (const struct unnamed *)rows + i, *b = key;
	return a->module == b->module && a->reason == b->reason;
}

void profile_add_unnamed(struct profile *p, struct unnamed u)
{
	uint32_t hash = hash_pair(u.module, u.reason);
	uint32_t i = index_map_place(&p->unnamed_map, hash, unnamed_equal, p->unnamed.p, &u,
				     p->unnamed.n);
	if (i == p->unnamed.n) {
		vec_push(&p->unnamed, u);
		return;
	}
	uint64_t *frames = &p->unnamed.p[i].frames;
	*frames = saturating_add(*frames, u.frames, &p->ledger.count[LEDGER_OVERFLOWS]);
}

void profile_add_note(struct profile *p, struct str sentence)
{
	vec_push(&p->notes, profile_add_str(p, sentence));
}
