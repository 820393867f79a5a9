/* Profiles in JSON: what one format writes it reads back, and a file that was cut says where. */
#include "sink/profile_format.h"
#include "sink/profile_format.h"
#include "source/source_int.h"
#include "tap.h"

#include <unistd.h>

static const char *fixtures;

static struct profile *read_text(const struct source_format *format, struct str text, size_t step,
				 unsigned columns)
{
	struct profile *p = profile_new(columns);
	struct reader *r = reader_of_memory(text, step);
	format->read(r, &(struct source_options){ 0 }, p);
	reader_free(r);
	return p;
}

/* --- a profile as sorted lines --- */

static void add_frame(struct buf *out, const struct profile *p, const struct frame *f)
{
	buf_addf(out, "%.*s(%.*s %.*s:%u:%u %u %d %u);", STR_ARG(profile_str(p, f->name)),
		 STR_ARG(profile_str(p, f->module)), STR_ARG(profile_str(p, f->file)), f->line,
		 f->column, f->kind, f->tier, f->flags);
}

static void add_stack(struct buf *out, const struct profile *p, node_id node)
{
	VEC(frame_id) path = { 0 };
	for (; node != NODE_ROOT; node = p->nodes.p[node].parent)
		vec_push(&path, p->nodes.p[node].frame);
	while (path.n)
		add_frame(out, p, &p->frames.p[path.p[--path.n]]);
	vec_fini(&path);
}

static void add_thread(struct buf *out, const struct profile *p, thread_id thread)
{
	const struct thread *t = &p->threads.p[thread];
	buf_addf(out, "%s %.*s %d %d %.*s", thread ? "thread" : "none",
		 STR_ARG(profile_str(p, t->comm)), t->pid, t->tid,
		 STR_ARG(profile_str(p, t->container)));
}

static void add_labels(struct buf *out, const struct profile *p, label_set set)
{
	for (; set; set = p->label_sets.p[set].rest) {
		const struct label *l = &p->labels.p[p->label_sets.p[set].label];
		buf_addf(out, " %.*s=%.*s%lld%.*s", STR_ARG(profile_str(p, l->key)),
			 STR_ARG(profile_str(p, l->text)), (long long)l->number,
			 STR_ARG(profile_str(p, l->unit)));
	}
}

static void add_row(struct buf *out, const struct profile *p, uint32_t i)
{
	const struct samples *s = &p->samples;
	const struct event *e = &p->events.p[s->event[i]];
	add_thread(out, p, s->thread[i]);
	buf_addf(out, " | %.*s %.*s %d%d%u | ", STR_ARG(profile_str(p, e->name)),
		 STR_ARG(profile_str(p, e->unit)), e->counts_periods, e->has_only_sums,
		 e->decimals);
	add_stack(out, p, s->node[i]);
	buf_addf(out, " | %llu %llu", (unsigned long long)s->count[i],
		 (unsigned long long)s->period[i]);
	if (s->time_ns)
		buf_addf(out, " at %llu", (unsigned long long)s->time_ns[i]);
	if (s->cpu)
		buf_addf(out, " on %d", s->cpu[i]);
	if (s->labels)
		add_labels(out, p, s->labels[i]);
}

