/* What .gopclntab says about a function's instructions: frame sizes, files, lines, inlined functions. */
#include "debug_info/go_int.h"

enum {
	WORK_OF_ADDRESS = 1 << 12,
	PCDATA_INLINE_TREE = 2,
	FUNCDATA_INLINE_TREE = 3,
	NO_PCDATA = 0,
	NO_FILE = -1,
};

/* --- function records --- */

/* After the start: name, bytes of arguments, deferreturn, frame sizes, files, lines, number of pcdata. */
enum {
	RECORD_NAME = 0,
	RECORD_FRAME_SIZES = 12,
	RECORD_FILES = 16,
	RECORD_LINES = 20,
	RECORD_PCDATA_COUNT = 24,
	RECORD_UNIT = 28,	/* since 1.16 */
	RECORD_START_LINE = 32, /* since 1.20 */
};

static uint64_t fields_at(const struct go_table *t, const struct go_function *f)
{
	return f->record + (t->version >= GO_1_18 ? 4 : t->pointer_bytes);
}

bool go_field(const struct go_table *t, const struct go_function *f, enum go_field field,
	      uint32_t *value)
{
	static const struct {
		uint8_t at, since;
	} places[] = {
		[GO_NAME] = { RECORD_NAME, GO_1_2 },
		[GO_FRAME_SIZES] = { RECORD_FRAME_SIZES, GO_1_2 },
		[GO_FILES] = { RECORD_FILES, GO_1_2 },
		[GO_LINES] = { RECORD_LINES, GO_1_2 },
		[GO_UNIT] = { RECORD_UNIT, GO_1_16 },
		[GO_START_LINE] = { RECORD_START_LINE, GO_1_20 },
	};
	uint64_t wide = 0;
	bool is_there = t->version >= places[field].since && f->record <= t->functions.n &&
			go_read(t->functions, fields_at(t, f) + places[field].at, 4, &wide);
	*value = (uint32_t)wide;
	return is_there;
}

/*
 * After the fields: a word with flags in its second byte and the number of funcdata in its last,
 * then pcdata and funcdata.
 */
static uint64_t counts_at(const struct go_table *t, const struct go_function *f)
{
	unsigned at = t->version >= GO_1_20   ? RECORD_START_LINE + 4
		      : t->version >= GO_1_16 ? RECORD_UNIT + 4
					      : RECORD_UNIT;
	return fields_at(t, f) + at;
}

uint8_t go_flags(const struct go_table *t, const struct go_function *f)
{
	enum { FLAGS_AT = 1 };
	uint64_t flags;
	bool is_there = t->version >= GO_1_16 && f->record <= t->functions.n &&
			go_read(t->functions, counts_at(t, f) + FLAGS_AT, 1, &flags);
	return is_there ? (uint8_t)flags : 0;
}

bool go_pcdata(const struct go_table *t, const struct go_function *f, uint32_t i, uint32_t *at)
{
	uint64_t count, wide;
	if (f->record > t->functions.n ||
	    !go_read(t->functions, fields_at(t, f) + RECORD_PCDATA_COUNT, 4, &count) ||
	    i >= count || !go_read(t->functions, counts_at(t, f) + 4 + 4 * (uint64_t)i, 4, &wide))
		return false;
	*at = (uint32_t)wide;
	return wide != NO_PCDATA;
}

/* Up to 1.17 aligned pointers; since then offsets, ~0 if there is none. */
bool go_funcdata(const struct go_table *t, const struct go_function *f, uint32_t i,
		 uint64_t *address)
{
	uint64_t pcdata, count, value;
	if (t->version < GO_1_16 || f->record > t->functions.n ||
	    !go_read(t->functions, fields_at(t, f) + RECORD_PCDATA_COUNT, 4, &pcdata) ||
	    !go_read(t->functions, counts_at(t, f) + 3, 1, &count) || i >= count)
		return false;
	uint64_t at = counts_at(t, f) + 4 + 4 * pcdata;
	if (t->version >= GO_1_18) {
		bool is_there = go_read(t->functions, at + 4 * (uint64_t)i, 4, &value);
		*address = t->funcdata + value;
		return is_there && value != UINT32_MAX;
	}
	uint64_t base = t->address + (uint64_t)(t->functions.p - t->bytes.p);
	at += (base + at) % t->pointer_bytes ? 4 : 0;
	bool is_there = go_read(t->functions, at + (uint64_t)t->pointer_bytes * i, t->pointer_bytes,
				&value);
	*address = value;
	return is_there && value;
}

/* --- value tables --- */

bool go_values_begin(struct go_table *t, const struct go_function *f, uint32_t at,
		     struct go_values *v)
{
	*v = (struct go_values){ .table = t,
				 .rows = cursor_at(t->values, at),
				 .start = f->start,
				 .end = f->start,
				 .function_end = f->end,
				 .value = -1 };
	return at && at < t->values.n;
}

/*
 * The change in value, zigzag-encoded, and how long the value holds; a change of 0, except at the
 * start, ends the table.
 */
