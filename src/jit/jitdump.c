#include "jit/jitdump_int.h"

enum {
	MAGIC = 0x4A695444, /* "JiTD" */
	VERSION = 1,
	HEADER_BYTES = 40,
	MAX_HEADER_BYTES = 64 << 10,
	PREFIX_BYTES = 16, /* of every record */
	OWN_CLOCK_FLAG = 1,
	/*
	 * V8 and others write line addresses as they will be after the ELF header in the file that
	 * `perf inject` makes (V8's perf-jit.cc), not as they are.
	 */
	ELF_HEADER_SHIFT = 0x40,
};

enum record_id {
	RECORD_CODE_LOAD = 0,
	RECORD_CODE_MOVE = 1,
	RECORD_DEBUG_INFO = 2,
	RECORD_UNWINDING = 4,
};

struct jit_move {
	uint64_t time_ns, from, to, size_bytes;
	uint32_t order;
};

struct dump_scan {
	struct reader *r;
	struct jitdump *j;
	struct budget *budget;
	bool is_swapped;
	uint64_t time_ns; /* of the current record */
	uint64_t left;	  /* bytes of it that are left */
	uint32_t order;
	VEC(struct jit_move) moves;
	struct index_map file_map;
	/* Lines come before their code. */
	bool has_lines;
	bool is_over; /* the budget is spent */
	uint64_t lines_address;
	struct jit_line_table pending;
	struct buf eh_frame; /* also comes before its code */
	uint64_t shifted_tables, plain_tables;
};

/* --- fields --- */

static bool has_window(struct reader *r, size_t n)
{
	while (reader_window(r).n < n && reader_fill(r))
		;
	return reader_window(r).n >= n;
}

/* The next n bytes of the record, valid until the next call; short if the record or the file has fewer. */
static struct cursor take(struct dump_scan *s, size_t n)
{
	if (s->left < n || !has_window(s->r, n))
		return (struct cursor){ .is_short = true };
	struct str bytes = str_first(reader_window(s->r), n);
	reader_consume(s->r, n);
	s->left -= n;
	return (struct cursor){ bytes.p, bytes.p + n, s->is_swapped, false };
}

/* Returns false if the file ends before the record. */
static bool skip(struct dump_scan *s, uint64_t n)
{
	s->left -= n;
	return reader_skip(s->r, n);
}

/* A NUL-terminated text, cut at the maximum length; returns false if there is no NUL. */
static bool take_text(struct dump_scan *s, struct buf *text)
{
	text->n = 0;
	for (;;) {
		if (!s->left || !has_window(s->r, 1))
			return false;
		struct str window = reader_window(s->r);
		window = str_first(window, s->left < window.n ? (size_t)s->left : window.n);
		ptrdiff_t end = str_find_char(window, 0);
		struct str part = str_first(window, end < 0 ? window.n : (size_t)end);
		buf_add(text, str_first(part, JITDUMP_MAX_NAME_BYTES - text->n));
		size_t n = part.n + (end >= 0);
		reader_consume(s->r, n);
		s->left -= n;
		if (end >= 0)
			return true;
	}
}

/* --- records --- */

/* Memory per code, line or name, including its share of the index. */
enum { BYTES_OF_CODE = 256, BYTES_OF_LINE = 16, BYTES_OF_UNWINDING = 64 };

static bool keep(struct dump_scan *s, uint64_t bytes)
{
	if (budget_hold(s->budget, bytes))
		return true;
	s->is_over = true;
	return false;
}

static bool are_lines_inside(const struct dump_scan *s, uint64_t code_bytes)
{
	uint32_t last = s->j->lines.p[s->pending.first + s->pending.n - 1].offset;
	return last <= ELF_HEADER_SHIFT || last - ELF_HEADER_SHIFT <= code_bytes;
}

/*
 * All trampolines of CPython are the same, and so is their .eh_frame, which is position-relative:
 * code of the same size shares it.
 */
