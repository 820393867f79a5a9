/*
 * perf script text as stackcollapse-perf.pl reads it, mistakes included, for scripts that depend on its output. Its
 * rules are a handful of expressions; each function here does by hand what one of them does, and quotes it. Samples
 * become stacks of plain names: the process name is the first frame, marks are part of the names.
 */
#include "source/source_int.h"

struct compat_line {
	const char *text;
	uint32_t n;
	uint32_t first_frame, frame_count; /* in line_frames, outermost first */
};

/* Frame lines seen, with what they stand for. */
struct line_table {
	struct index_map map;
	VEC(struct compat_line) lines;
};

struct compat {
	struct profile *p;
	const struct source_options *options;
	struct buf event_filter;
	bool has_event_filter;
	event_id event;

	struct line_table
		tables[2]; /* [1]: in processes called java..., where names are cut otherwise */
	VEC(frame_id) line_frames;
	struct arena text;
	struct buf name;

	/* The sample being read. */
	struct buf process; /* empty: none */
	bool is_java;
	VEC(frame_id) stack; /* leaf first */
	uint64_t period;
};

static bool is_word(char c)
{
	return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t skip_space(struct str s, size_t i)
{
	while (i < s.n && is_space(s.p[i]))
		i++;
	return i;
}

static size_t skip_digits(struct str s, size_t i)
{
	while (i < s.n && is_digit(s.p[i]))
		i++;
	return i;
}

/* --- the first line of a sample --- */

struct compat_header {
	struct str comm, first_id, second_id;
};

// /^(\S.+?)\s+(\d+)\/*(\d+)*\s+/: the shortest comm of at least two characters that is followed by
// an id.
static bool match_header(struct str s, struct compat_header *h)
{
	if (s.n == 0 || is_space(s.p[0]))
		return false;
	for (size_t end = 2; end < s.n; end++) {
		if (!is_space(s.p[end]))
			continue;
		size_t id = skip_space(s, end), slash = skip_digits(s, id), second = slash;
		if (slash == id)
			continue;
		while (second < s.n && s.p[second] == '/')
			second++;
		size_t behind = skip_digits(s, second);
		if (behind == s.n || !is_space(s.p[behind]))
			continue;
		h->comm = str_first(s, end);
		h->first_id = (struct str){ s.p + id, slash - id };
		h->second_id = (struct str){ s.p + second, behind - second };
		return true;
	}
	return false;
}

// /:\s*(\d+)*\s+(\S+):\s*$/ from the end: the word before the last colon is the event, a number
// before it the period.
static bool match_event(struct str s, struct str *period, struct str *event)
{
	size_t end = s.n;
	while (end && is_space(s.p[end - 1]))
		end--;
	size_t word = end;
	while (word && !is_space(s.p[word - 1]))
		word--;
	if (end - word < 2 || s.p[end - 1] != ':' || word == 0)
		return false;
	*event = (struct str){ s.p + word, end - 1 - word };
	size_t number_end = word;
	while (number_end && is_space(s.p[number_end - 1]))
		number_end--;
	size_t number = number_end;
	while (number && is_digit(s.p[number - 1]))
		number--;
	*period = (struct str){ s.p + number, number_end - number };
	size_t colon = number;
	while (colon && is_space(s.p[colon - 1]))
		colon--;
	return colon && s.p[colon - 1] == ':';
}

static void add_process_name(struct compat *c, const struct compat_header *h)
{
	/* The script's `not $tid` holds for no number and for 0: then the first number is the thread's. */
	bool has_both = h->second_id.n && !str_eq(h->second_id, STR("0"));
	struct str pid = has_both ? h->first_id : STR("?");
	struct str tid = has_both ? h->second_id : h->first_id;
	c->process.n = 0;
	buf_add(&c->process, h->comm);
	if (c->options->compat_pid || c->options->compat_tid) {
		buf_add_char(&c->process, '-');
		buf_add(&c->process, pid);
	}
	if (c->options->compat_tid) {
		buf_add_char(&c->process, '/');
		buf_add(&c->process, tid);
	}
	for (size_t i = 0; i < c->process.n; i++)
		if (c->process.p[i] == ' ')
			c->process.p[i] = '_';
	c->is_java = str_starts(buf_str(&c->process), STR("java"));
}

static void set_event_filter(struct compat *c, struct str event)
{
	c->has_event_filter = true;
	buf_add(&c->event_filter, event);
	c->event = profile_add_event(c->p,
				     (struct event){ .name = profile_add_str(c->p, event),
						     .unit = profile_add_str(c->p, STR("samples")),
						     .counts_periods = true });
}

static uint64_t period_value(struct compat *c, struct str digits)
{
	uint64_t value;
	if (digits.n == 0 || str_eq(digits, STR("0")))
		return 1;
	if (str_to_u64(digits, &value))
		return value;
	c->p->ledger.count[LEDGER_OVERFLOWS]++;
	return UINT64_MAX;
}

static void on_header(struct compat *c, struct str line, const struct compat_header *h)
{
	struct str period = { NULL, 0 }, event;
	if (match_event(line, &period, &event)) {
		if (!c->has_event_filter)
			set_event_filter(c, event);
		if (!str_eq(event, buf_str(&c->event_filter))) {
			c->p->ledger.count[LEDGER_OTHER_EVENTS]++;
			return; /* what was open stays open, as in the script */
		}
	} else {
		period.n = 0;
	}
	c->period = period_value(c, period);
	add_process_name(c, h);
}

/* --- frames --- */

struct compat_frame {
	struct str pc, function, module;
};

// /^\s*(\w+)\s*(.+) \((.*)\)/, every part as long as it can be: the module is between the last ` (`
// that has a `)`
// behind it and the last `)`. Where that leaves no character for the function, the script's engine
// gives back
// white space and then letters of the pc.
static bool match_frame(struct str s, struct compat_frame *f)
{
	ptrdiff_t close = str_find_last_char(s, ')');
	ptrdiff_t open = close - 2;
	while (open > 0 && !(s.p[open] == ' ' && s.p[open + 1] == '('))
		open--;
	if (open <= 0)
		return false;
	size_t start = skip_space(s, 0), pc_end = start;
	while (pc_end < s.n && is_word(s.p[pc_end]))
		pc_end++;
	if (pc_end == start)
		return false;
	size_t function = skip_space(s, pc_end), limit = (size_t)open - 1;
	if (function > limit)
		function = limit;
	if (function < pc_end)
		pc_end = function;
	if (pc_end <= start)
		return false;
	f->pc = (struct str){ s.p + start, pc_end - start };
	f->function = (struct str){ s.p + function, (size_t)open - function };
	f->module = (struct str){ s.p + open + 2, (size_t)(close - open - 2) };
	return true;
}

// s/\+0x[\da-f]+$//
static struct str cut_offset(struct str s)
{
	size_t n = s.n;
	while (n && (is_digit(s.p[n - 1]) || (s.p[n - 1] >= 'a' && s.p[n - 1] <= 'f')))
		n--;
	if (n < s.n && n >= 3 && memcmp(s.p + n - 3, "+0x", 3) == 0)
		return str_first(s, n - 3);
	return s;
}

// m/\.\(.*\)\./: a Go method such as net/http.(*Client).Do
static bool is_go_method(struct str s)
{
	ptrdiff_t open = str_find(s, STR(".("));
	return open >= 0 && str_find(str_from_byte(s, (size_t)open + 2), STR(").")) >= 0;
}

// s/\((?!anonymous namespace\)).*//
static size_t cut_at_parenthesis(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '(' &&
		    !str_starts(str_from_byte(s, i + 1), STR("anonymous namespace)")))
			return i;
	return s.n;
}

