/*
 * Samples as comma-separated values, a line each. doc/formats/csv.md has the rules; src/source/csv.c reads them back.
 */
#include "sink/frame_text.h"
#include "sink/profile_format.h"

enum { FULL_BYTES = 64 << 10 };

enum csv_column {
	CSV_TIME,
	CSV_CPU,
	CSV_PID,
	CSV_TID,
	CSV_COMM,
	CSV_CONTAINER,
	CSV_EVENT,
	CSV_UNIT,
	CSV_WEIGHT,
	CSV_COUNT,
	CSV_PERIOD,
	CSV_LABELS,
	CSV_KINDS,
	CSV_STACK,
	CSV_COLUMNS
};

static const char *const column_names[CSV_COLUMNS] = {
	"time_ns", "cpu",    "pid",   "tid",	"comm",	  "container", "event",
	"unit",	   "weight", "count", "period", "labels", "kinds",     "stack",
};

struct csv {
	const struct profile *p;
	struct writer *out;
	struct buf line, cell;
	bool has[CSV_COLUMNS];
	bool *says_weight;	 /* by event: its natural weight is not what its name lets expect */
	struct str *frame_texts; /* by frame; made when first needed */
	struct arena text;
	VEC(frame_id) path;
};

/* --- text --- */

/*
 * `;` and line ends would end a name or a line; a spreadsheet runs what begins with = + - @. Both
 * are written as %XX, and so is a % that would read as one of these.
 */
static bool is_escape(struct str s)
{
	static const char *const codes[] = { "%25", "%3B", "%0A", "%0D", "%09",
					     "%3D", "%2B", "%2D", "%40", "%23" };
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (str_starts(s, str_from(codes[i])))
			return true;
	return false;
}

/* Appends s; what is in `special` is escaped, and what is in `first` when the cell begins with it. */
static void add_escaped(struct buf *cell, struct str s, const char *special, const char *first)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool is_special = c == '\n' || c == '\r' || (c && strchr(special, c)) ||
				  (c == '%' && is_escape(str_from_byte(s, i)));
		if (is_special || (c && cell->n == 0 && strchr(first, c)))
			buf_addf(cell, "%%%02X", (unsigned char)c);
		else
			buf_add_char(cell, c);
	}
}

static const char FORMULA[] = "=+-@\t";

static void add_quoted(struct buf *line, struct str cell)
{
	buf_add_char(line, '"');
	for (size_t i = 0; i < cell.n; i++) {
		if (cell.p[i] == '"')
			buf_add_char(line, '"');
		buf_add_char(line, cell.p[i]);
	}
	buf_add_char(line, '"');
}

/* Names: in quotes only where they must be. */
static void add_name(struct csv *f, str_id id)
{
	f->cell.n = 0;
	add_escaped(&f->cell, profile_str(f->p, id), "", FORMULA);
	struct str cell = buf_str(&f->cell);
	bool needs_quotes = str_find_char(cell, ',') >= 0 || str_find_char(cell, '"') >= 0 ||
			    (cell.n && (is_space(cell.p[0]) || is_space(cell.p[cell.n - 1])));
	if (needs_quotes)
		add_quoted(&f->line, cell);
	else
		buf_add(&f->line, cell);
}

/* --- stacks --- */

/* The marks that came with the input's own names; all others are in the column of kinds. */
static struct str mark_of(const struct frame *f)
{
	if (!(f->flags & FRAME_MARKED))
		return STR("");
	if (f->flags & FRAME_INLINED)
		return STR("_[i]");
	if (f->flags & FRAME_WAKER)
		return STR("_[w]");
	if (f->kind == FRAME_KERNEL)
		return STR("_[k]");
	return f->kind == FRAME_JIT ? STR("_[j]") : STR("");
}

static struct str text_of_frame(struct csv *f, frame_id id)
{
	if (!f->frame_texts[id].p) {
		AUTO(buf) struct buf name = { 0 }, text = { 0 };
		const struct frame *frame = &f->p->frames.p[id];
		frame_text_add(&name, f->p, frame);
		buf_add(&name, mark_of(frame));
		add_escaped(&text, buf_str(&name), ";", "");
		f->frame_texts[id] = arena_copy(&f->text, buf_str(&text));
	}
	return f->frame_texts[id];
}

/* A letter for each kind; a capital letter, or '!' for '?', when it is inlined. */
static char letter_of(const struct frame *f)
{
	static const char letters[] = "ukjibgw?", inlined[] = "UKJIBGW!";
	bool is_inlined = f->flags & FRAME_INLINED && !(f->flags & FRAME_MARKED);
	return (is_inlined ? inlined : letters)[f->kind];
}

static void find_path(struct csv *f, node_id node)
{
	f->path.n = 0;
	for (; node != NODE_ROOT; node = f->p->nodes.p[node].parent)
		vec_push(&f->path, f->p->nodes.p[node].frame);
}

