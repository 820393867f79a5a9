/* What a report is made of: paths whose account is exact, callers, callees, groups, functions. */
#include "folded_tree.h"
#include "random.h"
#include "tap.h"

/* --- paths --- */

static struct paths paths_with(const struct tree *t, uint32_t max_lines, enum paths_aim aim)
{
	struct paths p;
	paths_of_tree(
		t, &(struct paths_query){ .aim = aim, .max_lines = max_lines, .least_held = 0.5 },
		&p);
	return p;
}

/* A line's total is its own, what its lines below have, and what it says is left. */
static bool line_adds_up(const struct paths *p, uint32_t i)
{
	const struct path_line *line = &p->lines.p[i];
	uint64_t sum = line->self + line->further + line->elsewhere;
	for (uint32_t k = i + 1; k < p->lines.n && p->lines.p[k].depth > line->depth; k++)
		if (p->lines.p[k].depth == line->depth + 1)
			sum += p->lines.p[k].total;
	return sum == line->total;
}

static bool account_is_exact(const struct tree *t, const struct paths *p)
{
	uint64_t ends = 0, further = 0, rests = 0;
	for (uint32_t i = 0; i < p->lines.n; i++) {
		const struct path_line *line = &p->lines.p[i];
		ends += line->self;
		further += line->is_rest ? 0 : line->further;
		rests += line->is_rest ? line->total : 0;
		if (!line->is_rest && !line_adds_up(p, i))
			return false;
		if (!line->is_rest && line->total != t->total[0][line->node])
			return false;
	}
	return p->total == t->total[0][0] && further == p->further && rests == p->rests &&
	       ends <= p->ends && p->ends + p->further + p->rests + p->left_out == p->total;
}

/* Heaviest first, the rest last. */
static bool siblings_are_ordered(const struct paths *p)
{
	for (uint32_t i = 0; i < p->lines.n; i++)
		for (uint32_t k = i + 1; k < p->lines.n; k++) {
			if (p->lines.p[k].depth < p->lines.p[i].depth)
				break;
			if (p->lines.p[k].depth > p->lines.p[i].depth)
				continue;
			if (p->lines.p[i].is_rest ||
			    (!p->lines.p[k].is_rest && p->lines.p[k].total > p->lines.p[i].total))
				return false;
		}
	return true;
}

/* Stacks of few names, so that they meet, and now and then a heavy one. */
static void add_random_stack(struct buf *text, uint32_t names, uint32_t deepest)
{
	for (uint32_t n = 1 + random_below(deepest); n; n--)
		buf_addf(text, "f%u%s", random_below(names), n > 1 ? ";" : " ");
	buf_addf(text, "%u\n", random_below(20) ? 1 + random_below(5) : 100 + random_below(900));
}

static void test_random_paths(void)
{
	bool is_exact = true, is_short = true, is_ordered = true, holds = true;
	for (unsigned round = 0; round < 300; round++) {
		AUTO(buf) struct buf text = { 0 };
		uint32_t names = 2 + random_below(30), deepest = 1 + random_below(20);
		for (uint32_t n = 1 + random_below(300); n; n--)
			add_random_stack(&text, names, deepest);
		struct tree *t = tree_of_folded(buf_str(&text));
		struct tree *folded = tree_without_loops(t);
		for (uint32_t lines = 1; lines < 60; lines += 1 + random_below(9)) {
			const struct tree *which = random_below(2) ? t : folded;
			struct paths p = paths_with(which, lines, random_below(2));
			is_exact &= account_is_exact(which, &p);
			is_short &= p.lines.n <= lines;
			is_ordered &= siblings_are_ordered(&p);
			holds &= lines < 5 || 2 * paths_held(&p) >= p.total;
			paths_fini(&p);
		}
		tree_free(folded);
		tree_free(t);
	}
	tap_ok(is_exact, "ends, further down, rests and left out are the total, line by line");
	tap_ok(is_short, "never more lines than asked for");
	tap_ok(is_ordered, "the heaviest line comes first, the rest last");
	tap_ok(holds, "at least half of the samples are held");
}