static uint32_t unwinding_of(struct dump_scan *s, const struct jit_code *code)
{
	struct jitdump *j = s->j;
	struct str eh_frame = buf_str(&s->eh_frame);
	const struct jit_unwinding *last =
		j->unwindings.n ? &j->unwindings.p[j->unwindings.n - 1] : NULL;
	if (last && last->size_bytes == code->size_bytes && str_eq(last->eh_frame, eh_frame))
		return j->unwindings.n - 1;
	if (!eh_frame.n || !keep(s, BYTES_OF_UNWINDING + eh_frame.n))
		return INDEX_NONE;
	vec_push(&j->unwindings, (struct jit_unwinding){ arena_copy(&j->text, eh_frame),
							 code->start, code->size_bytes });
	return j->unwindings.n - 1;
}

static void read_load(struct dump_scan *s)
{
	AUTO(buf) struct buf name = { 0 };
	struct cursor c = take(s, 40); /* pid, tid, vma, address, size, index */
	if (c.is_short)
		return;
	cursor_take(&c, 16);
	uint64_t start = cursor_u64(&c), size_bytes = cursor_u64(&c);
	struct jit_code code = { .start = start,
				 .size_bytes = size_bytes,
				 .time_ns = s->time_ns,
				 .lines = INDEX_NONE,
				 .unwinding = INDEX_NONE,
				 .order = s->order++ };
	bool has_lines = s->has_lines && s->lines_address == code.start;
	s->has_lines = false;
	if (!take_text(s, &name) || !code.size_bytes || code.start + code.size_bytes < code.start ||
	    !keep(s, BYTES_OF_CODE + name.n))
		return;
	code.name = arena_copy(&s->j->text, buf_str(&name));
	if (s->eh_frame.n)
		code.unwinding = unwinding_of(s, &code);
	if (has_lines && are_lines_inside(s, code.size_bytes)) {
		code.lines = s->j->tables.n;
		vec_push(&s->j->tables, s->pending);
	}
	vec_push(&s->j->codes, code);
}

static void read_move(struct dump_scan *s)
{
	struct cursor c = take(s, 48); /* pid, tid, vma, old address, new address, size, index */
	struct jit_move move = { .time_ns = s->time_ns };
	if (c.is_short || !keep(s, BYTES_OF_CODE))
		return;
	cursor_take(&c, 16);
	move.from = cursor_u64(&c);
	move.to = cursor_u64(&c);
	move.size_bytes = cursor_u64(&c);
	move.order = s->order++;
	vec_push(&s->moves, move);
}

static bool is_file(const void *files, uint32_t i, const void *key)
{
	return str_eq(((const struct str *)files)[i], *(const struct str *)key);
}

static uint32_t file_id(struct dump_scan *s, struct str file)
{
	struct jitdump *j = s->j;
	uint32_t hash = hash_str(file);
	uint32_t id = index_map_find(&s->file_map, hash, is_file, j->files.p, &file);
	if (id == INDEX_NONE && keep(s, BYTES_OF_LINE + file.n)) {
		id = j->files.n;
		vec_push(&j->files, arena_copy(&j->text, file));
		index_map_add(&s->file_map, hash, id);
	}
	return id;
}

