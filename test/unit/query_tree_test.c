/* The tree as a shape: what must hold for every profile and every query, seen on random ones. */
#include "query/query.h"
#include "sink/sink.h"
#include "random.h"
#include "tap.h"

#include <fcntl.h>
#include <unistd.h>

/*
 * Names of which many are prefixes of others, followed by characters below and above ';' and ' '.
 */
static struct str random_name(char *text)
{
	static const char alphabet[] = "a!(:<~\x80\x01";
	size_t n = 1 + random_below(3);
	for (size_t i = 0; i < n; i++)
		text[i] = alphabet[i ? random_below(sizeof(alphabet) - 1) : random_below(2) * 4];
	return (struct str){ text, n };
}

static node_id random_stack(struct profile *p, uint32_t deepest)
{
	char text[8];
	node_id node = NODE_ROOT;
	for (uint32_t depth = random_below(deepest + 1); depth; depth--) {
		struct frame f = { .name = profile_add_str(p, random_name(text)) };
		f.kind = (uint8_t)(random_below(2) ? FRAME_KERNEL : FRAME_USER);
		node = profile_add_node(p, node, profile_add_frame(p, &f));
	}
	return node;
}

static struct profile *random_profile(uint32_t samples, uint32_t deepest, bool is_differential)
{
	static const struct str events[] = { STR("cycles"), STR("faults") };
	struct profile *p = profile_new(random_below(2) ? COLUMN_TIME : 0);
	p->is_differential = is_differential;
	for (uint32_t i = 0; i < 2; i++)
		profile_add_event(p, (struct event){ .name = profile_add_str(p, events[i]) });
	for (uint32_t i = 0; i < samples; i++) {
		char text[8];
		struct thread t = { .pid = (int32_t)random_below(3),
				    .comm = profile_add_str(p, random_name(text)) };
		profile_add_sample(p, &(struct sample){
					      .node = random_stack(p, deepest),
					      .thread = random_below(4) ? profile_add_thread(p, t)
									: THREAD_NONE,
					      .event = random_below(2),
					      .time_ns = i,
					      .count = random_below(5),
					      .period = random_below(1000),
				      });
	}
	profile_seal(p);
	return p;
}

static void maybe_add(struct text_list *list, const char *text)
{
	if (random_below(4) == 0)
		text_list_add(list, str_from(text));
}

static struct query random_query(void)
{
	struct query q = { .weight = random_below(3) };
	maybe_add(&q.where, "pid=0,1");
	maybe_add(&q.where, "event=all");
	maybe_add(&q.only, "a");
	maybe_add(&q.without, "~$");
	maybe_add(&q.hide, "^a.$");
	maybe_add(&q.root, "<");
	maybe_add(&q.skip_after, "a");
	q.collapse_recursion = random_below(4) == 0;
	q.reverse = random_below(4) == 0;
	q.mark_kernel = random_below(2);
	q.show_pid = random_below(2);
	return q;
}

/* Preorder: a node's subtree follows it, and its children lie in there one behind the other. */
static bool is_preorder(const struct tree *t)
{
	if (t->n == 0 || t->depth[0] != 0 || t->end[0] != t->n)
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		if (t->end[i] <= i || t->end[i] > t->n)
			return false;
		for (uint32_t child = i + 1; child < t->end[i]; child = t->end[child])
			if (t->depth[child] != t->depth[i] + 1 || t->end[child] > t->end[i])
				return false;
	}
	return true;
}

static struct str name_of(const struct tree *t, uint32_t node)
{
	return t->labels.p[t->label[node]].name;
}

static bool siblings_are_ordered(const struct tree *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		for (uint32_t child = i + 1; child < t->end[i] && t->end[child] < t->end[i];
		     child = t->end[child])
			if (str_compare(name_of(t, child), name_of(t, t->end[child])) >= 0)
				return false;
	return true;
}

static bool totals_add_up(const struct tree *t, unsigned value)
{
	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t sum = t->self[value][i];
		for (uint32_t child = i + 1; child < t->end[i]; child = t->end[child])
			sum += t->total[value][child];
		if (sum != t->total[value][i])
			return false;
	}
	return true;
}

static uint64_t sum_of_self(const struct tree *t)
{
	uint64_t sum = 0;
	for (unsigned v = 0; v < t->value_count; v++)
		for (uint32_t i = 0; i < t->n; i++)
			sum += t->self[v][i];
	return sum;
}

/* Every leaf is there because of a stack that ends in it. */
static bool leaves_have_stacks(const struct tree *t)
{
	for (uint32_t i = 1; i < t->n; i++)
		if (t->end[i] == i + 1 && !t->own_stacks[i])
			return false;
	return !t->own_stacks[0];
}

