/*
 * A table of rows, each with the address from which its rule applies. Rows are sorted. A lookup
 * uses an index of buckets of equal size, then a short search.
 */
#include "unwind/table_int.h"

/* --- finding --- */

/* The last row of [from, to) that starts at or before offset; from - 1 when there is none. */
static uint32_t last_row(const uint32_t *starts, uint32_t from, uint32_t to, uint32_t offset)
{
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (starts[middle] <= offset)
			from = middle + 1;
		else
			to = middle;
	}
	return from - 1;
}

/* Nothing that came from a file is believed, whatever its checksum says. */
static const uint32_t *checked_rule(const struct unwind_table *t, uint32_t word)
{
	struct rule_head head;
	if (word >= t->words || t->words - word < 2)
		return NULL;
	memcpy(&head, t->rule_words + word, sizeof(head));
	bool is_good = head.cfa_kind == CFA_EXPRESSION ||
		       (head.cfa_kind == CFA_REGISTER && head.cfa_register < UNWIND_REGISTERS);
	if (!is_good || head.saved > t->words - word - 2 || head.saved > UNWIND_REGISTERS ||
	    head.return_register >= UNWIND_REGISTERS)
		return NULL;
	return t->rule_words + word;
}

const uint32_t *table_find(const struct unwind_table *t, uint64_t address)
{
	uint64_t offset = address - t->base;
	if (address < t->base || offset > UINT32_MAX || offset >> t->bucket_shift >= t->buckets)
		return NULL;
	const uint32_t *bucket = t->first_of_bucket + (offset >> t->bucket_shift);
	uint32_t from = bucket[0], to = bucket[1];
	if (from > t->rows || to > t->rows)
		return NULL;
	uint32_t row = last_row(t->starts, from, to, (uint32_t)offset);
	return row < t->rows ? checked_rule(t, t->rules[row]) : NULL;
}

struct str table_expression(const struct unwind_table *t, int32_t where)
{
	uint16_t n;
	if (where < 0 || (uint32_t)where > t->expression_bytes ||
	    t->expression_bytes - (uint32_t)where < sizeof(n))
		return (struct str){ 0 };
	memcpy(&n, t->expressions + where, sizeof(n));
	if (n > t->expression_bytes - (uint32_t)where - sizeof(n))
		return (struct str){ 0 };
	return (struct str){ (const char *)t->expressions + where + sizeof(n), n };
}

/* --- the image --- */

static uint64_t checksum_of(struct str image)
{
	size_t from = offsetof(struct table_head, checksum) + sizeof(uint64_t);
	return XXH3_64bits(image.p + from, image.n - from);
}

static uint64_t image_bytes(const struct table_head *head)
{
	uint64_t words = (uint64_t)head->buckets + 1 + 2 * (uint64_t)head->rows + head->words;
	return sizeof(*head) + words * sizeof(uint32_t) + head->expression_bytes;
}

bool table_of_image(struct unwind_table *t, struct str image)
{
	struct table_head head;
	if (image.n < sizeof(head))
		return false;
	memcpy(&head, image.p, sizeof(head));
	t->machine = unwind_machine_of((uint16_t)head.machine);
	if (memcmp(head.magic, TABLE_MAGIC, sizeof(head.magic)) != 0 || !t->machine ||
	    head.bucket_shift > 31 || image_bytes(&head) != image.n ||
	    head.checksum != checksum_of(image))
		return false;
	t->base = head.base;
	t->bucket_shift = head.bucket_shift;
	t->buckets = head.buckets;
	t->rows = head.rows;
	t->words = head.words;
	t->expression_bytes = head.expression_bytes;
	t->first_of_bucket = (const uint32_t *)(image.p + sizeof(head));
	t->starts = t->first_of_bucket + head.buckets + 1;
	t->rules = t->starts + head.rows;
	t->rule_words = t->rules + head.rows;
	t->expressions = (const uint8_t *)(t->rule_words + head.words);
	return true;
}

/* About four rows to a bucket: they fit into a line of the cache. */
static uint32_t shift_for(uint32_t span, uint32_t rows)
{
	uint32_t shift = 4;
	while (shift < 31 && (span >> shift) > rows / 4)
		shift++;
	return shift;
}

static void add_buckets(struct buf *image, const struct table_head *head, const uint32_t *starts)
{
	uint32_t row = 0;
	for (uint32_t i = 0; i <= head->buckets; i++) {
		uint64_t from = (uint64_t)i << head->bucket_shift;
		while (row < head->rows && starts[row] < from)
			row++;
		buf_add(image, (struct str){ (const char *)&row, sizeof(row) });
	}
}

static void add_array(struct buf *image, const void *p, size_t n, size_t size_bytes)
{
	buf_add(image, (struct str){ p, n * size_bytes });
}

void table_write_image(const struct table_rows *rows, struct table_head *head, struct buf *image)
{
	uint32_t span = rows->starts.p[rows->starts.n - 1];
	memcpy(head->magic, TABLE_MAGIC, sizeof(head->magic));
	head->rows = rows->starts.n;
	head->words = rows->pool.words.n;
	head->expression_bytes = rows->pool.expressions.n;
	head->bucket_shift = shift_for(span, head->rows);
	head->buckets = (span >> head->bucket_shift) + 1;
	buf_reserve(image, image_bytes(head));
	add_array(image, head, 1, sizeof(*head));
	add_buckets(image, head, rows->starts.p);
	add_array(image, rows->starts.p, rows->starts.n, sizeof(*rows->starts.p));
	add_array(image, rows->rules.p, rows->rules.n, sizeof(*rows->rules.p));
	add_array(image, rows->pool.words.p, rows->pool.words.n, sizeof(*rows->pool.words.p));
	add_array(image, rows->pool.expressions.p, rows->pool.expressions.n, 1);
	table_sign(image);
}

void table_sign(struct buf *image)
{
	uint64_t checksum = checksum_of(buf_str(image));
	memcpy(image->p + offsetof(struct table_head, checksum), &checksum, sizeof(checksum));
}

void unwind_table_free(struct unwind_table *t)
{
	if (!t)
		return;
	buf_fini(&t->image);
	mapping_fini(&t->mapping);
	free(t);
}