static void add_stack(struct csv *f)
{
	f->cell.n = 0;
	for (uint32_t i = f->path.n; i-- > 0;) {
		struct str text = text_of_frame(f, f->path.p[i]);
		if (i + 1 == f->path.n && text.n && strchr(FORMULA, text.p[0]))
			buf_addf(&f->cell, "%%%02X%.*s", (unsigned char)text.p[0],
				 STR_ARG(str_from_byte(text, 1)));
		else
			buf_add(&f->cell, text);
		if (i)
			buf_add_char(&f->cell, ';');
	}
	/* Always in quotes: a file that breaks off inside a stack has a quote that does not end. */
	add_quoted(&f->line, buf_str(&f->cell));
}

static void add_kinds(struct csv *f)
{
	for (uint32_t i = f->path.n; i-- > 0;)
		buf_add_char(&f->line, letter_of(&f->p->frames.p[f->path.p[i]]));
}

/* --- labels --- */

/* `key=text`, `key#=12` or `key#unit=12`. */
static void add_label(struct csv *f, const struct label *l)
{
	if (f->cell.n)
		buf_add_char(&f->cell, ';');
	add_escaped(&f->cell, profile_str(f->p, l->key), ";=#", FORMULA);
	if (l->is_number) {
		buf_add_char(&f->cell, '#');
		add_escaped(&f->cell, profile_str(f->p, l->unit), ";=#", "");
		buf_addf(&f->cell, "=%lld", (long long)l->number);
	} else {
		buf_add_char(&f->cell, '=');
		add_escaped(&f->cell, profile_str(f->p, l->text), ";", "");
	}
}

static void add_labels(struct csv *f, label_set set)
{
	VEC(label_id) labels = { 0 };
	f->cell.n = 0;
	for (; set != LABELS_NONE; set = f->p->label_sets.p[set].rest)
		vec_push(&labels, f->p->label_sets.p[set].label);
	for (uint32_t i = labels.n; i-- > 0;)
		add_label(f, &f->p->labels.p[labels.p[i]]);
	vec_fini(&labels);
	if (f->cell.n)
		add_quoted(&f->line, buf_str(&f->cell));
}

/* --- which columns have anything in them --- */

static bool is_plain_period(const struct event *e, const struct samples *s, uint32_t row)
{
	return e->has_only_sums || (!e->decimals && s->period[row] == s->count[row]);
}

static void look_at_row(struct csv *f, uint32_t row)
{
	const struct samples *s = &f->p->samples;
	const struct thread *t = &f->p->threads.p[s->thread[row]];
	const struct event *e = &f->p->events.p[s->event[row]];
	bool has_thread = s->thread[row] != THREAD_NONE;
	f->has[CSV_CPU] |= s->cpu && s->cpu[row] >= 0;
	f->has[CSV_PID] |= has_thread && t->pid != PID_UNKNOWN;
	f->has[CSV_TID] |= has_thread && t->tid != PID_UNKNOWN;
	f->has[CSV_COMM] |= has_thread && t->comm;
	f->has[CSV_CONTAINER] |= has_thread && t->container;
	f->has[CSV_COUNT] |= s->count[row] != 1 || e->decimals;
	f->has[CSV_PERIOD] |= !is_plain_period(e, s, row);
	f->has[CSV_LABELS] |= s->labels && s->labels[row];
}

/* What a reader takes as the natural weight when it is not told. */
static bool has_expected_weight(const struct csv *f, const struct event *e)
{
	struct str name = profile_str(f->p, e->name);
	bool counts_periods = name.n ? !event_samples_time(name) : !f->has[CSV_COUNT];
	return e->has_only_sums || e->counts_periods == counts_periods;
}

static void look_at_events(struct csv *f)
{
	const struct profile *p = f->p;
	f->says_weight = mem_zalloc(p->events.n, sizeof(*f->says_weight));
	for (uint32_t i = 0; i < p->events.n; i++) {
		f->has[CSV_EVENT] |= p->events.p[i].name &&
				     (p->events.n > 1 || f->has[CSV_PERIOD] ||
				      !str_eq(profile_str(p, p->events.p[i].name), STR("samples")));
		f->has[CSV_UNIT] |= !str_eq(profile_str(p, p->events.p[i].unit), STR("samples"));
		f->says_weight[i] = !has_expected_weight(f, &p->events.p[i]);
		f->has[CSV_WEIGHT] |= f->has[CSV_PERIOD] && f->says_weight[i];
	}
}

