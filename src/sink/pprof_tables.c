/* What the samples of a pprof file point to: texts, locations, functions, mappings. */
#include "sink/js_name.h"
#include "sink/pprof_int.h"

/* --- texts --- */

static bool is_utf8(struct str s)
{
	for (size_t at = 0; at < s.n;) {
		size_t before = at;
		/* U+FFFD of its own has three bytes. */
		if (utf8_next(s, &at) == UTF8_REPLACEMENT && at - before != 3)
			return false;
	}
	return true;
}

/* The format's texts are UTF-8, and many readers refuse a file that has others. */
static struct str as_utf8(struct pprof_writer *w, struct str s)
{
	if (is_utf8(s))
		return s;
	w->not_utf8++;
	w->scratch.n = 0;
	for (size_t at = 0; at < s.n;)
		utf8_add(&w->scratch, utf8_next(s, &at));
	return buf_str(&w->scratch);
}

uint32_t pprof_add_text(struct pprof_writer *w, struct str text)
{
	return texts_add(&w->texts, as_utf8(w, text));
}

uint32_t pprof_add_str(struct pprof_writer *w, str_id id)
{
	if (w->text_of[id] == INDEX_NONE)
		w->text_of[id] = pprof_add_text(w, profile_str(w->p, id));
	return w->text_of[id];
}

uint32_t pprof_add_label_text(struct pprof_writer *w, str_id id)
{
	if (id != STR_NONE)
		return pprof_add_str(w, id);
	if (!w->empty_text) {
		w->empty_text = w->texts.list.n;
		vec_push(&w->texts.list, STR(""));
	}
	return w->empty_text;
}

/* --- places --- */

static uint32_t add_place(struct pprof_writer *w, uint32_t outer, frame_id frame)
{
	struct pprof_place place = { outer, frame, w->p->frames.p[frame].module, 0, 0 };
	if (outer != INDEX_NONE)
		place.module = w->places.p[outer].module;
	vec_push(&w->places, place);
	return w->places.n - 1;
}

static uint32_t bare_place(struct pprof_writer *w, frame_id frame)
{
	if (w->place_of_frame[frame] == INDEX_NONE)
		w->place_of_frame[frame] = add_place(w, INDEX_NONE, frame);
	return w->place_of_frame[frame];
}

/* A location has one mapping, so what is inlined must be of the same file. */
static bool is_inside(const struct pprof_writer *w, const struct frame *f, node_id parent)
{
	return f->flags & FRAME_INLINED && parent != NODE_ROOT &&
	       (!f->module || f->module == w->places.p[w->place_of[parent]].module);
}

static void find_places(struct pprof_writer *w)
{
	const struct profile *p = w->p;
	for (node_id i = 1; i < p->nodes.n; i++) { /* a parent stands before its children */
		struct node node = p->nodes.p[i];
		w->outer_node[i] = node.parent;
		if (!is_inside(w, &p->frames.p[node.frame], node.parent)) {
			w->place_of[i] = bare_place(w, node.frame);
			continue;
		}
		uint32_t outer = w->place_of[node.parent];
		uint32_t *place = pair_map_place(&w->place_map, outer, node.frame);
		if (*place == INDEX_NONE)
			*place = add_place(w, outer, node.frame);
		w->place_of[i] = *place;
		w->outer_node[i] = w->outer_node[node.parent];
	}
}

/* Other tools leave out samples without a location. */
static void add_no_stack(struct pprof_writer *w, struct buf *out)
{
	if (!w->no_stack_id) {
		vec_push(&w->used, INDEX_NONE);
		w->no_stack_id = w->used.n;
	}
	buf_add_varint(out, w->no_stack_id);
}

void pprof_add_stack(struct pprof_writer *w, node_id leaf, struct buf *out)
{
	if (leaf == NODE_ROOT)
		add_no_stack(w, out);
	for (node_id i = leaf; i != NODE_ROOT; i = w->outer_node[i]) {
		struct pprof_place *place = &w->places.p[w->place_of[i]];
		if (!place->id) {
			vec_push(&w->used, w->place_of[i]);
			place->id = w->used.n;
		}
		buf_add_varint(out, place->id);
	}
}

/* --- functions --- */

/* The name, or what stands for it in folded stacks. */
static void add_shown_name(struct pprof_writer *w, const struct frame *f, str_id module_id,
			   struct buf *out)
{
	struct str module = str_basename(profile_str(w->p, module_id));
	if (f->name) {
		buf_add(out, profile_str(w->p, f->name));
	} else if (module.n > 1 && module.p[0] == '[') {
		buf_add(out, module);
	} else {
		buf_add_char(out, '[');
		buf_add(out, module.n ? module : STR("unknown"));
		buf_add_char(out, ']');
	}
}

static void add_word(struct buf *words, const char *word)
{
	buf_addf(words, "%s%s", words->n ? "," : "", word);
}

