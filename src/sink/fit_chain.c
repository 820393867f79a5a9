/* Chains of names in a row of so many columns: which links are shown, and how short each one is. */
#include "sink/fit_text.h"

/* Some links of a chain as they are shown: the first ones and the last ones. */
struct parts {
	const struct fit_chain *chain;
	size_t columns;
	struct buf *p;
	bool *is_shown;
	uint32_t n;	/* at most so many have room; stacks may be a million frames deep */
	uint32_t front; /* of them the first ones of the chain; the others are its last */
};

static size_t width_of(const struct buf *b)
{
	return utf8_count(buf_str(b));
}

static void add_joined(struct buf *out, const struct parts *parts, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		if (i > from)
			buf_add(out, parts->chain->arrow);
		buf_add(out, buf_str(&parts->p[i]));
	}
}

static size_t joined_width(const struct parts *parts)
{
	size_t width = parts->chain->arrow.n * (parts->n - 1);
	for (uint32_t i = 0; i < parts->n; i++)
		width += width_of(&parts->p[i]);
	return width;
}

static const struct fit_link *link_of(const struct parts *parts, uint32_t i)
{
	return &parts->chain->links[i < parts->front ? i : parts->chain->n - parts->n + i];
}

static void fit_part(const struct parts *parts, uint32_t i, size_t columns)
{
	const struct fit_link *link = link_of(parts, i);
	size_t mark = utf8_count(link->mark), room = columns > mark ? columns - mark : 0;
	AUTO(buf) struct buf brief_name = { 0 };
	fit_add_brief(&brief_name, link->name);
	bool is_brief = fit_place(link->name).n && width_of(&brief_name) <= room;
	parts->p[i].n = 0;
	if (is_brief)
		buf_add(&parts->p[i], buf_str(&brief_name));
	else
		fit_add_name(&parts->p[i], link->name, room, parts->chain->unicode);
	buf_add(&parts->p[i], link->mark);
}

static void brief_part(const struct parts *parts, uint32_t i)
{
	parts->p[i].n = 0;
	fit_add_brief(&parts->p[i], link_of(parts, i)->name);
	buf_add(&parts->p[i], link_of(parts, i)->mark);
}

/* The one that matters gets its room first, the other what is left, but a few letters at least. */
static void fit_ends(const struct parts *parts)
{
	enum { FEW = 12 };
	const struct fit_chain *c = parts->chain;
	uint32_t major = c->first_matters ? 0 : parts->n - 1, minor = parts->n - 1 - major;
	size_t dots = c->n > 2 ? utf8_count(fit_ellipsis(c->unicode)) + c->arrow.n : 0;
	size_t gap = dots + c->arrow.n;
	size_t room = parts->columns > gap + 2 ? parts->columns - gap : 2;
	size_t for_major = width_of(&parts->p[major]), for_minor = width_of(&parts->p[minor]);
	if (for_major + for_minor <= room)
		return;
	size_t least = for_minor < FEW ? for_minor : FEW;
	least = least > room / 3 ? room / 3 : least;
	for_major = for_major + least <= room ? for_major : room - least;
	fit_part(parts, major, for_major);
	fit_part(parts, minor, room - for_major);
}

/* --- which links of a chain are shown --- */

/* How short names of a chain are made, so that those of a higher rank have room. */
enum shortness { BRIEF, ENDS_ALONE, WITHOUT_PLACES };

static bool is_end(const struct parts *parts, uint32_t i)
{
	return i == 0 || i + 1 == parts->n;
}

/* Without a place nobody knows which one it is. */
static bool needs_place(struct str name)
{
	return str_starts(name, STR("(anonymous"));
}

static void shorten_part(const struct parts *parts, uint32_t i, enum shortness how)
{
	const struct fit_link *link = link_of(parts, i);
	AUTO(buf) struct buf text = { 0 };
	brief_part(parts, i);
	if (how >= ENDS_ALONE && is_end(parts, i) && !link->rank) {
		fit_add_brief(&text, fit_without_place(link->name));
		parts->p[i].n = 0;
		buf_add(&parts->p[i], fit_innermost(buf_str(&text)));
		buf_add(&parts->p[i], link->mark);
	} else if (how == WITHOUT_PLACES && fit_place(link->name).n && !needs_place(link->name)) {
		parts->p[i].n = 0;
		fit_add_brief(&parts->p[i], fit_without_place(link->name));
		buf_add(&parts->p[i], link->mark);
	}
}

/* What is between two links that are shown, with nothing shown between them. */
static size_t gap_width(const struct parts *parts, uint32_t from, uint32_t to)
{
	const struct fit_chain *c = parts->chain;
	bool is_wide =
		to - from > 1 || (parts->n < c->n && from < parts->front && to >= parts->front);
	return c->arrow.n + (is_wide ? utf8_count(fit_ellipsis(c->unicode)) + c->arrow.n : 0);
}

static size_t shown_width(const struct parts *parts)
{
	size_t width = width_of(&parts->p[0]);
	for (uint32_t i = 1, last = 0; i < parts->n; i++)
		if (parts->is_shown[i]) {
			width += gap_width(parts, last, i) + width_of(&parts->p[i]);
			last = i;
		}
	return width;
}

