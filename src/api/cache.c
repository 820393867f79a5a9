/* Caches prepared queries, so that a range costs milliseconds. */
#include "api/api_int.h"

static struct cached *oldest(struct api *a)
{
	struct cached *found = &a->cached[0];
	for (size_t i = 1; i < ARRAY_SIZE(a->cached); i++)
		if (a->cached[i].used < found->used)
			found = &a->cached[i];
	return found;
}

static struct cached *find(struct api *a, struct str key)
{
	for (size_t i = 0; i < ARRAY_SIZE(a->cached); i++)
		if (a->cached[i].prepared && str_eq(buf_str(&a->cached[i].key), key))
			return &a->cached[i];
	return NULL;
}

static struct cached *add(struct api *a, const struct shown *s, const struct query *q,
			  struct str key, struct err *e)
{
	struct prepared *prepared = prepared_new(s->profile, q, e);
	if (!prepared)
		return NULL;
	struct cached *c = oldest(a);
	prepared_free(c->prepared);
	profile_unref(c->profile);
	c->prepared = prepared;
	c->profile = profile_ref(s->profile);
	c->key.n = 0;
	buf_add(&c->key, key);
	c->id = ++a->next_id;
	return c;
}

const struct cached *cache_get(struct api *a, const struct shown *s, const struct query *q,
			       struct str words, struct err *e)
{
	AUTO(buf) struct buf key = { 0 };
	buf_add(&key, buf_str(&s->key));
	buf_addf(&key, "%d%d%d%d ", q->in_order, q->all_events, q->reverse, q->names);
	buf_add(&key, words);
	struct cached *c = find(a, buf_str(&key));
	if (!c)
		c = add(a, s, q, buf_str(&key), e);
	if (c)
		c->used = a->requests;
	return c;
}

static bool names_event(const struct query *q)
{
	for (uint32_t i = 0; i < q->where.n; i++)
		if (str_starts(str_from(q->where.p[i]), STR("event=")))
			return true;
	return q->all_events;
}

/* Of merged files the first may be the odd one out, so the event with the most samples is shown. */
static void choose_event(struct side_request *side, const struct shown *s)
{
	const struct profile *p = s->profile;
	struct query *q = &side->view.query;
	if (s->files < 2 || p->events.n < 2 || names_event(q))
		return;
	AUTO(buf) struct buf clause = { 0 };
	AUTO_FREE uint64_t *samples = mem_zalloc(p->events.n, sizeof(*samples));
	event_id most = 0;
	for (uint32_t i = 0; i < p->samples.n; i++)
		samples[p->samples.event[i]] += p->samples.count[i];
	for (event_id i = 1; i < p->events.n; i++)
		most = samples[i] > samples[most] ? i : most;
	struct str name = profile_str(p, p->events.p[most].name);
	buf_add(&clause, STR("event="));
	for (size_t i = 0; i < name.n; i++)
		buf_addf(&clause, "%s%c", name.p[i] == ',' ? "\\" : "", name.p[i]);
	text_list_add(&q->where, buf_str(&clause));
}

bool side_prepare(struct api_request *r, struct side_request *side, struct prepared_side *out,
		  struct api_answer *answer)
{
	struct err e = { 0 };
	out->shown = files_shown(r->api, &side->files, answer);
	if (!out->shown)
		return false;
	side->view.query.names = view_knows_kinds(out->shown->profile) ? NAMES_SHOWN : NAMES_FOLDED;
	choose_event(side, out->shown);
	const struct text_list *times = &side->view.query.times;
	out->has_ranges = times->n > 0;
	out->cached = !times->n || query_time_ranges(out->shown->profile, times, &out->ranges, &e)
			      ? cache_get(r->api, out->shown, &side->view.query,
					  buf_str(&side->words), &e)
			      : NULL;
	return out->cached || answer_err(answer, &e);
}

void prepared_side_fini(struct prepared_side *p)
{
	time_ranges_fini(&p->ranges);
}

struct tree *side_tree(const struct prepared_side *p, struct query_ledger *ledger)
{
	return prepared_tree(p->cached->prepared, p->has_ranges ? &p->ranges : NULL, ledger);
}
