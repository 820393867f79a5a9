/*
 * perf.data in its three forms: a file, with tables before and after the records; a pipe, where everything is a
 * record; and a directory, with one file per thread of perf record. See doc/formats/perf-data.md.
 */
#include "perf/perf_int.h"

#include <stdarg.h>
#include <zstd.h>
#include <unistd.h>

enum {
	PIPE_HEADER_BYTES = 16,
	FILE_HEADER_BYTES = 104,
	FEATURE_WORDS = 4,
	SECTION_BYTES = 16,
	MAX_EVENTS = 1 << 16,
	MAX_DIRECTORY_FILES = 1 << 12,
	UNPACK_STEP_BYTES = 1 << 20,
	STEP_BYTES = 8 << 20, /* between two calls of progress */
};
#define MAX_FILE_BYTES ((size_t)16 << 30) /* for the file form when compressed */

struct section {
	uint64_t offset, size_bytes;
};

struct file_header {
	uint64_t attr_bytes;
	struct section attrs, data;
	uint64_t features[FEATURE_WORDS];
};

/* The input and the state of reading it. */
struct data_input {
	struct perf_session *s;
	struct reader *r;
	struct buf *damage;
	uint64_t *damage_offset;
	uint64_t to_skip; /* rest of the last record's payload, which is not records */
	/* Of a directory: files whose rounds say nothing about the other files. */
	bool is_directory;
	VEC(struct reader *) files;
	ZSTD_DStream *unpacker;
	struct buf plain; /* decompressed, up to an incomplete record */
	uint64_t packed_bytes, plain_bytes;
	bool is_stopped; /* what follows cannot be parsed, or is not wanted */
	uint64_t next_progress;
};

bool perf_is_data(struct str head)
{
	return str_starts(head, STR("PERFILE2")) || str_starts(head, STR("2ELIFREP")) ||
	       str_starts(head, STR("PERFFILE")) || str_starts(head, STR("ELIFFREP"));
}

static bool is_swapped_data(struct str head)
{
	return str_starts(head, STR("2ELIFREP")) || str_starts(head, STR("ELIFFREP"));
}

