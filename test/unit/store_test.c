/*
 * .plume files: what is written is read back, whole, in steps, into other profiles, and while it is
 * being written.
 */
#include "random.h"
#include "store_profile.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static void check_round_trip(void)
{
	struct profile *p = everything(), *back = profile_new(COLUMNS_ALL);
	AUTO(buf) struct buf bytes = { 0 };
	write_store(p, &bytes);
	struct store_reader *r = read_store(buf_str(&bytes), back);
	tap_num_eq(store_reader_state(r), STORE_ENDED, "a written file has its end");
	tap_num_eq(store_reader_blocks(r), 2, "a small profile is one block and the end mark");
	tap_num_eq(store_reader_unknown_parts(r), 0, "all its parts are known");
	tap_ok(profile_equal(p, back), "everything reads back equal");
	store_reader_free(r);
	p->samples.period[5] ^= 1;
	tap_ok(!profile_equal(p, back), "... and a changed weight is seen");
	profile_unref(back);
	p->samples.period[5] ^= 1;
	p->is_differential = true;
	write_store(p, &bytes);
	back = profile_new(COLUMNS_ALL);
	store_reader_free(read_store(buf_str(&bytes), back));
	tap_ok(back->is_differential && profile_equal(p, back), "a difference reads back as one");
	profile_unref(back);
	profile_unref(p);
}

static void check_empty(void)
{
	struct profile *p = profile_new(COLUMNS_ALL), *back = profile_new(COLUMNS_ALL);
	AUTO(buf) struct buf bytes = { 0 };
	write_store(p, &bytes);
	struct store_reader *r = read_store(buf_str(&bytes), back);
	tap_num_eq(bytes.n, 16 + 32 + 1, "an empty profile is a head and an end mark");
	tap_num_eq(store_reader_state(r), STORE_ENDED, "... and is read");
	tap_ok(profile_equal(p, back), "... as an empty one");
	store_reader_free(r);
	profile_unref(back);
	profile_unref(p);
}

static void check_columns(void)
{
	struct profile *p = everything();
	AUTO(buf) struct buf bytes = { 0 };
	write_store(p, &bytes);
	struct profile *few = profile_new(0);
	store_reader_free(read_store(buf_str(&bytes), few));
	bool has_ids = false;
	for (uint32_t i = 0; i < few->threads.n; i++)
		has_ids |= few->threads.p[i].pid != PID_UNKNOWN ||
			   few->threads.p[i].tid != PID_UNKNOWN;
	tap_ok(!has_ids, "pids and tids that were not asked for are not kept");
	tap_ok(!few->samples.time_ns && !few->samples.cpu && !few->samples.labels,
	       "nor are times, cpus and labels");
	tap_ok(few->samples.n < p->samples.n, "equal samples share a row");
	tap_num_eq(few->ledger.count[LEDGER_FRAMES], p->ledger.count[LEDGER_FRAMES],
		   "their frames are counted all the same");
	profile_unref(few);
	few = profile_new(COLUMN_PID | COLUMN_TIME);
	store_reader_free(read_store(buf_str(&bytes), few));
	thread_id t = few->samples.thread[1];
	tap_ok(few->threads.p[t].pid == 7 && few->threads.p[t].tid == PID_UNKNOWN &&
		       few->samples.time_ns[1] == 999 && !few->samples.cpu,
	       "what was asked for is kept alone");
	profile_unref(few);
	profile_unref(p);
}

/* Another profile, with the same words under other ids. */
static struct profile *other_profile(void)
{
	struct profile *p = profile_new(COLUMNS_ALL);
	str_id_of(p, "bytes");
	struct frame f = { .name = str_id_of(p, "kind 3") };
	node_id node = profile_add_node(p, NODE_ROOT, profile_add_frame(p, &f));
	thread_id t = profile_add_thread(p, (struct thread){ 7, 9, str_id_of(p, "worker 1"), 0 });
	event_id clock = profile_add_event(
		p, (struct event){ .name = str_id_of(p, "cpu-clock"), .decimals = 2 });
	event_id sums =
		profile_add_event(p, (struct event){ .name = str_id_of(p, "sums"), .decimals = 3 });
	add_row(p,
		(struct sample){
			.node = node, .thread = t, .event = clock, .count = 1, .period = 5 },
		1, 0);
	add_row(p,
		(struct sample){
			.node = node, .thread = t, .event = sums, .count = 1, .period = 5 },
		1, 0);
	profile_add_fact(p, STR("command"), STR("another"));
	profile_add_label(p, LABELS_NONE,
			  (struct label){ .key = str_id_of(p, "n"), .is_number = 1, .number = 3 });
	return p;
}