static void add_chain_text(const struct tree *t, const struct paths *p, uint32_t from, uint32_t n,
			   struct buf *out)
{
	for (uint32_t i = 0; i < n; i++)
		buf_addf(out, "%s%.*s", i ? ">" : "",
			 STR_ARG(t->labels.p[p->labels.p[from + i]].name));
}

/* `depth total self chain`, a line each. */
static void paths_are(const struct tree *t, const struct paths *p, const char *want,
		      const char *name)
{
	AUTO(buf) struct buf got = { 0 };
	add_chain_text(t, p, 0, p->trunk_count, &got);
	for (uint32_t i = 0; i < p->lines.n; i++) {
		const struct path_line *line = &p->lines.p[i];
		buf_addf(&got, "|%u %llu %llu ", line->depth, (unsigned long long)line->total,
			 (unsigned long long)line->self);
		if (line->is_rest)
			buf_addf(&got, "rest of %u", line->stacks);
		add_chain_text(t, p, line->chain, line->chain_count, &got);
	}
	tap_str_eq(buf_str(&got), str_from(want), "%s", name);
}

static void test_paths_by_hand(void)
{
	struct tree *t = tree_of_folded(STR("_start;main;run;loop;parse 60\n"
					    "_start;main;run;loop;draw;blit 30\n"
					    "_start;main;exit 10\n"));
	struct paths p = paths_with(t, 10, PATHS_TO_ENDS);
	paths_are(t, &p, "_start>main|0 90 0 run>loop|1 60 60 parse|1 30 30 draw>blit|0 10 10 exit",
		  "what all have in common is the trunk, single callers are one line");
	paths_fini(&p);
	p = paths_with(t, 1, PATHS_TO_ENDS);
	tap_num_eq(p.lines.n, 1, "one line");
	tap_num_eq(p.ends + p.further + p.left_out, 100, "... and its account");
	tap_ok(paths_held(&p) >= 50, "... which holds half of it");
	paths_fini(&p);
	tree_free(t);
	t = tree_of_folded(STR("main;only 7\n"));
	p = paths_with(t, 5, PATHS_TO_ENDS);
	paths_are(t, &p, "|0 7 7 main>only", "one path alone is a line, not a trunk");
	paths_fini(&p);
	tree_free(t);
}

static void test_flat_paths(void)
{
	AUTO(buf) struct buf text = { 0 };
	for (unsigned i = 0; i < 1000; i++)
		buf_addf(&text, "root%u;leaf%u 1\n", i, i);
	struct tree *t = tree_of_folded(buf_str(&text));
	struct paths p = paths_with(t, 20, PATHS_TO_ENDS);
	const struct path_line *last = &p.lines.p[p.lines.n - 1];
	tap_ok(p.lines.n == 20 && last->is_rest, "a thousand roots: the last line counts the rest");
	tap_num_eq(last->total, 1000 - 19, "... in samples");
	tap_num_eq(last->stacks, 1000 - 19, "... and stacks");
	tap_num_eq(p.left_out_stacks, 0, "... and nothing is left out");
	paths_fini(&p);
	tree_free(t);
	text.n = 0;
	for (unsigned i = 0; i < 1000; i++)
		buf_addf(&text, "main;work;f%u;leaf 1\n", i);
	t = tree_of_folded(buf_str(&text));
	p = paths_with(t, 20, PATHS_TO_ENDS);
	tap_num_eq(paths_held(&p), 1000, "a thousand callees: all are held by lines");
	paths_fini(&p);
	tree_free(t);
}

static void test_hottest_below(void)
{
	struct tree *t = tree_of_folded(STR("a;b;x 3\na;c;x 4\na;d;y 5\nz 1\n"));
	struct paths p = paths_with(t, 2, PATHS_TO_ENDS);
	bool found = false;
	for (uint32_t i = 0; i < p.lines.n; i++)
		if (p.lines.p[i].further == 12 || p.lines.p[i].is_rest)
			found |= str_eq(t->labels.p[p.lines.p[i].hottest].name, STR("x")) &&
				 p.lines.p[i].hottest_weight == 7;
	tap_ok(found,
	       "what is further down is named by the function that has most of it, summed up");
	paths_fini(&p);
	tree_free(t);
}

