/*
 * The symbol at an address. If the same code has several names, plume shows the one that perf would
 * show (choose_best_symbol in tools/perf/util/symbol.c). If symbols overlap, plume takes the one
 * that starts last; perf takes the one it happens to find first.
 */
#include "name/name.h"
#include "symbol/table_int.h"

enum {
	MAX_MADE_NAME_BYTES = 16 << 10,
	MAX_ALIASES = 1 << 14,	/* of one start; further ones are not compared */
	MAX_OUTER_STEPS = 256,	/* functions around an address that end before it */
	COMPARISON_BYTES = 256, /* what comparing costs besides reading the name */
	MAX_COMPARED_BYTES = 128 << 20,
};

/* --- names --- */

static size_t leading_underscores(struct str name)
{
	size_t n = 0;
	while (n < name.n && name.p[n] == '_')
		n++;
	return n;
}

/*
 * The length without the parameters at the end, which perf does not show: `a::f(int) const`, but not
 * `(anonymous namespace)::f`.
 */
static size_t length_without_parameters(struct str name)
{
	size_t end = name.n, depth = 0;
	while (end && name.p[end - 1] != ')' && name.p[end - 1] != ':')
		end--;
	if (!end || name.p[end - 1] == ':')
		return name.n;
	for (size_t i = end; i > 0; i--) {
		depth += name.p[i - 1] == ')';
		if (name.p[i - 1] == '(' && --depth == 0)
			return i - 1;
	}
	return name.n;
}

/* Of two names for the same code: fewer underscores, then longer, as they are read by people. */
static bool is_better_name(struct str name, struct str best)
{
	AUTO(buf) struct buf readable = { 0 }, readable_best = { 0 };
	size_t n = name.n, best_n = best.n;
	if (str_eq(name, best) || !n || !best_n)
		return n && !best_n;
	if (name_demangle(name, &readable)) {
		name = buf_str(&readable);
		n = length_without_parameters(name);
	}
	if (name_demangle(best, &readable_best)) {
		best = buf_str(&readable_best);
		best_n = length_without_parameters(best);
	}
	size_t underscores = leading_underscores(name), fewest = leading_underscores(best);
	return underscores != fewest ? underscores < fewest : n > best_n;
}

