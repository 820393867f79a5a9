/*
 * Comma-separated values: a header that names the columns, then a line for each sample. Only a column
 * `stack` must be there. doc/formats/csv.md has the rules; src/sink/csv.c writes such files.
 */
#include "name/name.h"
#include "source/counts.h"
#include "source/csv_int.h"
#include "source/source_int.h"

enum field {
	FIELD_OTHER, /* a label with the column's name */
	FIELD_TIME_NS,
	FIELD_CPU,
	FIELD_PID,
	FIELD_TID,
	FIELD_COMM,
	FIELD_CONTAINER,
	FIELD_EVENT,
	FIELD_UNIT,
	FIELD_WEIGHT,
	FIELD_COUNT,
	FIELD_PERIOD,
	FIELD_LABELS,
	FIELD_KINDS,
	FIELD_STACK,
	FIELD_TYPES
};

static const char *const column_names[FIELD_TYPES] = {
	NULL,	"time_ns", "cpu",   "pid",    "tid",	"comm",	 "container", "event",
	"unit", "weight",  "count", "period", "labels", "kinds", "stack",
};

/* A stack that was there before. */
struct known_stack {
	struct str text, kinds;
	node_id node;
	uint32_t frames, unknown;
};

struct known_name {
	struct str text;
	char letter;
	frame_id frame;
};

struct csv {
	struct profile *p;
	bool keeps_names;
	char separator;
	bool has_header, has_stack;
	VEC(enum field) columns;
	VEC(str_id) keys;	  /* of labels, by column */
	uint32_t at[FIELD_TYPES]; /* the field of a column; INDEX_NONE: there is none */
	struct csv_fields fields;
	/* A record that is not whole is looked at again when so many bytes of it are there. */
	size_t retry_bytes;
	uint64_t retry_offset;

	struct arena text;
	VEC(struct known_stack) stacks;
	struct index_map stack_map;
	VEC(struct known_name) names;
	struct index_map name_map;
	struct buf scratch, tidy;
	uint64_t overflows;
};

/* --- header --- */