static int by_offset(const void *a, const void *b)
{
	const struct jit_line *x = a, *y = b;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static void end_table(struct dump_scan *s, uint32_t first, bool is_sorted)
{
	struct jit_line *lines = s->j->lines.p + first;
	uint32_t n = s->j->lines.n - first;
	s->has_lines = n > 0;
	s->pending = (struct jit_line_table){ first, n };
	if (!n)
		return;
	if (!is_sorted)
		qsort(lines, n, sizeof(*lines), by_offset);
	if (lines[0].offset < ELF_HEADER_SHIFT)
		s->plain_tables++;
	else
		s->shifted_tables++;
}

/* One line: address, line, column, file. Returns false if the table is damaged. */
static bool read_line(struct dump_scan *s, struct buf *name, struct jit_line *line)
{
	struct cursor c = take(s, 16);
	if (c.is_short)
		return false;
	uint64_t offset = cursor_u64(&c) - s->lines_address;
	line->offset = (uint32_t)offset;
	line->line = cursor_u32(&c);
	if (!take_text(s, name))
		return false;
	/* The name "\xff" stands for the previous one. */
	if (!str_eq(buf_str(name), STR("\xff")) || line->file == INDEX_NONE)
		line->file = file_id(s, buf_str(name));
	return offset <= UINT32_MAX && line->line <= INT32_MAX && line->file != INDEX_NONE;
}

/* Node 20 fills some tables with garbage: a table with an impossible line is dropped entirely. */
static void read_lines(struct dump_scan *s)
{
	AUTO(buf) struct buf name = { 0 };
	uint32_t first = s->j->lines.n;
	bool is_sorted = true;
	s->has_lines = false;
	struct cursor c = take(s, 16);
	if (c.is_short)
		return;
	s->lines_address = cursor_u64(&c);
	uint64_t count = cursor_u64(&c);
	struct jit_line line = { .file = INDEX_NONE };
	for (; count; count--) {
		uint32_t last_offset = line.offset;
		if (!keep(s, BYTES_OF_LINE) || !read_line(s, &name, &line)) {
			s->j->lines.n = first;
			return;
		}
		is_sorted &= line.offset >= last_offset;
		vec_push(&s->j->lines, line);
	}
	end_table(s, first, is_sorted);
}

/* Returns false if the record has fewer. */
static bool take_bytes(struct dump_scan *s, struct buf *bytes, size_t n)
{
	while (bytes->n < n) {
		if (!s->left || !has_window(s->r, 1))
			return false;
		struct str part = str_first(reader_window(s->r), n - bytes->n);
		part = str_first(part, s->left < part.n ? (size_t)s->left : part.n);
		buf_add(bytes, part);
		reader_consume(s->r, part.n);
		s->left -= part.n;
	}
	return true;
}

/* .eh_frame, then a search table, which is not needed. How much of both the process has mapped does not matter. */
static void read_unwinding(struct dump_scan *s)
{
	enum { MAX_EH_FRAME_BYTES = 1 << 20 };
	struct cursor c = take(s, 24); /* size of both, size of the table, size mapped */
	s->eh_frame.n = 0;
	if (c.is_short)
		return;
	uint64_t both = cursor_u64(&c), table = cursor_u64(&c);
	if (table > both || both > s->left || both - table > MAX_EH_FRAME_BYTES)
		return;
	if (!take_bytes(s, &s->eh_frame, (size_t)(both - table)))
		s->eh_frame.n = 0;
}

static bool say_damage(struct dump_scan *s, uint64_t offset, const char *what)
{
	if (!s->j->damage[0])
		snprintf(s->j->damage, sizeof(s->j->damage), "the record at byte %llu %s",
			 (unsigned long long)offset, what);
	return false;
}

/* Returns false if there is no next record. */
static bool read_record(struct dump_scan *s)
{
	uint64_t offset = reader_offset(s->r);
	s->left = PREFIX_BYTES;
	struct cursor c = take(s, PREFIX_BYTES);
	if (c.is_short)
		return reader_window(s->r).n ? say_damage(s, offset, "is truncated") : false;
	uint32_t id = cursor_u32(&c), size = cursor_u32(&c);
	if (size < PREFIX_BYTES)
		return say_damage(s, offset, "is smaller than its own header");
	s->time_ns = cursor_u64(&c);
	s->left = size - PREFIX_BYTES;
	if (id == RECORD_CODE_LOAD)
		read_load(s);
	else if (id == RECORD_CODE_MOVE)
		read_move(s);
	else if (id == RECORD_DEBUG_INFO)
		read_lines(s);
	else if (id == RECORD_UNWINDING)
		read_unwinding(s);
	if (id == RECORD_CODE_LOAD)
		s->eh_frame.n = 0;
	if (s->is_over)
		return say_damage(s, offset, "exceeds plume's limit for jitdumps");
	return skip(s, s->left) ? true : say_damage(s, offset, "is truncated");
}

static bool read_header(struct dump_scan *s, struct err *e)
{
	const char *name = reader_name(s->r);
	s->left = HEADER_BYTES;
	struct cursor c = take(s, HEADER_BYTES);
	if (c.is_short)
		return err_set(e, "%s: too short for a jitdump", name);
	uint32_t magic = cursor_u32(&c);
	c.is_swapped = s->is_swapped = magic == __builtin_bswap32(MAGIC);
	if (magic != MAGIC && !s->is_swapped)
		return err_set(e, "%s: not a jitdump", name);
	uint32_t version = cursor_u32(&c), bytes = cursor_u32(&c);
	if (version != VERSION)
		return err_set(e, "%s: jitdump version %u; plume knows only version %u", name,
			       version, VERSION);
	if (bytes < HEADER_BYTES || bytes > MAX_HEADER_BYTES)
		return err_set(e, "%s: a jitdump with a header of %u bytes", name, bytes);
	cursor_u64(&c); /* machine, padding */
	s->j->pid = (int32_t)cursor_u32(&c);
	cursor_u64(&c); /* time */
	s->j->has_own_clock = cursor_u64(&c) & OWN_CLOCK_FLAG;
	s->left = bytes - HEADER_BYTES;
	skip(s, s->left);
	return true;
}

/* --- order --- */

static int code_by_time(const void *a, const void *b)
{
	const struct jit_code *x = a, *y = b;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static int move_by_time(const void *a, const void *b)
{
	const struct jit_move *x = a, *y = b;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* The code that begins at an address, following the moves so far. */
struct jit_place {
	uint64_t start;
	uint32_t code;
};

struct jit_places {
	VEC(struct jit_place) list;
	struct index_map map;
};

static bool is_place(const void *places, uint32_t i, const void *key)
{
	return ((const struct jit_place *)places)[i].start == *(const uint64_t *)key;
}

static struct jit_place *find_place(struct jit_places *places, uint64_t start)
{
	uint32_t i = index_map_find(&places->map, hash_bytes(&start, sizeof(start)), is_place,
				    places->list.p, &start);
	return i == INDEX_NONE ? NULL : &places->list.p[i];
}

static void set_place(struct jit_places *places, uint64_t start, uint32_t code)
{
	struct jit_place *place = find_place(places, start);
	if (place) {
		place->code = code;
		return;
	}
	index_map_add(&places->map, hash_bytes(&start, sizeof(start)), places->list.n);
	vec_push(&places->list, (struct jit_place){ start, code });
}

/* Code that moves becomes a new code, at its new address from that time on. */
static void follow_moves(struct dump_scan *s)
{
	struct jitdump *j = s->j;
	struct jit_places places = { 0 };
	uint32_t loaded = 0, count = j->codes.n;
	qsort(s->moves.p, s->moves.n, sizeof(*s->moves.p), move_by_time);
	for (uint32_t i = 0; i < s->moves.n; i++) {
		const struct jit_move *move = &s->moves.p[i];
		for (; loaded < count; loaded++) {
			const struct jit_code *code = &j->codes.p[loaded];
			if (code->time_ns > move->time_ns ||
			    (code->time_ns == move->time_ns && code->order > move->order))
				break;
			set_place(&places, code->start, loaded);
		}
		struct jit_place *place = find_place(&places, move->from);
		if (!place || move->to + move->size_bytes < move->to || !move->size_bytes)
			continue;
		struct jit_code moved = j->codes.p[place->code];
		moved.start = move->to;
		moved.size_bytes = move->size_bytes;
		moved.time_ns = move->time_ns;
		moved.order = move->order;
		set_place(&places, move->to, j->codes.n);
		vec_push(&j->codes, moved);
	}
	vec_fini(&places.list);
	index_map_fini(&places.map);
}

static void sort_codes(struct jitdump *j)
{
	if (j->codes.n)
		qsort(j->codes.p, j->codes.n, sizeof(*j->codes.p), code_by_time);
}

static void finish(struct dump_scan *s)
{
	struct jitdump *j = s->j;
	if (!j->damage[0] && reader_damage(s->r))
		snprintf(j->damage, sizeof(j->damage), "%s", reader_damage(s->r));
	j->line_shift = s->shifted_tables > s->plain_tables ? ELF_HEADER_SHIFT : 0;
	sort_codes(j);
	if (s->moves.n) {
		follow_moves(s);
		sort_codes(j);
	}
	jit_index_init(&j->index, j->codes.p, j->codes.n);
}

/* --- the file --- */

struct jitdump *jitdump_read(struct reader *r, struct budget *budget, struct err *e)
{
	struct dump_scan s = { .r = r, .j = mem_zalloc(1, sizeof(*s.j)), .budget = budget };
	struct jitdump *j = s.j;
	if (read_header(&s, e)) {
		while (read_record(&s))
			;
		finish(&s);
	} else {
		jitdump_free(j);
		j = NULL;
	}
	vec_fini(&s.moves);
	buf_fini(&s.eh_frame);
	index_map_fini(&s.file_map);
	return j;
}

void jitdump_free(struct jitdump *j)
{
	if (!j)
		return;
	vec_fini(&j->codes);
	vec_fini(&j->tables);
	vec_fini(&j->lines);
	vec_fini(&j->unwindings);
	vec_fini(&j->files);
	jit_index_fini(&j->index);
	arena_fini(&j->text);
	free(j);
}

const char *jitdump_damage(const struct jitdump *j)
{
	return j->damage[0] ? j->damage : NULL;
}

uint32_t jitdump_find(const struct jitdump *j, uint64_t address, uint64_t time_ns)
{
	return jit_index_find(&j->index, j->codes.p, address,
			      j->has_own_clock ? UINT64_MAX : time_ns);
}

struct str jitdump_name(const struct jitdump *j, uint32_t code)
{
	return j->codes.p[code].name;
}

uint64_t jitdump_start(const struct jitdump *j, uint32_t code)
{
	return j->codes.p[code].start;
}

bool jitdump_line(const struct jitdump *j, uint32_t code, uint64_t address, struct str *file,
		  uint32_t *line)
{
	const struct jit_code *c = &j->codes.p[code];
	if (c->lines == INDEX_NONE || address < c->start || address - c->start >= c->size_bytes)
		return false;
	const struct jit_line_table *table = &j->tables.p[c->lines];
	const struct jit_line *lines = j->lines.p + table->first;
	uint64_t offset = address - c->start + j->line_shift;
	uint32_t low = 0, high = table->n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (lines[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !lines[low - 1].line)
		return false;
	*file = j->files.p[lines[low - 1].file];
	*line = lines[low - 1].line;
	return true;
}

bool jitdump_unwinding(const struct jitdump *j, uint32_t code, struct jitdump_unwinding *out)
{
	enum { ALIGNMENT = 8 };
	uint32_t id = j->codes.p[code].unwinding;
	if (id == INDEX_NONE)
		return false;
	const struct jit_unwinding *u = &j->unwindings.p[id];
	uint64_t end = u->start + u->size_bytes;
	*out = (struct jitdump_unwinding){ .id = id,
					   .eh_frame = u->eh_frame,
					   .address = end + (-end & (ALIGNMENT - 1)),
					   .start = u->start,
					   .size_bytes = u->size_bytes,
					   .bias = j->codes.p[code].start - u->start };
	return true;
}

uint32_t jitdump_unwinding_count(const struct jitdump *j)
{
	return j->unwindings.n;
}

int32_t jitdump_pid(const struct jitdump *j)
{
	return j->pid;
}

uint32_t jitdump_count(const struct jitdump *j)
{
	return j->codes.n;
}

/* Removes `123-` from the start of s. */
static bool take_number(struct str *s)
{
	size_t n = 0;
	while (n < s->n && is_digit(s->p[n]))
		n++;
	bool is_there = n && n < s->n && s->p[n] == '-';
	*s = str_from_byte(*s, is_there ? n + 1 : 0);
	return is_there;
}

bool jitdump_has_name(struct str path)
{
	enum { RANDOM_BYTES = 6 }; /* as in mkstemp(3) */
	struct str name = str_basename(path), prefix = STR("jit-");
	if (!str_starts(name, prefix))
		return false;
	struct str rest = str_from_byte(name, prefix.n);
	if (str_ends(rest, STR(".dump")))
		return true;
	bool has_pid = take_number(&rest), has_time = take_number(&rest);
	return has_pid && has_time && rest.n == RANDOM_BYTES;
}
