#include "symbol/kallsyms_int.h"

enum { PAGE = 4096, MAX_MODULES = 4096 };

/* --- rows --- */

/* perf names addresses by functions, weak or not (tools/lib/symbol/kallsyms.c). */
static bool is_function(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* `A`: a number that is no address; the others are of the processors' own areas, at zero. */
static bool is_place(char type, uint64_t address)
{
	return address && type != 'a' && type != 'A';
}

/* Rows of one module stand together, so the last one is looked at first. */
static uint16_t module_id(struct kallsyms *t, struct str name)
{
	for (uint32_t i = t->modules.n; i-- > 1;)
		if (str_eq(t->modules.p[i], name))
			return (uint16_t)i;
	if (t->modules.n + 1 < MAX_MODULES)
		vec_push(&t->modules, name);
	else if (t->modules.n < MAX_MODULES)
		vec_push(&t->modules, STR("[modules]"));
	return (uint16_t)(t->modules.n - 1);
}

static bool take_address(const char **p, const char *end, uint64_t *address)
{
	const char *digits = *p, *at = digits;
	uint64_t value = 0;
	for (; at < end && is_hex(*at) && at - digits < 16; at++)
		value = value << 4 | (uint64_t)((*at & 0xf) + (*at > '9' ? 9 : 0));
	*p = at;
	*address = value;
	return at > digits && end - at > 3 && at[0] == ' ' && at[2] == ' ';
}

static void read_row(struct kallsyms *t, const char *p, const char *end, bool wants_modules)
{
	uint64_t address;
	struct kallsyms_row row = { 0 };
	if (!take_address(&p, end, &address) || !is_place(p[1], address))
		return;
	char type = p[1];
	struct str name = { p + 3, (size_t)(end - p - 3) };
	const char *tab = memchr(name.p, '\t', name.n);
	if (tab) {
		if (!wants_modules)
			return;
		row.module = module_id(t, (struct str){ tab + 1, (size_t)(end - tab - 1) });
		name.n = (size_t)(tab - name.p);
	}
	row.start = address;
	/* `$x` and the like mark kinds of bytes, not functions. */
	if (is_function(type) && name.n && name.n <= UINT16_MAX && name.p[0] != '$') {
		row.name_at = (uint32_t)(name.p - t->text.p);
		row.name_bytes = (uint16_t)name.n;
	}
	vec_push(&t->rows, row);
}

static void read_rows(struct kallsyms *t, bool wants_modules)
{
	const char *p = t->text.p, *end = p + t->text.n, *line_end;
	while (p < end && (line_end = memchr(p, '\n', (size_t)(end - p)))) {
		read_row(t, p, line_end, wants_modules);
		p = line_end + 1;
	}
}

/* --- order --- */

/* Data before functions, and else as they came: the last of several names for an address counts. */
static int by_start(const void *a, const void *b)
{
	const struct kallsyms_row *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->name_at < y->name_at ? -1 : x->name_at > y->name_at;
}

static uint32_t sorted_head(const struct kallsyms *t)
{
	uint32_t n = 1;
	while (n < t->rows.n && t->rows.p[n - 1].start <= t->rows.p[n].start)
		n++;
	return n;
}

/* The kernel's own rows are sorted, those of modules stand behind them and are not. */
static void sort_rows(struct kallsyms *t)
{
	uint32_t head = sorted_head(t), i = 0;
	if (head >= t->rows.n)
		return;
	struct kallsyms_row *rows = t->rows.p;
	qsort(rows + head, t->rows.n - head, sizeof(*rows), by_start);
	if (rows[head - 1].start <= rows[head].start)
		return;
	AUTO_FREE struct kallsyms_row *first = mem_alloc(head, sizeof(*first));
	memcpy(first, rows, head * sizeof(*first));
	for (uint32_t to = 0, second = head; i < head; to++)
		rows[to] = second < t->rows.n && rows[second].start < first[i].start
				   ? rows[second++]
				   : first[i++];
}

void kallsyms_init(struct kallsyms *t, struct str text, bool wants_modules)
{
	*t = (struct kallsyms){ .text = str_first(text, UINT32_MAX) };
	vec_push(&t->modules, STR("[kernel.kallsyms]"));
	if (!text.n)
		return;
	vec_reserve(&t->rows, t->text.n / 40);
	read_rows(t, wants_modules);
	t->is_hidden = !t->rows.n && str_starts(text, STR("0000"));
	if (t->rows.n)
		sort_rows(t);
}

void kallsyms_fini(struct kallsyms *t)
{
	vec_fini(&t->rows);
	vec_fini(&t->modules);
}

/* --- looking up --- */

/* Where the function of a row ends: as perf does it (symbols__fixup_end in tools/perf/util/symbol.c). */
static uint64_t end_of(const struct kallsyms *t, uint32_t i)
{
	const struct kallsyms_row *row = &t->rows.p[i];
	if (i + 1 < t->rows.n && t->rows.p[i + 1].module == row->module)
		return t->rows.p[i + 1].start;
	/* What follows is of another module, or nothing: it lasts to the end of the next page. */
	uint64_t end = (row->start + PAGE + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	return end > row->start ? end : UINT64_MAX;
}

const struct kallsyms_row *kallsyms_find(const struct kallsyms *t, uint64_t address)
{
	uint32_t low = 0, high = t->rows.n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (t->rows.p[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	uint32_t last = low - 1, i = last;
	/* A name for data at the same address is no reason not to name the function. */
	while (i && !t->rows.p[i].name_bytes && t->rows.p[i - 1].start == t->rows.p[i].start)
		i--;
	const struct kallsyms_row *row = &t->rows.p[i];
	return row->name_bytes && address < end_of(t, last) ? row : NULL;
}

struct str kallsyms_name(const struct kallsyms *t, const struct kallsyms_row *row)
{
	return (struct str){ t->text.p + row->name_at, row->name_bytes };
}

bool kallsyms_address(const struct kallsyms *t, struct str name, uint64_t *address)
{
	for (uint32_t i = 0; i < t->rows.n; i++) {
		if (t->rows.p[i].module || !str_eq(kallsyms_name(t, &t->rows.p[i]), name))
			continue;
		*address = t->rows.p[i].start;
		return true;
	}
	return false;
}
