/* Functions by file, then by name, then by their order in the file. */
#include "query/query.h"
#include "query/query_int.h"

struct matched_function {
	uint32_t label;
	struct str name;   /* empty if anonymous */
	uint64_t position; /* in the file: line, then column */
	uint32_t file;
	uint32_t partner;  /* on the other side; INDEX_NONE if none */
	uint32_t interval; /* how many matched functions precede it */
};

struct matched_file {
	struct str path, plain, brief; /* as is; without versions; for display */
	uint32_t first, end;	       /* its functions */
	uint32_t partner;
};

struct match_side {
	const struct tree *t;
	VEC(struct matched_function) functions; /* by file, then by position */
	VEC(struct matched_file) files;
};

struct matching {
	struct match_side side[SIDES];
	struct arena text;
};

/* --- input --- */

/* The end of the version in `@4.2.12` or `-4.2.12`; `at` itself if there is none. */
static size_t version_end(struct str s, size_t at)
{
	size_t i = at + 1, dots = 0;
	bool is_marked = s.p[at] == '@' || s.p[at] == '-' || s.p[at] == '_';
	if (!is_marked || i >= s.n || !(is_digit(s.p[i]) || s.p[i] == 'v'))
		return at;
	for (i += s.p[i] == 'v'; i < s.n && (is_digit(s.p[i]) || s.p[i] == '.'); i++)
		dots += s.p[i] == '.';
	if (!dots)
		return at;
	while (i < s.n && s.p[i] != '/' && s.p[at] == '@') /* -beta.1 */
		i++;
	return i;
}

static struct str without_versions(struct arena *text, struct str path)
{
	AUTO(buf) struct buf out = { 0 };
	for (size_t i = 0; i < path.n;) {
		size_t end = version_end(path, i);
		if (end == i)
			buf_add_char(&out, path.p[i++]);
		i = end > i ? end : i;
	}
	return arena_copy(text, buf_str(&out));
}

static void add_function(struct matching *m, struct match_side *s, uint32_t label)
{
	const struct tree_label *l = &s->t->labels.p[label];
	struct name_parts parts;
	if (!l->place.n || !name_parts_of(tree_label_bare(l), STR(""), &parts))
		return;
	struct str brief = str_first(l->place, l->place.n);
	ptrdiff_t colon = str_find_char(brief, ':');
	if (colon > 0 && !str_starts(brief, STR("node:")))
		brief = str_first(brief, (size_t)colon);
	vec_push(&s->files, (struct matched_file){ .path = parts.file,
						   .plain = without_versions(&m->text, parts.file),
						   .brief = without_versions(&m->text, brief),
						   .partner = INDEX_NONE });
	/* The top level of a script is not a function that lost its name. */
	bool is_top = !parts.function.n && parts.line == 1 && parts.column <= 1;
	vec_push(&s->functions, (struct matched_function){
					.label = label,
					.name = is_top ? STR("(top)") : parts.function,
					.position = (uint64_t)parts.line << 32 | parts.column,
					.file = s->files.n - 1,
					.partner = INDEX_NONE,
				});
}

static int compare_functions(const void *a, const void *b, void *side)
{
	const struct match_side *s = side;
	const struct matched_function *x = a, *y = b;
	int by_file = str_compare(s->files.p[x->file].path, s->files.p[y->file].path);
	if (by_file)
		return by_file;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return (x->label > y->label) - (x->label < y->label);
}

/* Lists functions by file, and the files. */
static void list_side(struct matching *m, unsigned side)
{
	struct match_side *s = &m->side[side];
	AUTO_FREE bool *is_used = mem_zalloc(s->t->labels.n + 1, 1);
	for (uint32_t i = 1; i < s->t->n; i++)
		is_used[s->t->label[i]] = true;
	for (uint32_t i = 0; i < s->t->labels.n; i++)
		if (is_used[i])
			add_function(m, s, i);
	if (s->functions.n)
		qsort_r(s->functions.p, s->functions.n, sizeof(*s->functions.p), compare_functions,
			s);
	VEC(struct matched_file) files = { 0 };
	for (uint32_t i = 0; i < s->functions.n; i++) {
		struct matched_file file = s->files.p[s->functions.p[i].file];
		if (!files.n || !str_eq(files.p[files.n - 1].path, file.path)) {
			file.first = i;
			vec_push(&files, file);
		}
		files.p[files.n - 1].end = i + 1;
		s->functions.p[i].file = files.n - 1;
	}
	vec_fini(&s->files);
	s->files.p = files.p;
	s->files.n = files.n;
	s->files.capacity = files.capacity;
}

