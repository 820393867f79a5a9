/*
 * Profiles for the tests of .plume files: one with everything in it, and a comparison by meaning, since
 * ids may differ.
 */
#pragma once
#include "store/store.h"
#include "tap.h"

#include <fcntl.h>
#include <unistd.h>

/* --- a profile with everything in it --- */

static inline str_id str_id_of(struct profile *p, const char *text)
{
	return profile_add_str(p, str_from(text));
}

static inline str_id numbered(struct profile *p, const char *prefix, uint32_t i)
{
	char text[64];
	snprintf(text, sizeof(text), "%s%u", prefix, i);
	return str_id_of(p, text);
}

static inline node_id add_stacks(struct profile *p, node_id *deep)
{
	struct frame f = { .name = str_id_of(p, "main"),
			   .module = str_id_of(p, "/srv/a b/app"),
			   .file = str_id_of(p, "/src/main.c"),
			   .line = UINT32_MAX,
			   .column = UINT32_MAX,
			   .tier = '*',
			   .flags = FRAME_INLINED | FRAME_WAKER | FRAME_MARKED };
	node_id node = NODE_ROOT;
	for (unsigned kind = 0; kind < FRAME_KIND_COUNT; kind++) {
		f.kind = (uint8_t)kind;
		f.name = numbered(p, "kind ", kind);
		f.line = kind;
		f.function_file = kind % 2 ? f.file : STR_NONE;
		f.function_line = kind % 2 ? UINT32_MAX - kind : 0;
		f.function_column = kind % 4 == 1 ? UINT32_MAX : 0;
		f.flags = (uint16_t)kind & 7;
		f.tier = "\0~^+*"[kind % 5];
		node = profile_add_node(p, node, profile_add_frame(p, &f));
	}
	*deep = node;
	f = (struct frame){
		.kind = FRAME_UNKNOWN, .line = UINT32_MAX, .column = UINT32_MAX, .start = UINT32_MAX
	};
	frame_id unnamed = profile_add_frame(p, &f);
	f = (struct frame){ .name = profile_add_str(p, STR("nul\0 ;\n\xff\xfe")) };
	frame_id odd = profile_add_frame(p, &f);
	f = (struct frame){ .name = str_id_of(p, "never called"),
			    .file = str_id_of(p, "/src/main.c") };
	profile_add_frame(p, &f);
	return profile_add_node(p, profile_add_node(p, NODE_ROOT, odd), unnamed);
}

static inline label_set add_labels(struct profile *p)
{
	struct label url = { .key = str_id_of(p, "url"), .text = str_id_of(p, "/a?b") };
	struct label size = { .key = str_id_of(p, "size"),
			      .is_number = 1,
			      .number = INT64_MIN,
			      .unit = str_id_of(p, "bytes") };
	struct label bare = { .key = str_id_of(p, "n"), .is_number = 1, .number = INT64_MAX };
	label_set both = profile_add_label(p, profile_add_label(p, LABELS_NONE, url), size);
	profile_add_label(p, LABELS_NONE, bare);
	return profile_add_label(p, both, bare);
}

static inline void add_threads(struct profile *p, thread_id thread[4])
{
	str_id comm = str_id_of(p, "worker 1");
	thread[0] = THREAD_NONE;
	thread[1] = profile_add_thread(p, (struct thread){ 7, 9, comm, str_id_of(p, "3f2a") });
	thread[2] = profile_add_thread(p, (struct thread){ PID_UNKNOWN, INT32_MAX, comm, 0 });
	thread[3] = profile_add_thread(p, (struct thread){ INT32_MAX, PID_UNKNOWN, 0, 0 });
}

static inline void add_events(struct profile *p, event_id event[3])
{
	event[0] = profile_add_event(p, (struct event){ str_id_of(p, "cycles:u"),
							str_id_of(p, "cycles"),
							.counts_periods = true });
	event[1] = profile_add_event(p, (struct event){ str_id_of(p, "sums"), str_id_of(p, "ms"),
							.has_only_sums = true, .decimals = 9 });
	event[2] = profile_add_event(p, (struct event){ .name = str_id_of(p, "cpu-clock") });
}

