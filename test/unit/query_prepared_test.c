/* A prepared query answers every range as if it were asked anew; grids hold every sample. */
#include "query/query.h"
#include "random.h"
#include "tap.h"

enum { SECONDS = 20 };

static struct str random_name(char *text)
{
	text[0] = (char)('a' + random_below(6));
	return (struct str){ text, 1 };
}

static node_id random_stack(struct profile *p)
{
	char text[2];
	node_id node = NODE_ROOT;
	for (uint32_t depth = random_below(6); depth; depth--) {
		struct frame f = { .name = profile_add_str(p, random_name(text)) };
		f.kind = (uint8_t)(random_below(3) ? FRAME_USER : FRAME_KERNEL);
		node = profile_add_node(p, node, profile_add_frame(p, &f));
	}
	return node;
}

/* Times are whole seconds, so that ranges can be written exactly; some are out of order. */
static struct profile *random_profile(void)
{
	static const struct str events[] = { STR("cpu-clock"), STR("faults") };
	struct profile *p = profile_new(COLUMNS_ALL);
	for (uint32_t i = 0; i < 2; i++)
		profile_add_event(p, (struct event){ .name = profile_add_str(p, events[i]),
						     .counts_periods = i });
	bool is_sorted = random_below(2);
	for (uint32_t i = 0, n = 1 + random_below(300); i < n; i++) {
		char text[2];
		struct thread t = { .pid = (int32_t)random_below(3),
				    .tid = (int32_t)random_below(5),
				    .comm = profile_add_str(p, random_name(text)) };
		uint64_t second = is_sorted ? i * SECONDS / n : random_below(SECONDS);
		profile_add_sample(p, &(struct sample){ .node = random_stack(p),
							.thread = profile_add_thread(p, t),
							.event = random_below(4) == 0,
							.cpu = (int32_t)random_below(3),
							.time_ns = 7 + second * 1000000000,
							.count = random_below(4),
							.period = random_below(1000) });
	}
	profile_seal(p);
	return p;
}

static void maybe_add(struct text_list *list, const char *text)
{
	if (random_below(4) == 0)
		text_list_add(list, str_from(text));
}

static void random_query(struct query *q)
{
	*q = (struct query){ .reverse = random_below(4) == 0,
			     .collapse_recursion = random_below(2),
			     .by_kind = random_below(2),
			     .all_events = random_below(2),
			     .in_order = random_below(3) == 0,
			     .by_thread = random_below(2),
			     .weight = random_below(3) };
	maybe_add(&q->root, "a");
	maybe_add(&q->hide, "b");
	maybe_add(&q->only, "c");
	maybe_add(&q->without, "d");
	maybe_add(&q->where, "pid=1,2");
}

/* The first sample may be later than the first second; ranges count from it. */
static void random_ranges(struct text_list *times, uint32_t most)
{
	for (uint32_t i = random_below(most + 1); i; i--) {
		char text[40];
		unsigned from = random_below(SECONDS), until = from + random_below(6);
		snprintf(text, sizeof(text), "%u,%u", from, until);
		text_list_add(times, str_from(text));
	}
}

static void add_path(struct buf *out, const struct tree *t, uint32_t node)
{
	buf_addf(out, "%u ", t->depth[node]);
	buf_add(out, tree_label_of(t, node)->name);
	buf_addf(out, "/%u %llu %llu %u %u", tree_label_of(t, node)->kind,
		 (unsigned long long)t->self[0][node], (unsigned long long)t->total[0][node],
		 t->own_stacks[node], t->end[node]);
	if (t->start)
		buf_addf(out, " @%llu", (unsigned long long)t->start[node]);
	buf_add_char(out, '\n');
}

static void add_tree(struct buf *out, const struct tree *t, const struct query_ledger *l)
{
	buf_addf(out, "%llu = %llu %llu %llu %llu %llu %llu, stacks %llu, periods %d\n",
		 (unsigned long long)l->samples_in, (unsigned long long)l->shown,
		 (unsigned long long)l->by_where, (unsigned long long)l->by_time,
		 (unsigned long long)l->by_text, (unsigned long long)l->other_events,
		 (unsigned long long)l->not_under_root, (unsigned long long)l->stacks,
		 l->stacks && l->is_in_periods);
	for (uint32_t i = 0; i < t->n; i++)
		add_path(out, t, i);
}