static void look_at_frames(struct csv *f)
{
	const struct profile *p = f->p;
	for (node_id i = 1; i < p->nodes.n; i++) {
		const struct frame *frame = &p->frames.p[p->nodes.p[i].frame];
		struct str text = text_of_frame(f, p->nodes.p[i].frame);
		bool is_unknown = letter_of(frame) == '?' && str_eq(text, STR("[unknown]"));
		/* A stack of one nameless frame is told from none by its kind. */
		bool is_alone = !text.n && p->nodes.p[i].parent == NODE_ROOT;
		f->has[CSV_KINDS] |=
			is_alone || (letter_of(frame) != 'u' && !mark_of(frame).n && !is_unknown);
	}
}

/* --- lines --- */

static void add_id(struct buf *line, const struct csv *f, uint32_t row, bool is_tid)
{
	const struct thread *t = &f->p->threads.p[f->p->samples.thread[row]];
	int32_t id = is_tid ? t->tid : t->pid;
	if (f->p->samples.thread[row] != THREAD_NONE && id != PID_UNKNOWN)
		buf_addf(line, "%d", id);
}

static void add_count(struct csv *f, uint32_t row)
{
	const struct samples *s = &f->p->samples;
	const struct event *e = &f->p->events.p[s->event[row]];
	if (e->has_only_sums)
		buf_add_decimal(&f->line, s->period[row], e->decimals);
	else
		buf_add_u64(&f->line, s->count[row]);
}

static void add_cell(struct csv *f, uint32_t row, enum csv_column column)
{
	const struct samples *s = &f->p->samples;
	const struct event *e = &f->p->events.p[s->event[row]];
	const struct thread *t = &f->p->threads.p[s->thread[row]];
	switch (column) {
	case CSV_TIME:
		if (s->time_ns[row] || !f->p->ledger.count[LEDGER_NO_TIME])
			buf_add_u64(&f->line, s->time_ns[row]);
		break;
	case CSV_CPU:
		if (s->cpu[row] >= 0)
			buf_add_u64(&f->line, (uint64_t)s->cpu[row]);
		break;
	case CSV_PID:
	case CSV_TID:
		add_id(&f->line, f, row, column == CSV_TID);
		break;
	case CSV_COMM:
		add_name(f, t->comm);
		break;
	case CSV_CONTAINER:
		add_name(f, t->container);
		break;
	case CSV_EVENT:
		add_name(f, e->name);
		break;
	case CSV_UNIT:
		add_name(f, e->unit);
		break;
	case CSV_WEIGHT:
		if (f->says_weight[s->event[row]])
			buf_addf(&f->line, e->counts_periods ? "period" : "samples");
		break;
	case CSV_COUNT:
		add_count(f, row);
		break;
	case CSV_PERIOD:
		if (!e->has_only_sums)
			buf_add_decimal(&f->line, s->period[row], e->decimals);
		break;
	case CSV_LABELS:
		add_labels(f, s->labels[row]);
		break;
	case CSV_KINDS:
		add_kinds(f);
		break;
	default:
		add_stack(f);
	}
}

static void add_line(struct csv *f, uint32_t row)
{
	find_path(f, f->p->samples.node[row]);
	for (unsigned c = 0; c < CSV_COLUMNS; c++)
		if (f->has[c]) {
			add_cell(f, row, (enum csv_column)c);
			buf_add_char(&f->line, c == CSV_STACK ? '\n' : ',');
		}
	if (f->line.n > FULL_BYTES) {
		writer_add(f->out, buf_str(&f->line));
		f->line.n = 0;
	}
}

static void add_header(struct csv *f)
{
	for (unsigned c = 0; c < CSV_COLUMNS; c++)
		if (f->has[c])
			buf_addf(&f->line, "%s%c", column_names[c], c == CSV_STACK ? '\n' : ',');
}

static void csv_fini(struct csv *f)
{
	buf_fini(&f->line);
	buf_fini(&f->cell);
	free(f->says_weight);
	free(f->frame_texts);
	arena_fini(&f->text);
	vec_fini(&f->path);
}

static void write_csv(const struct profile *p, const struct profile_format_options *o,
		      struct writer *out, struct buf *notes)
{
	AUTO(csv) struct csv f = { .p = p, .out = out, .has[CSV_STACK] = true };
	(void)o;
	f.frame_texts = mem_zalloc(p->frames.n, sizeof(*f.frame_texts));
	f.has[CSV_TIME] = profile_has_times(f.p);
	for (uint32_t row = 0; row < p->samples.n; row++)
		look_at_row(&f, row);
	look_at_events(&f);
	look_at_frames(&f);
	add_header(&f);
	for (uint32_t row = 0; row < p->samples.n && writer_is_healthy(out); row++)
		add_line(&f, row);
	writer_add(out, buf_str(&f.line));
	if (p->marks.n)
		buf_addf(notes, "csv: marks left out: %u\n", p->marks.n);
}

const struct profile_format csv_sink = {
	.name = "csv",
	.title = "CSV",
	.endings = { ".csv" },
	.columns = COLUMNS_ALL & ~COLUMN_ORDER,
	.columns_of_each = COLUMNS_ALL,
	.write = write_csv,
};