// m:/tmp/perf-\d+\.map:
static bool is_perf_map(struct str module)
{
	for (;;) {
		ptrdiff_t at = str_find(module, STR("/tmp/perf-"));
		if (at < 0)
			return false;
		module = str_from_byte(module, (size_t)at + strlen("/tmp/perf-"));
		size_t n = skip_digits(module, 0);
		if (n && str_starts(str_from_byte(module, n), STR(".map")))
			return true;
	}
}

static void add_mark(struct compat *c, struct str module, bool is_inlined)
{
	struct str name = buf_str(&c->name);
	bool is_kernel = (module.n && module.p[0] == '[') || str_ends(module, STR("vmlinux"));
	if (is_inlined) {
		if (str_find(name, STR("_[i]")) < 0)
			buf_add(&c->name, STR("_[i]"));
	} else if (c->options->compat_kernel && is_kernel && str_find(module, STR("unknown")) < 0) {
		buf_add(&c->name, STR("_[k]"));
	} else if (c->options->compat_jit && is_perf_map(module)) {
		if (str_find(name, STR("_[j]")) < 0)
			buf_add(&c->name, STR("_[j]"));
	}
}

static void add_unknown_name(struct compat *c, const struct compat_frame *f)
{
	bool has_module = !str_eq(f->module, STR("[unknown]"));
	struct str name = has_module ? str_basename(f->module) : STR("unknown");
	buf_add_char(&c->name, '[');
	buf_add(&c->name, name);
	if (c->options->keep_addresses) {
		buf_add(&c->name, STR(" <"));
		buf_add(&c->name, f->pc);
		buf_add_char(&c->name, '>');
	}
	buf_add_char(&c->name, ']');
}