/* --- files --- */

typedef struct str file_key(const struct matched_file *f);

static struct str key_path(const struct matched_file *f)
{
	return f->path;
}

static struct str key_plain(const struct matched_file *f)
{
	return f->plain;
}

static struct str key_brief(const struct matched_file *f)
{
	return f->brief;
}

static void pair_files(struct matching *m, uint32_t before, uint32_t after)
{
	m->side[BEFORE].files.p[before].partner = after;
	m->side[AFTER].files.p[after].partner = before;
}

/* The only file without a partner that has the key; INDEX_NONE if none, or several. */
static uint32_t only_file(const struct match_side *s, file_key *key, struct str wanted)
{
	uint32_t found = INDEX_NONE;
	for (uint32_t i = 0; i < s->files.n; i++) {
		if (s->files.p[i].partner != INDEX_NONE || !str_eq(key(&s->files.p[i]), wanted))
			continue;
		if (found != INDEX_NONE)
			return INDEX_NONE;
		found = i;
	}
	return found;
}

static void pair_by_key(struct matching *m, file_key *key)
{
	for (uint32_t i = 0; i < m->side[BEFORE].files.n; i++) {
		struct matched_file *f = &m->side[BEFORE].files.p[i];
		if (f->partner != INDEX_NONE || !key(f).n ||
		    only_file(&m->side[BEFORE], key, key(f)) != i)
			continue;
		uint32_t other = only_file(&m->side[AFTER], key, key(f));
		if (other != INDEX_NONE)
			pair_files(m, i, other);
	}
}

static bool has_name(const struct match_side *s, const struct matched_file *f, struct str name)
{
	for (uint32_t i = f->first; i < f->end; i++)
		if (str_eq(s->functions.p[i].name, name))
			return true;
	return false;
}

static bool is_first_of_name(const struct match_side *s, const struct matched_file *f, uint32_t at)
{
	for (uint32_t i = f->first; i < at; i++)
		if (str_eq(s->functions.p[i].name, s->functions.p[at].name))
			return false;
	return true;
}

/* The share of names that both files have, relative to the file with fewer; 0 if there are too few to tell. */
static double shared_names(const struct matching *m, const struct matched_file *before,
			   const struct matched_file *after)
{
	enum { ENOUGH = 2, MOST = 2000 };
	const struct match_side *sides[] = { &m->side[BEFORE], &m->side[AFTER] };
	const struct matched_file *files[] = { before, after };
	uint32_t names[SIDES] = { 0 }, shared = 0;
	if (before->end - before->first > MOST || after->end - after->first > MOST)
		return 0;
	for (unsigned side = 0; side < SIDES; side++)
		for (uint32_t i = files[side]->first; i < files[side]->end; i++) {
			struct str name = sides[side]->functions.p[i].name;
			if (!name.n || name.p[0] == '(' ||
			    !is_first_of_name(sides[side], files[side], i))
				continue;
			names[side]++;
			shared += side == BEFORE && has_name(sides[AFTER], after, name);
		}
	uint32_t fewer = names[BEFORE] < names[AFTER] ? names[BEFORE] : names[AFTER];
	return shared >= ENOUGH ? (double)shared / fewer : 0;
}

/* A renamed file still has most of its functions. */
static void pair_by_names(struct matching *m)
{
	enum { MOST_FILES = 200 };
	struct match_side *b = &m->side[BEFORE], *a = &m->side[AFTER];
	uint32_t tried = 0;
	for (uint32_t i = 0; i < b->files.n && tried < MOST_FILES; i++) {
		double best = 0.5;
		uint32_t partner = INDEX_NONE;
		if (b->files.p[i].partner != INDEX_NONE)
			continue;
		tried++;
		for (uint32_t k = 0; k < a->files.n; k++) {
			double share = a->files.p[k].partner == INDEX_NONE
					       ? shared_names(m, &b->files.p[i], &a->files.p[k])
					       : 0;
			if (share > best) {
				best = share;
				partner = k;
			}
		}
		if (partner != INDEX_NONE)
			pair_files(m, i, partner);
	}
}

/* --- functions --- */

static void pair_functions(struct matching *m, uint32_t before, uint32_t after)
{
	m->side[BEFORE].functions.p[before].partner = after;
	m->side[AFTER].functions.p[after].partner = before;
}

