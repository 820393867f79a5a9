/*
 * `perf script` prints a record's first line by these rules (tools/perf/builtin-script.c,
 * perf_sample__fprintf_start): "%s " or "%16s " for comm, then "%7d/%-7d ", "[%03d] ", flags, "%5lu.%06lu: ", "%10llu
 * ", "%s: ". comm is printed raw and may itself look like any of that, so the line is anchored at what comm cannot
 * imitate together: a pid, perhaps a cpu, and a time in a row.
 */
#include "source/perf_script_int.h"

#include "model/model.h"

static void skip_spaces(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t'))
		c->p++;
}

static bool at_space_or_end(const struct cursor *c)
{
	return c->p == c->end || is_space(*c->p);
}

static bool take_char(struct cursor *c, char expected)
{
	if (c->p == c->end || *c->p != expected)
		return false;
	c->p++;
	return true;
}

/* At most 18 digits: more do not fit an id or a time. */
static bool take_number(struct cursor *c, uint64_t *value)
{
	const char *start = c->p, *end = c->end - start > 18 ? start + 18 : c->end;
	uint64_t sum = 0;
	while (c->p < end && is_digit(*c->p))
		sum = sum * 10 + (uint64_t)(*c->p++ - '0');
	*value = sum;
	return c->p > start && (c->p == c->end || !is_digit(*c->p));
}

static bool take_id(struct cursor *c, int32_t *id)
{
	bool is_negative = take_char(c, '-');
	uint64_t value;
	if (!take_number(c, &value) || value > INT32_MAX)
		return false;
	*id = is_negative ? -(int32_t)value : (int32_t)value;
	return true;
}

/* `123`, `-1`, `123/456`: one number alone is a tid (perf's default), which is also the pid of a main thread. */
static bool take_pid_tid(struct cursor *c, struct script_header *h)
{
	struct cursor at = *c;
	int32_t first, second;
	if (!take_id(&at, &first))
		return false;
	h->pid = PID_UNKNOWN;
	h->tid = first;
	if (take_char(&at, '/')) {
		if (!take_id(&at, &second))
			return false;
		h->pid = first;
		h->tid = second;
	}
	if (!at_space_or_end(&at))
		return false;
	skip_spaces(&at);
	*c = at;
	return true;
}

static bool take_cpu(struct cursor *c, struct script_header *h)
{
	struct cursor at = *c;
	uint64_t cpu;
	if (!take_char(&at, '[') || !take_number(&at, &cpu) || cpu > INT32_MAX ||
	    !take_char(&at, ']') || !at_space_or_end(&at))
		return false;
	h->cpu = (int32_t)cpu;
	skip_spaces(&at);
	*c = at;
	return true;
}

/* `12345.678901:` or, with --ns, nine decimals. */
static bool take_time(struct cursor *c, struct script_header *h)
{
	struct cursor at = *c;
	uint64_t seconds, fraction;
	if (!take_number(&at, &seconds) || !take_char(&at, '.'))
		return false;
	const char *start = at.p;
	if (!take_number(&at, &fraction) || !take_char(&at, ':') || !at_space_or_end(&at))
		return false;
	size_t digits = (size_t)(at.p - 1 - start);
	if ((digits != 6 && digits != 9) || seconds > UINT64_MAX / 2000000000)
		return false;
	h->has_time = true;
	h->time_ns = seconds * 1000000000 + fraction * (digits == 6 ? 1000 : 1);
	skip_spaces(&at);
	*c = at;
	return true;
}

/* `U`, `KM`: flags of -F misc. `2026-11-15`, `09:30:00.123456`: date and clock of -F tod. */
static bool is_misc_or_clock(struct str word)
{
	size_t letters = 0, digits = 0, signs = 0;
	for (size_t i = 0; i < word.n; i++) {
		letters += word.p[i] >= 'A' && word.p[i] <= 'Z';
		digits += is_digit(word.p[i]);
		signs += word.p[i] == '-' || word.p[i] == ':' || word.p[i] == '.';
	}
	if (letters)
		return letters == word.n && letters <= 4;
	return digits >= 6 && signs >= 2 && digits + signs == word.n;
}

/* The time, and what may stand before it. */
static bool take_late_time(struct cursor *c, struct script_header *h)
{
	for (unsigned words = 0; words < 3; words++) {
		struct cursor at = *c;
		while (at.p < at.end && !is_space(*at.p))
			at.p++;
		if (take_time(c, h))
			return true;
		if (!is_misc_or_clock((struct str){ c->p, (size_t)(at.p - c->p) }))
			return false;
		skip_spaces(&at);
		*c = at;
	}
	return take_time(c, h);
}

/* A period of any length; what does not fit is held at the largest value. */
static void take_period(struct cursor *c, struct script_header *h)
{
	struct cursor at = *c;
	while (at.p < at.end && is_digit(*at.p))
		at.p++;
	if (at.p == c->p || !at_space_or_end(&at))
		return;
	h->has_period = true;
	if (!str_to_u64((struct str){ c->p, (size_t)(at.p - c->p) }, &h->period)) {
		h->period = UINT64_MAX;
		h->is_period_too_large = true;
	}
	skip_spaces(&at);
	*c = at;
}

