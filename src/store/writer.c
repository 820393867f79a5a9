#include "store/store_int.h"

#include <zstd.h>

/* Blocks are closed when they hold so many rows, or so many bytes of names and stacks. */
enum { ROWS_PER_BLOCK = 1 << 16, BYTES_PER_BLOCK = 4 << 20, ZSTD_LEVEL = 6 };

struct store_writer {
	struct writer *out;
	ZSTD_CCtx *zstd;
	uint64_t blocks;
	struct buf raw, part, packed;

	/* How much of each table of the profile has been written. */
	uint32_t strings, frames, changed, nodes, threads, events, labels, label_sets, samples,
		marks, facts, modules;
	struct frame last_frame;
	VEC(uint8_t) decimals; /* by event, as the file has it */
	VEC(uint64_t) unnamed; /* frames by row, as the file has it */
	uint64_t ledger[LEDGER_LINES];
	bool is_differential, is_copy;
	bool has_times; /* some rows were written with one */
};

bool store_is_empty(uint64_t size_bytes)
{
	return !size_bytes || size_bytes == STORE_HEAD_BYTES;
}

struct store_writer *store_writer_new(struct writer *out)
{
	struct store_writer *w = mem_zalloc(1, sizeof(*w));
	struct store_head head = { .major = htole16(STORE_MAJOR), .minor = htole16(STORE_MINOR) };
	w->out = out;
	w->zstd = ZSTD_createCCtx();
	/* What every profile has without being told. */
	w->strings = w->nodes = w->threads = w->label_sets = 1;
	memcpy(head.magic, store_magic.p, sizeof(head.magic));
	writer_add(out, (struct str){ (const char *)&head, sizeof(head) });
	return w;
}

void store_writer_free(struct store_writer *w)
{
	if (!w)
		return;
	ZSTD_freeCCtx(w->zstd);
	buf_fini(&w->raw);
	buf_fini(&w->part);
	buf_fini(&w->packed);
	vec_fini(&w->decimals);
	vec_fini(&w->unnamed);
	free(w);
}

void store_writer_set_copy(struct store_writer *w)
{
	ZSTD_freeCCtx(w->zstd);
	w->zstd = NULL;
	w->is_copy = true;
}

/* --- blocks --- */

/* The stored form of the block: compressed where that is shorter. */
static struct str pack(struct store_writer *w, uint8_t *codec)
{
	size_t room = ZSTD_compressBound(w->raw.n);
	w->packed.n = 0;
	*codec = STORE_CODEC_NONE;
	if (!w->zstd)
		return buf_str(&w->raw);
	char *to = buf_reserve(&w->packed, room);
	size_t n = ZSTD_compressCCtx(w->zstd, to, room, w->raw.p, w->raw.n, ZSTD_LEVEL);
	if (ZSTD_isError(n) || n >= w->raw.n)
		return buf_str(&w->raw);
	*codec = STORE_CODEC_ZSTD;
	return (struct str){ to, n };
}

static void put_block(struct store_writer *w, enum store_block_kind kind)
{
	uint8_t codec;
	struct str stored = pack(w, &codec);
	struct store_block_head head = {
		.magic = htole32(STORE_BLOCK_MAGIC),
		.codec = codec,
		.kind = (uint8_t)kind,
		.stored_bytes = htole32((uint32_t)stored.n),
		.raw_bytes = htole32((uint32_t)w->raw.n),
		.number = htole64(w->blocks++),
	};
	head.checksum = htole64(store_checksum(&head, stored));
	writer_add(w->out, (struct str){ (const char *)&head, sizeof(head) });
	writer_add(w->out, stored);
	w->raw.n = 0;
}

/* Puts what is in w->part behind the block, with its tag and length. */
static void end_part(struct store_writer *w, enum store_part tag)
{
	buf_add_varint(&w->raw, tag);
	buf_add_varint(&w->raw, w->part.n);
	buf_add(&w->raw, buf_str(&w->part));
	w->part.n = 0;
	if (w->raw.n >= BYTES_PER_BLOCK)
		put_block(w, STORE_BLOCK_DATA);
}

/* --- tables --- */

