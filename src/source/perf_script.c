/*
 * perf script text: records, samples, stacks. A sample usually ends in the same callers as the last one
 * of its thread, so the common tail of the two texts is found by comparing bytes backwards, and only
 * what differs is looked up at all.
 */
#include "source/perf_script_int.h"
#include "source/source_int.h"

/* One line of the last sample, counted from the root: how to go on from there. */
struct tail_line {
	size_t bytes;		  /* from the line's start to the end of the sample */
	node_id node;		  /* the stack up to and including this line */
	uint32_t frames, unknown; /* up to and including this line */
};

/* The last stack of a thread that was read in one piece. Its text is valid inside one call of feed. */
struct tail {
	const char *end;
	VEC(struct tail_line) lines;
};

/* A frame line that has to be looked up. */
struct wanted_line {
	struct str text;
	uint32_t hash;
};

/* Threads whose last stack is kept: enough for the threads that run at a time. */
enum { TAILS = 64 };

struct perf_script {
	struct profile *p;
	const struct source_options *options;
	uint64_t offset; /* of text_start in the input */
	const char *text_start;

	struct line_table lines;

	/* The sample being read line by line. */
	struct script_header header;
	struct buf header_text; /* what header's strings point into between two calls of feed */
	bool is_open;		/* a record has begun */
	bool is_weak;		/* ... by a line that only frames behind it can confirm */
	bool is_cut;		/* ... and has too many frames */
	bool is_one_line;	/* ... and had its frame on the same line */
	VEC(frame_id) frames;	/* leaf first, in groups of one line, each group innermost first */
	uint32_t unknown;

	struct tail tails[TAILS]; /* by thread */
	VEC(struct wanted_line) wanted;
	const char *next_blank; /* at or after the reading point, if looked for */
	bool no_more_blanks;

	/* comm and event of the last sample. */
	struct thread thread;
	thread_id thread_id;
	event_id event;
};

static void *perf_script_begin(struct profile *p, const struct source_options *options,
			       struct str first)
{
	struct perf_script *s = mem_zalloc(1, sizeof(*s));
	s->p = p;
	s->options = options;
	s->thread = p->threads.p[THREAD_NONE];
	s->event = INDEX_NONE;
	line_table_init(&s->lines, p, options->keep_addresses, first.n);
	return s;
}

/* --- samples --- */

static thread_id thread_of(struct perf_script *s, const struct script_header *h)
{
	unsigned columns = s->p->columns;
	int32_t pid = columns & (COLUMN_PID | COLUMN_TID) ? h->pid : PID_UNKNOWN;
	int32_t tid = columns & COLUMN_TID ? h->tid : PID_UNKNOWN;
	if (pid == s->thread.pid && tid == s->thread.tid &&
	    str_eq(h->comm, profile_str(s->p, s->thread.comm)))
		return s->thread_id;
	s->thread = (struct thread){ pid, tid, profile_add_str(s->p, h->comm), STR_NONE };
	return s->thread_id = profile_add_thread(s->p, s->thread);
}

static event_id event_of(struct perf_script *s, const struct script_header *h)
{
	if (s->event != INDEX_NONE &&
	    str_eq(h->event, profile_str(s->p, s->p->events.p[s->event].name)))
		return s->event;
	struct event e = {
		.name = profile_add_str(s->p, h->event),
		.unit = profile_add_str(s->p, STR("samples")),
		.counts_periods = h->event.n > 0 && !event_samples_time(h->event),
	};
	return s->event = profile_add_event(s->p, e);
}

static void count_sample(struct perf_script *s, const struct script_header *h, node_id node,
			 uint32_t frames, uint32_t unknown)
{
	uint64_t *ledger = s->p->ledger.count;
	ledger[LEDGER_SAMPLES]++;
	ledger[LEDGER_NO_STACK] += frames == 0;
	ledger[LEDGER_NO_TIME] += !h->has_time;
	ledger[LEDGER_OVERFLOWS] += h->is_period_too_large;
	ledger[LEDGER_FRAMES] += frames;
	ledger[LEDGER_UNKNOWN_FRAMES] += unknown;
	profile_add_sample(s->p, &(struct sample){
					 .node = node,
					 .thread = thread_of(s, h),
					 .event = event_of(s, h),
					 .cpu = h->cpu,
					 .time_ns = h->time_ns,
					 .count = 1,
					 .period = h->has_period ? h->period : 1,
				 });
}

/*
 * True for a sample in one line, which has its frame where others have a tracepoint's fields. Those are
 * free text, so a frame must look like one: a dso that is a path or in brackets, or a long address.
 */
