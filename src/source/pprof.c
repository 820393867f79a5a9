/*
 * pprof's profile.proto (github.com/google/pprof/proto/profile.proto), plain or compressed. The tables
 * are read first and the samples in a second go, since the tables may stand behind them.
 */
#include "source/pprof_int.h"

#define MAX_INPUT_BYTES ((size_t)1 << 30)
enum { MAX_TYPES = 512, MAX_COMMENTS = 1024 };

/*
 * A location may stand for many inlined functions, so a small file can claim stacks of any size.
 * Real ones have a few functions for each byte of a sample, at most.
 */
enum { FRAMES_PER_BYTE = 64, NODES_PER_BYTE = 8, FRAMES_FOR_ALL = 1 << 24 };

struct numbers {
	uint64_t *p;
	uint32_t n, capacity;
};

/* A location of the last stack, from the root. */
struct step {
	uint64_t location;
	node_id node;
	uint32_t frames, unknown; /* up to and including this one */
};

struct pprof {
	bool lacks_times; /* a row has none */
	struct profile *p;
	struct reader *r;
	struct pprof_tables tables;
	struct pprof_types types;
	struct pprof_labels labels;
	struct pprof_type period_type;
	uint64_t period, time_ns, duration_ns, drop_frames, keep_frames, doc_url;
	struct numbers comments;
	frame_id nowhere; /* of locations that are not there; INDEX_NONE: not made yet */

	/* The sample at hand. */
	struct numbers locations; /* leaf first */
	struct numbers values;
	VEC(struct step) steps;
	uint64_t walked; /* frames of all samples that were looked up */
	uint32_t nodes_before;
	const char *fault; /* what ended the reading, and where */
	uint64_t fault_offset;
};

/* --- everything but samples --- */

static void take_number(struct pprof *s, const struct protobuf *m)
{
	switch (m->field) {
	case PPROF_DROP_FRAMES:
		s->drop_frames = m->number;
		break;
	case PPROF_KEEP_FRAMES:
		s->keep_frames = m->number;
		break;
	case PPROF_TIME_NANOS:
		s->time_ns = m->number;
		break;
	case PPROF_DURATION_NANOS:
		s->duration_ns = m->number;
		break;
	case PPROF_PERIOD:
		s->period = m->number;
		break;
	case PPROF_DEFAULT_SAMPLE_TYPE:
		s->types.default_type = m->number;
		break;
	case PPROF_DOC_URL:
		s->doc_url = m->number;
		break;
	default:
		break;
	}
}

/* Numbers that are repeated stand alone or packed. One more than `most` is kept, for a limit to be seen. */
static void take_numbers(struct pprof *s, const struct protobuf *field, struct numbers *to,
			 uint32_t most)
{
	uint64_t number;
	if (field->type == PROTOBUF_VARINT && to->n <= most)
		vec_push(to, field->number);
	if (field->type != PROTOBUF_BYTES)
		return;
	struct protobuf m = protobuf_inside(field);
	while (to->n <= most && protobuf_next_packed(&m, &number))
		vec_push(to, number);
	if (m.fault)
		source_bad_record(s->p, protobuf_offset(&m), "packed numbers have %s", m.fault);
}

static void set_fault(struct pprof *s, const char *fault, uint64_t offset)
{
	if (!s->fault) {
		s->fault = fault;
		s->fault_offset = offset;
	}
}

static void take_type(struct pprof *s, const struct protobuf *m)
{
	if (s->types.types.n == MAX_TYPES)
		set_fault(s, "more than 512 value types", protobuf_offset(m));
	else
		vec_push(&s->types.types, pprof_type_read(protobuf_inside(m)));
}

/* What our writer called `cpu`; empty: nothing. */
static struct str clock_of_comment(struct str comment)
{
	struct str key = STR(PPROF_CLOCK_KEY ": ");
	return str_starts(comment, key) ? str_from_byte(comment, key.n) : STR("");
}