/* A column of a table: `value` of each row from `first` to `end`. */
#define PUT_COLUMN(first, end, value)                                                              \
	for (uint32_t i = (first); i < (end); i++)                                                 \
	buf_add_varint(&w->part, (value))

/* Strings until they fill a block. */
static void put_strings(struct store_writer *w, const struct profile *p)
{
	while (w->strings < p->strings.n) {
		uint32_t first = w->strings, end = first;
		size_t bytes = 0;
		while (end < p->strings.n && (end == first || bytes < BYTES_PER_BLOCK))
			bytes += p->strings.p[end++].n;
		buf_add_varint(&w->part, end - first);
		PUT_COLUMN(first, end, p->strings.p[i].n);
		for (uint32_t i = first; i < end; i++)
			buf_add(&w->part, p->strings.p[i]);
		w->strings = end;
		end_part(w, STORE_STRINGS);
	}
}

/* The end of a run of rows from `first` that is not too long for a block. */
static uint32_t run_end(uint32_t first, uint32_t n)
{
	return n - first > ROWS_PER_BLOCK ? first + ROWS_PER_BLOCK : n;
}

static uint64_t frame_value(const struct frame *f, enum store_frame_column column)
{
	switch (column) {
	case STORE_FRAME_FUNCTION_FILE:
		return f->function_file;
	case STORE_FRAME_FUNCTION_LINE:
		return f->function_line;
	case STORE_FRAME_FUNCTION_COLUMN:
		return f->function_column;
	case STORE_FRAME_START:
		return f->start;
	case STORE_FRAME_COLUMN_COUNT:
		break;
	}
	return 0;
}

/* Columns that older readers do not know stand in a part of their own. Those of zeros are left out. */
static void put_frame_columns(struct store_writer *w, const struct frame *f, uint32_t first,
			      uint32_t end)
{
	for (enum store_frame_column c = 0; c < STORE_FRAME_COLUMN_COUNT; c++) {
		uint32_t row = first;
		while (row < end && !frame_value(&f[row], c))
			row++;
		if (row == end)
			continue;
		if (!w->part.n)
			buf_add_varint(&w->part, end - first);
		buf_add_varint(&w->part, c);
		buf_add_varint(&w->part, STORE_PLAIN);
		PUT_COLUMN(first, end, frame_value(&f[i], c));
	}
	if (w->part.n)
		end_part(w, STORE_FRAME_COLUMNS);
}

static void put_frames(struct store_writer *w, const struct profile *p)
{
	while (w->frames < p->frames.n) {
		uint32_t first = w->frames, end = run_end(first, p->frames.n);
		const struct frame *f = p->frames.p;
		put_frame_columns(w, f, first, end);
		buf_add_varint(&w->part, end - first);
		struct frame last = w->last_frame; /* as it was written, whatever it is now */
		PUT_COLUMN(first, end,
			   zigzag((int64_t)f[i].name - (i > first ? f[i - 1].name : last.name)));
		PUT_COLUMN(first, end, f[i].module);
		PUT_COLUMN(first, end,
			   zigzag((int64_t)f[i].file - (i > first ? f[i - 1].file : last.file)));
		PUT_COLUMN(first, end, f[i].line);
		PUT_COLUMN(first, end, f[i].column);
		PUT_COLUMN(first, end, f[i].kind);
		PUT_COLUMN(first, end, (uint8_t)f[i].tier);
		PUT_COLUMN(first, end, f[i].flags);
		w->frames = end;
		w->last_frame = f[end - 1];
		end_part(w, STORE_FRAMES);
	}
}

/* Frames that are others now than they were written as. */
static void put_changed(struct store_writer *w, const struct profile *p, uint32_t written)
{
	VEC(struct changed_frame) rows = { 0 };
	for (; w->changed < p->changed.n; w->changed++)
		if (p->changed.p[w->changed].frame < written)
			vec_push(&rows, p->changed.p[w->changed]);
	for (uint32_t first = 0, end; first < rows.n; first = end) {
		end = run_end(first, rows.n);
		buf_add_varint(&w->part, end - first);
		PUT_COLUMN(first, end, rows.p[i].frame);
		PUT_COLUMN(first, end, rows.p[i].as);
		PUT_COLUMN(first, end, rows.p[i].unnamed);
		end_part(w, STORE_CHANGED);
	}
	vec_fini(&rows);
}

