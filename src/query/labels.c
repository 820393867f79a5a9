/* Names for display: marks, process ids, and unnamed frames named after their module. */
#include "query/query_int.h"
#include "query/same_line.h"

struct labels {
	const struct profile *p;
	const struct query *q;
	struct tree *tree;
	struct index_map map; /* by name (and kind), over tree->labels */
	uint32_t *of_frame;   /* INDEX_NONE until made */
	uint32_t *of_thread;
	struct buf text;
	str_id last_module;
	struct str last_module_text;
	struct str *folded; /* by frame, if labels differ from folded names; p is NULL until made */
	str_id split_module; /* the last one looked up */
	bool splits_module;
	bool has_context; /* whether it was looked up */
	struct naming_context context;
};

/* Whether a function is one, however it was compiled. */
static bool merges_tiers(const struct labels *l)
{
	return l->q->merge_tiers || (l->q->names == NAMES_SHOWN && !l->q->split_tiers);
}

static bool merges_copies(const struct labels *l)
{
	return l->q->names == NAMES_SHOWN && !l->q->split_tiers;
}

struct labels *labels_new(const struct profile *p, const struct query *q, struct tree *tree)
{
	struct labels *l = mem_zalloc(1, sizeof(*l));
	l->p = p;
	l->q = q;
	l->tree = tree;
	l->of_frame = index_none_alloc(p->frames.n);
	l->of_thread = index_none_alloc(p->threads.n);
	return l;
}

void labels_free(struct labels *l)
{
	if (!l)
		return;
	index_map_fini(&l->map);
	free(l->of_frame);
	free(l->of_thread);
	free(l->folded);
	same_lines_free(l->context.same_lines);
	buf_fini(&l->text);
	free(l);
}

const struct tree *labels_tree(const struct labels *l)
{
	return l->tree;
}

uint32_t *labels_take_frames(struct labels *l)
{
	uint32_t *of_frame = l->of_frame;
	l->of_frame = NULL;
	return of_frame;
}

static bool label_equal(const void *labels, uint32_t i, const void *key)
{
	const struct tree_label *a = (const struct tree_label *)labels + i, *b = key;
	return a->kind == b->kind && str_eq(a->name, b->name);
}

/* There are few modules and many functions: reuse the copy as long as the module is the same. */
static struct str module_text(struct labels *l, str_id module)
{
	if (module != l->last_module) {
		l->last_module = module;
		l->last_module_text =
			arena_copy(&l->tree->text, str_basename(profile_str(l->p, module)));
	}
	return l->last_module_text;
}

/* A function has one kind, however it runs. */
static uint8_t kind_of(const struct labels *l, const struct frame *f)
{
	bool is_merged = merges_tiers(l) && f->tier && f->kind == FRAME_INTERPRETED;
	return is_merged ? FRAME_JIT : f->kind;
}

/* Records what only some frames of a label have. */
static void add_details(struct tree_label *label, const struct frame *f, bool is_first)
{
	bool is_inlined = f->flags & FRAME_INLINED;
	label->tiers |= tier_bit(f->tier);
	label->has_inlined |= is_inlined;
	if (is_first)
		return;
	if (label->tier != f->tier)
		label->tier = 0;
	if (!is_inlined)
		label->flags &= (uint16_t)~FRAME_INLINED;
}

static void set_shown(struct labels *l, struct tree_label *label, const struct frame *f)
{
	label->shown = label->function = tree_label_bare(label);
	if (!f || l->q->names != NAMES_SHOWN)
		return;
	if (!l->has_context)
		l->context = (struct naming_context){ program_folder(l->p), same_lines_of(l->p) };
	l->has_context = true;
	label_set_shown(label, &l->tree->text, profile_str(l->p, f->file), &l->context);
}

static uint32_t add_label(struct labels *l, struct str name, const struct frame *f,
			  uint8_t mark_bytes)
{
	struct tree_label label = { .name = name, .mark_bytes = mark_bytes, .is_process = !f };
	if (f && l->q->by_kind)
		label.kind = kind_of(l, f);
	uint32_t hash = hash_str(name);
	uint32_t i = index_map_find(&l->map, hash, label_equal, l->tree->labels.p, &label);
	if (i != INDEX_NONE) {
		if (f)
			add_details(&l->tree->labels.p[i], f, false);
		return i;
	}
	label.name = arena_copy(&l->tree->text, name);
	if (f) {
		label.tier = f->tier;
		label.flags = f->flags;
		add_details(&label, f, true);
	}
	if (f && l->q->by_kind)
		label.module = module_text(l, f->module);
	set_shown(l, &label, f);
	index_map_add(&l->map, hash, l->tree->labels.n);
	vec_push(&l->tree->labels, label);
	return l->tree->labels.n - 1;
}