static struct str clock_name(const struct pprof *s)
{
	struct str comment, name = STR("");
	for (uint32_t i = 0; i < s->comments.n && !name.n; i++)
		if (pprof_text(&s->tables, s->comments.p[i], &comment))
			name = clock_of_comment(comment);
	return name;
}

static void read_tables(struct pprof *s)
{
	struct protobuf m = protobuf_open(s->tables.input);
	while (protobuf_next(&m)) {
		if (m.field == PPROF_COMMENT)
			take_numbers(s, &m, &s->comments, MAX_COMMENTS);
		else if (m.type == PROTOBUF_VARINT)
			take_number(s, &m);
		else if (m.type != PROTOBUF_BYTES)
			continue;
		else if (m.field == PPROF_SAMPLE_TYPE)
			take_type(s, &m);
		else if (m.field == PPROF_PERIOD_TYPE)
			s->period_type = pprof_type_read(protobuf_inside(&m));
		else
			pprof_tables_add(&s->tables, &m);
	}
	if (m.fault)
		set_fault(s, m.fault, protobuf_offset(&m));
	s->p->ledger.count[LEDGER_CUT_SAMPLES] += m.fault && m.field == PPROF_SAMPLE;
	pprof_tables_end(&s->tables);
	s->types.clock_name = clock_name(s);
	pprof_types_end(&s->types, &s->tables);
	if (s->tables.too_many.n)
		set_fault(s, s->tables.too_many.p, s->tables.too_many_offset);
}

/* --- facts --- */

static void add_number_fact(struct pprof *s, struct str key, uint64_t number)
{
	AUTO(buf) struct buf text = { 0 };
	buf_addf(&text, "%lld", (long long)number);
	if (number)
		profile_add_fact(s->p, key, buf_str(&text));
}

static void add_text_fact(struct pprof *s, struct str key, uint64_t text)
{
	struct str value;
	if (!pprof_text(&s->tables, text, &value))
		source_bad_record(s->p, s->tables.input.n,
				  "the profile's %.*s is not in the string table", STR_ARG(key));
	else if (value.n)
		profile_add_fact(s->p, key, value);
}

static void add_facts(struct pprof *s)
{
	AUTO(buf) struct buf type = { 0 };
	struct str name, unit, comment;
	add_number_fact(s, STR("started_unix_ns"), s->time_ns);
	add_number_fact(s, STR("duration_ns"), s->duration_ns);
	add_number_fact(s, STR("period"), s->period);
	if (!pprof_text(&s->tables, s->period_type.name, &name) ||
	    !pprof_text(&s->tables, s->period_type.unit, &unit))
		source_bad_record(s->p, s->tables.input.n,
				  "the period type is not in the string table");
	else if (name.n || unit.n) {
		buf_add(&type, name);
		buf_add_char(&type, '/');
		buf_add(&type, unit);
		profile_add_fact(s->p, STR("period_type"), buf_str(&type));
	}
	add_text_fact(s, STR("drop_frames"), s->drop_frames);
	add_text_fact(s, STR("keep_frames"), s->keep_frames);
	add_text_fact(s, STR("doc_url"), s->doc_url);
	for (uint32_t i = 0; i < s->comments.n && i < MAX_COMMENTS; i++)
		if (!pprof_text(&s->tables, s->comments.p[i], &comment) ||
		    !clock_of_comment(comment).n)
			add_text_fact(s, STR("comment"), s->comments.p[i]);
	if (s->comments.n > MAX_COMMENTS)
		source_bad_record(s->p, 0, "more than %u comments", (unsigned)MAX_COMMENTS);
	struct str wanted;
	if (!pprof_text(&s->tables, s->types.default_type, &wanted))
		source_bad_record(s->p, s->tables.input.n,
				  "the default value type is not in the string table");
}

/* --- samples --- */

static frame_id frame_of_nowhere(struct pprof *s)
{
	if (s->nowhere == INDEX_NONE)
		s->nowhere = profile_add_frame(s->p, &(struct frame){ .kind = FRAME_UNKNOWN });
	return s->nowhere;
}