static bool ledger_adds_up(const struct profile *p, const struct query_ledger *l)
{
	uint64_t all = 0;
	for (uint32_t i = 0; i < p->samples.n; i++)
		all += p->samples.count[i];
	return l->samples_in == all && all == l->shown + l->by_where + l->by_time + l->by_text +
						       l->idle + l->other_events +
						       l->not_under_root;
}

static void check_invariants(void)
{
	bool preorder = true, totals = true, ordered = true, leaves = true, ledger = true,
	     weights = true;
	for (uint32_t round = 0; round < 400; round++) {
		struct err e = { 0 };
		struct query_ledger l;
		struct profile *p =
			random_profile(random_below(200), 1 + random_below(12), round % 4 == 0);
		struct query q = random_query();
		struct tree *t = query_tree(p, &q, &l, &e);
		preorder &= t && is_preorder(t);
		for (unsigned v = 0; t && v < t->value_count; v++)
			totals &= totals_add_up(t, v);
		ordered &= t && siblings_are_ordered(t);
		leaves &= t && leaves_have_stacks(t);
		ledger &= t && ledger_adds_up(p, &l);
		if (t && !l.is_in_periods) /* then the weight is the count */
			weights &= sum_of_self(t) == l.shown;
		tree_free(t);
		query_fini(&q);
		profile_unref(p);
	}
	tap_ok(preorder, "the arrays are in preorder, with ends and depths");
	tap_ok(totals, "a total is self and the totals of the children");
	tap_ok(ordered, "siblings are ordered by name and no two are equal");
	tap_ok(leaves, "each leaf has a stack of its own, the root has none");
	tap_ok(ledger, "each sample is shown or counted under one reason");
	tap_ok(weights, "the weights shown are the samples shown");
}

/* Also with transforms that move frames but leave no row out. */
static void check_periods(bool reverse)
{
	struct err e = { 0 };
	struct query_ledger l;
	uint64_t want = 0;
	struct profile *p = random_profile(500, 6, false);
	struct query q = { .weight = QUERY_WEIGHT_PERIOD,
			   .reverse = reverse,
			   .collapse_recursion = reverse };
	for (uint32_t i = 0; i < p->samples.n; i++)
		want += p->samples.event[i] == 0 ? p->samples.period[i] : 0;
	struct tree *t = query_tree(p, &q, &l, &e);
	tap_num_eq(t ? sum_of_self(t) : 0, want, "the weights are the periods of the rows shown");
	tap_num_eq(t ? t->total[0][0] : 0, want, "the root's total is all of them");
	tree_free(t);
	profile_unref(p);
}

static void check_empty(void)
{
	struct err e = { 0 };
	struct query_ledger l;
	struct profile *p = random_profile(0, 1, false);
	struct query q = { 0 };
	struct tree *t = query_tree(p, &q, &l, &e);
	tap_ok(t && t->n == 1 && t->end[0] == 1 && t->total[0][0] == 0,
	       "no samples: the root alone");
	tap_num_eq(l.samples_in, 0, "no samples: none in the ledger");
	tree_free(t);
	profile_unref(p);
}

static void check_overflow(void)
{
	struct err e = { 0 };
	struct query_ledger l;
	struct query q = { 0 };
	struct profile *p = profile_new(COLUMN_TIME);
	profile_add_event(p, (struct event){ .name = profile_add_str(p, STR("cycles")) });
	for (uint32_t i = 0; i < 3; i++) {
		struct frame f = { .name = profile_add_str(p, i == 2 ? STR("b") : STR("a")) };
		node_id node = profile_add_node(p, NODE_ROOT, profile_add_frame(p, &f));
		profile_add_sample(p, &(struct sample){ .node = node, .count = UINT64_MAX - 1 });
	}
	profile_seal(p);
	struct tree *t = query_tree(p, &q, &l, &e);
	tap_ok(t && t->n == 3 && t->self[0][1] == UINT64_MAX, "a sum too large is held");
	tap_ok(t && t->total[0][0] == UINT64_MAX, "a total too large is held");
	tap_num_eq(l.overflows, 2, "both are counted");
	tree_free(t);
	profile_unref(p);
}

/* --- folded text --- */

static char folder[] = "/tmp/plume-query-XXXXXX";

/* The tree as sink_folded writes it. */
static void fold_tree(const struct tree *t, struct buf *out)
{
	char path[64];
	struct err e = { 0 };
	ssize_t n;
	snprintf(path, sizeof(path), "%s/out", folder);
	struct writer *w = writer_open(path, &e);
	sink_folded(t, w);
	tap_ok(writer_commit(w, &e), "the text is written %s", e.text);
	writer_free(w);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	while ((n = read(fd, buf_reserve(out, 1 << 20), 1 << 20)) > 0)
		out->n += (size_t)n;
	close(fd);
	unlink(path);
}

struct line {
	struct str stack;
	uint64_t count;
};