/* --- recursion --- */

static uint64_t total_of(const struct tree *t, const char *name)
{
	uint32_t node = node_named(t, name);
	return node ? t->total[0][node] : 0;
}

static bool has_no_loops(const struct tree *t)
{
	for (uint32_t i = 1; i < t->n; i++)
		for (uint32_t k = i + 1; k < t->end[i]; k++)
			if (t->label[k] == t->label[i])
				return false;
	return true;
}

static void test_loops(void)
{
	struct tree *t =
		tree_of_folded(STR("main;a;b;a;b;a;c 5\nmain;a;c 2\nmain;a;a;a 1\nx;y 1\n"));
	struct tree *folded = tree_without_loops(t);
	tap_num_eq(folded->total[0][0], 9, "folding recursion keeps all samples");
	tap_ok(has_no_loops(folded), "... and no function is below itself");
	tap_num_eq(total_of(folded, "c"), 7, "... and what inner calls took is added up");
	tap_num_eq(total_of(folded, "b"), 0, "... and what only led back to the function has none");
	tap_ok(tree_label_of(folded, node_named(folded, "a"))->is_recursive &&
		       !tree_label_of(folded, node_named(folded, "c"))->is_recursive,
	       "... and only what called itself is marked");
	tree_free(folded);
	tree_free(t);
	t = tree_of_folded(STR("JS:*f /a.js:1:1;Builtins_Call;JS:*g /a.js:2:1;Builtins_Call;"
			       "JS:*h /a.js:3:1 4\n"));
	folded = tree_without_loops(t);
	tap_num_eq(folded->n, t->n, "glue between functions is no recursion");
	tree_free(folded);
	tree_free(t);
	bool keeps_sums = true;
	for (unsigned round = 0; round < 100; round++) {
		AUTO(buf) struct buf text = { 0 };
		for (uint32_t n = 1 + random_below(60); n; n--)
			add_random_stack(&text, 4, 20);
		t = tree_of_folded(buf_str(&text));
		folded = tree_without_loops(t);
		keeps_sums &= folded->total[0][0] == t->total[0][0] && has_no_loops(folded);
		tree_free(folded);
		tree_free(t);
	}
	tap_ok(keeps_sums, "random recursion: all samples, no loops");
}

/* --- callers and callees --- */

static bool *wanted(const struct tree *t, const char *name, enum name_match want)
{
	bool *is_wanted = mem_zalloc(t->labels.n, 1);
	tap_ok(report_find(t, str_from(name), is_wanted) == want, "%s is found as it should be",
	       name);
	return is_wanted;
}

static void folded_is(const struct tree *t, const char *want, const char *name)
{
	AUTO(buf) struct buf got = { 0 };
	VEC(uint32_t) open = { 0 };
	for (uint32_t i = 1; i < t->n; i++) {
		while (open.n && i >= t->end[open.p[open.n - 1]])
			open.n--;
		vec_push(&open, i);
		if (!t->self[0][i])
			continue;
		for (uint32_t k = 0; k < open.n; k++)
			buf_addf(&got, "%s%.*s", k ? ";" : "",
				 STR_ARG(tree_label_of(t, open.p[k])->name));
		buf_addf(&got, " %llu|", (unsigned long long)t->self[0][i]);
	}
	vec_fini(&open);
	tap_str_eq(buf_str(&got), str_from(want), "%s", name);
}

static void test_calls(void)
{
	struct tree *t = tree_of_folded(STR("main;a;f;g;f;h 5\nmain;b;f 3\nf;f;f 2\nmain;a 9\n"));
	AUTO_FREE bool *f = wanted(t, "f", MATCH_EXACT);
	struct tree *callers = tree_callers(t, f, STR("f"));
	struct tree *callees = tree_callees(t, f, STR("f"));
	folded_is(callers, "f 2|f;a;main 5|f;b;main 3|",
		  "callers: from the outermost call up, each sample once");
	folded_is(callees, "f 3|f;f;f 2|f;g;f;h 5|", "callees: from the outermost call down");
	tap_num_eq(callers->total[0][0], 10, "callers have the function's total");
	tap_num_eq(callees->total[0][0], 10, "callees have the function's total");
	tree_free(callers);
	tree_free(callees);
	tree_free(t);
}