/* Indices of functions on both sides that share a name, by name. */
struct namesakes {
	const struct matching *m;
	VEC(uint32_t) list[SIDES]; /* ordered by name, then by position */
};

static int compare_names(const void *a, const void *b, void *side)
{
	const struct match_side *s = side;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int by_name = str_compare(s->functions.p[x].name, s->functions.p[y].name);
	return by_name ? by_name : (x > y) - (x < y);
}

static void list_namesakes(struct matching *m, struct namesakes *n, unsigned side,
			   const struct matched_file *f)
{
	n->list[side].n = 0;
	for (uint32_t i = f->first; i < f->end; i++)
		vec_push(&n->list[side], i);
	if (n->list[side].n)
		qsort_r(n->list[side].p, n->list[side].n, sizeof(uint32_t), compare_names,
			&m->side[side]);
}

/* The functions of one name on both sides: from at[side] up to end[side]. */
struct name_run {
	uint32_t at[SIDES], end[SIDES];
	struct str name;
};

static struct str name_at(const struct namesakes *n, unsigned side, uint32_t i)
{
	return n->m->side[side].functions.p[n->list[side].p[i]].name;
}

/* Moves to the next name, on one side or both; returns false if there is none. */
static bool next_name(const struct namesakes *n, struct name_run *run)
{
	bool has[SIDES];
	for (unsigned side = 0; side < SIDES; side++) {
		run->at[side] = run->end[side];
		has[side] = run->at[side] < n->list[side].n;
	}
	if (!has[BEFORE] && !has[AFTER])
		return false;
	unsigned first = !has[BEFORE] ? AFTER : BEFORE;
	if (has[BEFORE] && has[AFTER] &&
	    str_compare(name_at(n, BEFORE, run->at[BEFORE]), name_at(n, AFTER, run->at[AFTER])) > 0)
		first = AFTER;
	run->name = name_at(n, first, run->at[first]);
	for (unsigned side = 0; side < SIDES; side++)
		while (run->end[side] < n->list[side].n &&
		       str_eq(name_at(n, side, run->end[side]), run->name))
			run->end[side]++;
	return true;
}

static uint32_t run_length(const struct name_run *run, unsigned side)
{
	return run->end[side] - run->at[side];
}

/* A name that each side has once is a certain match. */
static void pair_unique_names(struct matching *m, const struct namesakes *n)
{
	struct name_run run = { 0 };
	while (next_name(n, &run))
		if (run.name.n && run_length(&run, BEFORE) == 1 && run_length(&run, AFTER) == 1)
			pair_functions(m, n->list[BEFORE].p[run.at[BEFORE]],
				       n->list[AFTER].p[run.at[AFTER]]);
}

/*
 * Pairs in the same order on both sides divide the file into intervals: a function without a certain match is
 * unlikely to have moved between them. Finds the longest such sequence by patience sorting.
 */
static void set_intervals(struct matching *m, const struct matched_file *before,
			  const struct matched_file *after)
{
	struct matched_function *b = m->side[BEFORE].functions.p;
	struct matched_function *a = m->side[AFTER].functions.p;
	uint32_t n = before->end - before->first, length = 0;
	AUTO_FREE uint32_t *last = mem_alloc((size_t)n + 1, sizeof(*last)); /* of rows, by length */
	AUTO_FREE uint32_t *previous = mem_alloc((size_t)n + 1, sizeof(*previous));
	AUTO_FREE bool *is_in_order = mem_zalloc((size_t)n + 1, 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t partner = b[before->first + i].partner, low = 0, high = length;
		if (partner == INDEX_NONE)
			continue;
		while (low < high) {
			uint32_t middle = (low + high) / 2;
			if (b[before->first + last[middle]].partner < partner)
				low = middle + 1;
			else
				high = middle;
		}
		previous[i] = low ? last[low - 1] : INDEX_NONE;
		last[low] = i;
		length = low == length ? length + 1 : length;
	}
	for (uint32_t i = length ? last[length - 1] : INDEX_NONE; i != INDEX_NONE; i = previous[i])
		is_in_order[i] = true;
	uint32_t interval = 0, next = after->first;
	for (uint32_t i = 0; i < n; i++) {
		b[before->first + i].interval = interval;
		if (!is_in_order[i])
			continue;
		for (; next <= b[before->first + i].partner; next++)
			a[next].interval = interval;
		interval++;
	}
	for (; next < after->end; next++)
		a[next].interval = interval;
}