static void add_frame(struct pprof *s, struct step *step, frame_id frame)
{
	step->node = profile_add_node(s->p, step->node, frame);
	step->frames++;
	step->unknown += s->p->frames.p[frame].name == STR_NONE;
}

static void push_step(struct pprof *s, struct step step, uint64_t location, uint64_t offset)
{
	struct pprof_tables *t = &s->tables;
	uint32_t i = pprof_ids_find(&t->location_ids, location), n = 1;
	step.location = location;
	if (i == INDEX_NONE) {
		source_bad_record(s->p, offset,
				  "a sample refers to location %llu, which does not exist",
				  (unsigned long long)location);
		add_frame(s, &step, frame_of_nowhere(s));
	} else {
		uint32_t first = pprof_location_frames(t, i, &n);
		for (uint32_t k = 0; k < n; k++)
			add_frame(s, &step, t->frames.p[first + k]);
	}
	s->walked += n;
	vec_push(&s->steps, step);
}

/* Stacks often begin at the root as the one before did: that part is known. */
static struct step read_stack(struct pprof *s, uint64_t offset)
{
	uint32_t n = s->locations.n, same = 0;
	while (same < n && same < s->steps.n &&
	       s->steps.p[same].location == s->locations.p[n - 1 - same])
		same++;
	s->steps.n = same;
	for (uint32_t i = same; i < n; i++) {
		struct step last = i ? s->steps.p[i - 1] : (struct step){ .node = NODE_ROOT };
		if (last.frames >= MAX_STACK_FRAMES) {
			s->p->ledger.count[LEDGER_CUT_STACKS]++;
			break;
		}
		push_step(s, last, s->locations.p[n - 1 - i], offset);
	}
	return s->steps.n ? s->steps.p[s->steps.n - 1] : (struct step){ .node = NODE_ROOT };
}

static void count_row(struct pprof *s, uint64_t count, const struct step *leaf, bool has_time)
{
	uint64_t *ledger = s->p->ledger.count, overflows = 0;
	ledger[LEDGER_FRAMES] += leaf->frames;
	ledger[LEDGER_UNKNOWN_FRAMES] += leaf->unknown;
	ledger[LEDGER_SAMPLES] = saturating_add(ledger[LEDGER_SAMPLES], count, &overflows);
	if (!leaf->frames)
		ledger[LEDGER_NO_STACK] =
			saturating_add(ledger[LEDGER_NO_STACK], count, &overflows);
	if (!has_time)
		ledger[LEDGER_NO_TIME] = saturating_add(ledger[LEDGER_NO_TIME], count, &overflows);
	s->lacks_times |= !has_time;
}

static uint64_t scaled(struct pprof *s, uint64_t value, uint64_t scale)
{
	if (!__builtin_mul_overflow(value, scale, &value))
		return value;
	s->p->ledger.count[LEDGER_OVERFLOWS]++;
	return UINT64_MAX;
}

static void add_rows(struct pprof *s, struct sample *row, const struct step *leaf, bool has_time)
{
	bool has_row = false;
	for (uint32_t i = 0; i < s->types.events.n; i++) {
		const struct pprof_event *e = &s->types.events.p[i];
		uint64_t value = s->values.p[e->value_at];
		uint64_t count =
			e->count_at == INDEX_NONE ? value / e->unit : s->values.p[e->count_at];
		bool is_last = i + 1 == s->types.events.n;
		if (!value && !count && !(is_last && !has_row))
			continue;
		if (!value && !count)
			e = s->types.events.p; /* nothing of everything: still a sample */
		has_row = true;
		row->event = e->id;
		row->count = count;
		row->period = scaled(s, value, e->scale);
		profile_add_sample(s->p, row);
		count_row(s, count, leaf, has_time);
	}
}