/* What a function calls is not split by how often it came back to itself before. */
static void test_recursive_callees(void)
{
	struct tree *t = tree_of_folded(STR("a;b;f;g;f;h;f;x 5\na;b;f;h 3\n"));
	AUTO_FREE bool *is_wanted = wanted(t, "f", MATCH_EXACT);
	struct tree *callees = tree_callees(t, is_wanted, STR("f"));
	struct tree *folded = tree_without_loops(callees);
	folded_is(folded, "f;h 3|f;x 5|", "callees: a return to the function is folded");
	tap_ok(tree_label_of(folded, 1)->is_recursive, "... and it is said to call itself");
	tree_free(folded);
	tree_free(callees);
	is_wanted[t->label[node_named(t, "g")]] = true;
	callees = tree_callees(t, is_wanted, STR("f or g"));
	folded = tree_without_loops(callees);
	folded_is(folded, "f or g;h 3|f or g;x 5|", "several: a return to any of them is folded");
	tap_ok(tree_label_of(folded, 1)->is_recursive, "... and they are said to call themselves");
	tree_free(folded);
	tree_free(callees);
	tree_free(t);
}

/* Both trees have the function's total, as functions_of_tree has it. */
static void test_random_calls(void)
{
	bool ok = true;
	for (unsigned round = 0; round < 100; round++) {
		AUTO(buf) struct buf text = { 0 };
		AUTO(functions) struct functions functions = { 0 };
		for (uint32_t n = 1 + random_below(60); n; n--)
			add_random_stack(&text, 5, 12);
		struct tree *t = tree_of_folded(buf_str(&text));
		functions_of_tree(t, &functions);
		for (uint32_t i = 0; i < functions.rows.n; i++) {
			AUTO_FREE bool *is_wanted = mem_zalloc(t->labels.n, 1);
			is_wanted[functions.rows.p[i].label] = true;
			struct tree *callers = tree_callers(t, is_wanted, STR("it"));
			struct tree *callees = tree_callees(t, is_wanted, STR("it"));
			ok &= callers->total[0][0] == functions.rows.p[i].total[0];
			ok &= callees->total[0][0] == functions.rows.p[i].total[0];
			tree_free(callers);
			tree_free(callees);
		}
		tree_free(t);
	}
	tap_ok(ok, "random recursion: callers and callees have each function's total");
}

static void test_find(void)
{
	struct tree *t =
		tree_of_folded(STR("m;JS:*parse /srv/a.js:1:2 1\nm;parseAll 1\nm;do_read_[k] 1\n"
				   "m;Json::parse(int) 1\nm;memmove 3\n"));
	AUTO_FREE bool *word = wanted(t, "parse", MATCH_WORD);
	tap_ok(word[t->label[node_named(t, "JS:*parse /srv/a.js:1:2")]] &&
		       word[t->label[node_named(t, "Json::parse(int)")]] &&
		       !word[t->label[node_named(t, "parseAll")]],
	       "a whole word is not a part of one");
	free(wanted(t, "do_read", MATCH_EXACT));
	free(wanted(t, "do_read_[k]", MATCH_EXACT));
	free(wanted(t, "rseAl", MATCH_PART));
	free(wanted(t, "nothing-like-it", MATCH_NONE));
	free(wanted(t, "", MATCH_NONE));
	uint32_t near[2];
	uint32_t n = report_nearest(t, STR("memove"), near, 2);
	tap_ok(n > 0 && str_eq(t->labels.p[near[0]].name, STR("memmove")),
	       "a typo has a nearest name");
	tree_free(t);
}

/* --- rows --- */

struct made {
	struct profile *p;
	struct tree *t;
	struct query_ledger ledger;
};