bool go_values_next(struct go_values *v)
{
	bool is_first = v->end == v->start && v->value == -1;
	if (!v->table->work_left || v->end >= v->function_end)
		return false;
	v->table->work_left--;
	uint32_t change = (uint32_t)cursor_uleb(&v->rows), length = (uint32_t)cursor_uleb(&v->rows);
	if (v->rows.is_short || (!change && !is_first))
		return false;
	v->value = (int32_t)((uint32_t)v->value + (uint32_t)unzigzag(change));
	v->start = v->end;
	v->end += (uint64_t)length * v->table->quantum;
	if (v->end > v->function_end)
		v->end = v->function_end;
	return true;
}

bool go_frame_sizes(struct go_table *t, const struct go_function *f, struct go_values *v)
{
	uint32_t at;
	return go_field(t, f, GO_FRAME_SIZES, &at) && go_values_begin(t, f, at, v);
}

bool go_value_at(struct go_table *t, const struct go_function *f, uint32_t at, uint64_t address,
		 int32_t *value)
{
	struct go_values v;
	if (!go_values_begin(t, f, at, &v))
		return false;
	while (go_values_next(&v))
		if (address < v.end) {
			*value = v.value;
			return true;
		}
	return false;
}

/* --- lines --- */

/* Since 1.16 file numbers are relative to the function's compilation unit. */
static struct str file_name(const struct go_table *t, const struct go_function *f, int32_t file)
{
	uint32_t unit = 0;
	uint64_t at;
	if (file == NO_FILE)
		return STR("");
	if (t->version == GO_1_2)
		return elf_text_at(t->bytes, go_number(t->files, 4 * (uint64_t)(uint32_t)file, 4));
	if (!go_field(t, f, GO_UNIT, &unit) ||
	    !go_read(t->units, 4 * ((uint64_t)unit + (uint32_t)file), 4, &at) || at == UINT32_MAX)
		return STR("");
	return elf_text_at(t->files, at);
}

static void set_place(struct go_table *t, const struct go_function *f, uint64_t address,
		      struct debug_frame *frame)
{
	uint32_t files, lines;
	int32_t file, line;
	if (!go_field(t, f, GO_FILES, &files) || !go_field(t, f, GO_LINES, &lines) ||
	    !go_value_at(t, f, files, address, &file) ||
	    !go_value_at(t, f, lines, address, &line) || line < 0)
		return;
	frame->file = file_name(t, f, file);
	frame->line = frame->file.n ? (uint32_t)line : 0;
}

/* Up to 1.19 only a function's first instruction tells where it is declared. */
static uint32_t start_line(struct go_table *t, const struct go_function *f)
{
	uint32_t line;
	struct debug_frame first = { 0 };
	if (go_field(t, f, GO_START_LINE, &line))
		return line <= INT32_MAX ? line : 0;
	set_place(t, f, f->start, &first);
	return first.line;
}

/* --- inlined functions --- */

struct inlined_call {
	uint32_t name, start_line;
	uint64_t call; /* an instruction at the call site */
};

/* Up to 1.19: parent, 2 unused bytes, file, line, name, call; since then: 4 bytes, name, call, first line. */
static bool read_call(const struct go_table *t, const struct go_function *f, int32_t index,
		      struct inlined_call *call)
{
	bool is_new = t->version >= GO_1_20;
	unsigned entry = is_new ? 16 : 20, name_at = is_new ? 4 : 12;
	uint64_t tree, name, distance;
	if (index < 0 || !go_funcdata(t, f, FUNCDATA_INLINE_TREE, &tree))
		return false;
	struct str bytes = go_bytes_at(t->elf, tree);
	uint64_t at = (uint64_t)(uint32_t)index * entry;
	if (!go_read(bytes, at + name_at, 4, &name) ||
	    !go_read(bytes, at + name_at + 4, 4, &distance) || distance >= f->end - f->start)
		return false;
	*call = (struct inlined_call){
		.name = (uint32_t)name,
		.start_line = is_new ? (uint32_t)go_number(bytes, at + 12, 4) : 0,
		.call = f->start + distance,
	};
	return true;
}

/* Innermost first. The number is bounded, so a cyclic tree ends too. */
static uint32_t find_calls(struct go_table *t, const struct go_function *f, uint64_t address,
			   struct inlined_call *calls)
{
	uint32_t tree, n = 0;
	int32_t index;
	if (!t->has_inlines || !go_pcdata(t, f, PCDATA_INLINE_TREE, &tree))
		return 0;
	while (n < DEBUG_MAX_INLINES && go_value_at(t, f, tree, address, &index) &&
	       read_call(t, f, index, &calls[n]))
		address = calls[n++].call;
	return n;
}

uint32_t go_table_lines(struct go_table *t, uint64_t address, struct debug_frame *frames)
{
	struct inlined_call calls[DEBUG_MAX_INLINES];
	struct go_function f;
	if (!t->work_left || !go_table_find(t, address, &f))
		return 0;
	t->work_left += WORK_OF_ADDRESS;
	uint32_t n = find_calls(t, &f, address, calls);
	memset(frames, 0, (n + 1) * sizeof(*frames));
	frames[0].name = elf_text_at(t->names, f.name);
	frames[0].declared_line = start_line(t, &f);
	for (uint32_t i = 0; i < n; i++) {
		const struct inlined_call *call = &calls[n - 1 - i];
		frames[i + 1].name = elf_text_at(t->names, call->name);
		frames[i + 1].declared_line = call->start_line;
		set_place(t, &f, call->call, &frames[i]);
	}
	set_place(t, &f, address, &frames[n]);
	return t->work_left ? n + 1 : 0;
}