/* How many of n rows start at or before the address. */
static uint32_t rows_before(const struct symbol_row *rows, uint32_t n, uint64_t address)
{
	uint32_t low = 0, high = n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (rows[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct str text_of(const struct symbol_table *t, uint32_t name)
{
	uint32_t i = t->texts.n;
	while (i-- > 0)
		if (t->texts.p[i].first <= name)
			return elf_text_at(t->texts.p[i].bytes, name - t->texts.p[i].first);
	return STR("");
}

/*
 * A hostile file has thousands of long names for each address: once comparing them has taken some
 * time, the first one that is met has to do. An empty name is one without an end, which was looked for.
 */
static bool may_compare(struct symbol_table *t, struct str name)
{
	t->compared_bytes += name.n ? name.n + COMPARISON_BYTES : ELF_MAX_NAME_BYTES;
	return t->compared_bytes <= MAX_COMPARED_BYTES;
}

/* The best name among rows that start at the address; empty: there are none. */
static struct str name_at(struct symbol_table *t, const struct symbol_row *rows, uint32_t n,
			  uint64_t address)
{
	struct str best = STR("");
	uint32_t first = address ? rows_before(rows, n, address - 1) : 0;
	for (uint32_t i = first; i < n && rows[i].start == address && i - first < MAX_ALIASES;
	     i++) {
		if (rows[i].name >= SYMBOL_MADE_FIRST || rows[i].rank < rows[first].rank)
			continue;
		struct str name = text_of(t, rows[i].name);
		if (is_better_name(name, best))
			best = name;
		if (!may_compare(t, name))
			break;
	}
	return best;
}

/*
 * What a stub of the PLT calls; empty when it has no name. One that is chosen when the program starts is
 * known by the function that chooses: it has the same name, or in a stripped file, its own.
 */
static struct str function_of_stub(struct symbol_table *t, const struct symbol_made *m)
{
	if (m->function.n)
		return m->function;
	struct str name = name_at(t, t->choosers.p, t->choosers.n, m->address);
	return name.n ? name : name_at(t, t->rows.p, t->rows.n, m->address);
}

/* Only what is asked for is put together: a hostile file has many stubs for one long name. */
static struct str make_name(struct symbol_table *t, struct symbol_made *m)
{
	AUTO(buf) struct buf text = { 0 };
	if (m->text.n)
		return m->text;
	if (!m->function.n && !m->address)
		return STR(".plt");
	struct str function = function_of_stub(t, m);
	ptrdiff_t version = str_find_char(function, '@'); /* memcpy@@GLIBC_2.14 */
	if (version > 0)
		function = str_first(function, (size_t)version);
	if (function.n && function.n <= MAX_MADE_NAME_BYTES)
		buf_add(&text, function);
	else
		buf_addf(&text, "*ABS*+0x%llx", (unsigned long long)m->address);
	buf_add(&text, STR("@plt"));
	m->text = arena_copy(&t->made_texts, buf_str(&text));
	return m->text;
}

static struct str name_of(struct symbol_table *t, uint32_t name)
{
	if (name >= SYMBOL_MADE_FIRST)
		return make_name(t, &t->made.p[name - SYMBOL_MADE_FIRST]);
	return text_of(t, name);
}

/* --- looking up --- */

static bool holds(const struct symbol_row *row, uint64_t address)
{
	return address - row->start < row->size_bytes;
}

/* The rows [first, last] have one start; those of them that hold the address compete. */
static uint32_t best_of_aliases(struct symbol_table *t, uint32_t first, uint32_t last,
				uint64_t address)
{
	const struct symbol_row *rows = t->rows.p;
	uint32_t best = last;
	struct str best_name = name_of(t, rows[last].name);
	/* The first of equals wins, so they are met from the last. */
	for (uint32_t i = last; i-- > first;) {
		if (!holds(&rows[i], address) || rows[i].rank < rows[best].rank ||
		    rows[i].name == rows[best].name)
			continue;
		struct str name = name_of(t, rows[i].name);
		if (!may_compare(t, name))
			break;
		if (rows[i].rank == rows[best].rank && is_better_name(best_name, name))
			continue;
		best = i;
		best_name = name;
	}
	return best;
}

/* A row that holds the address, whose name is the best of all that start where it does. */
static const struct symbol_row *choose_alias(struct symbol_table *t, uint32_t last,
					     uint64_t address)
{
	struct symbol_row *rows = t->rows.p;
	uint32_t first = last;
	while (first && rows[first - 1].start == rows[last].start && last - first < MAX_ALIASES)
		first--;
	if (first == last)
		return &rows[last];
	struct symbol_row best = rows[best_of_aliases(t, first, last, address)];
	/* What it won against is never asked again: comparing means demangling. */
	for (uint32_t i = first; i <= last; i++) {
		if (!holds(&rows[i], address) || rows[i].size_bytes > best.size_bytes)
			continue;
		rows[i].name = best.name;
		rows[i].rank = best.rank;
	}
	return &rows[last];
}

bool symbol_table_find(struct symbol_table *t, uint64_t address, struct binary_symbol *found)
{
	uint32_t n = rows_before(t->rows.p, t->rows.n, address);
	uint32_t i = n ? n - 1 : INDEX_NONE;
	for (int steps = 0; i != INDEX_NONE && !holds(&t->rows.p[i], address); steps++)
		i = steps < MAX_OUTER_STEPS ? t->outer[i] : INDEX_NONE;
	if (i == INDEX_NONE)
		return false;
	found->start = t->rows.p[i].start;
	found->name = name_of(t, choose_alias(t, i, address)->name);
	return found->name.n;
}