/* Shows link i if that fits; used: the columns taken. */
static bool show_link(const struct parts *parts, uint32_t i, size_t *used)
{
	uint32_t before = i, after = i;
	while (!parts->is_shown[--before])
		;
	while (!parts->is_shown[++after])
		;
	size_t width = *used + width_of(&parts->p[i]) + gap_width(parts, before, i) +
		       gap_width(parts, i, after) - gap_width(parts, before, after);
	if (width > parts->columns)
		return false;
	*used = width;
	parts->is_shown[i] = true;
	return true;
}

/* The n-th link from the one that matters, the ends aside. */
static uint32_t nth_link(const struct parts *parts, uint32_t n)
{
	return parts->chain->first_matters ? n + 1 : parts->n - 2 - n;
}

/* Shows links of a rank, the nearest to the one that matters first; false when one of `wanted` has no room. */
static bool show_rank(const struct parts *parts, unsigned rank, uint32_t *wanted, size_t *used)
{
	enum { MOST_MISSES = 8 };
	bool fits = true;
	for (uint32_t n = 0, misses = 0; n + 2 < parts->n && misses < MOST_MISSES; n++) {
		uint32_t i = nth_link(parts, n);
		if (link_of(parts, i)->rank != rank)
			continue;
		bool has_room = show_link(parts, i, used);
		misses += !has_room;
		fits &= has_room || !*wanted;
		*wanted -= *wanted > 0;
	}
	return fits;
}

/* The ends and what has a rank. False when not even the first `wanted` of those have room. */
static bool show_ranked(const struct parts *parts, uint32_t wanted, size_t *used)
{
	bool fits = true;
	for (uint32_t i = 0; i < parts->n; i++)
		parts->is_shown[i] = is_end(parts, i);
	*used = shown_width(parts);
	for (unsigned rank = FIT_RANKS - 1; rank > 0; rank--)
		fits &= show_rank(parts, rank, &wanted, used);
	return fits;
}

static bool has_ranks(const struct parts *parts)
{
	for (uint32_t i = 1; i + 1 < parts->n; i++)
		if (link_of(parts, i)->rank)
			return true;
	return false;
}

static bool show_as(const struct parts *parts, enum shortness how, uint32_t wanted, size_t *used)
{
	for (uint32_t i = 0; i < parts->n; i++)
		shorten_part(parts, i, how);
	fit_ends(parts);
	return show_ranked(parts, wanted, used);
}

/* Names are made shorter only where that makes room for functions of the program: two, or one. */
static size_t show_most_ranked(const struct parts *parts)
{
	size_t used = 0;
	for (uint32_t wanted = has_ranks(parts) ? 2 : 0; wanted > 0; wanted--)
		for (enum shortness how = BRIEF; how <= WITHOUT_PLACES; how++)
			if (show_as(parts, how, wanted, &used))
				return used;
	show_as(parts, BRIEF, 0, &used);
	return used;
}

/* The ends always; then functions of the program; then those next to the one that matters. */
static void choose_links(const struct parts *parts)
{
	size_t used = show_most_ranked(parts);
	for (uint32_t n = 0; n + 2 < parts->n; n++) {
		uint32_t i = nth_link(parts, n);
		if (!parts->is_shown[i] && !show_link(parts, i, &used))
			return;
	}
}

static void add_shown(struct buf *out, const struct parts *parts)
{
	const struct fit_chain *c = parts->chain;
	buf_add(out, buf_str(&parts->p[0]));
	for (uint32_t i = 1, last = 0; i < parts->n; i++) {
		if (!parts->is_shown[i])
			continue;
		buf_add(out, c->arrow);
		if (gap_width(parts, last, i) > c->arrow.n) {
			buf_add(out, fit_ellipsis(c->unicode));
			buf_add(out, c->arrow);
		}
		buf_add(out, buf_str(&parts->p[i]));
		last = i;
	}
}

void fit_add_chain(struct buf *out, const struct fit_chain *chain, size_t columns)
{
	uint32_t most = columns < 2 ? 2 : columns > chain->n ? chain->n : (uint32_t)columns;
	uint32_t n = chain->n < most ? chain->n : most;
	AUTO_FREE bool *is_shown = mem_zalloc(n, sizeof(bool));
	struct parts parts = { chain, columns, mem_zalloc(n, sizeof(struct buf)), is_shown, n, 1 };
	if (chain->first_matters)
		parts.front = n - 1;
	if (n == chain->n)
		parts.front = n;
	for (uint32_t i = 0; i < n; i++)
		fit_part(&parts, i, n == 1 ? columns : SIZE_MAX);
	bool is_long = n > 1 && joined_width(&parts) > columns;
	for (uint32_t i = 0; is_long && i < n; i++)
		brief_part(&parts, i);
	if (n == chain->n && (n == 1 || joined_width(&parts) <= columns)) {
		add_joined(out, &parts, 0, n);
	} else {
		choose_links(&parts);
		add_shown(out, &parts);
	}
	for (uint32_t i = 0; i < n; i++)
		buf_fini(&parts.p[i]);
	free(parts.p);
}
