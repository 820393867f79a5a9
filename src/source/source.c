#include "source/source_int.h"

#include <pthread.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HEAD_BYTES = 64 << 10,
	LONGEST_HEAD_BYTES = 64 << 20,
	SMALLEST_PART_BYTES = 1 << 20,
	SILENCE_MS = 1000,
	MAX_THREADS = 64
};

void source_bad_line(struct profile *p, struct str line, uint64_t offset)
{
	struct ledger *l = &p->ledger;
	if (l->count[LEDGER_BAD_LINES]++ == 0) {
		AUTO(buf) struct buf text = { 0 };
		source_add_printable(&text, str_first(line, 120));
		l->first_bad_offset = offset;
		l->first_bad_text = profile_add_str(p, buf_str(&text));
	}
}

void source_bad_record(struct profile *p, uint64_t offset, const char *format, ...)
{
	struct ledger *l = &p->ledger;
	if (l->count[LEDGER_BAD_RECORDS]++ || l->first_bad_text)
		return;
	AUTO(buf) struct buf text = { 0 };
	char line[240];
	va_list args;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	source_add_printable(&text, str_from(line));
	l->first_bad_offset = offset;
	l->first_bad_text = profile_add_str(p, buf_str(&text));
}

void source_damage(struct profile *p, struct reader *r, const char *title, const char *what,
		   uint64_t offset)
{
	AUTO(buf) struct buf text = { 0 };
	uint64_t samples = p->ledger.count[LEDGER_SAMPLES];
	buf_addf(&text, "%s: ", reader_name(r));
	if (title)
		buf_addf(&text, "%s: ", title);
	buf_addf(&text, "%s", what);
	if (offset) {
		buf_addf(&text, " at byte ");
		buf_add_grouped(&text, offset);
	}
	buf_addf(&text, "; ");
	if (samples)
		buf_add_counted(&text, samples, "sample was read", "samples were read");
	else
		buf_addf(&text, "no samples could be read");
	source_damage_text(p, buf_str(&text));
}

void source_damage_text(struct profile *p, struct str sentence)
{
	p->ledger.count[LEDGER_INPUT_DAMAGED]++;
	if (!p->ledger.damage)
		p->ledger.damage = profile_add_str(p, sentence);
}

static const struct source_format *format_by_name(const char *name)
{
	for (const struct source_row *row = source_formats; row->format; row++)
		if (strcmp(row->name, name) == 0)
			return row->format;
	return NULL;
}

static bool is_line_format(const struct source_format *f)
{
	return !f->read;
}

/* The two formats that the head fits best. */
struct guess {
	const struct source_row *best, *next;
	unsigned best_score, next_score;
};

static void guess_format(struct guess *g, const struct source_row *row, struct str head)
{
	unsigned score = row->format->probe(head);
	if (score > g->best_score) {
		g->next = g->best;
		g->next_score = g->best_score;
		g->best = row;
		g->best_score = score;
	} else if (score > g->next_score) {
		g->next = row;
		g->next_score = score;
	}
}

static struct guess guess_formats(struct str head)
{
	struct guess g = { 0 };
	struct str lines = head;
	ptrdiff_t last_newline = str_find_last_char(head, '\n');
	if (last_newline >= 0)
		lines = str_first(head, (size_t)last_newline + 1);
	for (const struct source_row *row = source_formats; row->format; row++)
		guess_format(&g, row, is_line_format(row->format) ? lines : head);
	return g;
}

/* A format that knows itself without a whole line. */
static bool is_known_early(struct str head)
{
	for (const struct source_row *row = source_formats; row->format; row++)
		if (!is_line_format(row->format) && row->format->probe(head))
			return true;
	return false;
}

/* Two formats fit about as well: say which was taken, and how to get the other. */
static void note_choice(struct profile *p, struct reader *r, const struct guess *g)
{
	enum { CLOSE = 10 };
	if (!g->next || g->best_score - g->next_score > CLOSE)
		return;
	AUTO(buf) struct buf text = { 0 };
	buf_addf(&text, "%s: read as %s; if it is %s, give --input %s", reader_name(r),
		 g->best->format->title, g->next->format->title, g->next->name);
	profile_add_note(p, buf_str(&text));
}

/* One reader of a part of a mapped file, with a profile of its own. */
struct part {
	pthread_t thread;
	bool has_thread;
	const struct source_format *format;
	void *state;
	struct profile *profile;
	struct str text;
	uint64_t offset;
	struct progress *counted;
};

