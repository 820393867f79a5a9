/*
 * The tables of a pprof file: texts, mappings, functions, locations. They come in any order, Go writes
 * the texts last, so what points where is looked at when the file has ended.
 */
#include "source/pprof_int.h"
#include "name/name.h"

/* A record of two bytes may take forty in memory: what no profile has so many of is not kept. */
enum { MAX_TEXTS = 1 << 26, MAX_RECORDS = 1 << 24, MAX_MODULES = 1 << 14 };

void pprof_ids_fini(struct pprof_ids *t)
{
	vec_fini(&t->ids);
	index_map_fini(&t->map);
}

static uint32_t hash_id(uint64_t id)
{
	return hash_pair((uint32_t)(id >> 32), (uint32_t)id);
}

static bool id_equal(const void *ids, uint32_t i, const void *key)
{
	return ((const uint64_t *)ids)[i] == *(const uint64_t *)key;
}

uint32_t pprof_ids_find_other(const struct pprof_ids *t, uint64_t id)
{
	return index_map_find(&t->map, hash_id(id), id_equal, t->ids.p, &id);
}

/* Returns how many ids are there twice: the first one counts. */
static uint32_t ids_end(struct pprof_ids *t)
{
	uint32_t i = 0, twice = 0;
	while (i < t->ids.n && t->ids.p[i] == i + 1)
		i++;
	if (i == t->ids.n)
		return 0;
	for (i = 0; i < t->ids.n; i++) {
		if (pprof_ids_find_other(t, t->ids.p[i]) == INDEX_NONE)
			index_map_add(&t->map, hash_id(t->ids.p[i]), i);
		else
			twice++;
	}
	return twice;
}

/* --- taking records --- */

static bool has_room(struct pprof_tables *t, uint32_t n, uint32_t limit, const char *what,
		     uint64_t offset)
{
	if (t->options->max_rows && t->options->max_rows < limit)
		limit = t->options->max_rows;
	if (n < limit)
		return true;
	if (!t->too_many.n) {
		buf_addf(&t->too_many, "more than ");
		buf_add_grouped(&t->too_many, limit);
		buf_addf(&t->too_many, " %s", what);
		buf_add_char(&t->too_many, '\0');
		t->too_many_offset = offset;
	}
	return false;
}

static bool check_inside(struct pprof_tables *t, const struct protobuf *m, const char *what)
{
	if (m->fault)
		source_bad_record(t->p, protobuf_offset(m), "a %s has %s", what, m->fault);
	return !m->fault;
}

static bool check_id(struct pprof_tables *t, uint64_t id, uint64_t offset, const char *what)
{
	if (!id)
		source_bad_record(t->p, offset, "a %s has no id", what);
	return id != 0;
}

static void add_text(struct pprof_tables *t, const struct protobuf *m)
{
	struct pprof_text text = { (uint32_t)(m->bytes.p - t->input.p), (uint32_t)m->bytes.n };
	if (has_room(t, t->texts.n, MAX_TEXTS, "texts", protobuf_offset(m)))
		vec_push(&t->texts, text);
}

static void add_mapping(struct pprof_tables *t, struct protobuf m, uint64_t offset)
{
	struct pprof_mapping_row row = { 0 };
	uint64_t id = 0;
	while (protobuf_next(&m)) {
		if (m.type != PROTOBUF_VARINT)
			continue;
		if (m.field == PPROF_MAPPING_ID)
			id = m.number;
		else if (m.field == PPROF_MAPPING_FILE)
			row.file = m.number;
		else if (m.field == PPROF_MAPPING_BUILD_ID)
			row.build_id = m.number;
	}
	if (!check_inside(t, &m, "mapping") || !check_id(t, id, offset, "mapping") ||
	    !has_room(t, t->mappings.n, MAX_RECORDS, "mappings", offset))
		return;
	vec_push(&t->mapping_ids.ids, id);
	vec_push(&t->mappings, row);
}

/* Numbers of lines are 64 bits and may be negative; nothing has so many. */
static uint32_t line_number(uint64_t number)
{
	return number <= INT32_MAX ? (uint32_t)number : 0;
}