static inline void add_remarks(struct profile *p)
{
	str_id gc = str_id_of(p, "gc");
	profile_add_mark(p, (struct mark){ 500, 20, 1, gc, str_id_of(p, "scavenge") });
	profile_add_mark(p, (struct mark){ 100, 0, THREAD_NONE, gc, STR_NONE });
	profile_add_mark(p, (struct mark){ UINT64_MAX, UINT64_MAX, 2, gc, gc });
	profile_add_fact(p, STR("command"), STR("node app.js"));
	profile_add_fact(p, STR("host"), STR(""));
	profile_add_module(p,
			   (struct module){ str_id_of(p, "/srv/a b/app"), str_id_of(p, "00ff") });
	profile_add_module(p, (struct module){ str_id_of(p, "libc"), STR_NONE });
	profile_add_unnamed(p,
			    (struct unnamed){ str_id_of(p, "libc"), str_id_of(p, "it is stripped"),
					      str_id_of(p, "apt install libc6-dbg"), 300 });
	profile_add_unnamed(
		p, (struct unnamed){ STR_NONE, str_id_of(p, "it is gone"), STR_NONE, UINT64_MAX });
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++)
		if (ledger_line_is_of_recording(line))
			p->ledger.count[line] = 1000 + line;
}

static inline void add_row(struct profile *p, struct sample s, uint64_t frames, uint64_t unknown)
{
	uint64_t *ledger = p->ledger.count, overflows = 0;
	profile_add_sample(p, &s);
	ledger[LEDGER_SAMPLES] = saturating_add(ledger[LEDGER_SAMPLES], s.count, &overflows);
	ledger[LEDGER_NO_STACK] += s.node == NODE_ROOT;
	uint64_t uses = p->events.p[s.event].has_only_sums ? 1 : s.count;
	ledger[LEDGER_FRAMES] += uses * frames;
	ledger[LEDGER_UNKNOWN_FRAMES] += uses * unknown;
}

/* Stacks, threads, events, times, cpus, labels and weights in every combination that matters. */
static inline struct profile *everything(void)
{
	struct profile *p = profile_new(COLUMNS_ALL);
	static const uint64_t weights[] = { 1, 0, 127, 128, UINT32_MAX, UINT64_MAX, 1ull << 63 };
	static const uint64_t times[] = { 1000, 999, 0, UINT64_MAX, 1, 5, 5 };
	thread_id thread[4];
	event_id event[3];
	node_id deep, odd = add_stacks(p, &deep);
	add_threads(p, thread);
	add_events(p, event);
	label_set labels = add_labels(p);
	for (uint32_t i = 0; i < 84; i++) {
		struct sample s = { .node = i % 3 == 0	 ? deep
					    : i % 3 == 1 ? odd
							 : NODE_ROOT,
				    .thread = thread[i % 4],
				    .event = event[i % 3],
				    .cpu = i % 5 == 0	? -1
					   : i % 5 == 1 ? INT32_MAX
							: (int)i,
				    .labels = i % 6 ? LABELS_NONE : labels - i % 2,
				    .time_ns = times[i % 7],
				    .count = weights[(i + 3) % 7],
				    .period = weights[i % 7] };
		add_row(p, s, (const uint64_t[]){ FRAME_KIND_COUNT, 2, 0 }[i % 3], i % 3 < 2);
	}
	add_remarks(p);
	return p;
}

/* --- comparing --- */

static inline bool same_text(const struct profile *a, str_id i, const struct profile *b, str_id k)
{
	return str_eq(profile_str(a, i), profile_str(b, k));
}

static inline bool same_frame(const struct profile *a, frame_id i, const struct profile *b,
			      frame_id k)
{
	const struct frame *f = &a->frames.p[i], *g = &b->frames.p[k];
	return same_text(a, f->name, b, g->name) && same_text(a, f->module, b, g->module) &&
	       same_text(a, f->file, b, g->file) && f->line == g->line && f->column == g->column &&
	       same_text(a, f->function_file, b, g->function_file) &&
	       f->function_line == g->function_line && f->function_column == g->function_column &&
	       f->start == g->start && f->kind == g->kind && f->tier == g->tier &&
	       f->flags == g->flags;
}