/* A stack that goes on from before the range begins with it, as one asked for anew does. */
static bool compare(const struct profile *p, struct query *q, const struct prepared *prepared)
{
	struct err e = { 0 };
	struct query_ledger got_ledger, want_ledger;
	AUTO(time_ranges) struct time_ranges ranges = { 0 };
	AUTO(buf) struct buf got = { 0 };
	AUTO(buf) struct buf want = { 0 };
	random_ranges(&q->times, q->in_order ? 1 : 3);
	bool ok = !q->times.n || query_time_ranges(p, &q->times, &ranges, &e);
	struct tree *range = prepared_tree(prepared, q->times.n ? &ranges : NULL, &got_ledger);
	struct tree *anew = query_tree(p, q, &want_ledger, &e);
	ok = ok && anew;
	if (ok) {
		add_tree(&got, range, &got_ledger);
		add_tree(&want, anew, &want_ledger);
		ok = str_eq(buf_str(&got), buf_str(&want));
		if (!ok)
			printf("# got\n%.*s# want\n%.*s", STR_ARG(buf_str(&got)),
			       STR_ARG(buf_str(&want)));
	}
	tree_free(range);
	tree_free(anew);
	text_list_fini(&q->times);
	q->times = (struct text_list){ 0 };
	return ok;
}

static bool one_profile(void)
{
	struct err e = { 0 };
	struct query q;
	struct profile *p = random_profile();
	random_query(&q);
	struct prepared *prepared = prepared_new(p, &q, &e);
	bool ok = prepared != NULL;
	for (unsigned i = 0; ok && i < 5; i++)
		ok = compare(p, &q, prepared);
	prepared_free(prepared);
	query_fini(&q);
	profile_unref(p);
	return ok;
}

static void ranges_equal_queries(void)
{
	unsigned good = 0;
	for (unsigned i = 0; i < 200; i++)
		good += one_profile();
	tap_num_eq(good, 200, "any range of a prepared query equals the query with that range");
}

/* --- grids --- */

static bool grid_holds_all(const struct prepared *q, enum grid_by by, uint64_t column_ns)
{
	struct err e = { 0 };
	const struct tree *t = prepared_whole(q);
	AUTO_FREE bool *is_hit = mem_zalloc(t->n, sizeof(*is_hit));
	for (uint32_t i = 0; i < t->n; i++)
		is_hit[i] = random_below(2);
	struct grid_request r = { .by = by,
				  .parts = 1 + random_below(60),
				  .column_ns = column_ns,
				  .from_ns = (int64_t)random_below(8),
				  .until_ns = (SECONDS + 1) * 1000000000ll,
				  .origin_ns = -(int64_t)random_below(1000000000),
				  .is_hit = is_hit };
	struct grid *g = prepared_grid(q, &r, &e);
	uint64_t sum = 0, rows = 0, most = 0, wrong_hits = 0;
	for (size_t i = 0; g && i < (size_t)g->columns * g->rows; i++) {
		sum += g->value[i];
		most = g->value[i] > most ? g->value[i] : most;
		wrong_hits += g->hits[i] > g->value[i];
	}
	for (uint32_t i = 0; g && i < g->list.n; i++)
		rows += g->list.p[i].weight;
	bool ok = g && sum == t->total[0][0] && sum == g->total && most == g->max &&
		  g->top <= g->max && (g->top || !sum) && !wrong_hits &&
		  (by == GRID_OFFSET || rows == sum);
	grid_free(g);
	return ok;
}

static void grids_hold_every_sample(void)
{
	unsigned good = 0, all = 0;
	for (unsigned i = 0; i < 30; i++) {
		struct err e = { 0 };
		struct query q = { .all_events = true, .weight = random_below(3) };
		struct profile *p = random_profile();
		struct prepared *prepared = prepared_new(p, &q, &e);
		for (enum grid_by by = 0; by < GRID_KEYS; by++, all++)
			good += grid_holds_all(prepared, by, 1 + random_below(2) * 999999999);
		prepared_free(prepared);
		profile_unref(p);
	}
	tap_num_eq(good, all,
		   "the cells of a grid add up to the tree, whatever its rows and columns");
}

static void wide_grids_are_bounded(void)
{
	struct err e = { 0 };
	struct query q = { 0 };
	struct profile *p = random_profile();
	struct prepared *prepared = prepared_new(p, &q, &e);
	struct grid_request r = { .parts = GRID_MAX_PARTS,
				  .column_ns = 1,
				  .from_ns = INT64_MIN / 4,
				  .until_ns = INT64_MAX / 4 };
	struct grid *g = prepared_grid(prepared, &r, &e);
	tap_ok(g && (uint64_t)g->columns * g->rows <= GRID_MAX_CELLS && g->column_ns > 1,
	       "a grid with too many columns gets wider ones");
	tap_num_eq(g ? g->total : 0, prepared_whole(prepared)->total[0][0],
		   "... and still holds every sample");
	grid_free(g);
	prepared_free(prepared);
	profile_unref(p);
}

int main(void)
{
	ranges_equal_queries();
	grids_hold_every_sample();
	wide_grids_are_bounded();
	return tap_done();
}
