/*
 * Objects with instructions are adjacent in anonymous executable memory. Their headers are recognised as for a single
 * address (code.c). The next object is searched for after the end of each one.
 */
#include "v8/code_walk.h"
#include "v8/heap_scan.h"
#include "v8/inspection.h"
#include "v8/v8_int.h"

enum { STEP_BYTES = 1 << 18, PAGE_BYTES = 4096, MOST_ROWS = 1 << 20, MOST_HEADER_BYTES = 256 };
#define MOST_BYTES ((uint64_t)2 << 30)
/* Words that look like maps and are none cost a read each: whoever made them shall not keep us busy. */
#define MOST_READS ((uint64_t)8 << 20)

void v8_code_rows_fini(struct v8_code_rows *rows)
{
	vec_fini(&rows->list);
}

/* --- objects with code --- */

typedef bool on_code(void *context, const struct code *code);

struct walk {
	struct v8_process *p;
	on_code *on;
	void *context;
	uint64_t reads_end, bytes;
	bool is_cut;
};

/* An object with code in it that is whole: its instructions follow its header, in the same mapping. */
static bool is_code(struct walk *w, uint64_t map, uint64_t holder, uint64_t end, struct code *code)
{
	const struct v8_layout *l = w->p->layout;
	int32_t wanted = v8_get(l, l->has_code_inside ? V8_TYPE_CODE : V8_TYPE_INSTRUCTION_STREAM);
	return v8_is_pointer(map) && v8_type_of_map(&w->p->heap, map) == wanted &&
	       v8_code_read(w->p, holder, code) && code->size_bytes && code->start > holder &&
	       code->start - holder <= MOST_HEADER_BYTES && code->start < end &&
	       code->size_bytes <= end - code->start;
}

/* False: enough. *next is where the next object may be. */
static bool walk_piece(struct walk *w, uint64_t at, uint64_t end, const uint64_t *words, size_t n,
		       uint64_t *next)
{
	uint64_t align = w->p->layout->code_alignment, piece_end = at + n;
	struct code code;
	uint64_t here = at;
	while (here < piece_end) {
		if (w->p->heap.memory->reads > w->reads_end) {
			w->is_cut = true;
			return false;
		}
		if (!is_code(w, words[(here - at) / sizeof(*words)], here, end, &code)) {
			here += align;
			continue;
		}
		if (!w->on(w->context, &code))
			return false;
		here = (code.start + code.size_bytes + align - 1) / align * align;
	}
	*next = here;
	return true;
}

static bool walk_mapping(struct walk *w, uint64_t start, uint64_t end, uint64_t *words)
{
	uint64_t at = start;
	while (at < end) {
		uint64_t page = at / PAGE_BYTES * PAGE_BYTES, left = end - page;
		size_t n = memory_read_some(w->p->heap.memory, page, words,
					    left < STEP_BYTES ? left : STEP_BYTES);
		if (page + n <= at) {
			at = page + PAGE_BYTES;
			continue;
		}
		w->bytes += n;
		if (!walk_piece(w, at, end, words + (at - page) / sizeof(*words), n - (at - page),
				&at))
			return false;
	}
	return true;
}

static void walk_all(struct walk *w)
{
	AUTO_FREE uint64_t *words = mem_alloc(STEP_BYTES, 1);
	struct v8_process *p = w->p;
	w->reads_end = p->heap.memory->reads + MOST_READS;
	for (uint32_t i = 0; i < p->mappings.n; i++) {
		if (!p->mappings.p[i].is_jit)
			continue;
		w->is_cut |= w->bytes > MOST_BYTES;
		if (w->is_cut ||
		    !walk_mapping(w, p->mappings.p[i].at.start, p->mappings.p[i].at.end, words))
			return;
	}
}

/* --- their functions --- */

static enum v8_code_sort sort_of(const struct v8_process *p, const struct code *code)
{
	enum { KIND_MASK = 15 };
	uint32_t regexp = p->layout->major * 100 + p->layout->minor >= 1406 ? 4 : 3;
	switch (v8_code_tier(p, code)) {
	case TIER_INTERPRETED:
		return V8_CODE_INTERPRETED;
	case TIER_BASELINE:
		return V8_CODE_BASELINE;
	case TIER_MAGLEV:
		return V8_CODE_MAGLEV;
	case TIER_OPTIMIZED:
		return V8_CODE_OPTIMIZED;
	default:
		return (code->flags & KIND_MASK) == regexp ? V8_CODE_REGEXP : V8_CODE_OTHER;
	}
}

static bool is_optimized(uint8_t sort)
{
	return sort == V8_CODE_MAGLEV || sort == V8_CODE_OPTIMIZED;
}

static uint32_t function_of_shared(struct v8_process *p, uint64_t shared)
{
	const struct known_function *k = shared ? v8_function_get(p, shared) : NULL;
	return k ? k->function : V8_NONE;
}

static struct v8_code_row row_of(struct v8_process *p, const struct code *code)
{
	struct v8_code_row row = { .start = code->start,
				   .size_bytes = code->size_bytes,
				   .sort = (uint8_t)sort_of(p, code),
				   .function = V8_NONE };
	if (is_optimized(row.sort))
		row.function = function_of_shared(p, v8_shared_of_pc(p, code->start));
	return row;
}

/* Code that does not know its function, by the object that functions refer to. */
struct orphan {
	uint64_t object;
	uint32_t row;
};

struct gathering {
	struct v8_process *p;
	struct v8_code_rows *rows;
	VEC(struct orphan) orphans;
	struct index_map by_object;
	bool has_interpreted;
};