/* One function of a frame line, as the script names it, in c->name. */
static void name_function(struct compat *c, struct str function, const struct compat_frame *f,
			  bool is_inlined)
{
	struct buf *name = &c->name;
	size_t kept = 0;
	name->n = 0;
	if (str_eq(function, STR("[unknown]")))
		add_unknown_name(c, f);
	else
		buf_add(name, function);
	for (size_t i = 0; i < name->n; i++)
		if (name->p[i] == ';')
			name->p[i] = ':';
	if (!is_go_method(buf_str(name)))
		name->n = cut_at_parenthesis(buf_str(name));
	for (size_t i = 0; i < name->n; i++)
		if (name->p[i] != '"' && name->p[i] != '\'')
			name->p[kept++] = name->p[i];
	name->n = kept;
	if (c->is_java && name->n && name->p[0] == 'L' && str_find_char(buf_str(name), '/') >= 0)
		memmove(name->p, name->p + 1, --name->n);
	add_mark(c, f->module, is_inlined);
}

static frame_id plain_frame(struct compat *c, struct str name)
{
	struct frame frame = { .name = profile_add_str(c->p, name), .kind = FRAME_USER };
	return profile_add_frame(c->p, &frame);
}

// split /\->/: empty fields at the end are dropped, all others kept.
static void add_functions(struct compat *c, const struct compat_frame *f)
{
	struct str rest = cut_offset(f->function);
	uint32_t start = c->line_frames.n;
	if (rest.n && rest.p[0] == '(')
		return;
	while (str_ends(rest, STR("->")))
		rest.n -= 2;
	while (rest.n || (c->line_frames.n > start && rest.p)) {
		ptrdiff_t arrow = str_find(rest, STR("->"));
		struct str function = str_first(rest, arrow < 0 ? rest.n : (size_t)arrow);
		name_function(c, function, f, c->line_frames.n > start);
		vec_push(&c->line_frames, plain_frame(c, buf_str(&c->name)));
		if (arrow < 0)
			break;
		rest = str_from_byte(rest, (size_t)arrow + 2);
	}
}

static bool line_equal(const void *lines, uint32_t i, const void *key)
{
	const struct compat_line *l = (const struct compat_line *)lines + i;
	const struct str *line = key;
	return l->n == line->n && memcmp(l->text, line->p, line->n) == 0;
}

/* The lines are a cache: addresses may be new in every sample. */
enum { MAX_KNOWN_BYTES = 32 << 20 };

static void forget_lines(struct compat *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(c->tables); i++) {
		index_map_clear(&c->tables[i].map);
		c->tables[i].lines.n = 0;
	}
	c->line_frames.n = 0;
	arena_fini(&c->text);
}

/* What a frame line stands for; NULL when it is none. */
static const struct compat_line *find_line(struct compat *c, struct str line)
{
	struct line_table *t = &c->tables[c->is_java];
	struct compat_frame f;
	uint32_t hash = hash_str(line);
	uint32_t i = index_map_find(&t->map, hash, line_equal, t->lines.p, &line);
	if (i != INDEX_NONE)
		return &t->lines.p[i];
	if (!match_frame(line, &f))
		return NULL;
	if (c->text.total_bytes > MAX_KNOWN_BYTES)
		forget_lines(c);
	struct compat_line known = { arena_copy(&c->text, line).p, (uint32_t)line.n,
				     c->line_frames.n, 0 };
	add_functions(c, &f);
	known.frame_count = c->line_frames.n - known.first_frame;
	index_map_add(&t->map, hash, t->lines.n);
	vec_push(&t->lines, known);
	return &t->lines.p[t->lines.n - 1];
}

static void push_frames(struct compat *c, const struct compat_line *line)
{
	for (uint32_t i = line->frame_count; i-- > 0;)
		vec_push(&c->stack, c->line_frames.p[line->first_frame + i]);
}

