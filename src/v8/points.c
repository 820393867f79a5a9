/*
 * Points of compiled code: calls and checks, from its exits to the interpreter, and calls, from the
 * table of positions. An exit lists frames, each a function and a bytecode. The position of the
 * bytecode tells which inlined function that is, and where in its source.
 */
#include "v8/inlined.h"

enum { MAX_ORIGINS = 256, MAX_TRANSLATION_BYTES = 1 << 20 };

/* What is known of a function's bytecode. */
struct origin {
	int32_t literal;
	struct buf positions;
	uint32_t first_loop, loops;
	bool has_loops; /* they are known */
};

struct reading {
	struct v8_process *p;
	const struct deopt_data *d;
	struct flow *flow;
	inlined_vec *nodes;
	VEC(struct origin) origins;
	struct buf translations;
	bool is_list_right; /* the code has the right place of each call of what was put into it */
};

static void reading_fini(struct reading *r)
{
	for (uint32_t i = 0; i < r->origins.n; i++)
		buf_fini(&r->origins.p[i].positions);
	vec_fini(&r->origins);
	buf_fini(&r->translations);
}

/* --- functions --- */

static void on_loop(void *context, int64_t begin, int64_t end)
{
	struct flow *f = context;
	vec_push(&f->loops, (struct text_loop){ begin, end, V8_NONE });
}

/* Loops end where those around them go on: these come behind. */
static void nest_loops(struct flow *f, const struct origin *o)
{
	for (uint32_t i = o->first_loop; i < o->first_loop + o->loops; i++) {
		uint32_t around = i + 1;
		while (around < o->first_loop + o->loops &&
		       f->loops.p[around].begin > f->loops.p[i].begin)
			around++;
		if (around < o->first_loop + o->loops)
			f->loops.p[i].parent = around;
	}
}

static void read_origin(struct reading *r, struct origin *o)
{
	uint64_t shared, table, array = 0;
	if (deopt_function(r->p, r->d, o->literal, &shared))
		array = v8_bytecode_array_of_function(r->p, shared);
	if (!array)
		return;
	if (v8_read_word(&r->p->heap, array, v8_get(r->p->layout, V8_BYTECODE_POSITIONS), &table))
		v8_position_table_read(r->p, table, &o->positions);
	o->first_loop = r->flow->loops.n;
	o->has_loops = v8_bytecode_loops(r->p, array, on_loop, r->flow);
	o->loops = r->flow->loops.n - o->first_loop;
	nest_loops(r->flow, o);
}

static const struct origin *origin_of(struct reading *r, int32_t literal)
{
	for (uint32_t i = 0; i < r->origins.n; i++)
		if (r->origins.p[i].literal == literal)
			return &r->origins.p[i];
	if (r->origins.n >= MAX_ORIGINS)
		return NULL;
	vec_push(&r->origins, (struct origin){ .literal = literal });
	read_origin(r, &r->origins.p[r->origins.n - 1]);
	return &r->origins.p[r->origins.n - 1];
}

static int32_t offset_in_text(struct reading *r, const struct exit_frame *frame)
{
	const struct origin *o = origin_of(r, frame->literal);
	uint64_t position;
	return o && v8_position_in(r->p->layout, buf_str(&o->positions), frame->bytecode, &position)
		       ? v8_offset_of(position)
		       : -1;
}

static uint32_t loop_in_text(struct reading *r, const struct exit_frame *frame)
{
	const struct origin *o = origin_of(r, frame->literal);
	if (!o || !o->has_loops)
		return LOOP_UNKNOWN;
	for (uint32_t i = o->first_loop; i < o->first_loop + o->loops; i++)
		if (r->flow->loops.p[i].begin <= frame->bytecode &&
		    r->flow->loops.p[i].end >= frame->bytecode)
			return i;
	return V8_NONE;
}

/* --- exits --- */

/*
 * The function that was put into another one at a call. V8_NONE: that is not to be told, as the call's place
 * is not known and more than one would do.
 */
static uint32_t find_node(struct reading *r, uint32_t parent, const struct exit_frame *caller,
			  int32_t literal)
{
	int32_t call = offset_in_text(r, caller);
	uint32_t found = V8_NONE, count = 0, loop = loop_in_text(r, caller);
	for (uint32_t i = 1; i < r->nodes->n; i++) {
		struct inlined *in = &r->nodes->p[i];
		if (in->parent != parent || in->literal != literal)
			continue;
		if (in->call == call) {
			in->loop = loop;
			return i;
		}
		found = i;
		count++;
	}
	/* What the code lists is all that was put into it: it may have another place of the same call. */
	if (count == 1 && (call < 0 || (r->is_list_right && found <= r->d->inlined_count))) {
		r->nodes->p[found].loop = loop;
		return found;
	}
	if (call < 0 && count)
		return V8_NONE;
	if (r->nodes->n >= MAX_NODES)
		return V8_NONE;
	vec_push(r->nodes, (struct inlined){ parent, literal, call, loop });
	return r->nodes->n - 1;
}

