/*
 * A process that writes a map of its code is an independent witness: plume compares what the
 * recorder found at an address with what the map says about it, as of the same time.
 */
#include "perf/perf_int.h"

static bool witness_equal(const void *list, uint32_t i, const void *key)
{
	const struct witness *a = &((const struct witness *)list)[i], *b = key;
	return a->found == b->found && a->told == b->told && a->told_later == b->told_later;
}

/* The map's row may be written, or seen, a moment after the code runs. */
static location_id locate_later(struct perf_session *s, const struct perf_process *process,
				location_id told)
{
	struct location later = s->locations.list.p[told];
	later.code = processes_map_state(s->options.names.processes, process->jit_pid, UINT64_MAX) &
		     INT32_MAX;
	return locations_get(&s->locations, &later);
}

void perf_session_add_witness(struct perf_session *s, const struct perf_process *process,
			      location_id found, location_id told)
{
	struct witness w = { .found = found, .told = told };
	if (s->mapped.list.p[s->locations.list.p[told].mapped].kind != MAPPED_JIT)
		return;
	w.told_later = locate_later(s, process, told);
	uint32_t hash = hash_pair(hash_pair(found, told), w.told_later);
	uint32_t i =
		index_map_find(&s->witnesses.map, hash, witness_equal, s->witnesses.list.p, &w);
	if (i == INDEX_NONE) {
		i = s->witnesses.list.n;
		index_map_add(&s->witnesses.map, hash, i);
		vec_push(&s->witnesses.list, w);
	}
	s->witnesses.list.p[i].samples++;
}

/*
 * The part after the kind of function and the marks of its code: `f /app/a.js:1:2`. Newer versions
 * have more marks than the tier: o for code entered within a loop, ' for code of a single closure.
 */
static struct str text_of(struct str name)
{
	static const struct str kinds[] = { STR("JS:"), STR("LazyCompile:"), STR("Script:"),
					    STR("Function:"), STR("Eval:") };
	struct str text = STR("");
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !text.n; i++)
		if (str_starts(name, kinds[i]))
			text = str_from_byte(name, kinds[i].n);
	if (text.n > 1 && text.p[0] == 'o' && memchr("+*", text.p[1], 2))
		text = str_from_byte(text, 1);
	if (text.n && memchr("~^+*", text.p[0], 4))
		text = str_from_byte(text, 1);
	return text.n && text.p[0] == '\'' ? str_from_byte(text, 1) : text;
}

/* Older versions of V8 omit the column. */
static bool starts_alike(struct str found, struct str told)
{
	return str_eq(found, told) || (str_starts(found, told) && found.p[told.n] == ':');
}

/* V8 names code from eval without a file: ` :1:20`. plume names it after the function that created it. */
static bool is_same(struct str found, struct str told, struct buf *text)
{
	ptrdiff_t at = str_find(found, STR(" [eval] ")), end;
	if (at < 0)
		return starts_alike(found, told);
	struct str rest = str_from_byte(found, (size_t)at + 1);
	text->n = 0;
	buf_addf(text, "%.*s ", (int)at, found.p);
	end = str_find_last_char(rest, ':');
	struct str place = end < 0 ? rest : str_first(rest, (size_t)end);
	ptrdiff_t line = str_find_last_char(place, ':');
	if (line >= 0)
		buf_add(text, str_from_byte(rest, (size_t)line));
	return starts_alike(buf_str(text), told);
}

/* The outermost frame is the function that the code was compiled from. Empty if it has no name. */
static struct str name_of(const struct location_names *n, location_id id)
{
	const struct profile *p = n->s->p;
	if (!n->count[id] || n->is_unnamed[id])
		return STR("");
	return profile_str(p, p->frames.p[n->frames.p[n->first[id]]].name);
}

static void add_contradiction(struct perf_session *s, const struct witness *w, struct str found,
			      struct str told)
{
	bool is_call = s->locations.list.p[w->told].is_call;
	buf_add_counted(&s->witnesses.contradictions, w->samples, is_call ? "caller" : "leaf",
			is_call ? "callers" : "leaves");
	buf_addf(&s->witnesses.contradictions, ": plume found %.*s, the map says %.*s\n",
		 STR_ARG(found), STR_ARG(told));
}

static void compare(struct location_names *n, const struct witness *w)
{
	struct perf_session *s = n->s;
	struct str found = name_of(n, w->found), told = name_of(n, w->told);
	struct str later = name_of(n, w->told_later);
	if (!text_of(told).n || !text_of(later).n)
		return;
	s->counts.witnessed += w->samples;
	if (is_same(text_of(found), text_of(told), &n->text) ||
	    is_same(text_of(found), text_of(later), &n->text))
		return;
	s->counts.contradicted += w->samples;
	if (s->witnesses.contradictions.n < MAX_CONTRADICTION_BYTES)
		add_contradiction(s, w, found, later);
}

void perf_session_compare_witnesses(struct location_names *n)
{
	struct perf_session *s = n->s;
	for (uint32_t i = 0; i < s->witnesses.list.n; i++)
		compare(n, &s->witnesses.list.p[i]);
	s->witnesses.list.n = 0;
	index_map_clear(&s->witnesses.map);
}
