/*
 * speedscope's JSON, https://www.speedscope.app/file-format-schema.json: `shared.frames`, and profiles
 * whose stacks are indices into it. Keys come in any order, so stacks are kept as indices until all of
 * the file has been read. A property "plume" of the file, of a profile or of a frame holds what the
 * format has no field for (doc/formats/speedscope.md).
 */
#include "source/json_parts.h"
#include "source/speedscope_int.h"

#define TITLE "speedscope JSON"

/* A frame as it stands in the file. */
struct raw_frame {
	struct named_frame shown;
	struct str name; /* the name itself, where another is shown for it */
	bool has_name;
	bool is_thread; /* the name of a thread, which its samples have already */
	uint16_t flags;
	char tier;
};

struct file {
	struct speedscope s;
	VEC(struct raw_frame) frames;
	struct arena text;
	bool has_profiles;
	bool is_ours; /* its names are as they should be */
};

static void file_fini(struct file *f)
{
	child_map_fini(&f->s.trie);
	vec_fini(&f->s.nodes);
	vec_fini(&f->frames);
	arena_fini(&f->text);
	profile_unref(f->s.q);
}

node_id speedscope_push(struct speedscope *s, node_id parent, uint32_t frame)
{
	node_id node = child_map_get(&s->trie, parent, frame);
	if (node == s->nodes.n) {
		if (!json_has_room(s->j, s->nodes.n - 1, MAX_STACKS, "different stacks"))
			return parent;
		vec_push(&s->nodes, (struct speedscope_node){ parent, frame, 0 });
		if (frame >= s->frames_needed) {
			s->frames_needed = (uint64_t)frame + 1;
			s->frames_needed_at = json_offset(s->j);
		}
	}
	return node;
}

/* --- frames --- */

static struct str take_text(struct file *f)
{
	struct str text;
	return json_string(f->s.j, &text) ? arena_copy(&f->text, text) : STR("");
}

static uint32_t take_u32(struct json *j)
{
	int64_t value;
	return json_number(j, 0, &value) && value > 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static uint16_t take_flag(struct json *j, struct str key)
{
	uint16_t flag = str_eq(key, STR("inlined"))  ? FRAME_INLINED
			: str_eq(key, STR("waker"))  ? FRAME_WAKER
			: str_eq(key, STR("marked")) ? FRAME_MARKED
						     : 0;
	bool is_set = false;
	return json_bool(j, &is_set) && is_set ? flag : 0;
}

static void read_extra(struct file *f, struct raw_frame *frame)
{
	struct json *j = f->s.j;
	struct str key, text;
	if (!json_object(j))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("name"))) {
			frame->name = take_text(f);
			frame->has_name = true;
		} else if (str_eq(key, STR("module"))) {
			frame->shown.module = take_text(f);
		} else if (str_eq(key, STR("kind"))) {
			if (json_string(j, &text))
				frame->shown.kind = source_kind_named(text);
		} else if (str_eq(key, STR("tier"))) {
			if (json_string(j, &text) && text.n == 1)
				frame->tier = text.p[0];
		} else if (str_eq(key, STR("thread"))) {
			json_bool(j, &frame->is_thread);
		} else {
			frame->flags |= take_flag(j, key);
		}
	}
}

static struct raw_frame read_frame(struct file *f)
{
	struct json *j = f->s.j;
	struct raw_frame frame = { .shown.kind = FRAME_KIND_COUNT };
	struct str key;
	if (!json_object(j))
		return frame;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("name")))
			frame.shown.name = take_text(f);
		else if (str_eq(key, STR("file")))
			frame.shown.file = take_text(f);
		else if (str_eq(key, STR("line")))
			frame.shown.line = take_u32(j);
		else if (str_eq(key, STR("col")))
			frame.shown.column = take_u32(j);
		else if (str_eq(key, STR("plume")))
			read_extra(f, &frame);
		else
			json_skip(j);
	}
	return frame;
}

static void read_shared(struct file *f)
{
	struct json *j = f->s.j;
	struct str key;
	if (!json_object(j))
		return;
	while (json_key(j, &key)) {
		if (!str_eq(key, STR("frames"))) {
			json_skip(j);
			continue;
		}
		if (!json_array(j))
			continue;
		f->frames.n = 0;
		while (json_element(j) && json_has_room(j, f->frames.n, MAX_FRAMES, "frames")) {
			struct raw_frame frame = read_frame(f);
			if (!json_fault(j))
				vec_push(&f->frames, frame);
		}
	}
}

static frame_id add_frame(struct file *f, const struct raw_frame *raw)
{
	struct profile *q = f->s.q;
	const struct named_frame *shown = &raw->shown;
	if (!f->is_ours)
		return naming_add_frame(q, shown);
	struct frame frame = {
		.name = profile_add_str(q, raw->has_name ? raw->name : shown->name),
		.module = profile_add_str(q, shown->module),
		.file = profile_add_str(q, shown->file),
		.line = shown->line,
		.column = shown->column,
		.kind = (uint8_t)(shown->kind < FRAME_KIND_COUNT ? shown->kind : FRAME_USER),
		.tier = raw->tier,
		.flags = raw->flags,
	};
	return profile_add_frame(q, &frame);
}

/* --- the end: indices become frames --- */

/* A stack as it is in the profile. */
struct final_node {
	node_id node;
	uint32_t depth, unknown;
};

