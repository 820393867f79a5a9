/* The format of answers: errors, and columns of numbers (doc/api.md, "Binary answers"). */
#include "api/api_int.h"

bool answer_error(struct api_answer *answer, unsigned status, const char *sentence)
{
	struct json_out j = { .strings = JSON_SHOWN };
	answer->status = status;
	answer->type = "application/json";
	answer->body.n = 0;
	answer->download[0] = 0;
	json_out_open(&j, NULL, '{');
	json_out_string(&j, "error", str_from(sentence));
	json_out_close(&j, '}');
	buf_add(&answer->body, buf_str(&j.text));
	buf_fini(&j.text);
	return false;
}

bool answer_err(struct api_answer *answer, const struct err *e)
{
	return answer_error(answer, 400, e->text);
}

void columns_begin(struct columns *c, struct api_answer *answer, bool is_json)
{
	*c = (struct columns){ .answer = answer, .is_json = is_json };
	c->header.strings = JSON_SHOWN;
	json_out_open(&c->header, NULL, '{');
}

static uint64_t value_at(const struct columns *c, unsigned column, uint32_t i)
{
	if (c->list[column].wide)
		return c->list[column].wide[i];
	return c->list[column].narrow ? c->list[column].narrow[i] : c->list[column].bytes[i];
}

static void add_column(struct columns *c, const char *name, uint32_t n)
{
	c->list[c->n].name = name;
	c->list[c->n++].n = n;
}

void columns_add_u64(struct columns *c, const char *name, const uint64_t *values, uint32_t n)
{
	c->list[c->n].wide = values;
	add_column(c, name, n);
}

void columns_add_u32(struct columns *c, const char *name, const uint32_t *values, uint32_t n)
{
	c->list[c->n].narrow = values;
	add_column(c, name, n);
}

void columns_add_u8(struct columns *c, const char *name, const uint8_t *values, uint32_t n)
{
	c->list[c->n].bytes = values;
	add_column(c, name, n);
}

/* The narrowest type that holds all values. */
static unsigned width_of(const struct columns *c, unsigned column)
{
	uint64_t all = 0;
	for (uint32_t i = 0; i < c->list[column].n; i++)
		all |= value_at(c, column, i);
	return all <= UINT8_MAX ? 1 : all <= UINT16_MAX ? 2 : all <= UINT32_MAX ? 4 : 8;
}

static const char *type_of(unsigned width)
{
	return width == 1 ? "u8" : width == 2 ? "u16" : width == 4 ? "u32" : "f64";
}

static void add_values(const struct columns *c, unsigned column, unsigned width)
{
	struct buf *out = &c->answer->body;
	uint32_t n = c->list[column].n;
	size_t bytes = (size_t)n * width, padded = (bytes + 7) & ~(size_t)7;
	char *at = buf_reserve(out, padded + 8);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t value = value_at(c, column, i);
		double real = (double)value;
		memcpy(at + (size_t)i * width, width == 8 ? (void *)&real : (void *)&value, width);
	}
	memset(at + bytes, 0, padded - bytes);
	out->n += padded;
}

static void end_json(struct columns *c)
{
	json_out_open(&c->header, "data", '{');
	for (unsigned k = 0; k < c->n; k++) {
		json_out_open(&c->header, c->list[k].name, '[');
		for (uint32_t i = 0; i < c->list[k].n; i++)
			json_out_u64(&c->header, NULL, value_at(c, k, i));
		json_out_close(&c->header, ']');
	}
	json_out_close(&c->header, '}');
	json_out_close(&c->header, '}');
	buf_add(&c->answer->body, buf_str(&c->header.text));
}

static void end_binary(struct columns *c)
{
	unsigned width[ARRAY_SIZE(c->list)];
	json_out_open(&c->header, "columns", '[');
	for (unsigned k = 0; k < c->n; k++) {
		width[k] = width_of(c, k);
		json_out_open(&c->header, NULL, '{');
		json_out_string(&c->header, "name", str_from(c->list[k].name));
		json_out_string(&c->header, "type", str_from(type_of(width[k])));
		json_out_u64(&c->header, "n", c->list[k].n);
		json_out_close(&c->header, '}');
	}
	json_out_close(&c->header, ']');
	json_out_close(&c->header, '}');
	while (c->header.text.n % 8)
		buf_add_char(&c->header.text, ' ');
	uint32_t bytes[2] = { (uint32_t)c->header.text.n, 0 };
	buf_add(&c->answer->body, STR("plume-1\n"));
	buf_add(&c->answer->body, (struct str){ (char *)bytes, sizeof(bytes) });
	buf_add(&c->answer->body, buf_str(&c->header.text));
	for (unsigned k = 0; k < c->n; k++)
		add_values(c, k, width[k]);
	c->answer->type = "application/octet-stream";
}

void columns_end(struct columns *c)
{
	if (c->is_json)
		end_json(c);
	else
		end_binary(c);
	buf_fini(&c->header.text);
}
