/* Samples over time, in rows and columns: the heat map and the lanes. */
#include "query/prepared_int.h"

const char *const grid_key_names[] = {
	"offset", "cpu", "thread", "process", "event", "total", NULL
};

/* The grid row key of a profile row. */
static uint64_t key_of(const struct profile *p, enum grid_by by, uint32_t row)
{
	const struct samples *s = &p->samples;
	switch (by) {
	case GRID_CPU:
		return (uint64_t)(int64_t)s->cpu[row];
	case GRID_THREAD:
		return s->thread[row];
	case GRID_PROCESS:
		return (uint64_t)(int64_t)p->threads.p[s->thread[row]].pid;
	case GRID_EVENT:
		return s->event[row];
	default:
		return 0;
	}
}

static bool key_equal(const void *rows, uint32_t i, const void *key)
{
	return ((const struct grid_row *)rows)[i].key == *(const uint64_t *)key;
}

static uint32_t hash_key(uint64_t key)
{
	return hash_str((struct str){ (const char *)&key, sizeof(key) });
}

/* Finds the grid's rows; of_row: by row of the profile. */
static uint32_t *list_rows(const struct prepared *q, const struct grid_request *r, struct grid *g)
{
	const struct tree_rows *rows = q->whole->rows;
	struct index_map map = { 0 };
	uint32_t *of_row = mem_zalloc((size_t)q->n + 1, sizeof(*of_row));
	for (uint32_t row = 0; row < q->n; row++) {
		uint64_t key = key_of(q->p, r->by, row);
		uint32_t i = index_map_find(&map, hash_key(key), key_equal, g->list.p, &key);
		if (i == INDEX_NONE) {
			i = g->list.n;
			index_map_add(&map, hash_key(key), i);
			vec_push(&g->list, (struct grid_row){ .key = key });
			g->list.p[i].thread = q->p->samples.thread[row];
		}
		of_row[row] = i;
		if (rows->node[row] == INDEX_NONE)
			continue;
		ledger_add(&g->list.p[i].weight, rows->weight[row]);
		ledger_add(&g->list.p[i].samples, q->p->samples.count[row]);
	}
	index_map_fini(&map);
	return of_row;
}

static int by_key(const void *a, const void *b, void *list)
{
	const struct grid_row *rows = list;
	int64_t x = (int64_t)rows[*(const uint32_t *)a].key,
		y = (int64_t)rows[*(const uint32_t *)b].key;
	return (x > y) - (x < y);
}

static int by_weight(const void *a, const void *b, void *list)
{
	const struct grid_row *rows = list;
	uint64_t x = rows[*(const uint32_t *)a].weight, y = rows[*(const uint32_t *)b].weight;
	return x != y ? (x < y) - (x > y) : by_key(a, b, list);
}

/* CPUs and events keep their order; threads and processes are sorted by weight. */
static void order_rows(struct grid *g, enum grid_by by, uint32_t *of_row, uint32_t n)
{
	uint32_t count = g->list.n;
	if (!count)
		return;
	AUTO_FREE uint32_t *order = mem_alloc(count, sizeof(*order));
	AUTO_FREE uint32_t *place = mem_alloc(count, sizeof(*place));
	AUTO_FREE struct grid_row *rows = mem_alloc(count, sizeof(*rows));
	bool is_by_use = by == GRID_THREAD || by == GRID_PROCESS;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), is_by_use ? by_weight : by_key, g->list.p);
	for (uint32_t i = 0; i < count; i++) {
		place[order[i]] = i;
		rows[i] = g->list.p[order[i]];
	}
	memcpy(g->list.p, rows, count * sizeof(*rows));
	for (uint32_t i = 0; i < n; i++)
		of_row[i] = place[of_row[i]];
}

/* Rounds down, even below 0. */
static int64_t floor_to(int64_t value, int64_t unit)
{
	int64_t rest = value % unit;
	return value - (rest < 0 ? rest + unit : rest);
}