static frame_id *final_frames(struct file *f)
{
	frame_id *ids = mem_alloc(f->frames.n + 1, sizeof(*ids));
	for (uint32_t i = 0; i < f->frames.n; i++)
		ids[i] = f->frames.p[i].is_thread ? INDEX_NONE : add_frame(f, &f->frames.p[i]);
	return ids;
}

/* What stands for an index without a frame. An input that ended before its frames is damaged enough. */
static frame_id add_missing_frame(struct file *f)
{
	struct speedscope *s = &f->s;
	if (s->frames_needed > UINT32_MAX)
		source_bad_record(s->q, s->frames_needed_at, "a stack refers to an invalid frame");
	else if (!json_is_cut(s->j) || f->frames.n)
		source_bad_record(s->q, s->frames_needed_at,
				  "a stack refers to frame %u, but there are %u",
				  (unsigned)s->frames_needed - 1, f->frames.n);
	return naming_add_frame(s->q, &(struct named_frame){ .kind = FRAME_UNKNOWN });
}

static struct final_node *final_nodes(struct file *f)
{
	struct speedscope *s = &f->s;
	AUTO_FREE frame_id *frames = final_frames(f);
	struct final_node *finals = mem_alloc(s->nodes.n, sizeof(*finals));
	finals[NODE_ROOT] = (struct final_node){ NODE_ROOT, 0, 0 };
	for (uint32_t i = 1; i < s->nodes.n; i++) {
		const struct speedscope_node *n = &s->nodes.p[i];
		struct final_node at = finals[n->parent];
		frame_id frame = n->frame < f->frames.n ? frames[n->frame] : INDEX_NONE;
		if (n->frame >= f->frames.n)
			frame = add_missing_frame(f);
		if (frame != INDEX_NONE) {
			at.node = profile_add_node(s->q, at.node, frame);
			at.depth++;
			at.unknown += frame_lacks_name(&s->q->frames.p[frame]);
		}
		finals[i] = at;
	}
	return finals;
}

static void finish(struct file *f)
{
	struct speedscope *s = &f->s;
	uint64_t *ledger = s->q->ledger.count;
	AUTO_FREE struct final_node *finals = final_nodes(f);
	for (uint32_t i = 0; i < s->nodes.n; i++) {
		ledger[LEDGER_FRAMES] += s->nodes.p[i].uses * finals[i].depth;
		ledger[LEDGER_UNKNOWN_FRAMES] += s->nodes.p[i].uses * finals[i].unknown;
		if (finals[i].depth == 0)
			ledger[LEDGER_NO_STACK] += s->nodes.p[i].uses;
	}
	for (uint32_t i = 0; i < s->q->samples.n; i++)
		s->q->samples.node[i] = finals[s->q->samples.node[i]].node;
}

/* --- the file --- */

static void read_ours(struct file *f)
{
	struct json *j = f->s.j;
	struct str key;
	f->is_ours = true;
	if (!json_object(j))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("differential")))
			json_bool(j, &f->s.q->is_differential);
		else if (!source_json_part(j, key, f->s.q))
			json_skip(j);
	}
}

/* Of keys that are there twice the last counts, as everywhere in JSON; but these are rows already. */
static void read_profiles(struct file *f)
{
	struct json *j = f->s.j;
	uint64_t offset = json_offset(j);
	if (f->has_profiles) {
		source_bad_record(f->s.q, offset,
				  "the file has two lists of profiles; the first is used");
		json_skip(j);
		return;
	}
	f->has_profiles = true;
	if (json_array(j))
		while (json_element(j))
			speedscope_read_profile(&f->s);
}

static void read_file(struct file *f)
{
	struct json *j = f->s.j;
	struct str key;
	if (!json_object(j))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("shared"))) {
			read_shared(f);
		} else if (str_eq(key, STR("plume"))) {
			read_ours(f);
		} else if (str_eq(key, STR("profiles"))) {
			read_profiles(f);
		} else {
			json_skip(j);
		}
	}
	json_at_end(j);
}

static void speedscope_read(struct reader *r, const struct source_options *options,
			    struct profile *p)
{
	AUTO(file) struct file f = { 0 };
	f.s.j = json_new(r);
	json_limit_rows(f.s.j, options->max_rows);
	f.s.q = profile_new(p->columns);
	child_map_init(&f.s.trie);
	vec_push(&f.s.nodes, (struct speedscope_node){ 0 });
	read_file(&f);
	finish(&f);
	profile_merge(p, f.s.q);
	source_json_damage(p, r, TITLE, f.s.j);
	json_free(f.s.j);
}

static unsigned speedscope_probe(struct str head)
{
	AUTO(buf) struct buf keys = { 0 };
	source_json_keys(head, &keys);
	bool has_profiles = source_has_key(&keys, "profiles");
	bool has_shared = source_has_key(&keys, "shared");
	/* The Firefox Profiler's files have `shared`, too. */
	if (source_json_is_firefox(&keys))
		return 0;
	if (!has_profiles && !has_shared && !source_has_key(&keys, "$schema"))
		return 0;
	if (str_find(head, STR("speedscope.app/file-format-schema.json")) >= 0)
		return 95;
	if (has_profiles && has_shared)
		return 85;
	return str_find(head, STR("\"endValue\"")) >= 0 || str_find(head, STR("\"frames\"")) >= 0
		       ? 60
		       : 0;
}

const struct source_format speedscope_format = {
	.title = TITLE,
	.read = speedscope_read,
	.probe = speedscope_probe,
};