static bool has_own_frame(const struct script_header *h)
{
	struct script_frame f;
	if (!h->rest.n || !script_frame_parse(h->rest, &f))
		return false;
	bool has_path = f.dso.n && (f.dso.p[0] == '/' || f.dso.p[0] == '[');
	bool has_long_address = f.address_text.n >= 8 && !event_is_tracepoint(h->event);
	return has_path || has_long_address || !h->event.n;
}

/* --- a sample in one piece --- */

/* How many lines, counted from the root, the text that ends at `end` shares with the thread's last stack. */
static uint32_t common_lines(const struct tail *tail, const char *start, const char *end)
{
	if (!tail->end || tail->lines.n == 0)
		return 0;
	size_t whole = tail->lines.p[tail->lines.n - 1].bytes, size = (size_t)(end - start);
	/* One byte more than the last stack has: the newline before its first line. */
	size_t limit = size < whole + 1 ? size : whole + 1;
	size_t common = scan_common_tail(end, tail->end, limit);
	uint32_t low = 0, high = tail->lines.n;
	while (low <
	       high) { /* lines whose start, and the newline before it, lie in the common part */
		uint32_t middle = (low + high) / 2;
		size_t bytes = tail->lines.p[middle].bytes;
		if (bytes < common || (bytes == common && bytes == size))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct tail_line leaf_of(const struct tail *tail)
{
	return tail->lines.n ? tail->lines.p[tail->lines.n - 1]
			     : (struct tail_line){ .node = NODE_ROOT };
}

static void push_tail_line(struct perf_script *s, struct tail *tail, const struct known_line *line,
			   size_t bytes)
{
	struct tail_line t = leaf_of(tail);
	const frame_id *frames = s->lines.frames.p + line->first_frame;
	for (uint32_t i = 0; i < line->frame_count; i++)
		t.node = profile_add_node(s->p, t.node, frames[i]);
	t.bytes = bytes;
	t.frames += line->frame_count;
	t.unknown += line->is_unknown;
	vec_push(&tail->lines, t);
}

/*
 * The newline before stop, not before start. Most lines are short; looking at a little at a time
 * also keeps sanitizers, which check all that memrchr may see, from quadratic work.
 */
static const char *newline_before(const char *start, const char *stop)
{
	enum { NEAR = 256 };
	const char *near = stop - start > NEAR ? stop - NEAR : start;
	const char *newline = memrchr(near, '\n', (size_t)(stop - near));
	return newline || near == start ? newline : memrchr(start, '\n', (size_t)(near - start));
}

/*
 * The lines in [start, stop), from the root towards the leaf, into s->wanted. Memory is slow and
 * the lines of a stack are independent: by the time they are looked up, their slots are on the way.
 */
static void want_lines(struct perf_script *s, const char *start, const char *stop)
{
	s->wanted.n = 0;
	while (stop > start) {
		const char *newline = newline_before(start, stop - 1);
		const char *line = newline ? newline + 1 : start;
		struct wanted_line wanted = { { line, (size_t)(stop - 1 - line) }, 0 };
		wanted.hash = hash_str(wanted.text);
		index_map_prefetch(&s->lines.map, wanted.hash);
		vec_push(&s->wanted, wanted);
		stop = line;
	}
}

/* The frame lines in [start, end), leaf first. False, with nothing counted, when one of them is something else. */
static bool read_stack(struct perf_script *s, struct tail *tail, const char *start, const char *end)
{
	uint32_t shared = common_lines(tail, start, end);
	want_lines(s, start, shared ? end - tail->lines.p[shared - 1].bytes : end);
	tail->lines.n = shared;
	tail->end = end;
	for (uint32_t i = 0; i < s->wanted.n; i++) {
		struct wanted_line w = s->wanted.p[i];
		/* Spaces may also begin a record whose comm is hexadecimal: cc1, dd. */
		bool has_tab = w.text.n && w.text.p[0] == '\t';
		const struct known_line *line =
			has_tab ? line_table_find_hashed(&s->lines, w.text, w.hash) : NULL;
		if (!line || tail->lines.n >= MAX_STACK_FRAMES) {
			tail->end = NULL;
			return false;
		}
		push_tail_line(s, tail, line, (size_t)(end - w.text.p));
	}
	return true;
}

/* The blank line that ends the sample at p: its first newline. NULL when there is none in this text. */
static const char *blank_after(struct perf_script *s, const char *p, const char *end)
{
	if (s->no_more_blanks)
		return NULL;
	if (!s->next_blank || s->next_blank < p) {
		s->next_blank = scan_blank_line(p, end);
		s->no_more_blanks = !s->next_blank;
	}
	return s->next_blank;
}

/* A sample that begins at p: header, frames, blank line. Returns what follows it, or NULL to go line by line. */
static const char *read_sample(struct perf_script *s, const char *p, const char *end)
{
	struct script_header h;
	if (is_space(*p) || *p == '#')
		return NULL;
	const char *blank = blank_after(s, p, end);
	if (!blank)
		return NULL;
	const char *newline = memchr(p, '\n', (size_t)(blank + 1 - p));
	if (!script_header_parse((struct str){ p, (size_t)(newline - p) }, &h) || !h.is_sample)
		return NULL;
	if (has_own_frame(&h))
		return NULL;
	struct tail *tail = &s->tails[(uint32_t)h.tid % TAILS];
	if (!read_stack(s, tail, newline + 1, blank + 1))
		return NULL;
	struct tail_line leaf = leaf_of(tail);
	count_sample(s, &h, leaf.node, leaf.frames, leaf.unknown);
	return blank + 2;
}

/* --- line by line --- */

static void finish_sample(struct perf_script *s)
{
	if (!s->is_open)
		return;
	s->is_open = false;
	if (s->is_weak && s->frames.n == 0) {
		source_bad_line(s->p, buf_str(&s->header_text), s->offset);
		return;
	}
	node_id node = NODE_ROOT;
	for (uint32_t i = s->frames.n; i-- > 0;)
		node = profile_add_node(s->p, node, s->frames.p[i]);
	count_sample(s, &s->header, node, s->frames.n, s->unknown);
	s->frames.n = s->unknown = 0;
}

static struct str moved(struct str s, const char *from, const char *to)
{
	return s.n ? (struct str){ to + (s.p - from), s.n } : s;
}

/* Keeps the header's texts: the line they are in may be gone when the sample ends. */
static void open_sample(struct perf_script *s, struct str line, struct script_header h,
			bool is_weak)
{
	s->header_text.n = 0;
	buf_add(&s->header_text, line);
	h.comm = moved(h.comm, line.p, s->header_text.p);
	h.event = moved(h.event, line.p, s->header_text.p);
	h.rest = (struct str){ NULL, 0 };
	s->header = h;
	s->is_open = true;
	s->is_weak = is_weak;
	s->is_cut = s->is_one_line = false;
	s->frames.n = s->unknown = 0;
}

static void push_frames(struct perf_script *s, const struct known_line *line)
{
	if (s->frames.n + line->frame_count > MAX_STACK_FRAMES) {
		s->p->ledger.count[LEDGER_CUT_STACKS] += !s->is_cut;
		s->is_cut = true;
		return;
	}
	for (uint32_t i = line->frame_count; i-- > 0;)
		vec_push(&s->frames, s->lines.frames.p[line->first_frame + i]);
	s->unknown += line->is_unknown;
}

static void on_header(struct perf_script *s, struct str line, struct script_header *h)
{
	finish_sample(s);
	if (!h->is_sample) {
		s->p->ledger.count[LEDGER_OTHER_RECORDS]++;
		return;
	}
	open_sample(s, line, *h, false);
	if (has_own_frame(h)) {
		push_frames(s, line_table_find(&s->lines, h->rest));
		s->is_one_line = true; /* only its source line may follow */
	}
}

/*
 * `node` or `node cycles:` or `node 12`: a header of perf script -F without a time. Only frames
 * behind it make it one.
 */
static void on_weak_header(struct perf_script *s, struct str line)
{
	struct script_header h = {
		.pid = PID_UNKNOWN, .tid = PID_UNKNOWN, .cpu = -1, .is_sample = true
	};
	struct str text = str_trim(line);
	ptrdiff_t space = str_find_last_char(text, ' ');
	struct str last = str_from_byte(text, (size_t)(space + 1));
	if (space > 0 && last.n > 1 && last.p[last.n - 1] == ':') {
		h.event = str_first(last, last.n - 1);
		text = str_trim(str_first(text, (size_t)space));
	} else if (space > 0) {
		ptrdiff_t slash = str_find_char(last, '/');
		struct str pid = str_first(last, slash < 0 ? 0 : (size_t)slash);
		struct str tid = str_from_byte(last, (size_t)(slash + 1));
		if (str_to_i32(tid, &h.tid) && (slash < 0 || str_to_i32(pid, &h.pid)))
			text = str_trim(str_first(text, (size_t)space));
	}
	finish_sample(s);
	h.comm = text;
	open_sample(s, line, h, true);
}

static frame_id with_source(struct profile *p, frame_id id, const struct script_source *source)
{
	struct frame f = p->frames.p[id];
	if (source->file.n) {
		f.file = profile_add_str(p, source->file);
		f.line = source->line;
	}
	if (source->is_inlined)
		f.flags |= FRAME_INLINED;
	return profile_add_frame(p, &f);
}

/* The extra line of -F +srcline behind a frame. */
static bool on_source_line(struct perf_script *s, struct str line)
{
	struct script_source source;
	if (!s->is_open || s->frames.n == 0 || !is_space(line.p[0]) ||
	    !script_source_parse(line, &source))
		return false;
	frame_id *last = &s->frames.p[s->frames.n - 1];
	*last = with_source(s->p, *last, &source);
	return true;
}

static bool on_frame(struct perf_script *s, struct str line)
{
	/* Without the indent only a dso tells a frame from a comm that happens to be hexadecimal. */
	struct str text = str_trim(line);
	bool may_be_frame = line.p[0] == '\t' || str_ends(text, STR(")")) ||
			    (line.p[0] == ' ' && ((s->is_open && !s->is_one_line) || text.n > 8));
	const struct known_line *known = may_be_frame ? line_table_find(&s->lines, line) : NULL;
	if (!known)
		return false;
	if (s->is_one_line)
		finish_sample(s);
	if (!s->is_open) /* perf script -F ip,sym: stacks without a header */
		open_sample(
			s, (struct str){ "", 0 },
			(struct script_header){ .pid = PID_UNKNOWN, .tid = PID_UNKNOWN, .cpu = -1 },
			false);
	push_frames(s, known);
	return true;
}

/* `# header text` of perf script --header; `|12  source text` of -F +srccode. */
static bool is_remark(struct str line)
{
	return line.p[0] == '#' || (line.n > 1 && line.p[0] == '|' && is_digit(line.p[1]));
}

static void on_line(struct perf_script *s, struct str line, uint64_t offset)
{
	struct script_header h;
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	if (line.n > SCRIPT_MAX_LINE_BYTES) {
		s->p->ledger.count[LEDGER_LONG_LINES]++;
		return;
	}
	bool is_indented = line.n && is_space(line.p[0]);
	if (line.n == 0 || str_trim(line).n == 0)
		finish_sample(s);
	else if (line.p[0] == '\t' && s->is_open && !s->is_one_line && on_frame(s, line))
		;
	else if (script_header_parse(line, &h))
		on_header(s, line, &h);
	else if (is_remark(line))
		;
	else if (on_frame(s, line) || on_source_line(s, line))
		;
	else if (is_indented)
		source_bad_line(s->p, line, offset);
	else
		on_weak_header(s, line);
}

static size_t perf_script_feed(void *state, struct str text, uint64_t offset, bool is_last)
{
	struct perf_script *s = state;
	const char *p = text.p, *end = text.p + text.n;
	s->next_blank = NULL;
	s->no_more_blanks = false;
	for (size_t i = 0; i < TAILS; i++)
		s->tails[i].end = NULL;
	while (p < end) {
		const char *next = s->is_open ? NULL : read_sample(s, p, end);
		if (next) {
			p = next;
			continue;
		}
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline && !is_last)
			break;
		const char *line_end = newline ? newline : end;
		s->offset = offset + (uint64_t)(p - text.p);
		on_line(s, (struct str){ p, (size_t)(line_end - p) }, s->offset);
		p = newline ? newline + 1 : end;
	}
	return (size_t)(p - text.p);
}

static void perf_script_end(void *state, bool was_cut)
{
	struct perf_script *s = state;
	if (was_cut)
		s->p->ledger.count[LEDGER_CUT_SAMPLES] += s->is_open;
	else
		finish_sample(s);
	line_table_fini(&s->lines);
	vec_fini(&s->frames);
	for (size_t i = 0; i < TAILS; i++)
		vec_fini(&s->tails[i].lines);
	vec_fini(&s->wanted);
	buf_fini(&s->header_text);
	free(s);
}

static const char *after_blank_line(const char *p, const char *end)
{
	const char *blank = scan_blank_line(p, end);
	return blank ? blank + 2 : NULL;
}

/* --- probe --- */

/* The share of lines that are headers or frames; comments prove nothing. */
static unsigned perf_script_probe(struct str head)
{
	uint64_t lines = 0, known = 0;
	while (head.n) {
		ptrdiff_t newline = str_find_char(head, '\n');
		struct str line = str_first(head, newline < 0 ? head.n : (size_t)newline);
		struct script_header h;
		struct script_frame f;
		head = str_from_byte(head, line.n + 1);
		if (str_trim(line).n == 0 || line.p[0] == '#' || line.n > 8192)
			continue;
		lines++;
		bool may_be_frame = is_space(line.p[0]) || str_ends(str_trim(line), STR(")"));
		known += script_header_parse(line, &h) ||
			 (may_be_frame && script_frame_parse(line, &f));
	}
	return lines ? (unsigned)(known * 100 / lines) : 0;
}

const struct source_format perf_script_format = {
	.title = "perf script text",
	.max_line_bytes = SCRIPT_MAX_LINE_BYTES,
	.probe = perf_script_probe,
	.begin = perf_script_begin,
	.feed = perf_script_feed,
	.end = perf_script_end,
	.cut = after_blank_line,
};