static void put_nodes(struct store_writer *w, const struct profile *p)
{
	while (w->nodes < p->nodes.n) {
		uint32_t first = w->nodes, end = run_end(first, p->nodes.n);
		const struct node *n = p->nodes.p;
		buf_add_varint(&w->part, end - first);
		PUT_COLUMN(first, end, i - n[i].parent);
		PUT_COLUMN(first, end, n[i].frame);
		w->nodes = end;
		end_part(w, STORE_NODES);
	}
}

static void put_threads(struct store_writer *w, const struct profile *p)
{
	uint32_t first = w->threads, end = p->threads.n;
	const struct thread *t = p->threads.p;
	if (first == end)
		return;
	buf_add_varint(&w->part, end - first);
	PUT_COLUMN(first, end, zigzag(t[i].pid));
	PUT_COLUMN(first, end, zigzag((int64_t)t[i].tid - t[i].pid));
	PUT_COLUMN(first, end, t[i].comm);
	PUT_COLUMN(first, end, t[i].container);
	w->threads = end;
	end_part(w, STORE_THREADS);
}

static void put_events(struct store_writer *w, const struct profile *p)
{
	uint32_t first = w->events, end = p->events.n;
	const struct event *e = p->events.p;
	for (uint32_t i = 0; i < first; i++) {
		if (w->decimals.p[i] == e[i].decimals)
			continue;
		w->decimals.p[i] = e[i].decimals;
		buf_add_varint(&w->part, i);
		buf_add_varint(&w->part, e[i].decimals);
	}
	if (w->part.n)
		end_part(w, STORE_DECIMALS);
	if (first == end)
		return;
	buf_add_varint(&w->part, end - first);
	PUT_COLUMN(first, end, e[i].name);
	PUT_COLUMN(first, end, e[i].unit);
	PUT_COLUMN(first, end,
		   (e[i].counts_periods ? STORE_COUNTS_PERIODS : 0u) |
			   (e[i].has_only_sums ? STORE_HAS_ONLY_SUMS : 0u));
	PUT_COLUMN(first, end, e[i].decimals);
	for (uint32_t i = first; i < end; i++)
		vec_push(&w->decimals, e[i].decimals);
	w->events = end;
	end_part(w, STORE_EVENTS);
}

static void put_labels(struct store_writer *w, const struct profile *p)
{
	while (w->labels < p->labels.n) {
		uint32_t first = w->labels, end = run_end(first, p->labels.n);
		const struct label *l = p->labels.p;
		buf_add_varint(&w->part, end - first);
		PUT_COLUMN(first, end, l[i].key);
		PUT_COLUMN(first, end, l[i].is_number);
		PUT_COLUMN(first, end, l[i].text);
		PUT_COLUMN(first, end, l[i].unit);
		PUT_COLUMN(first, end, zigzag(l[i].number));
		w->labels = end;
		end_part(w, STORE_LABELS);
	}
	while (w->label_sets < p->label_sets.n) {
		uint32_t first = w->label_sets, end = run_end(first, p->label_sets.n);
		const struct label_link *s = p->label_sets.p;
		buf_add_varint(&w->part, end - first);
		PUT_COLUMN(first, end, i - s[i].rest);
		PUT_COLUMN(first, end, s[i].label);
		w->label_sets = end;
		end_part(w, STORE_LABEL_SETS);
	}
}

static void put_marks(struct store_writer *w, const struct profile *p)
{
	while (w->marks < p->marks.n) {
		uint32_t first = w->marks, end = run_end(first, p->marks.n);
		const struct mark *m = p->marks.p;
		buf_add_varint(&w->part, end - first);
		PUT_COLUMN(first, end,
			   zigzag((int64_t)(m[i].time_ns - (i > first ? m[i - 1].time_ns : 0))));
		PUT_COLUMN(first, end, m[i].duration_ns);
		PUT_COLUMN(first, end, m[i].thread);
		PUT_COLUMN(first, end, m[i].kind);
		PUT_COLUMN(first, end, m[i].text);
		w->marks = end;
		end_part(w, STORE_MARKS);
	}
}