/* Pairs functions of one name between the same two certain ones, in order; if one side has more, its first ones. */
static void pair_in_intervals(struct matching *m, const struct namesakes *n,
			      const struct name_run *run)
{
	struct matched_function *b = m->side[BEFORE].functions.p;
	struct matched_function *a = m->side[AFTER].functions.p;
	uint32_t k = run->at[AFTER];
	for (uint32_t i = run->at[BEFORE]; i < run->end[BEFORE]; i++) {
		uint32_t one = n->list[BEFORE].p[i];
		if (b[one].partner != INDEX_NONE)
			continue;
		while (k < run->end[AFTER] && (a[n->list[AFTER].p[k]].partner != INDEX_NONE ||
					       a[n->list[AFTER].p[k]].interval < b[one].interval))
			k++;
		if (k < run->end[AFTER] && a[n->list[AFTER].p[k]].interval == b[one].interval)
			pair_functions(m, one, n->list[AFTER].p[k++]);
	}
}

/* The same number on both sides: pairs them in order, wherever they are. */
static void pair_in_order(struct matching *m, const struct namesakes *n, const struct name_run *run)
{
	for (uint32_t i = 0; i < run_length(run, BEFORE); i++)
		pair_functions(m, n->list[BEFORE].p[run->at[BEFORE] + i],
			       n->list[AFTER].p[run->at[AFTER] + i]);
}

/* Functions at places that did not move are the same. */
static void pair_same_places(struct matching *m, const struct namesakes *n,
			     const struct name_run *run, int64_t moved_lines)
{
	struct matched_function *b = m->side[BEFORE].functions.p;
	struct matched_function *a = m->side[AFTER].functions.p;
	for (uint32_t i = run->at[BEFORE]; i < run->end[BEFORE]; i++)
		for (uint32_t k = run->at[AFTER]; k < run->end[AFTER]; k++) {
			uint32_t x = n->list[BEFORE].p[i], y = n->list[AFTER].p[k];
			uint64_t place = b[x].position + ((uint64_t)moved_lines << 32);
			if (b[x].partner == INDEX_NONE && a[y].partner == INDEX_NONE &&
			    b[x].interval == a[y].interval && place == a[y].position)
				pair_functions(m, x, y);
		}
}

/* By how many lines the certain function before this interval moved. */
static int64_t lines_moved(const struct matching *m, const struct matched_file *before,
			   uint32_t interval)
{
	const struct matched_function *b = m->side[BEFORE].functions.p;
	const struct matched_function *a = m->side[AFTER].functions.p;
	for (uint32_t i = before->end; i-- > before->first;)
		if (b[i].partner != INDEX_NONE && b[i].interval + 1 == interval &&
		    a[b[i].partner].interval == b[i].interval)
			return (int64_t)(a[b[i].partner].position >> 32) -
			       (int64_t)(b[i].position >> 32);
	return 0;
}

static void pair_namesakes(struct matching *m, const struct namesakes *n,
			   const struct name_run *run, const struct matched_file *before)
{
	enum { MOST = 500 };
	uint32_t many = run_length(run, BEFORE) > run_length(run, AFTER) ? run_length(run, BEFORE)
									 : run_length(run, AFTER);
	if (run->name.n && run_length(run, BEFORE) == run_length(run, AFTER)) {
		pair_in_order(m, n, run);
		return;
	}
	int64_t tried = INT64_MIN;
	for (uint32_t i = run->at[BEFORE]; i < run->end[BEFORE] && many <= MOST; i++) {
		uint32_t one = n->list[BEFORE].p[i];
		int64_t moved = lines_moved(m, before, m->side[BEFORE].functions.p[one].interval);
		if (moved != tried)
			pair_same_places(m, n, run, moved);
		tried = moved;
	}
	pair_in_intervals(m, n, run);
}

static void match_file(struct matching *m, const struct matched_file *before)
{
	const struct matched_file *after = &m->side[AFTER].files.p[before->partner];
	struct namesakes n = { .m = m };
	list_namesakes(m, &n, BEFORE, before);
	list_namesakes(m, &n, AFTER, after);
	pair_unique_names(m, &n);
	set_intervals(m, before, after);
	for (struct name_run run = { 0 }; next_name(&n, &run);)
		if (!run.name.n || run_length(&run, BEFORE) != 1 || run_length(&run, AFTER) != 1)
			pair_namesakes(m, &n, &run, before);
	vec_fini(&n.list[BEFORE]);
	vec_fini(&n.list[AFTER]);
}

