#include "source/counts.h"

bool source_count_parse(struct str s, struct source_count *c)
{
	*c = (struct source_count){ 0 };
	ptrdiff_t point = str_find_char(s, '.');
	struct str whole = str_first(s, point < 0 ? s.n : (size_t)point);
	struct str fraction =
		point < 0 ? (struct str){ "", 0 } : str_from_byte(s, (size_t)point + 1);
	if (whole.n == 0)
		return false;
	while (fraction.n && fraction.p[fraction.n - 1] == '0')
		fraction.n--;
	for (size_t i = 0; i < whole.n + fraction.n; i++) {
		char digit = i < whole.n ? whole.p[i] : fraction.p[i - whole.n];
		if (!is_digit(digit))
			return false;
		if (i >= whole.n && c->decimals == SOURCE_MAX_DECIMALS) {
			c->is_rounded = true;
			continue;
		}
		c->decimals += i >= whole.n;
		if (__builtin_mul_overflow(c->value, 10u, &c->value) ||
		    __builtin_add_overflow(c->value, (uint64_t)(digit - '0'), &c->value)) {
			c->value = UINT64_MAX;
			c->is_too_large = true;
		}
		if (i < whole.n)
			c->whole = c->value;
	}
	return true;
}

uint64_t source_count_scaled(struct profile *p, event_id event, struct source_count c)
{
	uint64_t *ledger = p->ledger.count;
	ledger[LEDGER_ROUNDED] += c.is_rounded;
	ledger[LEDGER_OVERFLOWS] += c.is_too_large;
	if (c.decimals > p->events.p[event].decimals)
		profile_set_decimals(p, event, c.decimals);
	for (unsigned d = c.decimals; d < p->events.p[event].decimals; d++)
		if (__builtin_mul_overflow(c.value, 10u, &c.value)) {
			ledger[LEDGER_OVERFLOWS]++;
			return UINT64_MAX;
		}
	return c.value;
}