static inline bool same_stack(const struct profile *a, node_id i, const struct profile *b,
			      node_id k)
{
	while (i != NODE_ROOT && k != NODE_ROOT) {
		if (!same_frame(a, a->nodes.p[i].frame, b, b->nodes.p[k].frame))
			return false;
		i = a->nodes.p[i].parent;
		k = b->nodes.p[k].parent;
	}
	return i == k;
}

static inline bool same_thread(const struct profile *a, thread_id i, const struct profile *b,
			       thread_id k)
{
	const struct thread *t = &a->threads.p[i], *u = &b->threads.p[k];
	return t->pid == u->pid && t->tid == u->tid && same_text(a, t->comm, b, u->comm) &&
	       same_text(a, t->container, b, u->container);
}

static inline bool same_event(const struct profile *a, event_id i, const struct profile *b,
			      event_id k)
{
	const struct event *e = &a->events.p[i], *f = &b->events.p[k];
	return same_text(a, e->name, b, f->name) && same_text(a, e->unit, b, f->unit) &&
	       e->counts_periods == f->counts_periods && e->has_only_sums == f->has_only_sums &&
	       e->decimals == f->decimals;
}

static inline bool same_label(const struct profile *a, label_id i, const struct profile *b,
			      label_id k)
{
	const struct label *l = &a->labels.p[i], *m = &b->labels.p[k];
	return same_text(a, l->key, b, m->key) && same_text(a, l->text, b, m->text) &&
	       same_text(a, l->unit, b, m->unit) && l->is_number == m->is_number &&
	       l->number == m->number;
}

static inline bool same_labels(const struct profile *a, label_set i, const struct profile *b,
			       label_set k)
{
	while (i != LABELS_NONE && k != LABELS_NONE) {
		if (!same_label(a, a->label_sets.p[i].label, b, b->label_sets.p[k].label))
			return false;
		i = a->label_sets.p[i].rest;
		k = b->label_sets.p[k].rest;
	}
	return i == k;
}

static inline bool same_row(const struct profile *a, uint32_t i, const struct profile *b,
			    uint32_t k)
{
	const struct samples *s = &a->samples, *t = &b->samples;
	return same_stack(a, s->node[i], b, t->node[k]) &&
	       same_thread(a, s->thread[i], b, t->thread[k]) &&
	       same_event(a, s->event[i], b, t->event[k]) && s->count[i] == t->count[k] &&
	       s->period[i] == t->period[k] && s->time_ns[i] == t->time_ns[k] &&
	       s->cpu[i] == t->cpu[k] && same_labels(a, s->labels[i], b, t->labels[k]);
}

static inline bool same_mark(const struct profile *a, uint32_t i, const struct profile *b,
			     uint32_t k)
{
	const struct mark *m = &a->marks.p[i], *n = &b->marks.p[k];
	return m->time_ns == n->time_ns && m->duration_ns == n->duration_ns &&
	       same_thread(a, m->thread, b, n->thread) && same_text(a, m->kind, b, n->kind) &&
	       same_text(a, m->text, b, n->text);
}

static inline bool same_remarks(const struct profile *a, const struct profile *b)
{
	bool ok = a->marks.n == b->marks.n && a->facts.n == b->facts.n &&
		  a->modules.n == b->modules.n && a->is_differential == b->is_differential;
	for (uint32_t i = 0; ok && i < a->marks.n; i++)
		ok = same_mark(a, i, b, i);
	for (uint32_t i = 0; ok && i < a->facts.n; i++)
		ok = same_text(a, a->facts.p[i].key, b, b->facts.p[i].key) &&
		     same_text(a, a->facts.p[i].text, b, b->facts.p[i].text);
	for (uint32_t i = 0; ok && i < a->modules.n; i++)
		ok = same_text(a, a->modules.p[i].path, b, b->modules.p[i].path) &&
		     same_text(a, a->modules.p[i].build_id, b, b->modules.p[i].build_id);
	return ok;
}