/* What has lines that can be read one after the other is given in pieces where somebody looks on. */
static void *read_part(void *argument)
{
	enum { STEP_BYTES = 1 << 20 };
	struct part *part = argument;
	struct str rest = part->text;
	size_t room = STEP_BYTES;
	while (part->counted && part->format->cut && rest.n > room) {
		size_t done =
			part->format->feed(part->state, str_first(rest, room), part->offset, false);
		progress_add(part->counted, done);
		rest = str_from_byte(rest, done);
		part->offset += done;
		room = done ? STEP_BYTES : 2 * room;
	}
	part->format->feed(part->state, rest, part->offset, true);
	return NULL;
}

/* Cuts text into at most n parts at places where a sample begins; returns how many there are. */
static unsigned cut_parts(const struct source_format *format, struct str text, struct part *parts,
			  unsigned n)
{
	const char *p = text.p, *end = text.p + text.n;
	unsigned made = 0;
	if (n > text.n / SMALLEST_PART_BYTES)
		n = (unsigned)(text.n / SMALLEST_PART_BYTES);
	for (unsigned i = 0; p < end; i++) {
		const char *next = end;
		if (i + 1 < n && format->cut) {
			const char *aim = text.p + text.n / n * (i + 1);
			next = format->cut(aim > p ? aim : p, end);
		}
		if (!next)
			next = end;
		parts[made++] = (struct part){ .format = format,
					       .text = { p, (size_t)(next - p) },
					       .offset = (uint64_t)(p - text.p) };
		p = next;
	}
	return made;
}

/* The first part goes straight into p, on this thread; the others into profiles that are merged in order. */
static void read_whole(const struct source_format *format, struct str text,
		       const struct source_options *options, struct profile *p)
{
	struct part parts[MAX_THREADS];
	unsigned threads = options->threads > MAX_THREADS ? MAX_THREADS : options->threads;
	unsigned n = cut_parts(format, text, parts, threads);
	progress_begin(options->counted, "reading", format->cut ? text.n : 0);
	for (unsigned i = 0; i < n; i++) {
		parts[i].counted = options->counted;
		parts[i].profile = i ? profile_new(p->columns) : p;
		parts[i].state = format->begin(parts[i].profile, options, text);
		parts[i].has_thread =
			i && pthread_create(&parts[i].thread, NULL, read_part, &parts[i]) == 0;
	}
	for (unsigned i = 0; i < n; i++)
		if (!parts[i].has_thread)
			read_part(&parts[i]);
	for (unsigned i = 0; i < n; i++) {
		if (parts[i].has_thread)
			pthread_join(parts[i].thread, NULL);
		format->end(parts[i].state, false);
		if (i) {
			profile_merge(p, parts[i].profile);
			profile_unref(parts[i].profile);
		}
	}
}

/* Drops a line that is longer than any window should be. */
static void skip_long_line(struct reader *r, struct profile *p)
{
	p->ledger.count[LEDGER_LONG_LINES]++;
	for (;;) {
		struct str window = reader_window(r);
		ptrdiff_t newline = str_find_char(window, '\n');
		reader_consume(r, newline >= 0 ? (size_t)newline + 1 : window.n);
		if (newline >= 0 || !reader_fill(r))
			return;
	}
}

/*
 * Reads on until the window holds the end of a line behind its first `seen` bytes, or nothing more
 * comes. A format is fed whole lines: showing it a long one piece by piece would take quadratic time.
 */
static void fill_line(struct reader *r, size_t seen, size_t max_line_bytes)
{
	while (reader_fill(r)) {
		struct str window = reader_window(r);
		if (window.n > max_line_bytes ||
		    str_find_char(str_from_byte(window, seen), '\n') >= 0)
			return;
		seen = window.n;
	}
}

/* Also while a pipe has nothing to say for a while. False: the rest is not wanted. */
static bool show_progress(struct reader *r, const struct source_options *options,
			  const struct profile *p)
{
	if (!options->progress)
		return true;
	do
		if (!options->progress(options->progress_context, p))
			return false;
	while (!reader_wait(r, SILENCE_MS));
	return true;
}