static int compare_lines(const void *a, const void *b)
{
	return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* Rows in any order, then what the file says as a whole. */
static void describe(const struct profile *p, struct buf *out)
{
	struct arena text = { 0 };
	AUTO(buf) struct buf line = { 0 };
	AUTO_FREE struct str *lines = mem_alloc(p->samples.n + 1, sizeof(*lines));
	for (uint32_t i = 0; i < p->samples.n; i++) {
		line.n = 0;
		add_row(&line, p, i);
		lines[i] = arena_copy(&text, buf_str(&line));
	}
	qsort(lines, p->samples.n, sizeof(*lines), compare_lines);
	out->n = 0;
	for (uint32_t i = 0; i < p->samples.n; i++)
		buf_addf(out, "%.*s\n", STR_ARG(lines[i]));
	arena_fini(&text);
	for (uint32_t i = 0; i < p->events.n; i++)
		buf_addf(out, "event %.*s\n", STR_ARG(profile_str(p, p->events.p[i].name)));
	for (uint32_t i = 0; i < p->facts.n; i++)
		buf_addf(out, "fact %.*s %.*s\n", STR_ARG(profile_str(p, p->facts.p[i].key)),
			 STR_ARG(profile_str(p, p->facts.p[i].text)));
	for (uint32_t i = 0; i < p->modules.n; i++)
		buf_addf(out, "module %.*s %.*s\n", STR_ARG(profile_str(p, p->modules.p[i].path)),
			 STR_ARG(profile_str(p, p->modules.p[i].build_id)));
	for (uint32_t i = 0; i < p->marks.n; i++) {
		const struct mark *m = &p->marks.p[i];
		buf_addf(out, "mark %.*s %.*s %llu %llu ", STR_ARG(profile_str(p, m->kind)),
			 STR_ARG(profile_str(p, m->text)), (unsigned long long)m->time_ns,
			 (unsigned long long)m->duration_ns);
		add_thread(out, p, m->thread);
		buf_add_char(out, '\n');
	}
	for (unsigned i = 0; i < LEDGER_LINES; i++)
		buf_addf(out, "%s %llu\n", ledger_line_name(i),
			 (unsigned long long)p->ledger.count[i]);
	buf_addf(out, "first %.*s %.*s %llu, %.*s, %d\n",
		 STR_ARG(profile_str(p, p->ledger.first_bad_text)),
		 STR_ARG(profile_str(p, p->ledger.first_bad_input)),
		 (unsigned long long)p->ledger.first_bad_offset,
		 STR_ARG(profile_str(p, p->ledger.damage)), p->is_differential);
}

static void same(const struct profile *got, const struct profile *want, const char *what)
{
	AUTO(buf) struct buf a = { 0 };
	AUTO(buf) struct buf b = { 0 };
	describe(got, &a);
	describe(want, &b);
	tap_str_eq(buf_str(&a), buf_str(&b), "%s", what);
}

/* --- a profile with one of everything --- */

static node_id stack_of(struct profile *p, const frame_id *frames, size_t n)
{
	node_id node = NODE_ROOT;
	for (size_t i = 0; i < n; i++)
		node = profile_add_node(p, node, frames[i]);
	return node;
}

static str_id text_of(struct profile *p, const char *text)
{
	return profile_add_str(p, str_from(text));
}

static void add_sample(struct profile *p, struct sample s)
{
	bool has_stack = s.node != NODE_ROOT;
	profile_add_sample(p, &s);
	p->ledger.count[LEDGER_SAMPLES] += s.count;
	p->ledger.count[LEDGER_NO_STACK] += !has_stack;
}

static struct profile *rich_profile(void)
{
	struct profile *p = profile_new(COLUMNS_ALL);
	frame_id f[] = {
		profile_add_frame(p, &(struct frame){ .name = text_of(p, "main") }),
		profile_add_frame(p, &(struct frame){ .name = text_of(p, "JS:*run a.js:3:4"),
						      .module = text_of(p, "/tmp/perf-1.map"),
						      .file = text_of(p, "a.js"),
						      .line = 3,
						      .column = 4,
						      .kind = FRAME_JIT,
						      .tier = '*' }),
		profile_add_frame(
			p, &(struct frame){ .name = text_of(p, "bad\xff\xc0name"),
					    .kind = FRAME_GC,
					    .flags = FRAME_INLINED | FRAME_WAKER | FRAME_MARKED }),
		profile_add_frame(p, &(struct frame){ .module = text_of(p, "/lib/libc.so.6"),
						      .kind = FRAME_UNKNOWN }),
		profile_add_frame(p, &(struct frame){ .name = text_of(p, "_ZN1a1bEv") }),
	};
	thread_id threads[] = {
		THREAD_NONE,
		profile_add_thread(p,
				   (struct thread){ 7, 9, text_of(p, "node"), text_of(p, "c1") }),
		profile_add_thread(p, (struct thread){ -1, 0, STR_NONE, STR_NONE }),
		profile_add_thread(p, (struct thread){ PID_UNKNOWN, PID_UNKNOWN,
						       text_of(p, "a \"b\"\n<c>"), STR_NONE }),
	};
	event_id cycles = profile_add_event(
		p, (struct event){ .name = text_of(p, "cycles"), .unit = text_of(p, "cycles") });
	event_id bytes = profile_add_event(p, (struct event){ .name = text_of(p, "alloc"),
							      .unit = text_of(p, "bytes"),
							      .counts_periods = true });
	event_id sums = profile_add_event(p, (struct event){ .name = text_of(p, "sums"),
							     .unit = text_of(p, "s"),
							     .counts_periods = true,
							     .has_only_sums = true,
							     .decimals = 3 });
	label_set labels = profile_add_label(
		p, LABELS_NONE,
		(struct label){ .key = text_of(p, "request"), .text = text_of(p, "GET /") });
	label_set more = profile_add_label(p, labels,
					   (struct label){ .key = text_of(p, "size"),
							   .number = -5,
							   .unit = text_of(p, "bytes"),
							   .is_number = true });
	node_id deep = stack_of(p, f, 5), one = stack_of(p, f, 1);
	add_sample(p, (struct sample){ deep, threads[1], cycles, 3, labels, 500, 1, 1000 });
	add_sample(p, (struct sample){ one, threads[1], cycles, -1, more, 400, 2, 77 });
	add_sample(p, (struct sample){ NODE_ROOT, threads[2], cycles, 0, 0, 450, 1, 1 });
	add_sample(p, (struct sample){ deep, threads[0], cycles, 0, 0, 7, 1, UINT64_MAX });
	add_sample(p, (struct sample){ one, threads[3], bytes, 1, labels, 1ull << 62, 1, 4096 });
	add_sample(p, (struct sample){ deep, threads[3], bytes, 1, 0, 5, 9, 0 });
	add_sample(p, (struct sample){ one, threads[0], sums, -1, 0, 6, 1, 1500 });
	add_sample(p, (struct sample){ one, threads[0], sums, -1, 0, 6, 0, 1500 });
	p->ledger.count[LEDGER_FRAMES] = 5 + 2 + 0 + 5 + 1 + 45 + 1 + 1; /* by the samples */
	profile_add_fact(p, STR("command"), STR("node a.js"));
	profile_add_fact(p, STR("host"), STR("h"));
	profile_add_fact(p, STR("command"), STR("more"));
	profile_add_module(p, (struct module){ text_of(p, "/lib/libc.so.6"), text_of(p, "ab12") });
	profile_add_mark(p, (struct mark){ 12, 5, threads[1], text_of(p, "gc"), text_of(p, "x") });
	profile_add_mark(p, (struct mark){ 13, 0, THREAD_NONE, text_of(p, "exit"), STR_NONE });
	p->ledger.count[LEDGER_BAD_LINES] = 3;
	p->ledger.first_bad_text = text_of(p, "what");
	p->ledger.first_bad_input = text_of(p, "file");
	p->ledger.first_bad_offset = 99;
	return p;
}

/* --- written and read --- */

static void write_text(const struct profile *p, const struct profile_format *sink, bool all_threads,
		       struct buf *out)
{
	char path[] = "/tmp/plume-json-XXXXXX";
	int fd = mkstemp(path);
	struct err e = { 0 };
	AUTO(buf) struct buf notes = { 0 };
	struct writer *w = fd < 0 ? NULL : writer_open(path, &e);
	if (!w)
		abort();
	sink->write(p, &(struct profile_format_options){ .all_threads = all_threads }, w, &notes);
	writer_commit(w, &e);
	writer_free(w);
	close(fd);
	struct reader *r = reader_open(path, &e);
	out->n = 0;
	if (!r || !reader_fill_all(r, 1 << 30))
		abort();
	buf_add(out, reader_window(r));
	reader_free(r);
	unlink(path);
}

/* The ledger's counts of frames are made anew from the samples; events may stand in another order. */
static void even_out(struct profile *p)
{
	p->ledger.count[LEDGER_FRAMES] = p->ledger.count[LEDGER_UNKNOWN_FRAMES] = 0;
	p->ledger.count[LEDGER_NO_STACK] = 0;
}

static void test_round_trip(const struct profile_format *sink, const struct source_format *source,
			    bool all_threads)
{
	AUTO(buf) struct buf text = { 0 };
	struct profile *want = rich_profile();
	write_text(want, sink, all_threads, &text);
	struct profile *got = read_text(source, buf_str(&text), 0, COLUMNS_ALL);
	struct profile *pieces = read_text(source, buf_str(&text), 7, COLUMNS_ALL);
	tap_ok(source->probe(buf_str(&text)) >= 90, "%s: knows its own files", sink->name);
	same(pieces, got, "in pieces as whole");
	tap_num_eq(got->ledger.count[LEDGER_NO_STACK], 1, "a sample without a stack is counted");
	even_out(want);
	even_out(got);
	/* A fact with two texts has them side by side. */
	struct fact swap = want->facts.p[1];
	want->facts.p[1] = want->facts.p[2];
	want->facts.p[2] = swap;
	same(got, want, all_threads ? "all threads in one come back" : "everything comes back");
	struct profile *few = read_text(source, buf_str(&text), 0, 0);
	tap_num_eq(few->threads.n, 3, "pids are kept only when they are asked for");
	tap_ok(!few->samples.time_ns && few->samples.n == 8 - 1, "equal stacks share a row");
	profile_unref(few);
	profile_unref(want);
	profile_unref(got);
	profile_unref(pieces);
}

/* --- fixtures --- */

static void fixture(const char *name, struct buf *out)
{
	struct err e = { 0 };
	AUTO(buf) struct buf path = { 0 };
	buf_addf(&path, "%s/../fixtures/%s", fixtures, name);
	struct reader *r = reader_open(buf_c_string(&path), &e);
	out->n = 0;
	if (!r || !reader_fill_all(r, 1 << 30))
		abort();
	buf_add(out, reader_window(r));
	reader_free(r);
}

/* Cut at every byte: never silent, never more than there was, and the place is the cut's. */
static void cut_everywhere(const struct source_format *format, struct str text, const char *name)
{
	AUTO(buf) struct buf place = { 0 };
	unsigned silent = 0, misplaced = 0, too_many = 0, other_in_pieces = 0;
	while (text.n && is_space(text.p[text.n - 1]))
		text.n--;
	struct profile *whole = read_text(format, text, 0, COLUMNS_ALL);
	for (size_t n = 0; n < text.n; n++) {
		struct profile *p = read_text(format, str_first(text, n), 0, COLUMNS_ALL);
		struct profile *q = read_text(format, str_first(text, n), 5, COLUMNS_ALL);
		struct str damage = profile_str(p, p->ledger.damage);
		place.n = 0;
		if (n) {
			buf_addf(&place, " at byte ");
			buf_add_grouped(&place, n);
		}
		silent += p->ledger.count[LEDGER_INPUT_DAMAGED] !=
			  whole->ledger.count[LEDGER_INPUT_DAMAGED] + 1;
		misplaced += str_find(damage, buf_str(&place)) < 0;
		too_many += p->samples.n > whole->samples.n;
		other_in_pieces += !str_eq(damage, profile_str(q, q->ledger.damage)) ||
				   p->samples.n != q->samples.n;
		profile_unref(p);
		profile_unref(q);
	}
	tap_num_eq(silent, 0, "%s cut at each of %zu bytes: said", name, text.n);
	tap_num_eq(misplaced, 0, "%s: at its place", name);
	tap_num_eq(too_many, 0, "%s: no sample that was not there", name);
	tap_num_eq(other_in_pieces, 0, "%s: the same in pieces", name);
	profile_unref(whole);
}

static void test_cut(void)
{
	static const struct {
		const char *name;
		const struct source_format *format;
	} files[] = {
		{ "speedscope/sampled.speedscope.json", &speedscope_format },
		{ "speedscope/evented.speedscope.json", &speedscope_format },
		{ "speedscope/messy.speedscope.json", &speedscope_format },
		{ "json-tree/d3.json", &json_tree_format },
		{ "json-tree/flamescope.json", &json_tree_format },
	};
	AUTO(buf) struct buf text = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		fixture(files[i].name, &text);
		cut_everywhere(files[i].format, buf_str(&text), files[i].name);
	}
	struct profile *p = rich_profile();
	write_text(p, &speedscope_sink, false, &text);
	cut_everywhere(&speedscope_format, buf_str(&text), "speedscope of ours");
	write_text(p, &json_flat_sink, false, &text);
	cut_everywhere(&json_flat_format, buf_str(&text), "flat");
	profile_unref(p);
}

