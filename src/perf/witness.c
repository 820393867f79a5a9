/*
 * A process that writes a map of its code is one more witness: what the recorder found at an address is
 * compared with what the map says of it, as of the same moment.
 */
#include "perf/perf_int.h"

static bool witness_equal(const void *list, uint32_t i, const void *key)
{
	const struct witness *a = &((const struct witness *)list)[i], *b = key;
	return a->found == b->found && a->told == b->told;
}

void perf_session_add_witness(struct perf_session *s, location_id found, location_id told)
{
	struct witness w = { .found = found, .told = told };
	uint32_t hash = hash_pair(found, told);
	uint32_t i = index_map_find(&s->witness_map, hash, witness_equal, s->witnesses.p, &w);
	if (i == INDEX_NONE) {
		i = s->witnesses.n;
		index_map_add(&s->witness_map, hash, i);
		vec_push(&s->witnesses, w);
	}
	s->witnesses.p[i].samples++;
}

/*
 * What follows the kind of function and the marks of its code: `f /app/a.js:1:2`. Newer ones have more
 * marks than that of the tier: o, code that was entered within a loop; ', code for one closure only.
 */
static struct str text_of(struct str name)
{
	static const struct str kinds[] = { STR("JS:"), STR("LazyCompile:"), STR("Script:"),
					    STR("Function:"), STR("Eval:") };
	size_t mark_at;
	struct str text = STR("");
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !text.n; i++)
		if (str_starts(name, kinds[i]))
			text = str_from_byte(name, kinds[i].n);
	if (text.n && symbol_v8_tier(name, &mark_at) != SYMBOL_TIER_NONE)
		text = str_from_byte(name, mark_at + 1);
	return text.n && text.p[0] == '\'' ? str_from_byte(text, 1) : text;
}

/* Older versions of V8 leave out the column. */
static bool is_same(struct str found, struct str told)
{
	return str_eq(found, told) || (str_starts(found, told) && found.p[told.n] == ':');
}

static void compare(struct location_names *n, const struct witness *w)
{
	struct perf_counts *c = &n->s->counts;
	const struct profile *p = n->s->p;
	if (!n->count[w->found] || !n->count[w->told] || n->is_unnamed[w->told])
		return;
	/* The outermost is the function that the code was made of. */
	const struct frame *a = &p->frames.p[n->frames.p[n->first[w->found]]];
	const struct frame *b = &p->frames.p[n->frames.p[n->first[w->told]]];
	struct str found = text_of(profile_str(p, a->name)),
		   told = text_of(profile_str(p, b->name));
	if (!told.n)
		return;
	c->witnessed += w->samples;
	bool agree = is_same(found, told);
	c->contradicted += agree ? 0 : w->samples;
	if (!agree && n->s->contradictions.n < MAX_CONTRADICTION_BYTES)
		buf_addf(&n->s->contradictions, "%llu %s: found %.*s, map has %.*s\n",
			 (unsigned long long)w->samples,
			 n->s->locations.list.p[w->told].is_call ? "callers" : "leaves",
			 STR_ARG(profile_str(p, a->name)), STR_ARG(profile_str(p, b->name)));
}

void perf_session_compare_witnesses(struct location_names *n)
{
	struct perf_session *s = n->s;
	for (uint32_t i = 0; i < s->witnesses.n; i++)
		compare(n, &s->witnesses.p[i]);
	s->witnesses.n = 0;
	index_map_clear(&s->witness_map);
}