static void read_stream(const struct source_format *format, struct reader *r,
			const struct source_options *options, struct profile *p)
{
	void *state = format->begin(p, options, reader_window(r));
	for (;;) {
		bool is_last = reader_is_whole(r);
		struct str window = reader_window(r);
		size_t done =
			format->feed(state, window, reader_offset(r), is_last && !reader_damage(r));
		reader_consume(r, done);
		if (is_last)
			break;
		if (!show_progress(r, options, p))
			break;
		if (done == 0 && window.n > format->max_line_bytes)
			skip_long_line(r, p);
		fill_line(r, reader_window(r).n, format->max_line_bytes);
	}
	format->end(state, reader_damage(r) != NULL);
}

/*
 * The first lines of the input: 64 KiB, or its first line where that is longer, unless they are known to be no lines.
 */
static struct str head_of(struct reader *r)
{
	size_t bytes = HEAD_BYTES;
	while (reader_window(r).n < 3 && reader_fill(r))
		;
	if (str_starts(reader_window(r), STR("\xef\xbb\xbf"))) /* a byte order mark */
		reader_consume(r, 3);
	for (;;) {
		struct str window = reader_window(r);
		ptrdiff_t newline = str_find_char(str_first(window, LONGEST_HEAD_BYTES), '\n');
		if (newline >= (ptrdiff_t)bytes)
			bytes = (size_t)newline + 1;
		bool is_enough =
			window.n >= LONGEST_HEAD_BYTES || (window.n >= bytes && newline >= 0);
		if (window.n >= HEAD_BYTES && newline < 0 &&
		    is_known_early(str_first(window, HEAD_BYTES)))
			return str_first(window, HEAD_BYTES);
		/* A pipe that has begun and fallen silent is to be read, not waited for. */
		bool is_silent =
			newline >= 0 && !reader_wait(r, SILENCE_MS) && guess_formats(window).best;
		if (is_enough || is_silent || !reader_fill(r))
			return str_first(reader_window(r),
					 newline >= 0 ? bytes : LONGEST_HEAD_BYTES);
	}
}

static void note_useless_maps(struct profile *p, struct reader *r,
			      const struct source_options *options,
			      const struct source_format *format)
{
	AUTO(buf) struct buf text = { 0 };
	if (!options->names.map_count || format == &perf_data_format)
		return;
	buf_addf(&text, "%s: --map has no effect: only perf.data has addresses to name",
		 reader_name(r));
	profile_add_note(p, buf_str(&text));
}

static bool choose_format(struct reader *r, const struct source_options *options,
			  const struct source_format **format, struct profile *p, struct err *e)
{
	struct str head = head_of(r);
	if (options->compat && perf_is_data(head))
		return err_usage(e,
				 "%s is perf.data, but --compat reads the text output of perf "
				 "script: omit --compat, or pipe perf script into plume",
				 reader_name(r));
	if (options->compat) {
		*format = &perf_script_compat_format;
		return true;
	}
	if (options->format) {
		*format = format_by_name(options->format);
		return *format || err_usage(e, "unknown input format '%s'", options->format);
	}
	struct guess g = guess_formats(head);
	if (g.best) {
		*format = g.best->format;
		note_choice(p, r, &g);
		return true;
	}
	AUTO(buf) struct buf why = { 0 };
	source_explain(head, &why);
	return err_set(e, "%s: no stacks found: %s", reader_name(r), buf_c_string(&why));
}

static void note_damage(struct reader *r, struct profile *p)
{
	const char *damage = reader_damage(r);
	if (!damage)
		return;
	AUTO(buf) struct buf text = { 0 };
	buf_addf(&text, "%s: %s, after ", reader_name(r), damage);
	buf_add_grouped(&text, reader_offset(r) + reader_window(r).n);
	buf_addf(&text, " bytes of text");
	p->ledger.count[LEDGER_INPUT_DAMAGED]++;
	if (!p->ledger.damage)
		p->ledger.damage = profile_add_str(p, buf_str(&text));
}

static bool explain_bad_text(struct reader *r, const struct source_format *format,
			     const struct profile *p, struct err *e)
{
	const struct ledger *l = &p->ledger;
	const char *noun = l->count[LEDGER_BAD_RECORDS] ? "record" : "line";
	uint64_t n = l->count[LEDGER_BAD_LINES] + l->count[LEDGER_BAD_RECORDS];
	return err_set(e,
		       "%s: no stacks found: read as %s, but %llu %s%s not understood, the first "
		       "at byte %llu: '%.*s'",
		       reader_name(r), format->title, (unsigned long long)n, noun,
		       n == 1 ? " was" : "s were", (unsigned long long)l->first_bad_offset,
		       STR_ARG(profile_str(p, l->first_bad_text)));
}

