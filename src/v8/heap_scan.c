/*
 * Finds all objects of a kind. V8's heap is anonymous memory in which every object begins with its map, so an object
 * begins wherever a word equals that map. Reading takes about as much CPU time as copying.
 */
#include "v8/heap_scan.h"
#include "v8/v8_int.h"

#include <sys/mman.h>

enum { STEP_BYTES = 1 << 20, PAGE_BYTES = 4096, V8_PAGE_BYTES = 1 << 18 };
#define MOST_BYTES ((uint64_t)16 << 30)

/* Of anonymous memory. Maps are in what is only read: that is looked at first. */
struct heap_ranges {
	VEC(struct v8_range) read_only, writable;
};

static void heap_ranges_fini(struct heap_ranges *r)
{
	vec_fini(&r->read_only);
	vec_fini(&r->writable);
}

static void take_range(void *context, const struct process_mapping *m)
{
	struct heap_ranges *r = context;
	struct v8_range range = { m->start, m->end };
	if (m->inode || m->path.n || m->is_shared || !(m->protection & PROT_READ))
		return;
	if (m->protection & PROT_WRITE)
		vec_push(&r->writable, range);
	else
		vec_push(&r->read_only, range);
}

/* A piece of memory, and where it was. */
struct piece {
	uint64_t address;
	const uint64_t *words;
	size_t n;
};
typedef bool on_piece(void *context, const struct piece *piece);

/* False: `on` has had enough. What cannot be read is left out, page by page. */
static bool visit_range(struct memory *m, struct v8_range range, uint64_t *words, on_piece *on,
			void *context)
{
	for (uint64_t at = range.start; at < range.end;) {
		uint64_t left = range.end - at;
		size_t n = memory_read_some(m, at, words, left < STEP_BYTES ? left : STEP_BYTES);
		if (n && !on(context, &(struct piece){ at, words, n / sizeof(*words) }))
			return false;
		at += n ? n : PAGE_BYTES;
	}
	return true;
}

/* False: `on` has had enough, or it was enough. */
static bool visit_ranges(struct v8_process *p, const struct v8_range *ranges, uint32_t n,
			 on_piece *on, void *context)
{
	AUTO_FREE uint64_t *words = mem_alloc(STEP_BYTES, 1);
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < n && bytes < MOST_BYTES; i++) {
		bytes += ranges[i].end - ranges[i].start;
		if (!visit_range(p->heap.memory, ranges[i], words, on, context))
			return false;
	}
	return true;
}

static void visit_heap(struct v8_process *p, on_piece *on, void *context)
{
	AUTO(heap_ranges) struct heap_ranges r = { 0 };
	struct err ignored = { 0 };
	p->process->ops->visit_mappings(p->process, true, take_range, &r, &ignored);
	if (visit_ranges(p, r.read_only.p, r.read_only.n, on, context))
		visit_ranges(p, r.writable.p, r.writable.n, on, context);
}

/* --- maps --- */

struct map_search_state {
	struct v8_process *p;
	uint64_t metamap;
	uint64_t failed;
};

/* The map of maps is its own. */
static bool find_own_map(void *context, const struct piece *piece)
{
	enum { MAX_FAILED = 10000 };
	struct map_search_state *s = context;
	const struct v8_layout *l = s->p->layout;
	for (size_t i = 0; i < piece->n && s->failed < MAX_FAILED; i++) {
		uint64_t address = piece->address + i * sizeof(uint64_t);
		if (piece->words[i] != (address | 1))
			continue;
		if (v8_type_of_map(&s->p->heap, address | 1) == v8_get(l, V8_TYPE_MAP)) {
			s->metamap = address | 1;
			return false;
		}
		s->failed++;
	}
	return s->failed < MAX_FAILED;
}

uint64_t v8_find_metamap(struct v8_process *p)
{
	struct map_search_state s = { .p = p };
	visit_heap(p, find_own_map, &s);
	return s.metamap;
}

/* Maps of V8's own types are where the map of maps is: on its page or the ones around it. */
uint64_t v8_find_map(struct v8_process *p, uint64_t metamap, int32_t type)
{
	enum { PAGES_AROUND = 2 };
	AUTO_FREE uint64_t *words = mem_alloc(V8_PAGE_BYTES, 1);
	uint64_t own = v8_address(metamap) & ~(uint64_t)(V8_PAGE_BYTES - 1);
	for (int i = 0; i <= 2 * PAGES_AROUND; i++) {
		/* 0, 1, -1, 2, -2 */
		int64_t away = i & 1 ? (i + 1) / 2 : -(i / 2);
		uint64_t page = own + (uint64_t)(away * V8_PAGE_BYTES);
		size_t n = memory_read_some(p->heap.memory, page, words, V8_PAGE_BYTES);
		for (size_t k = 0; k < n / sizeof(*words); k++) {
			uint64_t map = (page + k * sizeof(*words)) | 1;
			if (words[k] == metamap && v8_type_of_map(&p->heap, map) == type)
				return map;
		}
	}
	return 0;
}

/* --- objects --- */

struct object_search {
	uint64_t map;
	v8_on_object *on;
	void *context;
};

static bool find_objects(void *context, const struct piece *piece)
{
	const struct object_search *s = context;
	for (size_t i = 0; i < piece->n; i++)
		if (piece->words[i] == s->map &&
		    !s->on(s->context, (piece->address + i * sizeof(uint64_t)) | 1,
			   piece->words + i, piece->n - i))
			return false;
	return true;
}

void v8_visit_objects(struct v8_process *p, uint64_t map, v8_on_object *on, void *context)
{
	struct object_search s = { map, on, context };
	if (map)
		visit_heap(p, find_objects, &s);
}
