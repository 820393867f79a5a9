/*
 * Frame lines of perf script text and what they stand for. 95 % of all lines repeat, so a line is parsed
 * and named once and found again by its bytes; of the rest, most differ in the address only.
 */
#include "source/perf_script_int.h"
#include "name/name.h"
#include "source/source_int.h"

/* A symbol of a dso, with its frames. */
struct known_symbol {
	struct str text; /* or the address, where that tells frames apart */
	str_id dso;
	uint32_t first_frame; /* in the table's frames */
	uint16_t frame_count;
	bool has_dso, is_inlined, is_by_address;
};

/* A place in the store is a chunk's number and a word in it. */
enum { CHUNK_BITS = 18, CHUNK_WORDS = 1 << CHUNK_BITS };

/*
 * The lines are a cache: addresses may be new in every sample, so they are forgotten when they take
 * 64 MiB. Symbols and frames, which memory does grow with, stay.
 */
enum { MAX_CHUNKS = 32 };

static void add_line_frame(struct line_table *t, struct str symbol, struct frame frame)
{
	size_t mark_at;
	t->name.n = 0;
	name_tidy(symbol, &t->name);
	frame.name = profile_add_str(t->p, buf_str(&t->name));
	frame.tier = (char)name_v8_tier(buf_str(&t->name), &mark_at);
	naming_set_v8_place(t->p, &frame);
	vec_push(&t->frames, profile_add_frame(t->p, &frame));
}

/* A frame without a symbol: named by its dso when it is shown, or here with its address when that is asked for. */
static void add_unknown_frame(struct line_table *t, const struct script_frame *f,
			      struct frame frame)
{
	if (t->keep_addresses) {
		struct str dso = f->dso.n ? str_basename(f->dso) : STR("unknown");
		t->name.n = 0;
		buf_add_char(&t->name, '[');
		buf_add(&t->name, dso);
		buf_add(&t->name, STR(" <"));
		buf_add(&t->name, f->address_text);
		buf_add(&t->name, STR(">]"));
		frame.name = profile_add_str(t->p, buf_str(&t->name));
	}
	vec_push(&t->frames, profile_add_frame(t->p, &frame));
}

enum { MAX_INLINES = 64 };

/* Appends the frames that a symbol stands for, outermost first. */
static void add_frames_of_symbol(struct line_table *t, const struct script_frame *f)
{
	struct frame frame = {
		.module = t->dso,
		.kind = (uint8_t)frame_kind_of_module(f->dso, f->symbol.n > 0),
		.flags = f->is_inlined ? FRAME_INLINED : 0,
	};
	if (!f->symbol.n) {
		add_unknown_frame(t, f, frame);
		return;
	}
	struct str parts[MAX_INLINES] = { f->symbol };
	size_t n = 1;
	if (frame.kind == FRAME_JIT || !f->has_dso)
		n = name_split_inlines(f->symbol, parts, MAX_INLINES);
	for (size_t i = 0; i < n; i++) {
		add_line_frame(t, parts[i], frame);
		frame.flags |= FRAME_INLINED;
	}
}

static bool symbol_equal(const void *symbols, uint32_t i, const void *key)
{
	const struct known_symbol *a = (const struct known_symbol *)symbols + i, *b = key;
	return a->dso == b->dso && a->has_dso == b->has_dso && a->is_inlined == b->is_inlined &&
	       a->is_by_address == b->is_by_address && str_eq(a->text, b->text);
}