static bool explain_no_samples(struct reader *r, const struct source_format *format,
			       struct profile *p, struct err *e)
{
	struct ledger *l = &p->ledger;
	if (l->count[LEDGER_LONG_LINES])
		return err_set(
			e,
			"%s: no stacks found: its lines are longer than %zu bytes and were skipped",
			reader_name(r), format->max_line_bytes);
	if (reader_damage(r))
		return err_set(e,
			       "%s: no stacks found before the input broke off: %s, after %llu "
			       "bytes of text",
			       reader_name(r), reader_damage(r),
			       (unsigned long long)(reader_offset(r) + reader_window(r).n));
	if (l->damage)
		return err_set(e, "%.*s", STR_ARG(profile_str(p, l->damage)));
	if (l->first_bad_text)
		return explain_bad_text(r, format, p, e);
	struct str note = p->notes.n ? profile_str(p, p->notes.p[p->notes.n - 1]) : STR("");
	return err_set(e, "%s: no stacks found: read as %s, but it has no samples%s%.*s",
		       reader_name(r), format->title, note.n ? "; " : "", STR_ARG(note));
}

static bool refuse_differential(struct reader *r, struct err *e)
{
	return err_usage(e,
			 "%s: differential stacks cannot be combined with other profiles; read one "
			 "at a time",
			 reader_name(r));
}

static bool read_opened(struct reader *r, const struct source_options *options, struct profile *p,
			struct err *e)
{
	const struct source_format *format;
	uint32_t rows_before = p->samples.n;
	uint64_t samples_before = p->ledger.count[LEDGER_SAMPLES];
	uint64_t damaged_before = p->ledger.count[LEDGER_INPUT_DAMAGED];
	if (!choose_format(r, options, &format, p, e)) {
		/* Damage before the first readable byte is the better explanation. */
		if (reader_damage(r))
			err_set(e, "%s: nothing could be read: %s, after %llu bytes of text",
				reader_name(r), reader_damage(r),
				(unsigned long long)(reader_offset(r) + reader_window(r).n));
		return false;
	}
	note_useless_maps(p, r, options, format);
	bool was_differential = p->is_differential;
	if (rows_before && was_differential != (format == &folded_diff_format))
		return refuse_differential(r, e);
	if (format->read)
		format->read(r, options, p);
	else if (reader_is_whole(r) && !reader_damage(r))
		read_whole(format, reader_window(r), options, p);
	else
		read_stream(format, r, options, p);
	if (rows_before && was_differential != p->is_differential)
		return refuse_differential(r, e); /* a .plume file says so inside */
	note_damage(r, p);
	if (p->ledger.first_bad_text && !p->ledger.first_bad_input)
		p->ledger.first_bad_input = profile_add_str(p, str_from(reader_name(r)));
	if (p->samples.n > rows_before || p->ledger.count[LEDGER_SAMPLES] > samples_before)
		return true;
	if (options->compat)
		return true; /* the script says nothing and is content */
	if (options->is_one_of_many && format == &plume_format &&
	    p->ledger.count[LEDGER_INPUT_DAMAGED] == damaged_before)
		return true;
	return explain_no_samples(r, format, p, e);
}

/*
 * perf record --threads and --kcore make a directory: `data` (`header`, once) is as perf.data, data.0 and so
 * on are records.
 */
static bool is_perf_directory(const char *path, struct buf *main_file)
{
	static const char *const names[] = { "data", "header" };
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		main_file->n = 0;
		buf_addf(main_file, "%s/%s", path, names[i]);
		if (access(buf_c_string(main_file), F_OK) == 0)
			return true;
	}
	return false;
}

bool source_read(const char *path, const struct source_options *options, struct profile *p,
		 struct err *e)
{
	AUTO(buf) struct buf main_file = { 0 };
	struct source_options own = *options;
	if (is_perf_directory(path, &main_file)) {
		own.directory = path;
		path = buf_c_string(&main_file);
	}
	struct reader *r = reader_open(path, e);
	if (!r)
		return false;
	bool ok = read_opened(r, &own, p, e);
	reader_free(r);
	return ok;
}
