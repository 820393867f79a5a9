/*
 * Decodes the `mappings` of a map (base64 VLQ): lines of the generated script end with `;`, segments with `,`. Each
 * segment has one, four or five numbers, relative to the previous ones, as base64 digits of five bits, lowest first.
 */
#include "source_map/source_map_int.h"

/* A map of 10 MB of minified script has about a million segments. */
enum { MAX_SEGMENTS = 1 << 22, MAX_LINES = 1 << 26, MAX_FIELDS = 5 };

struct decoder_state {
	const char *p, *start, *end;
	/* The generated column, then source, original line and column, and name: running sums. */
	int64_t sums[MAX_FIELDS];
	uint32_t line;
};

/* The lowest bit is the sign. No number needs more than 32 bits. */
static bool take_number(struct decoder_state *s, int64_t *value)
{
	enum { GOES_ON = 32, MAX_SHIFT = 30 };
	uint64_t bits = 0;
	for (unsigned shift = 0; s->p < s->end && shift <= MAX_SHIFT; shift += 5) {
		int digit = source_map_base64_digit(*s->p++);
		if (digit < 0)
			return false;
		bits |= (uint64_t)(digit & (GOES_ON - 1)) << shift;
		if (!(digit & GOES_ON)) {
			*value = bits & 1 ? -(int64_t)(bits >> 1) : (int64_t)(bits >> 1);
			return true;
		}
	}
	return false;
}

static bool is_separator(const struct decoder_state *s)
{
	return s->p == s->end || *s->p == ',' || *s->p == ';';
}

static bool take_segment(struct decoder_state *s, struct segment *out)
{
	int64_t difference;
	unsigned n = 0;
	for (; !is_separator(s) && n < MAX_FIELDS; n++) {
		if (!take_number(s, &difference))
			return false;
		s->sums[n] += difference;
		if (s->sums[n] < 0 || s->sums[n] > INT32_MAX)
			return false;
	}
	*out = (struct segment){ .line = s->line,
				 .column = (uint32_t)s->sums[0],
				 .source = n >= 4 ? (uint32_t)s->sums[1] : INDEX_NONE,
				 .original_line = (uint32_t)s->sums[2],
				 .original_column = (uint32_t)s->sums[3],
				 .name = n == 5 ? (uint32_t)s->sums[4] : INDEX_NONE };
	return is_separator(s) && (n == 1 || n >= 4);
}

bool source_map_decode(struct source_map *m, struct str mappings, struct err *e)
{
	struct decoder_state s = { mappings.p, mappings.p, mappings.p + mappings.n };
	struct segment segment;
	while (s.p < s.end) {
		if (*s.p == ';') {
			s.line++;
			s.sums[0] = 0;
			s.p++;
		} else if (*s.p == ',') {
			s.p++;
		} else if (take_segment(&s, &segment)) {
			vec_push(&m->segments, segment);
		} else {
			return err_set(e, "its mappings are invalid at byte %zu of the string",
				       (size_t)(s.p - s.start));
		}
		if (m->segments.n > MAX_SEGMENTS || s.line > MAX_LINES)
			return err_set(e,
				       "it has more than 4,194,304 positions or 67,108,864 lines");
	}
	return true;
}

static int compare_segments(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return (x->original_line > y->original_line) - (x->original_line < y->original_line);
}

void source_map_sort(struct source_map *m)
{
	const struct segment *s = m->segments.p;
	for (uint32_t i = 1; i < m->segments.n; i++)
		if (compare_segments(&s[i - 1], &s[i]) > 0) {
			qsort(m->segments.p, m->segments.n, sizeof(*s), compare_segments);
			return;
		}
}