static void made_fini(struct made *m)
{
	tree_free(m->t);
	profile_unref(m->p);
}

static frame_id add_frame(struct profile *p, const char *name, const char *module, uint32_t line)
{
	return profile_add_frame(p,
				 &(struct frame){ .name = profile_add_str(p, str_from(name)),
						  .module = profile_add_str(p, str_from(module)),
						  .file = line ? profile_add_str(p, STR("a.c")) : 0,
						  .line = line });
}

static thread_id add_thread(struct profile *p, const char *comm, int32_t pid, int32_t tid)
{
	return profile_add_thread(
		p, (struct thread){ pid, tid, profile_add_str(p, str_from(comm)), STR_NONE });
}

/* Two threads of one process and one of another; `hot` has most samples on line 20. */
static struct made make(const struct query *q)
{
	struct made m = { .p = profile_new(REPORT_COLUMNS) };
	struct profile *p = m.p;
	struct err e = { 0 };
	event_id event =
		profile_add_event(p, (struct event){ .name = profile_add_str(p, STR("cycles")),
						     .unit = profile_add_str(p, STR("samples")) });
	node_id main = profile_add_node(p, NODE_ROOT, add_frame(p, "main", "/bin/app", 1));
	node_id at10 = profile_add_node(p, main, add_frame(p, "hot", "/bin/app", 10));
	node_id at20 = profile_add_node(p, main, add_frame(p, "hot", "/bin/app", 20));
	node_id cold = profile_add_node(p, main, add_frame(p, "cold", "/lib/libc.so.6", 0));
	thread_id t1 = add_thread(p, "app", 7, 7), t2 = add_thread(p, "worker", 7, 8),
		  t3 = add_thread(p, "other", 9, 9);
	const struct sample rows[] = { { at10, t1, event, 0, 0, 1000, 1, 50 },
				       { at20, t1, event, 1, 0, 2000, 1, 50 },
				       { at20, t2, event, 1, 0, 3000, 1, 50 },
				       { cold, t3, event, 0, 0, 4000, 1, 50 },
				       { NODE_ROOT, t3, event, 3, 0, 5000, 1, 50 } };
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		profile_add_sample(p, &rows[i]);
	profile_seal(p);
	struct query query = *q;
	query.keeps_rows = query.by_kind = true;
	m.t = query_tree(p, &query, &m.ledger, &e);
	return m;
}

static void test_functions(void)
{
	struct query q = { 0 };
	AUTO(made) struct made m = make(&q);
	AUTO(report_functions) struct report_functions f = { 0 };
	report_functions(m.p, m.t, ORDER_BY_SELF, &f);
	tap_num_eq(f.rows.n, 3, "three functions, and no process");
	tap_str_eq(m.t->labels.p[f.rows.p[0].label].name, STR("hot"), "the hottest comes first");
	tap_num_eq(f.rows.p[0].self, 3, "... with its samples");
	tap_num_eq(f.rows.p[0].line, 20, "... and its hottest line");
	tap_str_eq(f.rows.p[1].module, STR("/lib/libc.so.6"), "cold knows its module");
	tap_str_eq(m.t->labels.p[f.rows.p[2].label].name, STR("main"), "main took nothing itself");
	AUTO(report_functions) struct report_functions by_total = { 0 };
	report_functions(m.p, m.t, ORDER_BY_TOTAL, &by_total);
	tap_str_eq(m.t->labels.p[by_total.rows.p[0].label].name, STR("main"),
		   "... but most in all");
}

static void test_summary(void)
{
	struct query q = { 0 };
	AUTO(made) struct made m = make(&q);
	struct report_summary s = report_summary(m.p, m.t);
	tap_ok(s.has_times && s.first_ns == 1000 && s.last_ns == 5000, "times");
	tap_ok(s.processes == 2 && s.threads == 3 && s.cpus == 3, "processes, threads, cpus");
	tap_num_eq(s.no_stack, 1, "samples without a stack");
	struct query one = { 0 };
	text_list_add(&one.where, STR("comm=worker"));
	AUTO(made) struct made few = make(&one);
	s = report_summary(few.p, few.t);
	tap_ok(!s.has_times && s.threads == 1 && s.cpus == 1, "only what is shown counts");
	query_fini(&one);
}