static void add_function(struct pprof_tables *t, struct protobuf m, uint64_t offset)
{
	struct pprof_function_row row = { 0 };
	uint64_t id = 0;
	while (protobuf_next(&m)) {
		if (m.type != PROTOBUF_VARINT)
			continue;
		if (m.field == PPROF_FUNCTION_ID)
			id = m.number;
		else if (m.field == PPROF_FUNCTION_NAME)
			row.name = m.number;
		else if (m.field == PPROF_FUNCTION_SYSTEM_NAME)
			row.system_name = m.number;
		else if (m.field == PPROF_FUNCTION_FILE)
			row.file = m.number;
		else if (m.field == PPROF_FUNCTION_START_LINE)
			row.start_line = line_number(m.number);
	}
	if (!check_inside(t, &m, "function") || !check_id(t, id, offset, "function") ||
	    !has_room(t, t->functions.n, MAX_RECORDS, "functions", offset))
		return;
	vec_push(&t->function_ids.ids, id);
	vec_push(&t->functions, row);
}

static void add_line(struct pprof_tables *t, struct protobuf m)
{
	struct pprof_line_row row = { 0 };
	while (protobuf_next(&m)) {
		if (m.type != PROTOBUF_VARINT)
			continue;
		if (m.field == PPROF_LINE_FUNCTION)
			row.function = m.number;
		else if (m.field == PPROF_LINE_LINE)
			row.line = line_number(m.number);
		else if (m.field == PPROF_LINE_COLUMN)
			row.column = line_number(m.number);
	}
	if (check_inside(t, &m, "line") &&
	    has_room(t, t->lines.n, MAX_RECORDS, "lines", protobuf_offset(&m)))
		vec_push(&t->lines, row);
}

static void add_location(struct pprof_tables *t, struct protobuf m, uint64_t offset)
{
	struct pprof_location_row row = { .offset = (uint32_t)offset,
					  .first_line = t->lines.n,
					  .first_frame = INDEX_NONE };
	uint64_t id = 0;
	while (protobuf_next(&m)) {
		if (m.field == PPROF_LOCATION_LINE && m.type == PROTOBUF_BYTES)
			add_line(t, protobuf_inside(&m));
		if (m.type != PROTOBUF_VARINT)
			continue;
		if (m.field == PPROF_LOCATION_ID)
			id = m.number;
		else if (m.field == PPROF_LOCATION_MAPPING)
			row.mapping = m.number;
		else if (m.field == PPROF_LOCATION_ADDRESS)
			row.address = m.number;
	}
	if (!check_inside(t, &m, "location") || !check_id(t, id, offset, "location") ||
	    !has_room(t, t->locations.n, MAX_RECORDS, "locations", offset)) {
		t->lines.n = row.first_line;
		return;
	}
	row.line_count = t->lines.n - row.first_line;
	vec_push(&t->location_ids.ids, id);
	vec_push(&t->locations, row);
}

void pprof_tables_add(struct pprof_tables *t, const struct protobuf *m)
{
	uint64_t offset = protobuf_offset(m);
	if (m->type != PROTOBUF_BYTES)
		return;
	if (m->field == PPROF_STRING_TABLE)
		add_text(t, m);
	else if (m->field == PPROF_MAPPING)
		add_mapping(t, protobuf_inside(m), offset);
	else if (m->field == PPROF_FUNCTION)
		add_function(t, protobuf_inside(m), offset);
	else if (m->field == PPROF_LOCATION)
		add_location(t, protobuf_inside(m), offset);
}

/* --- texts --- */

bool pprof_text(const struct pprof_tables *t, uint64_t text, struct str *s)
{
	*s = STR("");
	if (text == 0)
		return true; /* it has to be empty, and means "none" */
	if (text >= t->texts.n)
		return false;
	*s = (struct str){ t->input.p + t->texts.p[text].offset, t->texts.p[text].n };
	return true;
}

str_id pprof_text_id(struct pprof_tables *t, uint64_t text)
{
	struct str s;
	if (!pprof_text(t, text, &s) || !s.n)
		return STR_NONE;
	if (!t->text_ids[text])
		t->text_ids[text] = profile_add_str(t->p, s);
	return t->text_ids[text];
}

/* --- at the end of the file --- */

static void check_text(struct pprof_tables *t, uint64_t text, const char *what, uint64_t id)
{
	if (text && text >= t->texts.n)
		source_bad_record(t->p, t->input.n,
				  "%s %llu refers to string %llu, but the file has %u strings",
				  what, (unsigned long long)id, (unsigned long long)text,
				  t->texts.n);
}

static void check_texts(struct pprof_tables *t)
{
	if (t->texts.n && t->texts.p[0].n)
		source_bad_record(t->p, t->texts.p[0].offset, "string 0 is not empty");
	for (uint32_t i = 0; i < t->mappings.n; i++) {
		check_text(t, t->mappings.p[i].file, "mapping", t->mapping_ids.ids.p[i]);
		check_text(t, t->mappings.p[i].build_id, "mapping", t->mapping_ids.ids.p[i]);
	}
	for (uint32_t i = 0; i < t->functions.n; i++) {
		uint64_t id = t->function_ids.ids.p[i];
		check_text(t, t->functions.p[i].name, "function", id);
		check_text(t, t->functions.p[i].system_name, "function", id);
		check_text(t, t->functions.p[i].file, "function", id);
	}
}