/* --- numbers that point nowhere, nesting --- */

static void counts(const struct source_format *format, const char *text, enum ledger_line line,
		   uint64_t want)
{
	struct profile *p = read_text(format, str_from(text), 0, COLUMNS_ALL);
	tap_num_eq(p->ledger.count[line], want, "%s: %.70s", ledger_line_name(line), text);
	profile_unref(p);
}

#define SPEEDSCOPE(frames, profile)                                                                \
	"{\"shared\":{\"frames\":[" frames "]},\"profiles\":[{\"unit\":\"none\"," profile "}]}"
#define FLAT(tables) "{\"format\":\"plume-flat\",\"strings\":[\"\",\"a\"]," tables "}"

static void test_wrong_numbers(void)
{
	const struct source_format *s = &speedscope_format, *f = &json_flat_format;
	counts(s, SPEEDSCOPE("{\"name\":\"a\"}", "\"samples\":[[0],[1]],\"weights\":[1,1]"),
	       LEDGER_BAD_RECORDS, 1);
	counts(s, SPEEDSCOPE("{\"name\":\"a\"}", "\"samples\":[[0],[1]],\"weights\":[1,1]"),
	       LEDGER_UNKNOWN_FRAMES, 1);
	counts(s, SPEEDSCOPE("", "\"samples\":[[4294967295]],\"weights\":[1]"), LEDGER_BAD_RECORDS,
	       1);
	counts(s, SPEEDSCOPE("", "\"samples\":[[],[]],\"weights\":[1]"), LEDGER_BAD_RECORDS, 1);
	counts(s, SPEEDSCOPE("", "\"samples\":[[],[]],\"weights\":[1]"), LEDGER_NO_STACK, 2);
	counts(s, SPEEDSCOPE("", "\"samples\":[[],[]]"), LEDGER_SAMPLES, 2);
	counts(s, SPEEDSCOPE("", "\"samples\":[[]],\"weights\":[1e30]"), LEDGER_OVERFLOWS, 1);
	counts(f, FLAT("\"samples\":[{\"stack\":[1]}]"), LEDGER_BAD_RECORDS, 2);
	counts(f, FLAT("\"events\":{\"name\":[1]},\"samples\":[{\"stack\":[0],\"thread\":4}]"),
	       LEDGER_BAD_RECORDS, 1);
	counts(f, FLAT("\"stacks\":{\"parent\":[0,1,2]}"), LEDGER_BAD_RECORDS, 2);
	counts(f, FLAT("\"frames\":{\"name\":[1]},\"stacks\":{\"parent\":[0,2,1],\"frame\":0}"),
	       LEDGER_BAD_RECORDS, 1);
	counts(f, FLAT("\"events\":{\"name\":[1]},\"samples\":[{\"stack\":[0],\"labels\":4}]"),
	       LEDGER_BAD_RECORDS, 1);
	counts(f, FLAT("\"version\":2"), LEDGER_BAD_RECORDS, 1);
	counts(f,
	       FLAT("\"events\":{\"name\":[1]},\"samples\":[{\"stack\":[0,0],\"count\":[-4,null]}"
		    "]"),
	       LEDGER_NEGATIVE, 1);
	counts(&json_tree_format, "{\"name\":\"a\",\"value\":2,\"children\":[{\"value\":3}]}",
	       LEDGER_BAD_RECORDS, 1);
	counts(&json_tree_format, "{\"name\":\"a\",\"value\":0,\"children\":[{\"value\":3}]}",
	       LEDGER_BAD_RECORDS, 0);
}