static void groups_are(const struct made *m, enum report_key key, const char *want)
{
	AUTO(report_groups) struct report_groups g = { 0 };
	AUTO(buf) struct buf got = { 0 };
	uint64_t sum = 0;
	report_groups(m->p, m->t, key, &g);
	for (uint32_t i = 0; i < g.rows.n; i++) {
		const struct report_group *r = &g.rows.p[i];
		buf_addf(&got, "%.*s=%llu,%.*s=%llu|", STR_ARG(r->name),
			 (unsigned long long)r->weight, STR_ARG(m->t->labels.p[r->hottest].name),
			 (unsigned long long)r->hottest_weight);
		sum += r->weight;
	}
	tap_str_eq(buf_str(&got), str_from(want), "by %s", report_key_names[key]);
	tap_num_eq(sum, m->t->total[0][0], "by %s: all samples are in a group",
		   report_key_names[key]);
}

static void test_groups(void)
{
	struct query q = { 0 };
	AUTO(made) struct made m = make(&q);
	groups_are(&m, GROUP_THREAD, "app 7=2,hot=2|other 9=2,cold=1|worker 7/8=1,hot=1|");
	groups_are(&m, GROUP_PID, "7=3,hot=3|9=2,cold=1|");
	groups_are(&m, GROUP_COMM, "app=2,hot=2|other=2,cold=1|worker=1,hot=1|");
	groups_are(&m, GROUP_CPU, "0=2,cold=1|1=2,hot=2|3=1,other=1|");
	groups_are(&m, GROUP_MODULE, "app=3,hot=3|(no stack)=1,other=1|libc.so.6=1,cold=1|");
	groups_are(&m, GROUP_EVENT, "cycles=5,hot=3|");
	groups_are(&m, GROUP_KIND, "user=4,hot=3|(no stack)=1,other=1|");
	groups_are(&m, GROUP_CONTAINER, "(none)=5,hot=3|");
	groups_are(&m, GROUP_CATEGORY, "app=3,hot=3|(no stack)=1,other=1|native=1,cold=1|");
	struct query periods = { .weight = QUERY_WEIGHT_PERIOD };
	AUTO(made) struct made p = make(&periods);
	groups_are(&p, GROUP_PID, "7=150,hot=150|9=100,cold=50|");
}

/* exec: one thread, two names. */
static void test_renamed_thread(void)
{
	struct made m = { .p = profile_new(REPORT_COLUMNS) };
	struct query q = { .keeps_rows = true };
	struct err e = { 0 };
	event_id event = profile_add_event(m.p, (struct event){ 0 });
	node_id node = profile_add_node(m.p, NODE_ROOT, add_frame(m.p, "f", "", 0));
	thread_id names[] = { add_thread(m.p, "sh", 7, 7), add_thread(m.p, "app", 7, 7),
			      add_thread(m.p, "exit", 7, 7), add_thread(m.p, "app", 7, 8) };
	static const unsigned samples[] = { 2, 3, 1, 1 };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (unsigned n = samples[i]; n; n--)
			profile_add_sample(m.p, &(struct sample){ node, names[i], event, 0, 0,
								  i * 10 + n, 1, 1 });
	profile_seal(m.p);
	m.t = query_tree(m.p, &q, &m.ledger, &e);
	tap_num_eq(report_summary(m.p, m.t).threads, 2, "a renamed thread counts once");
	groups_are(&m, GROUP_THREAD, "app 7=6,f=6|app 7/8=1,f=1|");
	made_fini(&m);
}

int main(void)
{
	test_random_paths();
	test_paths_by_hand();
	test_flat_paths();
	test_hottest_below();
	test_loops();
	test_calls();
	test_recursive_callees();
	test_random_calls();
	test_find();
	test_functions();
	test_summary();
	test_groups();
	test_renamed_thread();
	return tap_done();
}