/* False: its outermost frame is of another function, so that nothing of this can be right. */
static bool read_exit(struct reading *r, const struct deopt_entry *entry, struct point *point)
{
	struct exit_frame frames[MAX_DEPTH];
	uint64_t shared;
	uint32_t node = 0, i = 0;
	*point = (struct point){ { V8_NONE, -1 }, LOOP_UNKNOWN };
	if (entry->translation < 0)
		return true;
	uint32_t n = translation_frames(r->p->layout->translations, buf_str(&r->translations),
					(uint64_t)entry->translation, frames, MAX_DEPTH);
	if (!n)
		return true;
	if (!deopt_function(r->p, r->d, frames[0].literal, &shared) || shared != r->d->shared)
		return false;
	for (; i + 1 < n; i++) {
		uint32_t inner = find_node(r, node, &frames[i], frames[i + 1].literal);
		if (inner == V8_NONE)
			break;
		node = inner;
	}
	bool is_whole = i + 1 == n;
	*point = (struct point){ { node, offset_in_text(r, &frames[i]) },
				 is_whole ? loop_in_text(r, &frames[i]) : LOOP_UNKNOWN };
	return true;
}

static int by_address(const void *a, const void *b)
{
	uint32_t x = ((const struct point_at *)a)->at, y = ((const struct point_at *)b)->at;
	return x < y ? -1 : x > y;
}

static bool read_exits(struct reading *r, const struct code *code)
{
	const struct deopt_data *d = r->d;
	struct point point;
	AUTO_FREE struct deopt_entry *entries =
		mem_alloc((size_t)d->checks + d->calls + 1, sizeof(*entries));
	if (!deopt_entries(r->p, code, d, entries) ||
	    (v8_code_tier(r->p, code) == TIER_MAGLEV && !deopt_safepoints(r->p, code, d, entries)))
		return false;
	for (uint32_t i = 0; i < d->checks + d->calls; i++) {
		if (!read_exit(r, &entries[i], &point))
			return false;
		if (i < d->checks)
			vec_push(&r->flow->exits, point);
		else if (entries[i].pc >= 0)
			vec_push(&r->flow->calls,
				 (struct point_at){ (uint32_t)entries[i].pc, point });
	}
	if (r->flow->calls.n)
		qsort(r->flow->calls.p, r->flow->calls.n, sizeof(*r->flow->calls.p), by_address);
	return true;
}

/* --- the table of positions --- */

static void read_told(struct reading *r, const struct code *code)
{
	struct v8_position at = V8_POSITION_START;
	point_vec *told = &r->flow->told;
	if (!v8_position_table_read(r->p, code->positions, &r->p->scratch))
		return;
	struct cursor rest = cursor_over(buf_str(&r->p->scratch));
	while (v8_position_next(r->p->layout, &rest, &at)) {
		uint32_t node = v8_inlining_of(at.position);
		if (at.offset < 0 || at.offset >= (int64_t)r->flow->code.n ||
		    node > r->d->inlined_count)
			continue;
		if (told->n && told->p[told->n - 1].at == (uint32_t)at.offset)
			told->n--; /* of several the last one counts */
		vec_push(told, (struct point_at){
				       (uint32_t)at.offset,
				       { { node, v8_offset_of(at.position) }, LOOP_UNKNOWN } });
	}
}

/* --- all of it --- */

/* Behind the code there are as many calls of the interpreter as it has checks: call [r13 + ...]. */
static bool has_exits(const struct flow *f, const struct deopt_data *d, struct str bytes)
{
	for (uint32_t i = 0; i < d->checks; i++)
		if (!str_starts(str_from_byte(bytes, d->exit_start + i * f->exit_bytes),
				STR("\x41\xff")))
			return false;
	return true;
}

static bool read_bytes(struct v8_process *p, const struct code *code, const struct deopt_data *d,
		       struct flow *f, struct buf *bytes)
{
	enum { MAX_BYTES = 1 << 20 };
	uint64_t end = (uint64_t)d->exit_start + (uint64_t)d->checks * f->exit_bytes;
	bytes->n = 0;
	if (!d->exit_start || end > code->size_bytes || end > MAX_BYTES ||
	    !memory_read(p->heap.memory, code->start, buf_reserve(bytes, end), end))
		return false;
	bytes->n = end;
	f->code = (struct str){ bytes->p, d->exit_start };
	f->address = code->start;
	return has_exits(f, d, buf_str(bytes));
}

static bool read_translations(struct reading *r)
{
	struct v8_process *p = r->p;
	uint32_t n;
	if (!p->layout->translations || !v8_is_pointer(r->d->translations) ||
	    !v8_array_length(&p->heap, r->d->translations, MAX_TRANSLATION_BYTES, &n) || !n ||
	    !v8_read(&p->heap, r->d->translations, v8_get(p->layout, V8_ARRAY_DATA),
		     buf_reserve(&r->translations, n), n))
		return false;
	r->translations.n = n;
	return true;
}

bool flow_read(struct v8_process *p, const struct code *code, const struct deopt_data *d,
	       struct flow *f, struct buf *bytes, inlined_vec *nodes)
{
	bool is_maglev = v8_code_tier(p, code) == TIER_MAGLEV;
	struct reading r = {
		.p = p, .d = d, .flow = f, .nodes = nodes, .is_list_right = !is_maglev
	};
	f->exit_bytes = p->layout->exit_bytes;
	f->is_all_told = is_maglev || p->layout->has_all_positions;
	bool is_good =
		read_bytes(p, code, d, f, bytes) && read_translations(&r) && read_exits(&r, code);
	if (is_good)
		read_told(&r, code);
	if (is_good && is_maglev)
		flow_unite_copies(f, nodes);
	reading_fini(&r);
	return is_good;
}