static bool equals_ignoring_case(struct str s, const char *word)
{
	return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

static enum field column_named(struct str name)
{
	name = str_trim(name);
	for (unsigned c = 1; c < FIELD_TYPES; c++)
		if (equals_ignoring_case(name, column_names[c]))
			return (enum field)c;
	return FIELD_OTHER;
}

static bool has_stack(struct csv_fields *f, struct str head, char separator, uint32_t *known)
{
	size_t used;
	bool has_one = false;
	*known = 0;
	if (csv_split(f, head, separator, true, &used) != CSV_WHOLE)
		return false;
	for (uint32_t i = 0; i < f->list.n; i++) {
		has_one |= column_named(f->list.p[i]) == FIELD_STACK;
		*known += column_named(f->list.p[i]) != FIELD_OTHER;
	}
	return has_one;
}

/* The separator of the header, which has a column `stack` with it; 0: it has none. */
static char separator_of(struct csv_fields *f, struct str head, uint32_t *known)
{
	static const char separators[] = ",;\t";
	ptrdiff_t newline = str_find_char(head, '\n');
	struct str line = str_first(head, newline < 0 ? head.n : (size_t)newline);
	for (const char *s = separators; *s; s++)
		if (has_stack(f, line, *s, known) && (f->list.n > 1 || !s[1]))
			return *s;
	return 0;
}

static void read_header(struct csv *f, struct str line, uint64_t offset)
{
	memset(f->at, 0xff, sizeof(f->at));
	for (uint32_t i = 0; i < f->fields.list.n; i++) {
		struct str name = str_trim(f->fields.list.p[i]);
		enum field c = column_named(name);
		if (f->at[c] == INDEX_NONE)
			f->at[c] = i;
		vec_push(&f->columns, c);
		vec_push(&f->keys, c == FIELD_OTHER ? profile_add_str(f->p, name) : STR_NONE);
	}
	f->has_header = true;
	f->has_stack = f->at[FIELD_STACK] != INDEX_NONE;
	if (!f->has_stack)
		source_bad_line(f->p, line, offset);
}

static void *csv_begin(struct profile *p, const struct source_options *options, struct str first)
{
	struct csv *f = mem_zalloc(1, sizeof(*f));
	(void)first;
	f->p = p;
	f->keeps_names = options && options->keep_names;
	return f;
}

/* --- frames --- */

/* letter: as in the column of kinds; 0: nothing is known. False: there is no such kind. */
static bool set_kind(struct frame *frame, char letter)
{
	static const char letters[] = "ukjibgw?", inlined[] = "UKJIBGW!";
	const char *plain = letter ? strchr(letters, letter) : letters;
	const char *capital = letter ? strchr(inlined, letter) : NULL;
	if (plain)
		frame->kind = (uint8_t)(plain - letters);
	if (capital) {
		frame->kind = (uint8_t)(capital - inlined);
		frame->flags = FRAME_INLINED;
	}
	return plain || capital;
}

static frame_id frame_of(struct csv *f, struct str text, char letter)
{
	struct frame frame = { 0 };
	size_t mark_at;
	f->scratch.n = f->tidy.n = 0;
	csv_add_unescaped(&f->scratch, text);
	set_kind(&frame, letter);
	struct str name = naming_take_mark(buf_str(&f->scratch), &frame);
	if (f->keeps_names)
		buf_add(&f->tidy, name);
	else
		name_tidy(name, &f->tidy);
	name = buf_str(&f->tidy);
	if (!letter && str_eq(name, STR("[unknown]")))
		frame.kind = FRAME_UNKNOWN;
	frame.name = profile_add_str(f->p, name);
	frame.tier = (char)name_v8_tier(name, &mark_at);
	naming_set_v8_place(f->p, &frame);
	return profile_add_frame(f->p, &frame);
}

static bool name_equal(const void *names, uint32_t i, const void *key)
{
	const struct known_name *a = (const struct known_name *)names + i, *b = key;
	return a->letter == b->letter && str_eq(a->text, b->text);
}

static frame_id find_frame(struct csv *f, struct str text, char letter)
{
	struct known_name key = { .text = text, .letter = letter };
	uint32_t hash = hash_str(text) + (unsigned char)letter;
	uint32_t i = index_map_find(&f->name_map, hash, name_equal, f->names.p, &key);
	if (i != INDEX_NONE)
		return f->names.p[i].frame;
	key.text = arena_copy(&f->text, text);
	key.frame = frame_of(f, text, letter);
	index_map_add(&f->name_map, hash, f->names.n);
	vec_push(&f->names, key);
	return key.frame;
}

/* --- stacks --- */

static bool stack_equal(const void *stacks, uint32_t i, const void *key)
{
	const struct known_stack *a = (const struct known_stack *)stacks + i, *b = key;
	return str_eq(a->text, b->text) && str_eq(a->kinds, b->kinds);
}

/* Of an empty text: none, or with a kind one frame without a name. */
static size_t frames_of(struct str text, struct str kinds)
{
	size_t frames = text.n || kinds.n == 1;
	for (size_t i = 0; i < text.n; i++)
		frames += text.p[i] == ';';
	return frames;
}

/* False when a letter is missing, superfluous or unknown. */
static bool are_kinds_right(struct str text, struct str kinds)
{
	for (size_t i = 0; i < kinds.n; i++)
		if (!kinds.p[i] || !set_kind(&(struct frame){ 0 }, kinds.p[i]))
			return false;
	return !kinds.n || kinds.n == frames_of(text, kinds);
}

static void read_stack(struct csv *f, struct known_stack *s)
{
	struct str rest = s->text;
	size_t n = frames_of(s->text, s->kinds);
	if (n > MAX_STACK_FRAMES) {
		f->p->ledger.count[LEDGER_CUT_STACKS]++;
		n = MAX_STACK_FRAMES;
	}
	for (; s->frames < n; s->frames++) {
		ptrdiff_t semicolon = str_find_char(rest, ';');
		struct str name = str_first(rest, semicolon < 0 ? rest.n : (size_t)semicolon);
		frame_id frame = find_frame(f, name, s->kinds.n ? s->kinds.p[s->frames] : 0);
		s->node = profile_add_node(f->p, s->node, frame);
		s->unknown += frame_lacks_name(&f->p->frames.p[frame]);
		rest = str_from_byte(rest, name.n + 1);
	}
}

/* NULL when kinds do not fit the stack. */
static const struct known_stack *find_stack(struct csv *f, struct str text, struct str kinds)
{
	struct known_stack key = { .text = text, .kinds = kinds, .node = NODE_ROOT };
	uint32_t hash = hash_str(text) * 31 + hash_str(kinds);
	uint32_t i = index_map_find(&f->stack_map, hash, stack_equal, f->stacks.p, &key);
	if (i != INDEX_NONE)
		return &f->stacks.p[i];
	if (!are_kinds_right(text, kinds))
		return NULL;
	key.text = arena_copy(&f->text, text);
	key.kinds = arena_copy(&f->text, kinds);
	read_stack(f, &key);
	index_map_add(&f->stack_map, hash, f->stacks.n);
	vec_push(&f->stacks, key);
	return &f->stacks.p[f->stacks.n - 1];
}

/* --- fields --- */

/* Empty when there is no such column, or nothing in it. */
static struct str field_of(const struct csv *f, enum field c)
{
	uint32_t i = f->at[c];
	return i < f->fields.list.n ? f->fields.list.p[i] : STR("");
}

static str_id text_of(struct csv *f, enum field c)
{
	f->scratch.n = 0;
	csv_add_unescaped(&f->scratch, field_of(f, c));
	return profile_add_str(f->p, buf_str(&f->scratch));
}

static bool read_i32(const struct csv *f, enum field c, int32_t *value)
{
	struct str s = str_trim(field_of(f, c));
	return !s.n || str_to_i32(s, value);
}

/* A weight below 0 is taken as 0, and counted. */
static bool read_count(struct csv *f, enum field c, struct source_count *count)
{
	struct str s = str_trim(field_of(f, c));
	bool is_negative = str_starts(s, STR("-"));
	if (!source_count_parse(is_negative ? str_from_byte(s, 1) : s, count))
		return false;
	if (is_negative && count->value) {
		f->p->ledger.count[LEDGER_NEGATIVE]++;
		*count = (struct source_count){ 0 };
	}
	return true;
}

static bool read_thread(struct csv *f, struct sample *s)
{
	struct thread t = { .pid = PID_UNKNOWN, .tid = PID_UNKNOWN };
	if (!read_i32(f, FIELD_PID, &t.pid) || !read_i32(f, FIELD_TID, &t.tid))
		return false;
	if (!(f->p->columns & COLUMN_TID))
		t.tid = PID_UNKNOWN;
	if (!(f->p->columns & (COLUMN_PID | COLUMN_TID)))
		t.pid = PID_UNKNOWN;
	t.comm = text_of(f, FIELD_COMM);
	t.container = text_of(f, FIELD_CONTAINER);
	if (t.pid != PID_UNKNOWN || t.tid != PID_UNKNOWN || t.comm || t.container)
		s->thread = profile_add_thread(f->p, t);
	return true;
}

/*
 * With a period a line is samples, without one a sum. Which of the two is the natural weight is said
 * by the column `weight`, or by the event's name; of no name it is what is there.
 */
static event_id find_event(struct csv *f, bool has_period)
{
	struct profile *p = f->p;
	struct str weight = str_trim(field_of(f, FIELD_WEIGHT));
	struct event e = { .name = text_of(f, FIELD_EVENT), .unit = text_of(f, FIELD_UNIT) };
	struct str name = profile_str(p, e.name);
	if (weight.n)
		e.counts_periods = equals_ignoring_case(weight, "period");
	else if (name.n)
		e.counts_periods = !event_samples_time(name);
	else
		e.counts_periods = f->at[FIELD_COUNT] == INDEX_NONE;
	if (!has_period)
		e.counts_periods = e.has_only_sums = true;
	if (!e.name && f->at[FIELD_EVENT] == INDEX_NONE)
		e.name = profile_add_str(p, STR("samples"));
	if (!e.unit)
		e.unit = profile_add_str(p, STR("samples"));
	return profile_add_event(p, e);
}

static bool read_weight(struct csv *f, struct sample *s)
{
	struct source_count count = { .value = 1, .whole = 1 }, period;
	bool has_count = str_trim(field_of(f, FIELD_COUNT)).n;
	bool has_period = str_trim(field_of(f, FIELD_PERIOD)).n;
	if ((has_count && !read_count(f, FIELD_COUNT, &count)) ||
	    (has_period && !read_count(f, FIELD_PERIOD, &period)))
		return false;
	s->event = find_event(f, has_period);
	s->count = count.whole;
	s->period = source_count_scaled(f->p, s->event, has_period ? period : count);
	return true;
}

/* --- labels --- */

static bool to_i64(struct str s, int64_t *value)
{
	uint64_t magnitude;
	bool is_negative = str_starts(s, STR("-"));
	if (!str_to_u64(is_negative ? str_from_byte(s, 1) : s, &magnitude) ||
	    magnitude > (uint64_t)INT64_MAX + is_negative)
		return false;
	*value = (int64_t)(is_negative ? -magnitude : magnitude);
	return true;
}

static str_id unescaped(struct csv *f, struct str s)
{
	f->scratch.n = 0;
	csv_add_unescaped(&f->scratch, s);
	return profile_add_str(f->p, buf_str(&f->scratch));
}

/* `key=text`, `key#unit=12`; without '=' it is a key alone. */
static label_set add_label(struct csv *f, label_set rest, struct str s)
{
	struct label label = { 0 };
	ptrdiff_t equals = str_find_char(s, '=');
	struct str key = str_first(s, equals < 0 ? s.n : (size_t)equals);
	struct str value = str_from_byte(s, key.n + 1);
	ptrdiff_t hash = str_find_char(key, '#');
	if (hash >= 0 && to_i64(value, &label.number)) {
		label.is_number = 1;
		label.unit = unescaped(f, str_from_byte(key, (size_t)hash + 1));
		key = str_first(key, (size_t)hash);
	} else {
		label.text = unescaped(f, value);
	}
	label.key = unescaped(f, key);
	return profile_add_label(f->p, rest, label);
}

static label_set read_labels(struct csv *f)
{
	label_set set = LABELS_NONE;
	struct str list = field_of(f, FIELD_LABELS);
	while (list.n) {
		ptrdiff_t semicolon = str_find_char(list, ';');
		struct str one = str_first(list, semicolon < 0 ? list.n : (size_t)semicolon);
		if (one.n)
			set = add_label(f, set, one);
		list = str_from_byte(list, one.n + 1);
	}
	for (uint32_t i = 0; i < f->columns.n && i < f->fields.list.n; i++)
		if (f->columns.p[i] == FIELD_OTHER && f->fields.list.p[i].n)
			set = profile_add_label(
				f->p, set,
				(struct label){ .key = f->keys.p[i],
						.text = unescaped(f, f->fields.list.p[i]) });
	return set;
}

/* --- records --- */

static bool read_sample(struct csv *f, struct sample *s)
{
	struct str time = str_trim(field_of(f, FIELD_TIME_NS));
	bool has_time = time.n;
	if ((has_time && !str_to_u64(time, &s->time_ns)) || !read_i32(f, FIELD_CPU, &s->cpu) ||
	    !read_thread(f, s))
		return false;
	const struct known_stack *stack =
		find_stack(f, field_of(f, FIELD_STACK), str_trim(field_of(f, FIELD_KINDS)));
	if (!stack || !read_weight(f, s))
		return false;
	uint64_t *ledger = f->p->ledger.count;
	s->node = stack->node;
	ledger[LEDGER_SAMPLES] = saturating_add(ledger[LEDGER_SAMPLES], s->count, &f->overflows);
	if (!stack->frames)
		ledger[LEDGER_NO_STACK] =
			saturating_add(ledger[LEDGER_NO_STACK], s->count, &f->overflows);
	ledger[LEDGER_NO_TIME] += !has_time;
	ledger[LEDGER_FRAMES] += stack->frames;
	ledger[LEDGER_UNKNOWN_FRAMES] += stack->unknown;
	return true;
}

/* The input ends behind a separator where the stack should be: it broke off. */
static bool lost_its_stack(const struct csv *f, struct str record)
{
	return record.p[record.n - 1] == f->separator && !field_of(f, FIELD_STACK).n;
}

static void on_record(struct csv *f, struct str record, uint64_t offset)
{
	struct str line = record;
	while (line.n && is_space(line.p[line.n - 1]))
		line.n--;
	struct sample s = { .cpu = -1 };
	if (!f->has_header) {
		read_header(f, line, offset);
		return;
	}
	if (!line.n || !f->has_stack)
		return;
	if (f->fields.list.n != f->columns.n || lost_its_stack(f, record) || !read_sample(f, &s)) {
		source_bad_line(f->p, line, offset);
		return;
	}
	if (f->p->columns & COLUMN_LABELS)
		s.labels = read_labels(f);
	profile_add_sample(f->p, &s);
}

/* The first line of what is no record: reading goes on behind it. */
static size_t skip_line(struct csv *f, struct str text, uint64_t offset, bool is_long)
{
	ptrdiff_t newline = str_find_char(text, '\n');
	size_t n = newline < 0 ? text.n : (size_t)newline;
	if (is_long)
		f->p->ledger.count[LEDGER_LONG_LINES]++;
	else
		source_bad_line(f->p, str_first(text, n), offset);
	return newline < 0 ? n : n + 1;
}

/* Reads one record; 0: it is not whole yet. */
static size_t read_record(struct csv *f, struct str text, uint64_t offset, bool is_last)
{
	size_t used;
	bool is_long = text.n > CSV_MAX_RECORD_BYTES;
	struct str window = str_first(text, CSV_MAX_RECORD_BYTES);
	enum csv_record state =
		csv_split(&f->fields, window, f->separator, is_last && !is_long, &used);
	if (state == CSV_WHOLE) {
		on_record(f, str_first(text, used), offset);
		return used;
	}
	bool has_line = is_last || str_find_char(text, '\n') >= 0;
	if (has_line && (state == CSV_MALFORMED || is_long))
		return skip_line(f, text, offset, state != CSV_MALFORMED);
	return 0;
}

static bool find_separator(struct csv *f, struct str text, bool is_last)
{
	uint32_t known;
	if (!is_last && str_find_char(text, '\n') < 0)
		return false;
	f->separator = separator_of(&f->fields, text, &known);
	if (!f->separator)
		f->separator = ',';
	return true;
}

static size_t csv_feed(void *state, struct str text, uint64_t offset, bool is_last)
{
	struct csv *f = state;
	size_t done = 0;
	if (!f->separator && !find_separator(f, text, is_last))
		return 0;
	if (!is_last && offset == f->retry_offset && text.n < f->retry_bytes)
		return 0;
	while (done < text.n) {
		struct str rest = str_from_byte(text, done);
		size_t used = read_record(f, rest, offset + done, is_last);
		/* Each look at a record that is not whole sees twice as much of it as the last. */
		f->retry_bytes = 2 * rest.n;
		f->retry_offset = offset + done;
		if (!used)
			break;
		done += used;
	}
	return done;
}

static void csv_end(void *state, bool was_cut)
{
	struct csv *f = state;
	(void)was_cut; /* a record is whole or was not fed at all */
	vec_fini(&f->columns);
	vec_fini(&f->keys);
	csv_fields_fini(&f->fields);
	vec_fini(&f->stacks);
	index_map_fini(&f->stack_map);
	vec_fini(&f->names);
	index_map_fini(&f->name_map);
	arena_fini(&f->text);
	buf_fini(&f->scratch);
	buf_fini(&f->tidy);
	free(f);
}

/* --- probe --- */

static unsigned csv_probe(struct str head)
{
	struct csv_fields fields = { 0 };
	uint32_t known = 0;
	char separator = separator_of(&fields, head, &known);
	csv_fields_fini(&fields);
	return !separator ? 0 : known > 1 ? 98 : 60;
}

const struct source_format csv_format = {
	.title = "CSV",
	.max_line_bytes = CSV_MAX_RECORD_BYTES,
	.probe = csv_probe,
	.begin = csv_begin,
	.feed = csv_feed,
	.end = csv_end,
};