static void clear_negative(struct pprof *s)
{
	for (uint32_t i = 0; i < s->values.n; i++)
		if ((int64_t)s->values.p[i] < 0) {
			s->values.p[i] = 0;
			s->p->ledger.count[LEDGER_NEGATIVE]++;
		}
}

/* Its fields, in any order. False when they are broken. */
static bool take_sample(struct pprof *s, struct protobuf m)
{
	s->locations.n = s->values.n = s->labels.rows.n = 0;
	while (protobuf_next(&m)) {
		if (m.field == PPROF_SAMPLE_LOCATION)
			take_numbers(s, &m, &s->locations, MAX_STACK_FRAMES);
		else if (m.field == PPROF_SAMPLE_VALUE)
			take_numbers(s, &m, &s->values, MAX_TYPES);
		else if (m.field == PPROF_SAMPLE_LABEL && m.type == PROTOBUF_BYTES)
			pprof_labels_add(&s->labels, &m);
	}
	if (m.fault)
		source_bad_record(s->p, protobuf_offset(&m), "a sample has %s", m.fault);
	return !m.fault;
}

static void read_sample(struct pprof *s, const struct protobuf *m)
{
	uint64_t offset = protobuf_offset(m);
	struct sample row = { .thread = THREAD_NONE, .cpu = -1, .labels = LABELS_NONE };
	if (!take_sample(s, protobuf_inside(m)))
		return;
	if (s->values.n != s->types.types.n || s->values.n == 0) {
		source_bad_record(s->p, offset,
				  "a sample has %u values, but there are %u value types",
				  s->values.n, s->types.types.n);
		return;
	}
	clear_negative(s);
	struct step leaf = read_stack(s, offset);
	bool has_time = pprof_labels_apply(&s->labels, &s->tables, &row);
	row.node = leaf.node;
	add_rows(s, &row, &leaf, has_time);
}

static bool is_beyond_reason(const struct pprof *s, uint64_t bytes)
{
	return s->walked > FRAMES_FOR_ALL + bytes * FRAMES_PER_BYTE ||
	       s->p->nodes.n - s->nodes_before > FRAMES_FOR_ALL + bytes * NODES_PER_BYTE;
}

static void read_samples(struct pprof *s)
{
	struct protobuf m = protobuf_open(s->tables.input);
	while (protobuf_next(&m)) {
		if (m.field != PPROF_SAMPLE || m.type != PROTOBUF_BYTES)
			continue;
		read_sample(s, &m);
		if (is_beyond_reason(s, s->tables.input.n)) {
			set_fault(s, "stacks have more frames than a file of this size can hold",
				  protobuf_offset(&m));
			return;
		}
	}
}

static void pprof_fini(struct pprof *s)
{
	pprof_tables_fini(&s->tables);
	pprof_labels_fini(&s->labels);
	vec_fini(&s->types.types);
	vec_fini(&s->types.events);
	vec_fini(&s->comments);
	vec_fini(&s->locations);
	vec_fini(&s->values);
	vec_fini(&s->steps);
}

static void pprof_read(struct reader *r, const struct source_options *options, struct profile *p)
{
	bool is_whole = reader_fill_all(r, MAX_INPUT_BYTES);
	AUTO(pprof)
	struct pprof s = { .p = p,
			   .r = r,
			   .nowhere = INDEX_NONE,
			   .nodes_before = p->nodes.n,
			   .labels.thread = p->threads.p[THREAD_NONE] };
	s.tables.p = p;
	s.tables.options = options;
	s.tables.input = str_first(reader_window(r), MAX_INPUT_BYTES);
	if (!is_whole)
		set_fault(&s, "the profile is larger than 1 GiB, the most that plume reads",
			  MAX_INPUT_BYTES);
	read_tables(&s);
	add_facts(&s);
	read_samples(&s);
	/* Rows of less than one sample count 0, but that they have no time must be seen. */
	if (s.lacks_times && !p->ledger.count[LEDGER_NO_TIME])
		p->ledger.count[LEDGER_NO_TIME] = 1;
	if (s.fault && !reader_damage(r))
		source_damage(p, r, "pprof profile", s.fault, reader_offset(r) + s.fault_offset);
}