/* ';' separates frames and a newline ends a line, so names cannot contain them. */
static void add_clean(struct buf *out, struct str s)
{
	size_t start = out->n;
	buf_add(out, s);
	for (char *c = out->p + start; c < out->p + out->n; c++) {
		if (*c == ';')
			*c = ':';
		else if (*c == '\n')
			*c = ' ';
	}
}

/* 0x7f3a becomes 0x..., as in difffolded.pl -s. */
static void strip_hex(struct buf *text)
{
	size_t n = 0;
	for (size_t i = 0; i < text->n;) {
		text->p[n++] = text->p[i++];
		if (n < 2 || text->p[n - 2] != '0' || text->p[n - 1] != 'x' || i == text->n ||
		    !is_hex(text->p[i]))
			continue;
		size_t digits = 0;
		while (i + digits < text->n && is_hex(text->p[i + digits]))
			digits++;
		/* Any number of digits becomes three dots: make room if there are fewer. */
		if (digits < 3) {
			buf_reserve(text, 3 - digits);
			memmove(text->p + i + 3, text->p + i + digits, text->n - i - digits);
			text->n += 3 - digits;
			digits = 3;
		}
		memcpy(text->p + n, "...", 3);
		n += 3;
		i += digits;
	}
	text->n = n;
}

/* `perf-4711.map` has a different number in each run, so it is useless for comparing. */
static struct str module_to_show(const struct labels *l, const struct frame *f)
{
	struct str module = str_basename(profile_str(l->p, f->module));
	bool is_map = str_starts(module, STR("perf-")) && str_ends(module, STR(".map"));
	return is_map && l->q->names == NAMES_SHOWN ? STR("[JIT]") : module;
}

static struct str build_id_of(const struct profile *p, struct str path)
{
	for (uint32_t i = 0; i < p->modules.n; i++)
		if (str_eq(profile_str(p, p->modules.p[i].path), path))
			return profile_str(p, p->modules.p[i].build_id);
	return STR("");
}

/* A different build has its functions at different addresses. */
static bool is_same_beside(const struct labels *l, str_id module)
{
	struct str path = profile_str(l->p, module);
	struct str build_id = build_id_of(l->p, path);
	return build_id.n && str_eq(build_id, build_id_of(l->q->beside, path));
}

/* Whether unnamed functions of this file are told apart by their start. */
static bool splits_unnamed(struct labels *l, const struct frame *f)
{
	if (!f->start || !f->module || f->name || l->q->names != NAMES_SHOWN)
		return false;
	if (f->module != l->split_module) {
		l->split_module = f->module;
		l->splits_module =
			!l->q->beside || l->q->beside == l->p || is_same_beside(l, f->module);
	}
	return l->splits_module;
}

static void add_name(struct labels *l, const struct frame *f, bool merges, bool splits)
{
	struct str name = profile_str(l->p, f->name);
	if (frame_lacks_name(f)) {
		struct str module = module_to_show(l, f);
		if (name.n) {
			add_clean(&l->text, name);
		} else if (module.n > 1 && module.p[0] == '[') {
			add_clean(&l->text, module);
		} else {
			buf_add_char(&l->text, '[');
			add_clean(&l->text, module.n ? module : STR("unknown"));
			buf_add_char(&l->text, ']');
		}
		if (splits)
			buf_addf(&l->text, "+0x%x", f->start);
		return;
	}
	ptrdiff_t mark = merges && f->tier ? str_find_char(name, f->tier) : -1;
	if (mark >= 0) {
		add_clean(&l->text, str_first(name, (size_t)mark));
		name = str_from_byte(name, (size_t)mark + 1);
	}
	add_clean(&l->text, name);
}

/* Names made by V8 end with where the function begins: `f /app/a.js:1:2`. */
static bool has_place(const struct labels *l, struct str file, uint32_t line)
{
	AUTO(buf) struct buf place = { 0 };
	buf_addf(&place, "%.*s:%u", STR_ARG(file), line);
	struct str text = buf_str(&l->text);
	ptrdiff_t at = str_find(text, buf_str(&place));
	if (at < 0)
		return false;
	struct str rest = str_from_byte(text, (size_t)at + place.n);
	return !rest.n || rest.p[0] == ':';
}

static void add_place(struct labels *l, const struct frame *f)
{
	struct str file = profile_str(l->p, f->file);
	if (!file.n || !f->line || has_place(l, file, f->line))
		return;
	buf_add_char(&l->text, l->q->show_place == PLACE_BEHIND_COLON ? ':' : ' ');
	add_clean(&l->text, str_basename(file));
	buf_addf(&l->text, ":%u", f->line);
}