/* The symbol that a frame line names, with its frames. Told apart by address when that is asked for. */
static const struct known_symbol *find_symbol(struct line_table *t, const struct script_frame *f)
{
	if (!str_eq(f->dso, profile_str(t->p, t->dso)))
		t->dso = profile_add_str(t->p, f->dso);
	bool is_by_address = !f->symbol.n && t->keep_addresses;
	struct known_symbol key = { .text = is_by_address ? f->address_text : f->symbol,
				    .dso = t->dso,
				    .has_dso = f->has_dso,
				    .is_inlined = f->is_inlined,
				    .is_by_address = is_by_address,
				    .first_frame = t->frames.n };
	uint32_t hash = hash_str(key.text) ^ hash_pair(t->dso, is_by_address);
	uint32_t i = index_map_find(&t->symbol_map, hash, symbol_equal, t->symbols.p, &key);
	if (i != INDEX_NONE)
		return &t->symbols.p[i];
	add_frames_of_symbol(t, f);
	key.text = arena_copy(&t->symbol_text, key.text);
	key.frame_count = (uint16_t)(t->frames.n - key.first_frame);
	index_map_add(&t->symbol_map, hash, t->symbols.n);
	vec_push(&t->symbols, key);
	return &t->symbols.p[t->symbols.n - 1];
}

static struct known_line *line_at(const struct line_store *store, uint32_t place)
{
	return (struct known_line *)(store->chunks.p[place >> CHUNK_BITS] +
				     (place & (CHUNK_WORDS - 1)));
}

/* Room for a line of n bytes: its place. */
static uint32_t add_line_place(struct line_store *store, size_t n)
{
	uint32_t words = (uint32_t)((sizeof(struct known_line) + n + 7) / 8);
	if (store->chunks.n == 0 || store->used + words > CHUNK_WORDS) {
		vec_push(&store->chunks, mem_alloc(CHUNK_WORDS, sizeof(uint64_t)));
		store->used = 0;
	}
	uint32_t place = (store->chunks.n - 1) << CHUNK_BITS | store->used;
	store->used += words;
	return place;
}

static void line_store_fini(struct line_store *store)
{
	for (uint32_t i = 0; i < store->chunks.n; i++)
		free(store->chunks.p[i]);
	vec_fini(&store->chunks);
}

/* Only frame lines are kept: what is not understood must not take memory. */
static const struct known_line *add_line(struct line_table *t, struct str line, uint32_t hash)
{
	struct script_frame f;
	if (line.n > SCRIPT_MAX_LINE_BYTES || !script_frame_parse(line, &f))
		return NULL;
	const struct known_symbol *symbol = find_symbol(t, &f);
	if (t->store.chunks.n > MAX_CHUNKS) {
		line_store_fini(&t->store);
		index_map_clear(&t->map);
	}
	uint32_t place = add_line_place(&t->store, line.n);
	struct known_line *known = line_at(&t->store, place);
	*known = (struct known_line){ .n = (uint32_t)line.n,
				      .first_frame = symbol->first_frame,
				      .frame_count = symbol->frame_count,
				      .is_unknown = f.symbol.n == 0 };
	memcpy(known->text, line.p, line.n);
	index_map_add(&t->map, hash, place);
	return known;
}

static bool line_equal(const void *store, uint32_t place, const void *key)
{
	const struct known_line *l = line_at(store, place);
	const struct str *line = key;
	return l->n == line->n && memcmp(l->text, line->p, line->n) == 0;
}

const struct known_line *line_table_find_hashed(struct line_table *t, struct str line,
						uint32_t hash)
{
	uint32_t place = index_map_find(&t->map, hash, line_equal, &t->store, &line);
	return place != INDEX_NONE ? line_at(&t->store, place) : add_line(t, line, hash);
}

const struct known_line *line_table_find(struct line_table *t, struct str line)
{
	return line_table_find_hashed(t, line, hash_str(line));
}

/* Distinct lines, as a share of the text's bytes: where their map starts, so that it seldom grows. */
enum { BYTES_PER_KNOWN_LINE = 4096 };

void line_table_init(struct line_table *t, struct profile *p, bool keep_addresses,
		     size_t text_bytes)
{
	*t = (struct line_table){ .p = p, .keep_addresses = keep_addresses };
	index_map_reserve(&t->map, text_bytes / BYTES_PER_KNOWN_LINE);
}

void line_table_fini(struct line_table *t)
{
	index_map_fini(&t->map);
	line_store_fini(&t->store);
	vec_fini(&t->frames);
	index_map_fini(&t->symbol_map);
	vec_fini(&t->symbols);
	arena_fini(&t->symbol_text);
	buf_fini(&t->name);
}