static void gathering_fini(struct gathering *g)
{
	vec_fini(&g->orphans);
	index_map_fini(&g->by_object);
}

static bool gather(void *context, const struct code *code)
{
	struct gathering *g = context;
	struct v8_code_row row = row_of(g->p, code);
	if (row.sort == V8_CODE_BASELINE || row.sort == V8_CODE_INTERPRETED) {
		g->has_interpreted |= row.sort == V8_CODE_INTERPRETED;
		index_map_add(&g->by_object, v8_slot(code->object, 1u << 24), g->orphans.n);
		vec_push(&g->orphans, (struct orphan){ code->object, g->rows->list.n });
	}
	vec_push(&g->rows->list, row);
	return g->rows->list.n < MOST_ROWS;
}

static bool orphan_equal(const void *list, uint32_t i, const void *key)
{
	return ((const struct orphan *)list)[i].object == *(const uint64_t *)key;
}

static bool adopt(struct gathering *g, uint64_t object, uint64_t shared)
{
	uint32_t i = index_map_find(&g->by_object, v8_slot(object, 1u << 24), orphan_equal,
				    g->orphans.p, &object);
	if (i == INDEX_NONE)
		return false;
	struct v8_code_row *row = &g->rows->list.p[g->orphans.p[i].row];
	uint32_t function = function_of_shared(g->p, shared);
	if (function != V8_NONE)
		row->function = function;
	return true;
}

/*
 * What a function runs is its data: baseline code itself; up to 9.x an object with it; an InterpreterData
 * with the copy of the interpreter.
 */
static bool look_at_function(void *context, uint64_t object, const uint64_t *words, size_t n)
{
	enum { CODE_OF_BASELINE_DATA = 8, CODE_OF_INTERPRETER_DATA = 16 };
	struct gathering *g = context;
	const struct v8_layout *l = g->p->layout;
	size_t at = (size_t)v8_get(l, V8_SFI_DATA) / sizeof(*words);
	uint64_t data, code;
	if (at < n)
		data = words[at];
	else if (!v8_read_word(&g->p->heap, object, v8_get(l, V8_SFI_DATA), &data))
		return true;
	if (!v8_is_pointer(data) || adopt(g, data, object))
		return true;
	if (l->major == 9 && v8_read_word(&g->p->heap, data, CODE_OF_BASELINE_DATA, &code) &&
	    v8_is_pointer(code) && adopt(g, code, object))
		return true;
	if (g->has_interpreted &&
	    v8_type_of(&g->p->heap, data) == v8_get(l, V8_TYPE_INTERPRETER_DATA) &&
	    v8_read_word(&g->p->heap, data, CODE_OF_INTERPRETER_DATA, &code))
		adopt(g, code, object);
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct v8_code_row *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* What looks like a copy of the interpreter, but is no function's, is V8's own: up to 10.x builtins are on the heap. */
static void count_row(struct v8_code_rows *rows, struct v8_code_row *row)
{
	if (row->sort == V8_CODE_INTERPRETED && row->function == V8_NONE)
		row->sort = V8_CODE_OTHER;
	rows->count[row->sort]++;
	rows->named[row->sort] += row->function != V8_NONE;
}

void v8_walk_code(struct v8_inspection *v, struct v8_code_rows *rows)
{
	struct v8_process *p = v->process;
	AUTO(gathering) struct gathering g = { .p = p, .rows = rows };
	struct walk w = { .p = p, .on = gather, .context = &g };
	walk_all(&w);
	if (g.orphans.n)
		v8_visit_objects(p, v8_find_map(p, v->metamap, v8_get(p->layout, V8_TYPE_SFI)),
				 look_at_function, &g);
	rows->bytes = w.bytes;
	rows->is_cut = w.is_cut;
	for (uint32_t i = 0; i < rows->list.n; i++)
		count_row(rows, &rows->list.p[i]);
	if (rows->list.n)
		qsort(rows->list.p, rows->list.n, sizeof(*rows->list.p), by_start);
}

/* --- one of them --- */

struct first_optimized {
	struct v8_process *p;
	struct v8_code_row *row;
	bool is_found;
};

static bool take_optimized(void *context, const struct code *code)
{
	struct first_optimized *f = context;
	struct v8_code_row row = row_of(f->p, code);
	if (row.function == V8_NONE || (f->is_found && row.sort != V8_CODE_OPTIMIZED))
		return true;
	*f->row = row;
	f->is_found = true;
	return row.sort != V8_CODE_OPTIMIZED;
}

bool v8_find_optimized(struct v8_process *p, struct v8_code_row *row)
{
	struct first_optimized f = { .p = p, .row = row };
	struct walk w = { .p = p, .on = take_optimized, .context = &f };
	walk_all(&w);
	return f.is_found;
}

/* --- in words --- */

void v8_code_row_describe(const struct v8_process *p, const struct v8_code_row *row,
			  struct buf *out)
{
	static const char tiers[V8_CODE_SORTS] = { '~', '^', '+', '*' };
	if (row->function != V8_NONE)
		v8_function_describe(&p->names->functions.p[row->function], tiers[row->sort], out);
	else if (row->sort == V8_CODE_REGEXP)
		buf_add(out, STR("RegExp:"));
	else if (row->sort == V8_CODE_OTHER)
		buf_add(out, STR("Stub:"));
	else
		buf_addf(out, "JS:%c(function not known)", tiers[row->sort]);
}