static void note_damage(struct data_input *in, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void note_damage(struct data_input *in, uint64_t offset, const char *format, ...)
{
	in->is_stopped = true;
	if (in->damage->n)
		return;
	char text[256];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	buf_add(in->damage, str_from(text));
	*in->damage_offset = offset;
}

/* --- records --- */

static size_t feed(struct data_input *in, struct str bytes, uint64_t offset);

/* Decompresses records, which may be split anywhere: one stream for the whole recording. */
static void unpack(struct data_input *in, struct str packed, uint64_t offset)
{
	enum { MAX_RATIO = 2000, SMALL_BYTES = 64 << 20 };
	ZSTD_inBuffer from = { packed.p, packed.n, 0 };
	if (!in->unpacker) {
		in->unpacker = ZSTD_createDStream();
		ZSTD_initDStream(in->unpacker);
	}
	in->s->order.keeps_bytes = false;
	in->packed_bytes += packed.n;
	bool is_full = false;
	while ((from.pos < from.size || is_full) && !in->is_stopped) {
		char *room = buf_reserve(&in->plain, UNPACK_STEP_BYTES);
		ZSTD_outBuffer to = { room, UNPACK_STEP_BYTES, 0 };
		size_t result = ZSTD_decompressStream(in->unpacker, &to, &from);
		in->plain.n += to.pos;
		in->plain_bytes += to.pos;
		is_full = to.pos == to.size;
		if (ZSTD_isError(result)) {
			note_damage(in, offset, "compressed records cannot be decompressed: %s",
				    ZSTD_getErrorName(result));
		} else if (in->plain_bytes / MAX_RATIO >
			   in->packed_bytes + SMALL_BYTES / MAX_RATIO) {
			note_damage(in, offset, "compressed records expand to an implausible size");
		}
		size_t done = feed(in, buf_str(&in->plain), offset);
		memmove(in->plain.p, in->plain.p + done, in->plain.n - done);
		in->plain.n -= done;
	}
}

static struct cursor body_of(const struct data_input *in, const struct perf_record *r)
{
	return (struct cursor){ r->bytes + RECORD_HEADER_BYTES, r->bytes + r->size,
				in->s->events.is_swapped, false };
}

static void on_attr(struct data_input *in, const struct perf_record *r)
{
	struct perf_event event;
	struct cursor c = body_of(in, r), size = c;
	cursor_u32(&size);
	if (in->s->events.list.n == MAX_EVENTS || !perf_event_read(&event, &c, cursor_u32(&size))) {
		note_damage(in, r->offset, "an event's attributes cannot be parsed");
		return;
	}
	vec_push(&in->s->events.list, event);
	while (cursor_left(&c) >= 8)
		perf_events_add_id(&in->s->events, cursor_u64(&c), in->s->events.list.n - 1);
}

static void on_event_update(struct data_input *in, const struct perf_record *r)
{
	enum { UPDATE_NAME = 2 };
	struct cursor c = body_of(in, r);
	uint64_t what = cursor_u64(&c), id = cursor_u64(&c);
	struct perf_event *event = perf_events_find(&in->s->events, id);
	if (what == UPDATE_NAME && event && !c.is_short)
		perf_event_set_name(event, cursor_text(&c));
}

static void on_feature(struct data_input *in, const struct perf_record *r)
{
	struct cursor c = body_of(in, r);
	uint64_t feature = cursor_u64(&c);
	if (feature < FEATURE_WORDS * 64)
		perf_feature_read(in->s, (unsigned)feature, c);
}

/* Skips the payload of a record, whose size does not include it. */
static void skip_behind(struct data_input *in, const struct perf_record *r, bool has_long_size)
{
	struct cursor c = body_of(in, r);
	uint64_t n = has_long_size ? cursor_u64(&c) : ((uint64_t)cursor_u32(&c) + 7) & ~7ull;
	in->to_skip = n;
	in->s->aux_records += has_long_size;
}

static void on_record(struct data_input *in, const struct perf_record *r)
{
	struct str rest = { r->bytes + RECORD_HEADER_BYTES, r->size - RECORD_HEADER_BYTES };
	struct cursor c = body_of(in, r);
	switch (r->type) {
	case RECORD_HEADER_ATTR:
		on_attr(in, r);
		break;
	case RECORD_TRACING_DATA:
		skip_behind(in, r, false);
		break;
	case RECORD_AUXTRACE:
		skip_behind(in, r, true);
		break;
	case RECORD_BUILD_ID:
		perf_build_id_read(in->s, c, r->misc);
		break;
	case RECORD_FINISHED_ROUND:
		if (!in->is_directory)
			perf_order_end_round(&in->s->order);
		break;
	case RECORD_EVENT_UPDATE:
		on_event_update(in, r);
		break;
	case RECORD_HEADER_FEATURE:
		on_feature(in, r);
		break;
	case RECORD_COMPRESSED:
		unpack(in, rest, r->offset);
		break;
	case RECORD_COMPRESSED2:
		unpack(in, str_first(str_from_byte(rest, 8), cursor_u64(&c)), r->offset);
		break;
	default:
		if (r->type < RECORD_HEADER_ATTR)
			perf_session_queue(in->s, r);
		break; /* others say nothing about samples */
	}
}

static size_t skip(struct data_input *in, size_t n)
{
	size_t skipped = in->to_skip < n ? (size_t)in->to_skip : n;
	in->to_skip -= skipped;
	return skipped;
}

static bool is_packed(uint32_t type)
{
	return type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2;
}

/* Takes complete records from bytes and returns their size. */
static size_t feed(struct data_input *in, struct str bytes, uint64_t offset)
{
	bool is_plain = bytes.p == in->plain.p;
	size_t at = 0;
	while (!in->is_stopped) {
		at += skip(in, bytes.n - at);
		if (bytes.n - at < RECORD_HEADER_BYTES)
			break;
		struct perf_record r = perf_record_at(bytes.p + at, offset + (is_plain ? 0 : at),
						      in->s->events.is_swapped);
		if (r.size < RECORD_HEADER_BYTES || (is_plain && is_packed(r.type))) {
			note_damage(in, r.offset, "a record of type %u claims a size of %u bytes",
				    r.type, r.size);
			break;
		}
		if (r.size > bytes.n - at)
			break;
		at += r.size;
		on_record(in, &r);
	}
	return at;
}

static bool wants_more(struct data_input *in, uint64_t offset)
{
	const struct perf_options *o = &in->s->options;
	if (!o->progress || offset < in->next_progress)
		return true;
	in->next_progress = offset + STEP_BYTES;
	return o->progress(o->progress_context, in->s->p);
}

/* Takes all of bytes, in steps, to report progress. */
static size_t feed_whole(struct data_input *in, struct str bytes, uint64_t offset)
{
	size_t at = 0, done = 1;
	while (done && !in->is_stopped) {
		done = feed(in, str_first(str_from_byte(bytes, at), STEP_BYTES), offset + at);
		at += done;
		reader_let_go(in->r, bytes.p + at);
		if (!wants_more(in, offset + at))
			in->is_stopped = true;
	}
	return at;
}

/* --- the file form --- */

static struct section read_section(struct cursor *c)
{
	uint64_t offset = cursor_u64(c);
	return (struct section){ offset, cursor_u64(c) };
}

static bool section_bytes(struct str file, struct section section, struct str *bytes)
{
	if (section.offset > file.n || section.size_bytes > file.n - section.offset)
		return false;
	*bytes = (struct str){ file.p + section.offset, section.size_bytes };
	return true;
}

static struct cursor cursor_of(const struct data_input *in, struct str bytes)
{
	return (struct cursor){ bytes.p, bytes.p + bytes.n, in->s->events.is_swapped, false };
}

static void read_ids(struct data_input *in, struct str file, struct section section, uint32_t event)
{
	struct str bytes;
	if (!section_bytes(file, section, &bytes)) {
		perf_session_bad_record(in->s, section.offset,
					"the ids of event %u lie outside the file", event);
		return;
	}
	struct cursor c = cursor_of(in, bytes);
	while (cursor_left(&c) >= 8)
		perf_events_add_id(&in->s->events, cursor_u64(&c), event);
}

static bool read_attrs(struct data_input *in, struct str file, const struct file_header *h)
{
	struct str bytes;
	struct perf_event event;
	if (!section_bytes(file, h->attrs, &bytes) || h->attr_bytes <= SECTION_BYTES) {
		note_damage(in, h->attrs.offset, "the event attributes lie outside the file");
		return false;
	}
	struct cursor c = cursor_of(in, bytes);
	while (cursor_left(&c) >= h->attr_bytes && in->s->events.list.n < MAX_EVENTS) {
		if (!perf_event_read(&event, &c, h->attr_bytes - SECTION_BYTES)) {
			note_damage(in, h->attrs.offset,
				    "an event's attributes have only %llu bytes",
				    (unsigned long long)h->attr_bytes);
			return false;
		}
		vec_push(&in->s->events.list, event);
		read_ids(in, file, read_section(&c), in->s->events.list.n - 1);
	}
	if (!in->s->events.list.n)
		note_damage(in, h->attrs.offset, "the file describes no events");
	return in->s->events.list.n > 0;
}

/* The table of feature sections after the records, one per feature. */
static void read_features(struct data_input *in, struct str file, const struct file_header *h)
{
	struct section table = { h->data.offset + h->data.size_bytes, 0 };
	struct str bytes;
	if (table.offset < h->data.offset || table.offset > file.n)
		return;
	struct cursor c = cursor_of(in, str_from_byte(file, table.offset));
	for (unsigned i = 0; i < FEATURE_WORDS * 64; i++) {
		if (!(h->features[i / 64] >> i % 64 & 1))
			continue;
		struct section section = read_section(&c);
		if (c.is_short) {
			note_damage(in, file.n, "the file ends inside its feature table");
			return;
		}
		if (section_bytes(file, section, &bytes))
			perf_feature_read(in->s, i, cursor_of(in, bytes));
		else
			perf_session_bad_record(in->s, section.offset,
						"feature %u lies outside the file", i);
	}
}

static bool read_header(struct data_input *in, struct str file, struct file_header *h)
{
	struct cursor c = cursor_of(in, file);
	cursor_u64(&c); /* magic */
	cursor_u64(&c); /* size */
	h->attr_bytes = cursor_u64(&c);
	h->attrs = read_section(&c);
	h->data = read_section(&c);
	read_section(&c); /* event types, obsolete */
	for (unsigned i = 0; i < FEATURE_WORDS; i++)
		h->features[i] = cursor_u64(&c);
	if (c.is_short)
		note_damage(in, file.n, "the file ends inside its header");
	return !c.is_short;
}

/* perf writes the size of the records last: it is 0 if perf was killed or is still writing. */
static struct str data_of(struct data_input *in, struct str file, const struct file_header *h)
{
	struct str data = str_from_byte(file, h->data.offset);
	if (h->data.offset > file.n)
		note_damage(in, h->data.offset, "the data section lies outside the file");
	else if (h->data.size_bytes > data.n)
		return data; /* reported at the end of the data */
	else if (h->data.size_bytes)
		data.n = h->data.size_bytes;
	return data;
}

static void read_file(struct data_input *in, struct str file)
{
	struct file_header h;
	in->s->order.keeps_bytes = true;
	if (!read_header(in, file, &h) || !read_attrs(in, file, &h))
		return;
	struct str data = data_of(in, file, &h);
	bool is_unfinished = h.data.size_bytes == 0;
	bool is_cut = h.data.size_bytes > data.n;
	if (!is_unfinished && !is_cut && !in->is_stopped)
		read_features(in, file, &h);
	in->is_stopped = false; /* records can be read without features */
	in->s->is_unfinished = is_unfinished;
	if (is_unfinished) /* machine not recorded; most files are read where they were made */
		in->s->options.names.is_of_this_machine = true;
	size_t done = feed_whole(in, data, h.data.offset);
	if (is_unfinished && !in->is_stopped)
		profile_add_note(in->s->p, STR("perf record was killed or is still running: the "
					       "file has no event names, host or build ids; plume "
					       "assumes that it was recorded on this machine"));
	if (done < data.n || is_cut)
		note_damage(in, h.data.offset + done,
			    is_cut ? "the file ends inside its data section"
				   : "the data section ends inside a record");
}

/* --- the pipe form --- */

static void read_pipe(struct data_input *in)
{
	struct reader *r = in->r;
	in->s->order.keeps_bytes = reader_is_whole(r);
	reader_consume(r, PIPE_HEADER_BYTES);
	do
		reader_consume(r, feed_whole(in, reader_window(r), reader_offset(r)));
	while (!in->is_stopped && reader_fill(r));
	size_t left = reader_window(r).n;
	if (!in->is_stopped && (left || in->to_skip))
		note_damage(in, reader_offset(r) + left, "the file ends inside a record");
}

/* --- the directory form --- */

/*
 * Reads one file. It stays mapped until all are read, as the records of perf record's threads are
 * sorted together at the end.
 */
static bool read_directory_file(struct data_input *in, const char *path)
{
	struct err e = { 0 };
	struct reader *r = reader_open(path, &e);
	if (!r)
		return false;
	vec_push(&in->files, r);
	if (!reader_fill_all(r, MAX_FILE_BYTES))
		note_damage(in, 0, "%s is too large", path);
	struct str bytes = reader_window(r);
	in->is_stopped = false;
	in->plain.n = 0;
	if (in->unpacker) /* each file is a separate stream */
		ZSTD_initDStream(in->unpacker);
	size_t done = feed(in, bytes, 0);
	if (!in->is_stopped && done < bytes.n)
		note_damage(in, done, "%s ends inside a record", path);
	return true;
}

static void read_directory(struct data_input *in, const char *directory)
{
	AUTO(buf) struct buf path = { 0 };
	for (unsigned i = 0; i < MAX_DIRECTORY_FILES; i++) {
		path.n = 0;
		buf_addf(&path, "%s/data.%u", directory, i);
		if (!read_directory_file(in, buf_c_string(&path)))
			return;
	}
}

static void data_input_fini(struct data_input *in)
{
	for (uint32_t i = 0; i < in->files.n; i++)
		reader_free(in->files.p[i]);
	vec_fini(&in->files);
	ZSTD_freeDStream(in->unpacker);
	buf_fini(&in->plain);
}

void perf_read(struct reader *r, const char *directory, const struct perf_options *options,
	       struct profile *p, struct buf *damage, uint64_t *offset)
{
	struct perf_session s;
	struct data_input in = { .s = &s,
				 .r = r,
				 .damage = damage,
				 .damage_offset = offset,
				 .is_directory = directory != NULL };
	perf_session_init(&s, options, p);
	if (!options->names.budgets)
		s.options.names.budgets = budgets_new(true, geteuid());
	s.options.names.recorded_until_unix_ns = reader_changed_unix_ns(r);
	while (reader_window(r).n < FILE_HEADER_BYTES && reader_fill(r))
		;
	struct str head = reader_window(r);
	s.events.is_swapped = is_swapped_data(head);
	struct cursor c = cursor_of(&in, str_from_byte(str_first(head, PIPE_HEADER_BYTES), 8));
	uint64_t header_bytes = cursor_u64(&c);
	if (c.is_short)
		note_damage(&in, head.n, "the file ends inside its header");
	else if (header_bytes == PIPE_HEADER_BYTES)
		read_pipe(&in);
	else if (reader_fill_all(r, MAX_FILE_BYTES))
		read_file(&in, reader_window(r));
	else
		note_damage(&in, 0,
			    "the file is too large to read compressed; decompress it first");
	if (directory)
		read_directory(&in, directory);
	perf_session_end(&s);
	perf_session_fini(&s);
	if (!options->names.budgets)
		budgets_free(s.options.names.budgets);
	data_input_fini(&in);
}
