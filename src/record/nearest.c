/* Names that a user may have meant. */
#include "record/event_int.h"

bool is_plain_text(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] < ' ' || (unsigned char)text.p[i] >= 0x7f)
			return false;
	return true;
}

static bool is_nearer(const struct near_name *a, const struct near_name *b)
{
	return a->distance != b->distance ? a->distance < b->distance : a->n < b->n;
}

static bool is_offered(const struct nearest *near, struct str name)
{
	for (uint32_t i = 0; i < near->n; i++)
		if (str_eq((struct str){ near->best[i].name, near->best[i].n }, name))
			return true;
	return false;
}

void nearest_offer(struct nearest *near, struct str name)
{
	struct near_name candidate;
	if (!name.n || name.n > NEAREST_BYTES || !is_plain_text(name))
		return;
	candidate.distance = str_distance(name, near->text);
	candidate.n = (uint32_t)name.n;
	/* Two of three letters must match, or the suggestion is no help. */
	if (candidate.distance * 3 > near->text.n || is_offered(near, name))
		return;
	uint32_t at = near->n;
	while (at && is_nearer(&candidate, &near->best[at - 1]))
		at--;
	if (at == NEAREST_COUNT)
		return;
	near->n += near->n < NEAREST_COUNT;
	memmove(&near->best[at + 1], &near->best[at], (near->n - 1 - at) * sizeof(candidate));
	memcpy(candidate.name, name.p, name.n);
	near->best[at] = candidate;
}

void nearest_add_to(const struct nearest *near, struct buf *out)
{
	for (uint32_t i = 0; i < near->n; i++) {
		if (i)
			buf_add(out, i + 1 == near->n ? STR(" or ") : STR(", "));
		buf_add(out, (struct str){ near->best[i].name, near->best[i].n });
	}
}
