/*
 * ScopeInfo: the contents of a function's scope, in slots. Its flags tell which slots exist. After
 * the map: flags, parameter count, context local count; then as below.
 */
#include "v8/heap.h"

/* Flags, the same in all versions. */
enum {
	SCOPE_TYPE_MASK = 15,
	RECEIVER_SHIFT = 7,
	RECEIVER_MASK = 3,
	HAS_SAVED_CLASS = 1 << 10,
	FUNCTION_VARIABLE_MASK = 3 << 12,
	HAS_INFERRED_NAME = 1 << 14,
	IS_EMPTY = 1 << 29, /* up to 12.4 */
};

enum { WORD = 8, HASHED_FROM = 75, MAX_LOCALS = 1 << 20 };

struct layout_of_scope {
	uint32_t flags, type, locals;
};

/* Receivers that are kept have a slot: on the stack, or in the context. */
static bool has_receiver_slot(const struct v8_layout *l, uint32_t flags)
{
	uint32_t receiver = flags >> RECEIVER_SHIFT & RECEIVER_MASK;
	return l->has_receiver_info && (receiver == 1 || receiver == 2);
}

static bool is_module(const struct v8_layout *l, uint32_t type)
{
	return type == (l->has_raw_scope_flags ? 5u : 3u);
}

/* Up to 12.4: scopes that have a text of their own. */
static bool has_late_positions(const struct v8_layout *l, const struct layout_of_scope *s)
{
	enum { CLASS = 0, EVAL = 1, FUNCTION = 2, MODULE = 3, SCRIPT = 4, SHADOW_REALM = 8 };
	if (l->has_raw_scope_flags)
		return false;
	switch (s->type) {
	case EVAL:
	case FUNCTION:
	case MODULE:
	case SCRIPT:
	case SHADOW_REALM:
		return true;
	case CLASS:
		return l->has_class_positions && !(s->flags & IS_EMPTY);
	default:
		return false;
	}
}

/* Slots before that of the function's name. */
static uint32_t slots_before_name(const struct v8_layout *l, const struct layout_of_scope *s)
{
	uint32_t n = (uint32_t)v8_get(l, V8_SCOPE_INFO_FIRST_VARS);
	n += l->has_early_modules && is_module(l, s->type);
	n += l->has_hashed_names && s->locals >= HASHED_FROM ? 1 : s->locals;
	n += s->locals; /* what each is */
	n += (s->flags & HAS_SAVED_CLASS) != 0;
	n += has_receiver_slot(l, s->flags);
	return n;
}

static bool read_slot(struct v8_heap *h, uint64_t scope_info, uint32_t i, uint64_t *word)
{
	return v8_read_word(h, scope_info, (int32_t)(WORD + i * WORD), word);
}

static int32_t position_of(uint64_t word)
{
	return v8_is_smi(word) && v8_smi(word) >= 0 ? v8_smi(word) : -1;
}

static bool read_late_positions(struct v8_heap *h, uint64_t scope_info, uint32_t i,
				struct v8_scope *out)
{
	uint64_t words[2];
	if (!v8_read(h, scope_info, (int32_t)(WORD + i * WORD), words, sizeof(words)))
		return false;
	out->start = position_of(words[0]);
	out->end = position_of(words[1]);
	return true;
}

bool v8_read_scope(struct v8_heap *h, uint64_t scope_info, struct v8_scope *out)
{
	const struct v8_layout *l = h->layout;
	uint64_t head[5];
	size_t head_bytes = (l->has_raw_scope_flags ? 5 : 3) * sizeof(*head);
	*out = (struct v8_scope){ .start = -1, .end = -1 };
	if (v8_type_of(h, scope_info) != v8_get(l, V8_TYPE_SCOPE_INFO) ||
	    !v8_read(h, scope_info, WORD, head, head_bytes) || !v8_is_smi(head[2]) ||
	    v8_smi(head[2]) < 0 || v8_smi(head[2]) > MAX_LOCALS)
		return false;
	struct layout_of_scope s = {
		.flags = (uint32_t)(l->has_raw_scope_flags ? head[0] : head[0] >> 32),
		.locals = (uint32_t)v8_smi(head[2]),
	};
	s.type = s.flags & SCOPE_TYPE_MASK;
	if (l->has_raw_scope_flags) {
		out->start = position_of(head[3]);
		out->end = position_of(head[4]);
	}
	uint32_t i = slots_before_name(l, &s);
	if (s.flags & FUNCTION_VARIABLE_MASK) {
		if (!read_slot(h, scope_info, i, &out->name))
			return false;
		i += 2; /* the name, and where its variable is */
	}
	if (s.flags & HAS_INFERRED_NAME && !read_slot(h, scope_info, i++, &out->inferred_name))
		return false;
	return !has_late_positions(l, &s) || read_late_positions(h, scope_info, i, out);
}