static void put_facts(struct store_writer *w, const struct profile *p)
{
	if (w->facts < p->facts.n) {
		buf_add_varint(&w->part, p->facts.n - w->facts);
		PUT_COLUMN(w->facts, p->facts.n, p->facts.p[i].key);
		PUT_COLUMN(w->facts, p->facts.n, p->facts.p[i].text);
		w->facts = p->facts.n;
		end_part(w, STORE_FACTS);
	}
	if (w->modules < p->modules.n) {
		buf_add_varint(&w->part, p->modules.n - w->modules);
		PUT_COLUMN(w->modules, p->modules.n, p->modules.p[i].path);
		PUT_COLUMN(w->modules, p->modules.n, p->modules.p[i].build_id);
		w->modules = p->modules.n;
		end_part(w, STORE_MODULES);
	}
}

/* Rows that are new, or have gained frames: what they gained. */
static void put_unnamed(struct store_writer *w, const struct profile *p)
{
	VEC(uint32_t) rows = { 0 };
	const struct unnamed *u = p->unnamed.p;
	while (w->unnamed.n < p->unnamed.n)
		vec_push(&w->unnamed, 0);
	for (uint32_t i = 0; i < p->unnamed.n; i++)
		if (u[i].frames > w->unnamed.p[i])
			vec_push(&rows, i);
	if (rows.n) {
		buf_add_varint(&w->part, rows.n);
		PUT_COLUMN(0, rows.n, u[rows.p[i]].module);
		PUT_COLUMN(0, rows.n, u[rows.p[i]].reason);
		PUT_COLUMN(0, rows.n, u[rows.p[i]].fix);
		PUT_COLUMN(0, rows.n, u[rows.p[i]].frames - w->unnamed.p[rows.p[i]]);
		end_part(w, STORE_UNNAMED);
	}
	for (uint32_t i = 0; i < rows.n; i++)
		w->unnamed.p[rows.p[i]] = u[rows.p[i]].frames;
	vec_fini(&rows);
}

/* --- samples --- */

/* The values of a column, as numbers without a sign. */
static uint64_t value_of(const struct samples *s, enum store_column column, uint32_t row)
{
	switch (column) {
	case STORE_COLUMN_NODE:
		return s->node[row];
	case STORE_COLUMN_THREAD:
		return s->thread[row];
	case STORE_COLUMN_EVENT:
		return s->event[row];
	case STORE_COLUMN_COUNT:
		return s->count[row];
	case STORE_COLUMN_PERIOD:
		return s->period[row];
	case STORE_COLUMN_TIME:
		return s->time_ns[row];
	case STORE_COLUMN_CPU:
		return zigzag(s->cpu[row]);
	case STORE_COLUMN_LABELS:
		return s->labels[row];
	case STORE_COLUMNS:
		break;
	}
	return 0;
}

/* A profile that keeps times has 0 for samples that came without one. */
static bool has_times(struct store_writer *w, const struct profile *p, uint32_t end)
{
	const struct samples *s = &p->samples;
	uint64_t *told = &w->ledger[LEDGER_NO_TIME], missing = p->ledger.count[LEDGER_NO_TIME];
	if (samples_have_times(s, w->samples, end, missing > *told ? missing - *told : 0)) {
		w->has_times = true;
		return true;
	}
	/* The reader counts these. */
	uint32_t rows = end - w->samples;
	*told = missing > *told && missing - *told > rows ? *told + rows : missing;
	return false;
}

static bool has_column(struct store_writer *w, const struct profile *p, enum store_column column,
		       uint32_t end)
{
	const struct samples *s = &p->samples;
	return !((column == STORE_COLUMN_TIME && !has_times(w, p, end)) ||
		 (column == STORE_COLUMN_CPU && !s->cpu) ||
		 (column == STORE_COLUMN_LABELS && !s->labels));
}