/* --- probe --- */

/* Fields that are numbers and fields that are messages or text, of each message, by bit. */
struct shape {
	uint32_t numbers, bytes;
};

#define BITS(from, to) ((2u << (to)) - (1u << (from)))

static const struct shape profile_shape = {
	.numbers =
		BITS(PPROF_DROP_FRAMES, PPROF_DURATION_NANOS) | BITS(PPROF_PERIOD, PPROF_DOC_URL),
	.bytes = BITS(PPROF_SAMPLE_TYPE, PPROF_STRING_TABLE) | 1u << PPROF_PERIOD_TYPE |
		 1u << PPROF_COMMENT,
};

/* By field of the profile; the text and packed numbers are not looked into. */
static const struct shape shapes[] = {
	[PPROF_SAMPLE_TYPE] = { BITS(PPROF_TYPE_NAME, PPROF_TYPE_UNIT), 0 },
	[PPROF_SAMPLE] = { BITS(PPROF_SAMPLE_LOCATION, PPROF_SAMPLE_VALUE),
			   BITS(PPROF_SAMPLE_LOCATION, PPROF_SAMPLE_LABEL) },
	[PPROF_MAPPING] = { BITS(PPROF_MAPPING_ID, PPROF_MAPPING_LAST), 0 },
	[PPROF_LOCATION] = { BITS(PPROF_LOCATION_ID, PPROF_LOCATION_IS_FOLDED),
			     1u << PPROF_LOCATION_LINE },
	[PPROF_FUNCTION] = { BITS(PPROF_FUNCTION_ID, PPROF_FUNCTION_START_LINE), 0 },
	[PPROF_PERIOD_TYPE] = { BITS(PPROF_TYPE_NAME, PPROF_TYPE_UNIT), 0 },
};

static bool fits(const struct protobuf *m, const struct shape *shape)
{
	if (m->field > 31)
		return false;
	uint32_t bit = 1u << m->field;
	return (m->type == PROTOBUF_VARINT && shape->numbers & bit) ||
	       (m->type == PROTOBUF_BYTES && shape->bytes & bit);
}

static bool fits_inside(struct protobuf m, const struct shape *shape)
{
	while (protobuf_next(&m))
		if (!fits(&m, shape))
			return false;
	return !m.fault;
}

/* Whether the field at hand is one of a profile. *is_message: and looks as one inside, too. */
static bool fits_profile(const struct protobuf *m, bool *is_message)
{
	*is_message = false;
	if (!fits(m, &profile_shape))
		return false;
	if (m->type != PROTOBUF_BYTES || m->field == PPROF_STRING_TABLE ||
	    m->field == PPROF_COMMENT)
		return true;
	*is_message = m->bytes.n > 0;
	return fits_inside(protobuf_inside(m), &shapes[m->field]);
}

/*
 * Text may begin as a message does (a newline is the tag of field 1), but does not go on so. The head
 * may end inside a field, and a file may be damaged: a few messages that fit are enough.
 */
static unsigned pprof_probe(struct str head)
{
	enum { PROBE_BYTES = 64 << 10, ENOUGH = 2 };
	struct protobuf m = protobuf_open(str_first(head, PROBE_BYTES));
	unsigned messages = 0;
	bool is_message;
	while (protobuf_next(&m)) {
		if (messages && m.field > PPROF_DOC_URL)
			continue; /* of a later version */
		if (!fits_profile(&m, &is_message))
			return messages < ENOUGH ? 0 : 80;
		messages += is_message;
	}
	if (m.fault && !protobuf_is_cut(&m) && messages < ENOUGH)
		return 0;
	return messages ? 95 : 0;
}

const struct source_format pprof_format = {
	.title = "pprof profile",
	.read = pprof_read,
	.probe = pprof_probe,
};
