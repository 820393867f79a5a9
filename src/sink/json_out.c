#include "sink/json_out.h"

enum { FULL_BYTES = 64 << 10 };

static void flush(struct json_out *j)
{
	writer_add(j->out, buf_str(&j->text));
	j->text.n = 0;
}

void json_out_fini(struct json_out *j)
{
	flush(j);
	buf_fini(&j->text);
}

/* In front of every value. */
static void begin_value(struct json_out *j)
{
	if (j->needs_comma)
		buf_add_char(&j->text, ',');
	j->needs_comma = true;
	if (j->text.n > FULL_BYTES)
		flush(j);
}

void json_out_open(struct json_out *j, char bracket)
{
	begin_value(j);
	buf_add_char(&j->text, bracket);
	j->needs_comma = false;
}

void json_out_close(struct json_out *j, char bracket)
{
	buf_add_char(&j->text, bracket);
	j->needs_comma = true;
}

void json_out_key(struct json_out *j, const char *key)
{
	json_out_string(j, str_from(key));
	buf_add_char(&j->text, ':');
	j->needs_comma = false;
}

void json_out_string(struct json_out *j, struct str s)
{
	begin_value(j);
	json_add_string(&j->text, s);
}

void json_out_u64(struct json_out *j, uint64_t value)
{
	begin_value(j);
	buf_add_u64(&j->text, value);
}

void json_out_decimal(struct json_out *j, uint64_t value, unsigned decimals)
{
	begin_value(j);
	buf_add_decimal(&j->text, value, decimals);
}

void json_out_bool(struct json_out *j, bool value)
{
	begin_value(j);
	buf_add(&j->text, value ? STR("true") : STR("false"));
}

void json_out_null(struct json_out *j)
{
	begin_value(j);
	buf_add(&j->text, STR("null"));
}

void json_out_index(struct json_out *j, uint32_t index)
{
	if (index == INDEX_NONE)
		json_out_null(j);
	else
		json_out_u64(j, index);
}

void json_out_index_or_minus(struct json_out *j, uint32_t index)
{
	if (index != INDEX_NONE) {
		json_out_u64(j, index);
		return;
	}
	begin_value(j);
	buf_add(&j->text, STR("-1"));
}