/* --- samples --- */

/* The process name is the root; a ';' in it separates frames, as it does in the script's output. */
static void finish_sample(struct compat *c)
{
	struct str process = buf_str(&c->process);
	node_id node = NODE_ROOT;
	if (!process.n)
		return;
	for (;;) {
		ptrdiff_t semicolon = str_find_char(process, ';');
		struct str part = str_first(process, semicolon < 0 ? process.n : (size_t)semicolon);
		node = profile_add_node(c->p, node, plain_frame(c, part));
		if (semicolon < 0)
			break;
		process = str_from_byte(process, (size_t)semicolon + 1);
	}
	for (uint32_t i = c->stack.n; i-- > 0;)
		node = profile_add_node(c->p, node, c->stack.p[i]);
	if (!c->has_event_filter && c->event == INDEX_NONE)
		c->event = profile_add_event(c->p, (struct event){ .counts_periods = true });
	c->p->ledger.count[LEDGER_SAMPLES]++;
	c->p->ledger.count[LEDGER_FRAMES] += c->stack.n;
	c->p->ledger.count[LEDGER_NO_STACK] += c->stack.n == 0;
	profile_add_sample(c->p, &(struct sample){ .node = node,
						   .thread = THREAD_NONE,
						   .event = c->event,
						   .cpu = -1,
						   .count = 1,
						   .period = c->period });
	c->process.n = 0;
	c->stack.n = 0;
}

static void on_line(struct compat *c, struct str line)
{
	struct compat_header h;
	const struct compat_line *known;
	if (line.n == 0)
		finish_sample(c);
	else if (line.p[0] == '#')
		;
	else if (match_header(line, &h))
		on_header(c, line, &h);
	else if ((known = find_line(c, line)) == NULL)
		c->p->ledger.count[LEDGER_OTHER_RECORDS]++;
	else if (c->process.n)
		push_frames(c, known);
}

static size_t compat_feed(void *state, struct str text, uint64_t offset, bool is_last)
{
	const char *p = text.p, *end = text.p + text.n;
	(void)offset;
	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline && !is_last)
			break;
		on_line(state, (struct str){ p, (size_t)((newline ? newline : end) - p) });
		p = newline ? newline + 1 : end;
	}
	return (size_t)(p - text.p);
}

/* Parts of a file are read apart from each other, but the first event of the whole file is the one shown. */
static void find_first_event(struct compat *c, struct str text)
{
	while (text.n && !c->has_event_filter) {
		ptrdiff_t newline = str_find_char(text, '\n');
		struct str line = str_first(text, newline < 0 ? text.n : (size_t)newline);
		struct compat_header h;
		struct str period, event;
		if (line.n && line.p[0] != '#' && match_header(line, &h) &&
		    match_event(line, &period, &event))
			set_event_filter(c, event);
		text = str_from_byte(text, line.n + 1);
	}
}

static void *compat_begin(struct profile *p, const struct source_options *options, struct str first)
{
	struct compat *c = mem_zalloc(1, sizeof(*c));
	c->p = p;
	c->options = options;
	c->event = INDEX_NONE;
	if (options->compat_event && options->compat_event[0])
		set_event_filter(c, str_from(options->compat_event));
	else if (p->events.n) /* of the file before this one */
		set_event_filter(c, profile_str(p, p->events.p[0].name));
	else
		find_first_event(c, first);
	return c;
}

/* A sample without a blank line behind it is lost, as in the script. */
static void compat_end(void *state, bool was_cut)
{
	(void)was_cut;
	struct compat *c = state;
	for (size_t i = 0; i < ARRAY_SIZE(c->tables); i++) {
		index_map_fini(&c->tables[i].map);
		vec_fini(&c->tables[i].lines);
	}
	vec_fini(&c->line_frames);
	vec_fini(&c->stack);
	arena_fini(&c->text);
	buf_fini(&c->name);
	buf_fini(&c->process);
	buf_fini(&c->event_filter);
	free(c);
}

static const char *after_blank_line(const char *p, const char *end)
{
	const char *blank = scan_blank_line(p, end);
	return blank ? blank + 2 : NULL;
}

const struct source_format perf_script_compat_format = {
	.title = "perf script text",
	.max_line_bytes = (size_t)1 << 30, /* the script has no limit */
	.begin = compat_begin,
	.feed = compat_feed,
	.end = compat_end,
	.cut = after_blank_line,
};