/* Doubles the width until the cells fit. */
static void place_columns(struct grid *g, const struct grid_request *r)
{
	uint64_t width = r->column_ns ? r->column_ns : 1;
	uint64_t span = r->until_ns > r->from_ns ? (uint64_t)(r->until_ns - r->from_ns) : 1;
	uint64_t most = GRID_MAX_CELLS / (g->rows ? g->rows : 1);
	while (span / width + 2 > most && width < INT64_MAX / 4)
		width *= 2;
	g->column_ns = width;
	g->from_ns = r->origin_ns + floor_to(r->from_ns - r->origin_ns, (int64_t)width);
	uint64_t columns = ((uint64_t)(r->until_ns - g->from_ns) + width - 1) / width;
	g->columns = r->until_ns > g->from_ns ? (uint32_t)columns : 0;
}

struct filling {
	const struct prepared *q;
	const struct grid_request *r;
	const uint32_t *of_row;
	struct grid *g;
};

static void fill_cell(struct filling *f, uint32_t i)
{
	struct grid *g = f->g;
	uint32_t row = f->q->row[i], node = f->q->whole->rows->node[row];
	if (node == INDEX_NONE)
		return;
	uint64_t since =
		f->q->time_ns[i] - (uint64_t)g->from_ns; /* may wrap when from_ns is below 0 */
	uint64_t column = since / g->column_ns;
	if (column >= g->columns)
		return;
	uint32_t part = f->of_row ? f->of_row[row]
				  : (uint32_t)((double)(since % g->column_ns) * g->rows /
					       (double)g->column_ns);
	if (part >= g->rows)
		part = g->rows - 1;
	size_t cell = (size_t)column * g->rows + part;
	uint64_t weight = f->q->whole->rows->weight[row];
	ledger_add(&g->value[cell], weight);
	ledger_add(&g->total, weight);
	if (g->hits && f->r->is_hit[node])
		ledger_add(&g->hits[cell], weight);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static void find_top(struct grid *g)
{
	size_t cells = (size_t)g->columns * g->rows, n = 0;
	AUTO_FREE uint64_t *used = mem_alloc(cells + 1, sizeof(*used));
	for (size_t i = 0; i < cells; i++) {
		if (g->value[i])
			used[n++] = g->value[i];
		g->max = g->value[i] > g->max ? g->value[i] : g->max;
	}
	if (!n)
		return;
	qsort(used, n, sizeof(*used), compare_u64);
	g->top = used[(n - 1) - (n - 1) / 200];
}

static bool knows_cpus(const struct samples *s)
{
	for (uint32_t i = 0; s->cpu && i < s->n; i++)
		if (s->cpu[i] >= 0)
			return true;
	return false;
}

static bool can_show(const struct prepared *q, enum grid_by by, struct err *e)
{
	if (!q->time_ns)
		return err_set(e, "the samples have no times, so they cannot be shown over time");
	if (by == GRID_CPU && !knows_cpus(&q->p->samples))
		return err_set(e, "the samples do not say which CPU they were taken on");
	return true;
}

struct grid *prepared_grid(const struct prepared *q, const struct grid_request *r, struct err *e)
{
	if (!can_show(q, r->by, e))
		return NULL;
	struct grid *g = mem_zalloc(1, sizeof(*g));
	AUTO_FREE uint32_t *of_row = NULL;
	g->rows = r->parts;
	if (r->by != GRID_OFFSET) {
		of_row = list_rows(q, r, g);
		order_rows(g, r->by, of_row, q->n);
		g->rows = g->list.n;
	}
	place_columns(g, r);
	g->value = mem_zalloc((size_t)g->columns * g->rows + 1, sizeof(*g->value));
	if (r->is_hit)
		g->hits = mem_zalloc((size_t)g->columns * g->rows + 1, sizeof(*g->hits));
	struct filling f = { q, r, of_row, g };
	uint64_t from = g->from_ns > 0 ? (uint64_t)g->from_ns : 0;
	uint64_t until = r->until_ns > 0 ? (uint64_t)r->until_ns : 0;
	for (uint32_t k = 0; k < q->runs.n; k++) {
		uint32_t i = prepared_position(q, &q->runs.p[k], from);
		for (; i < q->runs.p[k].until && q->time_ns[i] < until; i++)
			fill_cell(&f, i);
	}
	find_top(g);
	return g;
}

void grid_free(struct grid *g)
{
	if (!g)
		return;
	free(g->value);
	free(g->hits);
	vec_fini(&g->list);
	free(g);
}
