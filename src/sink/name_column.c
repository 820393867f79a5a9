#include "sink/name_column.h"

#include "sink/fit_text.h"

struct fitting {
	struct name_column *column;
	const struct str *names;
	size_t columns;
	bool is_unicode;
};

void name_column_fini(struct name_column *c)
{
	free(c->p);
	arena_fini(&c->text);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct fitting *f = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int by_text = str_compare(f->column->p[x], f->column->p[y]);
	return by_text ? by_text : str_compare(f->names[x], f->names[y]);
}

/* rows[0..n) look alike. */
static void tell_apart(const struct fitting *f, const uint32_t *rows, uint32_t n)
{
	/* In order, so that the first and the last have least in common. */
	struct str first = f->names[rows[0]], last = f->names[rows[n - 1]];
	AUTO(buf) struct buf text = { 0 };
	if (str_eq(first, last))
		return;
	struct fit_common common = fit_common(first, last);
	for (uint32_t i = 1; i < n; i++) {
		size_t after = fit_common(first, f->names[rows[i]]).after;
		if (!str_eq(first, f->names[rows[i]]) && after < common.after)
			common.after = after;
	}
	for (uint32_t i = 0; i < n; i++) {
		text.n = 0;
		fit_add_different(&text, f->names[rows[i]], common, f->columns, f->is_unicode);
		f->column->p[rows[i]] = arena_copy(&f->column->text, buf_str(&text));
	}
}

static void tell_all_apart(struct fitting *f)
{
	const struct name_column *c = f->column;
	AUTO_FREE uint32_t *rows = mem_alloc(c->n, sizeof(*rows));
	for (uint32_t i = 0; i < c->n; i++)
		rows[i] = i;
	if (c->n)
		qsort_r(rows, c->n, sizeof(*rows), compare_rows, f);
	for (uint32_t i = 0, next; i < c->n; i = next) {
		struct str text = c->p[rows[i]];
		for (next = i + 1; next < c->n && str_eq(c->p[rows[next]], text);)
			next++;
		if (next > i + 1)
			tell_apart(f, &rows[i], next - i);
	}
}

struct name_column name_column_of(const struct str *names, uint32_t n, size_t columns,
				  bool is_unicode)
{
	AUTO(buf) struct buf text = { 0 };
	struct name_column c = { .p = mem_alloc(n, sizeof(struct str)), .n = n };
	struct fitting f = { &c, names, columns, is_unicode };
	for (uint32_t i = 0; i < n; i++) {
		text.n = 0;
		fit_add_name(&text, names[i], columns, is_unicode);
		c.p[i] = arena_copy(&c.text, buf_str(&text));
	}
	tell_all_apart(&f);
	for (uint32_t i = 0; i < n; i++) {
		size_t width = utf8_count(c.p[i]);
		c.widest = width > c.widest ? width : c.widest;
	}
	return c;
}
