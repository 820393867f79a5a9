/* What formats in JSON share. */
#include "source/source_int.h"

void source_json_damage(struct profile *p, struct reader *r, const char *title,
			const struct json *j)
{
	if (json_fault(j))
		source_damage(p, r, title, json_fault(j), json_offset(j));
}

static void add_keys(struct json *j, struct buf *keys)
{
	struct str key;
	while (json_key(j, &key)) {
		buf_add_char(keys, ' ');
		buf_add(keys, key);
		json_skip(j);
	}
}

void source_json_keys(struct str head, struct buf *keys)
{
	struct reader *r = reader_of_memory(head, 0);
	struct json *j = json_new(r);
	if (json_peek(j) == JSON_OBJECT && json_object(j)) {
		add_keys(j, keys);
	} else if (json_peek(j) == JSON_ARRAY && json_array(j) && json_element(j) &&
		   json_peek(j) == JSON_OBJECT && json_object(j)) {
		buf_add_char(keys, '[');
		add_keys(j, keys);
	}
	buf_add_char(keys, ' ');
	json_free(j);
	reader_free(r);
}

bool source_has_key(const struct buf *keys, const char *key)
{
	AUTO(buf) struct buf wanted = { 0 };
	buf_addf(&wanted, " %s ", key);
	return str_find(buf_str(keys), buf_str(&wanted)) >= 0;
}

bool source_json_is_firefox(const struct buf *keys)
{
	return source_has_key(keys, "meta") &&
	       (source_has_key(keys, "threads") || source_has_key(keys, "libs"));
}