/* What a reader could not tell from the name, the mapping and the place among inlined functions. */
static void add_words(struct pprof_writer *w, const struct pprof_place *place, struct str shown,
		      struct buf *words)
{
	const struct frame *f = &w->p->frames.p[place->frame];
	struct str module = profile_str(w->p, place->module);
	bool has_name = shown.n && !frame_name_stands_for_module(shown, module);
	if (f->kind != frame_kind_of_module(module, has_name) || has_name != (f->name != STR_NONE))
		add_word(words, frame_kind_name(f->kind));
	if (f->flags & FRAME_INLINED && place->outer == INDEX_NONE)
		add_word(words, PPROF_WORD_INLINED);
	if (f->flags & FRAME_WAKER)
		add_word(words, PPROF_WORD_WAKER);
	if (f->flags & FRAME_MARKED)
		add_word(words, PPROF_WORD_MARKED);
}

static bool function_equal(const void *functions, uint32_t i, const void *key)
{
	return memcmp((const struct pprof_function_key *)functions + i, key,
		      sizeof(struct pprof_function_key)) == 0;
}

static uint32_t function_id(struct pprof_writer *w, struct pprof_function_key key)
{
	uint32_t hash = hash_bytes(&key, sizeof(key));
	uint32_t i = index_map_place(&w->function_map, hash, function_equal, w->functions.p, &key,
				     w->functions.n);
	if (i == w->functions.n)
		vec_push(&w->functions, key);
	return i + 1;
}

static uint32_t function_of(struct pprof_writer *w, struct pprof_place *place)
{
	AUTO(buf) struct buf shown = { 0 };
	AUTO(buf) struct buf words = { 0 };
	const struct frame *f = &w->p->frames.p[place->frame];
	if (place->function)
		return place->function;
	add_shown_name(w, f, place->module, &shown);
	add_words(w, place, buf_str(&shown), &words);
	struct str plain = f->name ? js_plain_name(w->p, f) : buf_str(&shown);
	if (plain.n != shown.n && !words.n) /* the system name has all of it, and needs one */
		add_word(&words, frame_kind_name(f->kind));
	struct pprof_function_key key = { .name = pprof_add_text(w, plain),
					  .file = pprof_add_str(w, f->file ? f->file
									   : f->function_file) };
	/* A function has one file: where the code is from another, as of an #include, it has no start. */
	if (!f->file || f->file == f->function_file)
		key.start_line = f->function_line;
	if (words.n) {
		shown.n = 0;
		buf_add(&shown, profile_str(w->p, f->name));
		buf_addf(&shown, "_[%.*s]", STR_ARG(buf_str(&words)));
		key.system_name = pprof_add_text(w, buf_str(&shown));
	}
	return place->function = function_id(w, key);
}

/* --- the tables --- */

static uint32_t mapping_id(struct pprof_writer *w, str_id module)
{
	if (module && !w->mapping_of[module]) {
		vec_push(&w->mappings, (struct pprof_mapping_use){ .module = module });
		w->mapping_of[module] = w->mappings.n;
	}
	return module ? w->mapping_of[module] : 0;
}

static void add_number(struct buf *out, uint32_t field, uint64_t number)
{
	if (number) /* 0 is what a field that is not there means */
		protobuf_add_number(out, field, number);
}

static void add_line(struct pprof_writer *w, struct pprof_place *place, uint32_t mapping,
		     struct buf *out)
{
	const struct frame *f = &w->p->frames.p[place->frame];
	size_t line = protobuf_begin(out, PPROF_LOCATION_LINE);
	add_number(out, PPROF_LINE_FUNCTION, function_of(w, place));
	add_number(out, PPROF_LINE_LINE, f->line);
	add_number(out, PPROF_LINE_COLUMN, f->column);
	protobuf_end(out, line);
	if (!mapping)
		return;
	struct pprof_mapping_use *use = &w->mappings.p[mapping - 1];
	use->has_files |= f->file != STR_NONE;
	use->has_lines |= f->line != 0;
	use->has_inlines |= place->outer != INDEX_NONE;
}

static void add_no_stack_line(struct pprof_writer *w, struct buf *out)
{
	struct pprof_function_key key = { .name = pprof_add_text(w, STR(PPROF_NO_STACK)),
					  .system_name =
						  pprof_add_text(w, STR(PPROF_NO_STACK_MARK)) };
	size_t line = protobuf_begin(out, PPROF_LOCATION_LINE);
	add_number(out, PPROF_LINE_FUNCTION, function_id(w, key));
	protobuf_end(out, line);
}

static void add_lines(struct pprof_writer *w, struct pprof_place *place, struct buf *out)
{
	uint32_t mapping = mapping_id(w, place->module);
	add_number(out, PPROF_LOCATION_MAPPING, mapping);
	for (;;) {
		add_line(w, place, mapping, out);
		if (place->outer == INDEX_NONE)
			return;
		place = &w->places.p[place->outer];
	}
}