static void add_modules(struct pprof_tables *t)
{
	for (uint32_t i = 0; i < t->mappings.n && t->p->modules.n < MAX_MODULES; i++) {
		struct module m = { pprof_text_id(t, t->mappings.p[i].file),
				    pprof_text_id(t, t->mappings.p[i].build_id) };
		/* One file may be mapped many times, next to each other. */
		bool is_known = i && t->mappings.p[i].file == t->mappings.p[i - 1].file;
		if (m.path && m.build_id && !is_known)
			profile_add_module(t->p, m);
	}
}

static void end_ids(struct pprof_tables *t, struct pprof_ids *ids, const char *what)
{
	uint32_t twice = ids_end(ids);
	if (twice)
		source_bad_record(t->p, t->input.n, "%u %s ids occur twice", twice, what);
}

void pprof_tables_end(struct pprof_tables *t)
{
	t->text_ids = mem_zalloc(t->texts.n + 1, sizeof(*t->text_ids));
	end_ids(t, &t->mapping_ids, "mapping");
	end_ids(t, &t->function_ids, "function");
	end_ids(t, &t->location_ids, "location");
	check_texts(t);
	add_modules(t);
}

void pprof_tables_fini(struct pprof_tables *t)
{
	buf_fini(&t->too_many);
	vec_fini(&t->texts);
	free(t->text_ids);
	vec_fini(&t->mappings);
	vec_fini(&t->functions);
	vec_fini(&t->locations);
	vec_fini(&t->lines);
	pprof_ids_fini(&t->mapping_ids);
	pprof_ids_fini(&t->function_ids);
	pprof_ids_fini(&t->location_ids);
	vec_fini(&t->frames);
}

/* --- locations to frames --- */

/* Takes one word of the list in `f_[jit,inlined]`. False when it is no word of ours. */
static bool take_word(struct str word, struct frame *frame)
{
	for (unsigned kind = 0; kind < FRAME_KIND_COUNT; kind++)
		if (str_eq(word, str_from(frame_kind_name(kind)))) {
			frame->kind = (uint8_t)kind;
			return true;
		}
	if (str_eq(word, STR(PPROF_WORD_INLINED)))
		frame->flags |= FRAME_INLINED;
	else if (str_eq(word, STR(PPROF_WORD_WAKER)))
		frame->flags |= FRAME_WAKER;
	else if (str_eq(word, STR(PPROF_WORD_MARKED)))
		frame->flags |= FRAME_MARKED;
	else
		return false;
	return true;
}

/*
 * The words that our writer puts behind a system name. What stands before them is the name to the
 * byte, which may be empty where the function's own name stands for a file. Of JavaScript it is what V8 called
 * the function, which has more in it than the name.
 */
static bool take_words(struct str system_name, struct str name, struct frame *frame,
		       struct str *exact)
{
	if (!str_ends(system_name, STR("]")))
		return false;
	ptrdiff_t open = str_find_last_char(system_name, '[');
	if (open < 1 || system_name.p[open - 1] != '_')
		return false;
	struct frame taken = *frame;
	struct str words = str_from_byte(system_name, (size_t)open + 1);
	words.n--;
	*exact = str_first(system_name, (size_t)open - 1);
	if (exact->n && !str_eq(*exact, name) && !name_is_v8(*exact))
		return false;
	while (words.n) {
		ptrdiff_t comma = str_find_char(words, ',');
		struct str word = str_first(words, comma < 0 ? words.n : (size_t)comma);
		if (!take_word(word, &taken))
			return false;
		words = str_from_byte(words, word.n + 1);
	}
	*frame = taken;
	return true;
}

static frame_id add_exact_frame(struct pprof_tables *t, struct frame frame, struct str name)
{
	size_t mark_at;
	frame.name = profile_add_str(t->p, name);
	frame.tier = (char)name_v8_tier(name, &mark_at);
	naming_set_v8_place(t->p, &frame);
	return profile_add_frame(t->p, &frame);
}

/* The format does not say in which column a function begins. */
static void set_function_place(struct named_frame *f, bool keeps_lines)
{
	f->function_file = f->file;
	if (f->line == f->function_line) {
		f->function_column = f->column;
	} else if (!keeps_lines) {
		f->line = f->function_line;
		f->column = 0;
	}
}