static void check_second_profile(void)
{
	struct profile *p = everything(), *want = other_profile(), *got = other_profile();
	AUTO(buf) struct buf bytes = { 0 };
	write_store(p, &bytes);
	profile_merge(want, p);
	store_reader_free(read_store(buf_str(&bytes), got));
	tap_ok(profile_equal(want, got), "reading into a profile adds up as merging does");
	tap_num_eq(got->samples.period[1], 5000000, "... and scales what was there");
	profile_unref(got);
	profile_unref(want);
	profile_unref(p);
}

/* --- growing --- */

/* A file that is written while p grows. */
struct growing {
	char path[32];
	int fd;
	struct writer *out;
	struct store_writer *store;
};

static struct growing growing_open(void)
{
	struct err e = { 0 };
	struct growing g = { .fd = -1 };
	g.fd = nameless_file(g.path);
	g.out = writer_open_live(g.path, &e);
	g.store = store_writer_new(g.out);
	return g;
}

static void growing_close(struct growing *g)
{
	struct err e = { 0 };
	tap_ok(writer_commit(g->out, &e), "the growing file is whole");
	store_writer_free(g->store);
	writer_free(g->out);
}

/* One step of growth: a few new words, frames, stacks, threads, labels, events, marks, and samples. */
static void grow(struct profile *p, uint32_t step)
{
	struct event e = { .name = numbered(p, "event ", step / 20), .unit = str_id_of(p, "u") };
	event_id event = profile_add_event(p, e);
	struct thread t = { (int)step, (int)step + 1, numbered(p, "comm ", step / 3), 0 };
	thread_id thread = profile_add_thread(p, t);
	struct label l = { .key = str_id_of(p, "step"), .is_number = 1, .number = step };
	label_set labels = profile_add_label(p, LABELS_NONE, l);
	node_id node = NODE_ROOT;
	if (step % 10 == 3)
		profile_set_decimals(p, event, p->events.p[event].decimals + 1u);
	for (uint32_t i = random_below(30); i; i--) {
		uint32_t name = random_below(step + 5);
		struct frame f = { .name = numbered(p, "f", name), .line = name % 7 };
		node = profile_add_node(p, node, profile_add_frame(p, &f));
		struct sample s = { .node = node,
				    .thread = thread,
				    .event = event,
				    .cpu = (int)(i % 4) - 1,
				    .labels = i % 3 ? labels : LABELS_NONE,
				    .time_ns = random_below(1000),
				    .count = 1,
				    .period = random_below(100000) };
		profile_add_sample(p, &s);
	}
	if (step % 7 == 0)
		profile_add_mark(p, (struct mark){ step, 1, thread, str_id_of(p, "turn"), 0 });
	if (step % 11 == 0)
		profile_add_fact(p, STR("step"), profile_str(p, numbered(p, "", step)));
}

/* The rows and tables alone: grow() keeps no ledger. */
static bool same_samples(const struct profile *a, const struct profile *b)
{
	bool ok = a->samples.n == b->samples.n && same_tables(a, b) && same_remarks(a, b);
	for (uint32_t i = 0; ok && i < a->samples.n; i++)
		ok = same_row(a, i, b, i);
	return ok;
}

static void check_steps(void)
{
	enum { STEPS = 200 };
	struct profile *p = profile_new(COLUMNS_ALL), *back = profile_new(COLUMNS_ALL);
	struct growing g = growing_open();
	AUTO(buf) struct buf bytes = { 0 };
	for (uint32_t step = 0; step < STEPS; step++) {
		grow(p, step);
		store_writer_append(g.store, p);
	}
	store_writer_append(g.store, p); /* nothing new */
	grow(p, STEPS);
	store_writer_end(g.store, p);
	growing_close(&g);
	read_all(g.fd, &bytes);
	struct store_reader *r = read_store(buf_str(&bytes), back);
	tap_num_eq(store_reader_state(r), STORE_ENDED, "a file of many steps has its end");
	tap_num_eq(store_reader_blocks(r), STEPS + 2,
		   "a block for each step that brought something");
	tap_ok(p->events.p[0].decimals > 1, "weights gained decimals on the way");
	tap_ok(same_samples(p, back), "a profile that grew while it was written reads back equal");
	store_reader_free(r);
	close(g.fd);
	profile_unref(back);
	profile_unref(p);
}