static inline bool same_unnamed(const struct profile *a, const struct profile *b)
{
	bool ok = a->unnamed.n == b->unnamed.n;
	for (uint32_t i = 0; ok && i < a->unnamed.n; i++) {
		const struct unnamed *u = &a->unnamed.p[i], *v = &b->unnamed.p[i];
		ok = same_text(a, u->module, b, v->module) &&
		     same_text(a, u->reason, b, v->reason) && same_text(a, u->fix, b, v->fix) &&
		     u->frames == v->frames;
	}
	return ok;
}

/* What the samples do not use is there as well: frames never called, threads never run. */
static inline bool same_tables(const struct profile *a, const struct profile *b)
{
	bool ok = a->frames.n == b->frames.n && a->nodes.n == b->nodes.n &&
		  a->threads.n == b->threads.n && a->events.n == b->events.n &&
		  a->label_sets.n == b->label_sets.n && a->labels.n == b->labels.n;
	for (uint32_t i = 0; ok && i < a->frames.n; i++)
		ok = same_frame(a, i, b, i);
	for (uint32_t i = 0; ok && i < a->nodes.n; i += 1 + a->nodes.n / 1000)
		ok = same_stack(a, i, b, i);
	for (uint32_t i = 0; ok && i < a->threads.n; i++)
		ok = same_thread(a, i, b, i);
	for (uint32_t i = 0; ok && i < a->events.n; i++)
		ok = same_event(a, i, b, i);
	for (uint32_t i = 0; ok && i < a->label_sets.n; i++)
		ok = same_labels(a, i, b, i);
	return ok;
}

/* Both keep all columns. */
static inline bool profile_equal(const struct profile *a, const struct profile *b)
{
	static const enum ledger_line lines[] = { LEDGER_SAMPLES,	 LEDGER_NO_STACK,
						  LEDGER_NO_TIME,	 LEDGER_FRAMES,
						  LEDGER_UNKNOWN_FRAMES, LEDGER_LOST,
						  LEDGER_THROTTLED,	 LEDGER_TRUNCATED,
						  LEDGER_UNROOTED,	 LEDGER_NO_INLINES };
	bool ok = a->samples.n == b->samples.n && same_tables(a, b) && same_remarks(a, b) &&
		  same_unnamed(a, b);
	for (uint32_t i = 0; ok && i < a->samples.n; i++)
		ok = same_row(a, i, b, i);
	for (size_t i = 0; ok && i < ARRAY_SIZE(lines); i++)
		ok = a->ledger.count[lines[i]] == b->ledger.count[lines[i]];
	return ok;
}

/* --- files --- */

/* A file without a name, for writing through /proc. */
static inline int nameless_file(char path[32])
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0) {
		char name[] = "/tmp/plume-store-XXXXXX";
		fd = mkstemp(name);
		unlink(name);
	}
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

static inline void read_all(int fd, struct buf *out)
{
	ssize_t n;
	out->n = 0;
	while ((n = pread(fd, buf_reserve(out, 65536), 65536, (off_t)out->n)) > 0)
		out->n += (size_t)n;
}

/* The bytes of p as a .plume file. */
static inline void write_store(const struct profile *p, struct buf *out)
{
	char path[32];
	struct err e = { 0 };
	int fd = nameless_file(path);
	struct writer *file = writer_open_live(path, &e);
	struct store_writer *w = store_writer_new(file);
	store_writer_end(w, p);
	if (!writer_commit(file, &e))
		tap_ok(false, "a .plume file is written: %s", e.text);
	store_writer_free(w);
	writer_free(file);
	read_all(fd, out);
	close(fd);
}

/* Reads bytes from a copy of their exact size, so that ASan sees a read of one byte too many. */
static inline struct store_reader *read_store(struct str bytes, struct profile *p)
{
	AUTO_FREE char *copy = mem_alloc(bytes.n + !bytes.n, 1);
	struct store_reader *r = store_reader_new(p, true);
	memcpy(copy, bytes.p, bytes.n);
	store_reader_feed(r, (struct str){ copy, bytes.n }, 0);
	return r;
}