static frame_id add_named_frame(struct pprof_tables *t, const struct pprof_function_row *function,
				const struct pprof_line_row *line, str_id module, bool is_inlined)
{
	struct str system_name, exact;
	struct named_frame f = { .module = profile_str(t->p, module),
				 .line = line->line,
				 .column = line->column,
				 .function_line = function->start_line,
				 .kind = FRAME_KIND_COUNT,
				 .is_inlined = is_inlined };
	pprof_text(t, function->name, &f.name);
	pprof_text(t, function->system_name, &system_name);
	pprof_text(t, function->file, &f.file);
	if (f.function_line)
		set_function_place(&f, t->options->names.wants_lines);
	bool has_name = f.name.n && !frame_name_stands_for_module(f.name, f.module);
	struct frame frame = { .module = module,
			       .file = pprof_text_id(t, function->file),
			       .line = f.line,
			       .column = f.column,
			       .function_file = profile_add_str(t->p, f.function_file),
			       .function_line = f.function_line,
			       .function_column = f.function_column,
			       .kind = (uint8_t)frame_kind_of_module(f.module, has_name),
			       .flags = is_inlined ? FRAME_INLINED : 0 };
	if (take_words(system_name, f.name, &frame, &exact))
		return add_exact_frame(t, frame, exact);
	if (!f.name.n)
		f.name = system_name;
	return naming_add_frame(t->p, &f);
}

/* Named by its file when it is shown, or here with its address when that is asked for. */
static frame_id add_unnamed_frame(struct pprof_tables *t, str_id module, uint64_t address)
{
	struct str path = profile_str(t->p, module);
	struct frame frame = { .module = module,
			       .kind = (uint8_t)frame_kind_of_module(path, false) };
	if (t->options->keep_addresses) {
		AUTO(buf) struct buf name = { 0 };
		buf_add_char(&name, '[');
		buf_add(&name, path.n ? str_basename(path) : STR("unknown"));
		buf_addf(&name, " <%llx>]", (unsigned long long)address);
		frame.name = profile_add_str(t->p, buf_str(&name));
	}
	return profile_add_frame(t->p, &frame);
}

static str_id module_of(struct pprof_tables *t, const struct pprof_location_row *l)
{
	uint32_t mapping = pprof_ids_find(&t->mapping_ids, l->mapping);
	if (mapping != INDEX_NONE)
		return pprof_text_id(t, t->mappings.p[mapping].file);
	if (l->mapping)
		source_bad_record(t->p, l->offset,
				  "a location refers to mapping %llu, which does not exist",
				  (unsigned long long)l->mapping);
	return STR_NONE;
}

/* The function that our writer puts where there is no stack. */
static bool is_no_stack(const struct pprof_tables *t, const struct pprof_function_row *function)
{
	struct str name, system_name;
	pprof_text(t, function->name, &name);
	pprof_text(t, function->system_name, &system_name);
	return str_eq(system_name, STR(PPROF_NO_STACK_MARK)) && str_eq(name, STR(PPROF_NO_STACK));
}

/* line[0] is the innermost of inlined functions; the last one is what they were inlined into. */
static void add_line_frame(struct pprof_tables *t, const struct pprof_location_row *l, uint32_t i,
			   str_id module)
{
	const struct pprof_line_row *line = &t->lines.p[l->first_line + i];
	uint32_t function = pprof_ids_find(&t->function_ids, line->function);
	if (function != INDEX_NONE && is_no_stack(t, &t->functions.p[function]))
		return;
	if (function != INDEX_NONE) {
		vec_push(&t->frames, add_named_frame(t, &t->functions.p[function], line, module,
						     i + 1 < l->line_count));
		return;
	}
	if (line->function)
		source_bad_record(t->p, l->offset,
				  "a location refers to function %llu, which does not exist",
				  (unsigned long long)line->function);
	vec_push(&t->frames, add_unnamed_frame(t, module, l->address));
}

uint32_t pprof_location_frames(struct pprof_tables *t, uint32_t location, uint32_t *n)
{
	struct pprof_location_row *l = &t->locations.p[location];
	*n = l->frame_count;
	if (l->first_frame != INDEX_NONE)
		return l->first_frame;
	str_id module = module_of(t, l);
	l->first_frame = t->frames.n;
	for (uint32_t i = l->line_count; i-- > 0;)
		add_line_frame(t, l, i, module);
	if (!l->line_count)
		vec_push(&t->frames, add_unnamed_frame(t, module, l->address));
	*n = l->frame_count = t->frames.n - l->first_frame;
	return l->first_frame;
}