/* Names that come late, of frames that were written before, in the same step, and of the one written last. */
static void check_changed(void)
{
	enum { STEPS = 60 };
	struct profile *p = profile_new(COLUMNS_ALL), *back = profile_new(COLUMNS_ALL);
	struct growing g = growing_open();
	AUTO(buf) struct buf bytes = { 0 };
	for (uint32_t step = 0; step < STEPS; step++) {
		struct frame by_address = { .name = numbered(p, "0x", step), .kind = FRAME_JIT };
		struct frame named = { .name = numbered(p, "named ", step),
				       .file = str_id_of(p, "app.py"),
				       .line = step,
				       .kind = FRAME_JIT };
		frame_id own = profile_add_own_frame(p, &by_address);
		struct sample s = { .node = profile_add_node(p, NODE_ROOT, own), .count = 1 };
		grow(p, step);
		profile_add_sample(p, &s);
		if (step % 3 != 1)
			store_writer_append(g.store, p);
		profile_change_frame(p, own, profile_add_frame(p, &named), 0);
	}
	struct frame by_address = { .name = str_id_of(p, "0x60"), .kind = FRAME_JIT };
	frame_id last = profile_add_own_frame(p, &by_address);
	struct frame unnamed = { .module = str_id_of(p, "jit-1.dump"), .kind = FRAME_UNKNOWN };
	store_writer_append(g.store, p);
	profile_change_frame(p, last, profile_add_frame(p, &unnamed), 3);
	store_writer_end(g.store, p);
	growing_close(&g);
	read_all(g.fd, &bytes);
	struct store_reader *r = read_store(buf_str(&bytes), back);
	tap_num_eq(store_reader_state(r), STORE_ENDED,
		   "a file with names that came late has its end");
	bool ok = p->samples.n ==
		  back->samples.n; /* frames that are alike are one when they are read */
	for (uint32_t i = 0; ok && i < p->samples.n; i++)
		ok = same_row(p, i, back, i);
	tap_ok(ok, "names that came late read back");
	tap_num_eq(back->ledger.count[LEDGER_UNKNOWN_FRAMES], 3,
		   "a frame that turned out to have no name is counted");
	store_reader_free(r);
	close(g.fd);
	profile_unref(back);
	profile_unref(p);
}

/* More than a block of rows, names and stacks. */
static void check_large(void)
{
	enum { ROWS = 150000, NAME_BYTES = 120 };
	struct profile *p = profile_new(COLUMNS_ALL), *back = profile_new(COLUMNS_ALL);
	AUTO(buf) struct buf bytes = { 0 };
	event_id event = profile_add_event(p, (struct event){ .name = str_id_of(p, "e") });
	node_id node = NODE_ROOT;
	for (uint32_t i = 0; i < ROWS; i++) {
		char name[NAME_BYTES];
		memset(name, 'x', sizeof(name));
		snprintf(name, sizeof(name), "%u", i);
		struct frame f = { .name = profile_add_str(p, (struct str){ name, sizeof(name) }) };
		node = profile_add_node(p, i % 100 ? node : NODE_ROOT, profile_add_frame(p, &f));
		struct sample s = { .node = node,
				    .event = event,
				    .count = 1,
				    .period = i,
				    .cpu = -1,
				    .time_ns = (uint64_t)ROWS * 1000 - i };
		profile_add_sample(p, &s);
	}
	write_store(p, &bytes);
	struct store_reader *r = read_store(buf_str(&bytes), back);
	tap_num_eq(store_reader_state(r), STORE_ENDED, "a file of many blocks has its end");
	tap_ok(store_reader_blocks(r) > 6, "a large profile takes several blocks");
	tap_ok(same_samples(p, back), "... and reads back equal");
	store_reader_free(r);
	profile_unref(back);
	profile_unref(p);
}

/* --- the ledger --- */