static void add_mark(struct labels *l, const struct frame *f, bool merges)
{
	bool is_marked = f->flags & FRAME_MARKED;
	if (f->flags & FRAME_INLINED && !merges)
		buf_add(&l->text, STR("_[i]"));
	else if (f->flags & FRAME_WAKER)
		buf_add(&l->text, STR("_[w]"));
	else if (f->kind == FRAME_KERNEL && (is_marked || l->q->mark_kernel))
		buf_add(&l->text, STR("_[k]"));
	else if (kind_of(l, f) == FRAME_JIT && (is_marked || l->q->mark_jit))
		buf_add(&l->text, STR("_[j]"));
}

/* Puts the name into l->text, as in folded stacks or for display; returns its mark's length. */
static uint8_t add_text(struct labels *l, const struct frame *f, bool is_folded)
{
	l->text.n = 0;
	add_name(l, f, is_folded ? l->q->merge_tiers : merges_tiers(l),
		 !is_folded && splits_unnamed(l, f));
	if (l->q->strip_hex)
		strip_hex(&l->text);
	if (l->q->show_place)
		add_place(l, f);
	size_t bare = l->text.n;
	add_mark(l, f, !is_folded && merges_copies(l));
	return (uint8_t)(l->text.n - bare);
}

uint32_t label_of_frame(struct labels *l, frame_id frame)
{
	if (l->of_frame[frame] == INDEX_NONE) {
		const struct frame *f = &l->p->frames.p[frame];
		uint8_t mark = add_text(l, f, l->q->names == NAMES_FOLDED);
		l->of_frame[frame] = add_label(l, buf_str(&l->text), f, mark);
	}
	return l->of_frame[frame];
}

struct str folded_name_of(struct labels *l, frame_id frame)
{
	uint32_t label = label_of_frame(l, frame);
	if (l->q->names == NAMES_FOLDED)
		return l->tree->labels.p[label].name;
	if (!l->folded)
		l->folded = mem_zalloc(l->p->frames.n, sizeof(*l->folded));
	if (!l->folded[frame].p) {
		add_text(l, &l->p->frames.p[frame], true);
		l->folded[frame] = arena_copy(&l->tree->text, buf_str(&l->text));
	}
	return l->folded[frame];
}

uint32_t label_of_text(struct labels *l, struct str text)
{
	return add_label(l, text, NULL, 0);
}

uint32_t label_of_stand_in(struct labels *l, struct str text, enum frame_kind kind)
{
	struct frame several = { .kind = (uint8_t)kind, .flags = FRAME_FOLDED };
	return add_label(l, text, &several, 0);
}

uint32_t label_as_waker(struct labels *l, uint32_t label)
{
	static const struct frame waker = { .flags = FRAME_WAKER };
	l->text.n = 0;
	buf_add(&l->text, l->tree->labels.p[label].name);
	buf_add(&l->text, STR("_[w]"));
	return add_label(l, buf_str(&l->text), &waker, 4);
}

static void add_id(struct buf *out, int32_t id)
{
	if (id == PID_UNKNOWN)
		buf_add_char(out, '?');
	else
		buf_addf(out, "%d", id);
}

uint32_t label_of_thread(struct labels *l, thread_id thread)
{
	const struct thread *t = &l->p->threads.p[thread];
	bool shows_ids = l->q->show_pid || l->q->show_tid;
	if (thread == THREAD_NONE || (t->comm == STR_NONE && !shows_ids))
		return INDEX_NONE;
	if (l->of_thread[thread] != INDEX_NONE)
		return l->of_thread[thread];
	l->text.n = 0;
	add_clean(&l->text, profile_str(l->p, t->comm));
	/* As in all folded files: a comm that ends in a number must not look like a count. */
	for (size_t i = 0; i < l->text.n; i++)
		if ((unsigned char)l->text.p[i] <= ' ' || l->text.p[i] == 0x7f)
			l->text.p[i] = '_';
	if (shows_ids) {
		buf_add_char(&l->text, '-');
		add_id(&l->text, t->pid);
	}
	if (l->q->show_tid) {
		buf_add_char(&l->text, '/');
		add_id(&l->text, t->tid);
	}
	return l->of_thread[thread] = add_label(l, buf_str(&l->text), NULL, 0);
}

void frame_path_of(const struct profile *p, node_id node, struct frame_path *out)
{
	uint32_t depth = 0;
	for (node_id i = node; i != NODE_ROOT; i = p->nodes.p[i].parent)
		depth++;
	vec_reserve(out, depth);
	out->n = depth;
	for (node_id i = node; i != NODE_ROOT; i = p->nodes.p[i].parent)
		out->p[--depth] = p->nodes.p[i].frame;
}
