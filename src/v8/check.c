#include "v8/check.h"
#include "v8/code_walk.h"
#include "v8/heap_scan.h"
#include "v8/inspection.h"
#include "v8/v8_int.h"

void v8_checks_fini(struct v8_checks *c)
{
	for (unsigned i = 0; i < V8_CHECKS; i++)
		buf_fini(&c->list[i].what);
}

const char *v8_check_name(enum v8_check_kind kind)
{
	static const char *const names[] = { [V8_CHECK_METAMAP] = "metamap",
					     [V8_CHECK_PAGES] = "pages",
					     [V8_CHECK_FUNCTION] = "function",
					     [V8_CHECK_CODE] = "code",
					     [V8_CHECK_POSITIONS] = "positions" };
	return names[kind];
}

static void end(struct v8_checks *c, enum v8_check_kind kind, enum v8_check_state state)
{
	c->list[kind].state = state;
}

/* --- the heap --- */

static void check_metamap(struct v8_inspection *v, struct v8_checks *c)
{
	buf_addf(&c->list[V8_CHECK_METAMAP].what, "the meta map, of type %d, is at %#llx",
		 v8_get(&v->layout, V8_TYPE_MAP), (unsigned long long)v8_address(v->metamap));
	end(c, V8_CHECK_METAMAP, V8_CHECK_OK);
}

/*
 * A page of the heap is 256 kB and begins with a head. Up to 12.x the head's first word is the page's size;
 * later ones keep it elsewhere.
 */
static void check_page(struct v8_inspection *v, struct v8_checks *c)
{
	enum { PAGE_BYTES = 1 << 18, FIRST_WITHOUT_SIZE = 1204 };
	struct buf *what = &c->list[V8_CHECK_PAGES].what;
	uint64_t page = v8_address(v->metamap) & ~(uint64_t)(PAGE_BYTES - 1), size = 0;
	if (v->layout.major * 100 + v->layout.minor >= FIRST_WITHOUT_SIZE) {
		buf_addf(what, "the page header of V8 %u.%u is unknown, but not needed",
			 v->layout.major, v->layout.minor);
		end(c, V8_CHECK_PAGES, V8_CHECK_OPEN);
		return;
	}
	bool ok = memory_read(v->of->memory, page, &size, sizeof(size)) && size > 0 &&
		  size <= PAGE_BYTES && v8_address(v->metamap) - page < size;
	buf_addf(what,
		 ok ? "the page header holds the page size, %llu bytes"
		    : "the page header holds %llu, which is not a page size",
		 (unsigned long long)size);
	end(c, V8_CHECK_PAGES, ok ? V8_CHECK_OK : V8_CHECK_FAILED);
}

/* --- a function --- */

struct function_search {
	struct v8_process *p;
	uint64_t seen;
	v8_function_id found;
};

/* With all that there is to know: most have it. */
static bool look_at_function(void *context, uint64_t object, const uint64_t *words, size_t n)
{
	enum { ENOUGH = 100000 };
	struct function_search *s = context;
	const struct known_function *k = v8_function_get(s->p, object);
	(void)words, (void)n;
	if (k) {
		const struct v8_function *f = &s->p->names->functions.p[k->function];
		s->seen++;
		if (f->name.n && f->file.n && f->line)
			s->found = k->function;
	}
	return s->found == V8_NONE && s->seen < ENOUGH;
}

static void check_function(struct v8_inspection *v, struct v8_checks *c)
{
	struct buf *what = &c->list[V8_CHECK_FUNCTION].what;
	struct function_search s = { .p = v->process, .found = V8_NONE };
	uint64_t map = v8_find_map(v->process, v->metamap, v8_get(&v->layout, V8_TYPE_SFI));
	v8_visit_objects(v->process, map, look_at_function, &s);
	if (s.found != V8_NONE) {
		buf_addf(what, "a function resolves to ");
		v8_function_describe(&v->names->functions.p[s.found], 0, what);
	} else if (!map) {
		buf_addf(what, "the map of functions (type %d) was not found",
			 v8_get(&v->layout, V8_TYPE_SFI));
	} else {
		buf_addf(what, "%llu functions were found, but none with name, script and line",
			 (unsigned long long)s.seen);
	}
	end(c, V8_CHECK_FUNCTION, s.found != V8_NONE ? V8_CHECK_OK : V8_CHECK_FAILED);
}

/* --- code --- */

static void check_positions(struct v8_inspection *v, const struct v8_code_row *row,
			    struct v8_checks *c)
{
	struct buf *what = &c->list[V8_CHECK_POSITIONS].what;
	struct code code;
	uint64_t position;
	bool ok = v8_code_find(v->process, row->start, &code) &&
		  v8_position_find(v->process, code.positions, row->size_bytes, &position);
	bool needs_none = row->sort == V8_CODE_MAGLEV; /* 12.9 makes none for it */
	buf_addf(what,
		 ok ? "the source position table of optimized code can be read"
		 : needs_none
			 ? "optimized code has no source position table, which is normal for Maglev"
			 : "optimized code has no source position table, or one that plume cannot "
			   "read");
	end(c, V8_CHECK_POSITIONS, ok ? V8_CHECK_OK : needs_none ? V8_CHECK_OPEN : V8_CHECK_FAILED);
}

static void check_code(struct v8_inspection *v, struct v8_checks *c)
{
	struct buf *what = &c->list[V8_CHECK_CODE].what;
	struct v8_code_row row;
	if (!v8_find_optimized(v->process, &row)) {
		buf_addf(what, "not run for code: nothing is optimized yet");
		buf_addf(&c->list[V8_CHECK_POSITIONS].what,
			 "not run for source position tables: nothing is optimized yet");
		end(c, V8_CHECK_CODE, V8_CHECK_OPEN);
		end(c, V8_CHECK_POSITIONS, V8_CHECK_OPEN);
		return;
	}
	buf_addf(what, "%u bytes of code at %#llx belong to ", row.size_bytes,
		 (unsigned long long)row.start);
	v8_code_row_describe(v->process, &row, what);
	end(c, V8_CHECK_CODE, V8_CHECK_OK);
	check_positions(v, &row, c);
}

void v8_check(struct v8_inspection *v, struct v8_checks *c)
{
	check_metamap(v, c);
	check_page(v, c);
	check_function(v, c);
	check_code(v, c);
}
