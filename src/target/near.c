#include "target/near_int.h"

enum { MAX_LETTERS = 64, FAR = 1000 };

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool holds(struct str text, struct str part)
{
	for (size_t at = 0; at + part.n <= text.n; at++) {
		size_t i = 0;
		while (i < part.n && lower(text.p[at + i]) == lower(part.p[i]))
			i++;
		if (i == part.n)
			return true;
	}
	return false;
}

/* Edit distance: letters to insert, delete or change (Levenshtein). */
static unsigned letters_apart(struct str a, struct str b)
{
	unsigned row[MAX_LETTERS + 1];
	for (unsigned i = 0; i <= b.n; i++)
		row[i] = i;
	for (unsigned i = 1; i <= a.n; i++) {
		unsigned before = row[0]; /* of the row above, one to the left */
		row[0] = i;
		for (unsigned k = 1; k <= b.n; k++) {
			unsigned change = before + (lower(a.p[i - 1]) != lower(b.p[k - 1]));
			unsigned shift = 1 + (row[k] < row[k - 1] ? row[k] : row[k - 1]);
			before = row[k];
			row[k] = change < shift ? change : shift;
		}
	}
	return row[b.n];
}

static unsigned distance(struct str word, struct str name)
{
	size_t shorter = word.n < name.n ? word.n : name.n;
	if (shorter >= 2 && (holds(name, word) || holds(word, name)))
		return 1;
	if (!shorter || word.n > MAX_LETTERS || name.n > MAX_LETTERS)
		return FAR;
	unsigned apart = letters_apart(word, name);
	return apart <= 1 + word.n / 3 && apart < shorter ? apart : FAR;
}

void near_names_add(struct near_names *near, struct str name)
{
	unsigned far = distance(near->word, name), at;
	if (far == FAR)
		return;
	for (unsigned i = 0; i < near->n; i++)
		if (str_eq(str_from(near->best[i].text), name))
			return;
	for (at = near->n; at > 0 && near->best[at - 1].distance > far; at--)
		;
	if (at == NEAR_MOST)
		return;
	if (near->n == NEAR_MOST)
		free(near->best[--near->n].text);
	memmove(&near->best[at + 1], &near->best[at], (near->n++ - at) * sizeof(near->best[0]));
	AUTO(buf) struct buf text = { 0 };
	buf_add(&text, name);
	near->best[at] = (struct near_name){ mem_strdup(buf_c_string(&text)), far };
}

void near_names_write(const struct near_names *near, struct buf *out)
{
	for (unsigned i = 0; i < near->n; i++)
		buf_addf(out, "%s%s", i ? ", " : "", near->best[i].text);
}

void near_names_fini(struct near_names *near)
{
	for (unsigned i = 0; i < near->n; i++)
		free(near->best[i].text);
	near->n = 0;
}