static void put_column(struct store_writer *w, const struct samples *s, enum store_column column,
		       uint32_t end)
{
	uint32_t first = w->samples;
	uint64_t value = value_of(s, column, first), last = 0;
	bool is_same = true;
	for (uint32_t i = first; i < end && is_same; i++)
		is_same = value_of(s, column, i) == value;
	buf_add_varint(&w->part, column);
	if (is_same) {
		buf_add_varint(&w->part, STORE_SAME);
		buf_add_varint(&w->part, value);
		return;
	}
	bool is_delta = column == STORE_COLUMN_TIME;
	buf_add_varint(&w->part, is_delta ? STORE_DELTAS : STORE_PLAIN);
	for (uint32_t i = first; i < end; i++) {
		value = value_of(s, column, i);
		buf_add_varint(&w->part, is_delta ? zigzag((int64_t)(value - last)) : value);
		last = value;
	}
}

static void put_samples(struct store_writer *w, const struct profile *p)
{
	while (w->samples < p->samples.n) {
		uint32_t end = run_end(w->samples, p->samples.n);
		buf_add_varint(&w->part, end - w->samples);
		for (enum store_column c = 0; c < STORE_COLUMNS; c++)
			if (has_column(w, p, c, end))
				put_column(w, &p->samples, c, end);
		w->samples = end;
		end_part(w, STORE_SAMPLES);
		if (w->raw.n && w->samples < p->samples.n)
			put_block(w, STORE_BLOCK_DATA);
	}
}

/* What a reader counts itself is not written. Which of many samples have no time it cannot see. */
static bool is_counted_by_reader(const struct store_writer *w, enum ledger_line line)
{
	return line == LEDGER_SAMPLES || line == LEDGER_NO_STACK || line == LEDGER_FRAMES ||
	       line == LEDGER_UNKNOWN_FRAMES || (line == LEDGER_NO_TIME && !w->has_times);
}

static void put_reading(struct store_writer *w, const struct profile *p)
{
	const struct ledger *l = &p->ledger;
	const uint64_t numbers[] = { p->sampled_ns,	 l->first_bad_offset, l->first_bad_text,
				     l->first_bad_input, l->damage,	      p->notes.n };
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		buf_add_varint(&w->part, numbers[i]);
	PUT_COLUMN(0, p->notes.n, p->notes.p[i]);
	end_part(w, STORE_READING);
}

static void put_ledger(struct store_writer *w, const struct profile *p)
{
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++) {
		uint64_t count = p->ledger.count[line];
		if (count <= w->ledger[line] || is_counted_by_reader(w, line))
			continue;
		struct str name = str_from(ledger_line_name(line));
		buf_add_varint(&w->part, name.n);
		buf_add(&w->part, name);
		buf_add_varint(&w->part, count - w->ledger[line]);
		w->ledger[line] = count;
	}
	if (w->part.n)
		end_part(w, STORE_LEDGER);
}

static void put_flags(struct store_writer *w, const struct profile *p)
{
	if (p->is_differential && !w->is_differential) {
		w->is_differential = true;
		buf_add_varint(&w->part, STORE_IS_DIFFERENTIAL);
		end_part(w, STORE_FLAGS);
	}
}

static void append(struct store_writer *w, const struct profile *p)
{
	uint32_t written = w->frames;
	put_strings(w, p);
	put_frames(w, p);
	put_changed(w, p, written);
	put_nodes(w, p);
	put_threads(w, p);
	put_events(w, p);
	put_labels(w, p);
	put_marks(w, p);
	put_facts(w, p);
	put_unnamed(w, p);
	put_flags(w, p);
	put_samples(w, p);
	if (w->is_copy)
		put_reading(w, p);
	put_ledger(w, p);
	if (w->raw.n)
		put_block(w, STORE_BLOCK_DATA);
}

void store_writer_append(struct store_writer *w, const struct profile *p)
{
	append(w, p);
	writer_flush(w->out);
}

void store_writer_end(struct store_writer *w, const struct profile *p)
{
	append(w, p);
	buf_add_varint(&w->raw, w->samples);
	put_block(w, STORE_BLOCK_END);
}
