/* CSV: records and fields, escapes, and profiles that come back from it as they were. */
#include "random.h"
#include "source/csv_int.h"
#include "source/source_int.h"
#include "written.h"

/* For the names of tests: line ends are '|'. Valid until the next call. */
static const char *shown(struct str s)
{
	static char text[80];
	snprintf(text, sizeof(text), "%.*s", STR_ARG(s));
	for (char *c = text; *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = '|';
	return text;
}

/* Fields in brackets: `[a][b]`, and how many bytes were taken. */
static void check_split(struct str text, bool is_last, enum csv_record want, const char *fields,
			size_t used)
{
	struct csv_fields f = { 0 };
	AUTO(buf) struct buf got = { 0 };
	size_t n;
	enum csv_record state = csv_split(&f, text, ',', is_last, &n);
	tap_num_eq(state, want, "state of '%s'", shown(text));
	for (uint32_t i = 0; state == CSV_WHOLE && i < f.list.n; i++)
		buf_addf(&got, "[%.*s]", STR_ARG(f.list.p[i]));
	if (want == CSV_WHOLE) {
		tap_str_eq(buf_str(&got), str_from(fields), "fields of '%s'", shown(text));
		tap_num_eq(n, used, "bytes of '%s'", shown(text));
	}
	csv_fields_fini(&f);
}

static void check_whole(const char *text, const char *fields, size_t used)
{
	check_split(str_from(text), true, CSV_WHOLE, fields, used);
}

static void check_records(void)
{
	check_whole("a,b\nc", "[a][b]", 4);
	check_whole("a,b\r\nc", "[a][b]", 5);
	check_whole("a,b", "[a][b]", 3);
	check_whole(",\n", "[][]", 2);
	check_whole("\n", "[]", 1);
	check_whole("\"a,b\",c\n", "[a,b][c]", 8);
	check_whole("\"a\"\"b\",\"\"\n", "[a\"b][]", 10);
	check_whole("\"a\"\"\",\"\"\"b\"\n", "[a\"][\"b]", 12);
	check_whole("\"a\nb\"\r\nc", "[a\nb]", 7);
	check_whole("a\"b,c\n", "[a\"b][c]", 6);
	check_whole(" \"a\" ,b\n", "[ \"a\" ][b]", 8);
	check_split(STR("\"a\" ,b\n"), true, CSV_MALFORMED, NULL, 0);
	check_split(STR("\"a\nb\n"), true, CSV_MALFORMED, NULL, 0);
	check_split(STR("a,\""), true, CSV_MALFORMED, NULL, 0);
	check_split(STR("\"a\"\r,b\n"), true, CSV_MALFORMED, NULL, 0);
	check_split(STR("a,b"), false, CSV_INCOMPLETE, NULL, 0);
	check_split(STR("\"a\n"), false, CSV_INCOMPLETE, NULL, 0);
	check_split(STR("\"a\""), false, CSV_INCOMPLETE, NULL, 0);
	check_split(STR("\"a\"\r"), false, CSV_INCOMPLETE, NULL, 0);
	check_split(STR(""), false, CSV_INCOMPLETE, NULL, 0);
}

static void check_unescaped(const char *text, const char *want)
{
	AUTO(buf) struct buf got = { 0 };
	csv_add_unescaped(&got, str_from(text));
	tap_str_eq(buf_str(&got), str_from(want), "unescaped '%s'", shown(str_from(text)));
}

static void check_escapes(void)
{
	check_unescaped("a%3Bb", "a;b");
	check_unescaped("%3D1%0A%0D%25", "=1\n\r%");
	check_unescaped("%253B", "%3B");
	check_unescaped("100%", "100%");
	check_unescaped("%3", "%3");
	check_unescaped("%3b %20 %41 %00", "%3b %20 %41 %00");
}

/* --- reading --- */

static struct profile *read_csv(struct str text, size_t step)
{
	struct profile *p = profile_new(COLUMNS_ALL);
	void *state = csv_format.begin(p, NULL, text);
	for (size_t done = 0, shown = 0; shown < text.n;) {
		shown = step && shown + step < text.n ? shown + step : text.n;
		struct str window = { text.p + done, shown - done };
		done += csv_format.feed(state, window, done, shown == text.n);
	}
	csv_format.end(state, false);
	return p;
}

static void check_probe(const char *head, unsigned want)
{
	tap_num_eq(csv_format.probe(str_from(head)), want, "probe of '%s'", shown(str_from(head)));
}

static void check_probes(void)
{
	check_probe("time_ns,stack\n1,a\n", 98);
	check_probe("stack;count\n\"a;b\";1\n", 98);
	check_probe("count\tstack\n1\ta;b\n", 98);
	check_probe("\"Count\",\"Stack\"\r\n", 98);
	check_probe("route,stack\n/a,b\n", 60);
	check_probe("stack\na;b\n", 60);
	check_probe("a;b 1\n", 0);
	check_probe("count,callstack\n", 0);
	check_probe("", 0);
}

static struct str frame_name(const struct profile *p, node_id node)
{
	return profile_str(p, p->frames.p[p->nodes.p[node].frame].name);
}

static void check_columns(void)
{
	struct profile *p = read_csv(STR("route\tstack\tcount\ttid\n/a\tmain;f\t3\t7\n"), 0);
	const struct samples *s = &p->samples;
	tap_num_eq(s->n, 1, "columns in any order: one row");
	tap_num_eq(s->count[0], 3, "... its count");
	tap_num_eq((uint64_t)p->threads.p[s->thread[0]].tid, 7, "... its thread");
	tap_str_eq(frame_name(p, s->node[0]), STR("f"), "... its leaf");
	const struct label *l = &p->labels.p[p->label_sets.p[s->labels[0]].label];
	tap_str_eq(profile_str(p, l->key), STR("route"), "a column of another name is a label");
	tap_str_eq(profile_str(p, l->text), STR("/a"), "... with what is in it");
	profile_unref(p);
}

static void check_bad(const char *text, uint64_t rows, uint64_t offset)
{
	struct profile *p = read_csv(str_from(text), 0);
	tap_num_eq(p->samples.n, rows, "'%s': rows", shown(str_from(text)));
	tap_num_eq(p->ledger.count[LEDGER_BAD_LINES], 1, "... lines not understood");
	tap_num_eq(p->ledger.first_bad_offset, offset, "... the first of them");
	profile_unref(p);
}

static void check_bad_lines(void)
{
	check_bad("count,stack\nx,a\n1,b\n", 1, 12);
	check_bad("count,stack\n1,a\n1\n", 1, 16);
	check_bad("count,stack\n1,a,b\n1,c\n", 1, 12);
	check_bad("count,stack\n1,\"a\n1,b\n1,c\n", 2, 12);
	check_bad("count,stack\n1,\"a\" \n1,c\n", 1, 12);
	check_bad("cpu,stack\n1,a\n1.5,c\n", 1, 14);
	check_bad("time_ns,stack\n-1,a\n1,c\n", 1, 14);
	check_bad("pid,stack\n99999999999,a\n1,c\n", 1, 10);
	check_bad("kinds,stack\nuk,a\nu,c\n", 1, 12);
	check_bad("kinds,stack\nx,a\nu,c\n", 1, 12);
	check_bad("period,stack\n1e3,a\n1,c\n", 1, 13);
}

static void check_negative(void)
{
	struct profile *p = read_csv(STR("count,stack\n-5,a\n"), 0);
	tap_num_eq(p->ledger.count[LEDGER_NEGATIVE], 1, "a weight below 0 is counted");
	tap_num_eq(p->samples.count[0], 0, "... and taken as 0");
	profile_unref(p);
}

/* --- there and back --- */

static struct str random_text(char *room, uint32_t max)
{
	static const char letters[] = "a;%\n\r,\"=+-@# \t3BDb0A\\_[k]\xc3\xa9\xff";
	uint32_t n = random_below(max);
	for (uint32_t i = 0; i < n; i++)
		room[i] = letters[random_below(sizeof(letters) - 1)];
	return (struct str){ room, n };
}

/* Names as readers make them: tidied, without marks. */
static frame_id random_frame(struct profile *p)
{
	char room[12];
	struct str text = random_text(room, sizeof(room));
	for (size_t i = 0; i < text.n; i++)
		if (room[i] == '\n' || room[i] == '\r' || room[i] == '\t' || room[i] == ']')
			room[i] = ' ';
	struct frame f = { .name = profile_add_str(p, text),
			   .kind = (uint8_t)(text.n ? random_below(FRAME_KIND_COUNT) : FRAME_USER),
			   .flags = (uint16_t)(random_below(3) ? 0 : FRAME_INLINED) };
	return profile_add_frame(p, &f);
}

static label_set random_labels(struct profile *p)
{
	char room[12];
	label_set set = LABELS_NONE;
	for (uint32_t n = random_below(3); n; n--) {
		struct label l = { .key = profile_add_str(p, random_text(room, 12)) };
		l.is_number = random_below(2);
		if (l.is_number) {
			l.number = (int64_t)random_below(100) - 50;
			l.unit = profile_add_str(p, random_text(room, 4));
		} else {
			l.text = profile_add_str(p, random_text(room, 12));
		}
		if (l.key)
			set = profile_add_label(p, set, l);
	}
	return set;
}

static struct profile *random_profile(void)
{
	char room[12];
	struct profile *p = profile_new(COLUMNS_ALL);
	for (uint32_t i = 0; i < 200; i++) {
		struct thread t = { (int32_t)random_below(9), (int32_t)random_below(9),
				    profile_add_str(p, random_text(room, 12)), STR_NONE };
		struct event e = { .name = profile_add_str(p, random_text(room, 3)) };
		e.unit = profile_add_str(p, random_below(2) ? STR("ns") : STR("samples"));
		e.counts_periods = random_below(2);
		struct sample s = { .thread = profile_add_thread(p, t),
				    .event = profile_add_event(p, e),
				    .cpu = (int32_t)random_below(3) - 1,
				    .labels = random_labels(p),
				    .time_ns = i + 1,
				    .count = random_below(3),
				    .period = random_below(1000) };
		for (uint32_t depth = random_below(6); depth; depth--)
			s.node = profile_add_node(p, s.node, random_frame(p));
		profile_add_sample(p, &s);
	}
	profile_seal(p);
	return p;
}

static bool same_str(const struct profile *a, str_id i, const struct profile *b, str_id k)
{
	return str_eq(profile_str(a, i), profile_str(b, k));
}

static bool same_stack(const struct profile *a, node_id i, const struct profile *b, node_id k)
{
	for (; i && k; i = a->nodes.p[i].parent, k = b->nodes.p[k].parent) {
		const struct frame *x = &a->frames.p[a->nodes.p[i].frame];
		const struct frame *y = &b->frames.p[b->nodes.p[k].frame];
		bool is_nameless = !profile_str(a, x->name).n && x->kind == FRAME_UNKNOWN;
		if ((!is_nameless && !same_str(a, x->name, b, y->name)) || x->kind != y->kind ||
		    x->flags != y->flags)
			return false;
	}
	return i == k;
}

static bool same_labels(const struct profile *a, label_set i, const struct profile *b, label_set k)
{
	for (; i && k; i = a->label_sets.p[i].rest, k = b->label_sets.p[k].rest) {
		const struct label *x = &a->labels.p[a->label_sets.p[i].label];
		const struct label *y = &b->labels.p[b->label_sets.p[k].label];
		if (!same_str(a, x->key, b, y->key) || !same_str(a, x->text, b, y->text) ||
		    !same_str(a, x->unit, b, y->unit) || x->number != y->number ||
		    x->is_number != y->is_number)
			return false;
	}
	return i == k;
}

static bool same_row(const struct profile *a, const struct profile *b, uint32_t i)
{
	const struct samples *s = &a->samples, *t = &b->samples;
	const struct thread *x = &a->threads.p[s->thread[i]], *y = &b->threads.p[t->thread[i]];
	const struct event *e = &a->events.p[s->event[i]], *f = &b->events.p[t->event[i]];
	return s->time_ns[i] == t->time_ns[i] && s->cpu[i] == t->cpu[i] &&
	       s->count[i] == t->count[i] && s->period[i] == t->period[i] && x->pid == y->pid &&
	       x->tid == y->tid && same_str(a, x->comm, b, y->comm) &&
	       same_str(a, e->name, b, f->name) && same_str(a, e->unit, b, f->unit) &&
	       e->counts_periods == f->counts_periods &&
	       same_labels(a, s->labels[i], b, t->labels[i]) &&
	       same_stack(a, s->node[i], b, t->node[i]);
}

static void check_round_trips(void)
{
	for (unsigned round = 0; round < 20; round++) {
		AUTO(buf) struct buf text = { 0 }, notes = { 0 };
		struct profile *p = random_profile();
		write_as(&csv_sink, p, &text, &notes);
		struct profile *back = read_csv(buf_str(&text), round ? 7 * round : 0);
		uint32_t same = 0;
		for (uint32_t i = 0; i < p->samples.n && p->samples.n == back->samples.n; i++)
			same += same_row(p, back, i);
		tap_num_eq(same, p->samples.n, "random profile %u comes back row by row", round);
		uint32_t lines = 0;
		for (size_t i = 0; i < text.n; i++)
			lines += text.p[i] == '\n';
		tap_num_eq(lines, p->samples.n + 1, "... from a line for each");
		profile_unref(p);
		profile_unref(back);
	}
}

/* No cell begins with what a spreadsheet would run. */
static void check_formulas(void)
{
	AUTO(buf) struct buf text = { 0 }, notes = { 0 };
	struct profile *p = profile_new(COLUMNS_ALL);
	struct frame f = { .name = profile_add_str(p, STR("-[NSObject init]")) };
	struct thread t = { 1, 1, profile_add_str(p, STR("=1+1")), STR_NONE };
	struct event e = { .name = profile_add_str(p, STR("@cycles")) };
	node_id node = profile_add_node(p, NODE_ROOT, profile_add_frame(p, &f));
	node = profile_add_node(p, node, profile_add_frame(p, &f));
	profile_add_sample(p, &(struct sample){ .node = node,
						.thread = profile_add_thread(p, t),
						.event = profile_add_event(p, e),
						.cpu = -1,
						.count = 1,
						.period = 1 });
	p->ledger.count[LEDGER_NO_TIME] = 1;
	profile_seal(p);
	write_as(&csv_sink, p, &text, &notes);
	tap_str_eq(buf_str(&text),
		   STR("pid,tid,comm,event,unit,stack\n1,1,%3D1+1,%40cycles,,"
		       "\"%2D[NSObject init];-[NSObject init]\"\n"),
		   "formulas are escaped at the front of a cell only");
	profile_unref(p);
}

int main(void)
{
	check_records();
	check_escapes();
	check_probes();
	check_columns();
	check_bad_lines();
	check_negative();
	check_formulas();
	check_round_trips();
	return tap_done();
}