/* What follows the time: `period event: rest`, `event: rest`, `period`, nothing. True when there is an event. */
static bool take_event(struct cursor *c, struct script_header *h)
{
	take_period(c, h);
	struct cursor at = *c;
	while (at.p < at.end && !is_space(*at.p))
		at.p++;
	struct str word = { c->p, (size_t)(at.p - c->p) };
	h->is_sample = !str_starts(word, STR("PERF_RECORD_"));
	if (word.n < 2 || word.p[word.n - 1] != ':')
		return false;
	h->event = str_first(word, word.n - 1);
	skip_spaces(&at);
	*c = at;
	return true;
}

static void reset(struct script_header *h)
{
	*h = (struct script_header){
		.pid = PID_UNKNOWN, .tid = PID_UNKNOWN, .cpu = -1, .is_sample = true
	};
}

/* What must stand at a word for the line to be a record's, from the surest to the weakest. */
enum anchor {
	ANCHOR_PID_TIME,
	ANCHOR_FIRST_PID_TIME,
	ANCHOR_TIME,
	ANCHOR_PID_EVENT,
	ANCHOR_CPU_EVENT,
	ANCHOR_ADDRESS,
	ANCHOR_COUNT
};

/*
 * `   comm  ffffffff8160e155 symbol`: perf script -F comm,ip,sym without call chains. The rest is
 * the frame.
 */
static bool at_long_address(const struct cursor *c)
{
	size_t n = 0;
	while (c->p + n < c->end && is_hex(c->p[n]))
		n++;
	return n >= 10 && n <= 16 && c->p + n < c->end && c->p[n] == ' ';
}

static bool take_anchor(struct cursor *c, enum anchor anchor, struct script_header *h)
{
	if (anchor == ANCHOR_ADDRESS)
		return at_long_address(c);
	bool has_time = anchor == ANCHOR_PID_TIME || anchor == ANCHOR_FIRST_PID_TIME ||
			anchor == ANCHOR_TIME;
	bool has_pid = anchor != ANCHOR_TIME && anchor != ANCHOR_CPU_EVENT;
	if (has_pid && !take_pid_tid(c, h))
		return false;
	bool has_cpu = take_cpu(c, h);
	if (has_time) {
		if (!(has_pid ? take_late_time(c, h) : take_time(c, h)))
			return false;
		take_event(c, h);
		return true;
	}
	return (has_pid || has_cpu) && take_event(c, h) && h->is_sample;
}

static const char *next_word(const char *p, const char *end)
{
	while (p < end && !is_space(*p))
		p++;
	while (p < end && is_space(*p))
		p++;
	return p;
}

static bool starts_in_hex(struct str line)
{
	struct str word = str_trim(line);
	size_t n = 0;
	while (n < word.n && is_hex(word.p[n]))
		n++;
	return n == word.n || is_space(word.p[n]);
}

/* A comm has at most 15 bytes; longer ones (kernel workers) stay well below this. */
enum { MAX_COMM_BYTES = 256 };

/* `comm 12/34 ffffffff8160e155 symbol`: the ids stand before the address. */
static void take_id_from_comm(struct script_header *h)
{
	ptrdiff_t space = str_find_last_char(h->comm, ' ');
	struct cursor c = cursor_at(h->comm, (uint64_t)space + 1);
	if (space > 0 && take_pid_tid(&c, h) && c.p == c.end)
		h->comm = str_trim(str_first(h->comm, (size_t)space));
}

/* Tries an anchor at one word; true when the line is a header by it. */
static bool parse_at(const char *word, struct str line, enum anchor anchor, struct script_header *h)
{
	struct cursor c = { .p = word, .end = line.p + line.n };
	reset(h);
	if (!take_anchor(&c, anchor, h))
		return false;
	h->comm = str_trim((struct str){ line.p, (size_t)(word - line.p) });
	if (anchor == ANCHOR_ADDRESS)
		take_id_from_comm(h);
	h->rest = str_trim((struct str){ c.p, (size_t)(c.end - c.p) });
	return true;
}

bool script_header_parse(struct str line, struct script_header *h)
{
	const char *end = line.p + line.n;
	for (enum anchor anchor = 0; anchor < ANCHOR_COUNT; anchor++) {
		if (anchor == ANCHOR_ADDRESS &&
		    (line.n == 0 || !is_space(line.p[0]) || starts_in_hex(line)))
			continue;
		if (anchor == ANCHOR_FIRST_PID_TIME) { /* perf script -F without comm */
			if (parse_at(line.p, line, anchor, h))
				return true;
			continue;
		}
		/* The second word, or the first one of a line that starts with a space. */
		const char *word = next_word(line.p, end);
		for (; word < end && word - line.p < MAX_COMM_BYTES; word = next_word(word, end))
			if (parse_at(word, line, anchor, h))
				return true;
	}
	reset(h);
	return false;
}
