#include "source/json_column.h"

void column_fini(struct column *c)
{
	vec_fini(&c->values);
}

void column_clear(struct column *c)
{
	c->values.n = 0;
	c->decimals = 0;
	c->is_there = c->is_same = false;
	c->negatives = c->overflows = 0;
}

static uint64_t times_10(struct column *c, uint64_t value, unsigned times)
{
	for (; times; times--)
		if (__builtin_mul_overflow(value, 10u, &value)) {
			c->overflows++;
			return UINT64_MAX;
		}
	return value;
}

static uint64_t divided_by_10(uint64_t value, unsigned times)
{
	bool rounds_up = false;
	for (; times; times--) {
		rounds_up = value % 10 >= 5;
		value /= 10;
	}
	return value + rounds_up;
}

void column_scale(struct column *c, unsigned decimals)
{
	unsigned from = c->decimals;
	if (decimals == from)
		return;
	c->decimals = decimals;
	for (uint32_t i = 0; i < c->values.n; i++)
		c->values.p[i] = decimals > from ? times_10(c, c->values.p[i], decimals - from)
						 : divided_by_10(c->values.p[i], from - decimals);
}

void column_reduce(struct column *c)
{
	while (c->decimals) {
		for (uint32_t i = 0; i < c->values.n; i++)
			if (c->values.p[i] % 10)
				return;
		column_scale(c, c->decimals - 1);
	}
}

void column_add(struct column *c, const struct json_decimal *d)
{
	uint64_t units = d->units;
	if (d->decimals > c->decimals)
		column_scale(c, d->decimals);
	if (d->is_held)
		c->overflows++;
	if (d->is_negative && !c->is_signed) {
		c->negatives += units != 0;
		units = 0;
	}
	units = times_10(c, units, c->decimals - d->decimals);
	vec_push(&c->values, d->is_negative ? -units : units);
}

/* One element, which is at hand. */
static void read_element(struct json *j, struct column *c, const struct column_rules *rules)
{
	struct json_decimal d;
	if (json_decimal(j, rules->max_decimals, &d))
		column_add(c, &d);
	else
		vec_push(&c->values, rules->otherwise);
}

void column_read(struct json *j, struct column *c, const struct column_rules *rules)
{
	column_clear(c);
	c->is_there = true;
	if (json_peek(j) != JSON_ARRAY) {
		c->is_same = true;
		read_element(j, c, rules);
		return;
	}
	json_array(j);
	while (json_element(j) && json_has_room(j, c->values.n, rules->most, rules->what))
		read_element(j, c, rules);
	if (json_is_cut(j) && c->values.n)
		c->values.n--;
}
