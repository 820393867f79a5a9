/* The distinct rules of a table: half a million rows share a few hundred rules. */
#include "unwind/unwind_int.h"

enum {
	MAX_POOL_WORDS = 1 << 22, /* node has 1,900 */
	MAX_EXPRESSION_BYTES = 1024,
	MAX_EXPRESSIONS_BYTES = 1 << (SAVED_VALUE_BITS - 1),
};

void rule_pool_init(struct rule_pool *pool)
{
	*pool = (struct rule_pool){ 0 };
	/* RULE_NONE */
	vec_push(&pool->words, 0);
	vec_push(&pool->words, 0);
}

void rule_pool_fini(struct rule_pool *pool)
{
	vec_fini(&pool->words);
	vec_fini(&pool->expressions);
	index_map_fini(&pool->by_words);
	index_map_fini(&pool->by_expression);
}

struct rule_key {
	const uint32_t *words;
	uint32_t n;
};

static bool is_rule(const void *array, uint32_t i, const void *key)
{
	const struct rule_pool *pool = array;
	const struct rule_key *k = key;
	return k->n <= pool->words.n - i &&
	       memcmp(pool->words.p + i, k->words, k->n * sizeof(*k->words)) == 0;
}

uint32_t rule_pool_add(struct rule_pool *pool, const uint32_t *words, uint32_t n)
{
	struct rule_key key = { words, n };
	uint32_t hash = hash_bytes(words, n * sizeof(*words));
	uint32_t at = index_map_find(&pool->by_words, hash, is_rule, pool, &key);
	if (at != INDEX_NONE)
		return at;
	if (pool->words.n + n > MAX_POOL_WORDS)
		return RULE_NONE;
	at = pool->words.n;
	for (uint32_t i = 0; i < n; i++)
		vec_push(&pool->words, words[i]);
	index_map_add(&pool->by_words, hash, at);
	return at;
}

static bool is_expression(const void *array, uint32_t i, const void *key)
{
	const struct rule_pool *pool = array;
	const struct str *bytes = key;
	uint16_t n;
	memcpy(&n, pool->expressions.p + i, sizeof(n));
	return n == bytes->n && memcmp(pool->expressions.p + i + sizeof(n), bytes->p, n) == 0;
}

bool rule_pool_add_expression(struct rule_pool *pool, struct str bytes, int32_t *where)
{
	if (!bytes.n || bytes.n > MAX_EXPRESSION_BYTES)
		return false;
	uint32_t hash = hash_str(bytes);
	uint32_t at = index_map_find(&pool->by_expression, hash, is_expression, pool, &bytes);
	*where = (int32_t)at;
	if (at != INDEX_NONE)
		return true;
	at = pool->expressions.n;
	uint16_t n = (uint16_t)bytes.n;
	if (at + sizeof(n) + n > MAX_EXPRESSIONS_BYTES)
		return false;
	vec_reserve(&pool->expressions, (uint64_t)at + sizeof(n) + n);
	memcpy(pool->expressions.p + at, &n, sizeof(n));
	memcpy(pool->expressions.p + at + sizeof(n), bytes.p, n);
	pool->expressions.n += sizeof(n) + n;
	index_map_add(&pool->by_expression, hash, at);
	*where = (int32_t)at;
	return true;
}