static int by_stack(const void *a, const void *b)
{
	return str_compare(((const struct line *)a)->stack, ((const struct line *)b)->stack);
}

static struct str naive_stack(struct arena *a, const struct profile *p, uint32_t row)
{
	AUTO(buf) struct buf text = { 0 };
	struct str tail = STR("");
	for (node_id i = p->samples.node[row]; i != NODE_ROOT; i = p->nodes.p[i].parent) {
		text.n = 0;
		buf_add(&text, profile_str(p, p->frames.p[p->nodes.p[i].frame].name));
		buf_add(&text, tail.n ? STR(";") : STR(""));
		buf_add(&text, tail);
		tail = arena_copy(a, buf_str(&text));
	}
	text.n = 0;
	if (p->samples.thread[row])
		buf_add(&text, profile_str(p, p->threads.p[p->samples.thread[row]].comm));
	for (size_t i = 0; i < text.n; i++) /* the rule for comms */
		if ((unsigned char)text.p[i] <= ' ' || text.p[i] == 0x7f)
			text.p[i] = '_';
	buf_add(&text, text.n && tail.n ? STR(";") : STR(""));
	buf_add(&text, text.n || tail.n ? tail : STR("[no stack]"));
	return arena_copy(a, buf_str(&text));
}

/* All stacks as text, sorted and added up: what folding is, in a few lines. */
static void naive_fold(const struct profile *p, struct buf *out)
{
	AUTO(arena) struct arena a = { 0 };
	uint32_t n = p->samples.n;
	struct line *lines = mem_zalloc(n, sizeof(*lines));
	for (uint32_t i = 0; i < n; i++)
		lines[i] = (struct line){ naive_stack(&a, p, i), p->samples.count[i] };
	qsort(lines, n, sizeof(*lines), by_stack);
	for (uint32_t i = 0, next; i < n; i = next) {
		uint64_t count = 0;
		for (next = i; next < n && str_eq(lines[next].stack, lines[i].stack); next++)
			count += lines[next].count;
		buf_add(out, lines[i].stack);
		buf_addf(out, " %llu\n", (unsigned long long)count);
	}
	free(lines);
}

static void check_folded(uint32_t samples, uint32_t deepest)
{
	struct err e = { 0 };
	struct query_ledger l;
	AUTO(buf) struct buf got = { 0 }, want = { 0 };
	struct profile *p = random_profile(samples, deepest, false);
	struct query q = { .where = { 0 } };
	text_list_add(&q.where, STR("event=all"));
	struct tree *t = query_tree(p, &q, &l, &e);
	if (t)
		fold_tree(t, &got);
	naive_fold(p, &want);
	tap_ok(t && str_eq(buf_str(&got), buf_str(&want)),
	       "%u random stacks as a naive fold has them", samples);
	tree_free(t);
	query_fini(&q);
	profile_unref(p);
}

/* --- deep stacks --- */

static struct profile *deep_profile(uint32_t depth)
{
	struct profile *p = profile_new(0);
	node_id node = NODE_ROOT;
	char text[16];
	profile_add_event(p, (struct event){ .name = profile_add_str(p, STR("cycles")) });
	for (uint32_t i = 0; i < depth; i++) {
		int n = snprintf(text, sizeof(text), "f%u", i % 3);
		struct frame f = { .name = profile_add_str(p, (struct str){ text, (size_t)n }) };
		node = profile_add_node(p, node, profile_add_frame(p, &f));
	}
	profile_add_sample(p, &(struct sample){ .node = node, .count = 1 });
	profile_seal(p);
	return p;
}

static void check_deep(bool reverse, const char *only)
{
	enum { DEPTH = 200000 };
	struct err e = { 0 };
	struct query_ledger l;
	AUTO(buf) struct buf text = { 0 };
	struct profile *p = deep_profile(DEPTH);
	struct query q = { .reverse = reverse };
	if (only)
		text_list_add(&q.only, str_from(only));
	struct tree *t = query_tree(p, &q, &l, &e);
	tap_ok(t && t->n == DEPTH + 1 && t->depth[DEPTH] == DEPTH && t->total[0][1] == 1,
	       "a stack of 200,000 frames is a tree of that depth");
	if (t)
		fold_tree(t, &text);
	tap_num_eq(text.n, 3 * DEPTH - 1 + 3, "and a line of that many names");
	tree_free(t);
	query_fini(&q);
	profile_unref(p);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	check_invariants();
	check_periods(false);
	check_periods(true);
	check_empty();
	check_overflow();
	check_folded(1, 3);
	check_folded(50, 2);
	check_folded(3000, 1);
	check_folded(3000, 5);
	check_folded(3000, 40);
	check_deep(false, NULL);
	check_deep(true, NULL);
	check_deep(false, "f0;f1;f2");
	rmdir(folder);
	return tap_done();
}