/* --- the tree --- */

/* The same stacks with other labels: sorts siblings again. */
static struct tree *relabelled(const struct tree *from, const struct tree_label *labels)
{
	static const struct query plain = { 0 };
	struct tree *t = tree_new();
	struct growth g = {
		.q = &plain, .tree = t, .value_count = from->value_count, .decimals = from->decimals
	};
	VEC(uint32_t) open = { 0 };
	for (uint32_t i = 0; i < from->labels.n; i++) {
		struct tree_label label = labels[i];
		label_copy_text(&label, &t->text);
		vec_push(&t->labels, label);
	}
	for (uint32_t i = 0; i < from->n; i++) {
		while (open.n && i >= from->end[open.p[open.n - 1]])
			open.n--;
		growth_add_node(&g, open.n ? open.p[open.n - 1] : 0, from->label[i]);
		for (unsigned v = 0; v < from->value_count; v++)
			g.self[v].p[i] = from->self[v][i];
		g.own_stacks.p[i] = from->own_stacks[i];
		vec_push(&open, i);
	}
	growth_sum_totals(&g);
	growth_order(&g);
	t->left_out = from->left_out;
	vec_fini(&open);
	growth_fini(&g);
	return t;
}

/* Its own name now belongs to another function, so it needs a unique one. */
static void name_apart(struct arena *text, struct tree_label *l)
{
	AUTO(buf) struct buf name = { 0 };
	buf_add(&name, l->name);
	buf_add(&name, STR(" (before)"));
	l->name = arena_copy(text, buf_str(&name));
	l->mark_bytes = 0;
}

static void name_as(struct tree_label *label, const struct tree_label *other)
{
	label->name = other->name;
	label->shown = other->shown;
	label->function = other->function;
	label->place = other->place;
	label->mark_bytes = other->mark_bytes;
	label->kind = other->kind;
}

static bool is_label_of_name(const void *labels, uint32_t i, const void *name)
{
	return str_eq(((const struct tree_label *)labels)[i].name, *(const struct str *)name);
}

/* The functions of AFTER by name. */
static struct index_map names_of_after(const struct match_side *a)
{
	struct index_map names = { 0 };
	for (uint32_t i = 0; i < a->functions.n; i++) {
		uint32_t label = a->functions.p[i].label;
		index_map_add(&names, hash_str(a->t->labels.p[label].name), label);
	}
	return names;
}

static struct tree *name_like(struct matching *m)
{
	const struct match_side *b = &m->side[BEFORE], *a = &m->side[AFTER];
	AUTO_FREE struct tree_label *labels =
		mem_alloc((size_t)b->t->labels.n + 1, sizeof(*labels));
	struct index_map names = names_of_after(a);
	bool is_changed = false;
	memcpy(labels, b->t->labels.p, b->t->labels.n * sizeof(*labels));
	for (uint32_t i = 0; i < b->functions.n; i++) {
		const struct matched_function *f = &b->functions.p[i];
		struct tree_label *label = &labels[f->label];
		uint32_t namesake = index_map_find(&names, hash_str(label->name), is_label_of_name,
						   a->t->labels.p, &label->name);
		uint32_t partner =
			f->partner == INDEX_NONE ? INDEX_NONE : a->functions.p[f->partner].label;
		is_changed |= partner != namesake;
		if (partner != INDEX_NONE)
			name_as(label, &a->t->labels.p[partner]);
		else if (namesake != INDEX_NONE)
			name_apart(&m->text, label);
	}
	index_map_fini(&names);
	return is_changed ? relabelled(b->t, labels) : NULL;
}

struct tree *tree_named_like(const struct tree *before, const struct tree *after)
{
	struct matching m = { .side = { { .t = before }, { .t = after } } };
	for (unsigned side = 0; side < SIDES; side++)
		list_side(&m, side);
	pair_by_key(&m, key_path);
	pair_by_key(&m, key_plain);
	pair_by_key(&m, key_brief);
	pair_by_names(&m);
	for (uint32_t i = 0; i < m.side[BEFORE].files.n; i++)
		if (m.side[BEFORE].files.p[i].partner != INDEX_NONE)
			match_file(&m, &m.side[BEFORE].files.p[i]);
	struct tree *t = name_like(&m);
	for (unsigned side = 0; side < SIDES; side++) {
		vec_fini(&m.side[side].functions);
		vec_fini(&m.side[side].files);
	}
	arena_fini(&m.text);
	return t;
}