static void write_locations(struct pprof_writer *w)
{
	AUTO(buf) struct buf out = { 0 };
	for (uint32_t i = 0; i < w->used.n; i++) {
		out.n = 0;
		size_t location = protobuf_begin(&out, PPROF_LOCATION);
		add_number(&out, PPROF_LOCATION_ID, i + 1);
		if (w->used.p[i] == INDEX_NONE)
			add_no_stack_line(w, &out);
		else
			add_lines(w, &w->places.p[w->used.p[i]], &out);
		protobuf_end(&out, location);
		writer_add(w->out, buf_str(&out));
	}
}

static void write_functions(struct pprof_writer *w)
{
	AUTO(buf) struct buf out = { 0 };
	for (uint32_t i = 0; i < w->functions.n; i++) {
		const struct pprof_function_key *f = &w->functions.p[i];
		out.n = 0;
		size_t function = protobuf_begin(&out, PPROF_FUNCTION);
		add_number(&out, PPROF_FUNCTION_ID, i + 1);
		add_number(&out, PPROF_FUNCTION_NAME, f->name);
		add_number(&out, PPROF_FUNCTION_SYSTEM_NAME, f->system_name);
		add_number(&out, PPROF_FUNCTION_FILE, f->file);
		add_number(&out, PPROF_FUNCTION_START_LINE, f->start_line);
		protobuf_end(&out, function);
		writer_add(w->out, buf_str(&out));
	}
}

/* has_functions keeps other tools from looking for names: there are no addresses to look for. */
static void write_mappings(struct pprof_writer *w)
{
	AUTO(buf) struct buf out = { 0 };
	AUTO_FREE str_id *build_id_of = mem_zalloc(w->p->strings.n, sizeof(*build_id_of));
	for (uint32_t i = 0; i < w->p->modules.n; i++) {
		mapping_id(w, w->p->modules.p[i].path);
		build_id_of[w->p->modules.p[i].path] = w->p->modules.p[i].build_id;
	}
	for (uint32_t i = 0; i < w->mappings.n; i++) {
		const struct pprof_mapping_use *m = &w->mappings.p[i];
		out.n = 0;
		size_t mapping = protobuf_begin(&out, PPROF_MAPPING);
		add_number(&out, PPROF_MAPPING_ID, i + 1);
		add_number(&out, PPROF_MAPPING_FILE, pprof_add_str(w, m->module));
		add_number(&out, PPROF_MAPPING_BUILD_ID, pprof_add_str(w, build_id_of[m->module]));
		add_number(&out, PPROF_MAPPING_HAS_FUNCTIONS, true);
		add_number(&out, PPROF_MAPPING_HAS_FILES, m->has_files);
		add_number(&out, PPROF_MAPPING_HAS_LINES, m->has_lines);
		add_number(&out, PPROF_MAPPING_HAS_INLINES, m->has_inlines);
		protobuf_end(&out, mapping);
		writer_add(w->out, buf_str(&out));
	}
}

/* Texts are last: a file that was cut short has ids that lead nowhere, wherever the cut is. */
void pprof_write_tables(struct pprof_writer *w)
{
	AUTO(buf) struct buf out = { 0 };
	write_locations(w);
	write_functions(w);
	write_mappings(w);
	for (uint32_t i = 0; i < w->texts.list.n; i++) {
		out.n = 0;
		protobuf_add_bytes(&out, PPROF_STRING_TABLE, w->texts.list.p[i]);
		writer_add(w->out, buf_str(&out));
	}
}

void pprof_writer_init(struct pprof_writer *w, const struct profile *p, struct writer *out)
{
	*w = (struct pprof_writer){ .p = p, .out = out };
	w->text_of = index_none_alloc(p->strings.n);
	w->place_of = index_none_alloc(p->nodes.n);
	w->outer_node = mem_zalloc(p->nodes.n, sizeof(*w->outer_node));
	w->place_of_frame = index_none_alloc(p->frames.n);
	w->mapping_of = mem_zalloc(p->strings.n, sizeof(*w->mapping_of));
	pprof_add_text(w, STR("")); /* text 0 has to be empty */
	find_places(w);
}

void pprof_writer_fini(struct pprof_writer *w)
{
	texts_fini(&w->texts);
	free(w->text_of);
	free(w->place_of);
	free(w->outer_node);
	vec_fini(&w->places);
	pair_map_fini(&w->place_map);
	free(w->place_of_frame);
	vec_fini(&w->used);
	vec_fini(&w->functions);
	index_map_fini(&w->function_map);
	vec_fini(&w->mappings);
	free(w->mapping_of);
	buf_fini(&w->scratch);
}
