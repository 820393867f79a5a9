#include "base/base.h"

static char folded_case(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

/* By P. Sellers, 1980: as Levenshtein's, but text may begin and end anywhere in name. */
uint32_t str_distance(struct str name, struct str text)
{
	uint32_t row[STR_DISTANCE_BYTES + 1];
	text = str_first(text, STR_DISTANCE_BYTES);
	uint32_t least = (uint32_t)text.n;
	for (uint32_t k = 0; k <= text.n; k++)
		row[k] = k;
	for (size_t i = 0; i < name.n; i++) {
		uint32_t diagonal = row[0];
		for (size_t k = 1; k <= text.n; k++) {
			bool is_same = folded_case(name.p[i]) == folded_case(text.p[k - 1]);
			uint32_t swap = diagonal + !is_same;
			uint32_t change = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
			diagonal = row[k];
			row[k] = swap < change ? swap : change;
		}
		least = row[text.n] < least ? row[text.n] : least;
	}
	return least;
}

/* str_distance takes a part of a name for all of it. */
uint32_t str_typing_distance(struct str known, struct str typed)
{
	uint32_t one = str_distance(known, typed), other = str_distance(typed, known);
	if (str_starts(known, typed))
		return 0;
	return one > other ? one : other;
}

uint32_t str_typing_limit(struct str typed)
{
	return typed.n > 1 ? ((uint32_t)typed.n + 1) / 3 + 1 : 0;
}