/* 400,000 calls deep: no recursion in the reader. */
static void test_deep(void)
{
	enum { DEEP = 400000 };
	AUTO(buf) struct buf text = { 0 };
	for (int i = 0; i < DEEP; i++)
		buf_addf(&text, "{\"name\":\"f\",\"children\":[");
	buf_addf(&text, "{\"name\":\"leaf\",\"value\":7}");
	for (int i = 0; i < DEEP; i++)
		buf_addf(&text, "]}");
	struct profile *p = read_text(&json_tree_format, buf_str(&text), 0, 0);
	tap_ok(p->nodes.n == DEEP + 2 && p->samples.n == 1 && p->samples.period[0] == 7,
	       "a tree of 400,000 levels");
	profile_unref(p);
	text.n = 0;
	buf_addf(&text, "{\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":[{\"unit\":"
			"\"seconds\",\"endValue\":9,\"events\":[");
	for (int i = 0; i < DEEP; i++)
		buf_addf(&text, "%s{\"type\":\"O\",\"frame\":0,\"at\":1}", i ? "," : "");
	buf_addf(&text, "]}]}");
	p = read_text(&speedscope_format, buf_str(&text), 0, 0);
	tap_num_eq(p->ledger.count[LEDGER_UNCLOSED], DEEP, "400,000 calls that nobody ends");
	tap_ok(p->samples.n == 1 && p->samples.period[0] == 8000000000, "last until the end");
	profile_unref(p);
}

/* The keys of a file in another order say the same. */
static void test_key_order(void)
{
	static const char *const orders[] = {
		"{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]},\"profiles\":[{"
		"\"name\":\"t\","
		"\"unit\":\"milliseconds\",\"startValue\":1.5,\"weights\":[1,2.5],\"samples\":[[0],"
		"[0,1]]}]}",
		"{\"profiles\":[{\"samples\":[[0],[0,1]],\"weights\":[1,2.5],\"startValue\":1.5,"
		"\"unit\":\"milliseconds\",\"name\":\"t\"}],\"shared\":{\"frames\":[{\"name\":"
		"\"a\"},{\"name\":\"b\"}]}}",
		"{\"profiles\":[{\"endValue\":5,\"events\":[{\"frame\":0,\"at\":1.5,\"type\":\"O\"}"
		",{\"at\":2.5,\"frame\":1,"
		"\"type\":\"O\"},{\"type\":\"C\",\"at\":5,\"frame\":1},{\"type\":\"C\",\"at\":5,"
		"\"frame\":0}],\"unit\":"
		"\"milliseconds\",\"name\":\"t\"}],\"shared\":{\"frames\":[{\"name\":\"a\"},{"
		"\"name\":\"b\"}]}}",
	};
	struct profile *first = read_text(&speedscope_format, str_from(orders[0]), 0, COLUMNS_ALL);
	for (size_t i = 1; i < ARRAY_SIZE(orders); i++) {
		struct profile *p =
			read_text(&speedscope_format, str_from(orders[i]), 0, COLUMNS_ALL);
		same(p, first, i == 2 ? "events as samples" : "keys in another order");
		profile_unref(p);
	}
	profile_unref(first);
}

static void test_probe(void)
{
	AUTO(buf) struct buf text = { 0 };
	fixture("speedscope/sampled.speedscope.json", &text);
	tap_ok(speedscope_format.probe(buf_str(&text)) >= 90, "speedscope is known");
	tap_ok(speedscope_format.probe(str_first(buf_str(&text), 200)) >= 50, "by its beginning");
	tap_num_eq(json_tree_format.probe(buf_str(&text)), 0, "as no tree");
	fixture("json-tree/d3.json", &text);
	tap_num_eq(json_tree_format.probe(buf_str(&text)), 80, "a tree is known");
	tap_num_eq(speedscope_format.probe(buf_str(&text)), 0, "as no speedscope");
	tap_num_eq(json_flat_format.probe(buf_str(&text)), 0, "and no tables");
	tap_num_eq(speedscope_format.probe(STR("a;b 1\n")), 0, "folded text is none of them");
	tap_num_eq(json_tree_format.probe(STR("a;b 1\n")), 0, "folded text is no tree");
}

/* --- trees written --- */

static void tree_text(struct profile *p, struct buf *out)
{
	struct query q = { .by_kind = true };
	struct query_ledger ledger;
	struct err e = { 0 };
	char path[] = "/tmp/plume-tree-XXXXXX";
	int fd = mkstemp(path);
	profile_seal(p);
	struct tree *t = query_tree(p, &q, &ledger, &e);
	struct writer *w = fd < 0 ? NULL : writer_open(path, &e);
	if (!t || !w)
		abort();
	json_tree_sink.write_tree(t, p, &ledger, w);
	writer_commit(w, &e);
	writer_free(w);
	tree_free(t);
	close(fd);
	struct reader *r = reader_open(path, &e);
	out->n = 0;
	buf_add(out, reader_window(r));
	reader_free(r);
	unlink(path);
}

static void test_tree_written(void)
{
	AUTO(buf) struct buf text = { 0 };
	AUTO(buf) struct buf again = { 0 };
	fixture("json-tree/flamescope.json", &text);
	struct profile *p = read_text(&json_tree_format, buf_str(&text), 0, 0);
	tree_text(p, &text);
	tap_str_eq(buf_str(&text),
		   STR("{\"name\":\"all\",\"value\":6,\"plume\":{\"version\":\"" PLUME_VERSION
		       "\",\"event\":\"samples\",\"unit\":\"samples\",\"samples\":6,\"shown\":6,"
		       "\"ledger\":{\"samples\":6,\"samples without a time\":4,\"frames\":6}},"
		       "\"children\":[\n"
		       "{\"name\":\"java.util.List.get\",\"value\":1,\"self\":1,\"kind\":\"jit\","
		       "\"category\":\"runtime\"},\n"
		       "{\"name\":\"main\",\"value\":5,\"self\":2,\"children\":[\n"
		       "{\"name\":\"do_syscall_64\",\"value\":2,\"self\":2,\"kind\":\"kernel\","
		       "\"category\":\"kernel\"},\n"
		       "{\"name\":\"fast_[i]\",\"value\":1,\"self\":1}]}]}\n"),
		   "a tree as d3-flame-graph draws it");
	struct profile *back = read_text(&json_tree_format, buf_str(&text), 3, 0);
	tree_text(back, &again);
	tap_str_eq(buf_str(&again), buf_str(&text), "and read back");
	profile_unref(p);
	profile_unref(back);
}

int main(int argc, char **argv)
{
	fixtures = argc > 1 ? argv[1] : "test/unit";
	test_round_trip(&speedscope_sink, &speedscope_format, false);
	test_round_trip(&speedscope_sink, &speedscope_format, true);
	test_round_trip(&json_flat_sink, &json_flat_format, false);
	test_cut();
	test_wrong_numbers();
	test_deep();
	test_key_order();
	test_probe();
	test_tree_written();
	return tap_done();
}