static struct profile *with_rows(const uint64_t *times, uint32_t n, uint64_t no_time)
{
	struct profile *p = profile_new(COLUMNS_ALL);
	event_id event = profile_add_event(p, (struct event){ .name = str_id_of(p, "e") });
	for (uint32_t i = 0; i < n; i++)
		add_row(p, (struct sample){ .event = event, .count = 1, .time_ns = times[i] }, 0,
			0);
	p->ledger.count[LEDGER_NO_TIME] = no_time;
	return p;
}

static void check_times(void)
{
	static const struct {
		const char *name;
		uint64_t times[3], no_time, want;
	} cases[] = {
		{ "times of 0 that are times", { 0, 0, 0 }, 0, 0 },
		{ "no times at all", { 0, 0, 0 }, 3, 3 },
		{ "some times", { 0, 5, 0 }, 2, 2 },
		{ "all times", { 1, 2, 3 }, 0, 0 },
		{ "more without a time than were selected", { 0, 0, 0 }, 50, 3 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(buf) struct buf bytes = { 0 };
		struct profile *p = with_rows(cases[i].times, 3, cases[i].no_time);
		struct profile *back = profile_new(COLUMNS_ALL);
		write_store(p, &bytes);
		store_reader_free(read_store(buf_str(&bytes), back));
		tap_num_eq(back->ledger.count[LEDGER_NO_TIME], cases[i].want, "%s", cases[i].name);
		tap_num_eq(back->facts.n, 0, "... are no fact of the recording");
		profile_unref(back);
		profile_unref(p);
	}
}

static void check_ledger(void)
{
	struct profile *p = with_rows((const uint64_t[]){ 1, 2, 3 }, 3, 0);
	struct profile *back = profile_new(COLUMNS_ALL);
	struct growing g = growing_open();
	AUTO(buf) struct buf bytes = { 0 };
	for (unsigned i = 0; i < 3; i++) {
		p->ledger.count[LEDGER_BAD_LINES] += 700;
		p->ledger.count[LEDGER_CUT_STACKS] = 1;
		store_writer_append(g.store, p);
	}
	store_writer_end(g.store, p);
	growing_close(&g);
	read_all(g.fd, &bytes);
	store_reader_free(read_store(buf_str(&bytes), back));
	tap_num_eq(back->facts.n, 2, "each line of the ledger is one fact");
	tap_str_eq(profile_fact(back, STR("when recorded")), STR("lines not understood: 2,100"),
		   "... with the sum of all blocks");
	tap_num_eq(back->ledger.count[LEDGER_BAD_LINES], 0, "... and no damage of this file");
	store_reader_free(read_store(buf_str(&bytes), back));
	tap_num_eq(back->samples.n, 6, "a file may be read twice into a profile");
	close(g.fd);
	profile_unref(back);
	profile_unref(p);
}

/* --- lines --- */

/* Two lines of one function, and a function of which only a line is known. */
static struct profile *with_lines(void)
{
	struct profile *p = profile_new(0);
	struct frame f = { .name = str_id_of(p, "work"),
			   .file = str_id_of(p, "/src/part.inc"),
			   .line = 10,
			   .column = 3,
			   .function_file = str_id_of(p, "/src/work.c"),
			   .function_line = 5 };
	profile_add_frame(p, &f);
	f.line = 20;
	profile_add_frame(p, &f);
	f = (struct frame){ .name = str_id_of(p, "main"), .file = f.file, .line = 7, .column = 9 };
	profile_add_frame(p, &f);
	return p;
}

static void check_places(const struct profile *p, frame_id id, const char *file, uint32_t line,
			 uint32_t column, const char *what)
{
	const struct frame *f = &p->frames.p[id];
	tap_ok(id < p->frames.n && str_eq(profile_str(p, f->file), str_from(file)) &&
		       f->line == line && f->column == column,
	       "%s", what);
}

static void check_lines(void)
{
	AUTO(buf) struct buf bytes = { 0 };
	struct profile *p = with_lines(), *all = profile_new(0), *folded = profile_new(0);
	write_store(p, &bytes);
	struct store_reader *r = read_store(buf_str(&bytes), all);
	tap_num_eq(all->frames.n, 3, "every line of a function is in the file");
	check_places(all, 1, "/src/part.inc", 20, 3, "... and read where it is asked for");
	tap_ok(!store_reader_lacks_lines(r), "... which the file's version says");
	store_reader_free(r);
	r = store_reader_new(folded, false);
	store_reader_feed(r, buf_str(&bytes), 0);
	tap_num_eq(folded->frames.n, 2, "else a function is one frame");
	check_places(folded, 0, "/src/work.c", 5, 0, "... where it begins");
	check_places(folded, 1, "/src/part.inc", 7, 9, "... if that is known");
	store_reader_free(r);
	bytes.p[10] = 1; /* the minor version */
	profile_unref(all);
	all = profile_new(0);
	r = read_store(buf_str(&bytes), all);
	tap_ok(store_reader_lacks_lines(r), "an older version has lines of functions alone");
	store_reader_free(r);
	profile_unref(p);
	profile_unref(all);
	profile_unref(folded);
}

static void check_without_lines(void)
{
	struct profile *p = with_lines(), *without = profile_without_lines(p);
	tap_num_eq(without->frames.n, 2, "without lines a function is one frame");
	check_places(without, 0, "/src/work.c", 5, 0, "... where it begins");
	struct profile *again = profile_without_lines(without);
	tap_ok(again == without, "... and nothing is copied where it is so already");
	profile_unref(again);
	profile_unref(without);
	profile_unref(p);
}

/* --- following --- */

/* A reader of a file that grows, with a descriptor of its own. */
struct follower {
	int fd;
	uint64_t offset; /* behind what is done with */
	struct store_reader *reader;
	struct profile *p;
};

static struct follower follower_open(const char *path)
{
	struct follower f = { .fd = open(path, O_RDONLY | O_CLOEXEC),
			      .p = profile_new(COLUMNS_ALL) };
	f.reader = store_reader_new(f.p, true);
	return f;
}

static void follow(struct follower *f)
{
	AUTO(buf) struct buf window = { 0 };
	ssize_t n;
	while ((n = pread(f->fd, buf_reserve(&window, 4096), 4096, (off_t)(f->offset + window.n))) >
	       0)
		window.n += (size_t)n;
	f->offset += store_reader_feed(f->reader, buf_str(&window), f->offset);
}

static void follower_close(struct follower *f)
{
	close(f->fd);
	store_reader_free(f->reader);
	profile_unref(f->p);
}

static void check_follow(void)
{
	struct profile *p = profile_new(COLUMNS_ALL);
	struct growing g = growing_open();
	struct follower f = follower_open(g.path);
	bool ok = true;
	follow(&f);
	tap_ok(f.offset == 0 && store_reader_state(f.reader) == STORE_OPEN, "a new file is open");
	for (uint32_t step = 0; step < 100; step++) {
		grow(p, step);
		store_writer_append(g.store, p);
		follow(&f);
		ok &= same_samples(p, f.p) && store_reader_state(f.reader) == STORE_OPEN;
	}
	tap_ok(ok, "a follower sees each step as soon as it is written, and no more");
	store_writer_end(g.store, p);
	growing_close(&g);
	follow(&f);
	tap_ok(same_samples(p, f.p) && store_reader_state(f.reader) == STORE_ENDED,
	       "... and the end");
	close(g.fd);
	follower_close(&f);
	profile_unref(p);
}

/* Row i is known by its number, so that a prefix is recognised. */
static void add_numbered_row(struct profile *p, uint32_t i)
{
	struct frame f = { .name = numbered(p, "f", i % 1000) };
	struct event e = { .name = str_id_of(p, "e") };
	struct sample s = { .node = profile_add_node(p, NODE_ROOT, profile_add_frame(p, &f)),
			    .event = profile_add_event(p, e),
			    .time_ns = i,
			    .count = 1,
			    .period = i * 2654435761u };
	profile_add_sample(p, &s);
}

static bool rows_are_numbered(const struct profile *p, uint32_t first)
{
	bool ok = true;
	for (uint32_t i = first; ok && i < p->samples.n; i++) {
		char name[16];
		int n = snprintf(name, sizeof(name), "f%u", i % 1000);
		const struct frame *f = &p->frames.p[p->nodes.p[p->samples.node[i]].frame];
		ok = p->samples.time_ns[i] == i && p->samples.count[i] == 1 &&
		     p->samples.period[i] == i * 2654435761u &&
		     str_eq(profile_str(p, f->name), (struct str){ name, (size_t)n });
	}
	return ok;
}

enum { ROWS_PER_STEP = 1500 };

/* Appends steps of numbered rows until killed, or `steps` of them and the end. */
static void write_numbered(const char *path, uint32_t steps)
{
	struct err e = { 0 };
	struct profile *p = profile_new(COLUMNS_ALL);
	struct writer *out = writer_open_live(path, &e);
	struct store_writer *w = store_writer_new(out);
	for (uint32_t step = 0; step < steps; step++) {
		for (uint32_t i = 0; i < ROWS_PER_STEP; i++)
			add_numbered_row(p, p->samples.n);
		store_writer_append(w, p);
	}
	store_writer_end(w, p);
	_exit(!writer_commit(out, &e));
}

static void check_follow_process(void)
{
	enum { STEPS = 200 };
	char path[32];
	int fd = nameless_file(path), status = 0;
	struct follower f = follower_open(path);
	bool ok = true;
	unsigned looks = 0;
	pid_t child = fork();
	if (child == 0)
		write_numbered(path, STEPS);
	for (; store_reader_state(f.reader) == STORE_OPEN; looks++) {
		uint32_t before = f.p->samples.n;
		/* Its end is looked for before the last look: what it wrote is then all there. */
		bool has_ended = waitpid(child, &status, WNOHANG) == child;
		follow(&f);
		ok &= f.p->samples.n % ROWS_PER_STEP == 0 && rows_are_numbered(f.p, before);
		if (has_ended)
			break;
	}
	tap_num_eq(store_reader_state(f.reader), STORE_ENDED,
		   "a follower of another process comes to its end");
	tap_ok(ok, "... by way of whole blocks only");
	tap_num_eq(f.p->samples.n, STEPS * ROWS_PER_STEP, "... and has every sample");
	printf("# %u looks at the file\n", looks);
	waitpid(child, &status, 0);
	close(fd);
	follower_close(&f);
}

/* --- kill -9 --- */

/* Whole blocks of a file, by their heads alone. */
static uint64_t whole_blocks(struct str bytes, size_t *end)
{
	uint64_t n = 0;
	*end = bytes.n < 16 ? 0 : 16;
	for (size_t at = 16; at + 32 <= bytes.n; n++) {
		uint32_t stored;
		memcpy(&stored, bytes.p + at + 8, sizeof(stored));
		if (stored > bytes.n - at - 32)
			break;
		*end = at += 32 + stored;
	}
	return n;
}

static bool survives_kill(uint32_t delay_us, unsigned *partial, uint64_t *blocks)
{
	char path[32];
	int fd = nameless_file(path), status;
	AUTO(buf) struct buf bytes = { 0 };
	pid_t child = fork();
	if (child == 0)
		write_numbered(path, UINT32_MAX);
	nanosleep(&(struct timespec){ 0, (long)delay_us * 1000 }, NULL);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	read_all(fd, &bytes);
	close(fd);
	size_t end;
	uint64_t whole = whole_blocks(buf_str(&bytes), &end);
	struct profile *p = profile_new(COLUMNS_ALL);
	struct store_reader *r = read_store(buf_str(&bytes), p);
	bool ok = store_reader_state(r) == STORE_OPEN && store_reader_blocks(r) == whole &&
		  p->samples.n == whole * ROWS_PER_STEP && rows_are_numbered(p, 0);
	*partial += end < bytes.n;
	*blocks += whole;
	store_reader_free(r);
	profile_unref(p);
	return ok;
}

static void check_kill(void)
{
	enum { KILLS = 200 };
	unsigned partial = 0, survived = 0;
	uint64_t blocks = 0, seed = random_state = (uint64_t)time(NULL);
	for (unsigned i = 0; i < KILLS; i++)
		survived += survives_kill(random_below(20000), &partial, &blocks);
	tap_num_eq(survived, KILLS,
		   "killed at 200 moments: all whole blocks are read, and only those");
	printf("# seed %llu: %llu blocks, %u files end in a part of one\n",
	       (unsigned long long)seed, (unsigned long long)blocks, partial);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0); /* or a fork prints what is buffered again */
	check_round_trip();
	check_empty();
	check_columns();
	check_second_profile();
	check_steps();
	check_changed();
	check_large();
	check_times();
	check_ledger();
	check_lines();
	check_without_lines();
	check_follow();
	check_follow_process();
	check_kill();
	return tap_done();
}
